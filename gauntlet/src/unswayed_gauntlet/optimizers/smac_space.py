"""Boxes for SMAC."""

from __future__ import annotations

from typing import Any

from ConfigSpace import CategoricalHyperparameter, ConfigurationSpace, Float
from ConfigSpace import Integer as WholeNumber

from unswayed.spaces import Box, Categorical, Integer
from unswayed.spaces.parameters import Parameter


def configurations(box: Box, seed: int) -> Any:
    """The box as SMAC knows it."""
    space = ConfigurationSpace(seed=seed)
    space.add([_hyperparameter(name, one) for name, one in box.parameters.items()])
    return space


def _hyperparameter(name: str, one: Parameter) -> Any:
    if isinstance(one, Categorical):
        return CategoricalHyperparameter(name, list(one.choices))
    kind = WholeNumber if isinstance(one, Integer) else Float
    return kind(name, (one.low, one.high), log=one.log)
