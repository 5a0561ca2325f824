import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unswayed import Feedback, Query, UnswayedError, View


def test_a_query_is_cut_in_its_order():
    query = Query([4, 2, 7], [3, 1, 5])
    assert query.plays == 9
    cut = query.first(5)
    assert (cut.arms.tolist(), cut.repeats.tolist()) == ([4, 2, 7], [3, 1, 1])
    assert query.first(3).arms.tolist() == [4]
    assert query.first(100) is query


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(-1e6, 1e6)), min_size=1, max_size=60))
def test_feedback_from_rewards_keeps_sums_and_order(plays):
    arms, rewards = zip(*plays, strict=True)
    feedback = Feedback.from_rewards(arms, rewards)
    assert feedback.arms.tolist() == list(dict.fromkeys(arms))
    for arm, n, mean in zip(feedback.arms, feedback.repeats, feedback.means, strict=True):
        mine = [r for a, r in plays if a == arm]
        assert n == len(mine)
        assert mean == pytest.approx(np.mean(mine), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, "seven"])
def test_rewards_that_are_not_finite_are_refused(bad):
    with pytest.raises(UnswayedError, match="rewards"):
        Feedback.from_rewards([0, 1], [1.0, bad])
    with pytest.raises(UnswayedError, match="rewards"):
        Feedback([0], [1], [bad])


def test_a_huge_finite_reward_is_kept():
    assert Feedback([0], [1], [1e300]).means[0] == 1e300


@pytest.mark.parametrize(
    ("arms", "repeats"), [([], []), ([0], [0]), ([-1], [1]), ([0, 1], [1]), ([[0]], [[1]]), ([0.7], [1]), ([0], [1.9])]
)
def test_queries_that_make_no_sense_are_refused(arms, repeats):
    with pytest.raises(UnswayedError):
        Query(arms, repeats)


def test_arrays_cannot_be_written():
    query = Query([1], [2])
    with pytest.raises(ValueError, match="read-only"):
        query.arms[0] = 3


def test_nor_do_they_follow_their_source():
    source = np.array([1, 2])
    query = Query(source, [1, 1])
    source[0] = 9
    assert query.arms.tolist() == [1, 2]


def test_a_view_leaves_its_sources_alone():
    mean = np.zeros(3)
    view = View(np.arange(3), mean, mean, mean)
    mean[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        view.mean[0] = 2.0


def test_objects_show_themselves_in_one_line():
    arms = np.arange(7)
    assert repr(Query([4, 0], [2, 3])) == "Query(arms=[4, 0], repeats=[2, 3])"
    assert repr(Query(arms, arms + 1)) == "Query(arms=<7 array>, repeats=<7 array>)"
    assert repr(Feedback([1], [2], [0.5])) == "Feedback(arms=[1], repeats=[2], means=[0.5])"
    view = View(arms, arms * 0.1, arms * 0.1, arms * 0.1, np.eye(7))
    assert repr(view).endswith("upper=<7 array>, covariance=<7 x 7 array>)")


def test_groups_of_plays():
    query = Query([4, 2], [6, 9], groups=3)
    assert query.first(100) is query
    assert query.first(7).groups == 1  # a part has no equal groups
    for groups, reason in ((2, "2 equal groups"), (0, "at least 1"), (1.5, "whole")):
        with pytest.raises(UnswayedError, match=reason):
            Query([4, 2], [6, 9], groups=groups)
    means = Feedback([4, 2], [6, 9], [1.0, 2.0], [[0.0, 1.0], [2.0, 3.0], [1.0, 2.0]])
    assert means.group_means.shape == (3, 2)
    for bad in ([[1.0]], [1.0, 2.0], [[np.nan, 1.0]], np.empty((0, 2))):
        with pytest.raises(UnswayedError):
            Feedback([4, 2], [6, 9], [1.0, 2.0], bad)
