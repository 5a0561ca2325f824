"""The strongest liar: it knows the truth and all reports, and pays the least that keeps a bad point in the lead.

    x, y   points that were played, and what was reported      mu     posterior mean of the reports
    a, b   good points, within WRONG of the best, and others   e_x    d mu(x) / d y of the present play

It keeps its own posterior, because it cannot see inside an optimiser and supposes that the optimiser prefers the point
with the largest mu. At a play it finds the change c of smallest |c| after which some bad point leads all good ones by a
margin:

    for some b and all a:   mu(b) + c e_b  >=  mu(a) + c e_a + margin

So it hides a good point as soon as it is found, and raises a bad one where that costs less. It does nothing while a bad
point leads anyway, or if c is larger than one range or than what is left of its total. Its aim is a lost run, not the
largest gap: where single reports are believed, promote causes larger gaps. The kernel is a Matern kernel with the
length-scale that fits the truth best.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf

import numpy as np

from unswayed.core.data.rows import numbered_rows
from unswayed.core.gp.fitting import fit_lengthscale
from unswayed.core.gp.kernels import Matern
from unswayed.core.gp.posterior import JointPosterior
from unswayed.types import BoolArray, FloatArray
from unswayed_gauntlet.liars.protocol import NOISE, LiarView, Wish
from unswayed_gauntlet.liars.survey import survey
from unswayed_gauntlet.problems import SpaceProblem

WRONG = 0.2  # ranges: twice the gap from which a run is lost
MARGIN = 2.0  # standard deviations of the noise: the lead of the bad point
STAKE = 1.0  # ranges: the largest change of one play
FITTED = 256  # rows to which the length-scale is fitted; the time grows with the cube of this number


def strongest(problem: SpaceProblem, plays: int, rng: np.random.Generator) -> Wish:
    """Keep a bad point in the lead, as cheaply as possible."""
    level = float(survey(problem).values.mean())
    scale = survey(problem).std
    noise = NOISE * problem.range
    kernel = _kernel(problem)
    lam = (noise / scale) ** 2

    def wish(play: LiarView) -> float:
        points, arms = numbered_rows(np.vstack([play.rows, play.row]))
        values = (np.append(play.told, play.honest) - level) / scale
        posterior = JointPosterior.of_plays(kernel(points, points), arms, values, np.ones(len(arms)), lam)
        bad = problem.best - problem.truth(points) > WRONG * problem.range
        effect = posterior.covariance[:, arms[-1]] / lam
        change = scale * cheapest(posterior.mean, effect, bad, MARGIN * noise / scale)
        return change if abs(change) <= min(play.left, STAKE * problem.range) else 0.0

    return wish


@lru_cache(maxsize=64)
def _kernel(problem: SpaceProblem) -> Matern:
    """The kernel that fits the truth best."""
    known = survey(problem)
    few = slice(None, None, max(len(known.rows) // FITTED, 1))
    values = (known.values[few] - known.values.mean()) / known.std
    return fit_lengthscale(Matern(2.5), known.rows[few], values, lam=(NOISE * problem.range / known.std) ** 2)


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
    down, up = _least(lead, -gain), _least(lead, gain)
    return -down if down <= up else up


def _least(lead: FloatArray, gain: FloatArray) -> float:
    """The smallest t >= 0 with t gain >= lead in all columns of some row; infinite if there is none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = lead / gain
    least = np.where(gain > 0, ends, np.where(lead > 0, inf, 0.0)).max(axis=1).clip(min=0.0)
    most = np.where(gain < 0, ends, inf).min(axis=1)
    return float(np.where(least <= most, least, inf).min())
