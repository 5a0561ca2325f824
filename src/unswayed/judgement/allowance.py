"""What a threat allows to set aside, one suspect after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from unswayed.core.tampering.threat import Records, Threat
from unswayed.types import EPS


@dataclass(frozen=True)
class Allowance:
    """What is left of a threat while measurements are set aside one after the other.

    Attributes:
        total: The sum of changes that can still be explained by tampering.
        lies: How many more measurements may be false.
        liars: How many more sources may lie.
        free: Standard deviations of a change that are taken for noise, and not charged to the total.
        accidents: Whether the threat is unknown. Then what is set aside is taken for accidents, which do not agree.
    """

    total: float
    lies: float
    liars: float
    free: float = 0.0
    accidents: bool = False

    @classmethod
    def of(cls, threat: Threat | None, free: float = 0.0, records: Records | None = None) -> Self:
        """All of a threat; without limit if it is unknown. Every record that it doubts may be one more lie."""
        if threat is None:
            return cls(np.inf, 0, 0, free, accidents=True)
        doubted = 0 if records is None else int(records.measurements[records.up_to(threat.doubt)].sum())
        return cls(threat.total, threat.lies + doubted, threat.liars, free)

    def mapped(self, unit: float) -> Self:
        """The same in other units.

        Args:
            unit: What a change is multiplied by.
        """
        return replace(self, total=unit * self.total)

    def charged(self, change: float, plays: int, *, source: bool = False, z: float = np.inf) -> Self | None:
        """What is left after some plays are set aside; None if the threat does not suffice for them.

        Args:
            change: The sum of their changes.
            plays: How many they are.
            source: Whether they are all plays of one source.
            z: How many standard deviations the change is.
        """
        change *= max(1 - self.free / max(z, EPS), 0.0)
        if source and self.liars >= 1:
            return replace(self, liars=self.liars - 1)
        if self.lies >= plays:
            return replace(self, lies=self.lies - plays)
        return replace(self, total=self.total - change) if self.total >= change else None
