"""The A/B benchmark: bots make their variant win, honest data are what they are called, and the audit sees the bots."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delitem(sys.modules, "ab", raising=False)
    return importlib.import_module("ab")


@pytest.mark.parametrize("days", [2, 4])
def test_bots_visit_one_variant_on_their_days(script, days):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        honest = script.honest(rng, 4, 0.1)
        test = script.with_bots(rng, honest, days)
        changed = np.argwhere(test.orders != honest.orders)
        assert len(changed) == days
        assert len({int(variant) for variant, _ in changed}) == 1
        assert (test.orders - honest.orders == test.visitors - honest.visitors).all()


def test_every_kind_is_counted(script):
    total = script.of_tests(1, 300)["total"]
    assert total["without a difference"] + total["with a difference"] == len(script.KINDS)


def test_rows_are_timed(script, capsys):
    script.many_rows(2_000, "no-such-python")
    assert "2,000 rows" in capsys.readouterr().out
