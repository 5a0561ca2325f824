"""Holdfast finds the best option when some of the measurements lie.

Gaussian process bandits under a corruption budget: robust phased elimination and its baselines, the
attacks they must withstand, and the simulator that brings them together.
"""

from holdfast.core.influence import Certificate, certificate
from holdfast.core.kernels import Linear, Matern, SquaredExponential
from holdfast.core.posterior import Posterior
from holdfast.policies import (
    GPUCB,
    InfluencePhasedElimination,
    InfluenceUCB,
    LinearPhasedElimination,
    RobustGPUCB,
    RobustPhasedElimination,
    VigilantUCB,
)
from holdfast.problems import Problem
from holdfast.simulation import Corrupted, Run, load_runs, simulate
from holdfast.spaces import Box, Categorical, Integer, Options, Real
from holdfast.study import Answer, Audit, Optimizer, Play, Result, Ticket, audit, maximize, minimize
from holdfast.types import Feedback, HoldfastError, Query, View

__version__ = "0.1.0"

__all__ = [
    "GPUCB",
    "Answer",
    "Audit",
    "Box",
    "Categorical",
    "Certificate",
    "Corrupted",
    "Feedback",
    "HoldfastError",
    "InfluencePhasedElimination",
    "InfluenceUCB",
    "Integer",
    "Linear",
    "LinearPhasedElimination",
    "Matern",
    "Optimizer",
    "Options",
    "Play",
    "Posterior",
    "Problem",
    "Query",
    "Real",
    "Result",
    "RobustGPUCB",
    "RobustPhasedElimination",
    "Run",
    "SquaredExponential",
    "Ticket",
    "View",
    "VigilantUCB",
    "audit",
    "certificate",
    "load_runs",
    "maximize",
    "minimize",
    "simulate",
]
