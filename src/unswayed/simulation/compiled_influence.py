"""The compiled loop of influence-UCB: the same plays as the plain loop, with one pass over each posterior.

The influence widths need the largest |k_t(x, x')| over all played x' in every round, so the update cannot wait until
the arm changes. A round costs one pass over each covariance, which updates it and finds the maxima.
"""

from __future__ import annotations

from dataclasses import replace
from math import log, log1p, sqrt

import numba
import numpy as np

from unswayed.adversaries.protocol import immediately
from unswayed.core.design.rare_switching import TIE
from unswayed.policies.influence_ucb import InfluenceUCB, TwoPosteriors
from unswayed.simulation.compiled import Blocks, charge, rules, settle, stretches
from unswayed.simulation.game import Game
from unswayed.types import EPS, FloatArray, read_only

ROUNDS_AT_ONCE = 1 << 15  # of one call of the compiled loop: an interrupt waits for its end
INLINED = "97badd79601155fa"  # as in compiled.py


def play(game: Game, policy: InfluenceUCB) -> TwoPosteriors:
    """Play influence-UCB; return the final state."""
    problem, first, lam = game.problem, policy.init(), policy.regularisation
    view = policy.view(first)
    game.check(view)
    wanted = game.wanted(view)
    N = problem.n_arms
    covariances = np.array([first.plain.covariance] * 2)
    means, influences, weights = np.zeros((2, N)), np.zeros((2, N)), np.zeros((2, N))
    counts, totals = np.zeros((2, N)), np.zeros((2, N))
    # Passed from one call to the next: both log dets, budget spent, whether the attack is on, lies told.
    carried = np.array([0.0, 0.0, 0.0, float(game.start is immediately), 0.0])
    C, B, sigma = float(policy.corruption_budget), float(policy.norm_bound), policy.noise_std
    offset, weight_scale = 2 * log(1 / policy.share), policy.alpha * sqrt(lam)
    settings = C, B, sigma / sqrt(lam), offset, weight_scale, lam, 2 if policy.weighted else 1
    for done, noise, room in stretches(game, ROUNDS_AT_ONCE):
        n = _rounds(
            done, noise, problem.f, wanted, rules(game), settings,
            means, covariances, influences, weights, counts, totals, carried, room,
        )  # fmt: skip
        game.record(*(column[:n] for column in room))
    settle(game, float(carried[2]), float(carried[4]))
    plain, weighted = (
        replace(
            first.plain,
            mean=read_only(means[p].copy()),
            covariance=read_only(covariances[p].copy()),
            counts=read_only(counts[p].copy()),
            weights=read_only((totals[p] - counts[p] * means[p]) / lam),
            log_det=float(carried[p]),
        )
        for p in (0, 1)
    )
    return TwoPosteriors(plain, weighted, read_only(weights[1].copy()))


@numba.njit(cache=True, error_model="numpy")
def _rounds(
    t: int,
    noise: FloatArray,
    f: FloatArray,
    wanted: FloatArray,
    rules: FloatArray,
    settings: tuple[float, float, float, float, float, float, int],
    means: FloatArray,
    covariances: FloatArray,
    influences: FloatArray,
    weights: FloatArray,
    counts: FloatArray,
    totals: FloatArray,
    carried: FloatArray,
    room: Blocks,
) -> int:
    """Play one round for each noise, after t earlier ones; fill the blocks and return their number."""
    arms, repeats, rewards, spent = room
    C, B, scale, offset, weight_scale, lam, posteriors = settings
    N = len(f)
    paid, attacking, told = carried[2], carried[3] > 0, carried[4]
    budget, lies, sources, liars, lowest, highest = rules[0], rules[1], rules[2], rules[3], rules[4], rules[5]
    upper, lower, v = np.empty(N), np.empty(N), np.empty(N)
    blocks, before = 0, -1
    for r in range(len(noise)):
        for p in range(posteriors):
            beta = B + scale * sqrt(offset + carried[p])
            for j in range(N):
                width = beta * sqrt(max(covariances[p, j, j], EPS)) + (C / lam) * influences[p, j]
                high, low = means[p, j] + width, means[p, j] - width
                upper[j] = high if p == 0 else min(upper[j], high)
                lower[j] = low if p == 0 else max(lower[j], low)
        largest, widest = -np.inf, 0.0
        for j in range(N):
            largest = max(largest, upper[j])
            widest = max(widest, upper[j] - means[0, j])
        if not attacking:  # "later": an upper bound lies strictly below the largest lower bound
            attacking = upper.min() < lower.max()
        arm = 0
        while upper[arm] < largest - TIE * widest:
            arm += 1
        c, liar = 0.0, (t + r) % sources < liars
        if attacking and paid < budget and (liar or told < lies):
            c = charge(wanted[arm], 1, budget, paid)
            paid += abs(c)
            told += 1.0 if c != 0 and not liar else 0.0
        reward = min(max(f[arm] + noise[r] + c, lowest), highest)
        for p in range(posteriors):
            w = 1.0 if p == 0 else min(1.0, weight_scale / sqrt(max(covariances[1, arm, arm], EPS)))
            weights[p, arm] = max(weights[p, arm], w)
            counts[p, arm] += w
            totals[p, arm] += w * reward
            s = max(covariances[p, arm, arm], 0.0)
            carried[p] += log1p(w * s / lam)
            _extend(means[p], covariances[p], influences[p], weights[p], v, arm, w, s, reward, lam)
        if arm != before:
            arms[blocks], repeats[blocks], rewards[blocks], spent[blocks] = arm, 0, 0.0, 0.0
            blocks, before = blocks + 1, arm
        repeats[blocks - 1] += 1
        rewards[blocks - 1] += reward
        spent[blocks - 1] += abs(c)
    carried[2], carried[3], carried[4] = paid, 1.0 if attacking else 0.0, told
    return blocks


@numba.njit(cache=True, error_model="numpy")
def _extend(
    mean: FloatArray,
    covariance: FloatArray,
    influence: FloatArray,
    weights: FloatArray,
    v: FloatArray,
    arm: int,
    w: float,
    s: float,
    reward: float,
    lam: float,
) -> None:
    """One play of weight w: mean, covariance, and the largest weighted |k(x, x')| over played x'."""
    N = len(mean)
    along, shrink = w * (reward - mean[arm]) / (lam + w * s), w / (lam + w * s)
    for i in range(N):
        v[i] = covariance[arm, i]
        influence[i] = 0.0
    for i in range(N):
        mean[i] += v[i] * along
    for j in range(N):
        row, factor, weight = covariance[j], v[j] * shrink, weights[j]
        if weight > 0:
            for i in range(N):
                k = row[i] - factor * v[i]
                row[i] = k
                k = abs(k) * weight
                influence[i] = k if k > influence[i] else influence[i]
        else:
            for i in range(N):
                row[i] -= factor * v[i]
