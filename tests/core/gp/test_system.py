"""The linear system: one jitter and one rounding rule for every posterior on it."""

import numpy as np
import pytest

from unswayed import JointPosterior, Posterior, SquaredExponential
from unswayed.core.gp.epoch_posterior import EpochPosterior
from unswayed.core.gp.point_posterior import PointPosterior
from unswayed.core.gp.system import LARGEST_CONDITION, LARGEST_JITTER, System
from unswayed.errors import InvalidInput
from unswayed.types import EPS

KERNEL = SquaredExponential(0.5)
NEAR = 0.3 + 1e-9 * np.arange(6)[:, None]  # points that nearly coincide
Y, N = np.arange(6.0), np.full(6, 2)


@pytest.mark.parametrize("lam", [1e-30, 1e-18, 1e-14])
def test_every_posterior_adds_the_same_jitter(lam):
    K = KERNEL(NEAR, NEAR)
    assert np.linalg.cond(K + np.diag(lam / N)) > LARGEST_CONDITION
    posteriors = [
        System.fit(K, Y, N, lam),
        Posterior.fit(K, Y, N, lam),
        PointPosterior.of(KERNEL, lam, NEAR, N, Y).system,
        EpochPosterior.fit(KERNEL, NEAR, np.arange(6), Y, N, lam).posterior,
        JointPosterior.fit(K, Y, N, lam),
    ]
    (jitter,) = {posterior.jitter for posterior in posteriors}
    assert jitter > 0
    assert np.log2(jitter) % 2 == 0  # a power of 4
    assert max(posterior.condition for posterior in posteriors) <= LARGEST_CONDITION
    assert jitter <= 64 * np.linalg.norm(K, 1) / LARGEST_CONDITION  # no more than is needed


def test_no_jitter_where_the_condition_number_is_small():
    assert System.fit(KERNEL(NEAR, NEAR), Y, N, 1e-6).jitter == 0.0


def test_a_jitter_is_less_weight_for_every_play():
    """All numbers are those of the plays with the noise lam/n + jitter, in exact algebra."""
    system = PointPosterior.of(KERNEL, 1e-18, NEAR, N, Y).system
    noise = 1e-18 / N + system.jitter
    assert np.array_equal(system.noise, noise)
    A = KERNEL(NEAR, NEAR) + np.diag(noise)
    assert np.allclose(A @ system.weights, Y, atol=1e-2)
    assert np.allclose(system.inverse @ A, np.eye(6), atol=1e-2)
    posterior = PointPosterior(KERNEL, NEAR, system)
    assert np.allclose(posterior.means, Y.mean(), atol=1e-3)  # six plays of one point


@pytest.mark.parametrize(("lam", "rounded_off"), [(1e-18, True), (1e-8, True), (1.0, False)])
def test_a_variance_is_never_below_its_rounding_error(lam, rounded_off):
    X, n = np.linspace(0, 1, 8)[:, None], np.full(8, 10**6)
    rows = np.vstack([X, X + 1e-4])
    posterior = PointPosterior.of(KERNEL, lam, X, n, np.sin(X[:, 0]))
    _, deviation = posterior.at(rows)
    _, same = Posterior.fit(KERNEL(X, X), np.sin(X[:, 0]), n, lam).predict(KERNEL(rows, X), np.ones(16))
    np.testing.assert_array_equal(deviation, same)
    k, system = KERNEL(rows, X), posterior.system
    raw = 1 - np.square(system.half(k)).sum(axis=0)
    z = system.solve(k.T)
    error = EPS * 8 * system.scale * np.square(z).sum(axis=0) + 4 * EPS
    assert (raw < error).any() == rounded_off
    np.testing.assert_allclose(deviation**2, np.maximum(raw, error), rtol=1e-6, atol=4 * EPS)


@pytest.mark.parametrize("least", [-1.0, -0.5, -0.1])
def test_a_matrix_that_is_no_kernel_matrix_is_refused(least):
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.standard_normal((5, 5)))[0]
    K = Q @ np.diag([1.0, 1.0, 1.0, 1.0, least]) @ Q.T
    for fit in (System.fit, Posterior.fit, JointPosterior.fit):
        with pytest.raises(InvalidInput, match="positive semi-definite"):
            fit(K, np.ones(5), np.ones(5), 1e-9)
    rounded = Q @ np.diag([1.0, 1.0, 1.0, 1.0, -1e-5]) @ Q.T  # a kernel in single precision
    assert 1e-5 < System.fit(rounded, np.ones(5), np.ones(5), 1e-9).jitter <= LARGEST_JITTER * 5
