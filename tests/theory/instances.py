"""Random instances on which the statements of the paper are checked."""

import numpy as np

from unswayed import Linear, Matern, SquaredExponential


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
