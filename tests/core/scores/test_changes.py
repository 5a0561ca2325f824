"""The fewest changes of scores: by trying all of them, and by recounting."""

from itertools import combinations

import numpy as np
import pytest

from unswayed.core.scores import fewest, fewest_left_out, regrading
from unswayed.core.scores.changes import fewest_tried

FEW = 40  # small tables of each kind that every run tries; the rest is slow


def small_table(seed):
    """The scores of a leader and of a rival on a few items, and the scale that they are on."""
    rng = np.random.default_rng(seed)
    items, low, high = int(rng.integers(2, 9)), 0, int(rng.choice([1, 1, 4]))
    pair = rng.integers(low, high + 1, size=(2, items)).astype(float)
    return pair[np.argsort(-pair.sum(axis=1))], float(low), float(high)


def level(leader, rival):
    return sum(leader) <= sum(rival)


def by_trying(items, changed):
    """The fewest of the items with which `changed` says that the rival is level."""
    return next((k for k in range(items + 1) if any(changed(set(s)) for s in combinations(range(items), k))), None)


def seeds(number):
    return [pytest.param(s, marks=[pytest.mark.slow] if s >= FEW else []) for s in range(number)]


@pytest.mark.parametrize("seed", seeds(500))
def test_re_graded_items_are_the_fewest_of_all(seed):
    """No better set exists even if re-graded scores take every value on the scale: the ends are among them."""
    (leader, rival), low, high = small_table(seed)

    def changed(which):
        after = [low if i in which else x for i, x in enumerate(leader)]
        return level(after, [high if i in which else x for i, x in enumerate(rival)])

    found = regrading(leader - rival, high - low)
    assert found.most == by_trying(len(leader), changed)
    assert changed(set(found.which.tolist()))


@pytest.mark.parametrize("seed", seeds(300))
def test_removed_items_are_the_fewest_of_all(seed):
    (leader, rival), _, _ = small_table(1_000 + seed)

    def changed(which):
        kept = [i for i in range(len(leader)) if i not in which]
        return bool(kept) and level(leader[kept], rival[kept])

    found = fewest_left_out(leader - rival)
    assert found.most == by_trying(len(leader), changed)
    if found.most is not None:
        assert changed(set(found.which.tolist()))


@pytest.mark.parametrize("seed", range(30))
def test_single_scores_are_the_fewest_of_all(seed):
    (leader, rival), low, high = small_table(2_000 + seed)
    scores = [*leader, *rival]

    def changed(which):
        after = [(low if i < len(leader) else high) if i in which else x for i, x in enumerate(scores)]
        return level(after[: len(leader)], after[len(leader) :])

    gains = np.concatenate([leader - low, high - rival])
    assert fewest(leader.sum() - rival.sum(), gains).most == by_trying(len(scores), changed)


def test_thirds_that_add_up_are_level():
    assert fewest(1.0, np.array([1 / 3, 1 / 3, 1 / 3])).most == 3
    assert regrading(np.full(300, 0.1) - 0.1, 1.0).most == 0


def test_a_leader_that_is_ahead_on_every_item_withstands_removals():
    assert fewest_left_out(np.array([1.0, 2.0])).most is None
    assert fewest(5.0, np.array([1.0, 2.0])).most is None


def test_small_sets_are_tried_and_large_ones_bracketed():
    lead = np.array([3.0, 2.0, 1.0, -1.0, -4.0])
    few = fewest_tried(5, lambda out: float(np.delete(lead, out).sum()))
    assert (few.least, few.most, few.which.tolist()) == (1, 1, [0])
    many = np.full(120, 1.0)
    many[-60:] = -0.5
    found = fewest_tried(120, lambda out: float(np.delete(many, out).sum()))
    assert found.least == 2
    assert found.most == 30
    assert fewest_tried(3, lambda out: None if len(out) == 3 else 1.0).most is None
