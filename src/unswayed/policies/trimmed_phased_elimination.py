"""Trimmed-PE: Algorithm 1 for lies that are counted. Some plays may be anything, or some of the sources lie.

    X_h  arms still active in epoch h          l_h   nominal length of the epoch, l_0 2^h
    S_h  arms that the design selects, m       u     how often the design selects each of them
    G    groups of plays                       k     groups that may be false: lies and lying sources
    mu_i posterior mean by group i alone       A     K_SS + lam diag(1/v), of all plays of the epoch

    for h = 0, 1, ...:
        (S_h, u) = design of length l_h on X_h                           (lines 2-10 of Algorithm 1)
        v(x) = G ceil(max(u(x), l_h/m)/G) plays of each x in S_h, v(x)/G of them in every group
        mu_i(x) = k_S(x)^T A^-1 (mean rewards of group i)
        m_h(x) = mean of mu_1(x), ..., mu_G(x) without the k smallest and the k largest
        w(x) = sigma_h(x) sqrt(B^2 + kappa^2 sigma^2/lam)                (`bounds.trimmed_beta`)
        keep x if m_h(x) + w(x) >= max(m_h - w); everything if G <= 2k

A group is a source, so that a liar spoils one group; without liars it is a share of the plays, so that a lie does:
G = min(floor(l_h/m), 25 k^2 + 1). With probability 1 - delta the best arm is never dropped, however large the lies
are and however late in an epoch they are chosen. For k = 0 this is Algorithm 1 with psi = 1/m. More is in
docs/reference/algorithms.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil

import numpy as np

from unswayed.core.design.rare_switching import rare_switching_design_at
from unswayed.core.gp.epoch_posterior import EpochPosterior, trimmed_mean
from unswayed.core.gp.kernels import gram
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.theory import bounds
from unswayed.policies.finite import Certified, PhasedOnFiniteDomain
from unswayed.policies.protocol import Epoch
from unswayed.types import Feedback, FloatArray, IntArray, Query, growth, whole


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TrimmedPhasedElimination(Certified, PhasedOnFiniteDomain):
    """Trimmed-PE on a finite domain. The methods are those of `Policy`.

    Attributes:
        domain: The arms, one row of coordinates each.
        kernel: How values at two points vary together.
        norm_bound: Bound B on the RKHS norm of f.
        noise_std: Sub-Gaussian scale sigma of the noise of one play.
        lies: How many plays may be anything, in all epochs together; those of liars do not count.
        sources: How many sources make the plays.
        liars: How many of them may lie. With 2 (lies + liars) >= sources no arm is ever dropped.
        delta: Probability of failure.
        lam: Regularisation; by default the noise variance.
        eta: The design switches arms when the determinant has grown by this factor.

    Raises:
        InvalidInput: A setting is out of its range.

    Example:
        >>> from unswayed import SquaredExponential, TrimmedPhasedElimination
        >>> settings = {"lies": 3, "norm_bound": 1, "noise_std": 0.1}
        >>> policy = TrimmedPhasedElimination([[0.0], [1.0]], SquaredExponential(0.1), **settings)
        >>> query = policy.ask(policy.init(), np.random.default_rng(0))
        >>> query, query.groups
        (Query(arms=[0, 1], repeats=[7, 7]), 7)
    """

    lies: int = 0
    sources: int = 1
    liars: int = 0
    eta: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        growth(self.eta)
        whole(self.lies, "the number of lies", least=0)
        whole(self.liars, "the number of liars", least=0, most=whole(self.sources, "the number of sources", least=1))

    @property
    def trim(self) -> int:
        """k: how many groups may be false, and are left out on each side."""
        return self.lies + self.liars

    @cached_property
    def first_length(self) -> int:
        """l_0: the shortest epoch that gives each arm of its design a play in each of 2.2 k groups, or of each source.

        Shorter epochs, with G <= 2k, could drop nothing, and hardly anything with G just above. Without lies l_0 = 2.
        """
        groups = self.sources if self.liars else ceil(11 * self.trim / 5)
        length = 2
        while length < (least := groups * len(self._design(self.domain, length)[0])):  # longer designs have more arms
            length = least
        return length

    def _design(self, X: FloatArray, length: int) -> tuple[IntArray, IntArray]:
        return rare_switching_design_at(self.kernel, X, self.regularisation, self.eta, length)

    def ask(self, epoch: Epoch, rng: np.random.Generator) -> Query:
        """The design on the active arms, at least l_h/m plays of each arm in it, in G equal groups."""
        k = self.trim
        l_h = self.first_length * 2**epoch.h
        S_h, u = self._design(self.domain[epoch.active], l_h)
        m = len(S_h)
        G = self.sources if self.liars else max(min(l_h // m, 25 * k**2 + 1), 1)
        plays = -(-np.maximum(u * m, l_h) // (G * m))  # of each arm in a group: ceil(max(u, l_h/m) / G)
        return Query(epoch.active[S_h], G * plays, G)

    def tell(self, epoch: Epoch, feedback: Feedback) -> Epoch:
        """Estimate from this epoch alone, trim, keep every arm that may still be best."""
        N = len(self.domain)
        delta_h = bounds.epoch_delta(self.delta, epoch.h)
        groups = feedback.group_means
        X_h, S_h = self.domain[epoch.active], epoch.rows(feedback.arms)
        estimate = EpochPosterior.fit(self.kernel, X_h, S_h, feedback.means, feedback.repeats, self.regularisation)
        G = 1 if groups is None else len(groups)
        known = self.norm_bound, self.noise_std, self.regularisation, N, delta_h
        factor = bounds.trimmed_beta(*known, groups=G, trim=self.trim)
        if groups is not None and self.trim > 0:
            k = min(self.trim, (G - 1) // 2)  # a median, where G <= 2k
            estimate = estimate.trimmed(groups, k)
            feedback = replace(feedback, means=trimmed_mean(groups, k))  # a lie would stay in the sums for ever
        w = factor * estimate.deviation
        keep = estimate.overlapping(w, factor) if 2 * self.trim < G else np.ones(len(X_h), dtype=np.bool_)
        return epoch.next(keep, estimate.mean, w, feedback)

    def posterior(self, epoch: Epoch) -> JointPosterior:
        """The posterior of all completed epochs together, from the trimmed mean of each arm over the groups."""
        return epoch.posterior(gram(self.kernel, self.domain), self.regularisation)
