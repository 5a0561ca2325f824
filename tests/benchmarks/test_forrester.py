"""The direction of RCGP-UCB's result on the Forrester function, and the lies that its plateau does not see."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
FORMS = ("RCGP-UCB, L = 1.96", "A2-RCGP-UCB, L = 1.96")


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delitem(sys.modules, "forrester", raising=False)
    return importlib.import_module("forrester")


def test_the_problem_is_the_forrester_function(script):
    made = script.problem()
    assert made.domain[made.best_arm, 0] == 1.0
    assert made.f[made.best_arm] * script.SCALE + script.MEAN == pytest.approx(16 * np.sin(8))
    assert (made.f.mean(), made.f.std()) == (pytest.approx(0), pytest.approx(1))
    shown = made.f + script.near_far(made).corrupt(made.f, None, None)
    arms, values = [0, 59, 60, 89, 90, 100], [25, 25, *script.VALUES[[60, 89]], -10, -10]
    assert np.allclose(shown[arms] * script.SCALE + script.MEAN, values)


def test_huge_lies_lead_gp_ucb_astray_and_neither_form_of_rcgp_ucb(script):
    for attack in ("near-far, huge", "hide, huge"):
        for seed in range(4):
            fooled = script.experiment("GP-UCB", attack, 100).run(seed)
            assert script.lost(fooled)
            for form in FORMS:
                run = script.experiment(form, attack, 100).run(seed)
                assert not script.lost(run)
                assert run.lies_spent == 5
                assert run.regret < fooled.regret / 5


def test_with_the_lies_of_the_authors_the_regret_of_rcgp_ucb_is_smaller(script):
    """As in their figure: every method finds the best arm in the end, GP-UCB at a higher price."""
    names = ("GP-UCB", *FORMS)
    regrets = {name: [script.experiment(name, "near-far", 100).run(seed).regret for seed in range(4)] for name in names}
    for form in FORMS:
        assert np.mean(regrets[form]) < 0.9 * np.mean(regrets["GP-UCB"])
        assert max(regrets[form]) < min(regrets["GP-UCB"])


def test_lies_on_the_plateau_defeat_rcgp_ucb_and_not_influence_ucb(script):
    for name in FORMS:
        for seed in range(3):
            run = script.experiment(name, "hide, inside", 100).run(seed)
            assert script.lost(run)
            assert run.lies_spent == 1  # one lie is enough
    certified = script.experiment("influence-UCB, clipped", "hide, inside", 1000).run(0)
    assert not script.lost(certified)
    assert certified.lies_spent == 10
    still = script.experiment(FORMS[0], "hide, inside", 1000).run(0)
    assert script.lost(still)
    assert still.regret > 1.2 * certified.regret
