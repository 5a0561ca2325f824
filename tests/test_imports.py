"""Heavy packages are imported when they are used, so that programs start quickly."""

import subprocess
import sys

from tests.source import FILES, ROOT, relative

HEAVY = {"numba", "scipy.stats", "pyarrow", "matplotlib", "rich", "typer"}
CORE = [
    ".".join(("unswayed", *path.relative_to(ROOT).with_suffix("").parts))
    for path in FILES
    if relative(path).startswith("core/") and path.stem != "__init__" and "compiled" not in path.stem
]
QUICK = [
    "unswayed",
    "unswayed.types",
    "unswayed.progress",
    "unswayed.policies",
    "unswayed.spaces",
    "unswayed.problems",
    "unswayed.adversaries",
    "unswayed.simulation.simulate",
]


def printed(code):
    """What a fresh interpreter prints, line by line."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.splitlines()


def test_importing_imports_nothing_heavy():
    code = f"""
import sys
from importlib import import_module
for name in {[*QUICK, *CORE]}:
    import_module(name)
    print(name, *sorted({HEAVY} & sys.modules.keys()))
"""
    assert printed(code) == [*QUICK, *CORE]


def test_numba_is_imported_for_compiled_loops_only():
    code = f"""
import sys
import unswayed
from unswayed.adversaries import NoAttack
from unswayed.problems import f1
p = f1()
robust = unswayed.RobustPhasedElimination(p.domain, p.kernel, corruption_budget=1)
for policy in (robust, unswayed.GPUCB(p.domain, p.kernel)):
    unswayed.simulate(p, policy, NoAttack(), budget=0, horizon=50, seed=0)
    print(*sorted({HEAVY} & sys.modules.keys()))
"""
    assert printed(code) == ["", "numba"]
