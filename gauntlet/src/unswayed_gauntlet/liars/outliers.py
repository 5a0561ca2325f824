"""Outliers: plays that are drawn at random before the game. The liar does not look at the points.

    sigma   standard deviation of the true values over the space

Spikes and dips want to change each play with probability RATE, within a total. The others change as many plays as
their count allows. constant, uniform and asymmetric are outliers of Ament et al. (2024, arXiv 2410.24222); asymmetric
comes from Altamirano et al. (2024, arXiv 2311.00463): all on one side, drawn once, by 3 to 9 sigma. Both papers corrupt
data sets. That these outliers replace the reports of a game is our reading, and so is the value of the constant.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unswayed.types import FloatArray
from unswayed_gauntlet.liars.protocol import LiarView, Maker, Wish, counted_lies
from unswayed_gauntlet.liars.survey import survey
from unswayed_gauntlet.problems import SpaceProblem

RATE = 1 / 15  # probability that spikes and dips want to change a play
HUGE = 1e6  # ranges: the change of spikes-huge and dips-huge
ABOVE = 1.0  # ranges: how far the value of `constant` is above the best value
NEAREST = 3.0  # sigma: the smallest change of `asymmetric`
FARTHEST = 9.0  # sigma: its largest change
Draw = Callable[[SpaceProblem, int, np.random.Generator], FloatArray]  # problem, number of plays -> one number for each


def outliers(sign: float) -> Maker:
    """Random plays move by half to one range."""

    def make(problem: SpaceProblem, plays: int, rng: np.random.Generator) -> Wish:
        draws = rng.random((plays, 2))
        changes = np.where(draws[:, 0] < RATE, sign * (0.5 + 0.5 * draws[:, 1]) * problem.range, 0.0)
        return lambda play: float(changes[play.number])

    return make


def _counted(draw: Draw, change: Callable[[float, LiarView], float]) -> Maker:
    """As many random plays as the count allows; each is changed according to its number."""

    def make(problem: SpaceProblem, plays: int, rng: np.random.Generator) -> Wish:
        chosen = rng.choice(plays, counted_lies(plays), replace=False)
        numbers = dict(zip(chosen.tolist(), draw(problem, len(chosen), rng).tolist(), strict=True))
        return lambda play: change(numbers[play.number], play) if play.number in numbers else 0.0

    return make


def _moved(draw: Draw) -> Maker:
    """As many random plays as the count allows move by the drawn numbers."""
    return _counted(draw, lambda change, play: change)


def _replaced(draw: Draw) -> Maker:
    """As many random plays as the count allows report the drawn numbers, plus the noise."""
    return _counted(draw, lambda report, play: report - play.truth)


def _one_side(problem: SpaceProblem, count: int, rng: np.random.Generator) -> FloatArray:
    sign = rng.choice([-1.0, 1.0])
    return np.asarray(sign * rng.uniform(NEAREST, FARTHEST, count) * survey(problem).std)


def huge(sign: float) -> Maker:
    """Random plays move by a million ranges."""
    return _moved(lambda problem, count, rng: np.full(count, sign * HUGE * problem.range))


best = _replaced(lambda problem, count, rng: np.full(count, problem.best))
constant = _replaced(lambda problem, count, rng: np.full(count, problem.best + ABOVE * problem.range))
uniform = _replaced(lambda problem, count, rng: rng.uniform(problem.worst, problem.best, count))
asymmetric = _moved(_one_side)
