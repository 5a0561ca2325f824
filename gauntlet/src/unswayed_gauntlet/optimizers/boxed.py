"""Lists of options for optimisers that know only boxes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unswayed.spaces import Box, Options, Point, Real, Space


def boxed(space: Space) -> Any:
    """The space itself, or the smallest box around a list; a list of labels is one choice."""
    if not isinstance(space, Options):
        return space
    options = space.decode(space.arms(1, 0))
    if not isinstance(options[0], tuple):
        return Box(space.parameters)
    table = np.array(options)
    ends = zip(space.names, table.min(axis=0), table.max(axis=0), strict=True)
    return Box({name: Real(low, high) for name, low, high in ends})


def snapped(space: Space, box: Box, point: Mapping[str, Any]) -> Point:
    """A point of the box as a point of the space: itself, or the nearest option."""
    return space.decode(box.encode([point]))[0] if isinstance(space, Options) else dict(point)
