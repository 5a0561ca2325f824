"""Heavy packages are imported when they are used, so that programs start quickly."""

import subprocess
import sys
from pathlib import Path

import pytest

import unswayed

HEAVY = {"numba", "scipy.stats", "pyarrow", "matplotlib", "rich", "typer"}
ROOT = Path(unswayed.__file__).parent
CORE = sorted(
    ".".join(("unswayed", *path.relative_to(ROOT).with_suffix("").parts))
    for path in (ROOT / "core").rglob("*.py")
    if path.stem != "__init__" and "compiled" not in path.stem
)
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


def loaded_after(statements):
    """The heavy packages that a fresh interpreter holds after these statements."""
    code = f"{statements}\nimport sys\nprint(*sorted({HEAVY!r} & sys.modules.keys()))"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    return set(out.split())


@pytest.mark.parametrize("module", QUICK)
def test_importing_a_module_imports_nothing_heavy(module):
    assert loaded_after(f"import {module}") == set()


def test_importing_the_core_imports_nothing_heavy():
    assert loaded_after("\n".join(f"import {module}" for module in CORE)) == set()


RUN = """
import unswayed
from unswayed.adversaries import NoAttack
from unswayed.problems import f1
p = f1()
unswayed.simulate(p, unswayed.{}, NoAttack(), budget=0, horizon=50, seed=0)
"""


def test_numba_is_imported_for_compiled_loops_only():
    assert loaded_after(RUN.format("RobustPhasedElimination(p.domain, p.kernel, corruption_budget=1)")) == set()
    assert loaded_after(RUN.format("GPUCB(p.domain, p.kernel)")) == {"numba"}
