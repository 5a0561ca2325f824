"""Unswayed finds the best option when some of the measurements lie.

    maximize, minimize     optimise a function or a program on measurements that may be wrong
    Optimizer              the same by ask and tell, over a journal that survives crashes
    audit                  how much tampering would have overturned the winner of existing data
    simulate               the bandit policies of the paper (arXiv 2202.01850) and ours against attacks

Names are imported when they are first used, so `import unswayed` costs almost nothing. Static tools read them from
`__init__.pyi`.
"""

from __future__ import annotations

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
    "search.play": ("Play", "Status"),
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


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
