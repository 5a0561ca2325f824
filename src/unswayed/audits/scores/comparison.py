"""Is B better than A? Two options on the same items."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from unswayed.audits.scores.answers import SMALLEST, in_units, lead_words, missing, more_items, supposed
from unswayed.audits.scores.audit import ScoreAudit, audit_scores
from unswayed.audits.scores.report import any_of, details
from unswayed.core.tampering.threat import Threat
from unswayed.errors import InvalidInput
from unswayed.judgement.verdict import Verdict, short
from unswayed.text import SHORT, counted, listed, notebook_html, printable
from unswayed.types import FloatArray

NAMED = 3  # items that are named first
OTHER_UNIT, OTHER_GRADES = 30, 3  # times a typical share, or a 1 for right: larger typical scores have another unit
TESTS = {"McNemar": "McNemar's exact test", "signs": "the test of signs", "t": "Student's paired t-test, for skew too"}
Scores = Mapping[Hashable, float] | Iterable[tuple[Hashable, float]]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Whether B is better than A on the items that both have.

    Attributes:
        audit: The audit of both; option 0 is A and option 1 is B.

    Example:
        >>> from unswayed import compare
        >>> compare({1: 0.2, 2: 0.3, 3: 0.1}, {1: 0.3, 2: 0.3, 3: 0.2}).better is None  # too few items
        True
    """

    audit: ScoreAudit

    @property
    def better(self) -> bool | None:
        """Whether B is better than A; None if that is not decided."""
        return bool(self.audit.winner == 1) if self.audit.verdict == Verdict.YES else None

    @property
    def difference(self) -> tuple[float, float, float]:
        """How much larger the mean of B is, and the ends of its interval, in the units of the scores."""
        lead = self.audit.rivals[0].lead
        turn = self.audit.data.sign * (1 if self.audit.winner == 1 else -1)
        low, high = sorted((turn * lead.low, turn * lead.high))
        return turn * lead.mean, low, high

    @property
    def probability(self) -> float:
        """Of a difference so far from 0, by chance."""
        return self.audit.rivals[0].lead.probability

    def __repr__(self) -> str:
        return f"Comparison(better={self.better}, difference={self.difference[0]:.6g})"

    def __str__(self) -> str:
        audit = self.audit
        evidence = audit.evidence.sentence if audit.copies else ""
        out = missing(audit.data, audit.rivals[0].lead.mean)
        lines = [
            self._decision(),
            out,
            self._counts(),
            self._luck(),
            evidence,
            audit.robustness.sentence,
            self._items(),
        ]
        return "\n".join(short(lines, self._next()))

    def _repr_html_(self) -> str:
        return notebook_html(str(self).splitlines())

    def explain(self) -> str:
        """Everything that is known, the decision first."""
        return "\n".join([str(self), "", *details(self.audit)])

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for scripts."""
        mean, low, high = self.difference
        about = {"mean": mean, "low": low, "high": high, "probability": self.probability}
        test = self.audit.rivals[0].lead.test
        return {"better": self.better, "difference": about, "test": test, **self.audit.to_dict()}

    @property
    def _names(self) -> tuple[str, str]:
        a, b = self.audit.data.names
        return a, b

    def _decision(self) -> str:
        (a, b), audit, lead = self._names, self.audit, self.audit.rivals[0].lead
        items = counted(len(audit.data.items), "item")
        if lead.mean == 0:
            return f"Verdict: {audit.verdict}. {b} and {a} have the same mean on {items}."
        ahead = audit.winner == 1
        by = f"by {lead_words(audit.data, lead)} on {items}"
        if self.better is not None:
            return f"Verdict: {'yes' if ahead else 'no'}. {b} is {'better' if ahead else 'worse'} than {a}, {by}."
        return f"Verdict: {audit.verdict}. {b} is {'ahead of' if ahead else 'behind'} {a} {by}."

    def _counts(self) -> str:
        (a, b), data = self._names, self.audit.data
        first, second = (in_units(data, data.sign * mean) for mean in self.audit.means)
        d = self._d()
        words = (
            f"better on {int((d > 0).sum()):,} items, worse on {int((d < 0).sum()):,}, equal on {int((d == 0).sum()):,}"
        )
        return f"{a} has {first}, {b} has {second}; {b} is {words}."

    def _luck(self) -> str:
        lead, (a, b) = self.audit.rivals[0].lead, self._names
        if lead.mean == 0:
            return ""
        p = "below 0.0001" if lead.probability < SMALLEST else f"{lead.probability:.2g}"
        known = "" if self.audit.luck.better else "This may be chance: "
        chance = f"chance gives such a difference with probability {p} ({TESTS[lead.test]})"
        equal = listed([f"{a} and {b} are equally good", *supposed(self.audit.data)])
        said = f"if {equal}, {chance}."
        return f"{known}{said}" if known else f"{said[0].upper()}{said[1:]}"

    def _items(self) -> str:
        which = self.audit.rivals[0].regraded.which
        if not len(which):
            return ""
        names = ", ".join(printable(self.audit.data.items[i], limit=SHORT) for i in which[:NAMED])
        return f"The first items to check: {names}{any_of(self.audit.rivals[0].regraded)}."

    def _next(self) -> str:
        (a, b), audit = self._names, self.audit
        if self.better is not None:
            return f"Next: take {b}." if self.better else f"Next: keep {a}."
        if audit.verdict == Verdict.EARLY:
            return f"Next: keep {a}, or {more_items(audit.data, audit.rivals[0].lead, 'both')}."
        return audit.next_step

    def _d(self) -> FloatArray:
        return np.asarray(np.round(self.audit.data.cells[1] - self.audit.data.cells[0], 12))


def compare(
    a: Scores,
    b: Scores,
    *,
    names: tuple[str, str] = ("A", "B"),
    threat: Threat | int | None = None,
    low: float | None = None,
    high: float | None = None,
    minimize: bool = False,
    delta: float = 0.05,
    lines: tuple[Sequence[int], Sequence[int]] | None = None,
) -> Comparison:
    """Is B better than A, and how few other items would change that?

    Args:
        a: The score of each item, or pairs of item and score; an item may come again if most do.
        b: The same of the other option.
        names: What they are called.
        threat: Tampering to be safe against: a number of false scores.
        low: The smallest score that is possible; 0 or the smallest one, if it is not given.
        high: The largest score that is possible; 1 or the largest one, if it is not given.
        minimize: Whether smaller scores are better.
        delta: The largest probability of a difference by chance.
        lines: The lines of the two files that the scores come from, to name them in errors.

    Returns:
        The comparison. Print it, or take its parts.

    Raises:
        InvalidInput: The scores leave nothing to compare.

    Example:
        >>> from unswayed import compare
        >>> compare({i: i < 20 for i in range(50)}, {i: i < 30 for i in range(50)})
        Comparison(better=True, difference=0.2)
    """
    if names[0] == names[1]:
        raise InvalidInput(f"both options are called {names[0]}: give each its own name")
    first, second = (_pairs(one, name) for one, name in zip((a, b), names, strict=True))
    if not first or not second:
        raise InvalidInput(f"{names[0] if not first else names[1]} has no scores")
    labels = [names[0]] * len(first) + [names[1]] * len(second)
    items, scores = zip(*first, *second, strict=True)
    where = partial(_place, names=names, first=len(first), lines=lines)
    about: dict[str, Any] = {"low": low, "high": high, "minimize": minimize, "delta": delta, "lines": where}
    audit = audit_scores(items, labels, scores, threat=threat, **about)
    if low is None or high is None:
        _refuse_other_units(audit.data.labels, np.abs(np.asarray(scores, dtype=np.float64)), len(first))
    return Comparison(audit)


def _place(row: int, *, names: tuple[str, str], first: int, lines: tuple[Sequence[int], Sequence[int]] | None) -> str:
    """Where a row of both logs stands; the first log has so many."""
    log, place = (0, row) if row < first else (1, row - first)
    return f"{f'row {place + 1:,}' if lines is None else f'line {lines[log][place]:,}'} of {names[log]}"


def _pairs(scores: Scores, name: str) -> list[tuple[Hashable, float]]:
    """Items with their scores."""
    pairs = list(scores.items() if isinstance(scores, Mapping) else scores)
    if not all(isinstance(pair, tuple | list | np.ndarray) and len(pair) == 2 for pair in pairs):
        raise InvalidInput(f"{name}: give the score of each item, such as {{'q1': 0.5}}, or pairs of item and score")
    return pairs


def _refuse_other_units(names: tuple[str, ...], size: FloatArray, first: int) -> None:
    """Shares must not be compared with percent, nor right and wrong with grades."""
    parts = {name: part[part > 0] for name, part in zip(names, (size[:first], size[first:]), strict=True)}
    if not all(map(len, parts.values())):
        return
    small, large = sorted(parts, key=lambda name: float(np.median(parts[name])))
    times = OTHER_GRADES if (parts[small] == 1).all() else OTHER_UNIT
    if parts[small].max() <= 1 < parts[large].max() and np.median(parts[large]) >= times * np.median(parts[small]):
        what = f"{small} has scores up to {parts[small].max():g}, and {large} up to {parts[large].max():g}"
        raise InvalidInput(
            f"{what}: give both the same unit, or state the lowest and the highest score if they have it"
        )
