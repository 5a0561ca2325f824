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
