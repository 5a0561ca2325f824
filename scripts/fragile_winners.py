"""How few forged runs overturn the winner of a table of recorded runs; make_fragile_winners.py makes a page of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from unswayed import audit
from unswayed.audits.labels.audit import LabelAudit
from unswayed.judgement.noise import Repeats
from unswayed_gauntlet.problems.recorded_runs import RecordedRuns

BEST = 100  # configurations with the best means: their runs say what the noise of a run is
ROUNDING = 1e-12  # relative to the recorded range


@dataclass(frozen=True)
class Found:
    """What the audits say about the winner of a table.

    Attributes:
        runs: The table.
        winner: Number of the option with the best mean.
        rival: Number of the option that the least change makes win.
        tied: How many other options have the same mean.
        noise: Standard deviation of one run; None if no run was repeated.
        lead: Of the winner over the rival, in the units of the metric.
        budget: The least total change that overturns it.
        lies: The fewest forged runs, with values in the recorded range.
        between: The same, with values between the smallest and the largest run of the winner and the second best.
        firsts: How many options one forged run could put first.
        worst: The mean of the worst of them.
        verdict: Of the audit of the best options.
    """

    runs: RecordedRuns
    winner: int
    rival: int
    tied: int
    noise: float | None
    lead: float
    budget: float
    lies: int
    between: int
    firsts: int
    worst: float
    verdict: str


def audited(
    runs: RecordedRuns, options: Iterable[int] | None = None, *, ends: tuple[float, float] | None = None
) -> LabelAudit:
    """The audit by label of all runs, or of those of some options; a label is # and the number of the option."""
    kept = slice(None) if options is None else np.isin(runs.option, list(options))
    low, high = (None, None) if ends is None else ends
    labels = [f"#{number}" for number in runs.option[kept]]
    found = audit(labels, runs.values[kept], minimize=runs.minimize, low=low, high=high)
    assert isinstance(found, LabelAudit)
    return found


def numbers(found: LabelAudit) -> tuple[int, int, float, int]:
    """The numbers of the winner and of the rival, the budget and the lies."""
    winner, rival = (int(found.labels[option][1:]) for option in (found.winner, found.rival))
    return winner, rival, found.breakdown_budget, found.breakdown_lies


def without_copies(runs: RecordedRuns) -> RecordedRuns:
    """One run of each option if all repeats agree to the last digit: then they are copies."""
    repeats = Repeats.of(runs.option)
    if not repeats.number or repeats.agreeing(runs.values) < 1:
        return runs
    first = np.unique(runs.option, return_index=True)[1]
    return runs._replace(option=runs.option[first], values=runs.values[first])


def best_first(runs: RecordedRuns) -> np.ndarray:
    """The options by their means, the best first."""
    return np.argsort(runs.means if runs.minimize else -runs.means, kind="stable")


def noise_of(runs: RecordedRuns, options: Iterable[int]) -> float | None:
    """The standard deviation of one run around the mean of its option."""
    kept = np.isin(runs.option, list(options))
    repeats = Repeats.of(runs.option[kept])
    return repeats.pooled(runs.values[kept]) if repeats.number else None


def put_first(runs: RecordedRuns) -> tuple[int, float]:
    """How many options one forged run in the recorded range makes at least level with the best, and the worst of them.

    Either a run of the option itself is raised to the largest value; or the best run of the winner is lowered to the
    smallest value, which puts the second best first.
    """
    sign = -1 if runs.minimize else 1
    values, means, count = sign * runs.values, sign * runs.means, np.bincount(runs.option)
    winner, second = best_first(runs)[:2]
    lowest, highest = np.full(len(means), np.inf), np.full(len(means), -np.inf)
    np.minimum.at(lowest, runs.option, values)
    np.maximum.at(highest, runs.option, values)
    behind = means[winner] - means
    able = (values.max() - lowest) / count >= behind
    able[second] |= (highest[winner] - values.min()) / count[winner] >= behind[second]
    able[winner] = False
    return int(able.sum()), float(sign * means[able].min())


def examined(runs: RecordedRuns, best: int | None = BEST) -> Found:
    """Audit a table: all of it, its best options, and its two best options alone.

    The audit of the best ones has to find the same winner, rival, budget and lies as that of all: the others are
    further behind, and bringing an option level that is D behind takes changes of at least D times the smaller of the
    two numbers of runs.
    """
    order, span = best_first(runs), (float(runs.values.min()), float(runs.values.max()))
    everything = audited(runs)
    contenders = everything if best is None else audited(runs, order[:best], ends=span)
    winner, rival, budget, lies = numbers(everything)
    assert (winner, lies) == (numbers(contenders)[0], numbers(contenders)[3])
    assert abs(budget - numbers(contenders)[2]) <= ROUNDING * (span[1] - span[0])
    if best is not None and best < len(order):
        behind = abs(float(runs.means[order[best]] - runs.means[winner]))
        assert behind * int(np.bincount(runs.option).min()) >= budget
    return Found(
        runs,
        winner,
        rival,
        len(everything.tied),
        noise_of(runs, order[:best]),
        0.0 if everything.tied else abs(float(runs.means[winner] - runs.means[rival])),
        budget,
        lies,
        audited(runs, order[:2]).breakdown_lies if not everything.tied else 0,
        *put_first(runs),
        str(contenders.verdict),
    )
