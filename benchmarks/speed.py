"""Speed as ratios against a plain NumPy loop in the same run: `make bench`.

Seconds depend on the machine and on its load; ratios that are measured side by side hardly do. Each figure is the best
of several repeats, and the candidates take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from rich.console import Console
from rich.table import Table

from unswayed import audit, simulate
from unswayed.adversaries import NoAttack, TopK
from unswayed.core.design.rare_switching import rare_switching_design
from unswayed.core.gp.posterior import Posterior
from unswayed.experiments.registry import make_policy
from unswayed.problems import f1


def plain_numpy_loop(problem, factor, noise, lam=1.0):
    """The baseline: an index policy by in-place NumPy rank-one updates, one for each round."""
    K = problem.kernel(problem.domain, problem.domain)
    mu, covariance = np.zeros(len(K)), K.copy()
    plays = np.empty(len(noise), dtype=np.int64)
    for r in range(len(noise)):
        width = factor(r + 1) * np.sqrt(covariance.diagonal())
        upper = mu + width
        arm = int(np.argmax(upper >= upper.max() - 1e-9 * width.max()))
        plays[r] = arm
        v = covariance[arm] / (lam + covariance[arm, arm])
        mu += v * (problem.f[arm] + noise[r] - mu[arm])
        covariance -= np.outer(v, covariance[arm])
    return plays


def best_of(repeats: int, *actions: Callable[[], object]) -> list[float]:
    """The smallest time of each action. The actions take turns, so that all run under the same load."""
    times = [[] for _ in actions]
    for _ in range(repeats):
        for action, seen in zip(actions, times, strict=True):
            begin = time.perf_counter()
            action()
            seen.append(time.perf_counter() - begin)
    return [min(seen) for seen in times]


def index_policy(name: str, T: int, C: float, repeats: int) -> dict[str, float]:
    problem = f1()
    policy = make_policy(name, problem, C, T)
    noise_rng = np.random.default_rng(np.random.SeedSequence(0).spawn(3)[1])
    noise = problem.noise_std * noise_rng.standard_normal(T)

    def factor(t: int) -> float:
        return policy.beta(t, 0.0, 1.0) + policy.enlargement

    def ours():
        return simulate(problem, policy, NoAttack(), budget=0, horizon=T, seed=0)

    run = ours()  # compiles
    plays = plain_numpy_loop(problem, factor, noise)
    assert np.array_equal(np.repeat(run.arms, run.repeats), plays), "the two loops made different plays"
    slow, fast = best_of(repeats, lambda: plain_numpy_loop(problem, factor, noise), ours)
    return {"baseline_s": slow, "ours_s": fast, "ratio": slow / fast, "switches": run.switches}


def certified(T: int, repeats: int) -> dict[str, float]:
    """Influence-UCB (both posteriors, exact widths in every round) against RGP-UCB, C = 50."""
    problem = f1()
    policies = [make_policy(name, problem, 50.0, T) for name in ("rgp-ucb", "influence-ucb")]
    runs = [lambda p=p: simulate(problem, p, NoAttack(), budget=0, horizon=T, seed=0) for p in policies]
    for run in runs:
        run()  # compiles
    rgp, influence = best_of(repeats, *runs)
    return {"rgp_ucb_s": rgp, "influence_ucb_s": influence, "ratio": influence / rgp}


def audits(repeats: int) -> dict[str, float]:
    """10,000 rows of 50 options; and, once, 5,000 rows of 5,000 options."""
    rng = np.random.default_rng(0)
    few, many = rng.uniform(0, 1, (50, 2)), rng.uniform(0, 1, (5000, 3))
    seconds = []
    for x, times in ((few[rng.integers(0, 50, 10_000)], repeats), (many, 1)):
        y = np.sin(4 * x[:, 0]) + x[:, 1] + 0.1 * rng.standard_normal(len(x))
        seconds += best_of(times, lambda x=x, y=y: audit(x, y))
    return {"rows_10000_options_50_s": seconds[0], "options_5000_s": seconds[1]}


def billion_plays(repeats: int) -> dict[str, float]:
    """RGP-PE for 10^9 plays: with the usual budget, and with one so large that nothing is eliminated."""
    problem = f1()
    usual = make_policy("rgp-pe", problem, 50.0, 10**9)
    hardest = make_policy("rgp-pe", problem, 1e12, 10**9)
    seconds = best_of(
        repeats,
        lambda: simulate(problem, usual, TopK(5), budget=50.0, horizon=10**9, seed=0),
        lambda: simulate(problem, hardest, TopK(5), budget=50.0, horizon=10**9, seed=0),
    )
    return {"usual_s": seconds[0], "nothing_eliminated_s": seconds[1]}


def growth(repeats: int) -> dict[str, list[float]]:
    """Time of a design for several lengths, and of a posterior for several numbers of plays."""
    rng = np.random.default_rng(0)
    K = f1().kernel(X := rng.uniform(-5, 5, (100, 2)), X)
    lengths = [10**6, 10**9, 10**12]
    designs = best_of(repeats, *(lambda n=n: rare_switching_design(K, 1.0, 2.0, n) for n in lengths))
    posteriors = best_of(repeats, *(lambda n=n: Posterior.fit(K, np.ones(100), np.full(100, n), 1.0) for n in lengths))
    return {"length": lengths, "design_s": designs, "posterior_s": posteriors}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--horizon", type=int, default=50_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "horizon": options.horizon,
        "gp-ucb": index_policy("gp-ucb", options.horizon, 50.0, options.repeats),
        "rgp-ucb, C = 50": index_policy("rgp-ucb", options.horizon, 50.0, options.repeats),
        "rgp-ucb, C = 100": index_policy("rgp-ucb", options.horizon, 100.0, options.repeats),
        "influence-ucb": certified(options.horizon, options.repeats),
        "audit": audits(options.repeats),
        "rgp-pe, 10^9 plays": billion_plays(options.repeats),
        "growth": growth(options.repeats),
    }
    if options.json:
        print(json.dumps(results, indent=1))
        return
    console = Console()
    table = Table(title=f"index policies, f1, 100 arms, T = {options.horizon:,}", title_justify="left")
    for column in ("policy", "plain NumPy", "compiled", "ratio", "switches"):
        table.add_column(column, justify="left" if column == "policy" else "right")
    for name in ("gp-ucb", "rgp-ucb, C = 50", "rgp-ucb, C = 100"):
        row = results[name]
        table.add_row(
            name,
            f"{row['baseline_s'] * 1e3:,.0f} ms",
            f"{row['ours_s'] * 1e3:,.1f} ms",
            f"{row['ratio']:.0f}x",
            f"{row['switches']:,}",
        )
    console.print(table)
    both = results["influence-ucb"]
    console.print(f"influence-ucb: {both['influence_ucb_s'] * 1e3:.0f} ms, {both['ratio']:.1f} times an RGP-UCB run")
    checked = results["audit"]
    console.print(
        f"audit: {checked['rows_10000_options_50_s']:.2f} s for 10,000 rows of 50 options, "
        f"{checked['options_5000_s']:.1f} s for 5,000 options"
    )
    phased = results["rgp-pe, 10^9 plays"]
    console.print(
        f"rgp-pe, 10^9 plays: {phased['usual_s'] * 1e3:.0f} ms; "
        f"with nothing ever eliminated {phased['nothing_eliminated_s'] * 1e3:.0f} ms"
    )
    for l_h, design, fit in zip(*results["growth"].values(), strict=True):
        console.print(f"length {l_h:.0e}: design {design * 1e3:.1f} ms, posterior {fit * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
