"""One BLAS thread for small matrices: on a busy machine, threads that wait for each other cost ten times the work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401  # its own BLAS must be loaded before it can be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Within this block, or a function decorated with it, linear algebra uses one thread."""
    with _controller().limit(limits=1, user_api="blas"):
        yield
