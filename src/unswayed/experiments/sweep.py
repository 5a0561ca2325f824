"""Many runs on any `concurrent.futures.Executor`, kept as they finish and never run twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from unswayed.experiments.store import RunFolder
from unswayed.text import printable

Row = dict[str, Any]
Report = Callable[[int, int], None]


class Trial(Protocol):
    """One run of a sweep."""

    def fingerprint(self) -> str:
        """Under this name the run is kept."""

    def row(self) -> Row:
        """Run it: the columns of the folder as plain values, with the fingerprint."""


Task = Callable[[Trial], Row]


def row_of(trial: Trial) -> Row:
    """The function that an executor calls for each trial by default."""
    return trial.row()


@dataclass(frozen=True)
class Failure:
    """A trial that gave no result, and why."""

    trial: Trial
    reason: str

    def __str__(self) -> str:
        return f"{self.trial}: {self.reason}"


def run_sweep(trials: Sequence[Trial], path: str | Path, executor: Executor, **options: Any) -> list[Failure]:
    """Run trials into a folder that `load_runs` reads. Called again, it runs only what is missing.

    Args:
        trials: What to run.
        path: The folder; it is made if there is none.
        executor: Where the runs happen.
        **options: Those of `sweep`.

    Returns:
        The trials that failed.
    """
    with RunFolder(Path(path)).opened() as folder:
        folder.describe([trial.fingerprint() for trial in trials], {})
        failures = sweep(trials, folder, executor, **options)
        if not failures:
            folder.finish(folder.read(folder.about()[0]))
    return failures


def sweep(
    trials: Sequence[Trial],
    folder: RunFolder,
    executor: Executor,
    *,
    retries: int = 2,
    patience: float = 900.0,
    report: Report | None = None,
    task: Task = row_of,
) -> list[Failure]:
    """Run the trials that `folder` does not have yet, and keep each as soon as it is done.

    The numbers of a trial depend on the trial alone, so neither the executor nor the order matters.

    Args:
        trials: What to run.
        folder: Where the rows are kept.
        executor: Where the runs happen.
        retries: How often a trial that fails is tried again.
        patience: Seconds without any answer after which the open trials are given up.
        report: Called with the numbers of trials that are newly done and failed.
        task: What an executor is given to call with each trial.

    Returns:
        The trials that failed.
    """
    tell = report or (lambda done, failed: None)
    wanted = {trial.fingerprint(): trial for trial in trials}
    missing = {key: trial for key, trial in wanted.items() if not folder.has(key)}
    tell(len(wanted) - len(missing), 0)
    failures: list[Failure] = []
    for key, outcome in _outcomes(missing, executor, task, retries, patience):
        if failed := isinstance(outcome, str):
            failures.append(Failure(missing[key], outcome))
        else:
            folder.write(outcome)
        tell(not failed, failed)
    return failures


def _outcomes(
    trials: Mapping[str, Trial], executor: Executor, task: Task, retries: int, patience: float
) -> Iterator[tuple[str, Row | str]]:
    """The row of each trial as it comes in, or the reason why there is none."""
    left = dict.fromkeys(trials, retries)
    pending: dict[Future[Row], str] = {}
    finished: SimpleQueue[Future[Row]] = SimpleQueue()

    def submit(key: str) -> None:
        try:
            future = executor.submit(task, trials[key])
        except RuntimeError as error:  # the executor itself is broken or closed
            future = Future()
            future.set_exception(error)
        pending[future] = key
        future.add_done_callback(finished.put)

    for key in trials:
        submit(key)
    while pending:
        # Not concurrent.futures.wait: interrupted, it can leave the locks of all futures held for ever.
        try:
            future = finished.get(timeout=patience)
        except Empty:
            for future, key in pending.items():
                future.cancel()
                yield key, f"no answer in {patience:g} s"
            return
        key = pending.pop(future)
        reason = _failure(future, key)
        if reason is None:
            yield key, future.result()
        elif left[key]:
            left[key] -= 1
            submit(key)
        else:
            yield key, reason


def _failure(future: Future[Row], key: str) -> str | None:
    """Why a future has no valid row; None if it has one."""
    try:
        row = future.result()
    except Exception as error:
        text = printable(" ".join(str(error).split()))
        return f"{type(error).__name__}: {text}" if text else type(error).__name__
    return None if row["fingerprint"] == key else "the code changed while the sweep was running; start it again"
