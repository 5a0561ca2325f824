"""Replace a file so that a crash or a full disk never leaves half of it."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from unswayed.errors import InvalidInput, UnswayedError
from unswayed.storage.refusals import refusal

TEMPORARY = "-unswayed.tmp"
"""How the names of temporary files end; they begin with a dot."""


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
    temporary = None
    try:
        target = os.path.realpath(path)
        mode = _mode(target)
        folder, name = os.path.split(target)
        temporary = os.path.join(folder, f".{name[:50]}-{secrets.token_hex(8)}{TEMPORARY}")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            sync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException as error:  # an interrupt too must not leave a temporary file
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
        if isinstance(error, OSError):
            raise refusal(f"cannot write {path}", error) from None
        if isinstance(error, ValueError) and not isinstance(error, UnswayedError):  # a null byte in the path
            raise InvalidInput(f"cannot write {path}: {error}") from None
        raise


def _mode(target: str) -> int | None:
    """The mode of an existing file; None if there is none."""
    try:
        found = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found):
        raise InvalidInput(f"cannot write {target}: it is not a regular file")
    return stat.S_IMODE(found)


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
