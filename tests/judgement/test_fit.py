"""The model of a study: gradients, recovery, and lies that must not make the function look rough."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from unswayed.core.gp.fitting import negative_log_likelihood
from unswayed.core.gp.kernels import Linear, Matern, SquaredExponential, TwoScale
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.allowance import Allowance
from unswayed.judgement.assumptions import Given
from unswayed.judgement.fit import _guesses, fit_model, fit_scales, model_score, spread
from unswayed.judgement.table import Pooled, Table


def draw(seed, n=120, lengths=(0.3, 2.0), sigma=0.05, scale=1.0, centre=0.0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, len(lengths)))
    K = Matern(2.5, lengths)(X, X)
    f = scale * np.linalg.cholesky(K + 1e-9 * np.eye(n)) @ rng.standard_normal(n)
    return X, centre + f + sigma * rng.standard_normal(n)


def fitted(X, y, noise=None, **options):
    settings = {"threshold": 4.0, "allowance": Allowance.of(Threat(100.0)), "unit": spread(y)} | options
    return fit_model(Table.of(X, y, noise=noise), np.arange(X.shape[1]), **settings)


def plays(seed, n=40, points=25, d=3):
    rng = np.random.default_rng(seed)
    X, arms = rng.uniform(size=(points, d)), np.append(np.arange(points), rng.integers(points, size=n - points))
    return X, arms, rng.standard_normal(n)


@pytest.mark.parametrize("groups", [[0, 1, 2], [0, 1, 1], [0, 0, 0]])
def test_the_gradient_is_that_of_the_score(groups):
    rng = np.random.default_rng(0)
    data, groups = Pooled.of(*plays(0)), np.array(groups)
    at = np.append(rng.normal(-0.5, 0.3, groups.max() + 1), [-1.0, -1.2, 0.2, -1.5])
    _, gradient = model_score(at, data, groups)
    for i in range(len(at)):
        step = np.zeros(len(at))
        step[i] = 1e-6
        slope = (model_score(at + step, data, groups)[0] - model_score(at - step, data, groups)[0]) / 2e-6
        assert gradient[i] == pytest.approx(slope, rel=1e-5, abs=1e-5)


def test_the_score_is_the_likelihood_of_all_plays_and_the_prior():
    X, arms, z = plays(1, d=2)

    def literally(at):
        lengths, w, rho = np.exp(at[:2]), 1 / (1 + np.exp(-at[2])), np.exp(at[3])
        s, tau = np.exp(at[4:])
        kernel = TwoScale(tuple(lengths), w, rho)
        A = s**2 * kernel(X[arms], X[arms]) + tau**2 * np.eye(len(z))
        solved = np.linalg.solve(A, np.ones(len(z)))
        centred = (z - solved @ z / solved.sum()) / s
        likelihood = negative_log_likelihood(kernel, X[arms], centred, (tau / s) ** 2) + len(z) * np.log(s)
        prior = np.sum((at[:2] - np.log(0.5) - 0.25 * np.log(2)) ** 2)
        return likelihood + 0.5 * (prior + ((at[2] + 2.2) / 1.5) ** 2 + ((at[3] - np.log(0.15)) / 0.7) ** 2)

    a, b = np.log([0.4, 0.7, 0.3, 0.2, 1.3, 0.2]), np.log([0.6, 0.5, 0.1, 0.1, 0.9, 0.4])
    data, groups = Pooled.of(X, arms, z), np.arange(2)
    difference = model_score(a, data, groups)[0] - model_score(b, data, groups)[0]
    assert difference == pytest.approx(literally(a) - literally(b), rel=1e-8)


def test_scores_of_different_plays_can_be_compared():
    """Repeats or not: each play adds its density given the others, without the constant of a normal density."""
    X, arms, z = plays(1, d=2)
    at, groups = np.log([0.4, 0.7, 0.3, 0.2, 1.3, 0.2]), np.arange(2)
    w, (s, tau) = 1 / (1 + np.exp(-at[2])), np.exp(at[4:])

    def literally(kept):
        A = s**2 * TwoScale(tuple(np.exp(at[:2])), w, np.exp(at[3]))(X[arms[kept]], X[arms[kept]])
        A += tau**2 * np.eye(kept.sum())
        solved = np.linalg.solve(A, np.ones(kept.sum()))
        off = z[kept] - solved @ z[kept] / solved.sum()
        return 0.5 * off @ np.linalg.solve(A, off) + 0.5 * np.linalg.slogdet(A)[1]

    def score(kept):
        return model_score(at, Pooled.of(X, arms[kept], z[kept]), groups)[0]

    every = np.ones(len(z), bool)
    for few in (np.arange(len(z)) < 25, np.arange(len(z)) % 3 > 0):  # without repeats, and with some
        assert score(every) - score(few) == pytest.approx(literally(every) - literally(few))


def test_ripples_on_a_slope_are_trend_and_detail():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(150, 1))
    y = 3 * X[:, 0] ** 2 + 0.3 * np.cos(2 * np.pi * X[:, 0] / 0.1) + 0.01 * rng.standard_normal(150)
    model = fitted(X, y)
    assert model.lengths[0] > 0.3
    assert model.lengths[0] * model.ratio < 0.15
    assert model.kept.sum() >= 148


def test_it_finds_what_made_the_values():
    models = [fitted(*draw(seed, scale=3.0, centre=50.0, sigma=0.15)) for seed in range(5)]
    assert np.median([m.lengths[0] for m in models]) == pytest.approx(0.3, rel=0.4)
    assert np.median([m.lengths[1] for m in models]) > 1.0
    assert np.median([m.tau for m in models]) == pytest.approx(0.15, rel=0.3)
    assert 1.0 < np.median([m.scale for m in models]) < 9.0
    assert abs(np.median([m.centre for m in models]) - 50) < 6
    assert all(m.kept.sum() >= 118 for m in models)


def test_a_few_lies_are_set_aside_and_leave_the_model_alone():
    for seed in range(5):
        X, y = draw(seed)
        honest = fitted(X, y)
        lies = np.random.default_rng(seed).choice(len(y), 6, replace=False)
        y[lies] += 4.0
        model = fitted(X, y, start=honest)
        assert np.sum(~model.kept[lies]) >= 5
        assert model.lengths[0] == pytest.approx(honest.lengths[0], rel=0.5)
        assert model.tau < 2 * honest.tau


def test_even_when_nothing_was_known_before():
    caught = 0
    for seed in range(5):
        X, y = draw(seed)
        y[:4] += 5.0
        caught += int(np.sum(~fitted(X, y).kept[:4]))
    assert caught >= 16  # of 20


def test_without_rounds_an_earlier_model_is_only_improved():
    """A model that took lies for roughness. From a smoother start the lies are seen; near the old one they are not."""
    X, y = draw(0, n=60)
    y[[3, 20, 35, 50]] += 4.0
    rough = fitted(X, y, threshold=np.inf)
    near, anew = fitted(X, y, start=rough, rounds=0), fitted(X, y, start=rough)
    assert near.tau == pytest.approx(rough.tau, rel=0.01)
    assert near.kept.all()
    assert np.flatnonzero(~anew.kept).tolist() == [3, 20, 35, 50]
    assert anew.score < near.score


def parameters(model, unit):
    odds = model.share / (1 - model.share)
    return np.log([*model.lengths, odds, model.ratio, model.scale / unit, model.tau / unit])


def test_a_lie_costs_as_much_as_a_value_that_could_have_been_anything():
    """Minus ln of its density, uniform over the usual range, beside a likelihood without the constant of each play."""
    X, y = draw(0, n=60)
    y[[3, 20, 35]] += 4.0
    model, unit = fitted(X, y), spread(y)
    z, kept = (y - np.median(y)) / unit, model.kept
    explained = model_score(parameters(model, unit), Pooled.of(X[kept], np.arange(kept.sum()), z[kept]), np.arange(2))
    low, high = np.quantile(z, (0.02, 0.98))
    price = np.log(50) + np.log(high - low) + np.log(2 * np.pi) / 2  # one of fifty plays lies
    assert (~kept).sum() >= 3
    assert model.score == pytest.approx(explained[0] + (~kept).sum() * price)


def test_an_earlier_model_is_moved_to_a_better_one_nearby():
    X, y = draw(2)
    best = fitted(X, y)
    start = replace(best, lengths=1.5 * best.lengths, tau=2 * best.tau)
    found = fitted(X, y, start=start, rounds=0)
    data = Pooled.of(X, np.arange(len(y)), (y - np.median(y)) / spread(y))
    before, after, top = (
        model_score(parameters(one, spread(y)), data, np.arange(2))[0] for one in (start, found, best)
    )
    assert best.kept.all()
    assert before > top + 20
    assert after < top + 1


def test_beside_an_earlier_model_a_smoother_one_is_tried():
    X, y = draw(2)
    start = replace(fitted(X, y), lengths=np.array([0.1, 1.0]), scale=20.0, tau=3.0)
    here, smoother = _guesses(start, 10.0, 0.003, 2)
    np.testing.assert_allclose(here, parameters(start, 10.0))
    np.testing.assert_allclose(smoother[:2], np.log([0.5, np.exp(0.7)]))
    np.testing.assert_allclose(smoother[2:], [-2.2, np.log(0.15), np.log(2.0), np.log(0.06)])  # noise of 3%
    assert _guesses(start, 10.0, 0.5, 2)[1][-1] == pytest.approx(np.log(0.5))


@pytest.mark.parametrize("noise", [0.01, 0.3])
def test_a_source_that_is_off_does_not_make_the_others_look_like_noise(noise):
    """Four options, five sources, one of which reads 3 too high. That a source is off is not free."""
    rng = np.random.default_rng(0)
    order = rng.permutation(30)
    sources, y = order % 5, 1 + noise * rng.standard_normal(30) + 3 * (order % 5 == 1)
    table = Table.of(np.sqrt(0.5) * np.eye(4)[order % 4], y, sources=sources, names=tuple("abcde"))
    nothing, groups = Allowance.of(Threat(0.5)), np.zeros(4, dtype=np.int64)
    found = fit_model(table, groups, threshold=4.0, allowance=nothing, unit=spread(y))
    assert found.kept.all()
    assert found.tau < 2 * noise
    off = y[sources == 1].mean() - y[sources != 1].mean()
    told = (y - off * (sources == 1) - np.median(y)) / spread(y)
    explained, _ = model_score(parameters(found, spread(y)), Pooled.of(table.points, table.arms, told), groups)
    assert explained + np.log(20) - 1 < found.score < explained + 5 * np.log(20) + 1


def test_units_do_not_matter():
    X, y = draw(3)
    a, b = fitted(X, y), fitted(X, 1000 * y + 7, allowance=Allowance.of(Threat(1e5)))
    np.testing.assert_allclose(b.lengths, a.lengths, rtol=1e-3)
    assert b.scale == pytest.approx(1000 * a.scale, rel=1e-3)
    assert b.centre == pytest.approx(1000 * a.centre + 7, rel=1e-2)
    assert b.tau / b.scale == pytest.approx(a.tau / a.scale, rel=5e-3)


def test_the_level_far_from_all_plays_is_the_most_likely_one():
    X, y = draw(7, n=40, centre=20.0, scale=3.0, sigma=0.6)
    y[5] += 30.0
    model = fitted(X, y)
    rows, values = X[model.kept], y[model.kept]
    A = model.scale**2 * model.kernel(np.arange(2))(rows, rows) + model.tau**2 * np.eye(len(values))
    solved = np.linalg.solve(A, np.ones(len(values)))
    assert not model.kept[5]
    assert model.centre == pytest.approx(solved @ values / solved.sum(), rel=1e-9)


@pytest.mark.parametrize(("budget", "most"), [(120.0, 2), (300.0, 4)])
def test_what_is_set_aside_stays_within_the_budget_in_units_of_the_values(budget, most):
    X, y = draw(0, scale=10.0, sigma=0.5)
    y[[3, 30, 60, 90]] += 50.0
    found = fitted(X, y, allowance=Allowance.of(Threat(budget)))
    assert np.sum(~found.kept) <= most
    assert (np.sum(~found.kept[[3, 30, 60, 90]]) == 4) == (most == 4)


def test_the_spread_is_that_of_a_normal_distribution_and_one_lie_hardly_moves_it():
    values = 3 * norm.ppf((np.arange(1000) + 0.5) / 1000)
    assert spread(values) == pytest.approx(3, rel=0.01)
    assert spread(np.append(values, 1e9)) == pytest.approx(3, rel=0.01)
    mostly_equal = np.array([1.0, 1.0, 1.0, 1.0, 6.0])
    assert spread(mostly_equal) == pytest.approx(np.std(mostly_equal))
    assert spread(np.ones(5)) == 1.0


@pytest.mark.parametrize(("unit", "scale", "tau"), [(1e-3, 100.0, 1.0), (1e3, 0.02, 0.003)])
def test_scale_and_roughness_stay_in_a_range_around_the_spread(unit, scale, tau):
    """Values that are a thousand times larger, or smaller, than the spread that is given."""
    X, y = draw(0, n=40)
    model = fitted(X, y, unit=unit, threshold=np.inf)
    assert model.scale == pytest.approx(scale * unit)
    assert model.tau == pytest.approx(tau * unit)


def test_known_noise_is_a_floor():
    X, y = draw(4, sigma=0.01)
    assert fitted(X, y, noise=0.3).tau >= 0.3 * (1 - 1e-9)


@pytest.mark.parametrize("rough", [False, True])
def test_batches_of_outcomes_are_hardly_noisier_than_their_size_says(rough):
    """Yes or no has a known noise: what varies by more is the function, up to a quarter of that noise."""
    X, y = draw(4, sigma=1.0 if rough else 0.1, lengths=(0.3,))
    table = Table.of(X, y, sizes=np.full(len(y), 30.0), noise=0.1)
    settings = {"threshold": np.inf, "allowance": Allowance.of(Threat()), "unit": spread(y)}
    found = fit_model(table, np.zeros(1, dtype=np.int64), **settings)
    assert 0.1 * (1 - 1e-9) <= found.tau <= 0.125 * (1 + 1e-9)
    assert (found.tau > 0.1249) == rough
    if rough:
        free = fit_model(replace(table, sizes=None), np.zeros(1, dtype=np.int64), **settings)
        assert free.tau > 0.5


def test_a_noise_that_hides_everything_is_no_error():
    X, y = draw(4, n=30)
    found = fitted(X, y, noise=1e30)
    assert found.tau == pytest.approx(1e6 * spread(y))
    assert found.kept.all()
    assert found.centre == pytest.approx(y.mean(), abs=0.1)


def test_constant_and_huge_values_do_no_harm():
    X, y = draw(6, n=30)
    assert np.isfinite(fitted(X, np.zeros(30), unit=1.0).tau)
    y[3] = 1e90
    model = fitted(X, y)
    assert np.isfinite(model.scale)
    assert not model.kept[3]


def test_scales_are_estimated_only_where_they_are_not_given():
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(80, 1))
    kernel = SquaredExponential(0.15)
    f = 4 * np.linalg.cholesky(kernel(X, X) + 1e-9 * np.eye(80)) @ rng.standard_normal(80)
    y = 1e5 + f + 0.3 * rng.standard_normal(80)

    def scales(noise=None, **given):
        return fit_scales(Table.of(X, y, noise=noise), Given(threat=0, **given), kernel)

    scale, noise = scales()
    assert 2 < scale < 8
    assert noise == pytest.approx(0.3, rel=0.5)
    assert scales(noise=0.3)[1] == pytest.approx(0.3)
    assert scales(noise=0.3, output_scale=9.0) == (9.0, 0.3)
    assert scales(output_scale=9.0) == (pytest.approx(9.0), pytest.approx(0.3, rel=0.5))
    assert scales(level=1e5) == pytest.approx((scale, noise), rel=0.3)
    assert scales(level=1e5 - 100)[0] > 20  # all values are far above it


def test_a_slope_is_fitted_beside_any_level():
    x = np.linspace(0, 1, 20)[:, None]
    for level in (0.0, 1e4):
        scale, _ = fit_scales(Table.of(x, level + 2 * x[:, 0], noise=0.05), Given(threat=0), Linear())
        assert 0.5 < scale < 8
