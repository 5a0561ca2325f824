"""Measurements by point: what a part of them keeps, and that pooling loses nothing a Gaussian likelihood needs."""

import numpy as np
import pytest

from unswayed.judgement.table import Pooled, Table


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, (20, 2)).astype(float)
    return Table.of(
        rows,
        rng.standard_normal(20),
        rng.uniform(1, 2, 20),
        sources=rng.integers(0, 3, 20),
        when=np.linspace(-1, 1, 20),
        names=("a", "b", "c"),
    )


def test_a_part_keeps_what_belongs_to_each_measurement_and_numbers_its_own_points(table):
    some = np.array([7, 3, 11])
    part = table.part(some)
    for name in ("rows", "values", "weights", "sources", "when"):
        np.testing.assert_array_equal(getattr(part, name), getattr(table, name)[some])
    np.testing.assert_array_equal(np.unique(part.arms), np.arange(len(part.points)))
    assert part.source(0) == table.source(7)
    assert part.counts.sum() == 3


def test_other_values_leave_the_rest_as_it_is(table):
    other = table.with_values(-table.values)
    np.testing.assert_allclose(other.means, -table.means)
    assert other.points is table.points


def test_pooled_measurements_have_the_squares_around_every_centre(table):
    found = Pooled.of(table.points, table.arms, table.values, table.weights)
    for centre in (0.0, 1.5):
        literally = table.weights @ np.square(table.values - centre)
        assert found.squares + found.n @ np.square(found.means - centre) == pytest.approx(literally)
