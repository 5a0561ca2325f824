"""The scripts behind docs/evidence/guarantees.md: against literal formulas, and the page has their numbers."""

import importlib
import sys
from math import log, log2, sqrt
from pathlib import Path

import numpy as np
import pytest

from unswayed import Problem, SquaredExponential
from unswayed.core.design.information import gain_upper_bound
from unswayed.problems import f1

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "evidence" / "guarantees.md").read_text(encoding="utf-8")


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    for name in ("price", "theorems"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module


def literal_price(problem, B, R, T, C, delta, D):
    """Section 5, arm by arm, with the norm of every raised function computed afresh."""
    K, total = problem.kernel(problem.domain, problem.domain), 0.0
    for arm, gap in enumerate(problem.gaps):
        raised = problem.f.copy()
        raised[arm] += gap + D
        norm = sqrt(raised @ np.linalg.solve(K, raised))
        if arm != problem.best_arm and norm <= B and (T - C / (gap + D)) * D > R:
            total += gap / (gap + D)
    return (1 - delta) * C * total


def test_the_price_is_the_largest_bound(script):
    price, rng = script("price"), np.random.default_rng(3)
    arms = np.linspace(0, 1, 6)[:, None]
    problem = Problem("small", arms, rng.standard_normal(6), 0.1, SquaredExponential(0.2), np.ones(6, bool))
    for times in (1.0, 1.2, 1.5):
        for R in (500.0, 20_000.0):
            B = times * problem.norm
            literal = [
                literal_price(problem, B, R, price.T, price.C, price.DELTA, D)
                for D in R / price.T * np.geomspace(1, 100, 2_000)
            ]
            assert price.price(problem, B, R)[0] == pytest.approx(max(literal))


def test_the_page_has_the_price(script):
    price, problem = script("price"), f1()
    for times in price.NORMS:
        cells = (price.price(problem, times * problem.norm, R) for R in price.GUARANTEES)
        row = f"| {times:g} | " + " | ".join(f"{bound:,.0f} ({arms})" for bound, arms in cells) + " |"
        assert row in PAGE


def test_the_theorems_are_what_they_say(script):
    theorems, problem = script("theorems"), f1()
    T, C, sigma, B, N, delta = 50_000, 50.0, 0.02, problem.norm, 100, 0.05
    gamma, _ = gain_upper_bound(problem.kernel(problem.domain, problem.domain), sigma**2, T)
    G = 2 * gamma / log(2)
    b = B * sigma + sigma * sqrt(2 * log(2 / delta) + 2 * gamma)
    assert theorems.influence_ucb(problem, T) == pytest.approx(4 * b * sqrt(G * T) + 4 * max(C, b) * G + 2 * B * G)
    b = B * sigma + sigma * sqrt(2 * log(N * 15**2 * np.pi**2 / (6 * delta)))  # H = 15: 2^15 <= T + 1
    phased = 4 * B + 8 * B * G + 8 * (1 + sqrt(2)) * b * sqrt(2 * G * (T + 1)) + 4 * 2 * G * C * log2(T + 1)
    assert theorems.influence_pe(problem, T) == pytest.approx(phased)
    assert theorems.trivial(problem, T) == pytest.approx(T * (problem.f.max() - problem.f.min()))


def test_the_page_has_the_theorems_beside_the_trivial_bound(script):
    theorems, problem = script("theorems"), f1()
    for bound in (theorems.trivial, theorems.influence_ucb, theorems.influence_pe, theorems.paper):
        row = " | ".join(theorems.shown(bound(problem, T)) for T in theorems.HORIZONS)
        assert f"| {row} |" in PAGE
