"""One study on a known function: was the sentence that it printed true?

A `Family` draws a new `Case` for every run: a space, a true function of its encoded rows, the noise, what the study is
told, and how the measurements lie. `measured` runs the study and compares its sentence with the truth.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import unswayed
from unswayed import Answer, Corrupted, JointPosterior, Optimizer, Options, UnswayedError
from unswayed.core.data.rows import numbered_rows
from unswayed.search.modes import Eliminating
from unswayed.spaces import Point, Space
from unswayed.types import FloatArray

Truth = Callable[[FloatArray], FloatArray]
SEARCHED, KEPT, NEAR = 3000, 10, 300  # rows of the dense search: all over, leaders, and around them for each radius
RADII = (0.1, 0.03, 0.01, 0.003, 0.001)
GOOD, CLOSE = 0.2, 0.1  # a liar hides values within this share of the range, and raises plays this close to its decoy
ROUNDING = 1e-9  # of the range of f: a gap that exceeds the bound by less is a rounding error
LIES = ("hide", "promote", "both")


@dataclass(frozen=True, eq=False)
class Case:
    """A problem with a known answer.

    Attributes:
        space: What may be varied.
        truth: The values at encoded rows.
        noise_std: Standard deviation of one measurement.
        plays: How many there are.
        seed: Of the study.
        settings: What the study is told besides; `threat` is always among it.
        level: The level of the function, for cases in which the study is told everything.
        lies: None, or one of LIES: the liar then spends exactly the threat.
        peaks: Encoded rows that a search of the whole space could miss.
    """

    space: Space
    truth: Truth
    noise_std: float
    plays: int
    seed: int
    settings: dict[str, Any]
    level: float = 0.0
    lies: str | None = None
    peaks: FloatArray | None = None


@dataclass(frozen=True)
class Family:
    """Cases of one kind; `draw` makes a new one from a random stream, `note` says in a few words what they are."""

    name: str
    note: str
    draw: Callable[[np.random.Generator], Case] = field(repr=False)


def landscape(space: Space, truth: Truth, peaks: FloatArray | None = None) -> FloatArray:
    """The values of a dense search of the whole space: rows all over, then around the best; every row of a table."""
    rows = space.arms(SEARCHED, 0)
    if peaks is not None:
        rows = np.vstack([rows, space.legal(peaks)])
    if isinstance(space, Options):
        return truth(rows)
    rng, values = np.random.default_rng(0), truth(rows)
    for radius in RADII:
        leaders = rows[np.argsort(-values, kind="stable")[:KEPT]]
        rows = np.vstack([rows, space.around(leaders, radius, NEAR, rng)])
        values = np.append(values, truth(rows[len(values) :]))
    return values


class Liar:
    """Hides the best values, or promotes a bad point, or both; what is left is spent on the last play.

    The promoted point is the first bad one that is played: a study that believes the lie comes back to it.
    """

    def __init__(self, case: Case, values: FloatArray) -> None:
        self.case, self.played = case, 0
        self.worst, self.middle, self.best = (float(np.quantile(values, q)) for q in (0, 0.5, 1))
        self.decoy: FloatArray | None = None

    def __call__(self, point: Point, value: float) -> float:
        """The change that it wants to make to this play; the ledger cuts it to what is left."""
        lies, spread = self.case.lies, self.best - self.worst
        row = self.case.space.encode([point])
        f = float(self.case.truth(row)[0])
        self.played += 1
        if self.played == self.case.plays:
            return float(self.case.settings["threat"]) * (-1.0 if f >= self.middle else 1.0)
        if lies in ("hide", "both") and f >= self.best - GOOD * spread:
            return self.worst - f
        if lies in ("promote", "both") and f <= self.middle:
            self.decoy = row if self.decoy is None else self.decoy
            if np.linalg.norm(row - self.decoy) <= CLOSE:
                return self.best + GOOD * spread - f
        return 0.0


def honest_objective(case: Case, stream: np.random.Generator) -> Callable[[Point], float]:
    """f + noise; the noise of play t is draw t of the stream."""
    return lambda point: float(case.truth(case.space.encode([point]))[0] + case.noise_std * stream.standard_normal())


def studied(case: Case, objective: Callable[[Point], float]) -> tuple[Answer, Optimizer]:
    """The answer of a study of this case, and the study itself."""
    studies: list[Optimizer] = []
    result = unswayed.maximize(
        objective,
        case.space,
        plays=case.plays,
        seed=case.seed,
        progress=False,
        callback=lambda study, play: studies.append(study),
        **case.settings,
    )
    return result.answer, studies[-1]


def measured(case: Case, stream: np.random.Generator, *, given: bool) -> dict[str, Any]:
    """Run the study of this case and compare what it prints with the truth.

    Args:
        case: The problem.
        stream: Of the noise.
        given: Whether the study was told everything, so that it owes a certificate; else nothing may be certified.
    """
    values = landscape(case.space, case.truth, case.peaks)
    liar = Liar(case, values)
    objective = Corrupted(honest_objective(case, stream), liar, case.settings["threat"] if case.lies else 0.0)
    started = time.process_time()
    answer, study = studied(case, objective)
    seconds = time.process_time() - started
    if not given and answer.certificate is not None:
        raise UnswayedError("a certificate was given although something was estimated")
    here = float(case.truth(case.space.encode([answer.point]))[0])
    considered = case.truth(case.space.encode(answer.points))
    sentence = answer.certificate if given else answer.credible
    record = {
        "plays": case.plays,
        "spent": objective.spent,
        "bound": None if sentence is None else float(sentence.largest_gap),
        "gap": max(float(considered.max()) - here, 0.0),
        "gap_space": max(float(values.max()), float(considered.max())) - here,
        "range": float(np.ptp(values)),
        "unit": case.settings["norm_bound"] if given else float(np.ptp(values)),  # of the medians in the table
        "comparison_noise": comparison_noise(case, answer),
        "seconds": seconds,
    }
    if given:
        record["reference"] = reference_gap(case, answer)
        record["dropped"] = best_was_dropped(case, study)
    return record


def is_false(record: dict[str, Any], gap: str = "gap") -> bool:
    """Whether the sentence of this run is false: the recommended point is further below the best than it says."""
    bound = record["bound"]
    return bound is not None and record[gap] > bound + ROUNDING * record["range"]


def comparison_noise(case: Case, answer: Answer) -> float:
    """The noise of comparing two points that are measured as often as the recommended one."""
    n = sum(play.measured and play.point == answer.point for play in answer.plays)
    return float(case.noise_std * np.sqrt(2 / max(1, n)))


def reference_gap(case: Case, answer: Answer) -> float:
    """The gap that core certifies on the same plays and points, for values from which the true level is subtracted."""
    told, unit = case.settings, case.settings["output_scale"]
    plays = [play for play in answer.plays if play.measured]
    points = [answer.point, *answer.points, *(play.point for play in plays)]
    rows, arms = numbered_rows(case.space.encode(points))
    rewards = (np.array([play.value for play in plays]) - case.level) / unit
    noise = told["noise_std"] / unit
    K, repeats = told["kernel"](rows, rows), np.ones(len(plays))
    posterior = JointPosterior.of_plays(K, arms[len(arms) - len(plays) :], rewards, repeats, noise**2)
    budget, norm = told["threat"] / unit, told["norm_bound"] / unit
    certified = unswayed.certificate(posterior, budget=budget, norm_bound=norm, noise_std=noise, winner=0)
    return float(unit * certified.largest_gap)


def best_was_dropped(case: Case, study: Optimizer) -> bool | None:
    """Whether influence-PE has eliminated every best option of a table; None if it does not eliminate there."""
    mode = study._search.mode
    if not isinstance(case.space, Options) or not isinstance(mode, Eliminating):
        return None
    left = case.truth(mode.phase.active).max()
    return bool(left < case.truth(case.space.arms(1, 0)).max())
