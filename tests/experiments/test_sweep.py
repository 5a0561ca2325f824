"""Sweeps: the same numbers on any executor, nothing lost when something dies, nothing mixed."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from unswayed import UnswayedError, load_runs
from unswayed.experiments.experiment import Cell
from unswayed.experiments.pool import GuardedPool
from unswayed.experiments.registry import Settings
from unswayed.experiments.store import SCHEMA, RunFolder
from unswayed.experiments.sweep import sweep
from unswayed.simulation import cell as cell_module

CELLS = [
    Cell("f1", policy, attack, 20.0, seed, horizon=800)
    for policy in ("gp-ucb", "rgp-pe")
    for attack in ("none", "top-3")
    for seed in range(3)
]


class Inline(Executor):
    """Runs everything at once in this process."""

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def run(path, executor, cells=CELLS, **options):
    with RunFolder(path).opened() as folder:
        folder.describe([cell.fingerprint() for cell in cells], {})
        failures = sweep(cells, folder, executor, **options)
        folder.finish(folder.read(folder.about()[0]))
    return failures


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    path = tmp_path_factory.mktemp("undisturbed") / "runs"
    assert run(path, Inline()) == []
    return path


def same(path, undisturbed):
    return (path / "runs.parquet").read_bytes() == (undisturbed / "runs.parquet").read_bytes()


def test_t4_any_executor_gives_the_same_bytes(tmp_path, undisturbed):
    with ThreadPoolExecutor(4) as threads:
        assert run(tmp_path / "threads", threads) == []
    assert same(tmp_path / "threads", undisturbed)
    for jobs in (1, 3):
        with GuardedPool(jobs) as pool:
            assert run(tmp_path / f"{jobs}", pool) == []
        assert same(tmp_path / f"{jobs}", undisturbed)


def test_a_row_is_its_run(undisturbed):
    table = load_runs(undisturbed)
    assert table.schema == SCHEMA
    assert table.num_rows == len(CELLS)
    for row, cell in zip(table.to_pylist(), CELLS, strict=True):
        played = cell.run()
        assert (row["policy"], row["attack"], row["seed"], row["draw"]) == (cell.policy, cell.attack, cell.seed, 10)
        assert row["regret"] == played.regret
        assert row["curve"] == played.curve()[1].tolist()
        assert row["epoch_plays"] == [int(e.repeats.sum()) for e in played.epochs or ()]
        assert row["outcome"] == played.outcome


def test_finished_cells_are_not_run_again(tmp_path):
    ran = []

    def count(cell):
        ran.append(cell)
        return cell.row()

    run(tmp_path / "runs", Inline(), CELLS[:5], task=count)
    assert len(ran) == 5
    told = []
    run(tmp_path / "runs", Inline(), CELLS, task=count, report=lambda done, failed: told.append(done))
    assert len(ran) == len(CELLS)
    assert told[0] == 5
    assert sum(told) == len(CELLS)


def test_e4_another_setting_or_another_code_is_another_cell(tmp_path, monkeypatch):
    cell = CELLS[0]
    others = [
        Cell("f1", "gp-ucb", "none", 20.0, 0, horizon=801),
        Cell("f1", "gp-ucb", "none", 20.5, 0, horizon=800),
        Cell("f1", "gp-ucb", "none", 20.0, 1, horizon=800),
        Cell("f1", "gp-ucb", "none", 20.0, 0, horizon=800, draw=11),
        Cell("f1", "gp-ucb", "none", 20.0, 0, horizon=800, settings=Settings(lam=1.5)),
        Cell("f1", "gp-ucb", "none", 20.0, 0, horizon=800, attack_start="later"),
    ]
    assert len({c.fingerprint() for c in [cell, *others]}) == 7
    run(tmp_path / "runs", Inline(), [cell])
    before = cell.fingerprint()
    monkeypatch.setattr(cell_module, "code_version", lambda: "another")
    assert cell.fingerprint() != before
    ran = []
    run(tmp_path / "runs", Inline(), [cell], task=lambda c: ran.append(c) or c.row())
    assert ran == [cell]
    assert load_runs(tmp_path / "runs").num_rows == 1  # the old one is there, and never mixed in


def test_e4_the_code_version_sees_every_file_that_matters(tmp_path, monkeypatch):
    import shutil

    copy = tmp_path / "unswayed"
    shutil.copytree(Path(cell_module.__file__).parent.parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(cell_module, "__file__", str(copy / "simulation" / "cell.py"))
    version = cell_module.code_version.__wrapped__
    first = version()
    assert first == cell_module.code_version()
    for name in ("core/bounds.py", "types.py", "simulation/compiled.py", "adversaries/flip.py"):
        path = copy / name
        path.write_text(path.read_text() + "\n")
        changed = version()
        assert changed != first
        first = changed
    (copy / "cli" / "main.py").write_text("")  # does not decide any number
    assert version() == first


def test_e2_a_damaged_cell_is_run_again(tmp_path, undisturbed):
    path = tmp_path / "runs"
    run(path, Inline())
    victims = sorted((path / "cells").iterdir())[:4]
    content = bytearray(victims[3].read_bytes())
    content[4 : len(content) // 4] = bytes(b ^ 0xFF for b in content[4 : len(content) // 4])  # the data, not the footer
    victims[3].write_bytes(content)
    victims[0].write_bytes(b"")
    victims[1].write_bytes(victims[1].read_bytes()[:100])
    victims[2].write_bytes(b"not a table")
    assert load_runs(path).num_rows == len(CELLS) - 4
    run(path, Inline())
    assert same(path, undisturbed)


# Tasks for worker processes: they must be importable there.


def crash(cell):
    if cell.seed == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return cell.row()


def hang(cell):
    if cell.seed == 1:
        time.sleep(1000)
    return cell.row()


def devour(cell):
    if cell.seed == 1:
        np.ones(10**11)
    return cell.row()


def fail(cell):
    if cell.seed == 1:
        raise ValueError("no\nluck")
    return cell.row()


@pytest.mark.parametrize(
    ("task", "reason"), [(crash, "ProcessExpired"), (hang, "TimeoutError"), (devour, "MemoryError"), (fail, "no luck")]
)
def test_e3_one_bad_cell_does_not_stop_the_others(tmp_path, task, reason):
    with GuardedPool(2, time_limit=4.0) as pool:
        failures = run(tmp_path / "runs", pool, CELLS[:3], task=task, retries=1)
    (failure,) = failures
    assert failure.cell == CELLS[1]
    assert reason in failure.reason
    assert "\n" not in failure.reason
    assert load_runs(tmp_path / "runs").num_rows == 2


def test_e3_a_passing_failure_is_retried(tmp_path):
    attempts = []

    def moody(cell):
        attempts.append(cell)
        if attempts.count(cell) <= 2:
            raise OSError("not now")
        return cell.row()

    assert run(tmp_path / "runs", Inline(), CELLS[:2], task=moody, retries=2) == []
    assert len(attempts) == 6


def test_on_other_executors_silence_is_reported_after_a_time(tmp_path):
    class Silent(Executor):
        def submit(self, fn, /, *args, **kwargs):
            return Future()

    failures = run(tmp_path / "runs", Silent(), CELLS[:2], patience=0.2)
    assert [failure.reason for failure in failures] == ["no answer in 0.2 s"] * 2


def test_an_executor_that_breaks_is_reported(tmp_path):
    class Broken(Executor):
        def submit(self, fn, /, *args, **kwargs):
            raise RuntimeError("the pool is gone")

    failures = run(tmp_path / "runs", Broken(), CELLS[:2])
    assert [failure.reason for failure in failures] == ["RuntimeError: the pool is gone"] * 2


def test_a_foreign_folder_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(UnswayedError, match="not a folder of runs"), RunFolder(tmp_path).opened():
        pass
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(UnswayedError, match="not a folder of runs"), RunFolder(tmp_path / "thesis.tex").opened():
        pass
    with pytest.raises(UnswayedError, match="not a folder of runs"):
        load_runs(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "unswayed runs 99", "cells": [], "about": {}}', "null"])
def test_a_strange_description_is_refused(tmp_path, text):
    (tmp_path / "sweep.json").write_text(text)
    with pytest.raises(UnswayedError, match=r"not a folder of runs|another version"):
        load_runs(tmp_path)


def test_two_processes_on_one_folder(tmp_path):
    with (
        RunFolder(tmp_path / "runs").opened(),
        pytest.raises(UnswayedError, match="another unswayed"),
        RunFolder(tmp_path / "runs").opened(),
    ):
        pass


def test_an_empty_sweep(tmp_path):
    assert run(tmp_path / "runs", Inline(), []) == []
    assert load_runs(tmp_path / "runs").schema == SCHEMA
    assert isinstance(load_runs(tmp_path / "runs"), pa.Table)


SCRIPT = """
import sys
from pathlib import Path
from unswayed.experiments.experiment import Cell
from unswayed.experiments.pool import GuardedPool
from unswayed.experiments.store import RunFolder
from unswayed.experiments.sweep import sweep

if __name__ == "__main__":
    cells = [
        Cell("f1", policy, attack, 20.0, seed, horizon=800)
        for policy in ("gp-ucb", "rgp-pe") for attack in ("none", "top-3") for seed in range(3)
    ]
    with RunFolder(Path(sys.argv[1])).opened() as folder, GuardedPool(1) as pool:
        folder.describe([cell.fingerprint() for cell in cells], {})
        failures = sweep(cells, folder, pool)
        folder.finish(folder.read(folder.about()[0]))
"""


def test_e1_killed_twenty_times_and_resumed(tmp_path, undisturbed):
    """kill -9 of the sweep at random moments; the final table is byte for byte that of an undisturbed run."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    path = tmp_path / "runs"
    rng = np.random.default_rng(0)
    kills = 0
    while kills < 20:
        process = subprocess.Popen([sys.executable, str(script), str(path)])
        try:
            process.wait(timeout=rng.uniform(0.2, 2.6))
            for finished in [path / "runs.parquet", *sorted((path / "cells").iterdir())[::2]]:
                finished.unlink()  # it was done too soon: give it work again
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
    subprocess.run([sys.executable, str(script), str(path)], check=True, timeout=120)
    assert same(path, undisturbed)
    deadline = time.monotonic() + 10
    while _workers(path) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not _workers(path)  # no worker outlives its sweep


def _workers(path):
    """Processes that still mention this sweep's script."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it may end while we look
            if str(path.parent / "script.py").encode() in process.read_bytes():
                found.append(process.parent.name)
    return found
