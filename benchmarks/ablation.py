"""What each rule of the schedule is worth: the same games with the rule and without it.

    PYTHONPATH=src:gauntlet/src python benchmarks/ablation.py [--rules NAME ...] [--seeds 6] [--json FILE]

Every rule is switched off by a field of `Schedule`, in games in which it can matter; `from the start` gives doubt its
full worth early on; `fill_hole, flat` is that rule on functions that are flat nearly everywhere. Both variants of a
game have the same seed, noise and lies. A run is lost if the gap of the recommended point, as a share of the range of
the values, is above 10%. `more gap` is the mean of the gap without the rule less that with it, in points of the range,
with a 95% interval over games: above 0 the rule helps.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import families
import numpy as np
import plateaus

from unswayed import Play, Status, Threat
from unswayed.core.data.threads import one_thread
from unswayed.judgement.assumptions import Given
from unswayed.search.conclude import answer
from unswayed.search.doubt import doubt_from_the_start
from unswayed.search.modes import begin, step
from unswayed.search.schedule import SCHEDULE, Rule, Schedule, propose
from unswayed.search.task import Task, Told
from unswayed.spaces import Point, Space
from unswayed_gauntlet.game import MatchGame
from unswayed_gauntlet.problems import problem

LOST = 0.1  # of the range
BOXES = ("branin-2", "hartmann-6", "levy-10", "mixed-5")
LISTS = ("f1", "ab-12", "ab-40")
LONG = ("branin-2", "hartmann-6")
FLAT = plateaus.problems()


class Match(NamedTuple):
    """A game that a rule is tried in; without a corruption it is a problem of families.py or plateaus.py."""

    problem: str
    corruption: str
    plays: int

    def gap(self, schedule: Schedule, seed: int) -> float:
        """The gap of what is recommended at the end, as a share of the range."""
        if not self.corruption:
            known = FLAT.get(self.problem) or families.problems()[self.problem]
            noise = (0.0 if self.problem in FLAT else families.NOISE) * np.random.default_rng(
                [seed, 7]
            ).standard_normal(self.plays)
            values = iter(noise.tolist())
            point = played(known.space, None, self.plays, seed, schedule, lambda p: known.value(p) + next(values), None)
            return known.best - known.value(point)
        made = MatchGame(problem(self.problem), self.corruption, self.plays, seed)
        space, threat = made.problem.space, made.threat
        return made.problem.gap(played(space, threat, self.plays, seed, schedule, made.measure, lambda: made.source))


def played(
    space: Space,
    threat: Threat | None,
    plays: int,
    seed: int,
    schedule: Schedule,
    measure: Callable[[Point], float],
    source: Callable[[], str | None] | None,
) -> Point:
    """What a search with this schedule recommends after some plays."""
    task = Task(space, Given(threat=threat), seed, plays, "guided", plays)
    mode, log = begin(task), list[Play]()
    for number in range(plays):
        who = source and source()
        row, why, _ = propose(mode, number, np.empty((0, space.columns)), who, schedule)
        [point] = space.decode(row[None])
        value = measure(point)
        log.append(Play(number, point, Status.TOLD, value, source=who, why=why))
        mode = step(mode, Told(space.encode([point])[0], task.given.threat_or_nothing.clipped(value), who, why=why))
    return answer(mode, log).point


def games(names: tuple[str, ...], corruptions: tuple[str, ...], plays: int) -> tuple[Match, ...]:
    """Every problem with every corruption."""
    return tuple(Match(name, corruption, plays) for corruption in corruptions for name in names)


def without(rule: str) -> Schedule:
    """The schedule without the rule of this name."""
    rules = tuple(one for one in SCHEDULE.rules if _name(one) != rule)
    return Schedule(rules, {one: quota for one, quota in SCHEDULE.quotas.items() if _name(one) != rule})


def _name(rule: Rule) -> str:
    return str(getattr(rule, "__name__", rule))


HONEST = ("none",)
ATTACKED = ("promote", "hide", "worker")
BELIEVING = tuple(doubt_from_the_start if _name(rule) == "measure_again" else rule for rule in SCHEDULE.rules)
TRIED: Mapping[str, tuple[Schedule, tuple[Match, ...]]] = {
    "measure_again": (without("measure_again"), games(BOXES, ATTACKED, 60)),
    "from the start": (replace(SCHEDULE, rules=BELIEVING), games(BOXES, ATTACKED, 60)),
    "repeat_leader": (without("repeat_leader"), games(LISTS, (*HONEST, "promote"), 100)),
    "closest_rival": (without("closest_rival"), games(LISTS, (*HONEST, "promote"), 100)),
    "fill_hole": (without("fill_hole"), games(BOXES, (*HONEST, *ATTACKED), 60)),
    "fill_hole, flat": (without("fill_hole"), games(tuple(FLAT), ("",), 40)),
    "repeat_challenger": (without("repeat_challenger"), games(BOXES, ("none", *ATTACKED), 60)),
    "family_turn": (without("family_turn"), games(("models", "complex", "simple"), ("",), 60)),
    "propose_restart": (without("propose_restart"), games(LONG, (*HONEST, "promote"), 400)),
}
COLUMNS = ("rule", "plays", "games", "lost with", "lost without", "median gap with", "without", "more gap", "95%")


@cache
def with_all(match: Match, seed: int) -> float:
    """The gap with all rules."""
    return match.gap(SCHEDULE, seed)


def rows(rules: list[str], seeds: int) -> Iterator[list[Any]]:
    """A row of the table for each rule."""
    for rule in rules:
        schedule, matches = TRIED[rule]
        runs = [(match, seed) for seed in range(seeds) for match in matches]
        full = np.array([with_all(match, seed) for match, seed in runs])
        less = np.array([match.gap(schedule, seed) for match, seed in runs])
        more = 100 * (less - full)
        half = 1.96 * more.std(ddof=1) / np.sqrt(len(more)) if len(more) > 1 else np.inf
        lost = [int((gaps > LOST).sum()) for gaps in (full, less)]
        medians = [f"{100 * np.median(gaps):.2f}%" for gaps in (full, less)]
        yield [rule, matches[0].plays, len(runs), *lost, *medians, f"{more.mean():+.2f}", f"± {half:.2f}"]


def main() -> None:
    """Print a line for each rule, and write them to a file if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", nargs="+", choices=list(TRIED), default=list(TRIED))
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--json", type=Path, help="also write the table to this file")
    given = parser.parse_args()
    found = []
    with one_thread():
        print(" | ".join(COLUMNS))
        for row in rows(given.rules, given.seeds):
            found.append(row)
            print(" | ".join(map(str, row)), flush=True)
    if given.json is not None:
        table = {"columns": COLUMNS, "rows": found}
        command = f"python benchmarks/ablation.py --seeds {given.seeds}"
        given.json.write_text(json.dumps({"command": command, "tables": {"rules": table}}, indent=1) + "\n")


if __name__ == "__main__":
    main()
