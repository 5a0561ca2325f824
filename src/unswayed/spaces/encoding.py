"""What every parameter of a box can do: check its values, and encode them as columns of the unit cube."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from unswayed.spaces.values import Value
from unswayed.types import FloatArray


class Encoding(Protocol):
    """The methods of `Real`, `Integer` and `Categorical`."""

    @property
    def columns(self) -> int:
        """The number of encoded columns."""

    @property
    def size(self) -> int | None:
        """The number of values; None if there are infinitely many."""

    def check(self, value: object, name: str) -> Value:
        """The value as plain Python.

        Args:
            value: A value as people give it.
            name: Name of the parameter, for the error.

        Raises:
            InvalidInput: It is not a value of this parameter.
        """

    def encode(self, values: Any) -> FloatArray:
        """A row of columns for each value.

        Args:
            values: Values that were checked.
        """

    def decode(self, Z: FloatArray) -> list[Any]:
        """The nearest value to each row.

        Args:
            Z: Encoded rows.
        """

    def legal(self, Z: FloatArray) -> FloatArray:
        """Each row moved to its nearest value: exactly encode(decode(Z)), but faster.

        Args:
            Z: Encoded rows.
        """

    def spread(self, u: FloatArray) -> FloatArray:
        """Encoded values that are as uniform as u.

        Args:
            u: Numbers in [0, 1].
        """

    def grid(self, levels: int) -> FloatArray:
        """Encoded values that cover the parameter, the ends included.

        Args:
            levels: Largest number of values; categories always have all.
        """

    def move(self, Z: FloatArray, radius: float, rng: np.random.Generator, *, surely: bool) -> FloatArray:
        """A random step from each row.

        Args:
            Z: Encoded rows.
            radius: Largest step of a number, probability of a change for categories.
            rng: Random numbers.
            surely: Whether every discrete value has to change.
        """

    def describe(self, value: Any) -> str:
        """The value as text.

        Args:
            value: A value that was checked.
        """

    def record(self) -> dict[str, Any]:
        """The parameter as plain values for JSON."""
