"""How many small mistakes the tests notice: edit one place of the source, run its tests, and count the runs that fail.

    python scripts/mutants.py core --sample 60 --seed 0
    python scripts/mutants.py judgement search storage --sample 40

An edit turns a comparison around, doubles a number, sets it to 0 or adds 1 to it, turns a sign, drops a term, removes a
`not`, or exchanges `and` and `or`, or `min` and `max`. It is made in a copy of the package. Then tests run until one
fails: the file of `tests/` that mirrors the edited one, and the files of the same folder of `tests/` that import it.
Some edits change nothing that can be seen, so the share killed does not reach 100%.

First the tests run without an edit, and the time is measured. An edit with which they take SLOWER times as long makes
the code hang: it counts as killed. If the tests without an edit have become slow too, it is not counted at all.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
SOURCE, TESTS = ROOT / "src" / "unswayed", ROOT / "tests"
FLIPS = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
SWAPS = {
    "min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "argmin": "argmax", "argmax": "argmin",
}  # fmt: skip
LEFT_ALONE = (ast.JoinedStr, ast.Raise, ast.Assert, ast.Import, ast.ImportFrom)  # messages, not behaviour
NOT_RUN = ("annotation", "returns", "decorator_list", "type_params")
SLOWER = 10  # times the usual time of the tests


class Mutant(NamedTuple):
    """One edit of one file."""

    path: Path
    number: int  # among the edits of this file
    line: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(SOURCE)}:{self.line}:  {self.before}  ->  {self.after}"


def replacements(node: ast.AST) -> Iterator[ast.expr]:
    """What a part of the source may be replaced by."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            numbers = [1] if value == 0 else [2 * value, 0]
            if isinstance(value, int) and value not in (0, 1):
                numbers.append(value + 1)
            yield from map(ast.Constant, numbers)
        case ast.Compare(ops=[op]):
            yield ast.Compare(node.left, [FLIPS[type(op)]()], node.comparators)
        case ast.BinOp(op=op) if type(op) in SIGNS:
            yield ast.BinOp(node.left, SIGNS[type(op)](), node.right)
            if isinstance(op, ast.Add | ast.Sub):
                yield node.left
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            yield node.operand
        case ast.BoolOp(op=op):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), node.values)
        case ast.Name(id=name) if name in SWAPS:
            yield ast.Name(SWAPS[name], node.ctx)
        case ast.Attribute(attr=name) if name in SWAPS:
            yield ast.Attribute(node.value, SWAPS[name], node.ctx)


def sites(parent: ast.AST) -> Iterator[tuple[ast.AST, Callable[[ast.AST], None]]]:
    """Every part of the source that is run, and how to put another one in its place."""
    for field, value in ast.iter_fields(parent):
        if field in NOT_RUN:
            continue
        for i, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or isinstance(child, LEFT_ALONE):
                continue

            def put(new: ast.AST, field: str = field, i: int = i, several: bool = isinstance(value, list)) -> None:
                if several:
                    getattr(parent, field)[i] = new
                else:
                    setattr(parent, field, new)

            yield child, put
            yield from sites(child)


def mutants(path: Path) -> Iterator[tuple[Mutant, Callable[[], str]]]:
    """All edits of a file, and the source that each makes."""
    tree, number = ast.parse(path.read_text()), 0
    for node, put in list(sites(tree)):
        for new in replacements(node):

            def source(node: ast.AST = node, new: ast.AST = new, put: Callable[[ast.AST], None] = put) -> str:
                put(new)
                text = ast.unparse(ast.fix_missing_locations(deepcopy(tree)))
                put(node)
                return text

            yield Mutant(path, number, node.lineno, ast.unparse(node), ast.unparse(new)), source  # type: ignore[attr-defined]
            number += 1


def tests_of(path: Path) -> list[Path]:
    """The test file that mirrors a file, and those of the same top folder that import it.

    If there are none, those of other folders that import it; or else the tests of the files beside it that use it, or
    all of its folder.
    """
    relative = path.relative_to(SOURCE)
    mirror = TESTS / relative.parent / f"test_{relative.name}"
    module = ".".join(("unswayed", *relative.with_suffix("").parts))
    parent, name = module.rsplit(".", 1)
    imports = (f"{module} import", f"import {module}", f"from {parent} import {name}")

    def importing(folder: Path, pattern: str) -> list[Path]:
        return [
            p for p in sorted(folder.rglob(pattern)) if p != mirror and any(one in p.read_text() for one in imports)
        ]

    near = [*([mirror] if mirror.exists() else []), *importing(TESTS / relative.parts[0], "test_*.py")]
    if found := near or importing(TESTS, "test_*.py"):
        return found
    far = {test for user in importing(SOURCE / relative.parts[0], "*.py") for test in tests_of(user)}
    return sorted(far or (TESTS / relative.parts[0]).rglob("test_*.py"))


def run_tests(package: Path, tests: list[Path], timeout: float | None = None) -> tuple[str, float]:
    """Whether the tests of a copy of the package pass, fail, or take too long; and their time in seconds."""
    environment = {**os.environ, "PYTHONPATH": f"{package.parent}{os.pathsep}{ROOT}", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *map(str, tests)]
    started = time.perf_counter()
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return "hangs", time.perf_counter() - started
    found = "survived" if done.returncode in (0, 5) else "killed"  # 5: no test was found
    return found, time.perf_counter() - started


def try_out(mutant: Mutant, package: Path, limit: float) -> tuple[str, float]:
    """What the tests make of an edit, which is made in a copy of the package for as long as they run."""
    copy, tests = package / mutant.path.relative_to(SOURCE), tests_of(mutant.path)
    original = copy.read_text()
    copy.write_text(next(source for one, source in mutants(mutant.path) if one == mutant)())
    # Python would trust what it compiled of a file of the same size in the same second.
    shutil.rmtree(copy.parent / "__pycache__", ignore_errors=True)
    found, seconds = run_tests(package, tests, limit)
    copy.write_text(original)
    if found == "hangs" and run_tests(package, tests, limit / 3)[0] == "hangs":
        found = "unknown"  # the machine is slow
    return found, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", help="folders or files of src/unswayed")
    parser.add_argument("--sample", type=int, default=60, help="how many edits are tried")
    parser.add_argument("--seed", type=int, default=0, help="which edits are drawn")
    parser.add_argument("--timeout", type=float, default=60, help="the least seconds after which an edit hangs")
    parser.add_argument("--at", nargs="*", default=[], help="only edits at these places, as FILE:LINE (no sample)")
    chosen = parser.parse_args()
    os.nice(5)
    given = [SOURCE / one for one in chosen.folders]
    files = [path for one in given for path in ([one] if one.is_file() else sorted(one.rglob("*.py")))]
    everything = [mutant for path in files for mutant, _ in mutants(path)]
    if chosen.at:
        drawn = [m for m in everything if f"{m.path.relative_to(SOURCE)}:{m.line}" in chosen.at]
    else:
        drawn = random.Random(chosen.seed).sample(everything, min(chosen.sample, len(everything)))
    results: dict[Mutant, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "unswayed"
        shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
        limits = {}
        for path in sorted({mutant.path for mutant in drawn}):
            found, seconds = run_tests(package, tests_of(path))
            if found != "survived":
                sys.exit(f"the tests of {path.relative_to(SOURCE)} fail without an edit")
            limits[path] = max(chosen.timeout, SLOWER * seconds)
        for i, mutant in enumerate(sorted(drawn), 1):
            results[mutant], seconds = try_out(mutant, package, limits[mutant.path])
            print(f"{i:4} {results[mutant]:9}{seconds:6.0f} s  {mutant}", flush=True)
    counted = [found for found in results.values() if found != "unknown"]
    killed = len(counted) - counted.count("survived")
    share = killed / max(len(counted), 1)
    print(f"\n{killed} of {len(counted)} killed ({share:.0%}), of {len(everything)} possible edits")
    for mutant, found in results.items():
        if found in ("survived", "unknown"):
            print(f"  {found}: {mutant}")


if __name__ == "__main__":
    main()
