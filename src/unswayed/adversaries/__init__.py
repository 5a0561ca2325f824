"""The attacks of Section 4, and when they start. An adversary names what it wants; a ledger limits it to its budget."""

from unswayed.adversaries.attacks import AggressiveSubtraction, Clipping, Flip, Strongest, TopK
from unswayed.adversaries.protocol import Adversary, NoAttack, Start, at_points, immediately, later

__all__ = [
    "Adversary",
    "AggressiveSubtraction",
    "Clipping",
    "Flip",
    "NoAttack",
    "Start",
    "Strongest",
    "TopK",
    "at_points",
    "immediately",
    "later",
]
