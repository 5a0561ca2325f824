"""Many runs on any `concurrent.futures.Executor`, kept as they finish and never run twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from unswayed.experiments.experiment import Cell
from unswayed.experiments.store import RunFolder

Report = Callable[[int, int], None]


@dataclass(frozen=True)
class Failure:
    """A cell that gave no result, and why."""

    cell: Cell
    reason: str


def sweep(
    cells: Sequence[Cell],
    folder: RunFolder,
    executor: Executor,
    *,
    retries: int = 2,
    patience: float = 900.0,
    report: Report | None = None,
    task: Callable[[Cell], dict[str, Any]] = Cell.row,
) -> list[Failure]:
    """Run the cells that `folder` does not have yet, and keep each as soon as it is done.

    A cell that fails is tried `retries` more times. If nothing at all finishes for `patience` seconds, what
    is still open is given up. `report(done, failed)` is called with what is new. The numbers of a cell
    depend on the cell alone, so neither the executor nor the order matters.
    """
    tell = report or (lambda done, failed: None)
    wanted = {cell.fingerprint(): cell for cell in cells}
    missing = {key: cell for key, cell in wanted.items() if not folder.has(key)}
    tell(len(wanted) - len(missing), 0)
    attempts: Counter[str] = Counter()
    failures: list[Failure] = []
    pending: dict[Future[dict[str, Any]], str] = {}
    finished: SimpleQueue[Future[dict[str, Any]]] = SimpleQueue()

    def fail(key: str, error: Exception) -> None:
        attempts[key] += 1
        if attempts[key] <= retries:
            submit(key)
        else:
            failures.append(Failure(missing[key], _reason(error)))
            tell(0, 1)

    def submit(key: str) -> None:
        try:
            future = executor.submit(task, missing[key])
        except RuntimeError as error:  # the executor itself is broken or closed
            fail(key, error)
        else:
            pending[future] = key
            future.add_done_callback(finished.put)

    for key in missing:
        submit(key)
    while pending:
        # Not concurrent.futures.wait: interrupted, it can leave the locks of all futures held for ever.
        try:
            future = finished.get(timeout=patience)
        except Empty:
            for future, key in pending.items():
                future.cancel()
                failures.append(Failure(missing[key], f"no answer in {patience:g} s"))
            tell(0, len(pending))
            break
        key = pending.pop(future)
        try:
            row = future.result()
        except Exception as error:
            fail(key, error)
        else:
            folder.write(key, row)
            tell(1, 0)
    return failures


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
