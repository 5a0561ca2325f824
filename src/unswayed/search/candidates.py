"""Which rows of a space a search considers: some everywhere, some around the leaders, all where there are few."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.distance import cdist

from unswayed.search.beliefs import REPEATS
from unswayed.spaces import Box, Space
from unswayed.types import FloatArray

EVERYWHERE, NEAR, MOVED = (
    300,
    400,
    100,
)  # rows all over, around the leaders, and with one parameter moved
FEW = EVERYWHERE + NEAR  # points of a space that are all considered
RADII = (0.3, 0.1, 0.03, 0.01, 0.003)


def first_rows(space: Space, seed: int) -> FloatArray:
    """What is played before there is a model: rows that cover the space, the first of them twice, for the noise."""
    parameters = int(space.groups.max()) + 1
    rows = space.arms(4 * parameters + 8, seed)
    rows = np.random.default_rng([seed]).permutation(rows)[: 4 * parameters + 8]
    return np.vstack([rows, rows[: min(REPEATS, len(rows))]])


def all_rows(space: Space, seed: int) -> FloatArray | None:
    """Every point of the space, where there are few."""
    return space.arms(FEW, seed) if space.size is not None and space.size <= FEW else None


def unguided(space: Space, start: FloatArray, failed: Sequence[FloatArray], number: int, seed: int) -> FloatArray:
    """The row of play `number` while there is no model: those of `start` in turn, others where these have failed.

    In a continuum those of `start` come no more than twice; what is finite and few is repeated as often as it takes.
    """
    row: FloatArray = start[number % len(start)]
    bad = {one.tobytes() for one in failed}
    few = all_rows(space, seed)
    if number < len(start) or (row.tobytes() not in bad and (number < 2 * len(start) or few is not None)):
        return row
    rows = space.arms(EVERYWHERE, seed) if few is None else few
    rest = [other for other in rows if other.tobytes() not in bad]
    return rest[int(np.random.default_rng([seed, number]).integers(len(rest)))] if rest else row


def near_failures(arms: FloatArray, answered: FloatArray, failed: Sequence[FloatArray]) -> list[int]:
    """Arms to which a play that failed is closer than any that was answered: they may well fail, too."""
    if not failed:
        return []
    near = cdist(arms, np.array(failed)).min(axis=1) < cdist(arms, answered).min(axis=1)
    return [int(arm) for arm in np.flatnonzero(near)]


def candidates(space: Space, leaders: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Rows to consider beside those that were played, and those of them that move one parameter of a leader."""
    near = [space.around(leaders, radius, NEAR // len(RADII), rng) for radius in RADII]
    everywhere = space.arms(EVERYWHERE, int(rng.integers(2**31)))
    if not isinstance(space, Box):  # a long table: some of its rows, and those nearest to the leaders
        nearest = np.argpartition(cdist(leaders, everywhere), NEAR // len(leaders), axis=1)[:, : NEAR // len(leaders)]
        some = rng.choice(len(everywhere), EVERYWHERE, replace=False)
        return everywhere[np.union1d(some, nearest.ravel())], everywhere[:0]
    moved = one_parameter_moved(space, leaders, everywhere, rng)
    return np.vstack([everywhere, moved, *near]), moved


def one_parameter_moved(
    space: Space, leaders: FloatArray, everywhere: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Leaders with one parameter taken from anywhere: a way from one peak to the next."""
    moved = leaders[rng.integers(len(leaders), size=MOVED)]
    donors = everywhere[rng.integers(len(everywhere), size=MOVED)]
    taken = space.groups == rng.integers(int(space.groups.max()) + 1, size=MOVED)[:, None]
    return np.where(taken, donors, moved)
