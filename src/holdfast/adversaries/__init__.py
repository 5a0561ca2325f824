"""The attacks of Section 4, and when they start. An adversary only names what it wants; others keep count."""

from holdfast.adversaries.aggressive_subtraction import AggressiveSubtraction
from holdfast.adversaries.clipping import Clipping
from holdfast.adversaries.flip import Flip
from holdfast.adversaries.protocol import Adversary, NoAttack, at_points
from holdfast.adversaries.strongest import Strongest
from holdfast.adversaries.top_k import TopK
from holdfast.adversaries.trigger import Start, immediately, later

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
