"""Are the sentences that a study prints true?

    python benchmarks/coverage_runs.py given --out given.jsonl                 # everything is given: certificates
    python benchmarks/coverage_runs.py estimated --out estimated.jsonl         # only the threat is: credible bounds
    python benchmarks/coverage_runs.py estimated --held-out --out held.jsonl   # on functions that no rule was made for

Every run draws a function, runs a study on it, and compares its sentence with the truth. A sentence is false if the
recommended point is further below the best of the points considered than it says. 95% of the sentences must be true.
The same command goes on where it stopped, unless the package or the families have changed since then.
(A file called coverage.py would hide the package of that name, which numba imports.)
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from coverage_cases import Family, measured
from coverage_table import header, row

import unswayed
from unswayed import UnswayedError
from unswayed.progress import progress_bar
from unswayed.storage import lock, write_atomically

MODULES = {"given": "coverage_given", "estimated": "coverage_families", "held-out": "coverage_held_out"}
QUICK_RUNS, QUICK_PLAYS = 10, 50
Record = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """One run of one family."""

    kind: str
    family: str
    seed: int
    run: int
    quick: bool

    def __call__(self) -> Record:
        """The record of this run. It depends on these fields alone."""
        entropy = [zlib.crc32(self.family.encode()), self.seed, self.run]
        function, noise = (np.random.default_rng([*entropy, stream]) for stream in (0, 1))
        case = families(self.kind)[self.family].draw(function)
        if self.quick:
            case = replace(case, plays=min(case.plays, QUICK_PLAYS))
        record = measured(case, noise, given=self.kind == "given")
        return {"family": self.family, "run": self.run, **record}


def families(kind: str) -> dict[str, Family]:
    """The families of this kind by name; those held out are not even imported before they are asked for."""
    return {family.name: family for family in import_module(MODULES[kind]).FAMILIES}


def code() -> str:
    """A hash of the package and of the families: results of other code are not mixed with these."""
    package, here = Path(unswayed.__file__).parent, Path(__file__).parent
    digest = sha256()
    for path in [*sorted(package.rglob("*.py")), *sorted(here.glob("coverage*.py"))]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


class Results:
    """The records of a file, one JSON object a line. Without a file nothing is kept."""

    def __init__(self, path: Path | None, settings: Record) -> None:
        self.path, self.done = path, dict[tuple[str, int], Record]()
        if path is None:
            return
        lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        try:
            first, *records = map(json.loads, lines or [json.dumps(settings).encode()])
            self.done = {(record["family"], record["run"]): record for record in records}
        except (ValueError, TypeError, KeyError):
            raise UnswayedError(f"{path} is not a file of results; give another --out") from None
        if first != settings:
            raise UnswayedError(f"{path} was made by other code or settings; give another --out")
        whole = [json.dumps(entry).encode() + b"\n" for entry in (settings, *self.done.values())]
        write_atomically(path, b"".join(whole))  # without a line that a crash has cut

    def add(self, record: Record) -> None:
        self.done[record["family"], record["run"]] = record
        if self.path is not None:
            with self.path.open("ab", buffering=0) as file:
                file.write(json.dumps(record).encode() + b"\n")

    def of(self, family: str, runs: int) -> list[Record]:
        return [self.done[family, run] for run in range(runs) if (family, run) in self.done]


def outcomes(jobs: list[Job], pool: ProcessPoolExecutor | None) -> Iterator[tuple[Job, Record | Exception]]:
    """Every job with its record, or with what went wrong; in any order."""
    futures = {} if pool is None else {pool.submit(job): job for job in jobs}
    for one in as_completed(futures) if pool is not None else jobs:
        job = one if isinstance(one, Job) else futures[one]
        try:
            yield job, job() if isinstance(one, Job) else one.result()
        except Exception as error:  # one run must not stop the others
            yield job, error


def table(options: argparse.Namespace, results: Results) -> int:
    """Make the missing runs, print the row of each family when it is done; the number of runs that failed."""
    kind, failed = kind_of(options), 0
    pool = ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) if options.jobs > 1 else None
    print("\n".join(header(kind)), flush=True)
    try:
        for family in chosen(options).values():
            jobs = [Job(kind, family.name, options.seed, run, options.quick) for run in range(options.runs)]
            missing = [job for job in jobs if (family.name, job.run) not in results.done]
            with progress_bar(family.name, len(jobs)) as advance:
                advance(len(jobs) - len(missing))
                errors: dict[int, Exception] = {}
                for job, outcome in outcomes(missing, pool):
                    advance(1)
                    if isinstance(outcome, Exception):
                        errors[job.run] = outcome
                    else:
                        results.add(outcome)
            print(row(kind, family, results.of(family.name, options.runs)), flush=True)
            if errors:
                failed, first = failed + len(errors), min(errors)
                why = f"run {first}: {type(errors[first]).__name__}: {errors[first]}"
                print(f"{len(errors)} runs of {family.name!r} failed; {why}", file=sys.stderr, flush=True)
    finally:
        if pool is not None:
            pool.shutdown(cancel_futures=True)
    return failed


def kind_of(options: argparse.Namespace) -> str:
    return "held-out" if options.kind == "estimated" and options.held_out else str(options.kind)


def chosen(options: argparse.Namespace) -> dict[str, Family]:
    known = families(kind_of(options))
    for name in options.families or ():
        if name not in known:
            raise UnswayedError(f"there is no family {name!r}; there are: {', '.join(map(repr, known))}")
    return {name: known[name] for name in options.families or known}


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    for kind, text in (("given", "certificates: everything is given"), ("estimated", "credible bounds")):
        sub = kinds.add_parser(kind, help=text, description=text)
        sub.add_argument("--runs", type=int, help=f"of each family; 200, with --quick {QUICK_RUNS}")
        sub.add_argument("--jobs", type=int, default=2, help="processes")
        sub.add_argument("--seed", type=int, default=0, help="another seed draws other functions")
        sub.add_argument("--families", nargs="+", metavar="NAME", help="only these")
        sub.add_argument("--quick", action="store_true", help=f"few runs, none with more than {QUICK_PLAYS} plays")
        sub.add_argument("--out", type=Path, help="keep every run in this file, one JSON object a line, and resume")
        if kind == "estimated":
            sub.add_argument("--held-out", action="store_true", help="the families that no rule was made for")
    options = parser.parse_args()
    options.runs = options.runs or (QUICK_RUNS if options.quick else 200)
    if min(options.runs, options.jobs) < 1 or options.seed < 0:
        parser.error("runs and jobs must be positive, and the seed not negative")
    return options


def main() -> int:
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # for the processes of the pool
    options = parsed()
    settings = {"kind": kind_of(options), "seed": options.seed, "quick": options.quick, "code": code()}
    try:
        chosen(options)
        if options.out is None:
            return 1 if table(options, Results(None, settings)) else 0
        with lock(options.out.with_name(f"{options.out.name}.lock")):
            return 1 if table(options, Results(options.out, settings)) else 0
    except UnswayedError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        kept = "" if options.out is None else "; the same command goes on where it stopped"
        print(f"interrupted{kept}", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
