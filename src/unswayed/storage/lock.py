"""One owner for one file: a lock that ends with the process, on POSIX and on Windows."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from unswayed.errors import InvalidInput
from unswayed.storage.refusals import refusal

# Windows locks bytes, and a locked byte cannot be read by others. So lock one that no file of ours reaches: the last
# that the C runtime can address, because it takes the position as a 32-bit number.
LOCKED_BYTE = 2**31 - 2
TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


def try_lock(handle: int) -> bool:
    """Lock an open file until it is closed or the process ends.

    On Windows this moves the position in the file.

    Args:
        handle: The descriptor of a file that is open for writing.

    Returns:
        Whether the lock was taken; False if somebody else has it.

    Raises:
        OSError: The file system has no locks.
    """
    try:
        import fcntl
    except ImportError:
        return _try_lock_windows(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _try_lock_windows(handle: int) -> bool:
    msvcrt = import_module("msvcrt")  # by name, because type checkers know its contents on Windows only
    os.lseek(handle, LOCKED_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        if error.errno in TAKEN:
            return False
        raise
    return True


@contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold the file `path` as a lock until the block or the process ends.

    Args:
        path: The file; it is made if there is none, and stays.

    Raises:
        InvalidInput: Another process holds the lock, or the path is wrong.
        SystemFault: The system refuses to open or lock the file.
    """
    try:
        file = path.open("a")
        try:
            taken = try_lock(file.fileno())
        except OSError:
            file.close()
            raise
    except OSError as error:
        raise refusal(f"cannot lock {path}", error) from None
    with file:
        if not taken:
            raise InvalidInput(f"another unswayed is at work in {path.parent}; wait for it to end")
        yield
