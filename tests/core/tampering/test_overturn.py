"""Fewest false measurements and lying sources, against literal loops over all sets."""

from itertools import combinations

import numpy as np
import pytest

from unswayed.core.tampering import overturn
from unswayed.core.tampering.overturn import overturns
from unswayed.core.tampering.threat import Records


def drawn(seed, arms=4, plays=7, sources=3):
    rng = np.random.default_rng(seed)
    effect = rng.normal(0, 0.2, (arms, plays)) * (rng.random((arms, plays)) < 0.8)
    values, weights = rng.uniform(0, 1, plays), np.ones(plays)
    source = np.append(np.arange(sources), rng.integers(0, sources, plays - sources))
    leads = rng.uniform(0.05, 0.6, arms)
    leads[seed % arms] = 0.0
    return leads, effect, Records(np.zeros(plays, dtype=np.int64), values, weights, source), seed % arms


def taken(effect, records, low, high):
    """What each record takes from a lead at most, by trying both ends."""
    return np.array(
        [max(0.0, *(d * (y - v) for v in (low, high))) for d, y in zip(effect, records.values, strict=True)]
    )


def literal(leads, effect, records, low, high, winner, groups):
    """Least number of groups, whether each is enough alone, and the lowest lead for every number: all sets tried."""
    names = np.unique(groups)
    lowest, alone = np.full(len(names) + 1, np.inf), np.zeros(len(names), dtype=bool)
    for b in range(len(leads)):
        if b == winner:
            continue
        h = taken(effect[b], records, low, high)
        for k in range(len(names) + 1):
            for chosen in combinations(names, k):
                left = leads[b] - h[np.isin(groups, chosen)].sum()
                lowest[k] = min(lowest[k], left)
                if k == 1:
                    alone[list(names).index(chosen[0])] |= left <= 1e-12
    enough = np.flatnonzero(lowest <= 1e-12)
    return (int(enough[0]) if len(enough) else None), alone, lowest


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("block", [None, 2])
def test_all_sets_are_tried_in_vain(seed, block, monkeypatch):
    leads, effect, records, winner = drawn(seed)
    if block:  # rivals come in blocks
        slices = lambda n, _: (slice(i, min(i + block, n)) for i in range(0, n, block))  # noqa: E731
        monkeypatch.setattr(overturn, "row_blocks", slices)
    found = overturns(leads, lambda rows: effect[rows], records, 0.0, 1.0, winner)
    for one, groups in zip(found, (np.arange(7), records.sources), strict=True):
        number, alone, lowest = literal(leads, effect, records, 0.0, 1.0, winner, groups)
        assert one.number == number
        assert len(one.alone) == len(alone)
        assert (one.alone == alone).all()
        np.testing.assert_allclose(one.lowest, lowest, atol=1e-12)
        if number is not None:
            h = taken(effect[one.rival], records, 0.0, 1.0)
            assert len(one.chosen) == number
            assert leads[one.rival] <= h[np.isin(groups, one.chosen)].sum() * (1 + 1e-9)
            assert one.lead == leads[one.rival]


def test_of_equal_counts_the_rival_that_is_least_behind_is_named():
    records = Records(np.zeros(2, dtype=np.int64), np.array([1.0, 1.0]), np.ones(2))
    effect = np.ones((3, 2))
    lies, liars = overturns(np.array([0.0, 0.9, 0.4]), lambda rows: effect[rows], records, 0.0, 1.0, 0)
    assert (lies.number, lies.rival) == (1, 2)
    assert (liars.number, len(liars.alone)) == (None, 0)  # no sources are known


def test_a_tie_needs_no_lie_and_a_lead_beyond_the_range_has_no_number():
    records = Records(np.zeros(2, dtype=np.int64), np.array([0.5, 0.5]), np.ones(2))
    effect = np.array([[0.0, 0.0], [1.0, -1.0]])
    assert overturns(np.array([0.0, 0.0]), lambda rows: effect[rows], records, 0.0, 1.0, 0)[0].number == 0
    assert overturns(np.array([0.0, 1.0]), lambda rows: effect[rows], records, 0.0, 1.0, 0)[0].number == 2
    assert overturns(np.array([0.0, 1.1]), lambda rows: effect[rows], records, 0.0, 1.0, 0)[0].number is None


def test_rounding_errors_of_effects_are_allowed_for():
    records = Records(np.zeros(2, dtype=np.int64), np.array([0.5, 0.5]), np.array([1.0, 2.0]))
    effect, error = np.array([[0.0, 0.0], [1.0, -1.0]]), np.array([0.0, 0.1])
    found, _ = overturns(np.array([0.0, 1.0]), lambda rows: effect[rows], records, 0.0, 1.0, 0, error)
    np.testing.assert_allclose(found.lowest, [1.0, 1.0 - 0.7, 1.0 - 0.7 - 0.6])


def test_a_record_without_a_name_helps_any_number_of_liars_once():
    records = Records(np.zeros(4, dtype=np.int64), np.ones(4), np.ones(4), np.array([0, 1, 2, -1]))
    effect = np.array([[0.0] * 4, [0.1, 0.1, 0.1, 0.3]])
    _, liars = overturns(np.array([0.0, 0.58]), lambda rows: effect[rows], records, 0.0, 1.0, 0)
    assert liars.number == 3
    np.testing.assert_allclose(liars.lowest, [0.58, 0.18, 0.08, -0.02])
    _, liars = overturns(np.array([0.0, 0.4]), lambda rows: effect[rows], records, 0.0, 1.0, 0)
    assert liars.alone.all()
