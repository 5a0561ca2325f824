"""The five attacks of the paper on any space, within a total: c(x) = f~(x) - f(x), from the truth.

    sigma   standard deviation of the true values over the space: 1 for f1 of the paper
    R       the target region: the side of one column, cut at its mean, on which the best row is not
    v       largest true value in R

R is the side with the largest v at least GAP ranges below the best value; if there is no such side, the one with the
smallest v. The attacks are those of `boxes.py`:

    clipping       outside R   f~ = min(f, v - sigma/2)
    aggsub         outside R   f~ = f - (best - v + sigma/2): the best point looks as it does under clipping
    top-K          in the best K% of the space (the paper has 100 arms)   f~ = min(f, 16% quantile of f)
    flip           everywhere  f~ = best + worst - f
"""

from __future__ import annotations

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.types import FloatArray
from unswayed_gauntlet.liars.boxes import BoxAttack, Clipping, Flip, LevelSet
from unswayed_gauntlet.liars.protocol import Maker, Wish
from unswayed_gauntlet.liars.survey import survey
from unswayed_gauntlet.problems import SpaceProblem

GAP = 0.1  # ranges: the least that the optimiser loses in the target region
MARGIN = 0.5  # sigma: how far outside values stay below the best one in R
LOW = 0.16  # quantile: -1 sigma of a normal distribution, as in the paper


def target(problem: SpaceProblem) -> tuple[FloatArray, float]:
    """The target region as bounds of the columns, and the largest true value in it."""
    known = survey(problem)
    sides = []
    for column in range(known.rows.shape[1]):
        x = known.rows[:, column]
        bounds = np.tile([-np.inf, np.inf], (known.rows.shape[1], 1))
        middle = float(x.mean())
        if known.best[column] > middle:
            inside = x <= middle
            bounds[column, 1] = middle
        else:
            inside = x > middle
            bounds[column, 0] = np.nextafter(middle, np.inf)
        if inside.any():
            sides.append((float(known.values[inside].max()), bounds))
    if not sides:
        raise InvalidInput(f"{problem.name} has one point only: there is nothing to lead an optimiser to")
    costly = [side for side in sides if side[0] <= problem.best - GAP * problem.range]
    best, bounds = max(costly, key=lambda side: side[0]) if costly else min(sides, key=lambda side: side[0])
    return bounds, best


def clipping(problem: SpaceProblem, plays: int, rng: np.random.Generator) -> Wish:
    """Nothing outside the target region looks as good as the best in it."""
    bounds, best = target(problem)
    return _shown(Clipping(problem.truth, bounds, best - MARGIN * survey(problem).std))


def aggsub(problem: SpaceProblem, plays: int, rng: np.random.Generator) -> Wish:
    """Every value outside the target region is lowered."""
    bounds, best = target(problem)
    lower, upper = bounds.T
    h_max = problem.best - best + MARGIN * survey(problem).std
    return lambda play: 0.0 if ((lower <= play.row) & (play.row <= upper)).all() else -h_max


def top(k: int) -> Maker:
    """The best k% of the space looks bad."""

    def make(problem: SpaceProblem, plays: int, rng: np.random.Generator) -> Wish:
        threshold, low = np.quantile(survey(problem).values, [1 - k / 100, LOW]).tolist()
        return _shown(LevelSet(problem.truth, threshold, low))

    return make


def flip(problem: SpaceProblem, plays: int, rng: np.random.Generator) -> Wish:
    """The best point looks like the worst, and the worst like the best."""
    return _shown(Flip.over(problem.truth, problem.best, problem.worst))


def _shown(attack: BoxAttack) -> Wish:
    return lambda play: float(attack.forged(play.row[None], np.array([play.truth]))[0]) - play.truth
