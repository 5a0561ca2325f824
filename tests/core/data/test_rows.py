"""Equal rows of large tables, against the plain loop."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unswayed.core.data.rows import first_rows


@given(st.lists(st.lists(st.sampled_from([0.0, -0.0, 1.0, 5e-324]), min_size=2, max_size=2), max_size=30))
def test_equal_rows_are_found(rows):
    X = np.array(rows).reshape(-1, 2)
    assert first_rows(X).tolist() == [next(j for j in range(len(X)) if (X[j] == X[i]).all()) for i in range(len(X))]


def test_equal_rows_are_found_even_if_hashes_collide(monkeypatch):
    monkeypatch.setattr("unswayed.core.data.rows._hashes", lambda X: np.zeros(len(X), dtype=np.uint64))
    assert first_rows(np.array([[1.0], [2.0], [1.0], [3.0], [2.0]])).tolist() == [0, 1, 0, 3, 1]
