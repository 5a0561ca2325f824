"""Errors of the operating system as errors of ours."""

from __future__ import annotations

import errno

from unswayed.errors import InvalidInput, SystemFault, UnswayedError

# The user gave a path that cannot exist or is the wrong kind of thing; every other refusal is the system's fault.
WRONG_PATH = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL, errno.EILSEQ}
)


def refusal(what: str, error: OSError) -> UnswayedError:
    """Return the error to raise instead of `error`.

    Args:
        what: What could not be done, such as "cannot write a.html".
        error: What the system said.

    Returns:
        InvalidInput if the path is wrong, SystemFault for everything else.
    """
    kind = InvalidInput if error.errno in WRONG_PATH else SystemFault
    return kind(f"{what}: {error.strerror or error}")
