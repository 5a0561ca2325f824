"""Lists of options that need no package: the two problems of the paper, and A/B tests.

f1, robot3d   the problems of Section 4 of the paper (`unswayed.problems`), with the noise of the gauntlet
ab-12, ab-40  variants of a page without an order. A play shows one of them to 5,000 visitors and reports the share
              that converts: binomial noise. The rates are drawn once, around 5%.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from unswayed.problems import Problem, f1, robot3d
from unswayed.spaces import Options
from unswayed.types import FloatArray
from unswayed_gauntlet.problems.parts import Made, listed

PAPER: Mapping[str, Callable[[], Problem]] = {"f1": f1, "robot3d": robot3d}
VISITORS = 5000  # of one play
RATE = 0.05  # conversions per visitor of a typical variant
SPREAD = 0.15  # standard deviation of the logarithm of the rate between variants


def paper(name: str) -> Made:
    """A problem of the paper as a list of points."""
    one = PAPER[name]()
    return listed(Options(one.domain), one.f)


def ab(variants: int, *, seed: int) -> Made:
    """An A/B test: labels, rates, and batches of visitors."""
    rates = RATE * np.exp(SPREAD * np.random.default_rng(seed).standard_normal(variants))

    def honest(row: FloatArray, truth: float, rng: np.random.Generator) -> float:
        return float(rng.binomial(VISITORS, truth)) / VISITORS

    return listed(Options([f"variant {i + 1}" for i in range(variants)]), rates)._replace(honest=honest)
