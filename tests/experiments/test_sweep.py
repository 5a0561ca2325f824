"""Sweeps: the same numbers on any executor, nothing lost when something dies, nothing mixed."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.experiments.small_sweep import TRIALS, Inline, run, same
from unswayed import load_runs
from unswayed.experiments import experiment as experiment_module
from unswayed.experiments.experiment import Trial
from unswayed.experiments.pool import GuardedPool
from unswayed.experiments.settings import PolicySettings
from unswayed.experiments.store import schema


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
    assert table.schema == schema()
    assert table.num_rows == len(TRIALS)
    for row, (experiment, seed) in zip(table.to_pylist(), TRIALS, strict=True):
        played = experiment.run(seed)
        assert (row["policy"], row["attack"]) == (experiment.policy, experiment.attack)
        assert (row["seed"], row["draw"]) == (seed, 10)
        assert row["regret"] == played.regret
        assert row["curve"] == played.curve()[1].tolist()
        assert row["epoch_plays"] == [int(e.repeats.sum()) for e in played.epochs or ()]
        assert row["outcome"] == played.outcome


def test_finished_trials_are_not_run_again(tmp_path):
    ran = []

    def count(trial):
        ran.append(trial)
        return trial.row()

    run(tmp_path / "runs", Inline(), TRIALS[:5], task=count)
    assert len(ran) == 5
    told = []
    run(tmp_path / "runs", Inline(), TRIALS, task=count, report=lambda done, failed: told.append(done))
    assert len(ran) == len(TRIALS)
    assert told[0] == 5
    assert sum(told) == len(TRIALS)


def test_e4_another_setting_or_another_code_is_another_run(tmp_path, monkeypatch):
    trial = TRIALS[0]
    changes = (
        {"horizon": 801},
        {"budget": 20.5},
        {"draw": 11},
        {"settings": PolicySettings(lam=1.5)},
        {"attack_start": "later"},
        {"kernel": "matern-2.5"},
        {"lengthscale": 0.6},
        {"noise_std": 0.03},
        {"attack_budget": 3.0},
    )
    others = [Trial(replace(trial.experiment, **change), 0) for change in changes]
    assert len({t.fingerprint() for t in [trial, TRIALS[1], *others]}) == 11
    run(tmp_path / "runs", Inline(), [trial])
    before = trial.fingerprint()
    monkeypatch.setattr(experiment_module, "code_version", lambda: "another")
    assert trial.fingerprint() != before
    ran = []
    run(tmp_path / "runs", Inline(), [trial], task=lambda t: ran.append(t) or t.row())
    assert ran == [trial]
    assert load_runs(tmp_path / "runs").num_rows == 1  # the old one is there, and never mixed in


def test_e4_the_code_version_sees_every_file_that_matters(tmp_path):
    import shutil

    copy = tmp_path / "unswayed"
    shutil.copytree(Path(experiment_module.__file__).parent.parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    version = partial(experiment_module.code_version.__wrapped__, root=copy)
    first = version()
    assert first == experiment_module.code_version()
    for name in (
        "core/theory/bounds.py",
        "types.py",
        "simulation/compiled.py",
        "adversaries/top_k.py",
        "experiments/registry.py",
    ):
        path = copy / name
        path.write_text(path.read_text() + "\n")
        changed = version()
        assert changed != first
        first = changed
    for name in ("cli/app.py", "experiments/pool.py"):
        (copy / name).write_text("")  # does not decide any number
    assert version() == first


# Tasks for worker processes: they must be importable there.


def crash(trial):
    if trial.seed == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return trial.row()


def hang(trial):
    if trial.seed == 1:
        time.sleep(1000)
    return trial.row()


def devour(trial):
    if trial.seed == 1:
        np.ones(10**11)
    return trial.row()


def fail(trial):
    if trial.seed == 1:
        raise ValueError("no\nluck")
    return trial.row()


@pytest.mark.parametrize(
    ("task", "reason", "limit"),
    [(crash, "ProcessExpired", 60), (hang, "TimeoutError", 6), (devour, "MemoryError", 60), (fail, "no luck", 60)],
)
def test_e3_one_bad_trial_does_not_stop_the_others(tmp_path, task, reason, limit):
    with GuardedPool(2, time_limit=limit) as pool:
        failures = run(tmp_path / "runs", pool, TRIALS[:3], task=task, retries=0)
    (failure,) = failures
    assert failure.trial == TRIALS[1]
    assert reason in failure.reason
    assert "\n" not in failure.reason
    assert load_runs(tmp_path / "runs").num_rows == 2


def test_e3_a_passing_failure_is_retried(tmp_path):
    attempts = []

    def moody(trial):
        attempts.append(trial)
        if attempts.count(trial) <= 2:
            raise OSError("not now")
        return trial.row()

    assert run(tmp_path / "runs", Inline(), TRIALS[:2], task=moody, retries=2) == []
    assert len(attempts) == 6


def test_on_other_executors_silence_is_reported_after_a_time(tmp_path):
    class Silent(Executor):
        def submit(self, fn, /, *args, **kwargs):
            return Future()

    failures = run(tmp_path / "runs", Silent(), TRIALS[:2], patience=0.2)
    assert [failure.reason for failure in failures] == ["no answer in 0.2 s"] * 2


def test_an_executor_that_breaks_is_reported(tmp_path):
    class Broken(Executor):
        def submit(self, fn, /, *args, **kwargs):
            raise RuntimeError("the pool is gone")

    failures = run(tmp_path / "runs", Broken(), TRIALS[:2])
    assert [failure.reason for failure in failures] == ["RuntimeError: the pool is gone"] * 2


def test_an_empty_sweep(tmp_path):
    assert run(tmp_path / "runs", Inline(), []) == []
    assert load_runs(tmp_path / "runs").schema == schema()
    assert isinstance(load_runs(tmp_path / "runs"), pa.Table)


SCRIPT = """
import sys
from pathlib import Path
from unswayed.experiments.experiment import Experiment
from unswayed.experiments.pool import GuardedPool
from unswayed.experiments.store import RunFolder
from unswayed.experiments.sweep import sweep

if __name__ == "__main__":
    trials = [
        trial for policy in ("gp-ucb", "rgp-pe") for attack in ("none", "top-3")
        for trial in Experiment("f1", policy, attack, 20.0, horizon=800).trials(3)
    ]
    with RunFolder(Path(sys.argv[1])).opened() as folder, GuardedPool(1) as pool:
        folder.describe([trial.fingerprint() for trial in trials], {})
        failures = sweep(trials, folder, pool)
        folder.finish(folder.read(folder.about()[0]))
"""


@pytest.mark.parametrize("times", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_e1_killed_again_and_again_and_resumed(tmp_path, undisturbed, times):
    """kill -9 of the sweep at random moments; the final table is byte for byte that of an undisturbed run."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    path = tmp_path / "runs"
    rng = np.random.default_rng(0)
    kills = 0
    while kills < times:
        process = subprocess.Popen([sys.executable, str(script), str(path)])
        try:
            process.wait(timeout=rng.uniform(0.2, 2.6))
            for finished in [path / "runs.parquet", *sorted((path / "cells").iterdir())[::2]]:
                finished.unlink()  # it was done too soon: give it work again
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
    subprocess.run([sys.executable, str(script), str(path)], check=True, timeout=300)
    assert same(path, undisturbed)
    assert not [name for name in path.rglob(".*") if name.name != ".lock"]  # no temporary file is left
    deadline = time.monotonic() + 60
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
