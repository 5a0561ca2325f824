from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from tests.core.votes.brute_force import all_answers, level

from unswayed.core.votes import fit, lead, voters
from unswayed.core.votes.voters import Ballots

MOST_VOTES = 6  # of liars whose answers are all tried


def drawn(seed: int) -> tuple[Ballots, int]:
    """Ballots, and how many options there are."""
    rng = np.random.default_rng(seed)
    options, number = int(rng.integers(2, 5)), int(rng.integers(4, 11))
    pairs = np.array([rng.choice(options, 2, replace=False) for _ in range(number)])
    swap = rng.random(number) > 1 / (1 + np.exp(pairs[:, 0] - pairs[:, 1]))
    pairs[swap] = pairs[swap][:, ::-1]
    tie = (rng.random(number) < 0.15).astype(np.int64)
    voter = rng.integers(rng.integers(2, 6), size=number)
    return Ballots(pairs[:, 0], pairs[:, 1], tie, voter, np.ones(number, dtype=np.int64)), options


def can(ballots: Ballots, options: int, liars: tuple[int, ...], leader: int, rival: int) -> bool:
    """Whether these voters can bring the rival level, by trying all that they may say."""
    theirs = np.flatnonzero(np.isin(ballots.voter, liars))
    assert len(theirs) <= MOST_VOTES
    for said in all_answers(len(theirs)):
        over, under, tie = ballots.over.copy(), ballots.under.copy(), ballots.tie.copy()
        for row, answer in zip(theirs, said, strict=True):
            tie[row] = answer == 2
            if answer == 1:
                over[row], under[row] = under[row], over[row]
        changed = replace(ballots, over=over, under=under, tie=tie).counted(options)
        if level(changed, leader, rival, 0.1):
            return True
    return False


def check(seeds: range) -> int:
    """Compare with trying all; how many were compared."""
    compared = 0
    for seed in seeds:
        ballots, options = drawn(seed)
        theta = fit(ballots.counted(options).wins)
        leader = int(np.argmax(theta))
        rival = int(np.argsort(-theta)[1])
        found = voters(ballots, lead(ballots.counted(options).wins, leader, rival))
        everybody = sorted(set(ballots.voter.tolist()))
        for number in range(len(everybody) + 1):
            groups = list(combinations(everybody, number))
            if any(np.isin(ballots.voter, group).sum() > MOST_VOTES for group in groups):
                break
            compared += 1
            if any(can(ballots, options, group, leader, rival) for group in groups):
                assert found.least <= number, seed
                break
            assert found.most is None or found.most > number, seed
    return compared


@pytest.mark.parametrize("first", range(0, 20, 5))
def test_no_fewer_voters_than_counted_are_enough(first: int) -> None:
    assert check(range(first, first + 5)) > 0


@pytest.mark.slow
def test_two_hundred_tables_by_trying_all_voters() -> None:
    check(range(1_000, 1_200))


def test_a_voter_with_many_votes_is_named_first() -> None:
    over, under = np.array([0, 0, 0, 0, 1]), np.array([1, 1, 1, 1, 0])
    voter = np.array([0, 0, 0, 1, 1])
    ballots = Ballots(over, under, np.zeros(5, dtype=np.int64), voter, np.ones(5, dtype=np.int64))
    found = voters(ballots, lead(ballots.counted(2).wins, 0, 1))
    assert (found.least, found.most, found.voters) == (1, 1, (0,))
