"""Find equal rows in tables of millions, without sorting whole rows."""

from __future__ import annotations

import numpy as np

from unswayed.types import FloatArray, IntArray

HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, with well spread bits: 2^64 over the golden ratio
HASH_SHIFT = np.uint64(29)  # bits: the high ones change the low ones


def first_rows(X: FloatArray) -> IntArray:
    """For each row, the number of the first row that equals it."""
    hashes = _hashes(X)
    order = np.argsort(hashes, kind="stable")
    same_hash = hashes[order[1:]] == hashes[order[:-1]]
    pairs = np.flatnonzero(same_hash)
    if not (X[order[pairs]] == X[order[pairs + 1]]).all():  # different rows share a hash: rare, so this may be slow
        _, first, group = np.unique(X, axis=0, return_index=True, return_inverse=True)
        return first[group.reshape(-1)].astype(np.int64)
    starts = np.concatenate([[True], ~same_hash])[: len(X)]
    firsts = np.empty(len(X), dtype=np.int64)
    firsts[order] = order[starts][np.cumsum(starts) - 1]
    return firsts


def distinct_rows(X: FloatArray) -> IntArray:
    """The numbers of the rows that differ from all earlier rows, in order."""
    return np.flatnonzero(first_rows(X) == np.arange(len(X))).astype(np.int64)


def numbered_rows(X: FloatArray) -> tuple[FloatArray, IntArray]:
    """The distinct rows in order of first appearance, and for each row the number of its distinct row."""
    firsts = first_rows(X)
    chosen = np.flatnonzero(firsts == np.arange(len(X)))
    return X[chosen], np.searchsorted(chosen, firsts)


def _hashes(X: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    hashes = np.zeros(len(X), dtype=np.uint64)
    for column in X.T:
        hashes ^= (column + 0.0).view(np.uint64)  # -0.0 equals 0.0
        hashes *= HASH_FACTOR
        hashes ^= hashes >> HASH_SHIFT
    return hashes
