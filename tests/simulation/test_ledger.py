import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unswayed import UnswayedError
from unswayed.simulation.ledger import Ledger


@given(st.floats(0, 1e3), st.lists(st.tuples(st.floats(-50, 50), st.integers(1, 1000)), max_size=30))
def test_a_block_is_its_plays_one_by_one(budget, blocks):
    whole, single = Ledger(budget), Ledger(budget)
    for wanted, plays in blocks:
        assert whole.spend(wanted, plays) == pytest.approx(sum(single.spend(wanted) for _ in range(plays)), abs=1e-7)
    assert 0 <= whole.spent <= budget


def test_the_last_play_gets_the_rest_with_its_sign():
    ledger = Ledger(1.0)
    assert [ledger.spend(-0.4) for _ in range(4)] == [-0.4, -0.4, pytest.approx(-0.2), 0.0]
    assert ledger.left == pytest.approx(0.0)
    assert ledger.spent == pytest.approx(1.0)
    assert Ledger(1.0).spend(np.inf) == 1.0
    assert Ledger(1.0).spend(-1e308, 10**9) == -1.0


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, "all"])
def test_bad_budgets_are_refused(bad):
    with pytest.raises(UnswayedError, match="budget"):
        Ledger(bad)


def test_nan_is_refused():
    with pytest.raises(UnswayedError, match="NaN"):
        Ledger(1.0).spend(np.nan)


@given(
    st.integers(0, 50),
    st.integers(1, 6).flatmap(lambda S: st.tuples(st.just(S), st.integers(0, S))),
    st.lists(st.tuples(st.sampled_from([-1e6, 0.0, 2.5]), st.integers(1, 40)), max_size=20),
)
def test_counted_lies_are_those_of_the_plays_one_by_one(lies, sources, blocks):
    """Blocks change what single plays would: all plays of liars, and the first ones of the others."""
    S, s = sources
    whole, single = (Ledger(lies=lies, sources=S, liars=s) for _ in range(2))
    t = 0
    for wanted, plays in blocks:
        c, changed = whole.change(wanted, plays, t)
        one_by_one = [single.change(wanted, 1, t + i)[0][0] for i in range(plays)]
        assert c[0] == pytest.approx(sum(one_by_one))
        assert changed[0] == np.count_nonzero(one_by_one)
        assert all(one_by_one[i] == wanted for i in range(plays) if (t + i) % S < s)
        t += plays
    assert whole.lies_spent == single.lies_spent <= lies
    assert whole.spent == pytest.approx(single.spent)


@pytest.mark.parametrize("lies", [0, 1, 7, 100])
def test_lies_and_liars_in_groups(lies):
    """Liars are whole groups, lies go to the others in turn: each to another group."""
    ledger = Ledger(lies=lies, sources=5, liars=2)
    c, changed = ledger.change(-3.0, plays=40, groups=5)
    assert changed[:2].tolist() == [8, 8]
    assert changed[2:].sum() == ledger.lies_spent == min(lies, 24)
    assert changed[2:].max() - changed[2:].min() <= 1
    assert np.array_equal(c, -3.0 * changed)
    assert ledger.left == np.inf  # of the liars


def test_a_total_is_spread_over_the_groups():
    c, changed = Ledger(6.0).change(-1.0, plays=12, groups=3)
    assert c.tolist() == [-2.0, -2.0, -2.0]
    assert changed.tolist() == [0, 0, 0]


def test_when_the_lies_are_told_the_attack_is_over():
    ledger = Ledger(lies=3)
    assert ledger.left == np.inf
    assert ledger.change(1e6, plays=5)[1].tolist() == [3]
    assert ledger.left == 0
    assert ledger.change(1e6, plays=5)[1].tolist() == [0]
    assert "lies=3" in repr(ledger)


@pytest.mark.parametrize(
    ("given_", "reason"),
    [
        ({}, "either a budget, or"),
        ({"budget": 1.0, "lies": 2}, "either a budget, or"),
        ({"budget": 1.0, "sources": 3, "liars": 1}, "either a budget, or"),
        ({"lies": -1}, "lies"),
        ({"lies": 1.5}, "lies"),
        ({"sources": 3, "liars": 4}, "liars"),
        ({"sources": 0, "liars": 0}, "sources"),
    ],
)
def test_bad_counts_are_refused(given_, reason):
    with pytest.raises(UnswayedError, match=reason):
        Ledger(given_.pop("budget", None), **given_)


def test_groups_other_than_the_sources_are_refused():
    with pytest.raises(UnswayedError, match="must be the 4 sources"):
        Ledger(sources=4, liars=1).change(1.0, 6, groups=3)
