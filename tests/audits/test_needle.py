"""An option that is far ahead, and whose repeats agree, is no lie."""

import numpy as np
import pytest

from unswayed.audits.audit import audit


@pytest.mark.parametrize(("options", "repeats", "height"), [(5, 4, 30), (8, 5, 20), (12, 4, 10)])
def test_repeats_that_agree_are_explained(options, repeats, height):
    rng = np.random.default_rng(0)
    suspected = 0
    for _ in range(3):
        x = np.repeat(np.arange(options), repeats)[:, None]
        y = 0.1 * rng.standard_normal(len(x)) + 0.1 * height * (x[:, 0] == rng.integers(options))
        found = audit(x, y)
        suspected += bool(found.suspects)
        assert found.winner_without_suspects == found.winner
    assert suspected <= 1


def test_one_lie_is_still_found():
    rng = np.random.default_rng(1)
    x = np.repeat(np.arange(8), 4)[:, None]
    y = np.sin(x[:, 0]) + 0.1 * rng.standard_normal(32)
    y[5] += 30
    found = audit(x, y)
    assert [suspect.row for suspect in found.suspects] == [5]


def test_options_that_do_not_matter_are_not_sensitive():
    values = np.array([0.80, 0.81, 0.86, 0.84, 0.79, 0.78])
    x = np.repeat([[a, b] for a in (0.001, 0.01, 0.1) for b in (0.5, 0.9)], 4, axis=0)
    found = audit(x, np.repeat(values, 4) + 0.01 * np.random.default_rng(0).standard_normal(24))
    largest = max(found.breakdown_budget, 1.0)
    assert all(needed < 1e6 * largest for _, needed in found.sensitive_options)
