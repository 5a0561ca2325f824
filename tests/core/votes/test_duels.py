"""Evidence for a lead that holds whenever somebody looks, and which duel is next."""

import numpy as np
import pytest
from scipy.stats import binom

from unswayed.core.votes import lead, leads
from unswayed.core.votes.bradley_terry import slope_and_bend
from unswayed.core.votes.duels import has_to_be, information, judges_needed, log_evidence, votes_needed, wanted_evidence


@pytest.mark.parametrize("seed", range(20))
def test_the_information_is_the_conductance_of_the_network(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 7))
    wins = rng.integers(0, 8, (m, m)).astype(float)
    np.fill_diagonal(wins, 0)
    found = leads(wins, 0, np.arange(1, m))
    for one, conductance in zip(found, information(wins, found), strict=True):
        resistances = np.linalg.inv(slope_and_bend(wins, one.scores, 0.1)[1])
        apart = np.eye(m)[0] - np.eye(m)[one.rival]
        assert conductance == pytest.approx(1 / (apart @ resistances @ apart))


def test_of_two_options_it_is_a_quarter_of_their_votes():
    wins = np.array([[0.0, 30.0], [10.0, 0.0]])
    found = leads(wins, 0, np.array([1]), ridge=1e-9)
    assert found[0].votes == pytest.approx(10)
    assert information(wins, found, ridge=1e-9) == pytest.approx([40 / 4], rel=1e-6)


@pytest.mark.parametrize("p", [0.5, 0.4])
def test_evidence_against_level_options_is_exact_for_direct_votes(p):
    """Its mean never exceeds 1, so by Ville's inequality it rarely ever exceeds 1/delta, whoever stops."""
    for n in (1, 2, 5, 20, 100, 1_000):
        wins = np.arange(n + 1)
        mean = binom.pmf(wins, n, p) @ np.exp(log_evidence(wins - n / 2, np.full(n + 1, n / 4)))
        assert mean <= 1


def test_a_random_walk_that_is_watched_all_the_time_seldom_looks_like_a_lead():
    rng, runs, delta = np.random.default_rng(0), 2_000, 0.1
    D = np.cumsum(rng.choice([-0.5, 0.5], (runs, 2_000)), axis=1)
    n = np.arange(1, 2_001)
    ever = (log_evidence(D, n / 4) >= wanted_evidence(1, delta)).any(axis=1)
    assert ever.mean() <= delta / 2 + 0.02  # of two directions, one counts


def test_a_lead_is_certain_where_it_is_as_large_as_it_has_to_be():
    known, wanted = np.array([2.0, 10.0, 400.0]), wanted_evidence(9, 0.05)
    needed = has_to_be(known, wanted, 0, np.zeros(3))
    assert log_evidence(needed, known) == pytest.approx(wanted)
    assert has_to_be(known, wanted, 1_000, np.zeros(3)) == pytest.approx(needed + 1_000)
    assert has_to_be(known, wanted, 0, np.full(3, 1_000.0)) == pytest.approx(1_000.5)


def test_enough_votes_are_enough():
    """If duels go as expected, about so many more of them are needed."""
    wins, k = np.array([[0.0, 20.0], [10.0, 0.0]]), 20
    one = lead(wins, 0, 1)
    needed = votes_needed(np.array([2 / 3]), np.array([k - one.votes]), np.array([-1.0]))[0]
    assert votes_needed(np.array([2 / 3]), np.array([-3.0]), np.array([-1.0]))[0] == 0
    more = wins * (1 + needed / wins.sum())
    assert lead(more, 0, 1).votes == pytest.approx(k, abs=0.1)


def test_liars_need_more_votes_and_enough_judges():
    p, lacking, missing = np.full(3, 0.7), np.full(3, 10.0), np.zeros(3)
    needed = [votes_needed(p, lacking, missing, share).max() for share in (0.0, 0.1, 0.2, 0.3)]
    assert needed == sorted(needed)
    assert np.isfinite(needed[:3]).all()
    assert needed[3] == np.inf  # of three judges one lies
    assert judges_needed(p, 1) == 4
    assert judges_needed(np.array([0.7, 0.58]), 2) == 15
    assert judges_needed(p, 0) == 1
