"""Small problems of one parameter for tests of liars, and what a game reports for rows."""

import zlib

import numpy as np

from unswayed.spaces import Box, Options, Real
from unswayed_gauntlet.liars.protocol import NOISE
from unswayed_gauntlet.problems import SpaceProblem


def forrester(X):
    """The function of Forrester et al. (2008) on [0, 1]; its best point is 1."""
    x = X[:, 0]
    return (6 * x - 2) ** 2 * np.sin(12 * x - 4)


def heavy(row, truth, rng):
    """An honest report with noise that grows to the right and has no variance."""
    return truth + (0.1 + float(row[0])) * float(rng.standard_cauchy())


GRID = np.linspace(0, 1, 20_001)[:, None]
BEST, WORST = float(forrester(GRID).max()), float(forrester(GRID).min())
LISTED = np.linspace(0, 1, 41)[:, None]
CURVE = SpaceProblem("forrester", Box({"x": Real(0, 1)}), forrester, BEST, WORST)
HEAVY = SpaceProblem("forrester-heavy", Box({"x": Real(0, 1)}), forrester, BEST, WORST, honest=heavy)
LIST = SpaceProblem(
    "forrester-list", Options(LISTED), forrester, float(forrester(LISTED).max()), float(forrester(LISTED).min())
)


def honest_reports(game, rows):
    """What an honest source would have reported for the rows of the plays so far, from the seeds as documented."""
    one, truth = game.problem, game.problem.truth(rows)
    name, seed = zlib.crc32(one.name.encode()), game._seed[1]
    if one.honest is None:
        return (
            truth + NOISE * one.range * np.random.default_rng([name, seed, 0]).standard_normal(game.plays)[: len(rows)]
        )
    generators = [np.random.default_rng([name, seed, 0, number]) for number in range(len(rows))]
    return np.array([one.honest(*each) for each in zip(rows, truth, generators, strict=True)])


def play(game, rows):
    """What a game reports at rows, and the changes by the liar alone."""
    told = np.array([game.measure(point) for point in game.problem.space.decode(rows)])
    return told, told - honest_reports(game, game.problem.space.legal(rows))
