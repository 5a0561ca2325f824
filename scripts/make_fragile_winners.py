"""The tables and the picture of docs/fragile-winners.md: how few forged runs overturn the winners of published tables.

    .venv-peers/bin/python scripts/make_fragile_winners.py         # a few minutes: the page and the picture
    .venv-peers/bin/python scripts/make_fragile_winners.py --cost  # CPU seconds of audits, by the number of options

Each block of the page between <!-- name --> and <!-- end --> is written anew; the rest of the page stays as it is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import process_time

import numpy as np
from fragile_winners import Found, audited, best_first, examined, without_copies
from matplotlib.figure import Figure

from unswayed import UnswayedError
from unswayed.audits.audit import audit_points
from unswayed.audits.verdict import verdict
from unswayed.plots.style import BAD, KEPT, NEUTRAL, light, save
from unswayed.storage import write_atomically
from unswayed_gauntlet.problems.recorded_runs import HPO, LAB, RecordedRuns, hpo_runs, lab_runs

DOCS = Path(__file__).parent.parent / "docs"


def short(text: str, limit: int = 90) -> str:
    """The first sentence of a verdict, without the parameters of options."""
    text = re.sub(r" \([^)]*=[^)]*\)", "", text)
    text = re.split(r"[.;] ", text)[0].rstrip(".")
    return text if len(text) <= limit else f"{text[:limit].rsplit(' ', 1)[0].rstrip(',')} ..."


def markdown(head: str, rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """A table; columns whose title begins with a number sign are aligned to the right."""
    titles = [title.strip() for title in head.split("|")]
    yield "| " + " | ".join(title.removeprefix("#") for title in titles) + " |"
    yield "|" + "|".join("---:" if title.startswith("#") else "---" for title in titles) + "|"
    for row in rows:
        yield "| " + " | ".join(str(cell) for cell in row) + " |"


def ratio(amount: float, unit: float | None) -> str:
    """An amount in some unit with two digits after the point."""
    return "?" if not unit else f"{amount / unit:.2f}"


def hpo_table(found: dict[str, Found]) -> Iterator[str]:
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
        "table | metric | #configurations | #runs of each | #mean of the winner | #noise of a run | #lead "
        "| #lead, in noise of a mean | #budget, in noise of a run | #forged runs | #forged between "
        "| #could be first (the worst)"
    )
    return markdown(head, map(row, found, found.values()))


def settings(runs: RecordedRuns, option: int) -> str:
    return ", ".join(f"{value:.3g}" if isinstance(value, float) else str(value) for value in runs.points[option])


def winners_table(found: dict[str, Found]) -> Iterator[str]:
    def side(runs: RecordedRuns, option: int) -> str:
        values = ", ".join(f"{value:.4g}" for value in np.sort(runs.values[runs.option == option]))
        return f"#{option}: {settings(runs, option)}<br>{values}"

    def row(name: str, one: Found) -> list[object]:
        return [f"`{name}`", side(one.runs, one.winner), side(one.runs, one.rival), short(one.verdict)]

    return markdown("table | winner, and its runs | rival, and its runs | verdict", map(row, found, found.values()))


def percent(amount: float | None, runs: RecordedRuns) -> str:
    """An amount as a share of the recorded range."""
    return "?" if amount is None else f"{100 * amount / np.ptp(runs.values):.2g}%"


def lab_table(found: dict[str, Found]) -> Iterator[str]:
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
        "data set | metric | #points | #repeated | #noise of a run | #runs of winner and rival | #lead "
        "| #budget, in noise of a run | #forged runs | verdict"
    )
    return markdown(head, map(row, found, found.values()))


def model_table(found: dict[str, Found]) -> Iterator[str]:
    """The same data, where a fitted model says what neighbours have in common."""

    def row(name: str, one: Found) -> list[object]:
        runs, points = one.runs, np.array(one.runs.points, dtype=np.float64)
        fitted = audit_points(points[runs.option], runs.values, minimize=runs.minimize)
        places = points[best_first(runs)]
        place = 1 + int(np.flatnonzero((places == fitted.points[fitted.winner]).all(axis=1))[0])
        noise, said = fitted.assumptions.noise_std, short(verdict(fitted))
        budget = ratio(fitted.breakdown_budget, noise)
        return [f"`{name}`", place, percent(noise, runs), budget, fitted.breakdown_lies, said]

    head = (
        "data set | #place of the model's winner, by recorded means | #noise of a run, fitted "
        "| #budget, in noise of a run | #forged runs | verdict"
    )
    return markdown(head, map(row, found, found.values()))


def pairs(runs: RecordedRuns) -> np.ndarray:
    """The two values of each point that was measured twice."""
    count, order = np.bincount(runs.option), np.argsort(runs.option, kind="stable")
    return runs.values[order][count[runs.option[order]] == 2].reshape(-1, 2)


def hplc_table(runs: RecordedRuns) -> Iterator[str]:
    both = pairs(runs)
    apart, zeros = np.abs(both[:, 0] - both[:, 1]) / np.ptp(runs.values), (both == 0).sum(axis=1)
    shares = [("half of the pairs", 0.5), ("nine pairs in ten", 0.9), ("all pairs", 1.0)]
    rows = [(f"{who} differ by at most", f"{100 * np.quantile(apart, q):.2g}% of the range") for who, q in shares]
    rows += [(f"pairs that differ by more than {p}% of the range", str((apart > p / 100).sum())) for p in (5, 10, 25)]
    rows += [("pairs of which one value is 0", str((zeros == 1).sum())), ("pairs of zeros", str((zeros == 2).sum()))]
    return markdown(f"{len(both)} points measured twice | #", rows)


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


def summary(found: dict[str, Found], labs: dict[str, Found]) -> Iterator[str]:
    """What the tables say, counted."""
    untied, tied = ({n: one for n, one in found.items() if bool(one.tied) == is_tied} for is_tied in (False, True))
    shares = ", ".join(f"{one.tied + 1} in `{name}`" for name, one in tied.items())
    one_run = sum(one.lies == 1 for one in untied.values())
    yield f"- {len(tied)} of {len(found)} tables have no winner: several configurations share the best mean ({shares})."
    yield f"- {len(untied)} tables have a winner. One forged run overturns {one_run} of these."
    in_noise = [ratio(one.budget, one.noise) for one in untied.values()]
    small = sum(float(number) <= 1 for number in in_noise)
    yield f"- In {small} of them it is enough to change one run by at most the noise of a run."
    yield f"- In all of them {max(in_noise, key=float)} times that noise is enough."
    between = [one.between for one in untied.values()]
    yield f"- In {between.count(1)} of them the forged value can lie between recorded runs of the two best ones."
    yield f"- In the others {max(between)} such values are enough."
    few = sum(one.lies == 1 for one in labs.values())
    once = sum(np.bincount(one.runs.option)[one.winner] == 1 for one in labs.values())
    yield f"- One forged run overturns {few} of {len(labs)} winners of laboratories. {once} of them were measured once."


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


def written(page: str, blocks: dict[str, Iterable[str]]) -> str:
    """The page with these blocks."""
    for name, lines in blocks.items():
        text = "\n".join(lines)
        start, end = f"<!-- {name} -->\n", "<!-- end -->"
        before, _, after = page.partition(start)
        assert end in after, name
        page = f"{before}{start}\n{text}\n\n{after[after.index(end) :]}"
    return page


def main() -> int:
    if "--cost" in sys.argv[1:]:
        for line in cost():
            print(line, flush=True)
        return 0
    found = {name: examined(hpo_runs(name)) for name in HPO}
    labs = {name: examined(without_copies(lab_runs(name)), best=None) for name in LAB}
    hplc_picture(lab_runs("hplc"), DOCS / "hplc-twice.png")
    blocks = {
        "summary": summary(found, labs),
        "tables": hpo_table(found),
        "winners": winners_table(found),
        "laboratories": lab_table(labs),
        "models": model_table(labs),
        "hplc": hplc_table(lab_runs("hplc")),
    }
    path = DOCS / "fragile-winners.md"
    write_atomically(path, written(path.read_text(encoding="utf-8"), blocks).encode())
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UnswayedError as error:
        sys.exit(f"make_fragile_winners.py: {error}")
