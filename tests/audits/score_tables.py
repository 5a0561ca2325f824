"""Honest tables of scores, as users have them: right and wrong, shares, grades by judges."""

from __future__ import annotations

import numpy as np

from unswayed.audits.scores.data import ScoreData, collect

KINDS = ("binary", "shares", "grades")


def table(
    rng: np.random.Generator, kind: str, *, equal: bool = False, promoted: float = 0.0, sizes: tuple[int, int] = (0, 0)
) -> ScoreData:
    """An honest table; `equal`: the two best are; `promoted`: by how much the last judge favours the worst option."""
    options = sizes[0] or int(rng.integers(2, 21))
    items = sizes[1] or int(np.exp(rng.uniform(np.log(30), np.log(2_000))))
    skill = rng.normal(0, rng.uniform(0.1, 1.0), options)
    if equal:
        skill[np.argsort(-skill)[1]] = skill.max()
    hard, special = rng.normal(0, 1.2, items), rng.normal(0, rng.uniform(0, 1), (options, items))
    logit = skill[:, None] - hard + special
    if kind == "binary":
        return _long((rng.random((options, items)) < 1 / (1 + np.exp(-logit))).astype(float)[None])
    if kind == "shares":
        share = 1 / (1 + np.exp(-logit - rng.normal(0, 1, (options, items))))
        return _long(np.round(np.where(rng.random((options, items)) < 0.1, 0.0, share), int(rng.integers(2, 5)))[None])
    judges = int(rng.integers(2, 10))
    kind_to, noise = rng.normal(0, 0.5, judges), rng.uniform(0.3, 1.0)
    taste = rng.standard_t(5, (judges, options)) * rng.uniform(0, 0.3)
    taste[-1, np.argmin(skill)] += promoted
    given = logit[None] * 0.6 + 3 + kind_to[:, None, None] + taste[:, :, None]
    return _long(np.clip(np.round(given + rng.normal(0, noise, given.shape)), 1, 5), judged=True)


def _long(scores: np.ndarray, *, judged: bool = False) -> ScoreData:
    judge, option, item = (a.reshape(-1) for a in np.indices(scores.shape))
    names = [f"judge {j}" for j in judge] if judged else None
    return collect(item, [f"option {a}" for a in option], scores.reshape(-1), sources=names)
