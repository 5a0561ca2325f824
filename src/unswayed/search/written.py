"""A fit as plain values, so that another process can continue a search without repeating the fits before it.

A fit of the model starts from the one before, so the last one follows from all of them. The search after it follows
from that fit and the events alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unswayed.core.data.measurement import finite
from unswayed.errors import InvalidInput
from unswayed.judgement.map_fit import Model
from unswayed.search.beliefs import believed
from unswayed.search.modes import Guided, after_fit
from unswayed.search.task import Data, Task
from unswayed.types import positive, whole

POSITIVE = ("share", "ratio", "scale", "tau")


def written(mode: Guided) -> dict[str, Any]:
    """The fit of a search right after it was made; of a given kernel, only when to fit again."""
    due, model = {"refit_at": mode.refit_at, "anew_at": mode.anew_at}, mode.beliefs.fitted
    if model is None:
        return due
    numbers = {name: float(getattr(model, name)) for name in (*POSITIVE, "centre")}
    return {**due, "lengths": [float(length) for length in model.lengths], **numbers}


def resumed(task: Task, data: Data, fit: Mapping[str, Any]) -> Guided:
    """The search right after a fit that was written down; `data` are all events before it.

    Raises:
        InvalidInput: This is no fit of such a search.
    """
    try:
        refit_at, anew_at = (whole(fit[name], name, least=data.plays + 1) for name in ("refit_at", "anew_at"))
        model = None if task.given.kernel is not None else _model(fit, int(task.space.groups.max()) + 1)
    except (KeyError, TypeError) as error:
        raise InvalidInput(f"this is no fit: {error}") from None
    return after_fit(task, data, believed(task, data, model), refit_at, anew_at)


def _model(fit: Mapping[str, Any], parameters: int) -> Model:
    """What the next fit starts from. Which plays were kept is decided anew by each, so it is not written down."""
    numbers = {name: positive(fit[name], name) for name in POSITIVE}
    lengths = np.array([positive(length, "a length-scale") for length in fit["lengths"]])
    if len(lengths) != parameters or numbers["share"] >= 1:
        raise InvalidInput("this is a fit of another space")
    nothing = np.empty(0)
    return Model(lengths, centre=finite(fit["centre"]), **numbers, kept=nothing > 0, offsets=nothing, score=np.nan)
