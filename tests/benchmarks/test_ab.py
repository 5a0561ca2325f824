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


def test_bots_are_strong_enough_and_on_four_days(script):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        honest = script.honest_test(rng, weekend=bool(seed % 2))
        (s, n), variant, days = script.add_bots(rng, honest)
        assert np.argmax(s.sum(axis=1) / n.sum(axis=1)) == variant
        assert np.argmax(honest[0].sum(axis=1) / honest[1].sum(axis=1)) != variant
        changed = np.argwhere(s != honest[0])
        assert {(variant, int(day)) for day in days} == {(int(a), int(b)) for a, b in changed}
        assert len(days) == 4
        assert (s - honest[0] == n - honest[1]).all()


def test_the_right_answer_is_found(script, capsys):
    script.with_bots(10, 300)
    words = capsys.readouterr().out
    assert "10 tests; not trusted in 10" in words
    assert int(words.split("right answer in ")[1].split(",")[0]) >= 8


def test_rows_are_timed(script, capsys):
    script.many_rows(2_000, "no-such-python")
    assert "2,000 rows" in capsys.readouterr().out
