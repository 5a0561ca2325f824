"""An append-only journal: the complete history of a study, from which its state is computed.

A journal file is JSON lines with a number and a checksum, so that damage is always found. The first line says what the
file is. Every other line is one call of `append`: its number, its records and a CRC-32 of everything before the
checksum:

    {"unswayed": "journal", "version": 1}
    {"n": 1, "records": [{"ask": 7}, {"ask": 8}], "crc": "5f0d3a1c"}

One call is one line, so a crash keeps all of a call or nothing, and can damage the last line only.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import stat
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Any, NoReturn, Protocol, Self
from zlib import crc32

from unswayed.errors import InvalidInput, JournalError
from unswayed.storage.files import explaining, sync, sync_folder, try_lock, write_atomically

Record = dict[str, Any]
"""One entry of a journal: a JSON object."""

LOCK_PATIENCE = 0.5  # seconds to wait for the lock of another process: one that is being killed still holds it
HEADER = b'{"unswayed": "journal", "version": 1}\n'
NEWER = re.compile(rb'\{"unswayed": "journal", "version": ([2-9]|[1-9][0-9]{1,8})[,}]')


class JournalWarning(UserWarning):
    """A crash had damaged the end of a journal, and the damaged bytes were moved to a file beside it."""


class Journal(Protocol):
    """Where a study keeps its records, in order. `append`, `read` and `close` are all that a study needs.

    A journal has one owner until `close`. Subclass this class to get the context manager, and check your own journal
    with `unswayed.testing.check_journal`.
    """

    def append(self, *records: Record) -> None:
        """Add records after all others, and return when they are safe.

        Args:
            *records: Dictionaries of plain JSON. Either all of them are kept or none.

        Raises:
            UnswayedError: The records are not plain JSON, or cannot be kept; then none is.
        """

    def read(self) -> list[Record]:
        """Return copies of all records, oldest first."""

    def close(self) -> None:
        """Release the journal. Nothing can be read or appended afterwards; closing twice is harmless."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.close()


class MemoryJournal(Journal):
    """A journal in memory, lost when the process ends. It accepts and refuses the same records as a file.

    Example:
        >>> journal = MemoryJournal()
        >>> journal.append({"ask": 1}, {"ask": 2})
        >>> journal.read()
        [{'ask': 1}, {'ask': 2}]
    """

    def __init__(self) -> None:
        self._calls: list[str] | None = []

    def __repr__(self) -> str:
        return "MemoryJournal(closed)" if self._calls is None else f"MemoryJournal({len(self.read())} records)"

    def append(self, *records: Record) -> None:
        """Add records after all others.

        Args:
            *records: Dictionaries of plain JSON. Either all of them are kept or none.

        Raises:
            InvalidInput: A record is not plain JSON, or the journal is closed.
        """
        self._open_calls().append(encode(records))

    def read(self) -> list[Record]:
        """Return copies of all records, oldest first.

        Raises:
            InvalidInput: The journal is closed.
        """
        return [record for call in self._open_calls() for record in json.loads(call)]

    def close(self) -> None:
        """Forget all records. Closing twice is harmless."""
        self._calls = None

    def _open_calls(self) -> list[str]:
        if self._calls is None:
            raise InvalidInput("the journal is closed; make a new one")
        return self._calls


class FileJournal(Journal):
    """A journal in a file, which belongs to this object until `close`.

    If a crash damaged the last line, that line is moved to a file beside it (`study.jsonl.torn`) with a
    `JournalWarning`. Any other damage is refused, and the file is left as it is.

    Args:
        path: The file. It is made if there is none.

    Raises:
        InvalidInput: The path is wrong, or is not a regular file.
        JournalError: The file is damaged, is not a journal, is from a newer version, or is in use.
        SystemFault: The system refuses to open or write the file.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "study.jsonl")
        >>> with FileJournal(path) as journal:
        ...     journal.append({"ask": 1})
        >>> with FileJournal(path) as journal:
        ...     journal.read()
        [{'ask': 1}]
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):  # bytes cannot be shown
            raise InvalidInput(f"the path of a journal must be text or a Path, not {type(path).__name__}")
        self.path = os.fspath(path)
        self._lock = Lock()
        self._whole = (0, 0)  # bytes and calls in one name: an interrupt changes both or neither
        with explaining(f"cannot open {self.path}"):
            self._real = os.path.realpath(self.path)  # still the same file if the process changes its directory
            self._file = _open(self.path)
            try:
                _take(self._file, self.path)
                self._load()
            except BaseException:
                self._file.close()
                raise

    def __repr__(self) -> str:
        return f"FileJournal({self.path!r}{', closed' if self._file.closed else ''})"

    def append(self, *records: Record) -> None:
        """Add records after all others, and return when they are on disk.

        Args:
            *records: Dictionaries of plain JSON. Either all of them are kept or none.

        Raises:
            InvalidInput: A record is not plain JSON, or the journal is closed.
            JournalError: Another program changed or removed the file.
            SystemFault: The file cannot be written, for example because the disk is full. No record is kept.
        """
        text = encode(records)
        with self._lock:
            self._still_ours()
            if records:
                self._write(line(self._whole[1] + 1, text), 1)

    def read(self) -> list[Record]:
        """Read the file, check it again and return all records, oldest first.

        Raises:
            InvalidInput: The journal is closed.
            JournalError: Another program changed or removed the file.
            SystemFault: The system refuses to read the file.
        """
        with self._lock:
            self._still_ours()
            with explaining(f"cannot read {self.path}"):
                self._file.seek(0)
                data = self._file.readall()
            records, _, end = parse(data, self.path)
            if end != self._whole[0]:
                raise JournalError(f"{self.path} was changed by another program; restore it from a copy")
            return records

    def close(self) -> None:
        """Release the file for others. Closing twice is harmless."""
        with self._lock:
            self._file.close()

    def _load(self) -> None:
        """Check the whole file, complete its header and remove a damaged last line."""
        self._file.seek(0)
        data = self._file.read(len(HEADER) + 16)  # enough to recognise it: a foreign file may be huge
        if data.startswith(HEADER):
            data += self._file.readall()
            _, calls, end = parse(data, self.path)
            self._whole = (end, calls)
            kept = _keep_torn(self._real, data[end:]) if len(data) > end else None
            self._cut()  # even if nothing is damaged: what a killed process wrote may not be on disk yet
            if kept is not None:
                torn = f"{self.path}: the last line was torn by a crash; its {len(data) - end} bytes are now in {kept}"
                warnings.warn(f"{torn}, the lines before it are whole", JournalWarning, stacklevel=3)
        elif HEADER.startswith(data):
            self._write(HEADER, 0)  # over what an interrupted creation left, which is the same bytes
        else:
            refuse(data, self.path)
        sync_folder(os.path.dirname(self._real))

    def _write(self, data: bytes, calls: int) -> None:
        """Write `data`, which holds `calls` calls, to the end of the file and to disk, or leave the file as it was."""
        handle = self._file.fileno()
        (end, before) = self._whole
        with explaining(f"cannot write to {self.path}", "; nothing of this call was kept: make room and try again"):
            try:
                os.lseek(handle, end, os.SEEK_SET)
                done = 0
                while done < len(data):  # a disk that is nearly full takes a part first, and fails at the next try
                    done += os.write(handle, data[done:])
                sync(handle)
                self._whole = (end + len(data), before + calls)
            except BaseException:  # an interrupt too must not leave half a line
                with suppress(OSError):  # if this fails, `_still_ours` sees the wrong length and refuses what follows
                    self._cut()
                raise

    def _cut(self) -> None:
        os.ftruncate(self._file.fileno(), self._whole[0])
        sync(self._file.fileno())

    def _still_ours(self) -> None:
        """Refuse a file that was replaced, removed or changed: what is appended to it would be lost."""
        if self._file.closed:
            raise InvalidInput(f"{self.path} is closed; open it again")
        try:
            there, ours = os.stat(self._real), os.fstat(self._file.fileno())
        except OSError as error:
            raise JournalError(f"{self.path} is gone while in use: {error.strerror}; restore it from a copy") from None
        if not os.path.samestat(there, ours) or ours.st_size != self._whole[0]:
            raise JournalError(f"{self.path} was changed by another program while in use; open it again")


def read_journal(path: str | os.PathLike[str]) -> list[Record]:
    """Return all records of a journal file, also while another process writes to it; nothing is changed.

    Args:
        path: The file. It need not be writable.

    Returns:
        The records, oldest first. A last line that is not whole is left out: it is being written, or a crash tore it.

    Raises:
        InvalidInput: The path is wrong, or is not a regular file.
        JournalError: The file is damaged, is not a journal, or is from a newer version.
        SystemFault: The system refuses to read the file.
    """
    path = os.fspath(path)
    with explaining(f"cannot read {path}"):
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise InvalidInput(f"cannot read {path}: it is not a regular file")
        with open(path, "rb") as file:
            data = file.read(len(HEADER) + 16)
            if HEADER.startswith(data):
                return []  # it is being made
            if not data.startswith(HEADER):
                refuse(data, path)
            data += file.read()
    return parse(data, path)[0]


def _keep_torn(path: str, data: bytes) -> str:
    """Write what a crash tore beside the journal, under a name that is free and for the same readers; that name."""
    names = (f"{path}.torn{number}" for number in ("", *(f"-{n}" for n in range(2, 10_000))))
    name = next(name for name in names if not os.path.lexists(name))
    os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, stat.S_IMODE(os.stat(path).st_mode)))
    write_atomically(Path(name), data)
    return os.path.basename(name)


def _open(path: str) -> io.FileIO:
    """Open the file, and make it if there is none; only a regular file is accepted."""
    # Without O_NONBLOCK, opening a pipe would wait for its other end. Windows has O_BINARY instead of these.
    flags = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
    if os.path.islink(path) and not os.path.exists(path):
        raise InvalidInput(f"cannot open {path}: it is a broken symbolic link")
    file = io.FileIO(os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o666), "r+")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise InvalidInput(f"cannot open {path}: it is not a regular file")
    return file


def _take(file: io.FileIO, path: str) -> None:
    """Lock the file until it is closed or the process ends.

    Wait a little for the lock: a process that is killed while it starts a program leaves the lock with that program
    until the program runs.
    """
    end = monotonic() + LOCK_PATIENCE
    while not try_lock(file):
        if monotonic() > end:
            raise JournalError(f"another Unswayed process has {path} open; wait for it to end")
        sleep(0.01)


def encode(records: Sequence[Record]) -> str:
    """Return the records as JSON in ASCII; refuse records that would not be read back unchanged."""
    try:
        text = json.dumps(records, allow_nan=False)
        same = json.loads(text) == list(records) and all(isinstance(record, dict) for record in records)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"a record must be plain JSON, finite and not too deep: {error}") from None
    if not same:
        raise InvalidInput("a record must be a dict of plain JSON: text as keys, lists instead of tuples")
    return text


def line(number: int, text: str) -> bytes:
    """Return the line of call `number`, whose records are the JSON `text`."""
    body = f'{{"n": {number}, "records": {text}'.encode()
    return body + _seal(body) + b"\n"


def journal_bytes(records: Sequence[Record]) -> bytes:
    """Return the bytes of a journal file with these records."""
    return HEADER + b"".join(line(n, encode([record])) for n, record in enumerate(records, start=1))


def _seal(body: bytes) -> bytes:
    return b', "crc": "%08x"}' % crc32(body)


SEAL = len(_seal(b""))  # bytes


def parse(data: bytes, path: str) -> tuple[list[Record], int, int]:
    """Return all records, the number of calls and the length of the undamaged part; the rest is one torn line."""
    *lines, rest = data[len(HEADER) :].split(b"\n")
    records: list[Record] = []
    end = len(HEADER)
    for calls, found in enumerate(lines):
        if _seal(found[:-SEAL]) != found[-SEAL:]:
            if calls == len(lines) - 1 and not rest:
                return records, calls, end
            raise _damage(path, calls, "its checksum is wrong")
        records += _records(found, path, calls)
        end += len(found) + 1
    return records, len(lines), end


def _records(line: bytes, path: str, calls: int) -> list[Record]:
    """Return the records of a line whose checksum is right: no crash explains a fault found here."""
    try:
        call = json.loads(line, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        raise _damage(path, calls, "it is not plain JSON") from None
    if not isinstance(call, dict) or list(call) != ["n", "records", "crc"] or call["n"] != calls + 1:
        raise _damage(path, calls, "it does not follow the line before it")
    records: Any = call["records"]
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise _damage(path, calls, "it holds no records")
    return records


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _damage(path: str, calls: int, reason: str) -> JournalError:
    return JournalError(f"{path} is damaged in line {calls + 2}: {reason}; restore the file from a copy")


def refuse(data: bytes, path: str) -> NoReturn:
    """Say why a file that begins with `data` instead of HEADER is not opened."""
    if newer := NEWER.match(data):
        raise JournalError(f"{path} is by a newer unswayed (journal version {int(newer[1])}); update unswayed")
    raise JournalError(f"{path} is not an unswayed journal; it was left as it is: choose another file")
