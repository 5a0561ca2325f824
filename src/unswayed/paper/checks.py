"""The rules that decide the paper's claims about outcomes (Section 4.5 and Appendix F) from finished runs.

Words, fixed beforehand: a run *settles* if it recommends a best arm and its mean regret over the last 1,000
rounds is below 0.02; it has *linear regret* if that mean exceeds 0.1; a statement about trials holds if it
does in at least nine of ten. Regrets are *similar* if they are within 25% of each other. An arm is *slightly
suboptimal* if it is next to the best: if its gap is at most f(best) - f(second best).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from unswayed.experiments.instances import instance
from unswayed.experiments.registry import PAPER_ATTACKS, STARTS
from unswayed.paper.grid import ATTACKED, FIGURES, PANELS, ROBUST, Results, line
from unswayed.problems import Problem

Row = dict[str, Any]
LED_ASTRAY = {"f1": ("clipping", "aggsub", "top-3", "top-5"), "robot3d": ("top-3", "top-5")}
NOT_ASTRAY = {problem: tuple(a for a in ATTACKED if a not in led) for problem, led in LED_ASTRAY.items()}
HONEST, FIVE, SIX = (dict.fromkeys(LED_ASTRAY, attacks) for attacks in (("none",), ATTACKED, PAPER_ATTACKS))
SIMILAR_SHARE = 0.25  # regrets that differ by less than this share count as similar


@dataclass(frozen=True)
class Evidence:
    """What was measured: for each part of a claim whether it is true, and the numbers that say so."""

    parts: dict[str, bool]
    numbers: dict[str, float] = field(default_factory=dict)
    note: str = ""

    @property
    def verdict(self) -> str:
        """All parts true, some, or none."""
        if all(self.parts.values()):
            return "holds"
        return "holds partly" if any(self.parts.values()) else "does not hold"


@dataclass(frozen=True)
class Draws:
    """Which instance of each function a claim is checked on, and with how many trials."""

    f1: int | None = None
    robot3d: int | None = None
    trials: int | None = None

    def of(self, problem: str) -> int | None:
        """The draw of one of the two functions."""
        return self.f1 if problem == "f1" else self.robot3d

    def instance(self, problem: str) -> Problem:
        """One of the two functions."""
        return instance(problem, self.of(problem))


Check = Callable[[Results, Draws], Evidence]
Attacks = Mapping[str, tuple[str, ...]]  # by the name of the function
Cell = tuple[int, str, str]  # figure, policy, attack


def mostly(flags: list[bool]) -> bool:
    """At least nine of ten."""
    return bool(flags) and sum(flags) >= 0.9 * len(flags)


def similar(one: float, other: float) -> bool:
    """Within 25% of each other."""
    return abs(one / other - 1) <= SIMILAR_SHARE


@dataclass(frozen=True)
class Lines:
    """Finished runs by figure, policy, attack and start, on the draws of a check."""

    results: Results
    draws: Draws

    def rows(self, figure: int, policy: str, attack: str, start: str = "immediate") -> list[Row]:
        """The trials of one line."""
        horizon = self.results.scale.horizon
        draw = self.draws.of(FIGURES[figure][0])
        experiment = line(figure, policy, attack, start, horizon=horizon, draw=draw)
        return self.results.trials(experiment, self.draws.trials)

    def regret(self, figure: int, policy: str, attack: str, start: str = "immediate") -> float:
        """The mean over trials."""
        return float(np.mean([row["regret"] for row in self.rows(figure, policy, attack, start)]))

    def all_rows(self, figure: int, policies: tuple[str, ...], *, attacked: bool = False) -> list[Row]:
        """All trials of some policies in a figure, or those with an attack."""
        panels = [(policy, start) for policy, start in PANELS if policy in policies]
        cells = [(policy, attack, start) for policy, start in panels for attack in ATTACKED]
        honest = [] if attacked else [(policy, "none", "immediate") for policy in policies]
        return [row for cell in honest + cells for row in self.rows(figure, *cell)]


def cells(figures: Iterable[int], policies: tuple[str, ...], attacks: Attacks) -> Iterator[tuple[str, Cell]]:
    """The parts of a claim: figure, policy and attack of each, by function, budget and attack."""
    for figure in figures:
        for policy in policies:
            for attack in attacks[FIGURES[figure][0]]:
                yield f"{named(figure)}, {attack}", (figure, policy, attack)


def named(figure: int) -> str:
    """The function and the budget of a figure."""
    return "{}, C = {:g}".format(*FIGURES[figure])


def evidence(found: Mapping[str, tuple[bool | np.bool_, float]], note: str) -> Evidence:
    """From what was found for each part; plain values, because they are written to a file."""
    parts = {part: bool(true) for part, (true, _) in found.items()}
    return Evidence(parts, {part: float(number) for part, (_, number) in found.items()}, note)


def outcomes(
    figures: tuple[int, ...], policy: str, attacks: Attacks, outcome: str, results: Results, draws: Draws
) -> Evidence:
    """Parts: function, budget and attack; true if at least nine of ten trials end as claimed."""
    found, notes = {}, []
    for part, cell in cells(figures, (policy,), attacks):
        rows = Lines(results, draws).rows(*cell)
        flags = [row["outcome"] == outcome for row in rows]
        found[part] = mostly(flags), float(np.mean(flags))
        if not mostly(flags):
            notes.append(f"{part}: {_instead(rows)}")
    return evidence(found, f"Numbers: share of trials. {'; '.join(notes)}")


def _instead(rows: list[Row]) -> str:
    """How the trials ended, where they did not end as claimed."""
    ends = ", ".join(f"{n} {outcome}" for outcome, n in Counter(row["outcome"] for row in rows).items())
    spent, regret = (np.mean([row[name] for row in rows]) for name in ("corruption_spent", "regret"))
    return f"{ends}; mean regret {regret:,.0f}, {spent:.3g} of the budget spent"


def resists(
    figures: tuple[int, ...], policies: tuple[str, ...], start: str, results: Results, draws: Draws
) -> Evidence:
    """Parts: policy, function, budget and attack; true if fewer than one trial in ten has linear regret."""
    found = {}
    for part, cell in cells(figures, policies, FIVE):
        rows = Lines(results, draws).rows(*cell, start)
        gap = float(np.mean([row["recommended_gap"] for row in rows]))
        found[f"{cell[1]}, {part}"] = mostly([row["outcome"] != "linear regret" for row in rows]), gap
    lost = {part: gap for part, (true, gap) in found.items() if not true}
    gaps = ", ".join(f"{gap:.3f}" for gap in lost.values())
    return evidence(found, f"Led to another arm: {'; '.join(lost)} (mean gap {gaps})." if lost else "")


def ends_elsewhere(figure: int, policy: str, attacks: Attacks, results: Results, draws: Draws) -> Evidence:
    """Parts: function, budget and attack; true if at least nine of ten trials end on a suboptimal arm."""
    found = {}
    for part, cell in cells((figure,), (policy,), attacks):
        gaps = [row["recommended_gap"] for row in Lines(results, draws).rows(*cell)]
        found[part] = mostly([gap > 0 for gap in gaps]), float(np.mean(gaps))
    return evidence(found, "Numbers: gap of the recommended arm, mean over trials.")


def one_arm_left(figures: tuple[int, ...], start: str, results: Results, draws: Draws) -> Evidence:
    """Parts: function, budget and attack; true if exactly one arm is left after 13 epochs."""
    found = {}
    for part, cell in cells(figures, ("rgp-pe",), SIX if start == "immediate" else FIVE):
        left = [_active_after(row, 13) for row in Lines(results, draws).rows(*cell, start)]
        found[part] = mostly([n == 1 for n in left]), float(np.mean(left))
    return evidence(found, "Numbers: arms left after the 13th epoch, mean over trials.")


def _active_after(row: Row, epochs: int) -> float:
    """Arms left after this many epochs; NaN if there were fewer."""
    begun: list[int] = row["epoch_active"]
    if len(begun) > epochs:
        return begun[epochs]
    return row["active_arms"] if row["epochs"] == epochs else np.nan


def ucb_below_pe(results: Results, draws: Draws) -> Evidence:
    """Parts: function, budget and attack; true if the mean regret of RGP-UCB is the smaller one."""
    found = {}
    for part, (figure, _, attack) in cells(FIGURES, ("rgp-ucb",), SIX):
        ucb, pe = (Lines(results, draws).regret(figure, policy, attack) for policy in ROBUST)
        found[part] = ucb < pe, ucb / pe
    return evidence(found, "Numbers: regret of RGP-UCB over that of RGP-PE.")


def later_is_similar(figures: tuple[int, ...], results: Results, draws: Draws) -> Evidence:
    """Parts: policy, function, budget and attack; true if the mean regrets are similar."""
    found = {}
    for part, cell in cells(figures, ROBUST, FIVE):
        late, soon = (Lines(results, draws).regret(*cell, start) for start in ("later", "immediate"))
        found[f"{cell[1]}, {part}"] = similar(late, soon), late / soon
    return evidence(found, "Numbers: regret under the later attack over that under the immediate one.")


def later_exceptions(figures: tuple[int, ...], results: Results, draws: Draws) -> Evidence:
    """Parts: function and budget; true if at most two trials of RGP-PE end on another arm."""
    found = {}
    for figure in figures:
        rows = [row for a in ATTACKED for row in Lines(results, draws).rows(figure, "rgp-pe", a, "later")]
        count = sum(row["recommended_gap"] > 0 for row in rows)
        found[named(figure)] = count <= 2, float(count)
    note = "Numbers: trials of RGP-PE that end on another arm. The paper counts two (Robot3D, C = 100, Top-5)."
    return evidence(found, note)


def slightly_suboptimal(results: Results, draws: Draws) -> Evidence:
    """Parts: function, budget and start with trials of RGP-PE that end on another arm; true if all end next to
    the best.
    """
    found, notes = {}, []
    for figure, start in product(FIGURES, STARTS):
        rows = [row for a in ATTACKED for row in Lines(results, draws).rows(figure, "rgp-pe", a, start)]
        if gaps := [row["recommended_gap"] for row in rows if row["recommended_gap"] > 0]:
            problem = draws.instance(FIGURES[figure][0])
            part = f"{named(figure)}, {start}"
            largest = max(gaps)
            found[part] = largest <= np.sort(problem.gaps)[1], largest
            share = largest / np.ptp(problem.f)
            notes.append(f"{part}: {len(gaps)} trials, the largest gap is {share:.1%} of the range of f")
    if not found:
        return Evidence({"no trial ends on another arm": True}, note="There is nothing to measure.")
    return evidence(
        found, f"Numbers: largest gap. {'; '.join(notes)}. In all other panels no trial ends on another arm."
    )


def top_3_is_top_5(results: Results, draws: Draws) -> Evidence:
    """True if the two mean curves of GP-UCB never differ by more than 2% of the final regret."""
    lines = Lines(results, draws)
    three, five = (np.mean([row["curve"] for row in lines.rows(5, "gp-ucb", f"top-{k}")], axis=0) for k in (3, 5))
    apart = float(np.max(np.abs(three - five)) / max(three[-1], five[-1]))
    return Evidence(
        {"f1, C = 100": apart <= 0.02},
        {"largest distance of the mean curves, relative to the final regret": apart},
        "Both lead GP-UCB to another arm at once; the curves drift apart by the difference of the values of "
        "these two arms, which depends on the draw.",
    )


def most_effective(results: Results, draws: Draws) -> Evidence:
    """True if Top-3 and Top-5 cause the two largest mean regrets."""
    regret = {attack: Lines(results, draws).regret(4, "gp-ucb", attack) for attack in ATTACKED}
    top = sorted(regret, key=lambda a: -regret[a])[:2]
    return Evidence({"robot3d, C = 100": set(top) == {"top-3", "top-5"}}, regret)
