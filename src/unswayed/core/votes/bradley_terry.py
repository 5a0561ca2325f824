"""Scores of options from votes between two of them: the model of Bradley and Terry.

    w_ab    votes for a over b; a tie is half a vote for each       theta_a    score of option a
    n_ab    votes between a and b: w_ab + w_ba                      s          the logistic function
    rho     the ridge: it keeps the scores finite

Option a beats b with probability s(theta_a - theta_b). The scores maximise the concave

    L(theta) = sum_ab w_ab ln s(theta_a - theta_b) - (rho/2) |theta|^2,

by Newton's method on the table of wins, so the cost does not depend on the number of votes. Several fits are made at
once, each with two options held level: then both have one score.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from unswayed.types import EPS, FloatArray, IntArray

RIDGE = 0.1  # a score of 3 standard deviations is a probability of 1 - 1e-4 to beat the average
NEWTON_STEPS = 100  # at most; about 6 are needed
HALVINGS = 40  # of a step that is too long, at most
ENOUGH = 1e-10  # votes: what is left of a gradient; smaller steps only move rounding errors
ROUNDING = 64 * EPS  # of the votes of an option: how far off a computed number of wins may be


@dataclass(frozen=True, eq=False)
class Votes:
    """Votes between options, counted.

    Attributes:
        won: How often the option of the row was preferred to that of the column.
        tied: How often neither was; symmetric.
    """

    won: IntArray
    tied: IntArray

    @property
    def wins(self) -> FloatArray:
        """w: a tie is half a vote for each."""
        return self.won + self.tied / 2

    @property
    def options(self) -> int:
        """How many options there are."""
        return len(self.won)

    @property
    def total(self) -> int:
        """How many votes there are."""
        return int(self.won.sum() + self.tied.sum() // 2)


def probabilities(theta: FloatArray) -> FloatArray:
    """How likely the option of the row is preferred to that of the column.

    Args:
        theta: Scores; more axes may come first.
    """
    return np.asarray(expit(theta[..., :, None] - theta[..., None, :]))


def surplus(wins: FloatArray, theta: FloatArray, option: int, ridge: float) -> float:
    """Wins of an option, less the expected number, less the pull of the ridge."""
    expected = (wins[option] + wins[:, option]) @ expit(theta[option] - theta)
    return float(wins[option].sum() - expected - ridge * theta[option])


def slope_and_bend(wins: FloatArray, theta: FloatArray, ridge: float) -> tuple[FloatArray, FloatArray]:
    """The gradient, and the Hessian of -L: the Laplacian of a network of conductances n_ab s (1 - s), and the ridge."""
    s = probabilities(theta)
    expected = (wins + wins.T) * s
    slope = wins.sum(axis=-1) - expected.sum(axis=-1) - ridge * theta
    bend = expected * (s - 1)
    options = np.arange(theta.shape[-1])
    bend[..., options, options] = 0
    bend[..., options, options] = ridge - bend.sum(axis=-1)
    return np.asarray(slope), np.asarray(bend)


def steepest(wins: FloatArray) -> float:
    """The largest gradient that is left after a fit."""
    most = float((wins + wins.T).sum(axis=1).max(initial=0.0))
    return ENOUGH + ROUNDING * most


def likelihood(wins: FloatArray, theta: FloatArray, ridge: float) -> FloatArray:
    """L."""
    differences = theta[..., :, None] - theta[..., None, :]
    return np.asarray(-(wins * np.logaddexp(0, -differences)).sum(axis=(-1, -2)) - ridge / 2 * (theta**2).sum(axis=-1))


def fit(wins: FloatArray, ridge: float = RIDGE) -> FloatArray:
    """The scores.

    Args:
        wins: Votes of the option of the row over that of the column.
        ridge: Positive.

    Example:
        >>> fit(np.array([[0, 3], [1, 0]]), 1e-9).round(3)
        array([ 0.549, -0.549])
    """
    none = np.zeros(1, dtype=np.int64)
    return np.asarray(level_fits(wins, ridge, none, none, np.zeros((1, len(wins))))[0])


def level_fits(wins: FloatArray, ridge: float, first: IntArray, second: IntArray, start: FloatArray) -> FloatArray:
    """The scores with two options held level; a row for each pair.

    Args:
        wins: Votes of the option of the row over that of the column.
        ridge: Positive.
        first: One option of each pair.
        second: The other; the same one for a free fit.
        start: Where to begin, a row for each pair.
    """
    theta = np.array(start)
    pairs = np.arange(len(theta))
    together = (theta[pairs, first] + theta[pairs, second]) / 2
    theta[pairs, first], theta[pairs, second] = together, together
    slope, bend = _held_level(*slope_and_bend(wins, theta, ridge), first, second)
    going = pairs
    for _ in range(NEWTON_STEPS):
        more = np.abs(slope).max(axis=1) > steepest(wins)
        going, slope, bend = going[more], slope[more], bend[more]
        if not len(going):
            break
        steps = np.linalg.solve(bend, slope[..., None])[..., 0]
        steps[np.arange(len(going)), second[going]] = steps[np.arange(len(going)), first[going]]
        theta[going], slope, bend = _climbed(wins, ridge, first[going], second[going], theta[going], slope, steps)
    return theta


def _held_level(
    slope: FloatArray, bend: FloatArray, first: IntArray, second: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The gradient and the Hessian with one score for both options of a pair: that of the first; the other is fixed."""
    at = np.flatnonzero(first != second)
    a, b = first[at], second[at]
    slope[at, a] += slope[at, b]
    slope[at, b] = 0
    bend[at, a] += bend[at, b]
    bend[at, :, a] += bend[at, :, b]
    bend[at, b], bend[at, :, b] = 0, 0
    bend[at, b, b] = 1
    return slope, bend


def _climbed(
    wins: FloatArray,
    ridge: float,
    first: IntArray,
    second: IntArray,
    theta: FloatArray,
    slope: FloatArray,
    steps: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Scores, gradient and Hessian after steps that are halved while L falls too steeply at their end."""
    rise, length = (slope * steps).sum(axis=1), np.ones(len(theta))
    for _ in range(HALVINGS):
        after = theta + length[:, None] * steps
        end, bend = _held_level(*slope_and_bend(wins, after, ridge), first, second)
        beyond = (end * steps).sum(axis=1) < -rise / 2
        if not beyond.any():
            break
        length = np.where(beyond, length / 2, length)
    return after, end, bend
