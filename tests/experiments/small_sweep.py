"""A sweep of twelve short runs, and an executor without processes."""

from concurrent.futures import Executor, Future

from unswayed.experiments.experiment import Experiment
from unswayed.experiments.sweep import run_sweep

TRIALS = [
    trial
    for policy in ("gp-ucb", "rgp-pe")
    for attack in ("none", "top-3")
    for trial in Experiment("f1", policy, attack, 20.0, horizon=800).trials(3)
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


def run(path, executor, trials=TRIALS, **options):
    return run_sweep(trials, path, executor, **options)


def same(path, undisturbed):
    return (path / "runs.parquet").read_bytes() == (undisturbed / "runs.parquet").read_bytes()
