"""The evidence of models, against dense Gaussian densities."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from unswayed import Matern, SquaredExponential
from unswayed.core.data.rows import numbered_rows
from unswayed.core.gp.evidence import RATIOS, SCALES, Evidence
from unswayed.judgement.table import Pooled

KERNELS = (SquaredExponential(0.3), Matern(0.5, 0.8))


def plays(seed=0, points=6, n=15):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(points, 2))[np.append(np.arange(points), rng.integers(points, size=n - points))]
    return X, rng.standard_normal(n)


def explained(X, y, *, level_known, **known):
    points, arms = numbered_rows(X)
    data = Pooled.of(points, arms, y)
    models = Evidence.of(KERNELS, np.log([0.25, 0.75]), points, data.n, level_known=level_known)
    return models.explained(data.means, data.squares, unit=1.0, **known)


def contrasts(n):
    """Rows orthogonal to constants."""
    return np.linalg.svd(np.ones((1, n)))[2][1:]


@pytest.mark.parametrize("level_known", [True, False])
@pytest.mark.parametrize("known", [{"noise": 0.4}, {"scale": 1.7}, {"noise": 0.4, "scale": 1.7}], ids=str)
def test_the_weights_are_those_of_dense_densities(level_known, known):
    X, y = plays()
    found = explained(X, y, level_known=level_known, **known)
    B = np.eye(len(y)) if level_known else contrasts(len(y))
    log_p = np.empty_like(found.weights)
    for i, kernel in enumerate(KERNELS):
        for j, r in enumerate(found.ratios):
            s = known.get("scale", known.get("noise", 0.0) / r)
            A = s**2 * (kernel(X, X) + r**2 * np.eye(len(y)))
            log_p[i, j] = multivariate_normal(cov=B @ A @ B.T).logpdf(B @ y) + np.log([0.25, 0.75][i])
    expected = np.exp(log_p - log_p.max())
    np.testing.assert_allclose(found.weights, expected / expected.sum(), rtol=1e-7, atol=1e-12)


def test_an_unknown_scale_is_integrated():
    """Against a fine grid of scales with the inverse gamma prior of shape and rate 1/2."""
    X, y = plays(1)
    found = explained(X, y, level_known=True)
    s2 = np.geomspace(1e-3, 1e9, 8000)
    prior = s2**-1.5 * np.exp(-0.5 / s2) * s2  # times ds2/dlns2
    some = [(0, 10), (1, 20), (1, 32)]
    exact = []
    for i, j in some:
        A = KERNELS[i](X, X) + RATIOS[j] ** 2 * np.eye(len(y))
        values, vectors = np.linalg.eigh(A)
        q = np.square(vectors.T @ y)
        density = np.exp(-0.5 * ((q / values).sum() / s2 + np.log(values).sum() + len(y) * np.log(s2)))
        exact.append([0.25, 0.75][i] * float((density * prior).sum()))
    got = np.array([found.weights[i, j] for i, j in some])
    np.testing.assert_allclose(got / got[0], np.array(exact) / exact[0], rtol=1e-4)


def test_the_scale_is_where_the_posterior_puts_it():
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(60, 1))
    f = 5.0 * np.linalg.cholesky(KERNELS[0](X, X) + 1e-9 * np.eye(60)) @ rng.standard_normal(60)
    i, scale, noise = explained(X, f + 0.5 * rng.standard_normal(60), level_known=True).best()
    assert i == 0
    assert 2 < scale < 12
    assert noise == pytest.approx(0.5, rel=0.35)


@pytest.mark.parametrize("known", [{}, {"noise": 0.3}, {"scale": 1.0}], ids=str)
def test_signal_and_noise_are_told_apart(known):
    rng = np.random.default_rng(4)
    X = rng.uniform(size=(40, 1))
    noise = 0.3 * rng.standard_normal(40)
    assert explained(X, np.sin(8 * X[:, 0]) + noise, level_known=False, **known).signal > 10
    assert explained(X, noise, level_known=False, **known).signal < 3


def test_a_constant_changes_nothing_where_the_level_is_not_known():
    X, y = plays(5)
    one, other = (explained(X, y + c, level_known=False) for c in (0.0, 1e3))
    np.testing.assert_allclose(one.weights, other.weights, rtol=1e-6, atol=1e-12)
    assert one.signal == pytest.approx(other.signal, abs=1e-6)


def test_a_noise_of_nothing_is_computed_with():
    X, y = plays(6)
    found = explained(X, y, level_known=True, noise=1e-30)
    assert np.isfinite(found.weights).all()
    assert len(found.ratios) == len(SCALES)
