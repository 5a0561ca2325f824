"""The model from what is given and what is estimated: nothing given is changed, and norms hold."""

from dataclasses import dataclass

import numpy as np
import pytest

from unswayed import InvalidInput, JointPosterior, Linear, Matern, SquaredExponential, Threat
from unswayed.core.gp.kernels import Kernel, WithLevel
from unswayed.judgement.assumptions import Given
from unswayed.judgement.prior import PER_BOUND, WIDE, assumptions, prior

VALUES = np.array([200.0, 210.0, 260.0, 230.0])
ESTIMATES = {"kernel": Matern(2.5, 0.3), "output_scale": 7.0, "noise_std": 2.0}
ALL = {"kernel": SquaredExponential(0.2), "noise_std": 0.1, "output_scale": 3.0, "norm_bound": 5.0}


def test_given_means_given():
    model = prior(Given(threat=0, level=12.0, **ALL), VALUES, **ESTIMATES)
    assert (model.shape, model.noise_std, model.output_scale) == (SquaredExponential(0.2), 0.1, 3.0)
    assert (model.centre, model.level_spread, model.kernel) == (12.0, 0.0, SquaredExponential(0.2))
    assert model.lam == pytest.approx((0.1 / 3) ** 2)
    assert model.noise == pytest.approx(0.1 / 3)
    assert model.norm() == pytest.approx(5 / 3)
    np.testing.assert_allclose(model.unstandardized(model.standardized(VALUES)), VALUES)


def test_what_is_not_given_is_what_was_estimated():
    model = prior(Given(threat=0), VALUES, **ESTIMATES)
    assert (model.shape, model.noise_std, model.output_scale) == (Matern(2.5, 0.3), 2.0, 7.0)
    assert (model.centre, model.level_spread) == (220.0, WIDE)
    assert model.norm() is None


@pytest.mark.parametrize("level", [(190.0, 210.0), (-500.0, 500.0), (219.5, 220.0)])
def test_the_norm_under_the_kernel_with_the_level(level):
    """f = m + g with |g|_k = B exactly and m at the end of the pair: the bound holds, and not by much."""
    rng = np.random.default_rng(0)
    given = Given(threat=0, level=level, **ALL)
    model = prior(given, VALUES, **ESTIMATES)
    X = rng.uniform(size=(8, 1))
    K = given.kernel(X, X)
    a = rng.standard_normal(8)
    g = K @ a * (given.norm_bound / np.sqrt(a @ K @ a))
    f = model.standardized(level[1] + g)
    assert model.centre == min(max(220.0, level[0]), level[1])
    norm = np.sqrt(f @ np.linalg.solve(model.kernel(X, X) + 1e-11 * np.eye(8), f))
    bound = model.norm(given.level_width)
    assert norm <= bound * (1 + 1e-6)
    assert bound == pytest.approx(np.hypot(1, 1 / PER_BOUND) * given.norm_bound / given.output_scale)
    assert bound == pytest.approx(1.05 * given.norm_bound / given.output_scale, rel=0.01)  # 5% for the level


@dataclass(frozen=True)
class Own:
    def __call__(self, X, Z):
        return X @ Z.T / 4

    def diagonal(self, X):
        return np.square(X).sum(axis=1) / 4


@pytest.mark.parametrize("kernel", [Linear(), Own()])
def test_with_kernels_without_constants_the_level_may_be_far_from_the_values(kernel):
    assert isinstance(kernel, Kernel)
    model = prior(Given(threat=0, kernel=kernel), VALUES, **ESTIMATES)
    assert model.level_spread == pytest.approx(WIDE * 40 / 7)  # as wide as the values lie around their median
    near = prior(Given(threat=0, kernel=kernel, output_scale=80.0), VALUES, **ESTIMATES)
    assert near.level_spread == WIDE  # and no less than that of other kernels
    assert prior(Given(threat=0, kernel=kernel, level=3.0), VALUES, **ESTIMATES).centre == 3.0


def test_the_level_far_from_all_measurements():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(9, 1))
    y = 50 + rng.standard_normal(9)
    model = prior(Given(threat=0, kernel=SquaredExponential(0.1)), y, **ESTIMATES)
    far = np.vstack([X, [[1e6]]])
    counts = np.append(np.ones(9), 0.0)
    means = np.append(model.standardized(y), 0.0)
    posterior = JointPosterior.fit(model.kernel(far, far), means, counts, model.lam)
    assert model.level(posterior) == pytest.approx(model.unstandardized(float(posterior.mean[-1])), rel=1e-9)


def test_a_level_may_be_a_number_or_a_pair():
    assert Given(threat=0, level=3).level == 3.0
    assert Given(threat=0, level=[1, 2]).level == (1.0, 2.0)
    assert Given(threat=0, level=(1, 2)).flipped().level == (-2.0, -1.0)
    assert Given(threat=0, level=4.0).flipped().level == -4.0
    assert Given(threat=0).flipped().level is None
    assert Given(threat=Threat(5.0, 2, low=-1, high=3)).flipped().threat == Threat(5.0, 2, low=-3, high=1)
    assert Given(threat=0, level=(2.0, 2.0)).level_known
    assert not Given(threat=0, level=(2.0, 3.0)).level_known


@pytest.mark.parametrize("level", [(2, 1), "high", (1, 2, 3), (), np.nan, (0, np.inf), 1e200, [[1, 2]]], ids=str)
def test_other_levels_are_refused_in_one_line(level):
    with pytest.raises(InvalidInput, match="level"):
        Given(threat=0, level=level)


def test_what_was_refused_is_named_and_cut_short():
    with pytest.raises(InvalidInput, match=r"not 'high'$"):
        Given(threat=0, level="high")
    with pytest.raises(InvalidInput, match=r"not 'hhhh.{40,60}$"):
        Given(threat=0, level="h" * 1000)


def test_the_assumptions_say_what_was_given():
    given = Given(threat=0, level=(1.0, 2.0), noise_std=0.5)
    model = prior(given, -VALUES, **ESTIMATES)
    found = assumptions(given.flipped(), model, 7.0, minimize=True)
    assert (found.level, found.noise_std, found.norm_bound) == ((1.0, 2.0), 0.5, None)
    assert found.estimated == ("kernel", "output scale")
    assert assumptions(Given(threat=0), model, 7.0, minimize=True).level == -7.0


def test_a_kernel_with_a_level():
    X = np.array([[0.0], [0.4]])
    lifted = WithLevel(SquaredExponential(0.3), 2.0)
    np.testing.assert_allclose(lifted(X, X), SquaredExponential(0.3)(X, X) + 4)
    np.testing.assert_allclose(lifted.diagonal(X), [5, 5])
