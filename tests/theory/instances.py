"""Random instances on which the statements of the paper are checked."""

import numpy as np

from unswayed import JointPosterior, Linear, Matern, SquaredExponential


def random_domain(rng, N=None):
    d = int(rng.integers(1, 4))
    X = rng.uniform(-1, 1, (N or int(rng.integers(3, 25)), d))
    lengthscale = 10 ** rng.uniform(-0.8, 0.4)
    kernel = [SquaredExponential(lengthscale), Matern(1.5, lengthscale), Linear(np.sqrt(d))][rng.integers(3)]
    return X, kernel


def function_of_norm(kernel, X, B, rng):
    """Values on X of a function whose RKHS norm is exactly B: a combination of k(x_i, .)."""
    K = kernel(X, X)
    weights = rng.standard_normal(len(X))
    return K @ weights * (B / np.sqrt(weights @ K @ weights))


def random_plays(seed, T=40):
    """T plays at random: the generator, the kernel matrix, the arms, the rewards and lam."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (int(rng.integers(2, 12)), 2))
    kernel = [SquaredExponential(0.5), Matern(1.5, 0.7), Linear(np.sqrt(2))][seed % 3]
    plays = rng.integers(0, len(X), T)
    return rng, kernel(X, X), plays, rng.standard_normal(T), 10 ** rng.uniform(-2, 0.5)


def posterior_of_plays(K, plays, rewards, lam):
    """The posterior of all arms after one reward for each play."""
    return JointPosterior.of_plays(K, plays, rewards, np.ones(len(plays)), lam)
