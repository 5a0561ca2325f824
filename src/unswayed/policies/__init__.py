"""One algorithm, one file, readable next to its pseudo-code."""

from unswayed.policies.gp_ucb import GPUCB
from unswayed.policies.influence_phased_elimination import InfluencePhasedElimination
from unswayed.policies.influence_ucb import InfluenceUCB
from unswayed.policies.linear_phased_elimination import LinearPhasedElimination
from unswayed.policies.protocol import Policy
from unswayed.policies.robust_gp_ucb import RobustGPUCB
from unswayed.policies.robust_phased_elimination import RobustPhasedElimination
from unswayed.policies.vigilant_ucb import VigilantUCB

__all__ = [
    "GPUCB",
    "InfluencePhasedElimination",
    "InfluenceUCB",
    "LinearPhasedElimination",
    "Policy",
    "RobustGPUCB",
    "RobustPhasedElimination",
    "VigilantUCB",
]
