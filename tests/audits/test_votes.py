"""The audit of votes: what it counts, whom it suspects, and what it refuses."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tests.audits.votes_arenas import arena

import unswayed as uw
from unswayed.audits.votes.audit import audited
from unswayed.audits.votes.data import TIE
from unswayed.core.votes.changes import moved
from unswayed.errors import InvalidInput
from unswayed.judgement.verdict import MOST_COLUMNS, MOST_LINES

TEA = {"left": ["tea"] * 30, "right": ["coffee"] * 30, "winner": ["tea"] * 20 + ["coffee"] * 10}


def many(rng, strengths, number):
    """Votes of a model, as columns."""
    a = rng.integers(len(strengths), size=number)
    b = (a + rng.integers(1, len(strengths), size=number)) % len(strengths)
    wins = rng.random(number) < 1 / (1 + np.exp(strengths[b] - strengths[a]))
    return a, b, np.where(wins, "left", "right")


def test_the_number_of_forged_votes_is_that_of_two_counts():
    found = uw.audit_votes(**TEA)
    assert (found.labels[found.winner], found.forged_votes) == ("tea", 5)
    assert found.rivals[0].dropped.most == 10
    assert "5 forged votes would let coffee catch up" in str(found)


def test_the_plan_of_a_large_table_is_confirmed_by_another_solver():
    rng = np.random.default_rng(0)
    a, b, said = many(rng, np.linspace(0, 1, 6), 3_000)
    found = uw.audit_votes(a, b, said, ridge=1e-9)
    rival = found.rivals[0]
    assert rival.flipped.exact

    def ahead(votes):
        x, y = np.nonzero(votes.wins)
        design = np.zeros((len(x), votes.options))
        design[np.arange(len(x)), x], design[np.arange(len(x)), y] = 1, -1
        both = np.vstack([design, -design])[:, 1:]  # the first score is 0
        outcome, weight = np.repeat([1, 0], len(x)), np.tile(votes.wins[x, y], 2)
        model = LogisticRegression(C=1e12, fit_intercept=False, solver="newton-cholesky", tol=1e-14, max_iter=1000)
        model.fit(both, outcome, sample_weight=weight)
        theta = np.append(0.0, model.coef_[0])
        return theta[rival.option] - theta[found.winner]

    votes = found.data.votes
    (move,) = rival.flipped.plan
    assert ahead(moved(votes, move, drop=False)) >= -1e-6
    fewer = type(move)(move.over, move.under, move.tie, move.number - 1)
    assert ahead(moved(votes, fewer, drop=False)) < 0


@pytest.mark.parametrize("seed", range(6))
def test_honest_arenas_have_no_suspects(seed):
    data, _, _ = arena(np.random.default_rng(seed), tastes=0.3 * (seed % 2))
    assert not audited(data, None, 0.05, 0.1).suspects


@pytest.mark.parametrize("kind", ["clique", "left"])
def test_liars_are_named_and_the_verdict_is_that_without_them(kind):
    right = 0
    for seed in range(5):
        data, bad, _ = arena(np.random.default_rng(100 + seed), kind)
        found = audited(data, None, 0.05, 0.1)
        named = {one.voter for one in found.suspects}
        right += len(named & bad) >= 0.8 * len(bad)
        assert len(named - bad) <= 1
        if found.winner_without_suspects != found.winner:
            assert found.verdict == "no: tampered"
            assert found.labels[found.winner_without_suspects] in str(found)
    assert right >= 4


@pytest.mark.slow
@pytest.mark.parametrize("tastes", [0.0, 0.3])
def test_ranks_cover_and_honest_arenas_are_left_alone(tastes):
    covered = options = alarms = 0
    for seed in range(100):
        rng = np.random.default_rng(5_000 + seed)
        data, _, _ = arena(rng, tastes=tastes)
        found = audited(data, None, 0.05, 0.1)
        alarms += bool(found.suspects)
        theta = np.random.default_rng(5_000 + seed)
        sizes = int(theta.integers(20, 61)), theta.uniform(np.log(2_000), np.log(50_000))
        truth = theta.normal(0, theta.uniform(0.3, 1.0), sizes[0])
        rank = np.argsort(np.argsort(-truth)) + 1
        inside = [low <= rank[i] <= high for i, (low, high) in enumerate(found.ranks)]
        covered, options = covered + sum(inside), options + len(inside)
    assert alarms <= 2
    assert covered >= 0.95 * options


def test_what_is_said_first_is_short_whatever_the_names():
    rng = np.random.default_rng(1)
    a, b, said = many(rng, np.linspace(0, 1, 4), 400)
    names = np.array([f"a very long name of a model, number {i}, " * 5 for i in range(4)])
    for threat in (None, uw.Threat(lies=1), uw.Threat(liars=3), uw.Threat(lies=390)):
        voters = rng.integers(9, size=400)
        lines = str(uw.audit_votes(names[a], names[b], said, voters=voters, threat=threat)).splitlines()
        assert len(lines) <= MOST_LINES
        assert max(map(len, lines)) <= MOST_COLUMNS
        assert lines[0].startswith("Verdict: ")
        assert any(line.startswith("Next: ") for line in lines)


@pytest.mark.parametrize(("lies", "verdict"), [(1, "yes"), (10_000, "no: within the threat")])
def test_the_threat_decides(lies, verdict):
    a, b, said = many(np.random.default_rng(2), np.array([0.0, 2.0]), 2_000)
    assert uw.audit_votes(a, b, said, threat=lies).verdict == verdict


def test_few_votes_are_too_early():
    assert uw.audit_votes(["a"] * 3, ["b"] * 3, ["a"] * 3).verdict == "too early"


def test_an_option_that_always_wins_has_a_finite_score():
    found = uw.audit_votes(["a"] * 40 + ["b"] * 10, ["b"] * 40 + ["c"] * 10, ["a"] * 40 + ["b"] * 10)
    assert found.labels[found.winner] == "a"
    assert np.isfinite(found.scores.theta).all()
    assert found.verdict == "yes"


def test_parts_that_were_never_compared_are_not_ranked():
    found = uw.audit_votes(["a"] * 40 + ["c"] * 40, ["b"] * 40 + ["d"] * 40, ["left"] * 80)
    assert found.verdict == "too early"
    assert "never compared" in found.explain()


def test_what_left_and_right_mean():
    words = ["left", "B", "model_a", "0", "tie (bothbad)", "1.0", "b", "Draw"]
    found = uw.audit_votes(["a"] * 8, ["b"] * 8, words).data
    assert found.said.tolist() == [0, 1, 0, 1, TIE, 0, 1, TIE]


def test_a_table_of_wins_is_the_same_as_its_votes():
    rng = np.random.default_rng(3)
    a, b, said = many(rng, np.linspace(0, 1, 4), 300)
    by_votes = uw.audit_votes(a, b, said)
    order = [by_votes.labels.index(str(i)) for i in range(4)]
    table = uw.audit_wins(range(4), by_votes.data.votes.wins[np.ix_(order, order)])
    assert table.forged_votes == by_votes.forged_votes
    np.testing.assert_allclose(table.scores.theta, by_votes.scores.theta[order], atol=1e-8)


def test_the_record_is_json_and_agrees_with_the_words():
    found = uw.audit_votes(**TEA, threat=uw.Threat(lies=5))
    record = json.loads(json.dumps(found.to_dict()))
    assert record["verdict"] == found.verdict
    assert record["forged_votes"]["least"] == record["forged_votes"]["most"] == 5
    assert record["robustness"]["enough"]


def test_a_side_that_is_preferred_is_noticed():
    a, b, _ = many(np.random.default_rng(4), np.zeros(5), 2_000)
    said = np.where(np.random.default_rng(5).random(2_000) < 0.7, "left", "right")
    assert "left one is preferred in" in uw.audit_votes(a, b, said).explain()
    winners_first = uw.audit_votes(a, b, ["left"] * 2_000)
    assert winners_first.left is None  # columns of winners and losers are no sides


@pytest.mark.parametrize(
    ("left", "right", "winner", "message"),
    [
        ([], [], [], "there are no votes"),
        (["a"], ["a"], ["a"], "row 1 compares a with itself"),
        (["a", "a"], ["b", "b"], ["a", "x"], "row 2: the winner 'x' is neither"),
        (["a"], ["b", "c"], ["a"], "1 left options, 2 right ones"),
    ],
)
def test_votes_that_cannot_be_read_are_refused_in_one_line(left, right, winner, message):
    with pytest.raises(InvalidInput, match=message) as error:
        uw.audit_votes(left, right, winner)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("number", [[-1.0], [0.5], [np.nan], [np.inf], [0.0], [1e300]])
def test_numbers_of_votes_are_whole(number):
    with pytest.raises(InvalidInput):
        uw.audit_votes(["a"], ["b"], ["a"], number=number)


@pytest.mark.parametrize(
    "wins", [[[0, 1], [-1, 0]], [[1, 0], [0, 0]], [[0, 0.5], [0, 0]], [[0, 0.3], [1, 0]], [[0, 0], [0, 0]]]
)
def test_tables_that_are_no_wins_are_refused(wins):
    with pytest.raises(InvalidInput):
        uw.audit_wins(["a", "b"], wins)


def test_a_threat_without_voters_is_refused():
    with pytest.raises(InvalidInput, match="name who voted"):
        uw.audit_votes(**TEA, threat=uw.Threat(liars=1))
