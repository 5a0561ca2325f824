"""Measurements that a model is better fitted without."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import unswayed as uw
from unswayed.audits.spikes import _surprises, explained
from unswayed.core.gp.evidence import RATIOS
from unswayed.judgement.credible import Shapes
from unswayed.judgement.table import Table


def drawn(seed, n=9):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-3, 3, n))
    return Table.of(x[:, None], np.sin(x) + 0.05 * rng.standard_normal(n))


@pytest.mark.parametrize("seed", range(5))
def test_the_gain_without_a_measurement_is_that_of_all_models_together(seed):
    """Dense: the probability of all values under every model, against that of the others."""
    table, level, scale = drawn(seed), 0.2, 0.7
    shapes = Shapes.equal(np.array([6.0]), (2.5,))

    def log_probability(rows):
        X, y = table.rows[rows], (table.values[rows] - level) / scale
        odds = shapes.odds - np.logaddexp.reduce(shapes.odds)
        each = [
            odd + multivariate_normal(np.zeros(len(y)), kernel(X, X) + r**2 * np.eye(len(y))).logpdf(y)
            for kernel, odd in zip(shapes.kernels, odds, strict=True)
            for r in RATIOS
        ]
        return np.logaddexp.reduce(each) - np.log(len(RATIOS))

    every = np.arange(9)
    expected = [log_probability(np.delete(every, j)) - log_probability(every) for j in every]
    assert _surprises(table, shapes, scale, None, level) == pytest.approx(expected, abs=1e-6)


def test_a_level_that_is_not_known_is_projected_out():
    """A very wide prior of the level says the same."""
    table, shapes, scale = drawn(1), Shapes.equal(np.array([6.0]), (2.5,)), 0.7
    found = _surprises(table, shapes, scale, 0.05, None)
    y, wide, r = (table.values - 0.3) / scale, 1e3, 0.05 / scale
    odds = shapes.odds - np.logaddexp.reduce(shapes.odds)

    def log_probability(rows):
        X = table.rows[rows]
        each = [
            odd + multivariate_normal(np.zeros(len(rows)), k(X, X) + wide**2 + r**2 * np.eye(len(rows))).logpdf(y[rows])
            for k, odd in zip(shapes.kernels, odds, strict=True)
        ]
        return np.logaddexp.reduce(each)

    every = np.arange(9)
    expected = [log_probability(np.delete(every, j)) - log_probability(every) for j in every]
    assert found == pytest.approx(expected, abs=1e-3)


def spiked(seed, value=None):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-3, 3, 40)).round(3)
    y = 1 - x**2 / 10 + 0.01 * rng.standard_normal(40)
    lie = int(np.argmin(np.abs(x - 2.2)))
    if value is not None:
        y[lie] = value
    return x[:, None], y, lie


def test_only_a_spike_is_left_out():
    shapes = Shapes.equal(np.array([6.0]), (2.5,))
    for seed in range(10):
        for value in (None, 1.15):
            x, y, lie = spiked(seed, value)
            kept = explained(Table.of(x, y), shapes, scale=0.3, noise=None, centre=None)
            assert np.flatnonzero(~kept).tolist() == ([] if value is None else [lie])


@pytest.mark.parametrize("seed", range(6))
def test_a_forged_winner_without_repeats_is_seen(seed):
    """One lie does not make the whole function look rough."""
    x, y, lie = spiked(seed, 1.15)
    found = uw.audit(x, y)
    assert lie in [suspect.row for suspect in found.suspects]
    assert str(found.verdict) == "no: tampered"
    x, y, _ = spiked(seed)
    assert str(uw.audit(x, y).verdict) == "yes"


def test_a_repeat_that_contradicts_the_other_one_is_seen():
    """Five pairs are too few for a median of distances, and the pair that disagrees is no noise of all."""
    x = np.repeat([20.0, 40, 50, 60, 70], 2)[:, None]
    found = uw.audit(x, [12.5, 13.1, 55.2, 54.0, 71.0, 70.2, 30.5, 31.0, 99.0, 31.5], names=["t"])
    assert [suspect.value for suspect in found.suspects] == [99.0]
    assert found.points[found.winner] == 50


def test_a_cluster_around_the_best_does_not_hide_the_spread():
    """25 of 30 measurements near the optimum: the spread of all values is that of the cluster."""
    rng = np.random.default_rng(0)
    x = np.concatenate([0.6 + 0.05 * rng.standard_normal(25), rng.uniform(0, 1, 5)])
    y = 0.9 - 1.8 * (x - 0.6) ** 2 + 0.003 * rng.standard_normal(30)
    found = uw.audit(x[:, None], y)
    assert found.estimate == pytest.approx(y, abs=0.02)
    assert found.assumptions.noise_std < 0.01


def test_a_winner_that_rests_on_one_measurement_is_to_be_measured_again():
    x = np.linspace(0, 1, 12)[:, None]
    y = np.sin(12 * x[:, 0]) + 0.3 * np.random.default_rng(3).standard_normal(12)
    found = uw.audit(x, y, noise_std=0.01)
    assert (str(found.verdict), found.luck.better, found.robustness.single) == ("too early", True, True)
    assert found.next_step == "Next: measure the winner once more; so far it rests on one measurement."
    assert uw.audit(x, y, noise_std=0.01, threat=uw.Threat()).verdict == "yes"  # somebody knows that nobody lies
    best = found.winner
    again = uw.audit(np.vstack([x, x[[best]]]), np.append(y, y[best]), noise_std=0.01)
    assert (again.winner, str(again.verdict)) == (best, "yes")


def forged_log(seed):
    """A log without repeats of a rough function in three dimensions; None, or a false value of a bad point."""
    rng = np.random.default_rng(seed)
    w, b = rng.normal(0, 2.0, (40, 3)), rng.uniform(0, 6, 40)
    x = rng.uniform(0, 1, (40, 3))
    y = np.cos(x @ w.T + b).sum(axis=1)
    return x, y, int(np.argsort(y)[5])


@pytest.mark.parametrize("seed", range(6))
def test_a_false_winner_among_single_measurements_is_never_trusted(seed):
    x, y, false = forged_log(seed)
    y[false] = y.max() + 0.3 * np.ptp(y)
    found = uw.audit(x, y)
    assert found.verdict in ("no: tampered", "too early")
    truth = np.sort(y)[5]
    assert found.estimate[false] - 3 * found.deviation[false] < truth + 0.5 * np.ptp(y)


def test_a_winner_that_its_neighbours_confirm_needs_no_second_measurement():
    x = np.linspace(0, 1, 30)
    y = -((x - 0.4) ** 2) + 0.01 * np.random.default_rng(1).standard_normal(30)
    found = uw.audit(x[:, None], y)
    assert (found.counts.max(), found.robustness.single) == (1, False)
