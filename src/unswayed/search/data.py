"""What a search has been told: rows of the unit cube with their values, and rows that failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from unswayed.types import FloatArray


@dataclass(frozen=True, eq=False)
class Told:
    """A play at `row` gave `value`; larger is better."""

    row: FloatArray
    value: float


@dataclass(frozen=True, eq=False)
class Failed:
    """A play at `row` gave no value."""

    row: FloatArray


Event = Told | Failed


@dataclass(frozen=True, eq=False)
class Data:
    """Everything told so far, in the order of the plays."""

    rows: FloatArray
    values: FloatArray
    failed: FloatArray  # rows, with repeats

    @classmethod
    def empty(cls, columns: int) -> Self:
        """Nothing told yet."""
        return cls(np.empty((0, columns)), np.empty(0), np.empty((0, columns)))

    def after(self, event: Event) -> Self:
        """With one more event."""
        return self.after_all([event])

    def after_all(self, events: Sequence[Event]) -> Self:
        """With some more events."""
        told = [event for event in events if isinstance(event, Told)]
        failed = [event.row for event in events if isinstance(event, Failed)]
        rows, values = [event.row for event in told], [event.value for event in told]
        return replace(
            self,
            rows=np.vstack([self.rows, *rows]),
            values=np.append(self.values, values),
            failed=np.vstack([self.failed, *failed]),
        )
