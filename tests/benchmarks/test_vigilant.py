"""The variants of vigilant-UCB: what varies is a field of the policy, and it makes a difference."""

import importlib
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from unswayed import SquaredExponential, VigilantUCB

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delitem(sys.modules, "vigilant", raising=False)
    return importlib.import_module("vigilant")


def test_every_variant_is_made_of_fields(script):
    names = {field.name for field in fields(VigilantUCB)}
    for label, options in script.VARIANTS.items():
        assert options.keys() <= names, label
    defaults = {field.name: field.default for field in fields(VigilantUCB)}
    same = [label for label, options in script.VARIANTS.items() if all(defaults[n] == v for n, v in options.items())]
    assert same == ["verify every 3rd"]  # the policy as it is


def test_variants_meet_the_same_games_and_differ(script):
    f = np.linalg.cholesky(SquaredExponential(0.3)(script.GRID, script.GRID) + 1e-8 * np.eye(400)) @ (
        np.random.default_rng(0).standard_normal(400)
    )
    wanted = script.attacks(f)["promote"]
    options = script.VARIANTS["trim only"]
    gaps = [script.gap(f, wanted, 25, 0, options) for _ in range(2)]
    assert gaps[0] == gaps[1]
    assert options == {"verify": 0}  # a game does not change its variant
    others = {label: script.gap(f, wanted, 25, 0, chosen) for label, chosen in script.VARIANTS.items()}
    assert len(set(others.values())) > 2
