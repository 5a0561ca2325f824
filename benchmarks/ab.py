"""A/B tests with bots: does the audit say that the winner cannot be trusted, and who wins without them?

    python benchmarks/ab.py                 # 50 tests with bots, honest tests, a million rows; some minutes
    python benchmarks/ab.py --tests 10 --rows 0

Twelve variants with rates from 2% to 5% and about 1,000 visitors a day for 14 days; in every second test 30% fewer
visitors buy on weekends. On 4 days bots visit one of the variants that are not the best, and buy: 1.2 to 4 times as
many as it takes to make that variant win. The right answer is the winner of the honest visits, or a variant that these
do not distinguish from it (|z| < 1.96). Honest tests are the same without bots, some with rates that vary by 20% from
cell to cell: how often does the audit suspect anything? With a million rows, in 1,000 options from 100 sources, the
command is timed against pandas.read_csv and groupby, if pandas is installed.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from unswayed.audits.labels.audit import LabelAudit, audit_labels
from unswayed.types import BoolArray, IntArray

VARIANTS, DAYS, BOT_DAYS = 12, 14, 4
Counts = tuple[IntArray, IntArray]  # conversions and visitors, one row for each variant, one column for each day


def honest_test(rng: np.random.Generator, *, weekend: bool, spread: float = 0.0, variants: int = VARIANTS) -> Counts:
    """Conversions and visitors of honest people."""
    rate = rng.uniform(0.02, 0.05, variants)[:, None] * np.exp(spread * rng.standard_normal((variants, DAYS)))
    if weekend:
        rate[:, [5, 6, 12, 13]] *= 0.7
    visitors = rng.poisson(1_000, rate.shape)
    return rng.binomial(visitors, rate), visitors


def add_bots(rng: np.random.Generator, counts: Counts) -> tuple[Counts, int, set[str]]:
    """The same test with bots; their variant, and their days."""
    s, n = (part.copy() for part in counts)
    rates = s.sum(axis=1) / n.sum(axis=1)
    variant = int(rng.choice(np.flatnonzero(np.arange(len(rates)) != np.argmax(rates))))
    days = rng.choice(DAYS, BOT_DAYS, replace=False)
    s_a, n_a, best = s[variant].sum(), n[variant].sum(), rates.max()
    enough = (best * n_a - s_a) / (1 - best)  # (s + bots) / (n + bots) = best
    bots = np.ceil(enough * rng.uniform(1.2, 4.0) / BOT_DAYS).astype(np.int64) + 1
    s[variant, days] += bots
    n[variant, days] += bots
    return (s, n), variant, {str(day) for day in days}


def audited(counts: Counts) -> LabelAudit:
    s, n = counts
    variant, day = np.indices(s.shape)
    return audit_labels(variant.ravel(), s.ravel(), trials=n.ravel(), sources=day.ravel())


def alike(counts: Counts) -> BoolArray:
    """The variants that honest visits do not distinguish from their winner."""
    s, n = (part.sum(axis=1) for part in counts)
    rate, best = s / n, int(np.argmax(s / n))
    pooled = (s + s[best]) / (n + n[best])
    z = (rate[best] - rate) / np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / n[best]))
    return np.asarray(z < 1.96)


def with_bots(tests: int, first: int) -> None:
    right = doubted = named = 0
    for seed in range(first, first + tests):
        rng = np.random.default_rng(seed)
        honest = honest_test(rng, weekend=seed % 2 == 1)
        counts, variant, days = add_bots(rng, honest)
        found = audited(counts)
        answer = found.winner_without_suspects
        right += answer is not None and bool(alike(honest)[answer])
        doubted += not found.to_dict()["certified"]
        named += {(s.option, s.source) for s in found.suspects} == {(variant, day) for day in days}
    print(f"bots: {tests} tests; not trusted in {doubted}, the right answer in {right}, exactly the days in {named}")


def without_bots(tests: int, first: int) -> None:
    cases = [(variants, weekend, spread) for variants in (2, VARIANTS) for weekend in (0, 1) for spread in (0.0, 0.2)]
    for variants, weekend, spread in cases:
        alarms = 0
        for seed in range(first, first + tests):
            rng = np.random.default_rng([seed, variants, weekend, round(100 * spread)])
            counts = honest_test(rng, weekend=bool(weekend), spread=spread, variants=variants)
            alarms += bool(audited(counts).suspects)
        kind = f"{variants} variants, {'weekends' if weekend else 'all days alike'}, spread {spread:.0%}"
        print(f"honest, {kind}: something is suspected in {alarms} of {tests} tests ({alarms / tests:.2%})")


def many_rows(rows: int, python: str) -> None:
    """Seconds of the command and of pandas, the best of three each."""
    rng = np.random.default_rng(0)
    option, day, visitors = rng.integers(0, 1_000, rows), rng.integers(0, 100, rows), rng.integers(50, 200, rows)
    conversions = rng.binomial(visitors, 0.03)
    columns = zip(option, day, visitors, conversions, strict=True)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.csv"
        lines = (f"variant {o},day {d},{n},{s}\n" for o, d, n, s in columns)
        file.write_text("variant,day,visitors,conversions\n" + "".join(lines))
        named = ["--option", "variant", "--successes", "conversions", "--trials", "visitors", "--source", "day"]
        ours = _fastest([sys.executable, "-m", "unswayed", "audit", str(file), *named])
        code = "import sys, pandas as p; print(p.read_csv(sys.argv[1]).groupby(['variant', 'day']).sum())"
        pandas = _fastest([python, "-c", code, str(file)])
    beside = "pandas is not installed" if pandas is None else f"pandas {pandas:.2f} s, ratio {(ours or 0) / pandas:.1f}"
    print(f"{rows:,} rows: {ours or 0:.2f} s from start to end; {beside}")


def _fastest(command: list[str]) -> float | None:
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        if shutil.which(command[0]) is None or subprocess.run(command, capture_output=True, check=False).returncode:
            return None
        seconds.append(time.perf_counter() - start)
    return min(seconds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--tests", type=int, default=50)
    parser.add_argument("--honest", type=int, default=500, help="honest tests of each kind")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first test")
    parser.add_argument("--pandas", default=sys.executable, help="a Python that has pandas")
    given = parser.parse_args()
    with_bots(given.tests, given.seed)
    without_bots(given.honest, given.seed)
    if given.rows:
        many_rows(given.rows, given.pandas)
