"""Which arm to recommend: the one of largest mu - CAUTION sd. The less an arm was measured, the larger its mean."""

from __future__ import annotations

from collections.abc import Sequence

from unswayed.types import FloatArray

CAUTION = 1.0  # standard deviations


def cautious(mean: FloatArray, deviation: FloatArray, without: Sequence[int] = ()) -> FloatArray:
    """mu - CAUTION sd of each arm; minus infinity for arms to leave out, unless these are all arms.

    Args:
        mean: Of each arm.
        deviation: Of each arm.
        without: Arms to leave out.
    """
    lower: FloatArray = mean - CAUTION * deviation
    lower[list(without) if len(without) < len(lower) else []] = -float("inf")
    return lower
