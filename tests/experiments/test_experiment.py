"""Experiments with counted lies: what the policy is told, what is clipped, and what makes two of them different."""

from dataclasses import replace

import numpy as np
import pytest

from unswayed import UnswayedError
from unswayed.core.tampering.clipping import radius
from unswayed.experiments import experiment as module
from unswayed.experiments.experiment import Experiment
from unswayed.experiments.settings import PolicySettings
from unswayed.experiments.store import COLUMNS

LIES = Experiment("f1", "influence-ucb", "spikes-hide", None, lies=10, horizon=500)


def told(experiment, monkeypatch):
    """The policy that an experiment makes, and what it hands to `simulate`."""
    seen = {}

    def spy(problem, policy, attack, **known):
        seen.update(known, policy=policy, attack=attack)
        return simulate(problem, policy, attack, **known)

    simulate = module.simulate
    with monkeypatch.context() as patch:
        patch.setattr(module, "simulate", spy)
        experiment.run(seed=0)
    return seen


def test_lies_are_a_budget_after_clipping_and_delta_is_shared(monkeypatch):
    seen = told(LIES, monkeypatch)
    B, r = LIES.instance.norm, radius(0.02, 500, 0.025)
    assert seen["clip"] == (pytest.approx(-B - r), pytest.approx(B + r))
    assert seen["policy"].corruption_budget == LIES.believed == pytest.approx(10 * (2 * B + 2 * r))
    assert seen["policy"].delta == 0.025
    assert (seen["lies"], seen["budget"]) == (10, None)


def test_known_bounds_and_norms_move_the_range():
    low, high = replace(LIES, low=-3, high=4).honest.low, replace(LIES, low=-3).honest.high
    assert (low, high) == (-3.0, pytest.approx(LIES.instance.norm))
    assert replace(LIES, settings=PolicySettings(norm=20.0)).honest.high == pytest.approx(20.0)


def test_without_clipping_the_policy_is_the_same(monkeypatch):
    seen = told(replace(LIES, clip=False), monkeypatch)
    assert seen["clip"] == (-np.inf, np.inf)
    assert seen["policy"].corruption_budget == LIES.believed
    assert seen["policy"].delta == 0.025


def test_a_policy_that_trims_is_told_the_counts_and_all_of_delta(monkeypatch):
    seen = told(replace(LIES, policy="trimmed-pe", sources=30, liars=2), monkeypatch)
    policy = seen["policy"]
    assert (policy.lies, policy.sources, policy.liars, policy.delta) == (10, 30, 2, 0.05)
    assert seen["clip"] == (-np.inf, np.inf)


def test_a_policy_that_weighs_sees_every_reward_as_it_is(monkeypatch):
    assert LIES.clipped
    assert not replace(LIES, clip=False).clipped
    for policy in ("rcgp-ucb", "a2-rcgp-ucb"):
        weighs = replace(LIES, policy=policy, horizon=20)
        assert not weighs.clipped
        assert told(weighs, monkeypatch)["clip"] == (-np.inf, np.inf)


def test_liars_leave_the_others_their_budget(monkeypatch):
    seen = told(Experiment("f1", "gp-ucb", "liar", 30, sources=4, liars=1, horizon=200), monkeypatch)
    assert (seen["budget"], seen["sources"], seen["liars"]) == (None, 4, 1)


def test_every_field_makes_another_fingerprint_and_another_identity():
    trimmed = replace(LIES, policy="trimmed-pe")
    changes = [{"lies": 11}, {"low": -30.0}, {"high": 30.0}, {"clip": False}]
    others = [LIES, *(replace(LIES, **change) for change in changes)]
    others += [trimmed, replace(trimmed, sources=9, liars=1), replace(trimmed, sources=9, liars=2)]
    assert len({other.fingerprint(0) for other in others}) == len(others)
    assert len({str(sorted(other.identity(0).items(), key=str)) for other in others}) == len(others)


def test_rows_fit_the_table_of_runs():
    row = replace(LIES, policy="trimmed-pe", horizon=5000).row(0)
    assert row.keys() == COLUMNS.keys()
    assert (row["lies"], row["lies_spent"], row["budget"], row["attack_budget"]) == (10, 10, None, None)


def test_what_the_adversary_has_in_words():
    trimmed = replace(LIES, policy="trimmed-pe")
    assert str(LIES) == "influence-ucb on f1 under spikes-hide (immediate, 10 lies)"
    assert replace(LIES, lies=1).threat == "1 lie"
    assert replace(trimmed, sources=9, liars=2).threat == "10 lies and 2 of 9 sources lie"
    assert Experiment("f1", "gp-ucb", "flip", 5).threat == "C = 5"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"budget": 3.0}, "in place of a budget"),
        ({"lies": 501}, "at most 500"),
        ({"lies": 2.5}, "whole"),
        ({"low": 1.0, "high": 1.0}, "below the highest"),
        ({"sources": 3, "liars": 1}, "only trimmed-pe"),
        ({"lies": None}, "--attack-budget"),
        ({"lies": None, "budget": 1.0, "clip": False}, "--no-clip"),
        ({"policy": "trimmed-pe", "lies": None}, "trimmed-pe needs --lies"),
        ({"policy": "trimmed-pe", "lies": None, "budget": 1.0}, "trimmed-pe has no budget"),
    ],
)
def test_contradictions_are_refused(change, reason):
    with pytest.raises(UnswayedError, match=reason):
        replace(LIES, **change)
