"""Simulated arenas: voters of very different diligence, tastes of their own, and liars."""

from __future__ import annotations

import numpy as np

from unswayed.audits.votes.data import LEFT, RIGHT, TIE, VoteData


def arena(rng: np.random.Generator, liars: str = "", *, tastes: float = 0.0) -> tuple[VoteData, set[int], int]:
    """The votes, the liars among the voters, and the best option.

    Args:
        rng: Draws.
        liars: "clique" promotes one option, "left" always says left, "random" says anything; by default nobody lies.
        tastes: By how much honest voters differ, in units of scores.
    """
    options, number = int(rng.integers(20, 61)), int(np.exp(rng.uniform(np.log(2_000), np.log(50_000))))
    theta = rng.normal(0, rng.uniform(0.3, 1.0), options)
    voters = max(20, int(number / rng.uniform(10, 80)))
    diligence = rng.pareto(1.5, voters) + 1
    voter = rng.choice(voters, number, p=diligence / diligence.sum())
    liked = theta + tastes * rng.normal(size=(voters, options))
    a, b = pairs(rng, options, number)
    wins = rng.random(number) < 1 / (1 + np.exp(liked[voter, b] - liked[voter, a] - rng.normal(0, 0.05)))
    said = np.where(rng.random(number) < 0.15, TIE, np.where(wins, LEFT, RIGHT))
    bad: set[int] = set()
    if liars == "random":
        bad = set(rng.choice(voters, voters // 20, replace=False).tolist())
        theirs = np.isin(voter, list(bad))
        said[theirs] = rng.integers(2, size=theirs.sum())
    elif liars:
        more = number // 20
        a2, b2 = pairs(rng, options, more)
        said2, who = np.full(more, LEFT), np.full(more, voters)
        if liars == "clique":
            loved = int(np.argsort(-theta)[rng.integers(1, options // 2)])
            left, other = rng.random(more) < 0.5, np.where(a2 == loved, b2, a2)
            a2, b2, said2 = np.where(left, loved, other), np.where(left, other, loved), np.where(left, LEFT, RIGHT)
            who = voters + np.arange(more) // int(rng.integers(20, 80))
        a, b, said = np.append(a, a2), np.append(b, b2), np.append(said, said2)
        voter, bad = np.append(voter, who), set(who.tolist())
    names, people = tuple(f"m{i}" for i in range(options)), tuple(f"v{i}" for i in range(int(voter.max()) + 1))
    return VoteData(names, a, b, said, np.ones(len(a), dtype=np.int64), people, voter, True), bad, int(theta.argmax())


def pairs(rng: np.random.Generator, options: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Different options, drawn."""
    a = rng.integers(options, size=number)
    return a, (a + rng.integers(1, options, size=number)) % options
