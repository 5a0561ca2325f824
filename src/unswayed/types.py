"""The words that all layers share: arrays, what is played, what comes back, what may be seen.

An *arm* is the index of a point of the domain; a *play* is one evaluation of an arm; a *reward* is
what the learner sees, possibly corrupted; a *value* is the truth f(x).
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unswayed.errors import InvalidInput

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
AnyArray = TypeVar("AnyArray", bound=NDArray[Any])


def floats(values: ArrayLike, name: str, *, ndim: int) -> FloatArray:
    """A private, read-only float64 copy of `values`, refused if it has the wrong shape or is not finite."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"{name} must be numbers: {error}") from None
    if array.ndim != ndim:
        raise InvalidInput(f"{name} must have {ndim} dimension(s), not {array.ndim}")
    if not np.isfinite(array).all():
        where = int(np.argwhere(~np.isfinite(array))[0][0])
        raise InvalidInput(f"{name} must be finite, but entry {where} holds NaN or an infinity")
    return read_only(array)


def positive(value: float, name: str, *, zero: bool = False) -> float:
    """`value` as a float, refused unless it is finite and positive (or zero, where that is allowed)."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"{name} must be a number, not {value!r}") from None
    if not np.isfinite(number) or number < 0 or (number == 0 and not zero):
        wanted = "at least 0" if zero else "positive"
        raise InvalidInput(f"{name} must be finite and {wanted}, not {number:g}")
    return number


def probability(value: float, name: str) -> float:
    """`value` as a float, refused unless it lies strictly between 0 and 1 (and above 1e-100)."""
    number = positive(value, name, zero=True)
    if not 1e-100 < number < 1:
        raise InvalidInput(f"{name} must lie between 0 and 1 (and above 1e-100), not {number:g}")
    return number


def growth(value: float) -> float:
    """eta, the factor by which a determinant grows before the design switches arms: finite and above 1."""
    if not (np.isfinite(value) and value > 1):
        raise InvalidInput(f"eta must be finite and larger than 1, not {value:g}")
    return float(value)


def whole(value: object, name: str, *, least: int, most: int = 2**53) -> int:
    """`value` as an int, refused unless it is a whole number from `least` to `most`."""
    try:
        number = index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidInput(f"{name} must be a whole number, not {value!r}") from None
    if not least <= number <= most:
        raise InvalidInput(f"{name} must be a whole number of at least {least} (and at most {most}), not {number}")
    return number


def read_only(array: AnyArray) -> AnyArray:
    """The same array, protected against writing."""
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False)
class Query:
    """What to play next: `arms` in this order, each `repeats` times in a row. An epoch is one query."""

    arms: IntArray
    repeats: IntArray

    def __post_init__(self) -> None:
        arms, repeats = np.array(self.arms), np.array(self.repeats)
        if arms.size and not (arms.dtype.kind in "iu" and repeats.dtype.kind in "iu"):
            raise InvalidInput("arms and repeats must be whole numbers")
        arms, repeats = arms.astype(np.int64), repeats.astype(np.int64)
        if arms.ndim != 1 or arms.shape != repeats.shape or arms.size == 0:
            raise InvalidInput("a query needs as many repeats as arms, and at least one arm")
        if repeats.min() < 1 or arms.min() < 0:
            raise InvalidInput("a query needs repeats of at least 1 and arms numbered from 0")
        object.__setattr__(self, "arms", read_only(arms))
        object.__setattr__(self, "repeats", read_only(repeats))

    @property
    def plays(self) -> int:
        """The number of evaluations asked for."""
        return int(self.repeats.sum())

    def first(self, plays: int) -> Query:
        """The first `plays` plays of this query, in its order."""
        if plays >= self.plays:
            return self
        done_before = np.cumsum(self.repeats) - self.repeats
        repeats = np.clip(plays - done_before, 0, self.repeats)
        return Query(self.arms[repeats > 0], repeats[repeats > 0])


@dataclass(frozen=True, eq=False)
class Feedback:
    """The answer to a query as sufficient statistics: for each arm, the number and mean of its rewards."""

    arms: IntArray
    repeats: IntArray
    means: FloatArray

    def __post_init__(self) -> None:
        asked = Query(self.arms, self.repeats)
        means = floats(self.means, "rewards", ndim=1)
        if means.shape != asked.arms.shape:
            raise InvalidInput("feedback needs one mean reward for each arm")
        object.__setattr__(self, "arms", asked.arms)
        object.__setattr__(self, "repeats", asked.repeats)
        object.__setattr__(self, "means", means)

    @classmethod
    def from_rewards(cls, arms: ArrayLike, rewards: ArrayLike) -> Self:
        """From raw plays, one arm and one reward each; arms keep the order of their first play."""
        played = np.asarray(arms, dtype=np.int64)
        seen = floats(rewards, "rewards", ndim=1)
        if played.shape != seen.shape or seen.size == 0:
            raise InvalidInput("feedback needs one arm for each reward, and at least one reward")
        distinct, first, group, counts = np.unique(played, return_index=True, return_inverse=True, return_counts=True)
        means = np.bincount(group, weights=seen) / counts
        order = np.argsort(first)
        return cls(distinct[order], counts[order].astype(np.int64), means[order])


@dataclass(frozen=True, eq=False)
class View:
    """What triggers, adversaries and displays may see of a policy, before its next query.

    `mean`, `lower` and `upper` belong to the arms in `active`, in that order; so do the rows and columns of
    `covariance`, the posterior's, where a policy has one at hand.
    """

    active: IntArray
    mean: FloatArray
    lower: FloatArray
    upper: FloatArray
    covariance: FloatArray | None = None

    def __post_init__(self) -> None:
        if self.covariance is not None:
            object.__setattr__(self, "covariance", read_only(self.covariance.view()))
        for name in ("active", "mean", "lower", "upper"):
            object.__setattr__(self, name, read_only(getattr(self, name).view()))
