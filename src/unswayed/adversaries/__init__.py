"""The attacks of Section 4, and when they start. An adversary names what it wants; a ledger limits it to its budget."""

from unswayed.adversaries.aggressive_subtraction import AggressiveSubtraction
from unswayed.adversaries.clipping import Clipping
from unswayed.adversaries.flip import Flip
from unswayed.adversaries.protocol import Adversary, NoAttack, Start, at_points, immediately, later
from unswayed.adversaries.strongest import Strongest
from unswayed.adversaries.top_k import TopK

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
