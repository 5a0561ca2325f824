"""Votes of one voter depend on each other: what is luck, who is suspected, and what is said of level votes."""

import numpy as np
import pytest

import unswayed as uw
from unswayed.judgement.verdict import Verdict


def people(seed, theta, number, voters, tastes, uneven=None):
    """The audit of honest votes by people whose tastes differ."""
    rng = np.random.default_rng(seed)
    size = len(theta)
    liked = np.asarray(theta) + tastes * rng.normal(size=(voters, size))
    often = None if uneven is None else rng.dirichlet(np.full(voters, uneven))
    who = rng.choice(voters, number, p=often)
    a = rng.integers(size, size=number)
    b = (a + rng.integers(1, size, size=number)) % size
    wins = rng.random(number) < 1 / (1 + np.exp(liked[who, b] - liked[who, a]))
    return uw.audit_votes(a, b, np.where(wins, "left", "right"), voters=who)


@pytest.mark.parametrize(
    ("votes", "rival"),
    [
        ([("a", "b", "a", "x"), ("a", "b", "b", "x"), ("a", "b", "a", "y"), ("a", "b", "b", "y")], "b"),
        ([("a", "b", "tie", "x"), ("a", "b", "tie", "y")], "b"),
        ([("a", "b", "tie", f"v{i}") for i in range(20)] + [("c", "a", "tie", f"v{i}") for i in range(20)], "c"),
    ],
)
def test_level_votes_with_voters_are_level(votes, rival):
    left, right, winner, voters = zip(*votes, strict=True)
    for named in (voters, None):
        found = uw.audit_votes(left, right, winner, voters=named)
        assert found.verdict == "too early"
        assert f"a and {rival} are level" in str(found)
        assert f"{rival} is level already." in str(found)
        assert "forged" not in str(found)
        found.explain()
        found.plot()


def test_a_lead_of_few_voters_with_tastes_is_seldom_more_than_chance():
    early = [people(seed, [0, 0], 300, 4, 1.0).verdict == Verdict.EARLY for seed in range(60)]
    assert sum(early) >= 50


def test_a_lead_that_rests_on_one_diligent_voter_is_seldom_more_than_chance():
    early = [people(seed, [0, 0], 300, 8, 1.0, uneven=0.3).verdict == Verdict.EARLY for seed in range(60)]
    assert sum(early) >= 50


@pytest.mark.parametrize(
    ("theta", "number", "voters"), [([0, 0, -1], 800, 20), ([0, 0], 600, 20), ([0, 0], 1_200, 12), ([0, 0], 300, 8)]
)
def test_tastes_are_no_forgery(theta, number, voters):
    assert not any(people(seed, theta, number, voters, 1.0).suspects for seed in range(20))


def test_a_clear_lead_is_told_though_voters_count_together():
    assert people(0, [2, 0], 400, 8, 0.3).verdict == Verdict.YES


def test_few_voters_cannot_be_told_to_be_false():
    found = people(0, [1, 0], 300, 5, 0.0)
    assert found.evidence.sentence == "Nobody can be told to be false: only 5 voters chose an option."
    assert people(0, [1, 0], 300, 6, 0.0).evidence.sentence == "No voter looks wrong."


def test_one_voter_does_not_speak_for_others():
    found = people(0, [2, 0], 200, 1, 0.0)
    assert "All votes are of one voter" in found.luck.sentence


def test_the_named_liars_belong_to_the_rival_of_the_sentence():
    """One voter with eight votes decides about o1; about o2, the closest, it takes more."""
    rng = np.random.default_rng(63)
    options, number, voters = (int(rng.integers(*ends)) for ends in ((2, 6), (1, 60), (1, 8)))
    a = rng.integers(0, options, number)
    b = (a + rng.integers(1, options, number)) % options
    theta = rng.normal(0, rng.choice([0, 0.5, 5]), options)
    said = np.where(rng.random(number) < 1 / (1 + np.exp(theta[b] - theta[a])), "left", "right").astype(object)
    said[rng.random(number) < rng.choice([0, 0.3, 1], p=[0.6, 0.3, 0.1])] = "tie"
    rng.random()
    who = [f"v{x}" for x in rng.integers(0, voters, number)]
    found = uw.audit_votes([f"o{x}" for x in a], [f"o{x}" for x in b], list(said), voters=who)
    assert [found.describe(rival.option) for rival in found.rivals[:2]] == ["o2", "o1"]
    assert found.rivals[0].voters.most == 2
    assert "would let o2 catch up; the 8 votes of voter v1 alone would let o1 catch up." in found.robustness.sentence


def test_numbers_say_of_what():
    found = people(0, [1, 0, -1], 300, 10, 0.0)
    assert "forged votes: " in found.explain()
    assert "votes left out: " in found.explain()
    assert "lying voters: " in found.explain()
    assert "expected to win" in str(found)
    assert "probability at most" in str(found) or "below" in str(found)


def test_an_option_that_divides_voters_makes_them_no_liars():
    suspects = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        liked = np.linspace(0.5, -0.5, 8) + np.where(np.arange(8) == 1, 1.5, 0.2) * rng.normal(size=(40, 8))
        who, a = rng.integers(40, size=4_000), rng.integers(8, size=4_000)
        b = (a + rng.integers(1, 8, size=4_000)) % 8
        wins = rng.random(4_000) < 1 / (1 + np.exp(liked[who, b] - liked[who, a]))
        suspects += bool(uw.audit_votes(a, b, np.where(wins, "left", "right"), voters=who).suspects)
    assert suspects <= 1


def test_errors_do_not_depend_on_a_small_prior():
    who = np.arange(400) % 50
    said = np.where(np.random.default_rng(0).random(400) < 0.6, "left", "right")
    sizes = [
        uw.audit_votes(["a", "b"] * 200, ["b", "c"] * 200, said, voters=who, ridge=ridge).scores.deviation(0)
        for ridge in (1e-3, 1e-12)
    ]
    np.testing.assert_allclose(*sizes, rtol=1e-3)
