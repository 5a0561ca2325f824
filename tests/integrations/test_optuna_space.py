"""Optuna's distributions as boxes, against Optuna's own idea of what a distribution contains."""

import math

import numpy as np
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from unswayed.errors import UnswayedError
from unswayed.integrations.optuna_space import OptunaSpace, searchable

DISTRIBUTIONS = [
    FloatDistribution(-1.0, 1.0),
    FloatDistribution(1e-7, 10.0, log=True),
    FloatDistribution(-10.2, 10.2, step=0.1),
    FloatDistribution(0.1, 0.7, step=0.2),
    IntDistribution(-10, 10),
    IntDistribution(3, 9, step=2),
    IntDistribution(1, 1000, log=True),
    IntDistribution(2**50, 2**50 + 8, step=4),
    CategoricalDistribution([None, "a", 1.5, True]),
    CategoricalDistribution([math.nan, 0]),
]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
def test_every_row_is_a_value_of_the_distribution_and_stays_where_it_is(distribution, rng):
    space = OptunaSpace({"x": distribution})
    rows = space.box.legal(rng.random((200, space.box.columns)))
    for row in rows:
        value = space.params_of_row(row)["x"]
        assert distribution._contains(distribution.to_internal_repr(value))
        assert type(value) in (float, int, str, bool, type(None))
        numbers = space.numbers({"x": value})
        assert space.rows([numbers])[0].tobytes() == row.tobytes()


@pytest.mark.parametrize("distribution", DISTRIBUTIONS[:8], ids=repr)
def test_both_ends_can_be_reached_and_nothing_beyond(distribution):
    space = OptunaSpace({"x": distribution})
    ends = space.rows([space.numbers({"x": distribution.low}), space.numbers({"x": distribution.high})])
    assert ends.tolist() == [[0.0], [1.0]]
    for outside in (distribution.low - 4, distribution.high + 4, "text", None, math.nan):
        assert space.numbers({"x": outside}) is None


def test_choices_that_cannot_be_hashed_are_told_apart_by_their_number():
    with pytest.warns(UserWarning, match="Choices"):
        space = OptunaSpace({"x": CategoricalDistribution([[1, 2], {"a": 1}, [3]])})
    assert [space.numbers({"x": value}) for value in ([3], {"a": 1}, [1, 2], [4])] == [(2,), (1,), (0,), None]


def test_values_between_the_steps_are_not_of_the_space():
    space = OptunaSpace({"x": FloatDistribution(0, 1, step=0.1), "n": IntDistribution(0, 10, step=5)})
    assert space.numbers({"x": 0.30000000000000004, "n": 5}) == (1, 3)
    assert space.numbers({"x": 0.35, "n": 5}) is None
    assert space.numbers({"x": 0.3, "n": 4}) is None


def test_single_values_are_put_back():
    space = OptunaSpace(
        {"b": FloatDistribution(0, 1), "a": IntDistribution(7, 7), "c": CategoricalDistribution([None])}
    )
    assert space.box.columns == 1
    assert space.params_of_row(np.array([0.25])) == {"a": 7, "b": 0.25, "c": None}
    assert OptunaSpace({"a": IntDistribution(7, 7)}).box is None


def test_the_order_of_the_names_does_not_matter():
    one, two = FloatDistribution(0, 1), FloatDistribution(0, 2)
    there, back = OptunaSpace({"x": one, "{y}": two}), OptunaSpace({"{y}": two, "x": one})
    assert there.box == back.box
    assert there.numbers({"x": 0.5, "{y}": 1.5}) == back.numbers({"x": 0.5, "{y}": 1.5})


def test_a_description_is_one_line_that_no_terminal_obeys():
    space = OptunaSpace({"\x1b[31mred\n": CategoricalDistribution(["\u202ea", None]), "x": FloatDistribution(0, 1)})
    shown = space.describe({"\x1b[31mred\n": "\u202ea", "x": 1 / 3})
    assert shown == r"\x1b[31mred\n = \u202ea, x = 0.333333"


def test_what_a_box_cannot_hold_is_named_or_left_out():
    huge = IntDistribution(0, 2**60)
    with pytest.raises(UnswayedError, match="'seed' cannot be searched"):
        OptunaSpace({"seed": huge})
    assert list(searchable({"seed": huge, "x": FloatDistribution(0, 1)})) == ["x"]
