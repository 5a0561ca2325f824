"""How many functions and files of ours a thing that users do passes through: `python benchmarks/flows.py`.

A flow that visits few places is easy to follow. Counted with `sys.setprofile`, in the second call, when everything is
imported and compiled: our own functions, without lambdas, comprehensions and class bodies.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import unswayed as uw

ROOT = str(Path(uw.__file__).parent)


def counted(call: Callable[[], Any]) -> tuple[int, int, int, list[str]]:
    """Functions, files and calls of one run, and the functions by name."""
    seen: dict[tuple[str, str, int], int] = {}

    def watch(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ROOT) and not code.co_name.startswith("<"):
            key = (code.co_filename, code.co_qualname, code.co_firstlineno)
            seen[key] = seen.get(key, 0) + 1

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    names = [f"{Path(file).relative_to(ROOT)}: {name}" for file, name, _ in seen]
    return len(seen), len({file for file, _, _ in seen}), sum(seen.values()), sorted(names)


def told(plays: int) -> uw.Optimizer:
    """A study of a box with measurements."""
    rng = np.random.default_rng(0)
    study = uw.Optimizer(uw.Box({"x": uw.Real(0, 1), "y": uw.Real(0, 1)}), threat=uw.Threat(lies=2), seed=0)
    for _ in range(plays):
        [play] = study.ask()
        study.tell(play, -((play.point["x"] - 0.3) ** 2) - play.point["y"] ** 2 + 0.01 * rng.standard_normal())
    return study


def flows() -> Iterator[tuple[str, Callable[[], Any]]]:
    """What is counted."""
    from unswayed.cli import main

    study = told(41)
    [play] = study.ask()
    yield "tell (box, 41 plays)", lambda: study.tell(play, -0.1)
    yield "ask (box, 42 plays), which takes in what was told and fits", study.ask
    yield "ask again", study.ask
    yield "answer", study.answer
    yield "answer in words", lambda: str(study.answer())
    rng = np.random.default_rng(1)
    x = rng.integers(0, 5, (40, 2))
    rows = [f"{a},{b},{-((a - 2) ** 2) - b + rng.normal(0, 0.2):.3f}" for a, b in x]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "table.csv")
        table.write_text("a,b,score\n" + "\n".join(rows) + "\n")

        def audit() -> None:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
                main(["audit", str(table), "--html", str(Path(folder, "audit.html"))])

        audit()
        yield "audit of a CSV file to HTML, by the command", audit


def main() -> None:
    for name, call in flows():
        functions, files, calls, names = counted(call)
        print(f"{name}: {functions} functions in {files} files, {calls:,} calls")
        if "--list" in sys.argv:
            print(*(f"    {one}" for one in names), sep="\n")


if __name__ == "__main__":
    told(45).answer()  # so that everything is imported and compiled
    main()
