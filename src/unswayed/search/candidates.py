"""Which rows of a space a search considers: some everywhere, some around the leaders; every row if there are few."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from unswayed.core.data.rows import distinct_rows
from unswayed.spaces import Box, Options, Space
from unswayed.types import FloatArray, IntArray

EVERYWHERE, NEAR, MOVED = 300, 400, 100  # rows all over, around the leaders, and with one parameter moved
FEW = EVERYWHERE + NEAR  # a space with at most this many points is considered as a whole
FIRST = 64  # so many different rows are played, if none is told
SOBOL, AROUND = 256, 50  # starts all over, and at each distance from the leaders
LEADERS = 10  # this many rows of largest mean get candidates around them
RADII = (0.3, 0.1, 0.03, 0.01, 0.003)
STEPS = (0.2, 0.03)  # distances of starts from the leaders
FAMILIES = 8  # the best row of this many families is optimised, beside the best rows of all
REPEATS = 6  # first plays that are made twice, to learn the noise


def first_rows(space: Space, seed: int) -> FloatArray:
    """Rows that cover the space, to play before there is a model: more than that needs, for those who ask for many."""
    rows = space.spread(max(2 * parameters(space), FIRST), np.random.default_rng([seed]))
    return _in_turn(space, rows[distinct_rows(rows)])


def first_rows_twice(space: Space, seed: int) -> FloatArray:
    """The first plays of a search with a guarantee: rows that cover the space, the first few twice, for the noise."""
    rows = space.arms(4 * parameters(space) + 8, seed)
    rows = _in_turn(space, np.random.default_rng([seed]).permutation(rows))[: 4 * parameters(space) + 8]
    return np.vstack([rows, rows[: min(REPEATS, len(rows))]])


def parameters(space: Space) -> int:
    """The number of parameters."""
    return int(space.groups.max()) + 1


def families(space: Space) -> int:
    """The number of families whose points have parameters of their own; 0 without conditions, or if there are many."""
    return len(space.conditions.families) if isinstance(space, Box) and space.conditions else 0


def family_of(space: Space, rows: FloatArray) -> IntArray:
    """The number of the family of each row; 0 without conditions."""
    if isinstance(space, Box) and space.conditions:
        return space.conditions.family(rows)
    return np.zeros(len(rows), dtype=np.int64)


def leading(space: Space, rows: FloatArray, scores: FloatArray, n: int) -> IntArray:
    """The numbers of the n rows of largest score, and of the best row of each family: each is to be optimised."""
    order = np.argsort(-scores, kind="stable")
    if not families(space):
        return order[:n]
    best = np.unique(family_of(space, rows[order]), return_index=True)[1]
    return order[np.unique(np.append(np.arange(min(n, len(order))), np.sort(best)[:FAMILIES]))]


def _in_turn(space: Space, rows: FloatArray) -> FloatArray:
    """The families in turn, so that the first rows cover all of them."""
    if not families(space):
        return rows
    family = family_of(space, rows)
    order = np.argsort(family, kind="stable")
    starts = np.searchsorted(family[order], family[order])
    turn = np.empty(len(rows), dtype=np.int64)
    turn[order] = np.arange(len(rows)) - starts
    return rows[np.lexsort((family, turn))]


def all_rows(space: Space, seed: int) -> FloatArray | None:
    """Every row of the space if there are few, else None."""
    return space.arms(FEW, seed) if space.size is not None and space.size <= FEW else None


def unguided(space: Space, start: FloatArray, failed: FloatArray, number: int, seed: int) -> FloatArray:
    """The row of play `number` while there is no model.

    The rows of `start` in turn; later, instead of a row that failed, a random one that did not. A continuous space
    goes through `start` at most twice.
    """
    bad, few = {one.tobytes() for one in failed}, all_rows(space, seed)
    row: FloatArray = start[number % len(start)]
    if number < len(start) or (row.tobytes() not in bad and (number < 2 * len(start) or few is not None)):
        return row
    rows = space.arms(EVERYWHERE, seed) if few is None else few
    rest = [other for other in rows if other.tobytes() not in bad]
    return rest[int(np.random.default_rng([seed, number]).integers(len(rest)))] if rest else row


def near_failures(arms: FloatArray, told: FloatArray, failed: FloatArray, *, measured_only: bool) -> list[int]:
    """Arms that may fail, if some plays did: those closer to a failure than to a value, or all without a value."""
    if not len(failed):
        return []
    to_value = cdist(arms, told).min(axis=1)
    near = to_value > 0 if measured_only else cdist(arms, failed).min(axis=1) < to_value
    return [int(arm) for arm in np.flatnonzero(near)]


def chances(rows: FloatArray, told: FloatArray, failed: FloatArray) -> FloatArray:
    """How likely a play of each row gives a value: the share of values among the plays around it.

    A play at distance r counts exp(-r^2/2 R^2), where R is the distance to the nearest play.
    """
    if not len(failed):
        return np.ones(len(rows))
    squares = cdist(rows, np.vstack([told, failed]), "sqeuclidean")
    nearest = np.maximum(squares.min(axis=1), 1e-12)[:, None]
    weights = np.exp(-0.5 * squares / nearest)
    share: FloatArray = weights[:, : len(told)].sum(axis=1) / weights.sum(axis=1)
    return share


def starts(space: Space, leaders: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Rows to climb from: some everywhere, some around the leaders, and leaders with one parameter moved."""
    everywhere = space.spread(SOBOL, rng)
    if isinstance(space, Options):  # a long table
        return np.vstack([everywhere, space.nearest(leaders, AROUND)])
    near = [space.around(leaders, radius, AROUND, rng) for radius in STEPS]
    moved = one_parameter_moved(space, leaders, everywhere, rng)
    return np.vstack([everywhere, moved, *near])


def candidates(space: Space, leaders: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Rows to compare beside those that were played: some everywhere, some around the leaders."""
    near = [space.around(leaders, radius, NEAR // len(RADII), rng) for radius in RADII]
    everywhere = space.arms(EVERYWHERE, int(rng.integers(2**31)))
    if isinstance(space, Options):  # a long table
        some = rng.choice(len(everywhere), EVERYWHERE, replace=False)
        return np.vstack([everywhere[some], space.nearest(leaders, NEAR // len(leaders))])
    return np.vstack([everywhere, one_parameter_moved(space, leaders, everywhere, rng), *near])


def one_parameter_moved(
    space: Space, leaders: FloatArray, everywhere: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Leaders with one parameter replaced by that of a random row: this leads from one peak to the next."""
    moved = leaders[rng.integers(len(leaders), size=MOVED)]
    donors = everywhere[rng.integers(len(everywhere), size=MOVED)]
    taken = space.groups == rng.integers(parameters(space), size=MOVED)[:, None]
    rows = np.where(taken, donors, moved)
    return space.conditions.completed(rows, rng) if isinstance(space, Box) and space.conditions else rows
