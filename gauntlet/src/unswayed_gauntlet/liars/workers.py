"""Lying workers: eight take turns, and one of them, drawn before the game, changes all its reports."""

from __future__ import annotations

import numpy as np

from unswayed_gauntlet.liars.protocol import WORKERS, Wish
from unswayed_gauntlet.problems import SpaceProblem

AWAY = 1.0  # ranges: how far a drifting worker is from the truth at the last play


def worker(problem: SpaceProblem, plays: int, rng: np.random.Generator) -> Wish:
    """Its reports are random numbers between worst and best."""
    liar = int(rng.integers(WORKERS))
    reports = problem.worst + problem.range * rng.random(plays)
    return lambda play: float(reports[play.number] - play.truth) if play.number % WORKERS == liar else 0.0


def drift(problem: SpaceProblem, plays: int, rng: np.random.Generator) -> Wish:
    """Its reports move away from the truth in proportion to the number of the play, up or down."""
    liar = int(rng.integers(WORKERS))
    away = float(rng.choice([-1.0, 1.0])) * AWAY * problem.range
    return lambda play: away * play.number / plays if play.number % WORKERS == liar else 0.0
