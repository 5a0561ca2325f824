"""Threats against linear programming and literal loops."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

from unswayed import InvalidInput, Threat
from unswayed.core.tampering.threat import Records
from unswayed.judgement.allowance import Allowance


def game(seed, plays=8, rows=3):
    rng = np.random.default_rng(seed)
    records = Records(
        rng.integers(4, size=plays), rng.uniform(0, 1, plays), np.ones(plays), rng.integers(3, size=plays)
    )
    return rng.standard_normal((rows, plays)), records


@pytest.mark.parametrize("seed", range(10))
def test_a_total_reaches_what_a_linear_program_reaches(seed):
    g, records = game(seed)
    plays = g.shape[1]
    for row, reach in zip(g, Threat(0.7).reach(g, records), strict=True):
        split = np.hstack([row, -row])  # increases, then decreases
        found = linprog(-split, A_ub=np.ones((1, 2 * plays)), b_ub=[0.7], bounds=[(0, None)] * (2 * plays))
        assert reach == pytest.approx(-found.fun)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("lies", [0, 1, 3, 8, 20])
def test_lies_reach_the_best_choice_of_measurements_and_values(seed, lies):
    g, records = game(seed)
    for row, reach in zip(g, Threat(lies=lies, low=0, high=1).reach(g, records), strict=True):
        gains = np.maximum(row * (1 - records.values), -row * records.values)
        some = combinations(range(len(row)), min(lies, len(row)))
        assert reach == pytest.approx(max(sum(gains[list(chosen)]) for chosen in some))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("liars", [1, 2, 3])
def test_liars_reach_the_best_choice_of_sources(seed, liars):
    g, records = game(seed)
    for row, reach in zip(g, Threat(liars=liars, low=0, high=1).reach(g, records), strict=True):
        gains = np.maximum(row * (1 - records.values), -row * records.values)
        sums = [gains[records.sources == s].sum() for s in range(3)]
        assert reach == pytest.approx(max(sum(chosen) for chosen in combinations(sums, liars)))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("doubt", ["self-reported", "witnessed"])
def test_doubt_reaches_what_other_values_of_all_doubted_measurements_reach(seed, doubt):
    g, records = game(seed)
    trust = np.random.default_rng(seed).integers(3, size=len(records.values))
    records = replace(records, trust=trust)
    some = trust <= {"self-reported": 0, "witnessed": 1}[doubt]
    for row, reach in zip(g, Threat(doubt=doubt, low=0, high=1).reach(g, records), strict=True):
        bounds = [(0, 1) if free else (y, y) for free, y in zip(some, records.values, strict=True)]
        assert reach == pytest.approx(-linprog(-row, bounds=bounds).fun - row @ records.values)


@pytest.mark.parametrize("seed", range(10))
def test_lies_are_counted_among_what_is_not_doubted(seed):
    g, records = game(seed)
    trust = np.random.default_rng(seed).integers(2, size=len(records.values))
    together = Threat(doubt="self-reported", lies=2, liars=1, low=0, high=1).reach(g, replace(records, trust=trust))
    doubt = Threat(doubt="self-reported", low=0, high=1).reach(g, replace(records, trust=trust))
    others = Threat(lies=2, liars=1, low=0, high=1).reach(np.where(trust == 0, 0.0, g), records)
    np.testing.assert_allclose(together, doubt + others)


def test_without_witnesses_all_is_doubted():
    g, records = game(0)
    everything = Threat(lies=len(records.values), low=0, high=1).reach(g, records)
    np.testing.assert_allclose(Threat(doubt="self-reported", low=0, high=1).reach(g, records), everything)
    assert np.isinf(Threat(doubt="self-reported").reach(g, records)).all()


def test_a_doubt_in_words_and_plain_values():
    threat = Threat(doubt="witnessed", low=0, high=1)
    assert Threat(**threat.to_dict()) == threat
    assert repr(Threat(lies=1)) == "Threat(total=0.0, lies=1, liars=0, low=None, high=None)"
    assert str(threat) == "any number of false measurements that no other witness repeated"
    assert Threat(lies=1, doubt="self-reported").condition == (
        "at most 1 measurement is false, not counting self-reported measurements"
    )
    assert not threat.none
    assert threat.sum_of_changes is None
    assert "doubt" not in Threat(lies=1).to_dict()
    for wrong in ("repeated", "", 0, "all"):
        with pytest.raises(InvalidInput, match="doubt"):
            Threat(doubt=wrong)


def test_kinds_add_up():
    g, records = game(0)
    together = Threat(0.5, 2, 1, low=0, high=1).reach(g, records)
    apart = [Threat(0.5), Threat(lies=2, low=0, high=1), Threat(liars=1, low=0, high=1)]
    np.testing.assert_allclose(together, sum(threat.reach(g, records) for threat in apart))


@pytest.mark.parametrize("threat", [Threat(0.5), Threat(0.1, 2, 1, low=0, high=1), Threat(lies=3, low=0, high=1)])
def test_the_margin_covers_wrong_effects(threat):
    g, records = game(1, plays=12)
    rng = np.random.default_rng(2)
    margin = threat.margin(np.full(len(g), 0.01), records)
    for _ in range(200):
        wrong = threat.reach(g + rng.uniform(-0.01, 0.01, g.shape), records)
        assert (np.abs(wrong - threat.reach(g, records)) <= margin + 1e-12).all()


def test_without_a_range_false_values_reach_anything():
    g, records = game(0)
    assert np.isinf(Threat(lies=1).reach(g, records)).all()
    assert not Threat(lies=1, low=0).bounded
    assert Threat(lies=1).sum_of_changes is None
    assert Threat(1.5, 2, low=0, high=3).sum_of_changes == 7.5
    with pytest.raises(InvalidInput, match="known"):
        Threat(lies=1).reach(g)


def test_a_weight_is_part_of_an_effect():
    records = Records(np.array([2, 0]), np.zeros(2), np.array([4.0, 0.5]))
    effect = np.array([[0.1, 0.2]])  # of plays of arms 0 and 2
    np.testing.assert_allclose(records.effects(effect, np.array([0, 2])), [[0.8, 0.05]])


def test_in_words_and_other_units():
    threat = Threat(2.0, 1, 3, low=-1, high=4)
    assert str(threat) == "tampering of 2 in all, 1 false measurement and 3 lying sources"
    assert threat.condition == (
        "tampering did not exceed 2 in total, at most 1 measurement is false and at most 3 sources lie"
    )
    assert str(Threat()) == "no tampering"
    assert Threat().condition == "nothing was tampered with"
    assert threat.mapped(-1.0, lambda value: -value) == Threat(2.0, 1, 3, low=-4, high=1)
    assert threat.mapped(0.5, lambda value: value / 2) == Threat(1.0, 1, 3, low=-0.5, high=2)
    assert Threat.of(None) is None
    assert Threat.of(3) == Threat(3.0)
    assert threat.clipped(9.0) == 4.0
    assert Threat(lies=1).clipped(9.0) == 9.0


@pytest.mark.parametrize(
    "wrong", [{"total": -1}, {"total": np.nan}, {"lies": 1.5}, {"liars": -1}, {"low": 1, "high": 1}, {"low": np.inf}]
)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(InvalidInput):
        Threat(**wrong)


def test_an_allowance_is_spent():
    left = Allowance.of(Threat(1.0, 2, 1))
    left = left.charged(9.0, 30, source=True)
    assert left == Allowance(1.0, 2, 0)
    left = left.charged(5.0, 2)
    assert left == Allowance(1.0, 0, 0)
    assert left.charged(2.0, 1) is None
    assert left.charged(0.75, 1) == Allowance(0.25, 0, 0)
    assert Allowance.of(None).charged(1e9, 500, source=True) is not None


def test_a_measurement_without_a_name_may_come_from_any_liar():
    g = np.array([[1.0, 1.0, 1.0, 1.0]])
    some = Records(np.zeros(4, dtype=int), np.zeros(4), np.ones(4), np.array([0, 1, 1, -1]))
    assert Threat(liars=1, low=0, high=1).reach(g, some) == 3  # the second source, and the one without a name
    assert Threat(liars=2, low=0, high=1).reach(g, some) == 4  # it came from one of them, not from both
    assert Threat(liars=2, low=0).reach(g, some) == np.inf
    nobody = Records(np.zeros(4, dtype=int), np.zeros(4), np.ones(4))
    assert Threat(liars=1, low=0, high=1).reach(g, nobody) == 4


@pytest.mark.parametrize("sources", [[0], [0, 0, -1], [-1, -1], [2, 0, -1, 2]])
def test_sums_by_source_have_a_column_for_each_source(sources):
    h = np.arange(1.0, 1 + 2 * len(sources)).reshape(2, -1)
    records = Records(np.zeros(len(sources), int), np.zeros(len(sources)), np.ones(len(sources)), np.array(sources))
    sums = records.by_source(h)
    assert sums.shape == (2, max(sources) + 1)
    for source in range(max(sources) + 1):
        np.testing.assert_allclose(sums[:, source], h[:, np.array(sources) == source].sum(axis=1))
