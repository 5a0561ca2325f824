"""Evidence for a lead that holds whenever somebody looks, and which duel is next."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from unswayed.core.votes import lead, leads
from unswayed.core.votes.bradley_terry import slope_and_bend
from unswayed.core.votes.duels import information, log_evidence, votes_needed, wanted_evidence


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


def test_the_rival_that_needs_most_is_close_or_was_hardly_compared():
    wins = np.array([[0, 40, 40, 1], [20, 0, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0]], dtype=float)
    found = leads(wins, 0, np.arange(1, 4))
    D = np.array([one.votes for one in found])
    missing = wanted_evidence(3, 0.05) - log_evidence(D, information(wins, found))
    p = np.array([expit(0.6), expit(2.8), expit(0.8)])
    needed = votes_needed(p, 5 - D, missing)
    assert needed[0] > 0 > needed[1]
    assert needed[2] > 0


def test_enough_votes_are_enough():
    """If duels go as expected, about so many more of them are needed."""
    wins, k = np.array([[0.0, 20.0], [10.0, 0.0]]), 20
    one = lead(wins, 0, 1)
    needed = votes_needed(np.array([2 / 3]), np.array([k - one.votes]), np.array([-1.0]))[0]
    more = wins * (1 + needed / wins.sum())
    assert lead(more, 0, 1).votes == pytest.approx(k, abs=0.1)


def test_liars_need_more_votes_and_never_fewer():
    p, lacking, missing = np.full(3, 0.7), np.full(3, 10.0), np.zeros(3)
    needed = [votes_needed(p, lacking, missing, share).max() for share in (0.0, 0.1, 0.2, 0.5)]
    assert needed == sorted(needed)
    assert np.isfinite(needed).all()
