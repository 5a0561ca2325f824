import numpy as np
import pytest
from scipy.stats import multivariate_normal

from unswayed import Matern, SquaredExponential, UnswayedError
from unswayed.core.gp.fitting import fit_lengthscale, negative_log_likelihood


def test_likelihood_is_the_normal_density(rng):
    X, y = rng.uniform(-1, 1, (7, 2)), rng.standard_normal(7)
    kernel = Matern(2.5, 0.7)
    density = multivariate_normal(np.zeros(7), kernel(X, X) + 0.1 * np.eye(7)).logpdf(y)
    assert negative_log_likelihood(kernel, X, y, 0.1) == pytest.approx(-density, rel=1e-10)


@pytest.mark.parametrize("truth", [SquaredExponential(0.3), Matern(2.5, 0.8)], ids=repr)
def test_finds_the_lengthscale_of_a_draw(truth, rng):
    X = rng.uniform(-2, 2, (150, 2))
    y = np.linalg.cholesky(truth(X, X) + 1e-8 * np.eye(150)) @ rng.standard_normal(150)
    fitted = fit_lengthscale(truth, X, y, lam=1e-8)
    assert type(fitted) is type(truth)
    assert fitted.lengthscale == pytest.approx(truth.lengthscale, rel=0.15)


def test_bad_input_is_refused():
    with pytest.raises(UnswayedError, match="at least two"):
        fit_lengthscale(SquaredExponential(), [[0.0]], [1.0])
    with pytest.raises(UnswayedError, match="differ"):
        fit_lengthscale(SquaredExponential(), [[0.0], [0.0]], [1.0, 2.0])
    with pytest.raises(UnswayedError, match="values must be finite"):
        fit_lengthscale(SquaredExponential(), [[0.0], [1.0]], [1.0, np.nan])
