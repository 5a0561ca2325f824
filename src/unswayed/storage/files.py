"""Writing so that a crash, a full disk or a second process can never leave half a file."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unswayed.errors import InvalidInput

TEMPORARY = "-unswayed.tmp"  # how temporary names end


def write_atomically(path: Path, data: bytes) -> None:
    """Replace `path` by `data`: written under a temporary name, flushed to disk, then renamed."""
    name, path = None, path.resolve()
    if path.exists() and not path.is_file():
        raise InvalidInput(f"cannot write {path}: it is not a regular file")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-", suffix=TEMPORARY)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException as error:
        if name is not None:
            with suppress(OSError):
                os.unlink(name)
        if isinstance(error, OSError):
            raise InvalidInput(f"cannot write {path}: {error.strerror}") from None
        raise


def remove_temporaries(folder: Path) -> None:
    """Remove what killed processes have left in `folder`. Only for one who holds its lock: others may be writing."""
    for path in folder.glob(f".*{TEMPORARY}"):
        with suppress(OSError):
            path.unlink()


@contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold `path` as a lock until the block ends, or the process does; refuse if another one has it."""
    try:
        file = path.open("a")
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InvalidInput(f"another unswayed is at work in {path.parent}; wait for it to end") from None
        yield
