"""What may be varied, and how its values are encoded in the unit cube.

Real(-5, 10)                  one column, from 0 at `low` to 1 at `high`
Real(1e-5, 1e-1, log=True)    the same for the logarithm
Real(0, 10, step=0.5)         the same for 0, 0.5, 1, ..., 10
Integer(1, 8)                 one column; both ends are included
Categorical(["rbf", "poly"])  a column for each choice; two different choices are at distance 1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.spaces.encoding import Value, When, checked_value, checked_when, plain, shown, when_record
from unswayed.spaces.intervals import Integer
from unswayed.spaces.reals import Real
from unswayed.types import FloatArray, IntArray

MOST_CHOICES = 2000
JUMPS = 0.1  # least share of the categories that change in a step


@dataclass(frozen=True)
class Categorical:
    """One of several values without an order. The methods are those of `Encoding`.

    Attributes:
        choices: Distinct texts, numbers or booleans.
        when: Where a point has this parameter: `{"model": "svm"}`, or a list of values; None for everywhere. See `Box`.

    Raises:
        InvalidInput: There is no choice, there are too many, or two of them are equal.

    Example:
        >>> from unswayed import Categorical
        >>> kind = Categorical(["rbf", "poly"])
        >>> kind.decode(kind.encode(["poly"]))
        ['poly']
    """

    choices: Sequence[Value]
    when: When | None = field(default=None, hash=False, kw_only=True)
    kind: ClassVar[str] = "categorical"

    def __post_init__(self) -> None:
        if isinstance(self.choices, str | bytes) or not isinstance(self.choices, Sequence):
            raise InvalidInput(f"choices must be a list, not {shown(self.choices)}")
        if not 1 <= len(self.choices) <= MOST_CHOICES:
            raise InvalidInput(f"there must be from 1 to {MOST_CHOICES} choices, not {len(self.choices)}")
        seen: dict[Value, Value] = {}
        for choice in (checked_value(choice, "a choice") for choice in self.choices):
            if choice in seen:
                raise InvalidInput(f"choices must differ, but {shown(seen[choice])} and {shown(choice)} are the same")
            seen[choice] = choice
        object.__setattr__(self, "choices", tuple(seen))
        if self.when is not None:
            object.__setattr__(self, "when", checked_when(self.when))

    @property
    def size(self) -> int:
        """The number of choices."""
        return len(self.choices)

    columns = size  # one for each choice

    def check(self, value: object, name: str) -> Value:
        """The choice that equals `value` (true is not 1); an error about `name` if there is none."""
        value = plain(value)
        index = self._index.get(value) if isinstance(value, str | int | float) else None
        if index is None or isinstance(self.choices[index], bool) != isinstance(value, bool):
            some = ", ".join(shown(choice) for choice in self.choices[:5]) + (", ..." if self.size > 5 else "")
            raise InvalidInput(f"{name} = {shown(value)} is not one of {some}")
        return self.choices[index]

    def encode(self, values: Sequence[Value]) -> FloatArray:
        """A row for each value that was checked: sqrt(1/2) in its column, 0 elsewhere."""
        return self._rows(np.fromiter((self._index[value] for value in values), np.int64, len(values)))

    def decode(self, Z: FloatArray) -> list[Value]:
        """The choice of the largest column of each row."""
        return [self.choices[index] for index in Z.argmax(axis=1).tolist()]

    def legal(self, Z: FloatArray) -> FloatArray:
        """Each row moved to that of its choice."""
        return self._rows(Z.argmax(axis=1))

    def spread(self, u: FloatArray) -> FloatArray:
        """Uniform numbers in [0, 1] as uniform choices, encoded."""
        return self._rows(np.minimum((u * self.size).astype(np.int64), self.size - 1))

    def grid(self, levels: int) -> FloatArray:
        """All choices, encoded, for every `levels`: a choice cannot represent others."""
        return self._rows(np.arange(self.size))

    def move(self, Z: FloatArray, radius: float, rng: np.random.Generator, *, surely: bool) -> FloatArray:
        """Another choice, surely or with probability max(`radius`, 0.1)."""
        if self.size == 1:
            return Z
        jumps = rng.random(len(Z)) < (1.0 if surely else max(radius, JUMPS))
        return self._rows((Z.argmax(axis=1) + jumps * rng.integers(1, self.size, len(Z))) % self.size)

    def near(self, value: Any) -> list[Value]:
        """All other choices."""
        return [choice for choice in self.choices if choice != value]

    def describe(self, value: Any) -> str:
        """The choice as text."""
        return value if isinstance(value, str) and value.isprintable() else repr(value)

    def record(self) -> dict[str, Any]:
        """The parameter as plain values for JSON; `parameter_from_record` reads them."""
        return {"type": self.kind, "choices": list(self.choices), **when_record(self.when)}

    @cached_property
    def _index(self) -> dict[Value, int]:
        return {choice: index for index, choice in enumerate(self.choices)}

    def _rows(self, indices: IntArray) -> FloatArray:
        Z = np.zeros((len(indices), self.size))
        Z[np.arange(len(indices)), indices] = np.sqrt(0.5)
        return Z


Parameter = Real | Integer | Categorical
KINDS: dict[str, Callable[..., Parameter]] = {"real": Real, "integer": Integer, "categorical": Categorical}


KEYS = {
    "real": (["low", "high"], ["log", "unit", "step", "digits", "when"]),
    "integer": (["low", "high"], ["log", "unit", "when"]),
    "categorical": (["choices"], ["when"]),
}


def parameter_from_record(record: object) -> Parameter:
    """The parameter of a record, or of a table in a TOML file.

    Without `type` it is categorical if it has choices, else real. Whole numbers need `type = "integer"`.

    Args:
        record: The record.

    Raises:
        InvalidInput: A key is missing or unknown, or a value is wrong.
    """
    if not isinstance(record, Mapping):
        raise InvalidInput(f"a parameter needs a table with low and high, or with choices, not {shown(record)}")
    kind = record.get("type", "categorical" if "choices" in record else "real")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidInput(f"type must be one of {', '.join(KINDS)}, not {shown(kind)}")
    required, optional = KEYS[kind]
    for key in record:
        if key not in ("type", *required, *optional):
            raise InvalidInput(f"unknown key {shown(key)}: a {kind} parameter has {', '.join(required + optional)}")
    for key in required:
        if key not in record:
            raise InvalidInput(f"{key} is missing")
    return KINDS[kind](**{key: record[key] for key in required + optional if key in record})
