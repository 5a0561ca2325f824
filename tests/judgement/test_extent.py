"""How far apart the usual values are: what one value, or one source with many values, cannot change."""

import numpy as np
import pytest

from unswayed.judgement.extent import FARTHEST, MOST, NOISIEST, Extent, without_dust

NAN = np.nan
HONEST = np.array([3.0, 5.0, 4.0, 6.0, 2.0, 4.5, 5.5, 3.5, 4.0, 5.0, 4.2, 3.8])


def named(*counts):
    """The number of the source of each value, if sources told so many one after the other."""
    return np.repeat(np.arange(len(counts)), counts)


def weights(own, noise=None, sources=None, values=HONEST):
    """Of one measurement for each number of `own`."""
    found, one = Extent.of(values).weights(np.array(own), noise, sources)
    return found.tolist(), one


def test_equal_values_have_no_unit_and_nothing_is_moved():
    assert Extent.of(np.array([])) == Extent(0.0, 0.0, np.inf)
    same = Extent.of(np.full(5, 7.0), np.zeros(5, dtype=np.int64))
    assert same == Extent(7.0, 0.0, np.inf)
    np.testing.assert_array_equal(same.computed_with(np.array([7.0, 1e90])), [7.0, 1e90])
    assert same.possible_noise(1e9) == 1e9


@pytest.mark.parametrize("lie", [1e3, 1e50, -1e99])
@pytest.mark.parametrize("place", [0, 5, 11])
def test_one_lie_hardly_changes_the_unit_and_is_all_that_is_moved(lie, place):
    values = HONEST.copy()
    values[place] = lie
    honest, lied = Extent.of(HONEST), Extent.of(values)
    assert honest.unit / 2 < lied.unit < 2 * honest.unit
    assert abs(lied.middle - honest.middle) < honest.unit
    used = lied.computed_with(values)
    others = np.arange(12) != place
    np.testing.assert_array_equal(used[others], values[others])
    at_most = lied.middle + np.sign(lie) * FARTHEST * lied.unit
    assert used[place] == (lie if abs(lie) == 1e3 else at_most)


def test_later_values_that_are_alike_do_not_narrow_the_unit():
    """A search that goes on at its leader: what it saw first says how the function varies."""
    alike = np.append(HONEST[:8], 4.0 + 1e-6 * np.arange(60))
    assert Extent.of(alike).unit == Extent.of(HONEST[:8]).unit
    assert Extent.of(np.append(np.zeros(8), HONEST)).unit > 0.5  # the first eight are equal: the others say it


def test_a_source_with_most_of_the_values_changes_neither_middle_nor_unit_by_much():
    flood, sources = np.append(HONEST, 1e30 * (-1.0) ** np.arange(40)), named(4, 4, 4, 40)
    told = Extent.of(flood, sources)
    assert HONEST.min() <= told.middle <= HONEST.max()
    assert told.unit <= told.most <= MOST * np.ptp(HONEST)
    assert Extent.of(flood).unit > 1e29  # nobody can know without their names
    assert Extent.of(flood[:12], sources[:12]).unit == Extent.of(HONEST).unit


@pytest.mark.parametrize(("counts", "confirm"), [((3, 3, 3), True), ((3, 3, 2), False), ((6, 6), False)])
def test_sources_confirm_a_spread_if_three_of_them_told_three_values(counts, confirm):
    sources = named(*counts)
    found = Extent.of(HONEST[: len(sources)], sources)
    assert np.isfinite(found.most) == confirm


def test_values_without_a_name_are_no_source_that_confirms():
    sources = named(3, 3, 3) - 1  # of the first three nobody said who told them
    assert Extent.of(HONEST[:9], sources).most == np.inf


def test_the_largest_spread_is_that_of_the_typical_source():
    values, sources = np.array([0, 1, -1, 0, 2, -2, 0, 1e9, -1e9]), named(3, 3, 3)
    found = Extent.of(values, sources)
    assert found.middle == 0.0
    assert found.most == MOST * 2.0
    assert found.unit == min(Extent.of(values).unit, found.most)


def test_where_most_sources_tell_one_number_their_spread_bounds_nothing():
    values = np.array([4.0] * 6 + [4.0, 5.0, 9.0])
    assert Extent.of(values, named(3, 3, 3)).most == np.inf


def test_a_noise_that_contradicts_the_values_is_none():
    extent = Extent.of(HONEST)
    assert extent.possible_noise(NOISIEST * extent.unit) == NOISIEST * extent.unit
    assert extent.possible_noise(1.01 * NOISIEST * extent.unit) is None
    assert extent.possible_noise(None) is None


def test_without_standard_errors_all_measurements_weigh_the_same():
    assert weights([NAN] * 4) == ([1.0] * 4, None)
    assert weights([NAN] * 4, 0.3) == ([1.0] * 4, 0.3)


def test_a_measurement_of_half_the_error_weighs_four_times_as_much():
    found, one = weights([0.1, 0.2, 0.2, 0.4])
    assert one == 0.2
    assert found == pytest.approx([4, 1, 1, 0.25])
    found, one = weights([0.1, NAN, 0.4], noise=0.2)
    assert one == 0.2
    assert found == pytest.approx([4, 1, 0.25])


def test_without_a_known_noise_the_others_are_as_noisy_as_the_typical_one():
    found, one = weights([0.1, 0.2, 0.4, NAN])
    assert one == 0.2
    assert found == pytest.approx([4, 1, 0.25, 1])


@pytest.mark.parametrize("own", [100.0, 1e40])
def test_stated_errors_beyond_the_values_say_nothing_of_the_others(own):
    """A forged error of 1e40 would make all other measurements worthless."""
    found, one = weights([own, NAN, NAN])
    assert one is None
    assert found[1:] == [1.0, 1.0]
    assert 0 < found[0] < 1


def test_an_error_far_below_all_values_makes_no_measurement_outweigh_the_rest_of_the_digits():
    [first, *_], _ = weights([1e-30, 0.2, 0.2])
    assert 1 < first < 1e14


def test_one_source_with_many_extreme_errors_does_not_say_what_is_typical():
    own, sources = np.append(np.full(20, 1e-9), [0.2, 0.3, 0.25, 0.2]), np.append(np.zeros(20, int), [1, 2, 3, 4])
    assert Extent.of(HONEST).weights(own, None, sources)[1] == 0.2
    near = np.append(np.full(20, 0.01), [0.2, 0.3, 0.25, 0.2])  # within a factor of 100: it may be more precise
    assert Extent.of(HONEST).weights(near, None, sources)[1] == 0.01
    huge = np.append(np.full(20, 1e9), [0.2, 0.3, 0.25, 0.2])
    assert Extent.of(HONEST).weights(huge, None, sources)[1] == 0.25


@pytest.mark.parametrize(("stating", "said"), [(2, True), (1, False)])
def test_few_sources_do_not_say_how_noisy_the_others_are(stating, said):
    own, sources = np.full(8, NAN), np.repeat(np.arange(4), 2)
    own[: 2 * stating] = 0.2
    found, one = Extent.of(HONEST).weights(own, None, sources)
    assert (one == 0.2) if said else (one is None)
    assert found.tolist() == pytest.approx([1.0] * 8)


def test_values_whose_square_is_lost_are_zero_and_the_others_stay():
    values = np.array([1e-200, -1e-101, 1e-100, 0.0, 2.0])
    np.testing.assert_array_equal(without_dust(values), [0.0, 0.0, 1e-100, 0.0, 2.0])
    assert without_dust(HONEST) is HONEST
