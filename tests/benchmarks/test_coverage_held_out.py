"""The families that no rule is developed on: they draw what a study can be run on. How it does there is not tested."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))  # the families are loaded by name
script, cases = (importlib.import_module(f"coverage_{name}") for name in ("runs", "cases"))
FAMILIES = script.families("held-out")


def test_they_are_others():
    assert len(FAMILIES) >= 6
    assert not FAMILIES.keys() & script.families("estimated").keys()


@pytest.mark.parametrize("name", list(FAMILIES))
def test_a_family_draws_a_new_function_for_each_run(name):
    drawn = [FAMILIES[name].draw(np.random.default_rng(seed)) for seed in (0, 0, 1)]
    shapes = [np.round((v - v.min()) / np.ptp(v), 6) for v in (case.truth(case.space.arms(50, 0)) for case in drawn)]
    assert np.array_equal(shapes[0], shapes[1])
    assert not np.array_equal(shapes[0], shapes[2])
    for case in drawn:
        assert 3 <= case.plays <= 300
        assert case.noise_std >= 0
        assert (case.settings["threat"] > 0) == (case.lies is not None)
        assert case.settings.keys() <= {"threat", "noise_std", "kernel"}
