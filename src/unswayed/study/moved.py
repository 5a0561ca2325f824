"""Where a play was really measured: at another point than the one that was proposed, such as 71 instead of 70.5."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unswayed.errors import InvalidInput
from unswayed.spaces import Point, Space
from unswayed.study.tables.cells import nearest_step

NEAREST = "; with --nearest (in Python, nearest=True) it counts there"


def moved_point(space: Space, point: Point, given: Any, *, nearest: bool) -> tuple[Point, dict[str, Any]]:
    """The point that was really set.

    Args:
        space: What may be varied.
        point: Where the play was to be measured.
        given: The parameters that were set otherwise, each with its value; of a list of options, another one of them.
        nearest: Whether a number between two steps of its parameter counts at the nearest one; else it is refused.

    Returns:
        The point, and the numbers that lie between two steps, as they were set.

    Raises:
        InvalidInput: It is not in the space; the message names the parameter.
    """
    if not isinstance(given, Mapping) or not isinstance(point, Mapping):
        return space.check(given), {}
    whole = {**point, **given}
    if space.conditions is not None and (kept := space.conditions.pruned(whole)) is not None:
        whole = {name: value for name, value in whole.items() if name in kept or name in given}
    near = nearest_step(space, {name: float(one) if type(one) is int else one for name, one in whole.items()})
    between = {name: one for name, one in whole.items() if near[name] != one}
    try:
        return space.check(whole | {name: near[name] for name in between if nearest}), between if nearest else {}
    except InvalidInput as error:
        hint = NEAREST if between and not nearest else ""
        raise InvalidInput(f"{error}{hint}") from None
