"""Everything about a study as a file: its journal, or a table of its plays."""

from __future__ import annotations

import io
from collections.abc import Sequence

from unswayed.storage import Record, journal_bytes
from unswayed.storage.tables.numbers import Decimal
from unswayed.study.study import Study
from unswayed.study.tables.writing import Column, csv_file, xlsx_file

FORMATS = {
    "csv": "text/csv",
    "jsonl": "application/jsonl",
    "parquet": "application/vnd.apache.parquet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
WINNER = "winner"  # of a duel
FIRST = ("value", "source", "status")  # columns after the number and the parameters


def exported(study: Study, records: Sequence[Record], form: str, decimal: Decimal = "point") -> bytes:
    """A study as a file.

    Args:
        study: The study.
        records: The records of its journal.
        form: `jsonl`, a journal that `Optimizer.open` opens; `csv`, `xlsx` or `parquet`, one row a play.
        decimal: The decimal mark of `csv`; with a comma, semicolons stand between the cells.

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
    begin = [*names[: 1 + len(study.space.names)], *(name for name in (WINNER, *FIRST) if name in names)]
    table = table.select([*begin, *(name for name in names if name not in begin)])
    if form != "parquet":
        columns = [Column(name, table[name].to_pylist()) for name in table.column_names]
        return xlsx_file(columns) if form == "xlsx" else csv_file(columns, decimal, mark=decimal == "comma")
    out = io.BytesIO()
    parquet.write_table(table, out)
    return out.getvalue()
