"""Against scikit-learn's Gaussian process on the raw repeats, and its kernels."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

from unswayed import Feedback, JointPosterior, Matern, Posterior, SquaredExponential

PAIRS = [
    (SquaredExponential(0.6), sk.RBF(0.6)),
    (SquaredExponential((0.6, 1.5)), sk.RBF([0.6, 1.5])),
    (Matern(0.5, 0.6), sk.Matern(0.6, nu=0.5)),
    (Matern(1.5, 0.6), sk.Matern(0.6, nu=1.5)),
    (Matern(2.5, (0.6, 1.1)), sk.Matern([0.6, 1.1], nu=2.5)),
    (Matern(0.8, 0.6), sk.Matern(0.6, nu=0.8)),
    (Matern(4.2, 0.6), sk.Matern(0.6, nu=4.2)),
]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=lambda k: repr(k))
@pytest.mark.parametrize("lam", [0.01, 1.0])
def test_posterior_on_raw_repeats(ours, theirs, lam, rng):
    X = rng.uniform(-2, 2, (12, 2))
    plays = rng.integers(0, 12, 150)
    rewards = np.sin(3 * X[plays, 0]) + rng.standard_normal(150)
    gp = GaussianProcessRegressor(theirs, alpha=lam, optimizer=None).fit(X[plays], rewards)
    grid = rng.uniform(-2, 2, (30, 2))
    mean, covariance = gp.predict(grid, return_cov=True)

    data = Feedback.from_rewards(plays, rewards)
    S = X[data.arms]
    posterior = Posterior.fit(ours(S, S), data.means, data.repeats, lam)
    mu, sigma = posterior.predict(ours(grid, S), ours.diagonal(grid))
    assert np.allclose(mu, mean, atol=1e-8)
    assert np.allclose(sigma**2, np.diag(covariance), atol=1e-8)
    everything = np.concatenate([S, grid])
    nothing = np.zeros(len(grid))
    means, counts = np.append(data.means, nothing), np.append(data.repeats, nothing)
    joint = JointPosterior.fit(ours(everything, everything), means, counts, lam)
    assert np.allclose(joint.covariance[len(S) :, len(S) :], covariance, atol=1e-8)
    assert np.allclose(posterior.covariance, joint.covariance[: len(S), : len(S)], atol=1e-8)
