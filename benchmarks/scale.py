"""Time and memory against the number of options: one epoch's design, estimates, widths and elimination.

Every size runs in its own process, so that peak memory is measured for that size alone. The baseline is the same design
in plain NumPy, which updates every variance after every switch. Exponents are fitted over sizes from 10^4 on.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from rich.console import Console
from rich.table import Table

from unswayed import SquaredExponential
from unswayed.core.design.rare_switching import TIE, first_argmax, rare_switching_design_at
from unswayed.core.gp.epoch_posterior import EpochPosterior

LAM, ETA, BETA, C = 1.0, 2.0, 3.0, 5.0
LENGTHSCALE = {2: 0.07, 20: 0.5}  # about 200 switches
LENGTH = {2: 520, 20: 400}
PARTS = ("design", "predict", "influence", "eliminate")


def plain_numpy_design(kernel, X, lam, eta, length):
    """The baseline: k_t(., arm) for all points, from all rows of the factor, at every switch."""
    variance, order, left = kernel.diagonal(X), {}, length
    factor, m = np.empty((length, len(X))), 0
    while left > 0:
        arm = first_argmax(variance)
        s = variance[arm]
        n = left if s * left <= lam * (eta - 1) else min(left, int(np.floor(lam * (eta - 1) / s * (1 + TIE))) + 1)
        order[arm] = order.get(arm, 0) + n
        left -= n
        v = kernel(X, X[[arm]])[:, 0] - factor[:m, arm] @ factor[:m]
        factor[m] = v * np.sqrt(n / (lam + n * s))
        variance -= np.square(factor[m])
        m += 1
    return np.array(list(order)), np.array(list(order.values()))


def timed(action):
    begin = time.perf_counter()
    result = action()
    return time.perf_counter() - begin, result


def measure(N: int, d: int, plain: bool) -> dict[str, float]:
    """The measurements of one process."""
    X = np.random.default_rng(0).uniform(0, 1, (N, d))
    kernel = SquaredExponential(LENGTHSCALE[d])
    design = plain_numpy_design if plain else rare_switching_design_at
    design(kernel, X[:400], LAM, ETA, 50)  # compiles
    seconds, (arms, counts) = timed(lambda: design(kernel, X, LAM, ETA, LENGTH[d]))
    results = {"design": seconds, "design_gb": peak(), "arms": len(arms), "check": int(arms @ counts)}
    if not plain:
        f = np.sin(5 * X[:, 0]) + np.cos(3 * X[:, 1])
        results["predict"], estimate = timed(lambda: EpochPosterior.fit(kernel, X, arms, f[arms], 1000 * counts, LAM))
        results["influence"], _ = timed(estimate.influence)
        results["eliminate"], keep = timed(lambda: estimate.undominated(BETA, C))
        results["kept"] = int(keep.sum())
    return {**results, "gb": peak()}


def peak() -> float:
    import resource  # POSIX only

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def apart(N: int, d: int, *flags: str) -> dict[str, float]:
    command = [sys.executable, __file__, "--measure", "--sizes", str(N), "--dimensions", str(d), *flags]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def exponent(sizes: list[int], values: list[float]) -> float:
    large = [(np.log(N), np.log(value)) for N, value in zip(sizes, values, strict=True) if N >= 10_000]
    return float(np.polyfit(*zip(*large, strict=True), 1)[0]) if len(large) > 1 else float("nan")


def compare(sizes: list[int], d: int, full: bool) -> list[dict[str, float]]:
    rows = []
    for N in sizes:
        row = {"N": N, **apart(N, d)}
        if N <= 100_000 or full:
            plain = apart(N, d, "--plain")
            assert (plain["arms"], plain["check"]) == (row["arms"], row["check"]), "the two designs differ"
            row |= {"plain": plain["design"], "plain_gb": plain["gb"], "estimated": False}
        elif rows:
            row |= {"plain": rows[-1]["plain"] * N / rows[-1]["N"], "estimated": True}
        rows.append(row)
    return rows


def show(rows: list[dict[str, float]], d: int) -> None:
    title = (
        f"{d} dimensions, uniform points, squared exponential kernel of length-scale {LENGTHSCALE[d]}, lam = {LAM:g}, "
        f"eta = {ETA:g}, length {LENGTH[d]}"
    )
    table = Table(title=title, title_justify="left")
    for column in ("options", "arms", "plain NumPy", *PARTS, "peak of design", "peak", "kept"):
        table.add_column(column, justify="right")
    for row in rows:
        plain = f"{'~' if row['estimated'] else ''}{row['plain']:.2f} s" if "plain" in row else ""
        memory = [f"{row[name]:.2f} GB" for name in ("design_gb", "gb")]
        seconds = [f"{row[part]:.3f} s" for part in PARTS]
        table.add_row(f"{row['N']:,}", str(row["arms"]), plain, *seconds, *memory, f"{row['kept']:,}")
    sizes = [int(row["N"]) for row in rows]
    growth = [f"N^{exponent(sizes, [row[part] for row in rows]):.2f}" for part in PARTS]
    table.add_row("growth", "", "", *growth, "", "", "")
    Console(width=160).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=lambda s: int(float(s)), nargs="+", default=[10**3, 10**4, 10**5, 10**6])
    parser.add_argument("--dimensions", type=int, nargs="+", default=[2], choices=list(LENGTHSCALE))
    parser.add_argument("--full", action="store_true", help="run the baseline at every size, do not estimate it")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--plain", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.sizes[0], options.dimensions[0], options.plain)))
        return
    for d in options.dimensions:
        rows = compare(sorted(options.sizes), d, options.full)
        if options.json:
            print(json.dumps({"dimensions": d, "rows": rows}, indent=1))
        else:
            show(rows, d)


if __name__ == "__main__":
    main()
