"""Replace a file so that a crash or a full disk never leaves half of it, lock a file, and explain why neither works."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from io import IOBase
from pathlib import Path
from weakref import WeakSet

from unswayed.errors import InvalidInput, SystemFault, UnswayedError

TEMPORARY = "-unswayed.tmp"
"""How the names of temporary files end; they begin with a dot."""

# The user gave a path that cannot exist or is the wrong kind of thing; every other refusal is the system's fault.
WRONG_PATH = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL, errno.EILSEQ}
# Windows locks bytes, and a locked byte cannot be read by others. So lock one that no file of ours reaches: the last
# that the C runtime can address, because it takes the position as a 32-bit number.
LOCKED_BYTE = 2**31 - 2
TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
_LOCKED: WeakSet[IOBase] = WeakSet()  # files whose lock belongs to this process


def _forget_locks() -> None:
    """In a forked process: close the files that its parent has locked. A lock lasts as long as anybody has it open."""
    for file in list(_LOCKED):
        with suppress(OSError):
            file.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_locks)


@contextmanager
def explaining(what: str, then: str = "") -> Iterator[None]:
    """Turn what the system says inside the block into an error of ours.

    Args:
        what: What could not be done, such as "cannot write a.html".
        then: The end of the line: what follows from it.

    Raises:
        InvalidInput: The path is wrong.
        SystemFault: The system refuses for any other reason.
    """
    try:
        yield
    except OSError as error:
        kind = InvalidInput if error.errno in WRONG_PATH else SystemFault
        raise kind(f"{what}: {error.strerror or error}{then}") from None
    except UnswayedError:
        raise
    except ValueError as error:  # a null byte or half a character in the path, or text that is not UTF-8
        raise InvalidInput(f"{what}: {error}") from None


def write_atomically(path: Path, data: bytes) -> None:
    """Replace the file `path` by `data`: write a temporary file, flush it to disk, rename it.

    A file that exists keeps its mode; a new one gets what the umask allows. A symbolic link is followed.

    Args:
        path: The file to make or to replace.
        data: Its new content.

    Raises:
        InvalidInput: The path is wrong, or there is something that is not a regular file.
        SystemFault: The system refuses: the disk is full, or the folder may not be written to.
    """
    with explaining(f"cannot write {path}"):
        target = os.path.realpath(path)
        mode = None
        with suppress(FileNotFoundError):
            mode = os.stat(target).st_mode
        if mode is not None and not stat.S_ISREG(mode):
            raise InvalidInput(f"cannot write {target}: it is not a regular file")
        folder, name = os.path.split(target)
        temporary = os.path.join(folder, f".{name[:50]}-{secrets.token_hex(8)}{TEMPORARY}")
        try:
            private = None if mode is None else lambda name, flags: os.open(name, flags, 0o600)
            with open(temporary, "xb", opener=private) as file:  # nobody may read it who could not read the old one
                file.write(data)
                file.flush()
                sync(file.fileno())
            if mode is not None:
                os.chmod(temporary, stat.S_IMODE(mode))
            os.replace(temporary, target)
        except BaseException:  # an interrupt too must not leave a temporary file
            with suppress(OSError, ValueError):
                os.unlink(temporary)
            raise


def remove_temporaries(folder: Path) -> None:
    """Delete the temporary files that killed processes left in `folder`; errors are ignored.

    Call it only while no other process writes there, such as under the folder's `lock`.

    Args:
        folder: The folder itself; folders inside it are not searched.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") and entry.name.endswith(TEMPORARY):
                with suppress(OSError):
                    if entry.is_file(follow_symlinks=False):
                        os.unlink(entry.path)


def sync(handle: int) -> None:
    """Wait until an open file is on disk.

    Args:
        handle: The descriptor of the file.

    Raises:
        OSError: The data may not be on disk.
    """
    # On macOS fsync alone leaves the data in the cache of the drive.
    with suppress(ImportError, AttributeError, OSError):  # Windows; Linux; a file system that lacks it
        fcntl = import_module("fcntl")  # by name, because type checkers know F_FULLFSYNC on macOS only
        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
        return
    os.fsync(handle)


def sync_folder(folder: str) -> None:
    """Wait until the names of new files are on disk, where the system can do that.

    Args:
        folder: The folder that holds the files.
    """
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def try_lock(file: IOBase) -> bool:
    """Lock an open file until it is closed or the process ends. In forked processes it is closed.

    On Windows this moves the position in the file.

    Args:
        file: A file that is open for writing.

    Returns:
        Whether the lock was taken; False if somebody else has it.

    Raises:
        OSError: The file system has no locks.
    """
    handle = file.fileno()
    _LOCKED.add(file)
    try:
        try:
            import fcntl
        except ImportError:
            msvcrt = import_module("msvcrt")  # by name, because type checkers know its contents on Windows only
            os.lseek(handle, LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
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
    with explaining(f"cannot lock {path}"):
        file = path.open("a")
    with file:
        with explaining(f"cannot lock {path}"):
            taken = try_lock(file)
        if not taken:
            raise InvalidInput(f"another Unswayed process is using {path.parent}; wait for it to end")
        yield
