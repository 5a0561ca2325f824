"""Real numbers at equal steps: exactly the decimals that people write, both ends reached, nothing between accepted."""

import json
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from unswayed import InvalidInput, Optimizer
from unswayed.spaces import Box, Integer, Real, space_from_record
from unswayed.spaces.parameters import parameter_from_record


@st.composite
def stepped(draw):
    """A real parameter with a step, made of whole numbers and a power of ten."""
    places, each = draw(st.integers(0, 6)), draw(st.integers(1, 5000))
    first, last = draw(st.integers(-(10**6), 10**6)), draw(st.integers(0, 5000))
    low, high, step = (float(Decimal(n).scaleb(-places)) for n in (first, first + last * each, each))
    return Real(low, high, step=step), first, each, places, last


@given(stepped(), st.integers(0, 2**32))
@settings(max_examples=150)
@example((Real(0, 1, step=0.1), 0, 1, 1, 10), 0)
def test_every_row_decodes_to_the_float_of_a_decimal_number(drawn, seed):
    one, first, each, places, last = drawn
    assert one.size == last + 1
    rows = np.random.default_rng(seed).uniform(-0.2, 1.2, (50, 1))
    values = one.decode(rows)
    legal = {float(Decimal(first + k * each).scaleb(-places)) for k in range(last + 1)}  # an independent list
    assert set(values) <= legal
    assert np.array_equal(one.legal(rows), one.encode(values))
    assert np.array_equal(one.legal(one.legal(rows)), one.legal(rows)), "a legal row must not move"
    assert [one.check(value, "x") for value in values] == values
    assert one.decode(np.array([[0.0], [1.0]])) == [one.low, one.high]
    assert set(one.decode(one.spread(np.linspace(0, 1, 99)))) <= legal
    assert set(one.decode(one.grid(7))) <= legal
    assert parameter_from_record(json.loads(json.dumps(one.record()))) == one


def test_digits_are_steps_and_print_as_people_write_them():
    one = Real(0, 1, digits=1)
    assert one.decode(one.grid(20)) == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert one.check(3 * 0.1, "x") == 0.3
    assert one.near(0.3) == [0.2, 0.4]
    assert one.near(0.0) == [0.1]
    assert Real(0, 1).near(0.5) == []
    fine = Real(1000, 2000, digits=4, unit="Hz")
    assert fine.describe(fine.check(1234.5678, "f")) == "1234.5678 Hz"
    assert fine.record()["digits"] == 4
    assert "step" not in fine.record()


@pytest.mark.parametrize(
    ("made", "line"),
    [
        (lambda: Real(0, 1, step=0.3), "high = 1 is not a whole number of steps of 0.3 above low = 0: .* is 0.9"),
        (lambda: Real(0, 1, step=2), "the last step is 0"),
        (lambda: Real(0, 1, step=0), "step must be a positive number, not 0"),
        (lambda: Real(0, 1, step=True), "step must be a positive number, not True"),
        (lambda: Real(0, 1, step=float("nan")), "step must be a positive number"),
        (lambda: Real(0, 1, digits=-1), "digits must be a whole number from 0 to 15, not -1"),
        (lambda: Real(0, 1, digits=1.5), "digits must be a whole number"),
        (lambda: Real(0.05, 1, digits=1), "low = 0.05 has more than 1 digits"),
        (lambda: Real(0, 1, step=0.1, digits=1), "give step or digits, not both"),
        (lambda: Real(0.1, 1, log=True, digits=1), "a logarithmic scale has no steps"),
        (lambda: Real(0, 1, step=1e-30), "too many digits"),
        (lambda: Real(0, 10, step=0.5).check(0.7, "x"), "x = 0.7 lies between two steps of 0.5 from 0; .* is 0.5"),
        (lambda: Real(0, 10, step=0.5).check(10.5, "x"), "lies outside"),
    ],
)
def test_what_is_refused_in_one_line(made, line):
    with pytest.raises(InvalidInput, match=line) as error:
        made()
    assert "\n" not in str(error.value)


small = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
nested = st.lists(st.integers(), max_size=2) | st.dictionaries(st.text(max_size=3), small, max_size=2)
keys = st.sampled_from(["low", "high", "step", "digits", "log", "when", "type"])


@given(st.dictionaries(keys, small | nested))
@settings(max_examples=300)
@example({"low": 0, "high": 1, "step": 1e308})
@example({"low": 0, "high": 1e300, "step": 1e-300})
@example({"low": 0, "high": 1, "digits": 10**30})
def test_any_table_is_a_parameter_or_one_clear_line(table):
    try:
        one = parameter_from_record(table)
    except InvalidInput as error:
        text = str(error)
    else:
        assume(one.when is None)
        box = Box({"x": one})
        [point] = box.decode(np.full((1, box.columns), 0.5))
        text = box.describe(point)
    assert "\n" not in text


def test_a_study_asks_for_points_on_the_grid_only_and_for_many_different_ones():
    box = Box({"x": Real(0, 10, step=0.5), "y": Real(-1, 1, digits=2), "n": Integer(1, 3)})
    study, rng = Optimizer(box, plays=40, seed=0), np.random.default_rng(0)
    asked = []
    for _ in range(40):
        [play] = study.ask(1)
        asked.append(tuple(play.point.values()))
        assert asked[-1] == (round(2 * asked[-1][0]) / 2, round(asked[-1][1], 2), asked[-1][2])
        study.tell(play, -((play.point["x"] - 3.5) ** 2) / 20 - play.point["y"] ** 2 + 0.01 * rng.standard_normal())
    assert len(set(asked)) >= 20
    found = study.answer().point
    assert abs(found["x"] - 3.5) <= 0.5
    assert abs(found["y"]) <= 0.3
    assert found["y"] == round(found["y"], 2)


def test_a_journal_keeps_steps_and_refuses_what_lies_between(tmp_path):
    box = Box({"x": Real(0, 10, step=0.5)})
    with Optimizer(box, journal=tmp_path / "j.jsonl", seed=0) as study:
        study.add([({"x": 0.5}, 1.0)])
        with pytest.raises(InvalidInput, match=r"x = 0\.7 lies between two steps"):
            study.add([({"x": 0.7}, 1.0)])
    with Optimizer.open(tmp_path / "j.jsonl") as study:
        assert study.space == box
        assert study.log[0].point == {"x": 0.5}
    assert "step" not in json.dumps(Box({"x": Real(0, 10)}).record())  # old journals stay as they were
    assert space_from_record(Box({"x": Real(0, 10)}).record()) != box
