"""What the names stand for: settings reach the policies as the paper and the options say."""

import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pytest

from unswayed import Linear, Matern, SquaredExponential, UnswayedError
from unswayed.core.tampering.clipping import radius
from unswayed.core.theory.bounds import theorem_psi
from unswayed.experiments.instances import make_problem
from unswayed.experiments.registry import (
    ATTACKS,
    CERTIFIED,
    ENTRIES,
    PAPER_ATTACKS,
    POLICIES,
    PROBLEMS,
    gamma_bound,
    make_attack,
    make_policy,
)
from unswayed.experiments.settings import PolicySettings
from unswayed.plots.style import PALETTE, colour, label
from unswayed.policies.gp_ucb import LogDetBeta, SqrtLogBeta
from unswayed.policies.robust_phased_elimination import ExperimentsWidth, InformationWidth, TheoryWidth

DOCS = Path(__file__).parents[2] / "docs"


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
    theory = PolicySettings(width="theory", delta=0.02, norm=11.0, b=0.3)
    assert make_policy("rgp-pe", f1, 50.0, 1000, theory).width == TheoryWidth(11.0, 0.02, 0.02)
    ucb = make_policy("rgp-ucb", f1, 50.0, 1000, theory)
    assert ucb.beta == LogDetBeta(11.0, 0.02, 0.02)
    assert ucb.b == 1.0
    assert make_policy("gp-ucb", f1, 50.0, 1000, PolicySettings(width="theory")).beta.norm_bound == pytest.approx(
        f1.norm
    )


def test_both_forms_of_corollary_2(f1):
    given = {"delta": 0.02, "norm": 11.0, "b": 0.3, "lam": 1.5}
    exact = make_policy("rgp-pe", f1, 50.0, 1000, PolicySettings(width="log-det", **given))
    assert exact.width == InformationWidth(11.0, 0.02, 0.02)
    printed = make_policy("rgp-pe", f1, 50.0, 1000, PolicySettings(width="gain", **given))
    assert printed.width == InformationWidth(11.0, 0.02, 0.02, gamma_bound(f1, 1.5, 1000)[0])
    ucb = make_policy("rgp-ucb", f1, 50.0, 1000, PolicySettings(width="log-det", **given))
    assert (ucb.beta, ucb.b) == (LogDetBeta(11.0, 0.02, 0.02), 1.0)
    with pytest.raises(UnswayedError, match="rgp-pe"):
        make_policy("gp-ucb", f1, 50.0, 1000, PolicySettings(width="gain"))


def test_psi_by_the_theorem_depends_on_the_horizon(f1):
    for T in (1000, 10**6):
        policy = make_policy("rgp-pe", f1, 50.0, T, PolicySettings(psi="theorem", eta=3.0, lam=0.5))
        gamma, name = gamma_bound(f1, 0.5, T)
        assert policy.truncation == theorem_psi(3.0, gamma)
        assert name == "convex relaxation"
    assert gamma_bound(f1, 0.5, 10**6)[0] > 1.5 * gamma_bound(f1, 0.5, 1000)[0]


def test_linear_pe(f1):
    policy = make_policy("linear-pe", f1, 50.0, 10_000, PolicySettings(delta=0.02))
    assert (policy.error, policy.delta, policy.noise_std) == (pytest.approx(0.01), 0.02, 0.02)
    assert policy.norm_bound == pytest.approx(f1.norm)
    assert policy.truncation == 1 / policy.m_0
    assert make_policy("linear-pe", f1, 50.0, 10_000, PolicySettings(alpha=0.2)).truncation == 0.2
    smooth = make_problem("f1", kernel="matern-2.5")
    matern = make_policy("linear-pe", smooth, 50.0, 10_000, PolicySettings(error="matern", norm=9.0))
    assert matern.error == pytest.approx(10_000 ** (-2.5 / 4.5))


def test_attacks_take_the_settings_of_the_problem(f1):
    assert make_attack("clipping", f1).margin == 0.5
    assert make_attack("aggsub", make_problem("robot3d")).h_max == 3.0
    assert (make_attack("top-3", f1).k, make_attack("top-5", f1).k) == (3, 5)


def test_spikes_in_range_show_the_bounds_of_the_problem(f1):
    B = f1.norm
    assert make_attack("spikes-hide-in-range", f1).shown == pytest.approx(-B)
    assert make_attack("spikes-promote-in-range", f1).shown == pytest.approx(B)
    known = make_problem("f1", low=-3.0, high=4.0)
    assert make_attack("spikes-hide-in-range", known).shown == -3.0
    assert make_attack("spikes-promote-in-range", known).shown == 4.0
    assert make_attack("spikes-hide", known).shown is None


def test_trimmed_pe_is_told_counts(f1):
    policy = make_policy("trimmed-pe", f1, 0.0, 1000, PolicySettings(delta=0.02, eta=3.0), lies=4, sources=9, liars=2)
    assert (policy.lies, policy.sources, policy.liars, policy.delta, policy.eta) == (4, 9, 2, 0.02, 3.0)
    assert (policy.norm_bound, policy.lam) == (pytest.approx(f1.norm), pytest.approx(0.02**2))
    assert make_policy("gp-ucb", f1, 1.0, 1000, lies=4).lam == 1.0  # the others are not told


def test_both_forms_of_rcgp_ucb_expect_all_honest_rewards(f1):
    T, B, third = 1000, f1.norm, 0.05 / 3
    r = radius(0.02, T, third)
    stable, adaptive = (make_policy(name, f1, 5.0, T) for name in ("rcgp-ucb", "a2-rcgp-ucb"))
    gp = make_policy("gp-ucb", f1, 5.0, T)
    for policy in (stable, adaptive):
        assert (policy.plateau, policy.centre) == (pytest.approx(B + r), 0.0)
        assert (policy.softness, policy.beta, policy.lam, policy.corruptions) == (1.0, gp.beta, gp.lam, 0)
    assert stable.recentred is None
    log_det = 2 * gamma_bound(f1, 1.0, T)[0]
    assert adaptive.recentred == pytest.approx(B + 0.02 * np.sqrt(2 * np.log(1 / third) + log_det) + r)
    known = make_policy("rcgp-ucb", make_problem("f1", low=-3.0, high=4.0), 5.0, T)
    assert (known.centre, known.plateau) == (0.5, pytest.approx(3.5 + r))
    told = make_policy("a2-rcgp-ucb", f1, 5.0, T, PolicySettings(plateau=1.96, lam=0.1, beta=2.0))
    assert (told.plateau, told.recentred, told.lam, told.beta) == (1.96, 1.96, 0.1, SqrtLogBeta(2.0))


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
    with pytest.raises(UnswayedError, match="is SquaredExponential"):
        make_problem("f1", kernel="matern-1e9")


def test_tables_scale_their_attacks(tmp_path):
    x = np.linspace(0, 1, 20)
    path = tmp_path / "t.csv"
    path.write_text("\n".join(f"{a},{100 * np.sin(6 * a)}" for a in x))
    problem = make_problem(str(path))
    assert problem.margin == pytest.approx(0.5 * problem.f.std())
    assert problem.h_max > problem.f.max() - problem.f[problem.target].max()


@pytest.mark.parametrize("name", ENTRIES)
def test_every_name_has_a_label_and_a_colour(name):
    assert ENTRIES[name].name == name
    assert label(name) == ENTRIES[name].label != ""
    assert colour(name, 0) == PALETTE[ENTRIES[name].colour]


@pytest.mark.parametrize("entries", [POLICIES, ATTACKS, PROBLEMS], ids=["policies", "attacks", "problems"])
def test_names_can_be_told_apart(entries):
    for kind in ("label", "colour"):
        shown = [getattr(entry, kind) for entry in entries.values()]
        assert len(set(shown)) == len(shown), kind
    assert len(ENTRIES) == len(POLICIES) + len(ATTACKS) + len(PROBLEMS)  # no name stands for two things


def classes(package, attribute):
    """The classes of a package's modules that have an attribute, without protocols and box attacks."""
    found = set()
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        for _, cls in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            ours = cls.__module__.startswith(package.__name__) and not cls.__module__.endswith(".boxes")
            if ours and hasattr(cls, attribute) and not getattr(cls, "_is_protocol", False):
                found.add(cls)
    return found


def test_every_class_is_made_by_some_name(f1):
    import unswayed.adversaries
    import unswayed.policies

    policies = {type(make_policy(name, f1, 5.0, 100)) for name in POLICIES}
    assert classes(unswayed.policies, "ask") == policies
    assert classes(unswayed.adversaries, "corrupt") == {type(make_attack(name, f1)) for name in ATTACKS}
    assert {cls.__name__ for cls in policies} <= set(unswayed.__all__)


def test_flags():
    assert PAPER_ATTACKS == ("none", "clipping", "aggsub", "top-3", "top-5", "flip")
    assert CERTIFIED == ("influence-ucb", "influence-pe")
    assert [name for name, entry in POLICIES.items() if entry.noise_lam] == [*CERTIFIED, "trimmed-pe", "vigilant-ucb"]
    assert [name for name, entry in POLICIES.items() if entry.trims] == ["trimmed-pe"]
    assert [name for name, entry in POLICIES.items() if entry.weighs] == ["rcgp-ucb", "a2-rcgp-ucb"]


def test_the_help_of_the_command_line_names_all():
    from unswayed.cli import simulate

    for kind, entries in (("policy", POLICIES), ("attack", ATTACKS), ("problem", PROBLEMS)):
        (option,) = get_type_hints(simulate.command, include_extras=True)[kind].__metadata__
        assert all(name in option.help for name in entries)
        assert "module:attribute" in option.help


def test_the_docs_name_all():
    text = (DOCS / "reference" / "algorithms.md").read_text()
    for name in ENTRIES:
        assert f"`{name}`" in text, f"docs/reference/algorithms.md does not mention {name}"


def test_the_names_cost_no_heavy_imports():
    code = "import sys, unswayed.experiments.registry; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "scipy", "numba", "pyarrow", "matplotlib"} & set(loaded)
