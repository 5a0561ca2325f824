"""Unswayed finds the best option when some of the measurements lie.

    maximize, minimize     optimise a function or a program on measurements that may be wrong
    Optimizer              the same by ask and tell, over a journal that survives crashes
    audit                  how much tampering would have overturned the winner of existing data
    simulate               the bandit policies of the paper (arXiv 2202.01850) and ours against attacks

Names are imported when they are first used, so `import unswayed` costs almost nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it as true; importing `typing` would cost more than all else here
if TYPE_CHECKING:
    from typing import Any

    from unswayed.audits.audit import Audit, audit
    from unswayed.core.assumptions import Assumptions
    from unswayed.core.certificate import Breakdown, Certificate, breakdown, certificate
    from unswayed.core.kernels import Linear, Matern, SquaredExponential
    from unswayed.core.posterior import JointPosterior, Posterior
    from unswayed.errors import CommandFailed, CommandStopped, InvalidInput, JournalError, SystemFault, UnswayedError
    from unswayed.experiments.store import load_runs
    from unswayed.policies.gp_ucb import GPUCB
    from unswayed.policies.influence_phased_elimination import InfluencePhasedElimination
    from unswayed.policies.influence_ucb import InfluenceUCB
    from unswayed.policies.linear_phased_elimination import LinearPhasedElimination
    from unswayed.policies.robust_gp_ucb import RobustGPUCB
    from unswayed.policies.robust_phased_elimination import RobustPhasedElimination
    from unswayed.policies.vigilant_ucb import VigilantUCB
    from unswayed.problems.problem import Problem
    from unswayed.programs.command import Command
    from unswayed.search.answer import Answer
    from unswayed.search.log import Play, Status
    from unswayed.simulation.corrupted import Corrupted
    from unswayed.simulation.run import Run
    from unswayed.simulation.simulate import simulate
    from unswayed.spaces.box import Box
    from unswayed.spaces.intervals import Integer, Real
    from unswayed.spaces.options import Options
    from unswayed.spaces.parameters import Categorical
    from unswayed.study.maximize import maximize, minimize
    from unswayed.study.optimizer import Optimizer
    from unswayed.study.result import Result
    from unswayed.types import Feedback, Query, View

__version__ = "0.2.0"

_MODULES = {
    "audits.audit": ("Audit", "audit"),
    "core.assumptions": ("Assumptions",),
    "core.certificate": ("Breakdown", "Certificate", "breakdown", "certificate"),
    "core.kernels": ("Linear", "Matern", "SquaredExponential"),
    "core.posterior": ("JointPosterior", "Posterior"),
    "errors": ("CommandFailed", "CommandStopped", "InvalidInput", "JournalError", "SystemFault", "UnswayedError"),
    "experiments.store": ("load_runs",),
    "policies.gp_ucb": ("GPUCB",),
    "policies.influence_phased_elimination": ("InfluencePhasedElimination",),
    "policies.influence_ucb": ("InfluenceUCB",),
    "policies.linear_phased_elimination": ("LinearPhasedElimination",),
    "policies.robust_gp_ucb": ("RobustGPUCB",),
    "policies.robust_phased_elimination": ("RobustPhasedElimination",),
    "policies.vigilant_ucb": ("VigilantUCB",),
    "problems.problem": ("Problem",),
    "programs.command": ("Command",),
    "search.answer": ("Answer",),
    "search.log": ("Play", "Status"),
    "simulation.corrupted": ("Corrupted",),
    "simulation.run": ("Run",),
    "simulation.simulate": ("simulate",),
    "spaces.box": ("Box",),
    "spaces.intervals": ("Integer", "Real"),
    "spaces.options": ("Options",),
    "spaces.parameters": ("Categorical",),
    "study.maximize": ("maximize", "minimize"),
    "study.optimizer": ("Optimizer",),
    "study.result": ("Result",),
    "types": ("Feedback", "Query", "View"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_HOME)  # a test checks that each of these exists and is documented


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
