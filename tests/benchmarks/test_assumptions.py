"""Wrong assumptions: the games are as stated, and a wrong B shows where B matters and only there."""

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delitem(sys.modules, "assumptions", raising=False)
    return importlib.import_module("assumptions")


def test_a_wrong_norm_bound_misses_where_the_norm_is_the_larger_term(script):
    (weak, weak_sigma), (strong, strong_sigma) = script.SETTINGS
    half = script.CASES["B half of the truth"]
    for seed in range(5):
        missed, noise = script.game(script.Case(), 0.0, weak, weak_sigma, seed)
        assert not missed
        assert noise > weak
        missed, noise = script.game(script.Case(), 0.0, strong, strong_sigma, seed)
        assert not missed
        assert noise < strong
    assert not any(script.game(half, 0.0, weak, weak_sigma, seed)[0] for seed in range(5))
    assert sum(script.game(half, 0.0, strong, strong_sigma, seed)[0] for seed in range(5)) >= 3


def test_more_corruption_than_stated_misses_more_often(script):
    B, sigma = script.SETTINGS[1]
    within, beyond = (
        sum(script.game(script.CASES[name], script.C, B, sigma, seed)[0] for seed in range(10))
        for name in ("all true", "ten times the budget spent")
    )
    assert within == 0
    assert beyond >= 5
