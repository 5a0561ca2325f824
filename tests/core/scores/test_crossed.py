"""Differences that several sources saw: the variance where both are drawn anew."""

import numpy as np
import pytest

from unswayed.core.scores import difference, with_sources


def seen(rng, tastes, sources=4, items=60):
    """The difference of two equal options, as each source saw it on each item."""
    d = rng.normal(0, tastes, sources)[:, None] + rng.normal(0, 1, items) + rng.normal(0, 1, (sources, items))
    source, item = (a.reshape(-1) for a in np.indices(d.shape))
    return d, item, source


def judged(d, item, source):
    return with_sources(difference(d.mean(axis=0), 20.0), d.reshape(-1), item, source, 0.05)


def test_the_variance_is_that_of_a_crossed_analysis():
    """MS_items + MS_sources - MS_rest, over their number; ours differs by terms of higher order."""
    d, item, source = seen(np.random.default_rng(0), 1.0, sources=20, items=400)
    rest = d - d.mean(axis=0) - d.mean(axis=1)[:, None] + d.mean()
    by_item, by_source = d.mean(axis=0).var(ddof=1) / 400, d.mean(axis=1).var(ddof=1) / 20
    theirs = np.sqrt(by_item + by_source - (rest**2).sum() / (399 * 19) / d.size)
    found = judged(d, item, source)
    assert (found.high - found.low) / 2 == pytest.approx(2.086 * theirs, rel=0.03)  # t with about 20 degrees


def test_sources_that_agree_change_little_and_those_that_do_not_change_much():
    for tastes, low, high in ((0.0, 1.0, 1.15), (2.0, 2.0, 20.0)):
        ratios = []
        for seed in range(30):
            d, item, source = seen(np.random.default_rng(seed), tastes)
            alone, both = difference(d.mean(axis=0), 20.0), judged(d, item, source)
            assert both.probability >= alone.probability
            ratios.append((both.high - both.low) / (alone.high - alone.low))
        assert low <= np.median(ratios) <= high


def test_one_source_says_nothing_of_tastes():
    d = np.random.default_rng(1).normal(0.5, 1, 50)
    alone = difference(d, 10.0)
    assert with_sources(alone, d, np.arange(50), np.zeros(50, dtype=int), 0.05) == alone


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sources", "tastes", "most"), [(2, 0.0, 0.05), (2, 0.1, 0.05), (2, 1.0, 0.1), (3, 1.0, 0.08), (8, 1.0, 0.05)]
)
def test_equal_options_seldom_differ(sources, tastes, most):
    """Two or three sources with strong tastes may agree by chance: that is known, and said in the how-to."""
    false = 0
    for seed in range(500):
        d, item, source = seen(np.random.default_rng(seed), tastes, sources)
        false += judged(d, item, source).probability <= 0.05
    assert false <= most * 500 + 2 * np.sqrt(most * (1 - most) * 500)
