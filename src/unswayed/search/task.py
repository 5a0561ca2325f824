"""What a search is for, and what it has been told: rows of the unit cube with their values, and rows that failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from unswayed.core.assumptions import Given
from unswayed.core.kernels import Kernel
from unswayed.errors import InvalidInput, UnswayedError
from unswayed.search.candidates import EVERYWHERE, all_rows, first_rows
from unswayed.spaces import Space
from unswayed.types import FloatArray

METHODS = ("auto", "vigilant-ucb", "influence-pe")


@dataclass(frozen=True, eq=False)
class Task:
    """Fixed for the whole search.

    Attributes:
        space: What may be varied.
        given: What the user states about the measurements.
        seed: Of every random choice.
        plays: How many plays there will be, if that is known.
        method: vigilant-ucb, for few plays; influence-pe, which eliminates with a guarantee; or auto: influence-pe
            where the space is finite and the plays suffice for it.
    """

    space: Space
    given: Given
    seed: int
    plays: int | None = None
    method: str = "auto"

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InvalidInput(f"unknown method {self.method!r}: choose one of {', '.join(METHODS)}")
        if self.given.kernel is not None:
            self._check(self.given.kernel)

    def _check(self, kernel: Kernel) -> None:
        """Refuse a kernel that cannot be computed on every row of the space."""
        corner = self.space.legal(np.ones((1, self.space.columns)))  # of a box, the farthest from the origin
        try:
            kernel(self.start, self.start)
            kernel.diagonal(np.vstack([self.space.arms(EVERYWHERE, 0), corner]))
        except UnswayedError as error:
            fits = f"does not fit the {self.space.columns} column(s) of space.encode"
            raise InvalidInput(f"the kernel {fits}: {error}") from None

    @cached_property
    def all_rows(self) -> FloatArray | None:
        """Every row of the space if it has few points; None for a continuum and for long tables."""
        return all_rows(self.space, self.seed)

    @cached_property
    def start(self) -> FloatArray:
        """The rows that are played before there is a model."""
        return first_rows(self.space, self.seed)


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
