"""An append-only journal: the truth of a study is its log."""

from __future__ import annotations

import fcntl
import io
import json
import os
import stat
import warnings
from contextlib import suppress
from threading import Lock
from time import monotonic, sleep
from typing import Any, Protocol, Self

from unswayed.errors import InvalidInput
from unswayed.storage.journal_lines import HEADER, Record, encode, line, parse, refuse

PATIENCE = 0.5  # seconds to wait for a lock


class JournalWarning(UserWarning):
    """The end of a journal had been torn by a crash and was cut off."""


class Journal(Protocol):
    """Where records are kept, in order: `append` and `read` are all that a study needs.

    `append` keeps all records of one call or none, and returns only when they are safe; `read` gives every
    record there is, as copies. A journal belongs to one owner until `close`. Subclass it for the context manager.
    """

    def append(self, *records: Record) -> None:
        """Keep these records, after all others."""

    def read(self) -> list[Record]:
        """Every record, oldest first."""

    def close(self) -> None:
        """Give the journal free; nothing can be read or appended any more. Closing twice is harmless."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.close()


class MemoryJournal(Journal):
    """A journal that ends with the process; it takes and refuses what a file would."""

    def __init__(self) -> None:
        self._calls: list[str] | None = []

    def append(self, *records: Record) -> None:
        """Keep these records, after all others."""
        self._open_calls().append(encode(records))

    def read(self) -> list[Record]:
        """Every record, oldest first."""
        return [record for call in self._open_calls() for record in json.loads(call)]

    def close(self) -> None:
        """Forget everything."""
        self._calls = None

    def _open_calls(self) -> list[str]:
        if self._calls is None:
            raise InvalidInput("the journal is closed; make a new one")
        return self._calls


class FileJournal(Journal):
    """A journal in the file `path`, which is made if there is none and belongs to this object until `close`.

    A last line that a crash has torn is cut off, with a `JournalWarning`. Any other damage, a file that is no
    journal and one that another process has open are refused with a `UnswayedError`, and left as they are.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._lock = Lock()
        self._file = _open(self.path)
        try:
            self._real = os.path.realpath(self.path)  # still the same file if the process changes its directory
            _take(self._file.fileno(), self.path)
            self._whole = (0, 0)  # length and calls in one name: an interrupt sees both or neither change
            self._load()
        except BaseException as error:
            self._file.close()
            if isinstance(error, OSError):
                raise InvalidInput(f"cannot open {self.path}: {error.strerror}") from None
            raise

    def append(self, *records: Record) -> None:
        """Keep these records, after all others; returns when they are on disk. If it fails, none is kept."""
        text = encode(records)
        with self._lock:
            self._still_ours()
            if records:
                self._write(line(self._whole[1] + 1, text), 1)

    def read(self) -> list[Record]:
        """Every record, oldest first, read from the file and checked again."""
        with self._lock:
            self._still_ours()
            self._file.seek(0)
            records, _, end = parse(self._file.readall(), self.path)
            if end != self._whole[0]:
                raise InvalidInput(f"{self.path} was changed by another program; restore it from a copy")
            return records

    def close(self) -> None:
        """Give the file free for others. Closing twice is harmless."""
        with self._lock:
            self._file.close()

    def _load(self) -> None:
        """Check the whole file, complete its header and cut off a torn line."""
        data = self._file.read(len(HEADER) + 16)  # enough to know it: a foreign file may be huge
        if data.startswith(HEADER):
            data += self._file.readall()
            _, calls, end = parse(data, self.path)
            self._whole = (end, calls)
            self._cut()  # also if nothing is torn: what a killed process wrote may not be on disk yet
            if len(data) > end:
                torn = f"the last line was torn by a crash; its {len(data) - end} bytes were cut off"
                warnings.warn(f"{self.path}: {torn}, the lines before it are whole", JournalWarning, stacklevel=3)
        elif HEADER.startswith(data):
            self._write(HEADER, 0)  # over what an interrupted creation left, which is the same bytes
        else:
            refuse(data, self.path)
        _sync_folder(os.path.dirname(self._real))

    def _write(self, data: bytes, calls: int) -> None:
        """`data`, which holds so many calls, at the end of the file and on disk, or the file as it was."""
        end, before = self._whole
        try:
            done = 0
            while done < len(data):  # a disk that fills up takes a part first, and fails next time
                done += os.pwrite(self._file.fileno(), data[done:], end + done)
            _sync(self._file.fileno())
            self._whole = (end + len(data), before + calls)
        except BaseException as error:  # an interrupt too must not leave half a line
            with suppress(OSError):  # then the length is wrong, and `_still_ours` refuses all that follows
                self._cut()
            if isinstance(error, OSError):
                reason = f"{error.strerror}; nothing of this call was kept: make room and try again"
                raise InvalidInput(f"cannot write to {self.path}: {reason}") from None
            raise

    def _cut(self) -> None:
        os.ftruncate(self._file.fileno(), self._whole[0])
        _sync(self._file.fileno())

    def _still_ours(self) -> None:
        """Refuse a file that was replaced, removed or changed: what is appended to it would be lost."""
        if self._file.closed:
            raise InvalidInput(f"{self.path} is closed; open it again")
        try:
            there, ours = os.stat(self._real), os.fstat(self._file.fileno())
        except OSError as error:
            raise InvalidInput(f"{self.path} is gone while in use: {error.strerror}") from None
        if not os.path.samestat(there, ours) or ours.st_size != self._whole[0]:
            raise InvalidInput(f"{self.path} was changed by another program while in use; open it again")


def _open(path: str) -> io.FileIO:
    """The file, made if there is none; only a regular file will do."""
    if os.path.islink(path) and not os.path.exists(path):
        raise InvalidInput(f"cannot open {path}: it is a symbolic link to nowhere")
    try:
        # without O_NONBLOCK, opening a pipe would wait for its other end
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise InvalidInput(f"cannot open {path}: {error.strerror}") from None
    except ValueError as error:
        raise InvalidInput(f"cannot open {path!r}: {error}") from None
    file = io.FileIO(handle, "r+")
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        file.close()
        raise InvalidInput(f"cannot open {path}: it is not a regular file")
    return file


def _take(handle: int, path: str) -> None:
    """Lock the file until it is closed, or the process ends.

    Where a process was killed while it started a program, the program holds the lock until it runs: wait a little.
    """
    end = monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if monotonic() > end:
                raise InvalidInput(f"another unswayed has {path} open; wait for it to end") from None
            sleep(0.01)


def _sync(handle: int) -> None:
    if hasattr(fcntl, "F_FULLFSYNC"):  # macOS, where fsync alone leaves the data in the drive's cache
        with suppress(OSError):  # not every file system there has it
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
            return
    os.fsync(handle)


def _sync_folder(folder: str) -> None:
    """The name of a new file is on disk only when its folder is; some network file systems cannot do that."""
    handle = os.open(folder, os.O_RDONLY)
    with suppress(OSError):
        os.fsync(handle)
    os.close(handle)
