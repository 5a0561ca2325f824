"""What audits and studies say of sources, one of which may be noisier than the others, off, or lie.

    python benchmarks/audit_sources.py [audits|studies] [--sets 200] [--seed 0] [--kinds NAME ...]

3 to 8 sources measured a smooth random function of one or two parameters 20 to 200 times: 5 to 15 options, or points
that nearly all differ (40 at most in a study). The noise is 3 to 15% of the range of the function. For each kind of
source 0: how often an honest source is blamed, how often source 0 is (set aside, or off), how often it is called
noisier, how often the winner is within a tenth of the range of the best point that was measured, and how far it is
from that on average.
"""

from __future__ import annotations

import argparse
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

import unswayed
from unswayed.audits.case import AuditCase
from unswayed.audits.measurements import collect
from unswayed.audits.sources import find_sources
from unswayed.core.data.threads import one_thread
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.assumptions import Given
from unswayed.judgement.findings import Source
from unswayed.judgement.span import Span
from unswayed.progress import progress_bar

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
IntArray = np.ndarray[Any, np.dtype[np.int64]]
NOISIER = {"2 times": 2.0, "3 times": 3.0, "5 times": 5.0, "7 times": 7.0}
KINDS = ("honest", *NOISIER, "off", "slightly off", "drifts", "random", "promotes", "hides", "same")
CLOSE = 0.1  # of the range: an answer this close to the best is right


@dataclass(frozen=True, eq=False)
class Told:
    """Measurements of points, their sources, and the true value at each point; the range is 1."""

    points: FloatArray
    y: FloatArray
    source: IntArray
    truth: FloatArray
    options: bool


def told(kind: str, seed: int, *, most: int = 200) -> Told:
    """Measurements, where source 0 is of this kind."""
    rng = np.random.default_rng([zlib.crc32(kind.encode()), seed])
    d, sources, options = int(rng.integers(1, 3)), int(rng.integers(3, 9)), bool(rng.integers(2))
    plays = int(np.exp(rng.uniform(np.log(max(20, 5 * sources)), np.log(most))))
    w, b, a = rng.normal(0, 2.5, (40, d)), rng.uniform(0, 2 * np.pi, 40), rng.normal(size=40)
    points = rng.uniform(size=(int(rng.integers(5, 16)) if options else plays, d))
    option = rng.permutation(np.arange(plays) % len(points))
    f = np.cos(points @ w.T + b) @ a
    f = ((f - f.min()) / np.ptp(f))[option]
    source = rng.permutation(np.arange(plays) % sources)
    noise = float(rng.uniform(0.03, 0.15)) * np.where(source == 0, NOISIER.get(kind, 1.0), 1.0)
    y = f + noise * rng.standard_normal(plays)
    mine = source == 0
    best, worst = f >= np.quantile(f, 0.8), f <= np.quantile(f, 0.3)
    lies = {
        "off": y + 0.3 * rng.choice([-1, 1]),
        "slightly off": y + 0.15 * rng.choice([-1, 1]),
        "drifts": y + 0.6 * np.linspace(0, 1, plays),
        "random": rng.uniform(size=plays),
        "promotes": np.where(worst, 1.2 + noise * rng.standard_normal(plays), y),
        "hides": np.where(best, noise * rng.standard_normal(plays), y),
        "same": np.full(plays, rng.uniform()),
    }
    return Told(points[option], np.where(mine, lies.get(kind, y), y), source, f, options)


def audited(data: Told) -> tuple[tuple[Source, ...], float]:
    """The sources of an audit, and how far the winner is from the best."""
    with one_thread():
        table = collect(data.points, data.y, minimize=False, sources=[f"{s}" for s in data.source])
        case = AuditCase.of(table, Given(), Span.of(data.y, Threat()), minimize=False)
        found = find_sources(case, np.zeros(len(table.names), dtype=np.bool_))
    return found, float(data.truth.max() - data.truth[np.argmax(table.arms == case.winner)])


def studied(data: Told) -> tuple[tuple[Source, ...], float]:
    """The sources of the answer of a study, and how far the nearest point that was measured is from the best."""
    names = [f"x{i}" for i in range(data.points.shape[1])]
    points = [dict(zip(names, row, strict=True)) for row in data.points.tolist()]
    space: Any = unswayed.Box({name: unswayed.Real(0, 1) for name in names})
    if data.options:
        distinct = {tuple(point.values()): point for point in points}
        space = unswayed.Options(list(distinct.values()))
    study = unswayed.Optimizer(space, seed=0)
    told = zip(points, data.y.tolist(), data.source.tolist(), strict=True)
    study.add((point, unswayed.Measurement(value, source=f"{s}")) for point, value, s in told)
    answer = study.answer()
    at = np.array([answer.point[name] for name in names])
    nearest = int(np.argmin(np.square(data.points - at).sum(axis=1)))
    return answer.sources, float(data.truth.max() - data.truth[nearest])


def judged(data: Told, *, study: bool) -> dict[str, float]:
    """What is said, beside the truth."""
    sources, gap = (studied if study else audited)(data)
    blamed = {one.name for one in sources if one.suspicious}
    noisier = {one.name for one in sources if getattr(one, "noise_factor", 1.0) >= 2}
    return {
        "honest blamed": bool(blamed - {"0"}),
        "0 blamed": "0" in blamed,
        "0 noisier": "0" in noisier,
        "others noisier": bool(noisier - {"0"}),
        "right": gap <= CLOSE,
        "gap": gap,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("of", nargs="?", default="audits", choices=["audits", "studies"])
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=list(KINDS))
    chosen = parser.parse_args()
    study = chosen.of == "studies"
    for kind in chosen.kinds:
        said: list[dict[str, float]] = []
        with progress_bar(f"{chosen.of}, {kind}", chosen.sets) as advance:
            for seed in range(chosen.seed, chosen.seed + chosen.sets):
                said.append(judged(told(kind, seed, most=60 if study else 200), study=study))
                advance(1)
        counts = ", ".join(f"{column} {int(sum(one[column] for one in said))}" for column in said[0] if column != "gap")
        print(f"{kind:12} of {len(said)}: {counts}, mean gap {np.mean([one['gap'] for one in said]):.4f}", flush=True)


if __name__ == "__main__":
    main()
