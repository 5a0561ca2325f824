"""The compiled loop of GP-UCB and RGP-UCB: the same plays as the plain loop, many times faster.

While the same arm is played, every mean and variance moves along one vector v = k(., arm). After n plays with
rewards that sum to y since the arm was chosen,

    mu_j  = mu0_j + v_j (y - n mu0_arm) / (lam + n s),      s = v_arm
    var_j = var0_j - v_j^2 n / (lam + n s)

So a round costs O(N), and the O(N^2) update of the covariance is made only when the arm changes. Only the lower
triangle of the covariance is kept. An attack that does not read estimates is one vector c over arms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import log, log1p, sqrt

import numba
import numpy as np

from unswayed.adversaries.protocol import immediately
from unswayed.core.design.rare_switching import TIE
from unswayed.policies.gp_ucb import GPUCB, LogDetBeta, Round
from unswayed.simulation.game import Game
from unswayed.simulation.ledger import affordable
from unswayed.types import EPS, FloatArray, IntArray, read_only

ROUNDS_AT_ONCE = 1 << 16  # of one call of the compiled loop: an interrupt waits for its end
# The rule of the plain loop. numba caches compiled code by the date of this file alone. So what it takes from other
# files is recorded here, and a test compares it: when one of them changes, this file must change too.
INLINED = "97badd79601155fa"
charge = numba.njit(cache=True)(affordable)
Blocks = tuple[IntArray, IntArray, FloatArray, FloatArray]  # arm, plays, rewards and corruption of each block


def play(game: Game, policy: GPUCB) -> Round:
    """Play GP-UCB or RGP-UCB; return the final state."""
    problem, first = game.problem, policy.init()
    view = policy.view(first)
    game.check(view)
    wanted = game.wanted(view)
    covariance = np.array(first.posterior.covariance, order="C")
    mean, variance = np.zeros(problem.n_arms), covariance.diagonal().copy()
    # Passed from one call to the next: log det, budget spent, whether the attack is on, lies told.
    carried = np.array([0.0, 0.0, float(game.start is immediately), 0.0])
    counts, totals = np.zeros(problem.n_arms), np.zeros(problem.n_arms)
    for done, noise, room in stretches(game, ROUNDS_AT_ONCE):
        n = _rounds(
            done + 1, noise, problem.f, wanted, rules(game), policy.lam, _beta(policy),
            mean, variance, covariance, carried, room,
        )  # fmt: skip
        arms, repeats, rewards, spent = room[0][:n], room[1][:n], room[2][:n], room[3][:n]
        np.add.at(counts, arms, repeats)
        np.add.at(totals, arms, rewards)
        game.record(arms, repeats, rewards, spent)
    settle(game, float(carried[1]), float(carried[3]))
    lower = np.tril(covariance, -1)
    full = lower + lower.T + np.diag(variance)
    posterior = replace(
        first.posterior,
        mean=read_only(mean),
        covariance=read_only(full),
        counts=read_only(counts),
        weights=read_only((totals - counts * mean) / policy.lam),
        log_det=float(carried[0]),
    )
    return Round(game.horizon + 1, posterior)


def stretches(game: Game, most: int) -> Iterator[tuple[int, FloatArray, Blocks]]:
    """For at most `most` rounds at a time: how many came before, their noise, and room for their blocks."""
    for done in range(0, game.horizon, most):
        rounds = min(most, game.horizon - done)
        noise = game.problem.noise_std * game.noise_rng.standard_normal(rounds)
        arms, repeats = np.empty(rounds, dtype=np.int64), np.empty(rounds, dtype=np.int64)
        yield done, noise, (arms, repeats, np.empty(rounds), np.empty(rounds))


def rules(game: Game) -> FloatArray:
    """What an adversary may do, and the range that rewards are clipped to, as numbers for a compiled loop."""
    ledger = game.ledger
    return np.array([ledger.budget, ledger.lies, ledger.sources, ledger.liars, *game.clip])


def settle(game: Game, spent: float, lies: float) -> None:
    """Write what was done in a compiled loop into the ledger."""
    game.ledger.spent = spent
    if game.ledger.lies_spent is not None:
        game.ledger.lies_spent = int(lies)


def _beta(policy: GPUCB) -> FloatArray:
    """Both betas as base + scale sqrt(offset + a ln t + b log_det), with the enlargement in the base."""
    if isinstance(policy.beta, LogDetBeta):
        scale = policy.beta.noise_std / sqrt(policy.lam)
        offset = 2 * log(1 / policy.beta.delta)
        return np.array([policy.enlargement + policy.beta.norm_bound, scale, offset, 0.0, 1.0])
    return np.array([policy.enlargement, policy.beta.scale, 0.0, 1.0, 0.0])


@numba.njit(cache=True, error_model="numpy")
def _rounds(
    t: int,
    noise: FloatArray,
    f: FloatArray,
    wanted: FloatArray,
    rules: FloatArray,
    lam: float,
    beta: FloatArray,
    mean: FloatArray,
    variance: FloatArray,
    covariance: FloatArray,
    carried: FloatArray,
    room: Blocks,
) -> int:
    """Play rounds t, t+1, ... with the given noise; fill the blocks and return their number."""
    N = len(f)
    arms, repeats, rewards, spent = room
    log_det, paid, attacking, told = carried[0], carried[1], carried[2] > 0, carried[3]
    budget, lies, sources, liars, lowest, highest = rules[0], rules[1], rules[2], rules[3], rules[4], rules[5]
    upper, sigma, v = np.empty(N), np.empty(N), np.zeros(N)
    arm, n, y, s, blocks = -1, 0, 0.0, 0.0, 0
    for r in range(len(noise)):
        block_log_det = log_det + log1p(n * s / lam)
        factor = beta[0] + beta[1] * sqrt(beta[2] + beta[3] * log(t + r) + beta[4] * block_log_det)
        along = (y - n * mean[arm]) / (lam + n * s) if n > 0 else 0.0
        shrink = n / (lam + n * s)
        for j in range(N):  # no reductions in this loop, so that it is vectorised
            sigma[j] = sqrt(max(variance[j] - v[j] * v[j] * shrink, EPS))
            upper[j] = mean[j] + v[j] * along + factor * sigma[j]
        largest, widest = upper[0], sigma[0]
        for j in range(1, N):
            largest = max(largest, upper[j])
            widest = max(widest, sigma[j])
        if not attacking:  # "later": an upper bound lies strictly below the largest lower bound
            largest_lower, smallest = -np.inf, np.inf
            for j in range(N):
                largest_lower = max(largest_lower, 2 * (mean[j] + v[j] * along) - upper[j])
                smallest = min(smallest, upper[j])
            attacking = smallest < largest_lower
        threshold = largest - TIE * factor * widest
        chosen = 0
        while upper[chosen] < threshold:
            chosen += 1
        if chosen != arm:
            if n > 0:
                _fold(mean, variance, covariance, v, along, shrink)
            log_det = block_log_det
            arm, n, y = chosen, 0, 0.0
            for j in range(arm):
                v[j] = covariance[arm, j]
            for j in range(arm + 1, N):
                v[j] = covariance[j, arm]
            v[arm] = variance[arm]
            s = max(v[arm], 0.0)
            arms[blocks], repeats[blocks], rewards[blocks], spent[blocks] = arm, 0, 0.0, 0.0
            blocks += 1
        c, liar = 0.0, (t + r - 1) % sources < liars
        if attacking and paid < budget and (liar or told < lies):
            c = charge(wanted[arm], 1, budget, paid)
            paid += abs(c)
            told += 1.0 if c != 0 and not liar else 0.0
        reward = min(max(f[arm] + noise[r] + c, lowest), highest)
        n += 1
        y += reward
        repeats[blocks - 1] += 1
        rewards[blocks - 1] += reward
        spent[blocks - 1] += abs(c)
    _fold(mean, variance, covariance, v, (y - n * mean[arm]) / (lam + n * s), n / (lam + n * s))
    carried[0], carried[1], carried[2] = log_det + log1p(n * s / lam), paid, 1.0 if attacking else 0.0
    carried[3] = told
    return blocks


@numba.njit(cache=True, error_model="numpy")
def _fold(
    mean: FloatArray, variance: FloatArray, covariance: FloatArray, v: FloatArray, along: float, shrink: float
) -> None:
    """Write the finished block into mean, variance and the covariance below the diagonal."""
    for j in range(len(v)):
        weight = v[j] * shrink
        mean[j] += v[j] * along
        variance[j] -= v[j] * weight
        row = covariance[j]
        for i in range(j):
            row[i] -= weight * v[i]
