"""Where a result is weakest: close rivals, sensitive options, the cheapest lies, and measurements that stand out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from unswayed.audits.case import AuditCase
from unswayed.audits.spikes import SUSPECTED
from unswayed.audits.tails import outside
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.influence import pairwise_deviation
from unswayed.judgement.findings import Counted
from unswayed.judgement.trimming import suspects
from unswayed.types import IntArray

NAMED = 5  # rivals and sensitive options


@dataclass(frozen=True, kw_only=True)
class Rival:
    """An option that could have won.

    Attributes:
        option: Its number.
        lead: How far it is behind the winner.
        deviation: The standard deviation of that; None for options by label.
        budget: The least total change of values that brings it level.
        pivot: The option whose values change for that.
        lies: The fewest false values that bring it level; only for options by label.
    """

    option: int
    lead: float
    deviation: float | None = None
    budget: float
    pivot: int
    lies: int | None = None


@dataclass(frozen=True, kw_only=True)
class Suspect:
    """A measurement, or a count, that the others do not explain.

    Attributes:
        row: Its row of the data, from 0; None if it is the sum of several rows.
        option: Its option.
        source: Its source; None if there are no sources.
        value: What was recorded: a value or a rate.
        expected: What the others predict.
        score: How unlikely it is, in standard deviations.
        trials: Of a count; None for a value.
        rows: All its rows.
    """

    row: int | None
    option: int
    source: str | None
    value: float
    expected: float
    score: float
    trials: int | None = None
    rows: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {name: value for name, value in vars(self).items() if name != "rows"}


@dataclass(frozen=True, kw_only=True)
class Change:
    """Values that would have to be false.

    Attributes:
        row: The row of the data, from 0; None if it may be any outcome of the option.
        option: Whose values they are.
        source: Whose measurement it is, if sources are known.
        count: How many.
        value: What is recorded.
        instead: What it would have been.
    """

    row: int | None
    option: int
    source: str | None = None
    count: int = 1
    value: float
    instead: float


@dataclass(frozen=True)
class Plan:
    """The cheapest ways to overturn the winner: as few false measurements, or lying sources, as possible.

    Attributes:
        changes: The measurements that would have to be false; none if no number of them is enough.
        rival: The option that is then level with the winner or ahead; None if none can be.
        sources: The sources that would have to lie.
        sources_rival: The option that is then level or ahead.
    """

    changes: tuple[Change, ...]
    rival: int | None
    sources: tuple[str, ...]
    sources_rival: int | None


def find_plan(case: AuditCase, counted: Counted) -> Plan:
    """The cheapest ways, in the user's own sign."""
    changes, data, sign, (effect, _) = [], case.data, case.sign, case.posterior.effect()
    for row in counted.lies.chosen.tolist():
        option = int(data.arms[row])  # every option was measured
        lowered = effect[case.winner, option] > effect[counted.lies.rival, option]
        change = Change(
            row=row,
            option=option,
            source=data.source(row),
            value=float(sign * data.values[row]),
            instead=sign * (case.span.low if lowered else case.span.high),
        )
        changes.append(change)
    sources = tuple(data.names[s] for s in counted.liars.chosen)
    return Plan(tuple(changes), counted.lies.rival, sources, counted.liars.rival)


def find_rivals(case: AuditCase, counted: Counted) -> tuple[Rival, ...]:
    """The options that tampering would make win most cheaply."""
    mean, unit, budgets = case.posterior.mean, case.model.output_scale, counted.budgets
    deviation = unit * pairwise_deviation(case.posterior.covariance, case.winner)
    return tuple(
        Rival(
            option=int(b),
            lead=unit * float(mean[case.winner] - mean[b]),
            deviation=float(deviation[b]),
            budget=unit * float(budgets[b]),
            pivot=int(counted.pivots[b]),
        )
        for b in np.argsort(budgets, kind="stable")[: min(NAMED, int(np.isfinite(budgets).sum()) or 1)]
    )


def find_sensitive(case: AuditCase, rival: Rival) -> tuple[tuple[int, float], ...]:
    """Where tampering would be cheapest, if all of it went to measurements of one option."""
    effect, S = case.posterior.effect()  # every option was measured
    power, records = np.zeros(len(effect)), case.records
    np.maximum.at(power, records.arms, np.abs(records.effects(effect[case.winner] - effect[rival.option], S)))
    strongest = [int(i) for i in np.argsort(-power, kind="stable")[:NAMED] if power[i] > 1e-9 * power.max()]
    return tuple((i, rival.lead / float(power[i])) for i in strongest)


def find_suspects(case: AuditCase) -> tuple[Suspect, ...]:
    """Measurements whose leave-one-out residual exceeds the standard deviations that the fit allows.

    The worst one is taken out before the next is looked for: beside a lie its honest repeats would look suspicious.
    What is expected is what the measurements that are left predict. What belongs to the tail of the others is no
    suspect (audits/tails.py).
    """
    data, sign, found = case.data, case.sign, list[Suspect]()
    one_by_one = suspects(case.posterior, case.records, K=case.K, threshold=case.fit.allowed(), whole_arms=False)
    left = case.posterior
    for dropped, score, left in islice(one_by_one, len(data.values) // 2):
        row = int(np.argmax(dropped))
        option = int(data.arms[row])
        suspect = Suspect(
            row=row,
            option=option,
            source=data.source(row),
            value=float(sign * data.values[row]),
            expected=sign * case.model.unstandardized(float(left.mean[option])),
            score=score,
            rows=(row,),
        )
        found.append(suspect)
    if not found:
        return ()
    false = _outside(case, left, np.array([suspect.rows[0] for suspect in found]))
    return tuple(suspect for suspect in found if suspect.row in false)


def _outside(case: AuditCase, left: JointPosterior, rows: IntArray) -> set[int]:
    """Which suspects lie outside the tail of the other measurements on their side."""
    records = case.records
    off = (records.values - left.mean[records.arms]) * np.sqrt(records.weights / left.lam)
    others, false = np.delete(off, rows), set[int]()
    for side in (1.0, -1.0):
        mine = rows[side * off[rows] > 0]
        mine = mine[np.argsort(side * off[mine], kind="stable")]
        usual = outside(side * others, side * off[mine], SUSPECTED / len(off))
        false |= set(mine[usual:].tolist())
    return false
