"""The benchmark of suspicious sources: honest ones are not named, one that is off is."""

import importlib.util
from pathlib import Path

spec = importlib.util.spec_from_file_location("sources", Path(__file__).parents[2] / "benchmarks" / "audit_sources.py")
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)


def test_honest_sources_are_not_named():
    named = [script.one_set(seed, liar=False, given=given) for seed in range(1000, 1010) for given in (False, True)]
    assert sum(first or others > 0 for _, first, others in named) <= 1


def test_a_source_that_is_off_is_named():
    found = [script.one_set(seed, liar=True, given=False) for seed in range(1000, 1015)]
    clear = [first for noise, first, _ in found if noise < 0.2]
    assert len(clear) > 5
    assert sum(clear) >= len(clear) - 1
    assert sum(others > 0 for *_, others in found) <= 1
