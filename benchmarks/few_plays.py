"""Optimisers with 20 to 200 plays, honest and attacked: how far from the best is what they recommend?

    make peers                                                             # once: an environment with the peers
    .venv-peers/bin/python benchmarks/few_plays.py --out few_plays         # starts, or goes on after an interruption
    .venv-peers/bin/python benchmarks/few_plays.py --out few_plays --table # what is there so far
    .venv-peers/bin/python benchmarks/few_plays.py --optimizers unswayed --rows honest --seeds 2

Noise of 1% of the range; a liar may change 4% of plays x range in all, or is one of eight workers. `unswayed` is told
the truth about the liar; `unswayed-wary` is told 5% although nobody lies; the others have no use for it. All optimisers
of a seed have the same noise and lies. Slow peers meet three of the five corruptions: promote and hide, the two
directions of a deliberate attack, and worker, the only one that no budget bounds; spikes and dips are accidents.

Finished runs are kept in --out and never run again; those of benchmarks/results/few_plays.parquet count as finished if
they are of the code and the versions here, and are shown in any case. CPU times are comparable within one machine only.
The held-out problems are for a final run: their results are shown only if they are asked for.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from unswayed import UnswayedError
from unswayed.experiments.pool import GuardedPool
from unswayed.experiments.store import RunFolder, schema
from unswayed.experiments.sweep import Row, sweep
from unswayed.progress import progress_bar
from unswayed.storage import write_atomically
from unswayed.storage.tables import read_parquet
from unswayed_gauntlet.match import COLUMNS, FORMAT, Match
from unswayed_gauntlet.optimizers import OPTIMIZERS
from unswayed_gauntlet.problems import DEVELOPMENT, HELD_OUT
from unswayed_gauntlet.report.summary import markdown
from unswayed_gauntlet.standard import SLOW
from unswayed_gauntlet.worker import ENVIRONMENT

ATTACKS, SLOW_ATTACKS = ("promote", "hide", "worker", "spikes", "dips"), ("promote", "hide", "worker")
HALVES = {"development": DEVELOPMENT, "held-out": HELD_OUT, "all": (*DEVELOPMENT, *HELD_OUT)}
ROWS = {  # name: (corruptions, plays, seeds) of fast optimisers, and of slow ones
    "honest": ((("none",), (100,), 5), (("none",), (100,), 5)),
    "attacked": ((ATTACKS, (60, 100), 3), (SLOW_ATTACKS, (60,), 3)),
    "long": ((("none", *ATTACKS), (200,), 3), ((), (), 0)),
}
IDENTITY = ("problem", "corruption", "plays", "optimizer", "seed")
STORED = Path(__file__).parent / "results" / "few_plays.parquet"
HOURS, MEMORY = 3600.0, 16 << 30  # limits of one run: seconds and bytes (torch maps a lot)


def matches(optimizers: list[str], problems: list[str], rows: list[str], seeds: int | None) -> Iterator[Match]:
    """What is wanted, seed by seed, so that an interrupted sweep has complete seeds."""
    wanted = []
    for place, row in enumerate(rows):
        for optimizer in optimizers:
            corruptions, plays, most = ROWS[row][optimizer in SLOW]
            corruptions = [c for c in corruptions if c == "none" or optimizer != "unswayed-wary"]
            count = most if seeds is None else min(seeds, most)
            wanted += [
                ((place, seed), Match(optimizer, problem, corruption, T, seed))
                for seed in range(count) for T in plays for corruption in corruptions for problem in problems
            ]  # fmt: skip
    return (match for _, match in sorted(wanted, key=lambda pair: pair[0]))


def stored() -> dict[str, Row]:
    """The runs of the table that comes with this script, by fingerprint; a column that is newer than a run is empty."""
    rows = read_parquet(STORED.read_bytes()).to_pylist() if STORED.exists() else []
    return {row["fingerprint"]: {**dict.fromkeys(COLUMNS), **row} for row in rows}


def identity(row: Row) -> tuple[str | int, ...]:
    """What a run is, whoever played it."""
    return tuple(row[name] for name in IDENTITY)


def store(rows: list[Row]) -> None:
    """Put finished runs into that table; a run replaces an older one with other code or versions."""
    latest = {identity(row): row for row in [*stored().values(), *rows]}
    STORED.parent.mkdir(exist_ok=True)
    table, buffer = pa.Table.from_pylist([latest[key] for key in sorted(latest)], schema(COLUMNS)), BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    write_atomically(STORED, buffer.getvalue())


def run(wanted: list[Match], folder: RunFolder, jobs: int) -> int:
    """Play what is missing; the number of failures."""
    os.environ.update(ENVIRONMENT)
    if (folder.path / "sweep.json").exists():
        folder.about()  # refuses a folder of something else
    with folder.opened(), GuardedPool(jobs, time_limit=HOURS, memory_limit=MEMORY) as pool:
        folder.describe([match.fingerprint() for match in wanted], {})
        with progress_bar("Playing", len(wanted)) as advance:
            failures = sweep(wanted, folder, pool, patience=HOURS, report=lambda done, failed: advance(done + failed))
    for failure in failures:
        print(failure, file=sys.stderr)
    return len(failures)


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not positive")
    return number


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--optimizers", nargs="+", choices=list(OPTIMIZERS), default=list(OPTIMIZERS))
    parser.add_argument("--problems", nargs="+", choices=[*HALVES, *HALVES["all"]], default=["development"])
    parser.add_argument("--rows", nargs="+", choices=list(ROWS), default=list(ROWS))
    parser.add_argument("--seeds", type=positive, help="at most this many; all by default")
    parser.add_argument("--jobs", type=positive, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=Path("few_plays"), help="folder of finished runs")
    parser.add_argument("--markdown", type=Path, help="also write the table to this file")
    parser.add_argument("--table", action="store_true", help="run nothing: show what is there")
    parser.add_argument("--store", action="store_true", help=f"put what is there into {STORED.name}")
    parser.add_argument("--quiet", action="store_true", help="show no table")
    return parser.parse_args()


def main() -> int:
    given = parsed()
    problems = list(dict.fromkeys(name for part in given.problems for name in HALVES.get(part, (part,))))
    wanted = {match.fingerprint(): match for match in matches(given.optimizers, problems, given.rows, given.seeds)}
    known, folder = stored(), RunFolder(given.out, COLUMNS, FORMAT)
    missing = [match for key, match in wanted.items() if key not in known]
    failures = run(missing, folder, given.jobs) if missing and not given.table else 0
    rows = folder.read(wanted).to_pylist()
    if given.store:
        store(rows)
    text = shown(wanted, known, rows)
    if not given.quiet:
        print(text)
    if given.markdown:
        write_atomically(given.markdown, text.encode())
    return 1 if failures else 0


def shown(wanted: dict[str, Match], known: dict[str, Row], rows: list[Row]) -> str:
    """The table: runs of the code and the versions here, and stored ones of others where there are none."""
    found = {identity(row): row for row in [*(known[key] for key in wanted if key in known), *rows]}
    asked = {identity(asdict(match)) for match in wanted.values()}
    others = {identity(row): row for row in known.values() if identity(row) in asked.difference(found)}
    text = markdown([*found.values(), *others.values()])
    if not others:
        return text
    names = ", ".join(sorted({row["optimizer"] for row in others.values()}))
    return f"{text}\n\nStored runs, of other code or versions than here: {len(others)}, of {names}."


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UnswayedError as error:
        sys.exit(f"few_plays.py: {error}")
    except KeyboardInterrupt:
        sys.exit("few_plays.py: interrupted; finished runs are kept, and the same command goes on")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
