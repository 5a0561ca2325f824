"""A Dask cluster as an executor."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from unswayed.errors import InvalidInput

FREE = {"dashboard_address": ":0"}  # any free port: without it the scheduler takes 8787, and warns if it is taken


@contextmanager
def dask_executor(address: str | None, jobs: int = 2) -> Iterator[Executor]:
    """An executor on the cluster at `address`; without one, on a local cluster of `jobs` workers."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise InvalidInput("this needs Dask: pip install 'unswayed[dask]'") from None
    if address is None:
        with (
            LocalCluster(
                n_workers=jobs, threads_per_worker=1, dashboard_address=None, scheduler_kwargs=FREE
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client.get_executor(pure=False)
        return
    try:
        connected = Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise InvalidInput(f"cannot reach a Dask scheduler at {address}: {error}") from None
    with connected as client:
        yield client.get_executor(pure=False)
