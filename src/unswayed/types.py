"""The words that all layers share: arrays, what is played, what comes back, what may be seen.

An *arm* is the index of a point of the domain. A *play* is one evaluation of an arm. A *reward* is what the
learner sees; it may be corrupted. A *value* is the truth f(x).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from operator import index
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unswayed.errors import InvalidInput

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
AnyArray = TypeVar("AnyArray", bound=NDArray[Any])
EPS = float(np.finfo(np.float64).eps)  # the rounding error of 1
FEW_ENTRIES = 6  # an array of at most this many entries is shown in full


def floats(values: ArrayLike, name: str, *, ndim: int) -> FloatArray:
    """A read-only float64 copy of `values`; refused if the number of dimensions is wrong or an entry is not finite."""
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
    """`value` as a float; refused unless it is finite and positive (with `zero`: at least 0)."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"{name} must be a number, not {value!r}") from None
    if not np.isfinite(number) or number < 0 or (number == 0 and not zero):
        raise InvalidInput(f"{name} must be finite and {'at least 0' if zero else 'positive'}, not {number:g}")
    return number


def probability(value: float, name: str) -> float:
    """`value` as a float; refused unless it is between 0 and 1, and above 1e-100."""
    number = positive(value, name, zero=True)
    if not 1e-100 < number < 1:
        raise InvalidInput(f"{name} must lie between 0 and 1 (and above 1e-100), not {number:g}")
    return number


def growth(value: float) -> float:
    """eta as a float; refused unless it is finite and above 1.

    A design switches arms when the determinant has grown by the factor eta.
    """
    if not (np.isfinite(value) and value > 1):
        raise InvalidInput(f"eta must be finite and larger than 1, not {value:g}")
    return float(value)


def whole(value: object, name: str, *, least: int, most: int = 2**53) -> int:
    """`value` as an int; refused unless it is a whole number from `least` to `most`."""
    try:
        number = index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidInput(f"{name} must be a whole number, not {value!r}") from None
    if not least <= number <= most:
        limit = f"at most {most}" if number > most else f"at least {least}"
        raise InvalidInput(f"{name} must be a whole number of {limit}, not {number}")
    return number


def fix(frozen: object, /, **fields: object) -> None:
    """Set fields of a frozen dataclass: for its `__post_init__` only."""
    for name, content in fields.items():
        object.__setattr__(frozen, name, content)


def read_only(array: AnyArray) -> AnyArray:
    """The same array, protected against writing."""
    array.setflags(write=False)
    return array


def short_repr(value: Any) -> str:
    """The fields of a dataclass in one line, with the shape of a long array in place of its entries."""
    shown = (f"{part.name}={_shown(getattr(value, part.name))}" for part in fields(value) if part.repr)
    return f"{type(value).__name__}({', '.join(shown)})"


def _shown(value: object) -> str:
    if not isinstance(value, np.ndarray):
        return repr(value)
    return str(value.tolist()) if value.size <= FEW_ENTRIES else f"<{' x '.join(map(str, value.shape))} array>"


@dataclass(frozen=True, eq=False)
class Query:
    """What to play next. An epoch of a phased policy is one query.

    Attributes:
        arms: Numbers of the arms, in the order in which they are played.
        repeats: How often each is played, in a row.
        groups: Into how many equal groups the plays of each arm are divided, in turn. Most policies need one only.

    Raises:
        InvalidInput: The lengths differ, there is no arm, a number is not whole or is too small, or the plays of an
            arm cannot be divided equally.

    Example:
        >>> query = Query(arms=[4, 0], repeats=[2, 3])
        >>> query.plays
        5
        >>> query.first(3)
        Query(arms=[4, 0], repeats=[2, 1])
    """

    arms: IntArray
    repeats: IntArray
    groups: int = field(default=1, repr=False)
    __repr__ = short_repr

    def __post_init__(self) -> None:
        arms, repeats = np.array(self.arms), np.array(self.repeats)
        if arms.size and not (arms.dtype.kind in "iu" and repeats.dtype.kind in "iu"):
            raise InvalidInput("arms and repeats must be whole numbers")
        arms, repeats = arms.astype(np.int64), repeats.astype(np.int64)
        if arms.ndim != 1 or arms.shape != repeats.shape or arms.size == 0:
            raise InvalidInput("a query needs as many repeats as arms, and at least one arm")
        if repeats.min() < 1 or arms.min() < 0:
            raise InvalidInput("a query needs repeats of at least 1 and arms numbered from 0")
        if (repeats % whole(self.groups, "the number of groups", least=1)).any():
            raise InvalidInput(f"the repeats of every arm must divide into {self.groups} equal groups")
        fix(self, arms=read_only(arms), repeats=read_only(repeats))

    @property
    def plays(self) -> int:
        """The number of evaluations asked for."""
        return int(self.repeats.sum())

    def first(self, plays: int) -> Query:
        """The beginning of this query; a part of it has no groups.

        Args:
            plays: How many plays to keep, in order.
        """
        if plays >= self.plays:
            return self
        repeats = np.clip(plays - (np.cumsum(self.repeats) - self.repeats), 0, self.repeats)
        return Query(self.arms[repeats > 0], repeats[repeats > 0])


@dataclass(frozen=True, eq=False)
class Feedback:
    """The answer to a query: how often each arm was played, and the mean of its rewards.

    No policy needs the single rewards: means are sufficient statistics.

    Attributes:
        arms: Numbers of the arms that were played.
        repeats: How often each was played.
        means: Mean reward of each.
        group_means: Mean reward of each arm in each group, one row for each group; None if there is one group only.

    Raises:
        InvalidInput: The lengths differ, there is no arm, or a mean is not finite.

    Example:
        >>> Feedback.from_rewards(arms=[2, 0, 2], rewards=[1.0, 5.0, 3.0])
        Feedback(arms=[2, 0], repeats=[2, 1], means=[2.0, 5.0])
    """

    arms: IntArray
    repeats: IntArray
    means: FloatArray
    group_means: FloatArray | None = field(default=None, repr=False)
    __repr__ = short_repr

    def __post_init__(self) -> None:
        asked = Query(self.arms, self.repeats)
        means = floats(self.means, "rewards", ndim=1)
        if means.shape != asked.arms.shape:
            raise InvalidInput("feedback needs one mean reward for each arm")
        fix(self, arms=asked.arms, repeats=asked.repeats, means=means)
        if self.group_means is not None:
            groups = floats(self.group_means, "rewards", ndim=2)
            if groups.shape[0] == 0 or groups.shape[1] != len(means):
                raise InvalidInput("feedback needs one mean reward for each arm in each group")
            fix(self, group_means=groups)

    @classmethod
    def from_rewards(cls, arms: ArrayLike, rewards: ArrayLike) -> Self:
        """Collect single plays. Arms keep the order of their first play.

        Args:
            arms: The arm of each play.
            rewards: The reward of each play.

        Returns:
            The number of plays and the mean reward of each arm.

        Raises:
            InvalidInput: The lengths differ, there is no play, or a reward is not finite.
        """
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
    """What an adversary, the start of an attack or a display may see of a policy before its next query.

    Attributes:
        active: Numbers of the arms that the policy may still play, in increasing order.
        mean: Estimated value of each active arm.
        lower: Lower confidence bound of each active arm.
        upper: Upper confidence bound of each active arm.
        covariance: Posterior covariance of the active arms; None if the policy does not keep it.

    Example:
        >>> bounds = np.array([0.1, 0.2])
        >>> View(active=np.array([0, 3]), mean=bounds, lower=bounds - 1, upper=bounds + 1)
        View(active=[0, 3], mean=[0.1, 0.2], lower=[-0.9, -0.8], upper=[1.1, 1.2], covariance=None)
    """

    active: IntArray
    mean: FloatArray
    lower: FloatArray
    upper: FloatArray
    covariance: FloatArray | None = None
    __repr__ = short_repr

    def __post_init__(self) -> None:
        fix(self, **{name: read_only(array.view()) for name, array in vars(self).items() if array is not None})
