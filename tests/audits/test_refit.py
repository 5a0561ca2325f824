"""The budget with refit: what it names overturns the winner, and random changes below it do not."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from unswayed import JointPosterior, SquaredExponential, audit
from unswayed.audits.fit import Fit
from unswayed.audits.measurements import collect
from unswayed.audits.refit import ALL_ROWS, SOME_ROWS, influential_rows
from unswayed.judgement.assumptions import Given

spec = importlib.util.spec_from_file_location("refit", Path(__file__).parents[2] / "benchmarks" / "refit.py")
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)


@pytest.mark.parametrize("seed", range(1000, 1006))
def test_changes_below_it_do_not_overturn_the_winner(seed):
    fixed, refit, tried, overturned = script.one_set(seed, changes=100)
    assert overturned <= 0.01 * tried
    assert refit > 0
    assert fixed >= 0


@pytest.mark.parametrize("seed", range(4))
def test_the_change_that_it_names_overturns_the_winner_of_a_new_audit(seed):
    x, y = script.measured(seed)
    found = audit(x, y, tie=0)
    assert found.single_change_found
    winners = set()
    for row in range(len(y)):
        for sign in (1, -1):
            values = y.copy()
            values[row] += sign * 1.0001 * found.breakdown_budget_refit
            fit = Fit.of(Given(threat=0), collect(x, y, minimize=False))
            winners.add(int(np.argmax(fit.estimates(collect(x, values, minimize=False)))))
    assert winners > {found.winner}


@pytest.mark.parametrize("tables", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_the_quick_refit_is_the_audit(tables):
    for seed in range(tables):
        x, y = script.measured(seed)
        data = collect(x, y, minimize=False)
        assert np.argmax(Fit.of(Given(threat=0), data).estimates(data)) == audit(x, y).winner


def test_with_everything_given_both_budgets_are_one():
    x, y = script.measured(5)
    given = {"kernel": SquaredExponential(0.3), "noise_std": 0.1, "output_scale": 1.0, "level": 0.0}
    found = audit(x, y, **given)
    assert found.breakdown_budget_refit == found.breakdown_budget
    assert "estimated again" not in found.explain()


def test_of_many_rows_the_most_influential_are_searched():
    rng = np.random.default_rng(0)
    x = np.repeat(rng.uniform(size=(30, 2)), 4, axis=0)
    data = collect(x, rng.standard_normal(120), minimize=False)
    fit = Fit.of(Given(threat=0), data)
    model = fit.prior(data)
    means = model.standardized(data.means)
    posterior = JointPosterior.fit(model.kernel(data.points, data.points), means, data.counts, model.lam)
    rows = influential_rows(posterior, data, 0, 1)
    assert len(rows) == SOME_ROWS < ALL_ROWS
    assert len(set(data.arms[rows])) == SOME_ROWS  # of each option one row first
    assert {0, 1} <= set(data.arms[rows].tolist())


def yields(seed=0):
    """Twelve recipes, two batches each, yields between 200 and 260."""
    x = np.repeat(np.linspace(0, 1, 12), 2)[:, None]
    f = 200 + 60 * np.exp(-(((x[:, 0] - 0.62) / 0.2) ** 2))
    return x, f, f + 5 * np.random.default_rng(seed).standard_normal(24)


@pytest.mark.parametrize("seed", range(10))
def test_yields_with_a_given_kernel_and_noise(seed):
    x, f, y = yields(seed)
    found = audit(x, y, kernel=SquaredExponential(0.2), noise_std=5.0)
    assert f[2 * found.winner] >= f.max() - 6
    assert found.suspects == ()
    assert found.assumptions.estimated == ("output scale", "level")
    assert 190 < found.assumptions.level < 240


@pytest.mark.parametrize(("unit", "shift"), [(1e-6, 0.0), (1.0, 1e6), (1e-6, 1e6)])
def test_the_same_verdict_in_other_units(unit, shift):
    x, _, y = yields()
    one = audit(x, y, kernel=SquaredExponential(0.2), noise_std=5.0)
    other = audit(x, unit * y + shift, kernel=SquaredExponential(0.2), noise_std=5.0 * unit)
    assert (other.winner, other.rival, other.pivot) == (one.winner, one.rival, one.pivot)
    assert str(other).split(":")[0] == str(one).split(":")[0]
    for name in ("breakdown_budget", "breakdown_budget_refit", "lead"):
        assert getattr(other, name) == pytest.approx(unit * getattr(one, name), rel=2e-2)
