"""Everything about a study as a file: its journal, or a table of its plays."""

from __future__ import annotations

import io
from collections.abc import Sequence

from unswayed.storage import Record, journal_bytes
from unswayed.study.reading import Study

FORMATS = {"csv": "text/csv", "jsonl": "application/jsonl", "parquet": "application/vnd.apache.parquet"}
FIRST = ("value", "source", "status")  # columns behind the number and the parameters


def exported(study: Study, records: Sequence[Record], form: str) -> bytes:
    """A study as a file.

    Args:
        study: The study.
        records: The records of its journal.
        form: `jsonl`, a journal that `Optimizer.open` opens; `csv` or `parquet`, one row a play.

    Returns:
        The bytes of the file.
    """
    if form == "jsonl":
        return journal_bytes(records)
    import pyarrow as pa
    from pyarrow import csv, parquet

    table = study.history()
    if "source" not in table.column_names:
        table = table.append_column("source", pa.nulls(len(table), pa.string()))
    names = [name for name in table.column_names if name not in FIRST]
    at = 1 + len(study.space.names)
    table = table.select([*names[:at], *FIRST, *names[at:]])
    out = io.BytesIO()
    if form == "parquet":
        parquet.write_table(table, out)
    else:
        csv.write_csv(table, out)
    return out.getvalue()
