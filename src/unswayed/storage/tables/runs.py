"""Runs as MLflow and Weights & Biases export them, as a table of finished runs.

                                parameters             metrics                 status
MLflow, search_runs().to_csv()  params.lr              metrics.acc             status
MLflow, Run.to_dictionary()     data.params.lr         data.metrics.acc        info.status
MLflow, CSV of the page         lr                     acc                     Status
W&B, api.runs, JSON lines       config.lr              summary.acc             state
W&B, CSV of the page            lr                     acc                     State

A column `params.lr` is called `lr` if no other column would have that name. Which columns are metrics cannot be seen in
the CSV of a page.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.storage.tables.reading import read_table
from unswayed.storage.tables.table import Table

PARAMETERS = ("params.", "data.params.", "config.")
METRICS = ("metrics.", "data.metrics.", "summary.", "summary_metrics.")
STATUS = ("status", "state", "info.status")  # in any case
FINISHED = "finished"
UNFINISHED = ("running", "scheduled", "failed", "killed", "crashed", "preempted", "preempting", "pending", "unfinished")
ABOUT = re.compile(  # columns that describe a run; pandas writes its index without a name, or as "Unnamed: 0"
    r"(unnamed: 0)?|((run|user|experiment)[ _])?(id|name)|display_name|username|user|hostname|host|entity|project|path"
    r"|url|state|status|lifecycle_stage|notes|description|tags|group|job[ _]type|commit|github|sweep(_name)?|version"
    r"|models|dataset|source[ _](type|name)|artifact_uri|runtime|duration|created|updated"
    r"|(created|updated|heartbeat)_at|(start|end)[ _]time",
    re.IGNORECASE,
)
ABOUT_PREFIXES = ("tags.", "data.tags.", "info.", "inputs.", "outputs.", "_", "summary._", "config._", "system/")
SIGNS = {"run id", "run_id", "info.run_id", "name", "runtime", "sweep", "created"}


@dataclass(frozen=True, eq=False)
class Runs:
    """A table, which may be an export of runs.

    Attributes:
        table: The finished runs, with short names; any other table as it is.
        full: The name of each column in the file.
        left_out: How many runs were not finished, by status.
        exported: Whether it is an export of runs.
    """

    table: Table
    full: list[str]
    left_out: dict[str, int]
    exported: bool

    @property
    def sentence(self) -> str | None:
        """What was left out, in one line."""
        if not self.left_out:
            return None
        each = ", ".join(f"{count:,} {status}" for status, count in self.left_out.items())
        return f"ignored, because not finished: {sum(self.left_out.values()):,} of the runs ({each})"

    def name(self, asked: str) -> str:
        """The column that a user means: its short name for the name in the file."""
        names = self.table.names or []
        return names[self.full.index(asked)] if asked not in names and asked in self.full else asked

    @property
    def about(self) -> list[str]:
        """The columns that describe the runs."""
        if not self.exported:
            return []
        named = zip(self.table.names or [], self.full, strict=True)
        return [name for name, full in named if ABOUT.fullmatch(full) or full.startswith(ABOUT_PREFIXES)]

    @property
    def parameters(self) -> list[str]:
        """The columns that the export calls parameters."""
        return self._under(PARAMETERS)

    @property
    def metrics(self) -> list[str]:
        """The columns that the export calls metrics."""
        return self._under(METRICS)

    def _under(self, prefixes: tuple[str, ...]) -> list[str]:
        about = set(self.about)
        named = zip(self.table.names or [], self.full, strict=True)
        return [name for name, full in named if full.startswith(prefixes) and name not in about]


def read_runs(path: Path, decimal: str | None = None) -> Runs:
    """Read a table; of an export of runs, only those that are finished.

    Args:
        path: A file that `read_table` can read.
        decimal: The decimal mark, `comma` or `point`, for cells such as 1,234 where the file does not tell.

    Returns:
        The table.

    Raises:
        InvalidInput: The file is no table, or no run is finished.
        SystemFault: The system refuses to read the file.
    """
    table = read_table(path, decimal)
    full = table.names or []
    lower = {name.lower() for name in full}
    signs = bool(lower & SIGNS) or any(name.startswith((*PARAMETERS, *METRICS)) for name in full)
    if not signs:
        return Runs(table, full, {}, exported=False)
    short = replace(table, names=_short(full), numeric={})
    status = next((i for i, name in enumerate(full) if name.lower() in STATUS and _is_status(table, i)), None)
    if status is None:
        return Runs(short, full, {}, exported=any(name.startswith((*PARAMETERS, *METRICS)) for name in full))
    codes, labels = table.labels(status)
    words = [label.strip().lower() for label in labels]
    kept = np.flatnonzero([words[code] == FINISHED for code in codes])
    if not len(kept):
        raise InvalidInput(f"{path}: no run is finished")
    left = Counter(words[code] for code in codes.tolist() if words[code] != FINISHED)
    return Runs(short.rows(kept), full, dict(left), exported=True)


def _is_status(table: Table, column: int) -> bool:
    """Whether every cell is a status that the trackers know."""
    if table.columns[column].null_count:
        return False
    cells = {str(cell).strip().lower() for cell in table.columns[column].unique().to_pylist()}
    return cells <= {FINISHED, *UNFINISHED}


def _short(full: list[str]) -> list[str]:
    """Names without the prefix, where that leaves them distinct."""
    prefixes = (*PARAMETERS, *METRICS)
    short = [next((name.removeprefix(p) for p in prefixes if name.startswith(p)), name) for name in full]
    times = Counter(short)
    return [one if times[one] == 1 else name for one, name in zip(short, full, strict=True)]
