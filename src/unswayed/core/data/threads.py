"""One BLAS thread for small matrices: on a busy machine, threads that wait for each other cost ten times the work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

_lock = Lock()
_limits: list[Any] = []  # one for each block that is running; the first one keeps the number of threads to restore


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401  # its own BLAS must be loaded before it can be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Within this block, or a function decorated with it, linear algebra uses one thread."""
    # The number of threads is global. Blocks of several Python threads may overlap: the last one to end restores it.
    with _lock:
        _limits.append(_limits[0] if _limits else _controller().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            limit = _limits.pop()
            if not _limits:
                limit.restore_original_limits()
