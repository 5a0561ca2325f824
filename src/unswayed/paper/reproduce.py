"""Run the experiments of the paper; from the finished runs make figures, claims and the page."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, replace
from functools import partial
from itertools import product
from typing import Any

from matplotlib.figure import Figure

from unswayed.errors import InvalidInput
from unswayed.experiments.experiment import Trial
from unswayed.experiments.instances import instance
from unswayed.experiments.store import RunFolder
from unswayed.experiments.sweep import Report, sweep
from unswayed.pages.render import Picture, Table
from unswayed.paper import beyond, certified, figures, grid
from unswayed.paper.checks import Draws, Evidence, named
from unswayed.paper.claims import CLAIMS, decide
from unswayed.paper.report import DecidedClaim, page
from unswayed.plots.style import encoded, save
from unswayed.storage import write_atomically

BARS = "bars of one standard deviation"
GUARANTEES = "Influence-UCB and influence-PE with their guarantees (true B, delta = 0.05, the full C)"
NAMES = tuple(f"figure-{n}" for n in range(1, 7))


def trials_for(scale: grid.Scale, only: Sequence[str] = ()) -> list[Trial]:
    """The runs that the wanted figures need; by default all of the paper's, and with `beyond` the others."""
    for name in only:
        if name not in NAMES:
            raise InvalidInput(f"unknown figure {name!r}: choose one of {', '.join(NAMES)}")
    wanted = {4 if name == "figure-1" else int(name[-1]) for name in only or NAMES}
    lines = [experiment for n in grid.FIGURES if n in wanted for experiment in grid.figure_lines(n, scale.horizon)]
    if not only:
        beside = product(grid.SIDES, grid.PROBLEMS)
        lines += [experiment for chosen in beside for experiment in grid.side_lines(*chosen, scale.horizon)]
    trials = [trial for experiment in lines for trial in experiment.trials(scale.trials)]
    if scale.beyond and not only:
        more = [*beyond.experiments(scale.horizon), *certified.experiments(scale.horizon)]
        trials += grid.other_draw_trials(scale) + [trial for e in more for trial in e.trials(beyond.TRIALS)]
    return list(dict.fromkeys(trials))


def complete(
    folder: RunFolder, trials: list[Trial], about: grid.About, executor: Executor, *, report: Report, patience: float
) -> grid.About:
    """Run what `folder` does not have yet, and say in it how that went."""
    keys = [trial.fingerprint() for trial in trials]
    known, described = folder.about()
    spent = described.get("seconds") if known == keys else None  # by an earlier call for the same runs
    before = spent if isinstance(spent, float) else 0.0
    folder.describe(keys, asdict(replace(about, seconds=before)))
    begun = time.monotonic()
    failures = sweep(trials, folder, executor, report=report, patience=patience)
    seconds = round(time.monotonic() - begun + before, 1)
    about = replace(about, seconds=seconds, failures=tuple(map(str, failures)))
    folder.describe(keys, asdict(about))
    if not failures:
        folder.finish(folder.read(keys))
    return about


def render(folder: RunFolder, about: grid.About, only: Sequence[str] = ()) -> list[DecidedClaim]:
    """Draw what the finished runs allow, decide the claims, and write the page. Runs nothing."""
    results = grid.Results(folder.read(folder.about()[0]), about.scale)
    pictures = [
        Picture(title, caption, _draw(folder, name, figure()))
        for name, title, caption, figure in _figures(results)
        if (not only or name in only) and _ready(results, name)
    ]
    tables: list[Table] = []
    if about.scale.beyond:
        more, tables = _beyond(folder, results)
        pictures += more
    entries = _decide(results)
    claims = json.dumps([_plain(entry) for entry in entries], indent=1, allow_nan=False)
    write_atomically(folder.path / "claims.json", claims.encode())
    write_atomically(folder.path / "report.html", page(about, pictures, entries, tables).encode())
    return entries


def _beyond(folder: RunFolder, results: grid.Results) -> tuple[list[Picture], list[Table]]:
    """The sections that go beyond the paper, as far as their runs are finished."""
    pictures, tables = [], []
    if all(results.has(e, beyond.TRIALS) for e in certified.experiments(results.scale.horizon)):
        for n, (problem, budget) in grid.FIGURES.items():
            drawn = _draw(folder, f"figure-{n}-certified", certified.panels(results, n))
            title = f"Certified policies: {problem}, C = {budget:g}"
            caption = f"{GUARANTEES}, in the setting of Figure {n}; mean of {beyond.TRIALS} trials, {BARS}."
            pictures.append(Picture(title, caption, drawn))
        tables += [certified.price_table(results), certified.guard_table(results)]
    if all(results.has(e, beyond.TRIALS) for e in beyond.experiments(results.scale.horizon)):
        tables.append(beyond.appendix_e_table(results))
        for what, section in {
            "budget": beyond.against_budget_section,
            "horizon": beyond.against_horizon_section,
        }.items():
            figure, table = section(results)
            drawn = _draw(folder, f"regret-against-{what}", figure)
            pictures.append(Picture(table.title, table.text, drawn))
            tables.append(table)
        tables.append(beyond.sensitivity_table(results))
    return pictures, tables


def _figures(results: grid.Results) -> Iterator[tuple[str, str, str, Callable[[], Figure]]]:
    """Name, title, caption and maker of each figure of the paper."""
    sized = f"mean of {results.scale.trials} trials, {BARS}"
    robot = f"GP-UCB and RGP-PE, C = 100, no attack and the two most effective ones; {sized}."
    surface = "The synthetic function as a surface and as a map (draw 10)."
    yield "figure-1", "Figure 1: Robot3D", robot, lambda: figures.figure_1(results)
    yield "figure-2", "Figure 2: f1", surface, lambda: figures.figure_2(instance("f1"))
    for n, (problem, budget) in grid.FIGURES.items():
        caption = f"Cumulative regret on {problem} with C = {budget:g}; {sized}."
        panels = partial(figures.regret_panels, results, n)
        yield f"figure-{n}", f"Figure {n}: {problem}, C = {budget:g}", caption, panels


def _ready(results: grid.Results, name: str) -> bool:
    """Whether all runs of a figure are finished."""
    number = {"figure-1": 4, "figure-2": None}.get(name, int(name[-1]))
    return number is None or all(map(results.has, grid.figure_lines(number, results.scale.horizon)))


def _draw(folder: RunFolder, name: str, figure: Figure) -> bytes:
    """Write a figure as PNG and PDF; the PNG is returned for the page."""
    save(figure, folder.path / f"{name}.pdf")
    figure.set_layout_engine("none")  # the places are found: keep them
    png = encoded(figure)
    write_atomically(folder.path / f"{name}.png", png)
    return png


def _decide(results: grid.Results) -> list[DecidedClaim]:
    pairs = zip(*map(grid.other_draws, grid.PROBLEMS), strict=True) if results.scale.beyond else ()
    draws = [Draws(a, b, grid.OTHER_TRIALS) for a, b in pairs]
    alone = next(claim for claim in CLAIMS if claim.name == "gp-ucb-alone")
    as_ours = [e is not None and e.parts[f"{named(3)}, none"] for e in (decide(alone, results, d) for d in draws)]
    entries = []
    for claim in CLAIMS:
        if (evidence := decide(claim, results)) is None:
            continue
        others = [(e, chosen) for d, chosen in zip(draws, as_ours, strict=True) if (e := decide(claim, results, d))]
        entries.append(DecidedClaim(claim, evidence, other_draws_in_words(others)))
    return entries


def other_draws_in_words(others: Sequence[tuple[Evidence, bool]]) -> str:
    """How a claim fares on other draws; those of f1 apart on which unattacked GP-UCB settles, as it does on ours."""
    if not others:
        return ""

    def share(found: list[Evidence], about: str = "") -> str:
        parts = [true for e in found for part, true in e.parts.items() if about in part]
        return f"{sum(parts) / len(parts):.0%}" if parts else ""

    found = [e for e, _ in others]
    wholly = sum(e.verdict == "holds" for e in found)
    text = f"On {len(others)} other draws, {grid.OTHER_TRIALS} trials each: holds on {wholly}; "
    text += f"{share(found)} of all parts."
    alike, unlike = ([e for e, chosen in others if chosen is wanted] for wanted in (True, False))
    if share(alike, "f1") and share(unlike, "f1"):
        text += (
            f" Of the parts about f1: {share(alike, 'f1')} on the {len(alike)} draws on which GP-UCB settles without "
        )
        text += f"an attack, as on ours; {share(unlike, 'f1')} on the {len(unlike)} others."
    return text


def _plain(entry: DecidedClaim) -> dict[str, Any]:
    claim, numbers = entry.claim, entry.evidence.numbers
    return {
        **{name: getattr(claim, name) for name in ("name", "section", "sentence", "rule")},
        "verdict": entry.evidence.verdict,
        **asdict(entry.evidence),
        "numbers": {part: value if math.isfinite(value) else None for part, value in numbers.items()},
        "other_draws": entry.elsewhere,
        "choice_of_draw": claim.choice,
    }
