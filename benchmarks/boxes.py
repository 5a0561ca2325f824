"""Optimisers on boxes under corruption: how far from the best is the point that each recommends?

    python benchmarks/boxes.py --out results.jsonl            # starts, or goes on where it was interrupted
    python benchmarks/boxes.py --out results.jsonl --table    # what is there so far

Branin, Hartmann 6 and Ackley 5; noise of 1% of the range; five attacks with a budget C of 1% or 5% of plays x range.
Every method has 1,000 plays, except Optuna's GP sampler, which is slow: it has 100, and C is the same share of these.
Unswayed is told C, also where nothing is attacked; the others have no use for it. All have the same noise.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from box_methods import ATTACKS, BETA_SCALE, FIRST_PLAYS, FUNCTIONS, METHODS, N_ARMS, game
from box_table import IDENTITY, markdown

from unswayed import UnswayedError
from unswayed.problems.boxes import NOISE_SHARE
from unswayed.progress import progress_bar
from unswayed.storage import lock, write_atomically

Key = tuple[str, str, float, str, int]


def settings(plays: int) -> dict[str, Any]:
    """All that a gap depends on besides its row; results of other settings are not mixed with these."""
    gp_ucb = {"arms": N_ARMS, "beta": f"{BETA_SCALE:g} sqrt(ln t)", "first_plays_per_dimension": FIRST_PLAYS}
    return {"plays": plays, "gp_plays": max(plays // 10, 2), "noise_share": NOISE_SHARE, "gp-ucb": gp_ucb}


def play(key: Key, plays: int) -> dict[str, Any]:
    """One row: a method plays the game, and the gap of what it recommends is taken from the truth."""
    function, attack, share, method, seed = key
    problem = FUNCTIONS[function]
    plays = settings(plays)["gp_plays"] if method == "gp" else plays
    budget = share * plays * problem.range
    objective = game(problem, attack, budget, plays, seed)
    started = time.perf_counter()
    x = METHODS[method](objective, problem, plays, budget, seed)
    row = dict(zip(IDENTITY, key, strict=True))
    spent = objective.spent / problem.range
    return row | {"gap": problem.gap(x), "spent": spent, "x": x.tolist(), "seconds": time.perf_counter() - started}


def read(path: Path, plays: int | None = None) -> list[dict[str, Any]]:
    """The finished rows of a results file. A line that was cut off by a crash is not finished."""
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    try:
        entries = [json.loads(line) for line in lines]
    except ValueError:
        raise UnswayedError(f"{path} holds something else than results; give another --out") from None
    if entries and plays is not None and entries[0].get("settings") != settings(plays):
        raise UnswayedError(f"{path} was made with other settings; give another --out")
    return [entry for entry in entries if "gap" in entry]


def prepare(path: Path, plays: int) -> set[Key]:
    """Write the header of a new file, or cut an unfinished line off an old one; the rows that are done."""
    done = read(path, plays)
    if not path.exists() or b"\n" not in (data := path.read_bytes()):
        header = {"settings": settings(plays), "versions": versions()}
        write_atomically(path, json.dumps(header).encode() + b"\n")
    elif not data.endswith(b"\n"):
        write_atomically(path, data[: data.rindex(b"\n") + 1])
    return {tuple(row[name] for name in IDENTITY) for row in done}


def versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in ("unswayed", "numpy", "scipy", "optuna", "torch"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def append(path: Path, row: dict[str, Any]) -> None:
    """One line, in one write, on disk before the next row starts."""
    with path.open("ab", buffering=0) as file:
        file.write(json.dumps(row).encode() + b"\n")
        os.fsync(file.fileno())


def results(keys: list[Key], plays: int, jobs: int) -> Iterable[tuple[Key, Callable[[], dict[str, Any]]]]:
    """Every key with a function that returns its row, or raises what went wrong; in any order."""
    if jobs == 1:
        yield from ((key, lambda key=key: play(key, plays)) for key in keys)
        return
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))
    try:
        futures = {pool.submit(play, key, plays): key for key in keys}
        yield from ((futures[future], future.result) for future in as_completed(futures))
    finally:
        pool.shutdown(cancel_futures=True)


def run(keys: list[Key], path: Path, plays: int, jobs: int) -> int:
    """Play all rows that are not done; the number of failures."""
    failures = 0
    with lock(path.with_name(f"{path.name}.lock")):
        done = prepare(path, plays)
        missing = [key for key in keys if key not in done]
        with progress_bar("boxes", len(keys)) as advance:
            advance(len(keys) - len(missing))
            for key, finished in results(missing, plays, jobs):
                try:
                    append(path, finished())
                except Exception as error:  # one row must not stop the others
                    failures += 1
                    print(f"{key}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
                advance(1)
    return failures


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, choices in (("functions", FUNCTIONS), ("attacks", ATTACKS), ("methods", METHODS)):
        parser.add_argument(f"--{name}", nargs="+", choices=list(choices), default=list(choices))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--shares", nargs="+", type=float, default=[0.01, 0.05], help="C as shares of plays x range")
    parser.add_argument("--plays", type=int, default=1000, help="of each run; a tenth of it for the method gp")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=Path("boxes.jsonl"), help="results, one JSON object a line")
    parser.add_argument("--table", action="store_true", help="print the table of the results and play nothing")
    parser.add_argument("--also", nargs="+", type=Path, default=[], help="further results for the table")
    parser.add_argument("--markdown", type=Path, help="write the table to this file as well")
    return parser.parse_args()


def main() -> int:
    options = parsed()
    if min(options.plays, options.jobs, *options.shares) <= 0:
        print("plays, jobs and shares must be positive", file=sys.stderr)
        return 2
    try:
        if not options.table:
            # Shares first, then methods: what is there after an interrupt is as complete as can be.
            order = product(options.shares, options.methods, options.functions, options.attacks, options.seeds)
            keys = [(function, attack, share, method, seed) for share, method, function, attack, seed in order]
            return 1 if run(keys, options.out, options.plays, options.jobs) else 0
        rows = [row for path in (options.out, *options.also) for row in read(path, options.plays)]
        wanted = [row for row in rows if row["seed"] in options.seeds and row["share"] in options.shares]
        text = markdown(wanted, options.functions, options.attacks, options.methods)
        print(text)
        if options.markdown:
            write_atomically(options.markdown, text.encode() + b"\n")
    except UnswayedError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on where it stopped", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
