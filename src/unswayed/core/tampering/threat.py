"""What tampering to be safe against, and how far it can move a result.

    q      a quantity that is linear in the values: q = sum_j g_j y_j, such as the lead of a winner over a rival
    g_j    effect of measurement j on q, times its weight          y_j    its recorded value
    h_j    the most that another value within [low, high] in place of y_j adds to q

    total C    a sum of changes           moves q by at most   C max_j |g_j|
    lies k     false measurements                              the sum of the k largest h_j
    liars s    lying sources                                   the sum of the s largest sums of h over one source
    doubt      all measurements up to a trust level            the sum of h over these; lies and liars are among others

Each bound is exact. Kinds add up, which is safe: a lie among the measurements of a liar counts twice. This is the only
place that knows the kinds: certificates, breakdowns, policies and audits call `Threat.reach`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from math import inf, isfinite, nextafter
from typing import Any, Self

import numpy as np

from unswayed.core.tampering.trust import TrustLevel
from unswayed.errors import InvalidInput
from unswayed.text import counted, listed
from unswayed.types import BoolArray, FloatArray, IntArray, fix, positive, whole

LARGEST_VALUE = 1e100  # of a measurement, in any units: its square must stay finite


DOUBTED: dict[str, str] = {
    TrustLevel.SELF_REPORTED: "self-reported measurements",
    TrustLevel.WITNESSED: "measurements that no other witness repeated",
}
NO_WITNESS = "a table says nothing of witnesses: what to doubt is for studies on a server"


@dataclass(frozen=True, repr=False)
class Threat:
    """What tampering to be safe against. The kinds add up.

    Attributes:
        total: The largest sum of all changes of values, in their units.
        lies: How many measurements may be false.
        liars: How many sources may lie, as often as they like.
        low: No honest measurement is smaller; None if that is not known.
        high: No honest measurement is larger; None if that is not known.
        doubt: Every measurement up to this trust level may be false: "self-reported", or "witnessed", which leaves
            those that another witness repeated. None if a level says nothing. The other kinds count what is not
            doubted.

    Raises:
        InvalidInput: A number is negative or not finite, `low` is not below `high`, or there is no such level.

    Example:
        >>> import unswayed
        >>> print(unswayed.Threat(lies=3, low=0, high=1))
        3 false measurements
    """

    total: float = 0.0
    lies: int = 0
    liars: int = 0
    low: float | None = None
    high: float | None = None
    doubt: str | None = None

    def __post_init__(self) -> None:
        total = positive(self.total, "the threat", zero=True)
        if total > LARGEST_VALUE:
            raise InvalidInput(f"the threat of {total:g} is too large to compute with: use larger units")
        lies = whole(self.lies, "the number of false measurements", least=0)
        liars = whole(self.liars, "the number of lying sources", least=0)
        fix(self, total=total, lies=lies, liars=liars, low=_bound(self.low, "low"), high=_bound(self.high, "high"))
        fix(self, doubt=TrustLevel.doubted(self.doubt))
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise InvalidInput(f"low must be below high, but {self.low:g} is not below {self.high:g}")

    @classmethod
    def of(cls, threat: Threat | float | None) -> Threat | None:
        """What a user gives as a threat: a plain number is a total, None means that it is not known.

        Args:
            threat: The threat.
        """
        if isinstance(threat, str | bool):
            raise InvalidInput(f"a threat is a number, a Threat or None, not {threat!r}")
        return threat if threat is None or isinstance(threat, Threat) else cls(total=threat)

    @property
    def none(self) -> bool:
        """Whether it allows no tampering at all."""
        return not (self.total or self.false_values)

    @property
    def false_values(self) -> bool:
        """Whether there may be measurements that are anything: lies, those of liars, or doubted ones."""
        return bool(self.lies or self.liars or self.doubt)

    @property
    def bounded(self) -> bool:
        """Whether it limits how far an estimate can move: false values need a range for that."""
        return not self.false_values or self.width < np.inf

    @property
    def width(self) -> float:
        """How far honest values may be apart; infinite if their range is not known."""
        return np.inf if self.low is None or self.high is None else self.high - self.low

    @property
    def sum_of_changes(self) -> float | None:
        """The largest sum of changes, where values outside the range are moved to its ends; None without a bound."""
        if self.liars or self.doubt or not self.bounded:
            return None
        return self.total + (self.lies * self.width if self.lies else 0.0)

    def clipped(self, value: float) -> float:
        """A value moved into the range: no honest measurement lies outside of it.

        Args:
            value: The value.
        """
        low, high = (-np.inf if self.low is None else self.low), (np.inf if self.high is None else self.high)
        return min(max(value, low), high)

    def __str__(self) -> str:
        kinds = [f"tampering of {self.total:.4g} in all"] if self.total else []
        kinds += [counted(self.lies, "false measurement")] if self.lies else []
        kinds += [counted(self.liars, "lying source")] if self.liars else []
        kinds += [f"any number of false {DOUBTED[self.doubt]}"] if self.doubt else []
        return listed(kinds) if kinds else "no tampering"

    def __repr__(self) -> str:
        return f"Threat({', '.join(f'{name}={one!r}' for name, one in self.to_dict().items())})"

    @property
    def condition(self) -> str:
        """What a statement against this threat supposes, in words."""
        kinds = [f"tampering did not exceed {self.total:.4g} in total"] if self.total else []
        kinds += [f"at most {counted(self.lies, 'measurement')} {_be(self.lies)} false"] if self.lies else []
        kinds += (
            [f"at most {counted(self.liars, 'source')} {'lies' if self.liars == 1 else 'lie'}"] if self.liars else []
        )
        if self.doubt:
            return (
                f"{listed(kinds)}, not counting {DOUBTED[self.doubt]}"
                if kinds
                else f"only {DOUBTED[self.doubt]} are false"
            )
        return listed(kinds) if kinds else "nothing was tampered with"

    def to_dict(self) -> dict[str, Any]:
        """As plain values; a level that is doubted only if there is one, as in journals of older versions."""
        known = asdict(self)
        doubt = known.pop("doubt")
        return known if doubt is None else {**known, "doubt": str(doubt)}

    def mapped(self, unit: float, value: Callable[[float], float]) -> Threat:
        """The same threat in other units.

        Args:
            unit: What a change is multiplied by; a negative unit turns the range around.
            value: What becomes of a value.
        """
        most = LARGEST_VALUE  # beyond it nothing is computed with
        low, high = (None if end is None else min(max(float(value(end)), -most), most) for end in (self.low, self.high))
        low, high = (high, low) if unit < 0 else (low, high)
        if low is not None and high is not None and low >= high:  # rounding errors may make them equal
            low, high = (nextafter(high, -inf), high) if high > 0 else (low, nextafter(low, inf))
        return replace(self, total=min(abs(unit) * self.total, most), low=low, high=high)

    def reach(self, g: FloatArray, records: Records | None = None) -> FloatArray:
        """How far it can raise q = g y, for each row of `g`; infinite where a range is needed and not known.

        Args:
            g: Effects, one row for each quantity, one column for each record.
            records: The measurements; a total needs none.
        """
        reach = np.zeros(len(g))
        if g.shape[1] == 0:
            return reach
        if self.total > 0:
            reach += self.total * np.abs(g).max(axis=1)
        if self.false_values:
            reach += self._counted(_needed(records), _needed(records).gains(g, self.low, self.high))
        return reach

    def margin(self, error: FloatArray, records: Records | None = None) -> FloatArray:
        """By how much `reach` grows at most if every effect of a play is wrong by `error`, for each row.

        Args:
            error: Bound on the errors of one row of effects, for plays of weight 1.
            records: As for `reach`.
        """
        heaviest = 1.0 if records is None else float(records.weights.max(initial=0.0))
        factor = self.total * heaviest
        if self.false_values:
            factor += self.width * float(self._counted(_needed(records), _needed(records).weights[None])[0])
        return np.asarray(factor * error)

    def _counted(self, records: Records, h: FloatArray) -> FloatArray:
        """The most that doubted measurements, lies and liars add up to, for each row of h."""
        doubted = records.up_to(self.doubt)
        by_doubt = h[:, doubted].sum(axis=1)
        h = np.where(doubted, 0.0, h) if self.doubt else h
        by_liars = _largest(records.by_source(h), self.liars) + records.unnamed(h) if self.liars else 0.0
        return np.asarray(by_doubt + _largest(h, self.lies) + by_liars)


def _needed(records: Records | None) -> Records:
    if records is None:
        raise InvalidInput("false measurements and lying sources can be counted only where the measurements are known")
    return records


def _be(count: int) -> str:
    return "is" if count == 1 else "are"


def _bound(value: float | None, name: str) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"{name} must be a number, not {value!r}") from None
    if not isfinite(number) or abs(number) > LARGEST_VALUE:
        raise InvalidInput(f"{name} must be a finite number that can be computed with, not {number:g}")
    return number


def _largest(h: FloatArray, k: int) -> FloatArray:
    """The sum of the k largest entries of each row."""
    if k == 0:
        return np.zeros(len(h))
    if k >= h.shape[1]:
        return np.asarray(h.sum(axis=1))
    return np.asarray(-np.partition(-h, k - 1, axis=1)[:, :k].sum(axis=1))


@dataclass(frozen=True, eq=False)
class Records:
    """The measurements behind a posterior.

    Attributes:
        arms: The arm of each.
        values: Its value.
        weights: Its weight: the noise variance of the model over its own.
        sources: The number of its source, from 0; -1 if it was not named. None if no source is known.
        sizes: How many measurements it is the mean of; None if all are single ones.
        when: Its time, from -1 for the first to 1 for the last; None if the order says nothing.
        trust: The rank of its trust level; None if all are self-reported.
    """

    arms: IntArray
    values: FloatArray
    weights: FloatArray
    sources: IntArray | None = None
    sizes: FloatArray | None = None
    when: FloatArray | None = None
    trust: IntArray | None = None

    def only(self, kept: BoolArray | IntArray) -> Self:
        """Some of the records.

        Args:
            kept: Which of them.
        """
        return replace(
            self,
            arms=self.arms[kept],
            values=self.values[kept],
            weights=self.weights[kept],
            sources=None if self.sources is None else self.sources[kept],
            sizes=None if self.sizes is None else self.sizes[kept],
            when=None if self.when is None else self.when[kept],
            trust=None if self.trust is None else self.trust[kept],
        )

    def up_to(self, level: str | None) -> BoolArray:
        """Which of the records have this trust level or a lower one.

        Args:
            level: The level; None for none.
        """
        if level is None:
            return np.zeros(len(self.values), dtype=np.bool_)
        return (
            np.ones(len(self.values), dtype=np.bool_)
            if self.trust is None
            else np.asarray(self.trust <= TrustLevel(level).rank)
        )

    def with_values(self, values: FloatArray) -> Self:
        """The same with other values.

        Args:
            values: The value of each.
        """
        return replace(self, values=values)

    @property
    def measurements(self) -> FloatArray:
        """How many measurements each stands for."""
        return np.ones(len(self.values)) if self.sizes is None else self.sizes

    def effects(self, effect: FloatArray, played: IntArray) -> FloatArray:
        """Effects of each record, from those of a play of each played arm (the columns of `effect`)."""
        column = np.searchsorted(played, self.arms)
        return np.asarray(effect[..., column] * self.weights)

    def gains(self, g: FloatArray, low: float | None, high: float | None) -> FloatArray:
        """h: the most that another value within the range adds to each q, for each record; never below 0."""
        up = np.inf if high is None else np.maximum(high - self.values, 0.0)
        down = np.inf if low is None else np.maximum(self.values - low, 0.0)
        with np.errstate(invalid="ignore"):
            h = np.where(g > 0, g * up, -g * down)
        return np.where(g == 0, 0.0, h)

    def by_source(self, h: FloatArray) -> FloatArray:
        """The sums of h over the records of each source, a column for each; a single one if sources are not known."""
        if self.sources is None:
            return np.asarray(h.sum(axis=1, keepdims=True))
        summed = np.zeros((int(self.sources.max(initial=-1)) + 2, len(h)))
        np.add.at(summed, self.sources, h.T)  # the last row is for those that were not named
        return np.asarray(summed[:-1].T)

    def unnamed(self, h: FloatArray) -> FloatArray:
        """The sums of h over the records whose source was not named: any liar may have made them, but only once."""
        return np.zeros(len(h)) if self.sources is None else np.asarray(h[:, self.sources < 0].sum(axis=1))
