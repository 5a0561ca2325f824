"""The rewards of a query: truth, noise and corruption. A block of plays of one arm is drawn in closed form.

    f    value of the arm        n   plays of it in a group        q   of these, the changed ones
    W    sum of the n noises     e   noise of one changed play     c   what is added to it

One normal number z is enough for a block: W = sigma sqrt(n) z. Clipping looks at single plays, so the noise of the
changed ones is drawn as well, given W: e_i = W/n + sigma (g_i - mean of g), for n independent normal numbers g.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from unswayed.simulation.game import Game
from unswayed.types import FloatArray, IntArray, Query


def draw(game: Game, query: Query, wanted: FloatArray, *, phased: bool) -> tuple[FloatArray, FloatArray]:
    """Play a query while the adversary wants `wanted` for one play of each arm.

    Honest plays of a block are not clipped: they lie in the range, except with the probability that it allows for.

    Returns:
        The mean reward of each arm, one row for each group, and the corruption of each arm.
    """
    arms = query.arms
    G = query.groups
    f = game.problem.f[arms]
    sigma = game.problem.noise_std
    n = query.repeats // G
    firsts = game.done + np.cumsum(query.repeats) - query.repeats
    blocks = [
        game.ledger.change(float(wanted[arm]), int(plays), int(first), G)
        for arm, plays, first in zip(arms, query.repeats, firsts, strict=True)
    ]
    c, changed = (np.column_stack(parts) for parts in zip(*blocks, strict=True))
    # Phased policies draw a number for each arm, index policies one for each round, so that the noise does not depend
    # on the attack.
    if G > 1:
        z = game.noise_rng.standard_normal((G, len(arms)))
    elif phased:
        z = game.noise_rng.standard_normal(game.problem.n_arms)[arms][None]
    else:
        z = game.noise_rng.standard_normal(1)[None]
    if game.clip == (-inf, inf):
        seen = c
    elif phased:
        seen = _clipped(game, f, sigma * z * np.sqrt(n), n, changed, wanted[arms])
    else:
        honest = f + sigma * z
        seen = np.clip(honest + c, *game.clip) - honest
    return f + sigma * z / np.sqrt(n) + seen / n, np.abs(c).sum(axis=0)


def _clipped(
    game: Game, f: FloatArray, W: FloatArray, n: IntArray, changed: IntArray, wanted: FloatArray
) -> FloatArray:
    """What the changed plays add to the sum of each block, after clipping."""
    added = np.zeros(W.shape)
    for group, arm in np.argwhere(changed):
        q = changed[group, arm]
        plays = n[arm]
        g = game.lies_rng.standard_normal(q + 1)
        mean = (g[:q].sum() + sqrt(plays - q) * g[q]) / plays
        honest = f[arm] + W[group, arm] / plays + game.problem.noise_std * (g[:q] - mean)
        added[group, arm] = np.sum(np.clip(honest + wanted[arm], *game.clip) - honest)
    return added
