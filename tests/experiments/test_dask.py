"""A real Dask cluster with two workers, one of them killed in mid-sweep."""

import os
import signal
import threading
import time

import pytest

from tests.experiments.small_sweep import Inline
from unswayed import UnswayedError
from unswayed.experiments.experiment import Experiment
from unswayed.experiments.store import RunFolder
from unswayed.experiments.sweep import sweep
from unswayed.integrations.dask import dask_executor

distributed = pytest.importorskip("distributed")
TRIALS = [t for attack in ("none", "flip") for t in Experiment("f1", "rgp-ucb", attack, 20.0, horizon=4000).trials(15)]


def slow(trial):
    time.sleep(0.1)
    return trial.row()


def run(path, executor, **options):
    with RunFolder(path).opened() as folder:
        keys = [trial.fingerprint() for trial in TRIALS]
        failures = sweep(TRIALS, folder, executor, **options)
        folder.finish(folder.read(keys))
    return failures, (path / "runs.parquet").read_bytes()


def test_a_cluster_gives_the_same_bytes_even_when_a_worker_is_killed(tmp_path):
    failures, expected = run(tmp_path / "inline", Inline())
    assert failures == []
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, scheduler_kwargs={"dashboard_address": ":0"}
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        processes = client.run(os.getpid)
        victim = next(iter(processes.values()))
        done = []

        def kill(new, failed):
            done.append(new)
            if sum(done) == 5:
                threading.Thread(target=os.kill, args=(victim, signal.SIGKILL)).start()

        with dask_executor(cluster.scheduler_address) as executor:
            failures, bytes_ = run(tmp_path / "dask", executor, task=slow, report=kill, patience=120)
        assert failures == []
        assert bytes_ == expected
        assert victim not in client.run(os.getpid).values()


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_is_one_clear_line():
    with pytest.raises(UnswayedError, match="cannot reach a Dask scheduler"), dask_executor("tcp://127.0.0.1:9"):
        pass
