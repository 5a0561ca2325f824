"""The liars of the gauntlet: ledgers that hold whoever plays, and the same noise and lies for everybody."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unswayed import InvalidInput, Threat
from unswayed.gauntlet.corruption import CORRUPTIONS, NOISE, SHARE, WORKERS, Game
from unswayed.gauntlet.problems import problem

PROBLEMS = ("branin-2", "mixed-5", "levy-10")
BOUNDED = ("spikes", "dips", "promote", "hide")


def play(game, rows):
    """What a game reports at rows, and the changes by the liar alone."""
    one = game.problem
    told = np.array([game.measure(point) for point in one.space.decode(rows)])
    return told, told - one.truth(one.space.legal(rows)) - game._noise[: len(rows)]


@settings(max_examples=40)
@given(
    st.sampled_from(PROBLEMS), st.sampled_from(BOUNDED), st.integers(1, 80), st.integers(0, 10**6), st.floats(0, 1),
    st.sampled_from([-1, 1]),
)  # fmt: skip
def test_the_ledger_never_exceeds_the_budget_whatever_is_played(name, corruption, plays, seed, greed, sign):
    """Rows of any optimiser: a part of them are the best, or the worst, of many: where hide and promote lie."""
    one = problem(name)
    game = Game(one, corruption, plays, seed)
    rows = one.rows(200, np.random.default_rng(seed))
    extreme = rows[np.argsort(-sign * one.truth(rows))][: len(rows) // 10]
    rng = np.random.default_rng([seed, 1])
    chosen = [extreme[rng.integers(len(extreme))] if rng.random() < greed else rows[i] for i in range(plays)]
    _, changes = play(game, np.array(chosen))
    total = np.abs(changes).sum() / one.range
    assert total <= SHARE * plays * (1 + 1e-9) + 1e-9
    assert game.spent == pytest.approx(total, abs=1e-9)
    assert game.spent <= game.limit
    assert game.lies == (np.abs(changes) > 1e-9 * one.range).sum()
    assert game.threat == Threat(total=SHARE * plays * one.range)


def test_the_last_lie_gets_the_rest_and_then_all_is_true():
    one = problem("branin-2")
    best = np.repeat(one.rows(4000, np.random.default_rng(0))[[0]], 60, axis=0)
    rows = one.rows(4000, np.random.default_rng(0))
    best[:] = rows[np.argmax(one.truth(rows))]
    _, changes = play(game := Game(one, "hide", 60, 0), best)
    lied = np.flatnonzero(np.abs(changes) > 1e-9)
    assert lied.tolist() == list(range(len(lied)))  # from the first play until the budget is gone
    assert np.ptp(changes[lied[:-1]]) < 1e-9
    assert abs(changes[lied[-1]]) < abs(changes[0])
    assert game.spent == game.limit == SHARE * 60


@pytest.mark.parametrize("corruption", CORRUPTIONS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_same_points_are_told_the_same_and_other_seeds_are_not(name, corruption):
    rows = problem(name).rows(60, np.random.default_rng(5))
    one, two, other = (play(Game(problem(name), corruption, 60, seed), rows)[0] for seed in (3, 3, 4))
    assert (one == two).all()
    assert (one != other).all()


def test_noise_is_drawn_by_the_number_of_the_play():
    """Whatever the corruption, the number of plays and the points."""
    one = problem("branin-2")
    noise = [Game(one, corruption, plays, 1)._noise[:40] for corruption in CORRUPTIONS for plays in (40, 200)]
    assert all((noise[0] == other).all() for other in noise)
    assert np.std(Game(one, "none", 5000, 0)._noise) == pytest.approx(NOISE * one.range, rel=0.05)


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_each_liar_does(name):
    one = problem(name)
    rows = one.rows(400, np.random.default_rng(5))
    truth = one.truth(rows)
    changes = {c: play(Game(one, c, 400, 0), rows)[1] for c in CORRUPTIONS}
    lied = {c: np.abs(change) > 1e-9 * one.range for c, change in changes.items()}
    assert not lied["none"].any()
    assert (changes["spikes"][lied["spikes"]] > 0).all()
    assert (changes["dips"][lied["dips"]] < 0).all()
    assert np.abs(changes["spikes"]).max() <= one.range
    promoted = lied["promote"]
    assert truth[promoted].mean() < truth.mean()
    assert (truth + changes["promote"])[promoted][:-1].min() > one.best - 0.2 * one.range
    assert (truth + changes["promote"]).max() <= one.best + 1e-9
    assert not lied["hide"][truth < np.quantile(truth, 0.9)].any()
    worker = np.flatnonzero(lied["worker"]) % WORKERS
    assert len(set(worker.tolist())) == 1
    reported = (truth + changes["worker"])[lied["worker"]]
    assert one.worst <= reported.min() <= reported.max() <= one.best


def test_workers_take_turns_and_are_named():
    game, sources = Game(problem("branin-2"), "worker", 20, 0), []
    for _ in range(20):
        sources.append(game.source)
        game.measure({"x1": 0.5, "x2": 0.5})
    assert sources[:9] == [f"worker {i}" for i in (*range(WORKERS), 0)]
    assert game.threat == Threat(liars=1)
    assert Game(problem("branin-2"), "promote", 20, 0).source is None


def test_the_digest_sees_the_problem_and_the_liar(monkeypatch):
    digests = {Game(problem(n), c, 60, 0).digest() for n in PROBLEMS for c in CORRUPTIONS}
    assert len(digests) == len(PROBLEMS) * len(CORRUPTIONS)
    before = Game(problem("branin-2"), "hide", 60, 0).digest()
    assert before == Game(problem("branin-2"), "hide", 60, 9).digest()
    monkeypatch.setattr("unswayed.gauntlet.corruption.POOR", 0.3)
    assert before != Game(problem("branin-2"), "hide", 60, 0).digest()


def test_an_unknown_corruption_is_refused():
    with pytest.raises(InvalidInput, match="unknown corruption 'rain'"):
        Game(problem("branin-2"), "rain", 20, 0)
