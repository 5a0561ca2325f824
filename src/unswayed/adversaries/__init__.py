"""The attacks of Section 4 and others, and when they start. An adversary names what it wants; a ledger limits it."""

from unswayed.adversaries.aggressive_subtraction import AggressiveSubtraction as AggressiveSubtraction
from unswayed.adversaries.clipping import Clipping as Clipping
from unswayed.adversaries.flip import Flip as Flip
from unswayed.adversaries.liar import Liar as Liar
from unswayed.adversaries.protocol import Adversary as Adversary
from unswayed.adversaries.protocol import NoAttack as NoAttack
from unswayed.adversaries.protocol import Start as Start
from unswayed.adversaries.protocol import at_points as at_points
from unswayed.adversaries.protocol import immediately as immediately
from unswayed.adversaries.protocol import later as later
from unswayed.adversaries.spikes_hide import SpikesHide as SpikesHide
from unswayed.adversaries.spikes_promote import SpikesPromote as SpikesPromote
from unswayed.adversaries.strongest import Strongest as Strongest
from unswayed.adversaries.top_k import TopK as TopK
