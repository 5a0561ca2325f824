"""How often an audit names a suspicious source: honest ones, and one of eight that is off by 30% of the range.

    python benchmarks/audit_sources.py [--sets 200] [--seed 0]

Random smooth functions of 5 to 15 options with one or two parameters; 4 to 8 sources (8 where one is off) with 5 to 20
measurements each; noise of 5, 10 or 20% of the range of the function. The model is estimated, or given.
"""

from __future__ import annotations

import argparse

import numpy as np

from unswayed import Matern, SquaredExponential, Threat
from unswayed.audits.case import AuditCase
from unswayed.audits.measurements import collect
from unswayed.audits.sources import find_sources
from unswayed.core.data.threads import one_thread
from unswayed.judgement.assumptions import Given
from unswayed.judgement.span import Span
from unswayed.progress import progress_bar

NOISES, OFF = (0.05, 0.1, 0.2), 0.3


def one_set(seed: int, *, liar: bool, given: bool) -> tuple[float, bool, int]:
    """The noise, whether source 0 is suspicious, and how many others are."""
    rng = np.random.default_rng([seed, 99])
    sources = 8 if liar else int(rng.integers(4, 9))
    columns, options = int(rng.integers(1, 3)), int(rng.integers(5, 16))
    points = rng.uniform(size=(options, columns))
    kernel = (Matern(2.5, 0.4), Matern(1.5, 0.3), SquaredExponential(0.3))[rng.integers(3)]
    f = np.linalg.cholesky(kernel(points, points) + 1e-9 * np.eye(options)) @ rng.standard_normal(options)
    each = int(rng.integers(5, 21))
    option = np.append(np.arange(options), rng.integers(options, size=sources * each))[: sources * each]
    rng.shuffle(option)
    source, share = np.repeat(np.arange(sources), each), float(rng.choice(NOISES))
    noise = share * float(np.ptp(f))
    y = f[option] + noise * rng.standard_normal(len(option))
    if liar:
        y[source == 0] += OFF * np.ptp(f)
    stated = Given(kernel=kernel, noise_std=noise, output_scale=1.0, level=0.0) if given else Given()
    with one_thread():
        data = collect(points[option], y, minimize=False, sources=[f"{s}" for s in source])
        case = AuditCase.of(data, stated, Span.of(y, Threat()), minimize=False)
        found = find_sources(case, np.zeros(sources, dtype=np.bool_))
    names = [one.name for one in found if one.suspicious]
    return share, "0" in names, len(set(names) - {"0"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    seeds = range(chosen.seed, chosen.seed + chosen.sets)
    for given in (False, True):
        model = "given" if given else "estimated"
        for liar in (False, True):
            results = []
            with progress_bar(f"model {model}, {'one is off' if liar else 'honest'}", chosen.sets) as advance:
                for seed in seeds:
                    results.append(one_set(seed, liar=liar, given=given))
                    advance(1)
            if not liar:
                named = sum(first or others > 0 for _, first, others in results)
                print(f"model {model}, all honest: a source is named in {named} of {chosen.sets} data sets")
                continue
            for share in NOISES:
                some = [one for one in results if one[0] == share]
                hit, wrong = sum(first for _, first, _ in some), sum(others > 0 for *_, others in some)
                print(
                    f"model {model}, noise {share:.0%}: found in {hit} of {len(some)}; an honest one named in {wrong}"
                )


if __name__ == "__main__":
    main()
