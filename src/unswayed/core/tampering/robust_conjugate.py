"""Robust and conjugate Gaussian processes (RCGP): a reward far from where it is expected counts for less.

    g     the centre: where rewards are expected        lam   sigma^2, the model's noise variance
    L, c  half-width of the plateau, and how softly the weight falls beyond it
    w     (sigma/sqrt 2) (1 + max(|y - g| - L, 0)^2/c^2)^(-1/2), the weight of a reward y

    J_w = diag(sigma^2 / (2 w^2)),   m_w = sigma^2 d ln(w^2)/dy
    mu(x) = k(x)^T (K + lam J_w)^-1 (y - m_w),   k_t(x, z) = k(x, z) - k(x)^T (K + lam J_w)^-1 k(z)

The posterior is that of Altamirano, Briol and Knoblauch (2024), w with its plateau that of Ezzerg, Bogunovic and
Knoblauch (arXiv 2511.15315). A reward counts like 1/J_w ordinary plays with the reward y - m_w. On the plateau J_w = 1
and m_w = 0: there it is the ordinary posterior. So an arm needs two numbers only: the sum of its 1/J_w, and the sum of
its (y - m_w)/J_w.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from unswayed.core.gp.posterior import JointPosterior
from unswayed.types import BoolArray, FloatArray, IntArray, read_only


@dataclass(frozen=True)
class Plateau:
    """The weight of a reward.

    Attributes:
        width: L, half of the width of the plateau.
        softness: c. At L + c a reward counts half.
    """

    width: float
    softness: float

    def weigh(
        self, rewards: FloatArray | float, centre: FloatArray | float, lam: float
    ) -> tuple[FloatArray, FloatArray]:
        """How many ordinary plays each reward counts for, 1/J_w, and with which reward, y - m_w.

        Args:
            rewards: The rewards y, of any finite size.
            centre: g for each of them.
            lam: The model's noise variance.
        """
        off = np.subtract(rewards, centre)
        v = np.maximum(np.abs(off) - self.width, 0.0) / self.softness
        share = (1 / np.hypot(1.0, v)) ** 2  # 1/(1 + v^2), also where v^2 would overflow
        return share, rewards + (2 * lam / self.softness) * np.sign(off) * (v * share)


@dataclass(frozen=True, eq=False, repr=False)
class Recentred:
    """The RCGP posterior of all plays about a centre that moves, so that all weights change with every play.

    The plays on the plateau are ordinary ones, and few enter or leave it. Their posterior is kept. The others are added
    to it anew, one rank-one step for each arm that has any: O(N^2) for each such arm, whatever the number of plays.

    Attributes:
        K: Kernel matrix of all arms.
        arms: The arm of each play.
        rewards: The reward of each play, or the mean of several plays of one arm.
        repeats: How many plays each reward is the mean of.
        inside: Whether each reward lies on the plateau.
        trusted: The posterior of those that do.
        posterior: The posterior of all plays.
    """

    K: FloatArray
    arms: IntArray
    rewards: FloatArray
    repeats: FloatArray
    inside: BoolArray
    trusted: JointPosterior
    posterior: JointPosterior

    def __repr__(self) -> str:
        return f"{type(self).__name__}(plays={self.repeats.sum():g}, outside={np.sum(~self.inside)})"

    @classmethod
    def before(cls, prior: JointPosterior) -> Self:
        """The state before the first play."""
        nothing = np.zeros(0)
        none = np.zeros(0, np.bool_)
        return cls(prior.covariance, np.zeros(0, np.int64), nothing, nothing, none, prior, prior)

    def then(self, arm: int, n: int, mean: float, *, centre: FloatArray, plateau: Plateau) -> Self:
        """The state after `n` more plays of an arm.

        Args:
            arm: The arm.
            n: How often it was played.
            mean: The mean reward of these plays.
            centre: Where the reward of each arm is expected.
            plateau: The weight of a reward.
        """
        arms, rewards = np.append(self.arms, arm), np.append(self.rewards, mean)
        repeats = np.append(self.repeats, float(n))
        before = np.append(self.inside, False)
        inside = np.abs(rewards - centre[arms]) <= plateau.width
        trusted = self.trusted
        lam = self.trusted.lam
        if (before & ~inside).any():  # fit again: a play cannot always be taken back in double precision
            trusted = JointPosterior.of_plays(self.K, arms[inside], rewards[inside], repeats[inside], lam)
        else:
            for i in np.flatnonzero(inside & ~before):
                trusted = trusted.extend(int(arms[i]), repeats[i], repeats[i] * rewards[i])
        posterior = trusted
        outside = ~inside
        if outside.any():
            where = arms[outside]
            share, seen = plateau.weigh(rewards[outside], centre[where], lam)
            counts = np.bincount(where, weights=repeats[outside] * share)
            totals = np.bincount(where, weights=repeats[outside] * (share * seen))
            for i in np.unique(where):
                posterior = posterior.extend(int(i), float(counts[i]), float(totals[i]))
        plays = read_only(arms), read_only(rewards), read_only(repeats), read_only(inside)
        return type(self)(self.K, *plays, trusted, posterior)
