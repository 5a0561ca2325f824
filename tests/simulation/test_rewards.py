"""Counted lies, liars and clipping in the simulator: both loops, blocks against single plays, and clipped noise."""

from itertools import pairwise

import numpy as np
import pytest

from unswayed import Query, UnswayedError, simulate
from unswayed.adversaries import Flip, NoAttack, Strongest, immediately
from unswayed.experiments.registry import STARTS, make_attack, make_policy, make_start
from unswayed.problems import f1, table
from unswayed.simulation.game import Game
from unswayed.simulation.ledger import Ledger
from unswayed.simulation.rewards import draw


@pytest.fixture(scope="module")
def problem():
    return f1()


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("threat", [{"lies": 5}, {"lies": 5, "clip": (-3.0, 3.0)}, {"sources": 4, "liars": 1}])
@pytest.mark.parametrize("policy", ["gp-ucb", "rgp-ucb", "influence-ucb"])
def test_compiled_and_plain_loop_are_identical(problem, policy, threat, start):
    learner, attack = make_policy(policy, problem, 15.0, 700), make_attack("top-3", problem)
    common = {"horizon": 700, "seed": 4, "start": make_start(start), **threat}
    fast, plain = (simulate(problem, learner, attack, fast=fast, **common) for fast in (True, False))
    assert np.array_equal(fast.arms, plain.arms)
    assert np.array_equal(fast.repeats, plain.repeats)
    assert np.allclose(fast.rewards, plain.rewards, atol=1e-9)
    assert np.allclose(fast.spent, plain.spent, atol=1e-9)
    assert fast.lies_spent == plain.lies_spent


def test_the_compiled_loops_count_on_where_a_chunk_ends(problem, monkeypatch):
    for policy, module in (("gp-ucb", "compiled"), ("influence-ucb", "compiled_influence")):
        learner = make_policy(policy, problem, 15.0, 700)
        for threat in ({"lies": 30}, {"sources": 3, "liars": 1}):
            whole = simulate(problem, learner, Flip(), horizon=700, seed=2, **threat)
            with monkeypatch.context() as patch:
                patch.setattr(f"unswayed.simulation.{module}.ROUNDS_AT_ONCE", 17)
                parts = simulate(problem, learner, Flip(), horizon=700, seed=2, **threat)
            assert np.array_equal(whole.arms, parts.arms)
            assert whole.lies_spent == parts.lies_spent
            assert whole.corruption_spent == pytest.approx(parts.corruption_spent)


@pytest.mark.parametrize("policy", ["gp-ucb", "rgp-pe"])
def test_never_more_lies_than_there_are(problem, policy):
    for lies in (0, 1, 10, 600):
        learner = make_policy(policy, problem, 5.0, 600)
        run = simulate(problem, learner, Flip(), lies=lies, horizon=600, seed=0)
        assert run.lies_spent == min(lies, 600)
        assert run.summary()["lies_spent"] == run.lies_spent
    assert simulate(problem, learner, NoAttack(), budget=1.0, horizon=50, seed=0).lies_spent is None
    assert simulate(problem, learner, Flip(), sources=3, liars=1, horizon=50, seed=0).lies_spent == 0


@pytest.mark.parametrize("policy", ["gp-ucb", "rgp-pe"])
def test_a_liar_lies_in_every_play_of_its_own(policy):
    flat = table([[0.0], [9.0]], [1.0, 0.5], kernel=f1().kernel, noise_std=0.0)
    learner = make_policy(policy, flat, 5.0, 90)
    run = simulate(flat, learner, Flip(), sources=3, liars=1, horizon=90, seed=0)
    bounds = np.concatenate([[0], np.cumsum(run.repeats)])
    by_liar = [np.sum(np.arange(a, b) % 3 == 0) for a, b in pairwise(bounds)]
    expected = flat.f[run.arms] * (run.repeats - 2 * np.array(by_liar))
    assert np.allclose(run.rewards, expected)


def game_of(noise_std, lies, seed, clip):
    two = table([[0.0], [9.0]], [0.3, 0.0], kernel=f1().kernel, noise_std=noise_std)
    return Game(two, NoAttack(), immediately, Ledger(lies=lies), 100, seed, lambda plays: None, clip)


def test_a_clipped_block_is_clipped_play_by_play():
    """The mean and variance of a block with q clipped lies are those of its plays, drawn one by one."""
    sigma, n, q, c, clip = 0.5, 6, 2, -1.0, (-0.9, 2.5)
    query, wanted = Query([0], [n]), np.array([c, 0.0])
    blocks = [draw(game_of(sigma, q, seed, clip), query, wanted, phased=True)[0][0, 0] for seed in range(4000)]
    plays = 0.3 + sigma * np.random.default_rng(0).standard_normal((40_000, n))
    plays[:, :q] = np.clip(plays[:, :q] + c, *clip)
    single = plays.mean(axis=1)
    assert np.mean(blocks) == pytest.approx(single.mean(), abs=4 * single.std() / np.sqrt(4000))
    assert np.std(blocks) == pytest.approx(single.std(), rel=0.05)
    unclipped = 0.3 + q * c / n
    assert abs(np.mean(blocks) - unclipped) > 0.015  # clipping is seen by this test


def test_a_block_of_lies_alone_keeps_none_of_its_noise():
    """All plays are clipped to the same value, so the noises of the single plays must add up to that of the block."""
    means, spent = draw(game_of(0.5, 5, 0, (-2.0, 2.0)), Query([0], [5]), np.array([1e6, 0.0]), phased=True)
    assert means[0, 0] == pytest.approx(2.0, abs=1e-12)
    assert spent[0] == 5e6


def test_honest_rewards_keep_every_digit_in_a_clipped_run(problem):
    learner = make_policy("rgp-pe", problem, 5.0, 500)
    honest = simulate(problem, learner, NoAttack(), lies=0, horizon=500, seed=3)
    clipped = simulate(problem, learner, NoAttack(), lies=0, clip=(-9.0, 9.0), horizon=500, seed=3)
    assert np.array_equal(honest.rewards, clipped.rewards)


def test_groups_have_the_noise_of_their_means():
    z = []
    for seed in range(60):
        means, _ = draw(game_of(0.5, 0, seed, (-np.inf, np.inf)), Query([1], [20], groups=5), np.zeros(2), phased=True)
        assert means.shape == (5, 1)
        z.extend(means[:, 0] / (0.5 / np.sqrt(4)))
    assert np.std(z) == pytest.approx(1.0, abs=0.12)


def test_bad_input_is_refused(problem):
    learner, common = make_policy("gp-ucb", problem, 5.0, 50), {"horizon": 50, "seed": 0}
    for change, reason in (
        ({}, "either a budget"),
        ({"budget": 1.0, "clip": (-1.0, 1.0)}, "counted lies"),
        ({"lies": 1, "clip": (1.0, -1.0)}, "range from 1 to -1"),
        ({"sources": 2, "liars": 3}, "liars"),
    ):
        with pytest.raises(UnswayedError, match=reason):
            simulate(problem, learner, NoAttack(), **common, **change)
    with pytest.raises(UnswayedError, match="finite"):
        simulate(problem, learner, Strongest(), lies=3, **common)
