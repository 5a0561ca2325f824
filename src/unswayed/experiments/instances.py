"""The problem of an experiment: by name, from a table, or a user's own, with the kernel that policies assume."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from unswayed.core.gp.fitting import fit_lengthscale
from unswayed.core.gp.kernels import Kernel, Linear, named_kernel
from unswayed.errors import InvalidInput
from unswayed.experiments.own import is_own, load_own
from unswayed.experiments.registry import entry
from unswayed.problems import Problem, read_table, table
from unswayed.types import FloatArray, floats

DIAGONAL_ROWS = 64  # rows of a kernel matrix that are made at a time, where its diagonal is needed


@dataclass(frozen=True, repr=False)
class OwnKernel:
    """A user's kernel by its name, with the diagonal that ours have."""

    name: str

    def __repr__(self) -> str:
        return self.name

    def __call__(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """The matrix of k(x, z), refused if it has another shape."""
        k = floats(load_own(self.name).value(X, Z), f"the values of {self.name}", ndim=2)
        if k.shape != (len(X), len(Z)):
            raise InvalidInput(f"{self.name} must return {len(X)} x {len(Z)} values, not {k.shape[0]} x {k.shape[1]}")
        return k

    def diagonal(self, X: FloatArray) -> FloatArray:
        """The vector of k(x, x), from small blocks of the matrix."""
        blocks = [X[start : start + DIAGONAL_ROWS] for start in range(0, len(X), DIAGONAL_ROWS)]
        return np.concatenate([np.diagonal(self(block, block)) for block in blocks])


def make_problem(
    name: str,
    draw: int | None = None,
    *,
    noise_std: float | None = None,
    kernel: str | None = None,
    lengthscale: float | None = None,
    low: float | None = None,
    high: float | None = None,
) -> Problem:
    """A problem by name, or a table from a CSV file.

    Args:
        name: A registered problem, FILE.csv, or module:attribute.
        draw: Which random instance; None is the problem's default.
        noise_std: Standard deviation of the noise; None is the problem's.
        kernel: What policies assume: se, linear, matern-NU or module:attribute; None is the problem's, se for a table.
        lengthscale: Of the kernel. Where only the kernel is named, and for tables, the most likely one for the true
            values is taken.
        low: Known lower bound of the values; None is the problem's.
        high: Known upper bound of the values; None is the problem's.

    Raises:
        InvalidInput: A name is unknown, or the settings contradict each other.
    """
    if name.lower().endswith(".csv"):
        if draw is not None:
            raise InvalidInput("a table has no draws")
        problem = table(*read_table(Path(name)), kernel=Linear(1e300), name=name)
        kernel = kernel or "se"
    else:
        problem = entry("problem", name).make(draw)
    if kernel is not None:
        problem = replace(problem, kernel=_make_kernel(kernel, lengthscale, problem))
    elif lengthscale is not None:
        problem = replace(problem, kernel=_rescaled(problem.kernel, lengthscale))
    given: dict[str, Any] = {"noise_std": noise_std, "low": low, "high": high}
    return replace(problem, **{name: value for name, value in given.items() if value is not None})


def instance(problem: str, draw: int | None = None, **given: Any) -> Problem:
    """The same as `make_problem`, made once in each process, and again when the file of a table has changed."""
    path = Path(problem)
    state = path.stat() if problem.lower().endswith(".csv") and path.is_file() else None
    stamp = None if state is None else (path.resolve(), state.st_mtime_ns, state.st_size)
    return _instance(problem, draw, stamp, **given)


@cache
def digest(problem: Problem) -> str:
    """A digest of all that decides the numbers of a run on this problem; the kernel counts by its values."""
    some = problem.domain[:50]
    numbers = [problem.noise_std, problem.margin, problem.h_max, problem.beta_phased, problem.beta_scale]
    bounds = np.array([problem.low, problem.high], dtype=np.float64)  # None becomes NaN
    arrays = [problem.domain, problem.f, problem.target, problem.kernel(some, some), np.array(numbers), bounds]
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()


@cache
def _instance(problem: str, draw: int | None, stamp: Any, **given: Any) -> Problem:
    return make_problem(problem, draw, **given)


def _make_kernel(name: str, lengthscale: float | None, problem: Problem) -> Kernel:
    """A kernel by name for the points of `problem`, fitted to its values without a length-scale."""
    if is_own(name):
        if lengthscale is not None:
            raise InvalidInput(f"a length-scale cannot be given to {name}: set it in your module")
        own = OwnKernel(name)
        own(problem.domain[:2], problem.domain[:2])  # refused now rather than in a worker
        return own
    kernel = named_kernel(name, lengthscale, problem.domain)
    if lengthscale is not None or isinstance(kernel, Linear):
        return kernel
    return fit_lengthscale(kernel, problem.domain, problem.f)


def _rescaled(kernel: Kernel, lengthscale: float) -> Kernel:
    if isinstance(kernel, Linear) or not is_dataclass(kernel) or not hasattr(kernel, "lengthscale"):
        raise InvalidInput(f"the kernel {kernel!r} has no length-scale that could be set")
    rescaled: Kernel = replace(kernel, lengthscale=lengthscale)
    return rescaled
