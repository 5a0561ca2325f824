"""Options by label whose numbers are hard to compute with: weights far apart, values far from 0."""

import numpy as np
import pytest

from unswayed.audits.labels.audit import audit_labels


def test_a_source_that_is_far_more_precise_can_be_left_out():
    # Without the meter, b has the mean 2 and c has 3; the meter's weight in b is 10^18 times that of the others.
    options, values = ["b", "b", "b", "c", "c"], [9.0, 1.0, 3.0, 3.0, 3.0]
    sources, noise = ["meter", "hand", "hand", "hand", "eye"], [1e-9, 1.0, 1.0, 1.0, 1.0]
    found = audit_labels(options, values, sources=sources, noise_std=noise)
    assert [found.labels[s.without] for s in found.sources] == ["c", "b", "b"]
    assert found.labels[found.winner] == "b"


def test_a_precise_value_beside_rough_ones_is_no_outlier():
    rng = np.random.default_rng(0)
    suspected = 0
    for _ in range(200):
        values = np.append(rng.normal(0, 1, 6), [0.01, 0.0])
        suspected += bool(audit_labels([*"aaaaaaab"], values, noise_std=[1.0] * 6 + [1e-9, 1.0]).suspects)
    assert suspected <= 6  # about 1% of honest audits


@pytest.mark.parametrize("offset", [0.0, 1.0, -1000.0])
def test_an_offset_changes_no_count(offset):
    rng = np.random.default_rng(1)
    for _ in range(100):
        options, sources = [*"abc", *rng.choice([*"abc"], 6)], [*"xyzxyzxyz"]
        ratings = rng.integers(1, 6, 9)
        if np.ptp(ratings) == 0:
            continue
        plain = audit_labels(options, ratings, sources=sources)
        moved = audit_labels(options, 1e-6 * ratings + offset, sources=sources)
        assert (plain.winner, plain.tied) == (moved.winner, moved.tied)
        assert plain.breakdown_lies == moved.breakdown_lies
        assert plain.breakdown_sources == moved.breakdown_sources
        if not plain.tied:
            assert [s.alone for s in plain.sources] == [s.alone for s in moved.sources]


def test_the_recorded_lead_is_that_over_the_recorded_rival():
    rng = np.random.default_rng(2)
    for _ in range(200):
        options = [*"abcd", *rng.choice([*"abcd"], 5)]
        found = audit_labels(options, rng.normal(size=9))
        record = found.to_dict()
        assert record["lead"] == pytest.approx(record["estimate"] - record["estimates"][record["rival"]])
