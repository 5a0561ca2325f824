"""What a search is for: the space, what is given, and how many plays there will be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from unswayed.core.assumptions import Given
from unswayed.errors import InvalidInput
from unswayed.search.candidates import all_rows, first_rows
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

    @cached_property
    def all_rows(self) -> FloatArray | None:
        """Every row of the space if it has few points; None for a continuum and for long tables."""
        return all_rows(self.space, self.seed)

    @cached_property
    def start(self) -> FloatArray:
        """The rows that are played before there is a model."""
        return first_rows(self.space, self.seed)
