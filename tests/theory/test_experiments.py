"""What Section 4 reports, at its settings: T = 50,000, the default draws; three trials, at night ten."""

import numpy as np
import pytest

from unswayed import simulate
from unswayed.experiments.instances import make_problem
from unswayed.experiments.registry import PAPER_ATTACKS, make_attack, make_policy

T = 50_000
ATTACKED = [name for name in PAPER_ATTACKS if name != "none"]


@pytest.fixture(scope="module")
def instances():
    return {name: make_problem(name) for name in ("f1", "robot3d")}


@pytest.fixture(params=[3, pytest.param(10, marks=pytest.mark.slow)])
def count(request):
    return request.param


def trials(problem, policy, attack, C, count):
    learner, adversary = make_policy(policy, problem, C, T), make_attack(attack, problem)
    return [simulate(problem, learner, adversary, budget=C, horizon=T, seed=k) for k in range(count)]


def mostly(statement, runs):
    """A statement about trials holds if it does in all but one."""
    return sum(map(statement, runs)) >= len(runs) - 1


@pytest.mark.parametrize("name", ["f1", "robot3d"])
def test_gp_ucb_settles_when_it_is_not_attacked(instances, count, name):
    assert mostly(lambda run: run.outcome == "settled", trials(instances[name], "gp-ucb", "none", 50.0, count))


@pytest.mark.parametrize(
    ("name", "attack", "C"),
    [("f1", a, 50.0) for a in ("clipping", "aggsub", "top-3", "top-5")]
    + [("robot3d", a, 100.0) for a in ("top-3", "top-5")],
)
def test_gp_ucb_is_led_astray(instances, count, name, attack, C):
    assert mostly(lambda run: run.outcome == "linear regret", trials(instances[name], "gp-ucb", attack, C, count))


@pytest.mark.parametrize("attack", ATTACKED)
@pytest.mark.parametrize(("name", "C"), [("f1", 50.0), ("f1", 100.0), ("robot3d", 50.0), ("robot3d", 100.0)])
@pytest.mark.parametrize("policy", ["rgp-ucb", "rgp-pe"])
def test_robust_policies_end_on_the_best_arm_or_next_to_it(instances, count, policy, name, C, attack):
    problem = instances[name]
    next_to_best = np.sort(problem.gaps)[1]
    runs = trials(problem, policy, attack, C, count)
    assert mostly(lambda run: run.recommended_gap <= next_to_best + 1e-12, runs)
    if policy == "rgp-pe":
        assert all(run.completed_epochs in (13, 14) for run in runs)
        assert all(len(run.active) <= 2 for run in runs)
