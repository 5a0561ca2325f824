"""Hostile but accepted values: every study asks and answers, and lies without bounds do no more than moderate ones."""

import importlib
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import unswayed as uw

FOLDER = Path(__file__).parents[2] / "benchmarks"
CONFIRMED = range(40)  # studies of the slow part that compare lies of different sizes


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delitem(sys.modules, "hostile", raising=False)
    return importlib.import_module("hostile")


@pytest.mark.parametrize(
    "seed", [*range(20), 30462]
)  # in the last one nothing is believed that was measured at its answer
def test_a_study_asks_and_answers(script, seed):
    assert script.outcome(seed)[1] is None


@pytest.mark.parametrize("seed", range(8))
def test_an_audit_answers_or_refuses(script, seed):
    assert script.outcome(seed, script.audit)[1] is None


def test_a_failure_is_found(script, monkeypatch):
    monkeypatch.setattr(uw.Optimizer, "answer", lambda study: 1 / 0)
    assert any(script.outcome(seed)[1] for seed in range(2))


def told(values, **settings):
    study = uw.Optimizer(uw.Box({"x": uw.Real(0, 1)}), seed=0, **settings)
    for number, (value, source, noise) in enumerate(values):
        study.add([({"x": (number * 7 % 12) / 11}, uw.Measurement(value, source=source, noise_std=noise))])
    return study


def test_a_lie_says_nothing_of_the_others_however_large_it_is():
    """The same liar at 1e6 and at 1e98 ranges: what is recommended, and what the others are worth, is the same."""
    found = []
    for size in (1e6, 1e12, 1e50, 1e98):
        x = [(number * 7 % 12) / 11 for number in range(12)]
        values = [float(np.exp(-8 * (at - 0.3) ** 2)) for at in x]
        rows = [(size * (1 + i) if i % 4 == 3 else v, "abcd"[i % 4], None) for i, v in enumerate(values)]
        answer = told(rows, threat=uw.Threat(liars=1)).answer()
        assert [one.name for one in answer.sources if one.set_aside] == ["d"] or len(answer.set_aside) == 3
        assert answer.estimate < 2
        found.append(answer.point["x"])
    assert np.ptp(found) < 0.1
    assert abs(found[-1] - 0.3) < 0.2


@pytest.mark.parametrize("error", [1.1e-100, 1e-30, 1e30, 9e99])
def test_a_standard_error_says_nothing_of_other_sources(error):
    """One source states a standard error; the others are still told apart."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = [(number * 7 % 12) / 11 for number in range(12)]
        rows = [
            (float(np.exp(-8 * (at - 0.3) ** 2)), "abcd"[i % 4], error if i % 4 == 3 else None)
            for i, at in enumerate(x)
        ]
        study = told(rows, threat=uw.Threat(liars=1))
        assert abs(study.answer().point["x"] - 0.3) < 0.2
        assert 0 <= study.ask()[0].point["x"] <= 1


@pytest.mark.slow
def test_a_thousand_studies_ask_and_answer(script):
    assert [found for found in map(script.outcome, range(1_000)) if found[1]] == []


@pytest.mark.slow
def test_lies_without_bounds_do_no_more_than_moderate_ones(script):
    assert not script.worse([script.harm(seed) for seed in CONFIRMED])
