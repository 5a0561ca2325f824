"""Votes in small numbers, and the fewest changes by trying all."""

from __future__ import annotations

from itertools import product

import numpy as np

from unswayed.core.votes import Move, Votes, fit
from unswayed.core.votes.changes import moved

LEVEL = 1e-9


def some_votes(rng: np.random.Generator, options: int, number: int, ties: float = 0.15) -> Votes:
    """Votes of a random model."""
    theta, won, tied = rng.normal(size=options), *np.zeros((2, options, options), dtype=np.int64)
    for _ in range(number):
        a, b = rng.choice(options, 2, replace=False)
        if rng.random() < ties:
            tied[a, b] += 1
            tied[b, a] += 1
        elif rng.random() < 1 / (1 + np.exp(theta[b] - theta[a])):
            won[a, b] += 1
        else:
            won[b, a] += 1
    return Votes(won, tied)


def level(votes: Votes, leader: int, rival: int, ridge: float) -> bool:
    """Whether the rival is level or ahead, by a fit of its own."""
    theta = fit(votes.wins, ridge)
    return bool(theta[rival] >= theta[leader] - LEVEL)


def fewest(votes: Votes, leader: int, rival: int, ridge: float, *, drop: bool, most: int) -> int | None:
    """The fewest changes, at most a number, by trying every choice of votes; a tie may take either side."""
    kinds = [(int(a), int(b), False) for a, b in np.argwhere(votes.won)]
    kinds += [(int(a), int(b), True) for a, b in np.argwhere(votes.tied) if not drop or a < b]

    def possible(rest: list[tuple[int, int, bool]], left: int, now: Votes) -> bool:
        if not rest:
            return left == 0 and level(now, leader, rival, ridge)
        a, b, tie = rest[0]
        there = int(now.tied[a, b] if tie else min(votes.won[a, b], now.won[a, b]))
        return any(
            possible(rest[1:], left - k, moved(now, Move(a, b, tie, k), drop=drop) if k else now)
            for k in range(min(left, there), -1, -1)
        )

    return next((k for k in range(most + 1) if possible(kinds, k, votes)), None)


def all_answers(number: int) -> product[tuple[int, ...]]:
    """What may be said about some pairs: one, the other, a tie."""
    return product(range(3), repeat=number)
