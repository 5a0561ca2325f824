"""The numbers of the gauntlet: who played what, which games can be compared, and how each optimiser did.

game         a problem, a corruption, a number of plays and a seed
run          one optimiser in one game
comparison   some optimisers over the games that all of them have played

The page, the table in Markdown and the scoreboard of the terminal show these numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t as student

from unswayed.errors import InvalidInput
from unswayed.text import printable

LOST = 0.1  # share of the range: a run with a larger gap is lost
HONEST = "none"  # the corruption that changes nothing
USUAL = "tpe"  # the reference for gaps and times, if it has played
Z = 1.959963984540054  # 97.5% of a standard normal distribution


class GameId(NamedTuple):
    """What was played."""

    problem: str
    corruption: str
    plays: int
    seed: int


@dataclass(frozen=True)
class FinishedMatch:
    """One optimiser in one game, at its end or at an earlier checkpoint.

    Attributes:
        optimizer: Who played.
        game: What was played.
        gap: Of what the optimiser recommends by its own rule.
        ours: The gap of what Unswayed recommends from the same measurements; None if unknown.
        claim: The 95% interval that the optimiser claims for the value of its recommendation, in ranges above the
            worst; None if it claims none.
        milliseconds: Mean CPU time of a play.
        spent: The sum of the liar's changes, in ranges.
        lies: How many plays were changed.
        liars: How many sources lied; None if unknown.
        versions: Of the packages that decide the optimiser's numbers.
        fingerprint: The name under which the run is kept.
    """

    optimizer: str
    game: GameId
    gap: float
    ours: float | None
    claim: tuple[float, float] | None
    milliseconds: float
    spent: float
    lies: int
    liars: int | None
    versions: str
    fingerprint: str

    @property
    def kept_claim(self) -> bool | None:
        """Whether what was claimed is true; None if nothing was."""
        return None if self.claim is None else self.claim[0] <= 1 - self.gap <= self.claim[1]


Played = Mapping[str, Mapping[GameId, FinishedMatch]]  # the runs of each optimiser


@dataclass(frozen=True)
class Share:
    """A count out of a total, as a share with its 95% interval of Wilson.

    Example:
        >>> some = Share(2, 10)
        >>> some.share, round(some.low, 3), round(some.high, 3)
        (0.2, 0.057, 0.51)
    """

    count: int
    of: int

    @property
    def share(self) -> float:
        """The count over the total."""
        return self.count / self.of

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self._ends()[0]

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self._ends()[1]

    def _ends(self) -> tuple[float, float]:
        p = self.share
        n = self.of
        centre, half = p + Z**2 / (2 * n), Z * sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))  # Wilson, 1927
        low, high = (centre - half) / (1 + Z**2 / n), (centre + half) / (1 + Z**2 / n)
        return min(max(low, 0.0), p), max(min(high, 1.0), p)


class Spread(NamedTuple):
    """A median between its quartiles."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True)
class Score:
    """How one optimiser did in some games.

    Attributes:
        optimizer: Its name.
        gaps: Of all runs, in order of size.
        gap: Their median and quartiles.
        lost: Runs with a gap above LOST.
        lost_ours: Runs that are lost by our rule.
        saved: Runs that only the optimiser's own rule loses.
        spoilt: Runs that only our rule loses.
        claims: True claims, of those that were made.
        width: How wide the claimed intervals are, in ranges.
        milliseconds: CPU time of a play.
        times: The CPU time of all runs, over that of the reference.
        less: The mean gap less that of the reference, with a 95% interval.
    """

    optimizer: str
    gaps: Sequence[float]
    gap: Spread
    lost: Share
    lost_ours: Share | None
    saved: int
    spoilt: int
    claims: Share | None
    width: Spread | None
    milliseconds: Spread
    times: float | None
    less: tuple[float, float, float] | None


class Comparison(NamedTuple):
    """Some optimisers, and the games that all of them have played."""

    optimizers: tuple[str, ...]
    games: tuple[GameId, ...]


def runs_of(rows: Iterable[Mapping[str, Any]]) -> list[FinishedMatch]:
    """The runs of a table, in order.

    Args:
        rows: As `Match.row` gives them; columns that older tables lack are None.

    Returns:
        One run for each row.

    Raises:
        InvalidInput: A gap is not a finite number, or one optimiser has two runs of one game.

    Example:
        >>> from unswayed_gauntlet.match import Match
        >>> [run] = runs_of([Match("random", "branin-2", "none", 20, 0).row()])
        >>> run.game.plays, run.claim
        (20, None)
    """
    found: dict[tuple[str, GameId], FinishedMatch] = {}
    for row in rows:
        run = finished(row)
        if not isfinite(run.gap):
            raise InvalidInput(f"the gap of {_named(run)} is {run.gap}: remove this run")
        if found.setdefault((run.optimizer, run.game), run) is not run:
            raise InvalidInput(f"there are two runs of {_named(run)}: keep one of them")
    return [found[key] for key in sorted(found)]


def _named(run: FinishedMatch) -> str:
    return printable(f"{run.optimizer} on {', '.join(map(str, run.game))}")


def finished(row: Mapping[str, Any], place: int = -1) -> FinishedMatch:
    """A row of the table as it is at a checkpoint, by default at the last one.

    Args:
        row: As `Match.row` gives it. Columns that older tables lack are None.
        place: The number of the checkpoint.
    """
    low, high = _number(row.get("claim_low")), _number(row.get("claim_high"))
    liars = _number(row.get("liars"))
    return FinishedMatch(
        optimizer=row["optimizer"],
        game=GameId(row["problem"], row["corruption"], int(row["plays"]), int(row["seed"])),
        gap=float(row["gaps"][place]),
        ours=_number(row.get("gap_ours")),
        claim=None if low is None or high is None else (low, high),
        milliseconds=1000 * row["seconds"][place] / row["checkpoints"][place],
        spent=float(row["spent"]),
        lies=int(row["lies"]),
        liars=None if liars is None else int(liars),
        versions=row["versions"],
        fingerprint=row["fingerprint"],
    )


def _number(value: float | None) -> float | None:
    """A number that may be missing; infinite ends claim nothing."""
    return None if value is None or not isfinite(value) else float(value)


def played(runs: Iterable[FinishedMatch]) -> dict[str, dict[GameId, FinishedMatch]]:
    """The runs of each optimiser, by game."""
    found: dict[str, dict[GameId, FinishedMatch]] = defaultdict(dict)
    for run in runs:
        found[run.optimizer][run.game] = run
    return dict(found)


def comparisons(runs: Played) -> list[Comparison]:
    """All optimisers over the games that all have played, then fewer optimisers over more games.

    Each step leaves out the optimiser without which the others share most games. A step that adds no game is left out.
    """
    names, found = sorted(runs), list[Comparison]()
    while names:
        shared = _shared(runs, names)
        if len(shared) > (len(found[-1].games) if found else 0):
            found.append(Comparison(tuple(names), tuple(sorted(shared))))
        if len(names) <= 2:
            break
        without = {name: len(_shared(runs, [other for other in names if other != name])) for name in names}
        names.remove(min(names, key=lambda name: (-without[name], len(runs[name]), name)))
    return found


def _shared(runs: Played, names: Sequence[str]) -> set[GameId]:
    return set.intersection(*(set(runs[name]) for name in names))


def scores(runs: Played, comparison: Comparison) -> tuple[list[Score], str]:
    """The scores of the optimisers of a comparison, the fewest lost runs first, and the name of the reference.

    The reference is TPE, or else the optimiser that takes the least CPU time.
    """
    chosen = {name: [runs[name][game] for game in comparison.games] for name in comparison.optimizers}
    totals = {name: sum(run.milliseconds for run in own) for name, own in chosen.items()}
    usual = USUAL if USUAL in chosen else min(chosen, key=lambda name: (totals[name], name))
    return in_order(score(name, own, chosen[usual]) for name, own in chosen.items()), usual


def in_order(found: Iterable[Score]) -> list[Score]:
    """The fewest lost runs first, then the smallest median gap."""
    return sorted(found, key=lambda one: (one.lost.share, one.gap.middle, one.optimizer))


def score(name: str, runs: Sequence[FinishedMatch], usual: Sequence[FinishedMatch] = ()) -> Score:
    """How one optimiser did.

    Args:
        name: The optimiser.
        runs: Its runs, at least one.
        usual: The runs of the reference in the same games, in the same order; none if there is no reference.

    Returns:
        Its numbers.
    """
    gaps = sorted(run.gap for run in runs)
    both = [(run.gap > LOST, run.ours > LOST) for run in runs if run.ours is not None]
    claims = [run.claim for run in runs if run.claim is not None]
    own = sum(run.milliseconds for run in runs)
    other = sum(run.milliseconds for run in usual)
    itself = any(run.optimizer == name for run in usual)
    return Score(
        optimizer=name,
        gaps=gaps,
        gap=spread(gaps),
        lost=Share(sum(gap > LOST for gap in gaps), len(gaps)),
        lost_ours=Share(sum(ours for _, ours in both), len(both)) if both else None,
        saved=both.count((True, False)),
        spoilt=both.count((False, True)),
        claims=Share(sum(run.kept_claim is True for run in runs), len(claims)) if claims else None,
        width=spread([high - low for low, high in claims]) if claims else None,
        milliseconds=spread([run.milliseconds for run in runs]),
        times=own / other if other > 0 else None,
        less=None if itself else difference(runs, usual),
    )


def difference(runs: Sequence[FinishedMatch], usual: Sequence[FinishedMatch]) -> tuple[float, float, float] | None:
    """The mean of paired differences of gaps, and a 95% interval; None without pairs in at least two problems.

    Student's interval over problems, each with all its games: games of one problem are not independent evidence.

    Args:
        runs: Of one optimiser.
        usual: Of the other one in the same games, in the same order; or none.
    """
    by_problem: dict[str, list[float]] = defaultdict(list)
    for one, other in zip(runs, usual, strict=bool(usual)):
        by_problem[one.game.problem].append(one.gap - other.gap)
    P = len(by_problem)
    if P < 2:
        return None
    sums, counts = np.array([[sum(group), len(group)] for group in by_problem.values()]).T
    mean = float(sums.sum() / counts.sum())
    error = np.sqrt(P / (P - 1) * np.square(sums - mean * counts).sum()) / counts.sum()
    half = float(student.ppf(0.975, P - 1) * error)
    return mean, mean - half, mean + half


def spread(values: Collection[float]) -> Spread:
    """The median and the quartiles of some numbers."""
    return Spread(*np.quantile(np.array(list(values), dtype=np.float64), [0.25, 0.5, 0.75]).tolist())
