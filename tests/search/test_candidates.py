"""The rows that a search considers: legal, everywhere, and around the leaders."""

import numpy as np

from unswayed import Box, Categorical, Integer, Real
from unswayed.search.candidates import all_rows, candidates, first_rows, near_failures, unguided

SPACE = Box({"x": Real(-5, 10), "n": Integer(1, 9), "k": Categorical(["a", "b", "c"])})


def test_candidates_are_legal_and_some_move_one_parameter_of_a_leader():
    leaders = SPACE.arms(64, 3)[:10]
    rows, moved = candidates(SPACE, leaders, np.random.default_rng(0))
    np.testing.assert_array_equal(SPACE.legal(rows), rows)
    for row in moved:
        changed = [set(SPACE.groups[row != leader]) for leader in leaders]
        assert min(map(len, changed)) <= 1


def test_a_small_space_is_considered_as_a_whole():
    assert all_rows(SPACE, 0) is None
    assert len(all_rows(Box({"n": Integer(1, 30)}), 0)) == 30


def test_the_first_plays_repeat_some_rows_to_learn_the_noise():
    start = first_rows(SPACE, 0)
    assert len(np.unique(start, axis=0)) < len(start)


def test_without_a_model_a_row_that_failed_is_replaced():
    start = first_rows(SPACE, 0)
    for number in range(len(start), 3 * len(start)):
        row = unguided(SPACE, start, start[:5], number, 0)
        assert row.tobytes() not in {one.tobytes() for one in start[:5]}


def test_an_arm_closer_to_a_failure_than_to_a_measurement_is_near_it():
    arms = np.array([[0.0], [0.4], [0.6], [1.0]])
    assert near_failures(arms, told=np.array([[0.0]]), failed=np.array([[1.0]])) == [2, 3]
    assert near_failures(arms, told=np.array([[0.0]]), failed=np.empty((0, 1))) == []
