"""One algorithm, one file, readable next to its pseudo-code."""

from holdfast.policies.gp_ucb import GPUCB
from holdfast.policies.influence_phased_elimination import InfluencePhasedElimination
from holdfast.policies.influence_ucb import InfluenceUCB
from holdfast.policies.linear_phased_elimination import LinearPhasedElimination
from holdfast.policies.protocol import Policy
from holdfast.policies.robust_gp_ucb import RobustGPUCB
from holdfast.policies.robust_phased_elimination import RobustPhasedElimination
from holdfast.policies.vigilant_ucb import VigilantUCB

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
