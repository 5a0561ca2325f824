"""Which rows of a space a search considers: some everywhere, some around the leaders; every row if there are few."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from unswayed.core.data.rows import distinct_rows
from unswayed.judgement.noise import LEAST_REPEATS
from unswayed.spaces import Space
from unswayed.types import FloatArray, IntArray

EVERYWHERE = 300  # rows all over the space
NEAR_ROWS = 400  # rows around the leaders
MOVED = 100  # rows with one parameter of a leader moved
FEW = EVERYWHERE + NEAR_ROWS  # a space with at most this many points is considered as a whole
INITIAL = 64  # different initial rows, used until a value is told
SOBOL = 256  # starts all over the space
AROUND = 50  # starts at each distance from the leaders
LEADERS = 10  # sample candidates around this many best rows
RADII = (0.3, 0.1, 0.03, 0.01, 0.003)  # distances of candidates from the leaders, in sides of the cube
START_RADII = (0.2, 0.03)  # the same for starts
FAMILIES = 8  # the best row of this many families is optimised, in addition to the best rows of all


def first_rows(space: Space, seed: int) -> FloatArray:
    """Rows that cover the space, to play before there is a model. Longer than the model needs, for large batches."""
    rows = space.spread(max(2 * len(space.names), INITIAL), np.random.default_rng([seed]))
    return _in_turn(space, rows[distinct_rows(rows)])


def first_rows_twice(space: Space, seed: int) -> FloatArray:
    """The first plays of a search with a guarantee: rows that cover the space, the first few twice, for the noise."""
    most = 4 * len(space.names) + 8
    rows = _in_turn(space, np.random.default_rng([seed]).permutation(space.arms(most, seed)))[:most]
    return np.vstack([rows, rows[: min(LEAST_REPEATS, len(rows))]])


def leading(space: Space, rows: FloatArray, scores: FloatArray, n: int) -> IntArray:
    """The numbers of the n rows of largest score, and of the best row of each family: each is to be optimised."""
    order = np.argsort(-scores, kind="stable")
    if not len(space.families):
        return order[:n]
    best = np.unique(space.family_of(rows[order]), return_index=True)[1]
    return order[np.unique(np.append(np.arange(min(n, len(order))), np.sort(best)[:FAMILIES]))]


def _in_turn(space: Space, rows: FloatArray) -> FloatArray:
    """The families in turn, so that the first rows cover all of them."""
    if not len(space.families):
        return rows
    family = space.family_of(rows)
    order = np.argsort(family, kind="stable")
    starts = np.searchsorted(family[order], family[order])
    turn = np.empty(len(rows), dtype=np.int64)
    turn[order] = np.arange(len(rows)) - starts
    return rows[np.lexsort((family, turn))]


def all_rows(space: Space, seed: int) -> FloatArray | None:
    """Every row of the space if there are few, else None."""
    return space.arms(FEW, seed) if space.size is not None and space.size <= FEW else None


def initial_row(space: Space, start: FloatArray, failed: FloatArray, number: int, seed: int) -> FloatArray:
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


def success_probability(rows: FloatArray, told: FloatArray, failed: FloatArray) -> FloatArray:
    """How probable it is that a play of each row gives a value: the share of values among the plays around it.

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
    near = [space.around(leaders, radius, AROUND, rng) for radius in START_RADII]
    moved = one_parameter_moved(space, leaders, everywhere, rng)
    return np.vstack([everywhere, moved, *near, space.nearest(leaders, AROUND)])


def candidates(space: Space, leaders: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Rows to compare with those that were played: some everywhere, some around the leaders."""
    near = [space.around(leaders, radius, NEAR_ROWS // len(RADII), rng) for radius in RADII]
    everywhere = space.arms(EVERYWHERE, int(rng.integers(2**31)))
    if len(everywhere) > EVERYWHERE:  # a long table
        everywhere = everywhere[rng.choice(len(everywhere), EVERYWHERE, replace=False)]
    moved = one_parameter_moved(space, leaders, everywhere, rng)
    return np.vstack([everywhere, moved, *near, space.nearest(leaders, NEAR_ROWS // len(leaders))])


def one_parameter_moved(
    space: Space, leaders: FloatArray, everywhere: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Leaders with one parameter replaced by that of a random row: this leads from one peak to the next."""
    moved = leaders[rng.integers(len(leaders), size=MOVED)]
    donors = everywhere[rng.integers(len(everywhere), size=MOVED)]
    return space.exchanged(moved, donors, rng)
