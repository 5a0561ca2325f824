"""The strongest liar: it knows the truth and all reports, and pays the least that keeps a bad point in the lead.

    x, y    points that were played, and what was reported      e_x    d mu(x) / d y of the present play
    mu      posterior mean of the reports                       a, b   good and bad points: within WRONG of the best, or not

It keeps a posterior of its own: an optimiser that cannot be looked into will lean to the point with the largest mu. At a
play it finds the change c of smallest |c| after which some bad point leads all good ones by MARGIN standard deviations of
the noise:

    for some b and all a:   mu(b) + c e_b  >=  mu(a) + c e_a + MARGIN noise

So it hides a good point when it is found, just below what was known before, where that is cheapest; it raises a bad
one if this costs less. It does nothing while a bad point leads anyway, and nothing if c is more than what is left.
The kernel is a Matern kernel with the length-scale that fits the truth best.
"""

from __future__ import annotations

from math import inf

import numpy as np

from unswayed.core.fitting import fit_lengthscale
from unswayed.core.kernels import Matern
from unswayed.core.posterior import JointPosterior
from unswayed.core.rows import numbered_rows
from unswayed.gauntlet.liars.protocol import NOISE, Play, Wish
from unswayed.gauntlet.liars.survey import survey
from unswayed.gauntlet.problems import Problem
from unswayed.types import BoolArray, FloatArray

WRONG = 0.1  # ranges: a run that ends with a larger gap is lost
MARGIN = 2.0  # standard deviations of the noise
FITTED = 256  # rows that the length-scale is fitted to


def strongest(problem: Problem, plays: int, rng: np.random.Generator) -> Wish:
    """Keep a bad point in the lead, as cheaply as possible."""
    known = survey(problem)
    level, scale, noise = float(known.values.mean()), known.std, NOISE * problem.range
    few = known.rows[:: max(len(known.rows) // FITTED, 1)]
    lam = (noise / scale) ** 2
    kernel = fit_lengthscale(Matern(2.5), few, (problem.truth(few) - level) / scale, lam=lam)

    def wish(play: Play) -> float:
        points, arms = numbered_rows(np.vstack([play.rows, play.row]))
        values = (np.append(play.told, play.honest) - level) / scale
        posterior = JointPosterior.of_plays(kernel(points, points), arms, values, np.ones(len(arms)), lam)
        bad = problem.best - problem.truth(points) > WRONG * problem.range
        effect = posterior.covariance[:, arms[-1]] / lam
        change = scale * cheapest(posterior.mean, effect, bad, MARGIN * noise / scale)
        return change if abs(change) <= play.left else 0.0

    return wish


def cheapest(mu: FloatArray, effect: FloatArray, bad: BoolArray, margin: float) -> float:
    """The smallest change of a reward after which a bad arm leads all good ones by a margin.

    Args:
        mu: Posterior means.
        effect: d mu / d y of the reward.
        bad: Which arms are bad.
        margin: By how much it must lead.

    Returns:
        The change; 0 if a bad arm leads already, or if all arms are bad or good; infinite if no change does it.

    Example:
        >>> cheapest(np.array([1.0, 0.4]), np.array([0.5, 0.0]), np.array([False, True]), 0.1).__round__(3)
        -1.4
    """
    if not bad.any() or bad.all() or mu[bad].max() >= mu[~bad].max():
        return 0.0
    lead = mu[~bad] - mu[bad][:, None] + margin  # of each good arm (columns) over each bad one (rows)
    gain = effect[bad][:, None] - effect[~bad]
    prices = []
    for sign in (-1.0, 1.0):
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.where(lead <= 0, 0.0, np.where(sign * gain > 0, lead / (sign * gain), inf))
        prices.append(float(needed.max(axis=1).min()))
    return -prices[0] if prices[0] <= prices[1] else prices[1]
