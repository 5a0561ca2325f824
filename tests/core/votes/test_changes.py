from __future__ import annotations

import numpy as np
import pytest
from tests.core.votes.brute_force import fewest, level, some_votes

from unswayed.core.votes import Votes, dropped, fit, flipped, lead, leads
from unswayed.core.votes.changes import moved


def drawn(seed: int) -> tuple[Votes, int, int, float]:
    """Votes, their leader, a rival, and a ridge."""
    rng = np.random.default_rng(seed)
    options = int(rng.integers(2, 5))
    votes, ridge = (
        some_votes(rng, options, int(rng.integers(4, 9 if options == 4 else 12))),
        float(rng.choice([0.05, 1])),
    )
    leader = int(np.argmax(fit(votes.wins, ridge)))
    return votes, leader, int(rng.choice(np.delete(np.arange(options), leader))), ridge


def check(seeds: range, *, drop: bool) -> int:
    """Compare with trying all; how many brackets are exact."""
    exact = 0
    for seed in seeds:
        votes, leader, rival, ridge = drawn(seed)
        found = lead(votes.wins, leader, rival, ridge=ridge)
        bracket = (dropped if drop else flipped)(votes, found, ridge=ridge)
        most = votes.total if bracket.most is None else bracket.most
        number = fewest(votes, leader, rival, ridge, drop=drop, most=most)
        assert (number is None) == (bracket.most is None), seed
        if number is not None:
            assert bracket.least <= number <= most, seed
        if not drop and votes.won[leader, rival] >= found.least:
            assert bracket.exact, seed
        exact += bracket.exact
    return exact


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_no_fewer_flips_than_counted_are_enough(first: int) -> None:
    assert check(range(first, first + 10), drop=False) >= 8


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_the_number_of_dropped_votes_is_within_its_bracket(first: int) -> None:
    check(range(first, first + 10), drop=True)


@pytest.mark.slow
def test_five_hundred_tables_by_trying_all_flips() -> None:
    check(range(1_000, 1_500), drop=False)


@pytest.mark.slow
def test_three_hundred_tables_by_trying_all_drops() -> None:
    check(range(2_000, 2_300), drop=True)


@pytest.mark.parametrize("seed", range(20))
def test_no_change_of_one_vote_moves_a_lead_by_more_than_one(seed: int) -> None:
    votes, leader, rival, ridge = drawn(seed)
    before = lead(votes.wins, leader, rival, ridge=ridge).votes
    for a in range(votes.options):
        for b in range(votes.options):
            for change in (1, -1, 0.5):  # added, dropped, half of a tie
                wins = votes.wins
                if a != b and (change > 0 or votes.won[a, b]):
                    wins[a, b] += change
                    assert abs(lead(wins, leader, rival, ridge=ridge).votes - before) <= 1 + 1e-9
                if a != b and votes.won[a, b]:  # the other one is preferred
                    wins = votes.wins
                    wins[a, b] -= 1
                    wins[b, a] += 1
                    assert abs(lead(wins, leader, rival, ridge=ridge).votes - before) <= 1 + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_the_plan_brings_the_rival_level_and_one_vote_less_does_not(seed: int) -> None:
    votes, leader, rival, ridge = drawn(seed)
    bracket = flipped(votes, lead(votes.wins, leader, rival, ridge=ridge), ridge=ridge)
    if bracket.most is None:
        return
    for move in bracket.plan:
        assert not level(votes, leader, rival, ridge)
        votes = moved(votes, move, drop=False)
    assert level(votes, leader, rival, ridge)


def test_direct_votes_count_one_each_and_leave_the_fit_as_it_is() -> None:
    votes = some_votes(np.random.default_rng(5), 5, 300)
    theta = fit(votes.wins)
    leader, rival = (int(i) for i in np.argsort(-theta)[:2])
    before = lead(votes.wins, leader, rival)
    wins = votes.wins
    wins[leader, rival] -= 2
    wins[rival, leader] += 2
    after = lead(wins, leader, rival)
    assert after.votes == pytest.approx(before.votes - 2, abs=1e-8)
    np.testing.assert_allclose(after.scores, before.scores, atol=1e-9)


def test_all_rivals_at_once_are_as_one_by_one() -> None:
    wins = some_votes(np.random.default_rng(6), 9, 500).wins
    together = leads(wins, 0, np.arange(1, 9))
    for found in together:
        alone = lead(wins, 0, found.rival)
        assert found.votes == pytest.approx(alone.votes, abs=1e-7)
        np.testing.assert_allclose(found.scores, alone.scores, atol=1e-8)
    theta = fit(wins)
    assert [found.votes > 0 for found in together] == [bool(theta[0] > theta[found.rival]) for found in together]
