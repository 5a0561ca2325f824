"""The results and the picture of docs/evidence/fragile-winners.md: how few forged runs overturn published winners.

.venv-peers/bin/python scripts/make_fragile_winners.py         # a few minutes: the results and the picture
.venv-peers/bin/python scripts/make_fragile_winners.py --cost  # CPU seconds of audits, by the number of options
python scripts/write_evidence.py                               # then: the tables of the page
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import process_time

import numpy as np
from evidence import store
from fragile_winners import Found, audited, examined, without_copies
from matplotlib.figure import Figure

from unswayed import UnswayedError
from unswayed.audits.audit import audit_points
from unswayed.plots.style import BAD, KEPT, NEUTRAL, light, save
from unswayed_gauntlet.problems.recorded_runs import HPO, LAB, RecordedRuns, hpo_runs, lab_runs

Table = tuple[list[str], list[list[str]]]  # columns, rows
DOCS = Path(__file__).parent.parent / "docs"


def short(text: str, limit: int = 90) -> str:
    """The first sentence of a verdict, without the parameters of options."""
    text = re.sub(r" \([^)]*=[^)]*\)", "", text)
    text = re.split(r"[.;] ", text)[0].rstrip(".")
    return text if len(text) <= limit else f"{text[:limit].rsplit(' ', 1)[0].rstrip(',')} ..."


def tabled(head: str, rows: Iterable[Iterable[object]]) -> Table:
    """Columns, and rows of text."""
    return [title.strip() for title in head.split("|")], [[str(cell) for cell in row] for row in rows]


def ratio(amount: float, unit: float | None) -> str:
    """An amount in some unit with two digits after the point."""
    return "?" if not unit else f"{amount / unit:.2f}"


def hpo_table(found: dict[str, Found]) -> Table:
    def row(name: str, one: Found) -> list[object]:
        runs, count = one.runs, np.bincount(one.runs.option)
        assert one.noise is not None
        return [
            f"`{name}`",
            runs.metric,
            f"{len(runs.points):,}",
            " or ".join(str(number) for number in np.unique(count)),
            f"{runs.means[one.winner]:.4g}",
            f"{one.noise:.2g}",
            f"{one.lead:.2g}",
            ratio(one.lead, one.noise / np.sqrt(count[one.winner])),
            ratio(one.budget, one.noise),
            one.lies,
            one.between,
            f"{one.firsts:,} ({one.worst:.4g})",
        ]

    head = (
        "table | metric | configurations | runs of each | mean of the winner | noise of a run | lead "
        "| lead, in noise of a mean | budget, in noise of a run | forged runs | forged between "
        "| could be first (the worst)"
    )
    return tabled(head, map(row, found, found.values()))


def percent(amount: float | None, runs: RecordedRuns) -> str:
    """An amount as a share of the recorded range."""
    return "?" if amount is None else f"{100 * amount / np.ptp(runs.values):.2g}%"


def lab_table(found: dict[str, Found]) -> Table:
    def row(name: str, one: Found) -> list[object]:
        runs, count = one.runs, np.bincount(one.runs.option)
        return [
            f"`{name}`",
            runs.metric,
            f"{len(runs.points):,}",
            int((count > 1).sum()),
            percent(one.noise, runs),
            f"{count[one.winner]} and {count[one.rival]}",
            percent(one.lead, runs),
            ratio(one.budget, one.noise),
            one.lies,
            short(one.verdict),
        ]

    head = (
        "data set | metric | points | repeated | noise of a run | runs of winner and rival | lead "
        "| budget, in noise of a run | forged runs | verdict"
    )
    return tabled(head, map(row, found, found.values()))


def pairs(runs: RecordedRuns) -> np.ndarray:
    """The two values of each point that was measured twice."""
    count, order = np.bincount(runs.option), np.argsort(runs.option, kind="stable")
    return runs.values[order][count[runs.option[order]] == 2].reshape(-1, 2)


def hplc_table(runs: RecordedRuns) -> Table:
    both = pairs(runs)
    apart, zeros = np.abs(both[:, 0] - both[:, 1]) / np.ptp(runs.values), (both == 0).sum(axis=1)
    shares = [("half of the pairs", 0.5), ("nine pairs in ten", 0.9), ("all pairs", 1.0)]
    rows = [(f"{who} differ by at most", f"{100 * np.quantile(apart, q):.2g}% of the range") for who, q in shares]
    rows += [(f"pairs that differ by more than {p}% of the range", str((apart > p / 100).sum())) for p in (5, 10, 25)]
    rows += [("pairs with one value of 0", str((zeros == 1).sum())), ("pairs of zeros", str((zeros == 2).sum()))]
    return tabled(f"{len(both)} points measured twice | ", rows)


def hplc_picture(runs: RecordedRuns, path: Path) -> None:
    """Both values of each point, and the point of the largest recorded value."""
    both = pairs(runs)
    figure = Figure(figsize=(4.6, 4.4), layout="constrained")
    axes = figure.subplots()
    top = both.max()
    axes.plot([0, top], [0, top], color=NEUTRAL, lw=1, label="equal")
    axes.scatter(*both.T, s=12, color=KEPT, alpha=0.6, lw=0, label=f"{len(both)} points")
    largest = both[np.argmax(both.max(axis=1))]
    axes.scatter(*largest, s=50, facecolor="none", edgecolor=BAD, label="the largest value on record")
    axes.set(xlabel="peak area, first run", ylabel="peak area, second run", aspect="equal")
    axes.legend(frameon=False, loc="upper left")
    light(axes)
    save(figure, path)


def cost() -> Iterator[str]:
    """CPU seconds of audits, by the number of options."""
    runs = hpo_runs("net-slice")
    for size in (1_000, 4_000, 16_000, len(runs.points)):
        start = process_time()
        audited(runs, range(size))
        yield f"labels: {size:,} options, {4 * size:,} runs: {process_time() - start:.2f} s"
    lab = lab_runs("hplc")
    for size in (100, 200, 400, 800, len(lab.values)):
        start = process_time()
        points = np.array(lab.points)[lab.option[:size]]
        audit_points(points, lab.values[:size])
        yield f"model: {size:,} runs: {process_time() - start:.2f} s"


def main() -> int:
    if "--cost" in sys.argv[1:]:
        for line in cost():
            print(line, flush=True)
        return 0
    found = {name: examined(hpo_runs(name)) for name in HPO}
    labs = {name: examined(without_copies(lab_runs(name)), best=None) for name in LAB}
    hplc_picture(lab_runs("hplc"), DOCS / "hplc-twice.png")
    tables = {"tables": hpo_table(found), "laboratories": lab_table(labs), "hplc": hplc_table(lab_runs("hplc"))}
    store("fragile_winners", ".venv-peers/bin/python scripts/make_fragile_winners.py", tables)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UnswayedError as error:
        sys.exit(f"make_fragile_winners.py: {error}")
