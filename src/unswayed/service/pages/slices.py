"""What the model of an answer says if one parameter is varied, and how much depends on each parameter."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unswayed.core.gp.surface import Surface
from unswayed.search.answer import Answer
from unswayed.spaces import Box, Categorical
from unswayed.types import FloatArray

LEVELS = 61  # values of a parameter at which the model is asked
SAMPLES = 1024  # random points: a share is then off by a few hundredths
MOST_ROWS = 20_000  # that the model is asked for all shares: more take seconds


class Slice(NamedTuple):
    """Estimates along one parameter.

    Attributes:
        places: Where they are, from 0 to 1.
        mean: The estimates.
        low: One standard deviation below them.
        high: One above.
        choices: Whether the parameter has choices, with nothing between them.
    """

    places: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    choices: bool


def slice_of(space: Box, answer: Answer, surface: Surface, name: str) -> Slice | None:
    """The slice through the recommended point along a parameter; None if others depend on it, or the point lacks it.

    Args:
        space: What may be varied.
        answer: The answer.
        surface: Its model.
        name: The parameter.
    """
    if name not in answer.point or (space.conditions is not None and name in space.conditions.gates):
        return None
    parameter = space.parameters[name]
    choices = isinstance(parameter, Categorical)
    Z = parameter.grid(parameter.size if isinstance(parameter, Categorical) else LEVELS)
    values = parameter.decode(Z)
    mean, deviation = surface.at(space.encode([{**answer.point, name: value} for value in values]))
    places = (np.arange(len(values)) + 0.5) / len(values) if choices else Z[:, 0]
    return Slice(places, mean, mean - deviation, mean + deviation, choices)


def shares(space: Box, surface: Surface) -> dict[str, float]:
    """The share of the variation of the estimates over the space that goes with each parameter.

    That is alone or together with others, so shares may add up to more than 1. Empty if the estimates do not vary, and
    where some points lack a parameter.

    Args:
        space: What may be varied.
        surface: The model.
    """
    if space.conditions is not None:
        return {}
    rng, n = np.random.default_rng(0), min(SAMPLES, MOST_ROWS // (len(space.names) + 2))
    A, B = space.spread(n, rng), rng.permutation(space.spread(n, rng))  # in their own order both begin alike
    found = surface.importance(A, B, space.groups)
    return dict(zip(space.names, found.tolist(), strict=False))
