"""Everything about a study as a file: its journal, or a table of its plays."""

from __future__ import annotations

import io
from collections.abc import Sequence

from unswayed.storage import Record, journal_bytes
from unswayed.study.study import Study
from unswayed.study.tables.cells import as_csv

FORMATS = {"csv": "text/csv", "jsonl": "application/jsonl", "parquet": "application/vnd.apache.parquet"}
FIRST = ("value", "source", "status")  # columns after the number and the parameters


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
    from pyarrow import parquet

    table = study.history()
    if "source" not in table.column_names:
        table = table.append_column("source", pa.nulls(len(table), pa.string()))
    names = table.column_names
    begin = [*names[: 1 + len(study.space.names)], *FIRST]
    table = table.select([*begin, *(name for name in names if name not in begin)])
    if form == "csv":
        return as_csv(
            [table.column_names, *zip(*(column.to_pylist() for column in table.columns), strict=True)]
        ).encode()
    out = io.BytesIO()
    parquet.write_table(table, out)
    return out.getvalue()
