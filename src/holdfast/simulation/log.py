"""The record that a simulation fills while it runs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from holdfast.simulation.run import EpochRecord
from holdfast.types import FloatArray, IntArray


@dataclass
class Log:
    """Blocks of plays and epochs, as they come."""

    parts: list[tuple[IntArray, IntArray, FloatArray, FloatArray]] = field(default_factory=list)
    epochs: list[EpochRecord] = field(default_factory=list)

    def plays(self, arms: ArrayLike, repeats: ArrayLike, rewards: ArrayLike, spent: ArrayLike) -> None:
        """Add blocks: arms, how often each was played, the sum of its rewards, what was spent on it."""
        self.parts.append((np.array(arms), np.array(repeats), np.array(rewards), np.array(spent)))

    def blocks(self) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
        """All blocks in order, neighbours of the same arm merged."""
        arms, repeats, rewards, spent = (np.concatenate(column) for column in zip(*self.parts, strict=True))
        starts = np.flatnonzero(np.concatenate([[True], arms[1:] != arms[:-1]]))
        return (
            arms[starts],
            np.add.reduceat(repeats, starts),
            np.add.reduceat(rewards, starts),
            np.add.reduceat(spent, starts),
        )
