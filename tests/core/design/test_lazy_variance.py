"""The design by regions against the design by the full matrix, and its memory."""

import subprocess
import sys
from itertools import product

import numpy as np
import pytest

from unswayed import Linear, Matern, SquaredExponential, UnswayedError
from unswayed.core.data import memory
from unswayed.core.design import lazy_variance
from unswayed.core.design import rare_switching as design
from unswayed.core.design.lazy_variance import LazyVariances, regions
from unswayed.core.design.rare_switching import rare_switching_design, rare_switching_design_at


@pytest.fixture(autouse=True)
def never_dense(monkeypatch):
    monkeypatch.setattr(design, "DENSE_ARMS", 0)


def random_points(rng, seed):
    """Random points, symmetric grids (in order or shuffled), and both with some points twice."""
    d = int(rng.integers(1, 4))
    if seed % 2:
        X = np.array(list(product(np.linspace(-1, 1, int(rng.integers(2, {1: 100, 2: 12, 3: 6}[d]))), repeat=d)))
        if seed % 4 == 1:
            rng.shuffle(X)
    else:
        X = rng.uniform(-1, 1, (int(rng.integers(1, 200)), d))
    return np.vstack([X, X[: len(X) // 2]]) if seed % 5 == 0 else X


def random_kernel(rng):
    lengthscale = 10 ** rng.uniform(-1.3, 0.5)
    return [SquaredExponential(lengthscale), Matern(2.5, lengthscale), Matern(0.5, lengthscale), Linear(2.0)][
        rng.integers(4)
    ]


@pytest.mark.parametrize("block", range(10))
def test_the_same_arms_and_counts_as_with_the_full_matrix(block, monkeypatch):
    """Exactly, as long as no two variances differ by the tolerance of ties itself, to within rounding."""
    for seed in range(block * 30, block * 30 + 30):
        rng = np.random.default_rng(seed)
        monkeypatch.setattr(lazy_variance, "REGION_POINTS", int(rng.integers(1, 60)))
        X, kernel = random_points(rng, seed), random_kernel(rng)
        lam, eta = 10 ** rng.uniform(-2, 1), 1 + 10 ** rng.uniform(-0.5, 1)
        if seed % 3 == 0:
            lam, eta = 1.0, 2.0  # where exact ties live
        length = int(10 ** rng.uniform(0, 3.3))
        arms, counts = rare_switching_design_at(kernel, X, lam, eta, length)
        dense_arms, dense_counts = rare_switching_design(kernel(X, X), lam, eta, length)
        assert arms.tolist() == dense_arms.tolist(), seed
        assert counts.tolist() == dense_counts.tolist(), seed


def test_most_regions_are_not_looked_at_for_most_selections(monkeypatch):
    X = np.random.default_rng(0).uniform(0, 1, (40_000, 2))
    looks = []
    original = LazyVariances._catch_up
    monkeypatch.setattr(LazyVariances, "_catch_up", lambda self, b: (looks.append(b), original(self, b))[1])
    arms, _ = rare_switching_design_at(SquaredExponential(0.1), X, 1.0, 2.0, 300)
    assert len(arms) > 80
    assert len(looks) < 0.3 * len(arms) * len(regions(X, lazy_variance.REGION_POINTS))


def test_arms_selected_again_and_again_take_one_row_each(monkeypatch):
    """A long design on few points: thousands of switches, and a factor of a few rows for each point."""
    X = np.random.default_rng(0).uniform(0, 1, (30, 2))
    kept = []
    original = LazyVariances.largest
    monkeypatch.setattr(LazyVariances, "largest", lambda self: (kept.append(self), original(self))[1])
    arms, counts = rare_switching_design_at(Matern(0.5, 0.3), X, 1.0, 1.1, 10**5)
    assert len(kept) > 1000
    assert max(len(rows) for rows in kept[0].factor) <= 2 * 65
    A = Matern(0.5, 0.3)(X[arms], X[arms]) + np.diag(1 / counts)
    K = Matern(0.5, 0.3)(X, X[arms])
    exact = 1 - np.einsum("ij,ji->i", K, np.linalg.solve(A, K.T))
    assert kept[0].variance[0] == pytest.approx(exact[kept[0].regions[0]], rel=0.15)  # but for the last selection


def test_where_rows_cannot_be_merged_the_design_goes_on(monkeypatch):
    X = np.random.default_rng(0).uniform(0, 1, (20, 2))

    def singular(*_, **__):
        raise lazy_variance.LinAlgError

    expected = rare_switching_design_at(Matern(0.5, 0.3), X, 1.0, 1.1, 3000)
    monkeypatch.setattr(lazy_variance, "cholesky", singular)
    got = rare_switching_design_at(Matern(0.5, 0.3), X, 1.0, 1.1, 3000)
    assert [a.tolist() for a in got] == [a.tolist() for a in expected]


def test_variances_never_fall_below_zero():
    """Points that (nearly) coincide, and very many selections."""
    X = np.repeat(np.random.default_rng(0).uniform(0, 1, (4, 1)), 10, axis=0) + 1e-9 * np.arange(40)[:, None]
    variances = LazyVariances(SquaredExponential(1.0), X, 1e-6, design.TIE)
    for _ in range(200):
        arm, s = variances.largest()
        variances.select(arm, max(s, 1e-300), 10**9)
        assert s >= 0
        assert all((v >= 0).all() for v in variances.variance)


def test_regions_are_a_partition_into_nearby_points():
    X = np.random.default_rng(0).uniform(0, 1, (1000, 2))
    parts = regions(X, 64)
    assert sorted(np.concatenate(parts).tolist()) == list(range(1000))
    assert max(map(len, parts)) <= 64
    assert all((np.diff(part) > 0).all() for part in parts)
    assert np.mean([np.ptp(X[part], axis=0).max() for part in parts]) < 0.35


def test_what_cannot_fit_into_memory_is_refused(monkeypatch):
    monkeypatch.setattr(memory.os, "sysconf", lambda name: 1000)  # a machine with a megabyte
    X = np.random.default_rng(0).uniform(0, 1, (20_000, 2))
    with pytest.raises(UnswayedError, match=r"20,000 points need .* GB for a design .* larger eta"):
        rare_switching_design_at(SquaredExponential(0.05), X, 1.0, 2.0, 10**4)


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"eta": 1.0}, "eta"), ({"lam": 0.0}, "lam"), ({"length": 0}, "length"), ({"X": []}, "point")],
)
def test_bad_input_is_refused(change, reason):
    good = {"kernel": Linear(), "X": np.eye(2), "lam": 1.0, "eta": 2.0, "length": 4}
    with pytest.raises(UnswayedError, match=reason):
        rare_switching_design_at(**{**good, **{k: np.array(v) if k == "X" else v for k, v in change.items()}})


MEMORY = """
import resource
import numpy as np
from unswayed import SquaredExponential
from unswayed.core.design.rare_switching import rare_switching_design_at
X = np.random.default_rng(0).uniform(0, 1, (200_000, 2))
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
rare_switching_design_at(SquaredExponential(1.0), X[:5000], 1.0, 2.0, 10)
before = peak()
arms, _ = rare_switching_design_at(SquaredExponential(0.2), X, 1.0, 2.0, 200)
print(len(arms), peak() - before)
"""


def test_memory_is_one_number_for_each_point_and_switch():
    out = subprocess.run([sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True).stdout
    arms, grown = map(int, out.split())
    assert arms >= 40
    assert grown < 1.5 * 8 * 200_000 * (arms + 8) + 20e6
