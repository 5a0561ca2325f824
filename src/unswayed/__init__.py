"""Unswayed finds the best option when some of the measurements lie.

    maximize, minimize     optimise a function or a program on measurements that may be wrong
    Optimizer              the same by ask and tell, over a journal that survives crashes
    audit                  how much tampering would have overturned the winner of existing data
    audit_votes            the same of a ranking by votes between two options
    audit_scores, compare  the same of scores on items, such as benchmarks; of two logs of one
    simulate               the bandit policies of the paper (arXiv 2202.01850) and ours against attacks

The public names are listed in `__init__.pyi`, for static tools and for this file. They are imported when they are first
used, so `import unswayed` costs almost nothing.
"""

from __future__ import annotations

__version__ = "0.2.0"


def _homes() -> dict[str, str]:
    """The module of each public name."""
    import re
    from importlib import resources

    stub = resources.files(__name__).joinpath("__init__.pyi").read_text(encoding="utf-8")
    return {name: module for module, name in re.findall(r"^from (\S+) import (\w+) as ", stub, re.MULTILINE)}


def __getattr__(name: str) -> object:
    from importlib import import_module

    homes = _homes()
    if name != "__all__" and name not in homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = sorted(homes) if name == "__all__" else getattr(import_module(homes[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *_homes()]
