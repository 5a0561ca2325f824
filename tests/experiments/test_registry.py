"""What the names stand for: settings reach the policies as the paper and the options say."""

import numpy as np
import pytest

from unswayed import Linear, Matern, SquaredExponential, UnswayedError
from unswayed.core.bounds import theorem_psi
from unswayed.experiments.registry import Settings, gamma_bound, make_attack, make_policy, make_problem
from unswayed.policies.gp_ucb import LogDetBeta, SqrtLogBeta
from unswayed.policies.robust_phased_elimination import ExperimentsWidth, TheoryWidth


@pytest.fixture(scope="module")
def f1():
    return make_problem("f1")


def test_defaults_are_those_of_section_4(f1):
    robot = make_problem("robot3d")
    for problem, beta_h, scale in ((f1, 4.0, 0.5), (robot, 6.0, 2.0)):
        pe = make_policy("rgp-pe", problem, 50.0, 1000)
        assert pe.width == ExperimentsWidth(beta_h, 0.1)
        assert (pe.lam, pe.eta, pe.truncation, pe.corruption_budget) == (1.0, 2.0, 0.5, 50.0)
        for name in ("gp-ucb", "rgp-ucb"):
            assert make_policy(name, problem, 50.0, 1000).beta == SqrtLogBeta(scale)
        assert make_policy("rgp-ucb", problem, 50.0, 1000).enlargement == pytest.approx(5.0)


def test_theory_widths(f1):
    theory = Settings(width="theory", delta=0.02, norm=11.0, b=0.3)
    assert make_policy("rgp-pe", f1, 50.0, 1000, theory).width == TheoryWidth(11.0, 0.02, 0.02)
    ucb = make_policy("rgp-ucb", f1, 50.0, 1000, theory)
    assert ucb.beta == LogDetBeta(11.0, 0.02, 0.02)
    assert ucb.b == 1.0
    assert make_policy("gp-ucb", f1, 50.0, 1000, Settings(width="theory")).beta.norm_bound == pytest.approx(f1.norm)


def test_psi_by_the_theorem_depends_on_the_horizon(f1):
    for T in (1000, 10**6):
        policy = make_policy("rgp-pe", f1, 50.0, T, Settings(psi="theorem", eta=3.0, lam=0.5))
        gamma, name = gamma_bound(f1, 0.5, T)
        assert policy.truncation == theorem_psi(3.0, gamma)
        assert name == "convex relaxation"
    assert gamma_bound(f1, 0.5, 10**6)[0] > 1.5 * gamma_bound(f1, 0.5, 1000)[0]


def test_linear_pe(f1):
    policy = make_policy("linear-pe", f1, 50.0, 10_000, Settings(delta=0.02))
    assert (policy.error, policy.delta, policy.noise_std) == (pytest.approx(0.01), 0.02, 0.02)
    assert policy.norm_bound == pytest.approx(f1.norm)
    smooth = make_problem("f1", kernel="matern-2.5")
    matern = make_policy("linear-pe", smooth, 50.0, 10_000, Settings(error="matern", norm=9.0))
    assert matern.error == pytest.approx(10_000 ** (-2.5 / 4.5))


def test_attacks_take_the_settings_of_the_problem(f1):
    assert make_attack("clipping", f1).margin == 0.5
    assert make_attack("aggsub", make_problem("robot3d")).h_max == 3.0
    assert (make_attack("top-3", f1).k, make_attack("top-5", f1).k) == (3, 5)


def test_kernels_and_lengthscales():
    assert make_problem("f1", lengthscale=3.0).kernel == SquaredExponential(3.0)
    assert make_problem("f1", kernel="matern-1.5", lengthscale=3.0).kernel == Matern(1.5, 3.0)
    assert isinstance(make_problem("f1", kernel="matern-1.5").kernel.lengthscale, float)
    assert isinstance(make_problem("f1", kernel="linear").kernel, Linear)
    for options in ({"kernel": "linear", "lengthscale": 2.0}, {"lengthscale": 2.0}):
        with pytest.raises(UnswayedError, match="no length-scale"):
            make_problem("linear", **options)
    with pytest.raises(UnswayedError, match="nu must be finite and positive"):
        make_problem("f1", kernel="matern--1")
    with pytest.raises(UnswayedError, match="cannot be told from"):
        make_problem("f1", kernel="matern-1e9")


def test_tables_scale_their_attacks(tmp_path):
    x = np.linspace(0, 1, 20)
    path = tmp_path / "t.csv"
    path.write_text("\n".join(f"{a},{100 * np.sin(6 * a)}" for a in x))
    problem = make_problem(str(path))
    assert problem.margin == pytest.approx(0.5 * problem.f.std())
    assert problem.h_max > problem.f.max() - problem.f[problem.target].max()
