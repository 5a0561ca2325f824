"""The benchmark of sources: honest ones are not blamed, noisier ones neither, and one that is off is."""

import importlib.util
import sys
from pathlib import Path

spec = importlib.util.spec_from_file_location("sources", Path(__file__).parents[2] / "benchmarks" / "audit_sources.py")
script = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = script  # its dataclass looks for it
spec.loader.exec_module(script)


def audits(kind, column, number=20):
    return sum(script.judged(script.told(kind, seed), study=False)[column] for seed in range(1000, 1000 + number))


def test_honest_sources_are_not_blamed():
    assert audits("honest", "honest blamed") + audits("honest", "0 blamed") <= 1


def test_a_noisier_source_is_called_that_and_not_blamed():
    assert audits("5 times", "0 blamed") <= 2
    assert audits("5 times", "0 noisier") >= 10
    assert audits("5 times", "honest blamed") <= 1


def test_a_source_that_is_off_is_blamed():
    assert audits("off", "0 blamed") >= 17


def test_a_study_says_the_same():
    found = script.judged(script.told("off", 1002, most=40), study=True)
    assert found["0 blamed"]
    assert not found["honest blamed"]
