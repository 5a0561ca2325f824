"""One optimiser in one game: the gaps of what it recommends on the way, its CPU time, and the ledger of the liar.

At the end, a run has two more numbers. `gap_ours` is the gap of what Unswayed, told the same threat, recommends from
the same measurements: it separates the effect of the search from that of the recommendation. `claim_low` and
`claim_high` are the 95% interval that the optimiser claims for the true value of what it recommends, in ranges above
the worst value; null if it claims none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from copy import copy
from dataclasses import asdict, dataclass
from functools import cache
from math import inf, isfinite
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from unswayed.core.data.threads import one_thread
from unswayed.experiments.experiment import code_version
from unswayed.experiments.own import is_own, load_own
from unswayed.experiments.player import Player, claimed_interval
from unswayed.spaces import Point
from unswayed_gauntlet.game import MatchGame
from unswayed_gauntlet.optimizers import entry_of, make, versions
from unswayed_gauntlet.problems import problem

FORMAT = "unswayed gauntlet 1"
COLUMNS = {
    "optimizer": "text", "problem": "text", "corruption": "text", "plays": "count", "seed": "count",
    "checkpoints": "counts", "gaps": "numbers", "seconds": "numbers", "gap_ours": "number", "claim_low": "number",
    "claim_high": "number", "spent": "number", "lies": "count", "liars": "count", "versions": "text", "code": "text",
    "fingerprint": "text",
}  # fmt: skip
CHECKPOINTS = (20, 40, 60, 100, 200)  # plays after which the optimiser is asked what it recommends
HOME = Path(__file__).parent
CODE = ("types.py", "core", "judgement", "spaces", "policies", "search", "study")  # of unswayed
ADAPTER = ("optimizers/study.py", "optimizers/__init__.py")  # of this package
RULES = 1  # version of the rules of a match: raise it when gaps or seconds are measured in another way


class ToldPlay(NamedTuple):
    """One play: the point, what was reported, and who measured it."""

    point: Point
    value: float
    source: str | None


@dataclass(frozen=True)
class Match:
    """An optimiser, a problem, a corruption, a number of plays and a seed: one run of the gauntlet.

    Attributes:
        optimizer: A name of `OPTIMIZERS`, or `module:factory`.
        problem: A name of `DEVELOPMENT` or `HELD_OUT`.
        corruption: A name of `CORRUPTIONS`.
        plays: How many, known from the start.
        seed: Of the noise, of the lies and of the optimiser.

    Example:
        >>> row = Match("random", "branin-2", "none", 20, 0).row()
        >>> row["checkpoints"], row["lies"]
        ([20], 0)
    """

    optimizer: str
    problem: str
    corruption: str
    plays: int
    seed: int

    def __str__(self) -> str:
        return f"{self.optimizer} on {self.problem}, {self.corruption}, {self.plays} plays, seed {self.seed}"

    def fingerprint(self) -> str:
        """The name under which the run is kept: a digest of the match, the game as it behaves, and the optimiser.

        The run of another optimiser depends on its packages and its adapter, so it survives changes of Unswayed. The
        run of Unswayed depends on the code of Unswayed.
        """
        entry = entry_of(self.optimizer)
        code = load_own(self.optimizer).digest if is_own(self.optimizer) else _our_code() if entry.ours else ""
        parts = [json.dumps(asdict(self), sort_keys=True), _game(self.problem, self.corruption, self.plays)]
        parts += [str(RULES), str(entry.version), _versions(self.optimizer), code]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]

    def row(self) -> dict[str, Any]:
        """Play the match: the columns of its run."""
        game = MatchGame(problem(self.problem), self.corruption, self.plays, self.seed)
        checkpoints = [number for number in CHECKPOINTS if number < self.plays] + [self.plays]
        player = make(self.optimizer, game, self.seed)  # not timed: it may import a package
        with one_thread():
            told, gaps, seconds = play(player, game, checkpoints)
            ours = gaps[-1] if entry_of(self.optimizer).ours else game.problem.gap(recommended(told, game, self.seed))
            claim = _claim(player, game)
        measured = {"checkpoints": checkpoints, "gaps": gaps, "seconds": seconds, "gap_ours": ours, **claim}
        ledger = {"spent": game.spent, "lies": game.lies, "liars": game.liars}
        about = {"versions": _versions(self.optimizer), "code": recommender(), "fingerprint": self.fingerprint()}
        return {**asdict(self), **measured, **ledger, **about}


def play(
    player: Player, game: MatchGame, checkpoints: Sequence[int]
) -> tuple[list[ToldPlay], list[float], list[float]]:
    """Play a game to its end.

    Args:
        player: The optimiser.
        game: A game that has not begun.
        checkpoints: The numbers of plays after which the optimiser is asked what it recommends.

    Returns:
        All plays; and at each checkpoint the gap of the recommendation, and the CPU seconds of `ask` and `tell` so far.
    """
    told: list[ToldPlay] = []
    gaps: list[float] = []
    seconds: list[float] = []
    used = 0.0
    for number in range(1, game.plays + 1):
        source = game.source
        start = process_time()
        point = copy(player.ask(source))  # some optimisers change the same object later
        used += process_time() - start
        value = game.measure(point)
        start = process_time()
        player.tell(point, value, source)
        used += process_time() - start
        told.append(ToldPlay(point, value, source))
        if number in checkpoints:
            gaps.append(game.problem.gap(player.recommend()))
            seconds.append(used)
    return told, gaps, seconds


def recommended(told: Sequence[ToldPlay], game: MatchGame, seed: int) -> Point:
    """What Unswayed, told the same threat, recommends from the measurements of another optimiser."""
    from unswayed_gauntlet.optimizers.study import Unswayed

    ours = Unswayed(game.problem.space, game.plays, game.threat, seed)
    ours.add(told)
    return ours.recommend()


def recommender() -> str:
    """A digest of the code behind `gap_ours`. It is not part of the fingerprints of other optimisers."""
    return _our_code(libraries=False)[:16]


def _our_code(*, libraries: bool = True) -> str:
    """A digest of the code that decides the numbers of Unswayed, and of the libraries beneath it."""
    both = code_version(CODE, libraries=libraries) + code_version(ADAPTER, libraries=False, root=HOME)
    return hashlib.sha256(both.encode()).hexdigest()


def _claim(player: Player, game: MatchGame) -> dict[str, float | None]:
    """The interval claimed at the end, in ranges above the worst value; an infinite end claims nothing."""
    claimed = claimed_interval(getattr(player, "claim", lambda: None)())
    low, high = [(end - game.problem.worst) / game.problem.range for end in claimed or (inf, inf)]
    finite = isfinite(low) and isfinite(high)
    return {"claim_low": low if finite else None, "claim_high": high if finite else None}


@cache
def _game(name: str, corruption: str, plays: int) -> str:
    return MatchGame(problem(name), corruption, plays, 0).digest()


def _versions(optimizer: str) -> str:
    found = versions(entry_of(optimizer).packages)
    return ", ".join(f"{package} {number or 'missing'}" for package, number in found.items())
