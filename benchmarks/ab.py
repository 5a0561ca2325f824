"""Audits of A/B tests and of values by label: how often is the verdict right?

    python benchmarks/ab.py                 # writes results/ab.json; about ten minutes
    python benchmarks/ab.py --tests 4 --values 10 --rows 0 --out ""

Ten kinds of tests of 14 days with about 1,000 visitors for each variant and day, of whom 5% buy: without a difference
and with lifts up to 25%, 2 to 12 variants; bots on two days, or on four; whales (one customer orders 20 times on one
day); promotions (one day has twice the rate, for all); days that differ; rates that vary from day to day and variant to
variant. Bots visit a variant that is not the best one and buy: 4 to 16 times the standard deviation of that day's
orders, on each of their days. The power on honest tests is that of "yes" for the right variant, beside two-proportion
tests of the winner against all others, both sides, with Holm's correction at 5%.

Families of values: 2 to 6 options with 10 to 200 values each, half of the audits without a difference, honest or with
one or three false values that make another option lead. A family of rates: those of a cell vary by 30%.

With a million rows, in 1,000 options from 100 sources, the command is timed against pandas.read_csv and groupby, if
pandas is installed. The numbers of an older version come from the same file with another PYTHONPATH.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr

from unswayed.audits.labels.audit import LabelAudit, audit_labels
from unswayed.types import FloatArray, IntArray

DAYS, VISITORS, RATE = 14, 1_000, 0.05
SIZES = (6, 12, 40)  # of false values, in standard deviations of the others
VERDICTS = ("yes", "too early", "no: tampered")
RESULTS = Path(__file__).parent / "results" / "ab.json"


@dataclass(frozen=True, eq=False)
class Test:
    """Orders and visitors, a row for each variant; which variants are the best; whether bots made the winner."""

    orders: IntArray
    visitors: IntArray
    best: frozenset[int]
    by_bots: bool = False


def honest(
    rng: np.random.Generator, variants: int, lift: float, *, days: float = 0.1, spread: float = 0.0, spike: float = 1.0
) -> Test:
    """A test whose first variant is better by `lift`; rates of days, and of cells, vary by `days` and `spread`.

    On one day the rates of all variants are `spike` times as large.
    """
    rate = np.full((variants, DAYS), RATE)
    rate[0] *= 1 + lift
    rate *= np.exp(days * rng.standard_normal(DAYS))
    rate *= np.exp(spread * rng.standard_normal(rate.shape) - spread**2 / 2)
    rate[:, rng.integers(DAYS)] *= spike
    visitors = rng.poisson(VISITORS, rate.shape)
    return Test(rng.binomial(visitors, np.minimum(rate, 1)), visitors, frozenset({0} if lift else ()))


def with_bots(rng: np.random.Generator, test: Test, days: int) -> Test:
    """The same test with bots."""
    s, n = test.orders.copy(), test.visitors.copy()
    rate = s.sum(axis=1) / n.sum(axis=1)
    variant = int(rng.choice(np.flatnonzero(np.arange(len(rate)) != rate.argmax())))
    when = rng.choice(DAYS, days, replace=False)
    bots = np.ceil(rng.uniform(4, 16) * np.sqrt(n[variant, when] * rate[variant])).astype(np.int64)
    s[variant, when] += bots
    n[variant, when] += bots
    return Test(s, n, test.best, by_bots=int((s.sum(axis=1) / n.sum(axis=1)).argmax()) == variant)


def with_whale(rng: np.random.Generator, test: Test, orders: int) -> Test:
    """The same test in which one customer of a variant orders that often on one day."""
    s, n, variant, day = test.orders.copy(), test.visitors.copy(), rng.integers(len(test.orders)), rng.integers(DAYS)
    s[variant, day] += orders
    n[variant, day] += orders
    return Test(s, n, test.best)


def made(kind: str, rng: np.random.Generator) -> Test:
    """A test of a kind."""
    several, lift = int(rng.integers(2, 13)), float(rng.uniform(0.05, 0.25))
    either = lift if rng.random() < 0.5 else 0.0
    match kind:
        case "A/A, 2 variants":
            return honest(rng, 2, 0.0)
        case "A/A, 3 to 12 variants":
            return honest(rng, max(several, 3), 0.0)
        case "a lift, 2 variants":
            return honest(rng, 2, lift)
        case "a lift, 3 to 12 variants":
            return honest(rng, max(several, 3), lift)
        case "bots on two days":
            return with_bots(rng, honest(rng, several, either), 2)
        case "bots on four days":
            return with_bots(rng, honest(rng, several, either), 4)
        case "whales":
            return with_whale(rng, honest(rng, several, either), 20)
        case "a promotion":
            return honest(rng, several, either, spike=2.0)
        case "days that differ":
            return honest(rng, several, either, days=0.3)
        case _:
            return honest(rng, several, either, spread=0.2)


KINDS = (
    "A/A, 2 variants", "A/A, 3 to 12 variants", "a lift, 2 variants", "a lift, 3 to 12 variants", "bots on two days",
    "bots on four days", "whales", "a promotion", "days that differ", "rates that vary",
)  # fmt: skip
REFERENCE = ("a lift, 2 variants", "a lift, 3 to 12 variants", "a promotion", "days that differ")


def audited(test: Test) -> LabelAudit:
    """The audit of a test by days."""
    variant, day = np.indices(test.orders.shape)
    orders, visitors = test.orders.ravel(), test.visitors.ravel()
    return audit_labels(variant.ravel(), orders, trials=visitors, sources=day.ravel())


def said(audit: LabelAudit) -> str:
    """The verdict; of older versions, what its sentence amounts to."""
    verdict = str(audit.to_dict()["verdict"])
    if verdict in ("yes", "too early", "no: tampered", "no: within the threat"):
        return verdict
    if verdict.startswith("Yes"):
        return "yes"
    return "no: tampered" if "without" in verdict or "cannot be explained" in verdict else "too early"


def holm(test: Test) -> int | None:
    """The variant that all two-proportion tests together call the best."""
    s, n = test.orders.sum(axis=1), test.visitors.sum(axis=1)
    best = int((s / n).argmax())
    pooled = (s + s[best]) / (n + n[best])
    z = (s[best] / n[best] - s / n) / np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / n[best]))
    p = np.sort(2 * ndtr(-np.delete(z, best)))
    return best if (p <= 0.05 / np.arange(len(p), 0, -1)).all() else None


def of_tests(tests: int, seed: int) -> dict[str, Any]:
    """Verdicts by kind, and what they must be."""
    kinds: dict[str, Any] = {}
    total: Counter[str] = Counter()
    for number, kind in enumerate(KINDS):
        found: Counter[str] = Counter()
        for test_number in range(tests):
            test = made(kind, np.random.default_rng([seed, number, test_number]))
            audit = audited(test)
            verdict, winner = said(audit), int(audit.labels[audit.winner])
            found[verdict] += 1
            if not test.best:
                total["without a difference"] += 1
                total["without a difference: yes"] += verdict == "yes"
                if "bots" not in kind and kind != "whales":
                    total["A/A"] += 1
                    total["A/A: tampered"] += verdict == "no: tampered"
            else:
                total["with a difference"] += 1
                total["with a difference: yes for another variant"] += verdict == "yes" and winner not in test.best
            if kind in REFERENCE and test.best:
                total["lifts"] += 1
                total["lifts: right"] += verdict == "yes" and winner in test.best
                total["lifts: right by Holm"] += holm(test) in test.best
            if test.by_bots:
                total["won by bots"] += 1
                total["won by bots: tampered"] += verdict == "no: tampered"
                total["won by bots: yes"] += verdict == "yes"
        kinds[kind] = dict(sorted(found.items()))
        print(kind, kinds[kind], flush=True)
    return {"kinds": kinds, "total": dict(total)}


def of_varying_rates(tests: int, seed: int) -> dict[str, int]:
    """Tests without a difference whose rates vary by 30% from day to day and variant to variant: what is said."""
    found: Counter[str] = Counter()
    for number in range(tests):
        rng = np.random.default_rng([seed, number])
        test = honest(rng, int(rng.integers(2, 7)), 0.0, days=0.3, spread=0.3)
        found[said(audited(test))] += 1
    return dict(sorted(found.items()))


FAMILIES = ("normal", "Student's t, 3", "lognormal", "mostly zero", "negative binomial", "unequal noise")


def values_of(family: str, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
    """Options and values; half of the time one option is better by one to four standard errors."""
    options, number = int(rng.integers(2, 7)), int(rng.choice([10, 20, 50, 100, 200]))
    option, size = np.repeat(np.arange(options), number), options * number
    better = (option == 0) * (rng.uniform(1, 4) / np.sqrt(number) if rng.random() < 0.5 else 0.0)
    normal = rng.standard_normal(size)
    if family == "normal":
        return option, better + normal
    if family == "Student's t, 3":
        return option, better + rng.standard_t(3, size)
    if family == "lognormal":
        return option, np.exp(3 + better + rng.uniform(0.6, 1.4) * normal)
    if family == "mostly zero":
        return option, np.where(rng.random(size) < rng.uniform(0.05, 0.4), np.exp(3 + better + normal), 0.0)
    if family == "negative binomial":
        k, mean = rng.uniform(0.4, 3), rng.uniform(2, 20) * (1 + better)
        return option, rng.poisson(mean * rng.gamma(k, 1 / k, size)).astype(np.float64)
    return option, better + normal * np.exp(rng.uniform(-1.2, 1.2, options))[option]


def of_values(tests: int, seed: int) -> dict[str, Any]:
    """How often each family is called tampered: honest, and with false values that make the winner."""
    found: dict[str, Any] = {}
    for number, family in enumerate(FAMILIES):
        here: Counter[str] = Counter({f"honest: {verdict}": 0 for verdict in VERDICTS})
        for test in range(tests):
            option, values = values_of(family, np.random.default_rng([seed, number, test]))
            if np.ptp(values) > 0:
                here[f"honest: {said(audit_labels(option, values))}"] += 1
        for lies in (1, 3):
            for size in SIZES:
                tampered, made_winner = _with_lies(family, lies, size, tests, [seed, number, lies, size])
                here[f"{lies} of {size} deviations"], here[f"{lies} of {size} deviations: tampered"] = (
                    made_winner,
                    tampered,
                )
        found[family] = dict(here)
        print(family, found[family], flush=True)
    return found


def _with_lies(family: str, lies: int, size: float, tests: int, seed: list[int]) -> tuple[int, int]:
    """How many audits with lies that make another option win are called tampered, and how many there are."""
    tampered = number = 0
    for test in range(tests):
        rng = np.random.default_rng([*seed, test])
        option, values = values_of(family, rng)
        means = np.bincount(option, values) / np.bincount(option)
        liar = int(rng.choice(np.flatnonzero(np.arange(len(means)) != means.argmax())))
        mine = values[option == liar]
        deviation = float(np.median(np.abs(mine - np.median(mine)))) / 0.6745
        values[rng.choice(np.flatnonzero(option == liar), lies, replace=False)] = means[liar] + size * deviation
        if deviation > 0 and int((np.bincount(option, values) / np.bincount(option)).argmax()) == liar:
            number += 1
            tampered += said(audit_labels(option, values)) == "no: tampered"
    return tampered, number


def rows(columns: list[str], found: dict[str, Any]) -> dict[str, Any]:
    """Counts as a table of text."""
    return {
        "columns": columns,
        "rows": [[name, *(str(one.get(c, 0)) for c in columns[1:])] for name, one in found.items()],
    }


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
    parser.add_argument("--tests", type=int, default=40, help="of each kind")
    parser.add_argument("--values", type=int, default=200, help="of each family")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=2027)
    parser.add_argument("--out", default=str(RESULTS), help="where to write the results; empty for nowhere")
    parser.add_argument("--pandas", default=sys.executable, help="a Python that has pandas")
    given = parser.parse_args()
    tests = of_tests(given.tests, given.seed)
    varying = of_varying_rates(given.values, given.seed + 1)
    values = of_values(given.values, given.seed + 2)
    print(json.dumps(tests["total"], indent=2), varying)
    if given.out:
        tables = {
            "kinds": rows(["kind", *VERDICTS], {**tests["kinds"], "rates that vary by 30%, no difference": varying}),
            "totals": {"columns": ["what", "tests"], "rows": [[k, str(v)] for k, v in tests["total"].items()]},
            "values": rows(["family", *values["normal"]], values),
        }
        command = f"python benchmarks/ab.py --tests {given.tests} --values {given.values} --seed {given.seed}"
        Path(given.out).write_text(json.dumps({"command": command, "tables": tables}, indent=1) + "\n")
    if given.rows:
        many_rows(given.rows, given.pandas)
