"""Liars that know the truth and look at the point: the report depends on where the point is.

    sigma   standard deviation of the true values over the space

promote and hide keep within a total. focused and the two clairvoyant liars change the first plays that qualify, until
they have made as many lies as they may.

The clairvoyant liar of Ezzerg et al. (2025, arXiv 2511.15315) knows the best point. Section 5.3 of version 2, as others
report it: of the plays after the first five, those nearer to it than 0.2 report a fixed low value, and those farther
away than 0.5 a fixed high one. We take the two apart. On their function on [0, 1], whose best point is 1, these are the
nearest fifth and the farthest half of the space, and so they are here on every space. Their values, -10 and 25, lie
about 0.2 ranges below the worst and 0.4 above the best. They count T^(1/3) lies; we count as for all counted lies.

focused is from Altamirano et al. (2024, arXiv 2311.00463), used by Ament et al. (2024, arXiv 2410.24222): outliers
around the median point that report the median there less 3 sigma. They move points of a data set to that place; in a
game the optimiser chooses the points, so ours waits for plays near the median point. That is our reading.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from unswayed.types import FloatArray
from unswayed_gauntlet.liars.protocol import LiarView, Wish
from unswayed_gauntlet.liars.survey import distance, survey
from unswayed_gauntlet.problems import SpaceProblem

PROMOTED = 0.2  # share of the space: the ball of `promote`
SLOPE = 0.1  # ranges: how far the values that `promote` claims fall from the centre to the edge of the ball
HIDDEN = 0.95  # quantile of the values over the space: `hide` lowers what is above it ...
HIDDEN_WITHIN = 0.25  # ranges: ... and at most this far below the best value
HIDDEN_AS = 0.25  # quantile: what `hide` reports instead
TRUE_PLAYS = 5  # plays at the start that the clairvoyant liar reports truly
CLOSE = 0.2  # share of the space nearest to the best point: clairvoyant-near
FAR_SHARE = 0.5  # share of the space farthest from the best point: clairvoyant-far
BELOW_WORST = 0.2  # ranges: reports of clairvoyant-near
ABOVE_BEST = 0.4  # ranges: reports of clairvoyant-far
FOCUS = 0.1  # share of the space around the median point: focused
DEPTH = 3.0  # sigma: how far below the median there `focused` reports


def promote(problem: SpaceProblem, plays: int, rng: np.random.Generator) -> Wish:
    """The ball with the lowest mean looks as if the best point were in it."""
    centre, radius = _lowest_ball(problem)

    def wish(play: LiarView) -> float:
        away = float(distance(play.row, centre)) / radius
        claimed = problem.best - SLOPE * away**2 * problem.range
        return max(claimed - play.truth, 0.0) if away <= 1 else 0.0

    return wish


@lru_cache(maxsize=64)
def _lowest_ball(problem: SpaceProblem) -> tuple[FloatArray, float]:
    """Centre and radius of the ball with the lowest mean value."""
    X = survey(problem).rows
    f = survey(problem).values
    size = max(int(PROMOTED * len(X)), 1)
    centres = X[:: max(len(X) // 256, 1)]
    distances = np.sqrt(((centres[:, None, :] - X) ** 2).sum(axis=2))
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :size]
    lowest = int(np.argmin(f[nearest].mean(axis=1)))
    return centres[lowest], float(distances[lowest, nearest[lowest, -1]]) or 1.0


def hide(problem: SpaceProblem, plays: int, rng: np.random.Generator) -> Wish:
    """Values near the best are lowered to the lower quartile."""
    f = survey(problem).values
    near = max(float(np.quantile(f, HIDDEN)), problem.best - HIDDEN_WITHIN * problem.range)
    poor = float(np.quantile(f, HIDDEN_AS))
    return lambda play: min(poor - play.truth, 0.0) if play.truth >= near else 0.0


def clairvoyant_near(problem: SpaceProblem, plays: int, rng: np.random.Generator) -> Wish:
    """Plays near the best point report a value below the worst."""
    known = survey(problem)
    radius = known.radius(known.best, CLOSE)
    low = problem.worst - BELOW_WORST * problem.range
    return lambda play: (
        low - play.truth if play.number >= TRUE_PLAYS and distance(play.row, known.best) < radius else 0.0
    )


def clairvoyant_far(problem: SpaceProblem, plays: int, rng: np.random.Generator) -> Wish:
    """Plays far from the best point report a value above the best."""
    known = survey(problem)
    radius = known.radius(known.best, 1 - FAR_SHARE)
    high = problem.best + ABOVE_BEST * problem.range
    return lambda play: (
        high - play.truth if play.number >= TRUE_PLAYS and distance(play.row, known.best) > radius else 0.0
    )


def focused(problem: SpaceProblem, plays: int, rng: np.random.Generator) -> Wish:
    """Plays near the median point report the median there less three sigma."""
    known = survey(problem)
    centre = np.median(known.rows, axis=0)
    radius = known.radius(centre, FOCUS)
    there = distance(known.rows, centre) <= radius
    low = float(np.median(known.values[there])) - DEPTH * known.std
    return lambda play: low - play.truth if distance(play.row, centre) <= radius else 0.0
