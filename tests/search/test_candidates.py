"""The rows that a search considers: legal, everywhere, and around the leaders."""

import numpy as np

from unswayed import Box, Categorical, Integer, Real
from unswayed.search.candidates import (
    all_rows,
    candidates,
    first_rows,
    first_rows_twice,
    initial_row,
    near_failures,
    one_parameter_moved,
    starts,
    success_probability,
)

SPACE = Box({"x": Real(-5, 10), "n": Integer(1, 9), "k": Categorical(["a", "b", "c"])})


def test_candidates_and_starts_are_legal_and_some_move_one_parameter_of_a_leader():
    leaders, rng = SPACE.arms(64, 3)[:10], np.random.default_rng(0)
    for rows in (candidates(SPACE, leaders, rng), starts(SPACE, leaders, rng)):
        np.testing.assert_array_equal(SPACE.legal(rows), rows)
    for row in one_parameter_moved(SPACE, leaders, SPACE.arms(64, 4), rng):
        changed = [set(SPACE.groups[row != leader]) for leader in leaders]
        assert min(map(len, changed)) <= 1


def test_a_small_space_is_considered_as_a_whole():
    assert all_rows(SPACE, 0) is None
    assert len(all_rows(Box({"n": Integer(1, 30)}), 0)) == 30


def test_the_first_plays_differ_and_those_of_a_guarantee_repeat_some_to_learn_the_noise():
    start = first_rows(SPACE, 0)
    assert len(np.unique(start, axis=0)) == len(start)
    start = first_rows_twice(SPACE, 0)
    assert len(np.unique(start, axis=0)) < len(start)


def test_without_a_model_a_row_that_failed_is_replaced():
    start = first_rows(SPACE, 0)
    for number in range(len(start), 3 * len(start)):
        row = initial_row(SPACE, start, start[:5], number, 0)
        assert row.tobytes() not in {one.tobytes() for one in start[:5]}


def test_an_arm_closer_to_a_failure_than_to_a_measurement_is_near_it():
    arms = np.array([[0.0], [0.4], [0.6], [1.0]])
    told, failed, nothing = np.array([[0.0]]), np.array([[1.0]]), np.empty((0, 1))
    assert near_failures(arms, told, failed, measured_only=False) == [2, 3]
    assert near_failures(arms, told, failed, measured_only=True) == [1, 2, 3]
    assert near_failures(arms, told, nothing, measured_only=True) == []


def test_the_chance_of_a_value_falls_towards_a_failure():
    arms, told, failed = np.array([[0.0], [0.4], [0.6], [1.0]]), np.array([[0.0]]), np.array([[1.0]])
    near, far = np.exp(-0.5), np.exp(-0.5 * 2.25)
    np.testing.assert_allclose(
        success_probability(arms, told, failed), [1, near / (near + far), far / (near + far), 0], atol=1e-9
    )
    np.testing.assert_array_equal(success_probability(arms, told, failed[:0]), 1)
    np.testing.assert_array_equal(success_probability(told, told, told), 0.5)
