"""Each attack as the paper defines it, and when it starts."""

import numpy as np
import pytest

from unswayed import UnswayedError, View
from unswayed.adversaries import (
    AggressiveSubtraction,
    Clipping,
    Flip,
    Liar,
    NoAttack,
    SpikesHide,
    SpikesPromote,
    TopK,
    at_points,
    immediately,
    later,
)

F = np.array([0.5, 2.0, -1.5, 1.0, 1.9])
TARGET = np.array([True, False, True, True, False])
RNG = np.random.default_rng(0)


def view(active=range(5), lower=None, upper=None):
    active = np.array(list(active))
    zeros = np.zeros(len(active))
    return View(
        active, zeros, zeros - 1 if lower is None else np.array(lower), zeros + 1 if upper is None else np.array(upper)
    )


def attacked(adversary, active=range(5)):
    return F + adversary.corrupt(F, view(active), RNG)


def test_none():
    assert attacked(NoAttack()).tolist() == F.tolist()


def test_clipping_caps_below_the_best_of_the_target():
    assert attacked(Clipping(TARGET, margin=0.5)).tolist() == [0.5, 0.5, -1.5, 1.0, 0.5]
    low = Clipping(~TARGET, margin=0.5)  # values already below the cap are left alone
    assert attacked(low).tolist() == F.tolist()


def test_aggressive_subtraction_lowers_everything_outside():
    assert attacked(AggressiveSubtraction(TARGET, h_max=3.0)).tolist() == [0.5, -1.0, -1.5, 1.0, pytest.approx(-1.1)]


def test_top_k_acts_on_the_best_active_arms():
    assert attacked(TopK(2)).tolist() == [0.5, -1.0, -1.5, 1.0, -1.0]
    assert attacked(TopK(2), active=[0, 2, 3]).tolist() == [-1.0, 2.0, -1.5, -1.0, 1.9]


def test_top_k_never_raises():
    assert attacked(TopK(5)).tolist() == [-1.0, -1.0, -1.5, -1.0, -1.0]
    assert attacked(TopK(50)).tolist() == [-1.0, -1.0, -1.5, -1.0, -1.0]


def test_flip():
    assert attacked(Flip()).tolist() == (-F).tolist()


def test_spikes():
    assert attacked(SpikesHide()).tolist() == [0.5, 2.0 - 1e6, -1.5, 1.0, 1.9]
    assert attacked(SpikesHide(shown=-2.0)).tolist() == [0.5, -2.0, -1.5, 1.0, 1.9]
    assert attacked(SpikesPromote()).tolist() == [0.5, 2.0, -1.5 + 1e6, 1.0, 1.9]
    assert attacked(SpikesPromote(shown=3.0, share=0.4)).tolist() == [3.0, 2.0, 3.0, 1.0, 1.9]


def test_spikes_follow_the_active_arms():
    assert attacked(SpikesHide(size=1.0), active=[0, 3, 4]).tolist() == [0.5, 2.0, -1.5, 1.0, pytest.approx(0.9)]
    assert attacked(SpikesPromote(size=1.0), active=[0, 3, 4]).tolist() == [1.5, 2.0, -1.5, 1.0, 1.9]


def test_a_liar_turns_the_best_into_the_worst_and_all_others_into_the_best():
    assert attacked(Liar()).tolist() == [2.0, -1.5, 2.0, 2.0, 2.0]


def test_starts():
    assert immediately(view(), 5)
    assert not later(view(), 5)
    assert later(view(active=[0, 1, 3]), 5)
    assert later(view(lower=[0, 0, 0, 0, 0.5], upper=[1, 1, 0.4, 1, 1]), 5)
    assert not later(view(lower=[0, 0, 0, 0, 0.5], upper=[1, 1, 0.5, 1, 1]), 5)  # strictly below


def test_at_points_attacks_single_evaluations():
    domain = np.arange(5.0)[:, None]
    attack = at_points(TopK(2), domain, F)
    assert [F[i] + attack(domain[i], F[i]) for i in range(5)] == attacked(TopK(2)).tolist()
    assert attack([-0.0], 1.0) == attack([0.0], 1.0)
    with pytest.raises(UnswayedError, match="not a point"):
        attack([0.5], 1.0)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: Clipping(np.zeros(5, dtype=bool)), "at least one arm"),
        (lambda: Clipping(TARGET, margin=-1.0), "margin"),
        (lambda: AggressiveSubtraction(TARGET, h_max=np.nan), "h_max"),
        (lambda: TopK(0), "at least 1"),
        (lambda: SpikesHide(size=0.0), "size"),
        (lambda: SpikesPromote(size=-1.0), "size"),
        (lambda: SpikesPromote(share=0.0), "share"),
    ],
)
def test_bad_settings_are_refused(make, reason):
    with pytest.raises(UnswayedError, match=reason):
        make()
