"""A copy of a SQLite database, made while a server writes to it."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote
from zlib import crc32

from unswayed.errors import InvalidInput, JournalError, SystemFault
from unswayed.storage.files import TEMPORARY, explaining, sync, sync_folder

SECONDS = 30.0  # to wait for a writer that begins


def back_up(database: Path, copy: Path) -> dict[int, int]:
    """Copy a SQLite database at one moment, also while others write to it, and check the copy.

    Args:
        database: The file; it is left as it is, of whatever version.
        copy: Where to. It is there whole or not at all.

    Returns:
        The number of records of each study.

    Raises:
        InvalidInput: There is no such database, or the copy is there already.
        JournalError: The database is damaged.
        SystemFault: The system refuses.
    """
    if not database.is_file():
        raise InvalidInput(f"there is no database {database}")
    if os.path.lexists(copy):
        raise InvalidInput(f"there is a file {copy} already: choose another name")
    temporary = copy.with_name(f".{copy.name}-{secrets.token_hex(4)}{TEMPORARY}")
    with explaining(f"cannot write {copy}"):
        try:
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, database.stat().st_mode & 0o777))
            counts = _copied(database, temporary)
            with temporary.open("rb+") as file:
                sync(file.fileno())
            os.rename(temporary, copy)
            sync_folder(os.path.dirname(os.path.abspath(copy)))
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()
    return counts


def _copied(database: Path, copy: Path) -> dict[int, int]:
    try:
        with (
            closing(sqlite3.connect(_uri(database, "rw"), SECONDS, uri=True)) as source,
            closing(sqlite3.connect(_uri(copy, "rw"), uri=True)) as target,
        ):
            source.backup(target)  # in one step: others may write, and what they write is not in the copy
            target.execute("PRAGMA journal_mode=DELETE")  # one file alone; a server makes it WAL again
            return _checked(target, database)
    except sqlite3.DatabaseError as error:
        if "malformed" in str(error) or "not a database" in str(error):
            raise JournalError(f"{database} is damaged or not a database: {error}; restore it from a copy") from None
        raise SystemFault(f"cannot copy {database} to {copy.parent}: {error}") from None


def _uri(path: Path, mode: str) -> str:
    return f"file:{quote(str(path))}?mode={mode}"


def _checked(copy: sqlite3.Connection, database: Path) -> dict[int, int]:
    """The number of records of each study, if the copy is whole and every record fits the one before it."""
    ((found,),) = copy.execute("PRAGMA quick_check(1)")
    if found != "ok":
        raise JournalError(f"{database} is damaged: {found}; restore it from a copy")
    counts: Counter[int] = Counter()
    crc = 0
    for study, seq, text, stored in copy.execute("SELECT study, seq, record, crc FROM records ORDER BY study, seq"):
        crc = crc32(text.encode(errors="replace"), crc if counts[study] else 0)
        counts[study] += 1
        if (seq, stored) != (counts[study], crc):
            raise JournalError(f"{database} is damaged at record {seq} of study {study}: restore it from a copy")
    return dict(counts)
