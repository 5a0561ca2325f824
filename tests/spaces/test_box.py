"""Parameters and boxes: points survive the journey into the unit cube and back, and nothing illegal gets in or out."""

import json
import math
import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from unswayed import UnswayedError
from unswayed.spaces import Box, Categorical, Integer, Options, Real, space_from_record

MIXED = Box(
    {
        "x": Real(-5, 10, unit="mm"),
        "rate": Real(1e-5, 1e-1, log=True),
        "layers": Integer(1, 8),
        "width": Integer(1, 1000, log=True),
        "kind": Categorical(["rbf", "poly", 3, False]),
    }
)
POINT = {"x": 1.5, "rate": 1e-3, "layers": 3, "width": 64, "kind": "rbf"}
finite = st.floats(-1e12, 1e12)


@st.composite
def reals(draw):
    if draw(st.booleans()):
        low, ratio = draw(st.floats(1e-8, 1e8)), draw(st.floats(1, 1e10))
        return Real(low, low * ratio, log=True)
    low, high = sorted([draw(finite), draw(finite)])
    return Real(low, high)


@st.composite
def integers(draw):
    log = draw(st.booleans())
    low = draw(st.integers(1 if log else -(2**52), 2**30))
    return Integer(low, low + draw(st.one_of(st.integers(0, 20), st.integers(0, 2**39))), log=log)


values = st.one_of(st.text(max_size=5), st.integers(-9, 9), st.floats(-9, 9), st.booleans())
categoricals = st.lists(values, min_size=1, max_size=6, unique=True).map(Categorical)
names = st.text("abcxyz_ é-", min_size=1, max_size=6).filter(str.strip)
boxes = st.dictionaries(names, st.one_of(reals(), integers(), categoricals), min_size=1, max_size=5).map(Box)


def rows_of(box, seed, n=40):
    """Rows inside the cube, on its faces, and outside it."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, box.columns))
    X[: n // 4] = np.rint(X[: n // 4])
    X[n // 4 : n // 2] = 3 * X[n // 4 : n // 2] - 1
    return X


def inside(parameter, value):
    if isinstance(parameter, Categorical):
        return value in parameter.choices
    return (
        type(value) is (int if isinstance(parameter, Integer) else float) and parameter.low <= value <= parameter.high
    )


@given(boxes, st.integers(0, 2**32))
@settings(max_examples=150)
def test_decoding_stays_inside_and_legal_is_encode_after_decode(box, seed):
    X = rows_of(box, seed)
    points = box.decode(X)
    assert all(inside(one, point[name]) for point in points for name, one in box.parameters.items())
    L = box.legal(X)
    assert np.array_equal(L, box.encode(points))
    assert np.array_equal(L, box.legal(L)), "a legal row must not move"
    assert np.array_equal(L, np.vstack([box.encode([json.loads(json.dumps(point))]) for point in points]))
    assert [box.check(point) for point in points] == points


@given(integers(), st.data())
def test_every_whole_number_comes_back(parameter, data):
    numbers = data.draw(st.lists(st.integers(parameter.low, parameter.high), min_size=1, max_size=20))
    numbers += [parameter.low, parameter.high, max(parameter.high - 1, parameter.low)]
    assert parameter.decode(parameter.encode(numbers)) == numbers


@given(reals(), st.lists(st.floats(0, 1), min_size=1, max_size=20))
@example(Real(-0.1, 0.3), [1.0])
@example(Real(1e-5, 1e-1, log=True), [1.0])
def test_real_numbers_come_back_up_to_rounding(parameter, shares):
    low, high = parameter.low, parameter.high
    numbers = [low, high, *(min(max(low + share * (high - low), low), high) for share in shares)]
    back = parameter.decode(parameter.encode(numbers))
    for number, other in zip(numbers, back, strict=True):
        size = (
            abs(number) * (2 + abs(math.log(low)) + abs(math.log(high))) if parameter.log else max(abs(low), abs(high))
        )
        assert low <= other <= high
        assert abs(number - other) <= 4 * np.spacing(size)
    column = parameter.encode([low, high])[:, 0].tolist()
    assert column == ([0.0, 0.0] if low == high else [0.0, 1.0]) or math.log(high) == math.log(low)


def test_columns_are_linear_or_logarithmic_and_categories_are_at_distance_one():
    assert Real(-5, 10).encode([2.5]) == 0.5
    assert Real(1e-4, 1e-2, log=True).encode([1e-3]) == pytest.approx(0.5)
    assert Integer(1, 3).encode([2]) == 0.5
    rows = Categorical(["a", "b", "c"]).encode(["a", "b", "c"])
    assert np.linalg.norm(rows[0] - rows[1]) == pytest.approx(1) == np.linalg.norm(rows[2] - rows[1])
    assert MIXED.columns == 8
    assert MIXED.groups.tolist() == [0, 1, 2, 3, 4, 4, 4, 4]
    assert MIXED.names == ("x", "rate", "layers", "width", "kind")
    assert MIXED.size is None
    assert Box({"a": Integer(0, 4), "b": Categorical("xyz"[:1].split()), "c": Real(2, 2)}).size == 5


def test_the_nearest_whole_number_is_the_nearest_row():
    for parameter in (Integer(1, 9, log=True), Integer(-3, 6)):
        column = parameter.encode(range(parameter.low, parameter.high + 1))[:, 0]
        z = np.random.default_rng(0).random((500, 1))
        assert np.array_equal(parameter.legal(z)[:, 0], column[np.abs(z - column).argmin(axis=1)])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": 11}, "x = 11 lies outside [-5, 10]"),
        ({"x": math.nextafter(10, 11)}, "x = 10.000000000000002 lies outside [-5, 10]"),
        ({"x": math.inf}, "x = inf lies outside [-5, 10]"),
        ({"x": 10**5000}, "x = a number of more than 60 digits lies outside [-5, 10]"),
        ({"x": math.nan}, "x must be a number, not nan"),
        ({"x": True}, "x must be a number, not True"),
        ({"x": np.True_}, "x must be a number, not True"),
        ({"x": "1"}, "x must be a number, not '1'"),
        ({"x": None}, "x must be a number, not None"),
        ({"x": [1.0]}, "x must be a number, not [1.0]"),
        ({"layers": 2.5}, "layers must be a whole number, not 2.5"),
        ({"layers": 9}, "layers = 9 lies outside [1, 8]"),
        ({"layers": "3"}, "layers must be a number, not '3'"),
        ({"kind": "sine"}, "kind = 'sine' is not one of 'rbf', 'poly', 3, False"),
        ({"kind": 0}, "kind = 0 is not one of 'rbf', 'poly', 3, False"),
        ({"kind": []}, "kind = [] is not one of 'rbf', 'poly', 3, False"),
        ({"y": 1}, "unknown parameter 'y': there are x, rate, layers, width, kind"),
        ({5: 1}, "unknown parameter 5: there are x, rate, layers, width, kind"),
    ],
)
def test_what_is_no_point_is_refused_and_never_clipped(change, message):
    for attempt in (MIXED.check, lambda point: MIXED.encode([POINT, point]), MIXED.describe):
        with pytest.raises(UnswayedError) as caught:
            attempt(POINT | change)
        assert str(caught.value) == message


def test_missing_names_and_other_shapes_are_refused():
    with pytest.raises(UnswayedError, match="no value for x, kind"):
        MIXED.check({name: POINT[name] for name in ("rate", "layers", "width")})
    for wrong in (None, 3, "x", [1, 2], [("x", 1)]):
        with pytest.raises(UnswayedError, match="a point is a mapping"):
            MIXED.check(wrong)
    for wrong in ([[0.5]], [0.5] * 8, [[math.nan] * 8], [[math.inf] * 8], "rows"):
        for attempt in (MIXED.decode, MIXED.legal):
            with pytest.raises(UnswayedError):
                attempt(wrong)


def test_numpy_values_become_plain_ones_in_the_order_of_the_box():
    given = {
        "kind": np.str_("rbf"),
        "width": np.int32(64),
        "layers": 3.0,
        "rate": np.float32(0.5) / 8,
        "x": np.int64(-0),
    }
    point = MIXED.check(given)
    assert list(point) == list(MIXED.names)
    assert [type(value) for value in point.values()] == [float, float, int, int, str]
    assert point["layers"] == 3
    assert str(Box({"x": Real(-1, 1)}).check({"x": -0.0})["x"]) == "0.0"


def test_small_spaces_are_covered_point_by_point():
    box = Box({"a": Integer(-2, 3), "k": Categorical(["u", "v"]), "c": Real(7, 7), "b": Integer(1, 4, log=True)})
    arms = box.arms(48, seed=0)
    wanted = set(product(range(-2, 4), "uv", [7.0], range(1, 5)))
    assert len(arms) == 48
    assert {tuple(point.values()) for point in box.decode(arms)} == wanted


def test_one_or_two_numbers_get_a_grid_with_its_ends():
    assert Box({"x": Real(0, 1)}).arms(5, seed=1)[:, 0].tolist() == [0, 0.25, 0.5, 0.75, 1]
    arms = Box({"x": Real(0, 1), "k": Categorical(["a", "b"]), "y": Integer(0, 10**6)}).arms(230, seed=1)
    assert len(arms) == 2 * 10 * 10
    corners = {tuple(row) for row in arms[:, [0, 3]].tolist()}
    assert {(0, 0), (0, 1), (1, 0), (1, 1)} <= corners


@pytest.mark.parametrize("n", [1, 7, 100, 1000])
def test_larger_boxes_get_points_that_leave_no_hole(n):
    box = Box(
        {"x": Real(0, 1), "r": Real(1, 100, log=True), "z": Real(-1, 1), "n": Integer(1, 9), "k": Categorical([1, 2])}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arms = box.arms(n, seed=3)
    assert len(arms) == n == len(np.unique(arms, axis=0))
    assert np.array_equal(arms, box.legal(arms))
    assert np.array_equal(arms, box.arms(n, seed=3))
    assert not np.array_equal(arms, box.arms(n, seed=4))
    if n == 1000:  # each column by itself is as even as the grid of its values
        for column in range(3):
            assert np.abs(np.sort(arms[:, column]) - (np.arange(n) + 0.5) / n).max() < 0.01
        counts = np.unique(arms[:, 3], return_counts=True)[1]
        assert len(counts) == 9
        assert counts.min() > 0.8 * n / 9


def test_a_finite_space_slightly_too_large_still_yields_many_arms():
    box = Box({name: Integer(0, 5) for name in "abcd"})
    arms = box.arms(1000, seed=0)
    assert 900 <= len(arms) <= 1000
    assert len(np.unique(arms, axis=0)) == len(arms)


@given(boxes, st.integers(0, 2**32), st.floats(1e-6, 1))
@settings(max_examples=100)
def test_steps_stay_legal_distinct_and_away_from_their_centres(box, seed, radius):
    centres = box.legal(rows_of(box, seed, n=4))
    rows = box.around(centres, radius, 50, np.random.default_rng(seed))
    again = box.around(centres, radius, 50, np.random.default_rng(seed))
    assert np.array_equal(rows, again)
    assert len(rows) <= 50
    assert len(np.unique(np.vstack([centres, rows]), axis=0)) == len(rows) + len(np.unique(centres, axis=0))
    assert np.array_equal(rows, box.legal(rows))
    assert (
        box.size is not None
        or len(rows) > 0
        or all(one.size is not None or one.high - one.low < 1e-4 for one in box.parameters.values())
    )


def test_steps_are_no_longer_than_the_radius_and_change_few_or_all():
    box = Box({f"x{i}": Real(0, 1) for i in range(6)})
    centre = np.array([[0.0, 1.0, 0.5, 0.02, 0.98, 0.3]])
    rows = box.around(centre, 0.05, 1000, np.random.default_rng(0))
    assert len(rows) == 1000
    assert 0.04 < np.abs(rows - centre).max() <= 0.05 + 1e-12
    changed = (rows != centre).sum(axis=1)
    assert set(changed.tolist()) == {1, 2, 3, 4, 5, 6}
    assert (changed == 6).mean() > 0.5
    wide = Box({f"x{i}": Real(0, 1) for i in range(200)})
    changed = (wide.around(np.full((1, 200), 0.5), 0.1, 400, np.random.default_rng(0)) != 0.5).sum(axis=1)
    assert 5 < changed.mean() < 25


def test_short_steps_still_reach_neighbours_and_other_categories():
    box = Box({"n": Integer(0, 1000), "k": Categorical(["a", "b", "c"])})
    rows = box.around(box.encode([{"n": 500, "k": "a"}]), 1e-5, 200, np.random.default_rng(0))
    points = {(point["n"], point["k"]) for point in box.decode(rows)}
    assert {(499, "a"), (501, "a"), (500, "b"), (500, "c")} <= points
    assert {n for n, _ in points} == {499, 500, 501}
    at_end = box.decode(box.around(box.encode([{"n": 0, "k": "a"}]), 1e-5, 200, np.random.default_rng(0)))
    assert {point["n"] for point in at_end} == {0, 1}


def test_nowhere_to_go_gives_no_rows_and_wrong_steps_are_refused():
    fixed = Box({"x": Real(1, 1), "k": Categorical(["a"])})
    assert fixed.around(fixed.arms(5, 0), 0.5, 10, np.random.default_rng(0)).shape == (0, 2)
    assert Options(["a", "b"]).around([[1, 0]], 0.5, 10, np.random.default_rng(0)).shape == (0, 2)
    for radius, n in ((0, 5), (2, 5), (math.nan, 5), (0.1, 0)):
        with pytest.raises(UnswayedError):
            MIXED.around(MIXED.encode([POINT]), radius, n, np.random.default_rng(0))


@given(boxes)
def test_records_survive_json(box):
    again = space_from_record(json.loads(json.dumps(box.record(), allow_nan=False)))
    assert again == box
    assert again.parameters == box.parameters
    assert again.names == box.names


def test_no_row_has_a_negative_zero():
    """Rows are compared by their bytes."""
    box = Box({"n": Integer(0, 9), "x": Real(0, 1)})
    rows = np.vstack([box.spread(256, np.random.default_rng(seed)) for seed in range(4)])
    assert not np.signbit(rows).any()


def test_parameters_of_short_length_scales_matter_most():
    box = Box({"a": Real(0, 1), "kind": Categorical(["x", "y"]), "b": Real(0, 1), "c": Real(0, 1)})
    lengths = [3.0, 2.0, 0.5, 1.0, 2.0]  # the choices have a column each
    assert box.matter_most(lengths, 2) == ["kind", "b"]
    assert box.matter_most(lengths, 3) == ["kind", "b", "c"]
    assert box.matter_most(1.0, 2) == ["a", "kind"]
    assert box.matter_most(lengths, 9) == list(box.names)
