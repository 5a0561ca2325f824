"""The shipped checks, on every policy and adversary of the package, and on some that break the rules."""

import dataclasses

import numpy as np
import pytest

from unswayed.experiments.registry import ATTACKS, POLICIES, make_attack, make_policy
from unswayed.problems import f1
from unswayed.testing import check_adversary, check_policy


@pytest.fixture(scope="module")
def problem():
    return f1()


@pytest.mark.parametrize("name", POLICIES)
def test_policies_conform(name, problem):
    check_policy(make_policy(name, problem, 20.0, 5000), problem.f, plays=3000 if "pe" in name else 120)


@pytest.mark.parametrize("counts", [{"lies": 3}, {"sources": 7, "liars": 2}, {"sources": 4, "liars": 2}])
def test_policies_that_trim_conform(counts, problem):
    check_policy(make_policy("trimmed-pe", problem, 0.0, 5000, **counts), problem.f, plays=5000)


@pytest.mark.parametrize("name", POLICIES)
def test_policies_and_states_show_themselves_in_one_line(name, problem):
    policy = make_policy(name, problem, 20.0, 5000)
    assert repr(policy).startswith(f"{type(policy).__name__}(domain=<100 x 2 array>, kernel=SquaredExponential(")
    for text in (repr(policy), repr(policy.init())):
        assert "\n" not in text
        assert len(text) < 320
    with pytest.raises(TypeError, match="positional"):
        type(policy)(problem.domain, problem.kernel, 20.0)


@pytest.mark.parametrize("name", ATTACKS)
def test_adversaries_conform(name, problem):
    check_adversary(make_attack(name, problem), problem, make_policy("gp-ucb", problem, 5.0, 300))
    check_adversary(make_attack(name, problem), problem, make_policy("rgp-pe", problem, 5.0, 300))


def test_a_policy_that_forgets_is_caught(problem):
    class Revives(type(make_policy("rgp-pe", problem, 0.0, 100))):
        def tell(self, epoch, feedback):
            return dataclasses.replace(self.init(), h=epoch.h + 1) if epoch.h == 9 else super().tell(epoch, feedback)

    good = make_policy("rgp-pe", problem, 0.0, 100)
    with pytest.raises(AssertionError, match="came back"):
        check_policy(Revives(good.domain, good.kernel, corruption_budget=0.0), problem.f, plays=20_000)


def test_an_adversary_that_hides_what_it_reads_is_caught(problem):
    class Peeks:
        reads_estimates = False

        def corrupt(self, f, view, rng):
            return -view.mean

    with pytest.raises(AssertionError, match="reads estimates"):
        check_adversary(Peeks(), problem, make_policy("gp-ucb", problem, 5.0, 300))


def test_an_adversary_without_numbers_is_caught(problem):
    class Nothing:
        reads_estimates = False

        def corrupt(self, f, view, rng):
            return np.full(len(f), np.nan)

    with pytest.raises(AssertionError, match="NaN"):
        check_adversary(Nothing(), problem, make_policy("gp-ucb", problem, 5.0, 300))
