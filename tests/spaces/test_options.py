"""Lists of options: given back as they were given, and nothing else is taken for one."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unswayed import UnswayedError
from unswayed.spaces import Options

TABLES = [
    ["a", "b", 3, 2.5, True],
    [
        {"T": 80, "acid": "HCl", "hot": True},
        {"T": 90.5, "acid": "HCl", "hot": True},
        {"T": 80, "acid": "", "hot": False},
    ],
    [(0.0, 2.0**-52), (0.0, 0.0), (1.0, 1.0), (0.5, 1.0)],
]


@pytest.mark.parametrize("given", TABLES)
def test_options_come_back_as_they_were_given(given):
    options = Options(given)
    arms = options.arms(1, seed=0)
    assert options.size == len(given) == len(arms)
    assert options.decode(arms) == given
    assert [type(option) for option in options.decode(arms)] == [type(option) for option in given]
    assert np.array_equal(options.encode(given), arms)
    assert [options.check(option) for option in given] == given
    X = np.random.default_rng(0).random((50, options.columns))
    nearest = np.linalg.norm(X[:, None] - arms, axis=2).argmin(axis=1)
    assert options.decode(X) == [given[index] for index in nearest]
    assert np.array_equal(options.legal(X), arms[nearest])
    assert len(options.groups) == options.columns


@given(st.integers(1, 60), st.integers(1, 4), st.integers(0, 2**32))
@settings(max_examples=50)
def test_tables_of_numbers_are_scaled_by_column(n, d, seed):
    table = np.random.default_rng(seed).normal(size=(n, d)) * 10.0 ** np.arange(d)
    options = Options(table, names=[f"c{i}" for i in range(d)])
    arms = options.arms(1, 0)
    span = np.where(np.ptp(table, axis=0) > 0, np.ptp(table, axis=0), 1)
    assert np.allclose(arms, (table - table.min(axis=0)) / span, atol=1e-15)
    assert options.decode(arms) == [tuple(row) for row in table.tolist()]
    assert np.array_equal(options.encode(table), arms)
    assert options.check(dict(zip(options.names, table[-1], strict=True))) == tuple(table[-1].tolist())


def test_what_is_no_option_is_refused():
    labels, dicts, table = map(Options, TABLES)
    for options, wrong in [
        *((labels, wrong) for wrong in ("c", 1, 3.5, None, [], {"option": "a"})),
        *((dicts, wrong) for wrong in ("a", 1, {"T": 80}, {"T": 85, "acid": "HCl", "hot": True}, [80, "HCl", True])),
        *((dicts, wrong) for wrong in ({"T": 90.5, "acid": "", "hot": True}, {"T": 80, "acid": "HCl", "hot": 1})),
        *(
            (table, wrong)
            for wrong in ((0.5, 0.5), (9, 9), (0,), "ab", 0, np.zeros((1, 2)), np.array(0), (math.nan, 0))
        ),
    ]:
        with pytest.raises(UnswayedError) as caught:
            options.check(wrong)
        assert "\n" not in str(caught.value)
        with pytest.raises(UnswayedError):
            options.encode([wrong])
