"""One optimiser in one game: the gaps of what it recommends on the way, its CPU time, and the ledger of the liar."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cache
from time import process_time
from typing import Any

from unswayed.core.threads import one_thread
from unswayed.experiments.experiment import code_version
from unswayed.gauntlet.corruption import Game
from unswayed.gauntlet.optimizers import entry_of, make, versions
from unswayed.gauntlet.problems import problem

FORMAT = "unswayed gauntlet 1"
COLUMNS = {
    "optimizer": "text", "problem": "text", "corruption": "text", "plays": "count", "seed": "count",
    "checkpoints": "counts", "gaps": "numbers", "seconds": "numbers", "spent": "number", "lies": "count",
    "versions": "text", "fingerprint": "text",
}  # fmt: skip
CHECKPOINTS = (20, 40, 60, 100, 200)
OURS = "gauntlet/optimizers/study.py", "gauntlet/optimizers/__init__.py"
CODE = ("types.py", "core", "spaces", "policies", "search", "study", *OURS)
RULES = 1  # of a match: raise it when `Match.row` measures something else


@dataclass(frozen=True)
class Match:
    """An optimiser, a problem, a corruption, a number of plays and a seed: one run of the gauntlet.

    Attributes:
        optimizer: A name of `OPTIMIZERS`.
        problem: A name of `DEVELOPMENT` or `HELD_OUT`.
        corruption: A name of `CORRUPTIONS`.
        plays: How many, known from the start.
        seed: Of the noise, the lies and the optimiser.

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
        """Under this name the run is kept: what was run, the game as it behaves, and who played it.

        Other optimisers depend on their own packages and adapter only, so that their runs survive changes of this
        package; Unswayed depends on its code.
        """
        entry = entry_of(self.optimizer)
        code = code_version(CODE) if entry.ours else ""
        parts = [json.dumps(asdict(self), sort_keys=True), _game(self.problem, self.corruption, self.plays)]
        parts += [str(RULES), str(entry.version), _versions(self.optimizer), code]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]

    def row(self) -> dict[str, Any]:
        """Play it."""
        game = Game(problem(self.problem), self.corruption, self.plays, self.seed)
        checkpoints = [number for number in CHECKPOINTS if number < self.plays] + [self.plays]
        gaps, seconds, used = [], [], 0.0
        player = make(self.optimizer, game, self.seed)  # not timed: the first one in a process imports its package
        with one_thread():
            for number in range(1, self.plays + 1):
                source, start = game.source, process_time()
                point = player.ask(source)
                used += process_time() - start
                value = game.measure(point)
                start = process_time()
                player.tell(point, value, source)
                used += process_time() - start
                if number in checkpoints:
                    gaps.append(game.problem.gap(player.recommend()))
                    seconds.append(used)
        ledger = {"spent": game.spent, "lies": game.lies, "versions": _versions(self.optimizer)}
        measured = {"checkpoints": checkpoints, "gaps": gaps, "seconds": seconds, **ledger}
        return {**asdict(self), **measured, "fingerprint": self.fingerprint()}


@cache
def _game(name: str, corruption: str, plays: int) -> str:
    return Game(problem(name), corruption, plays, 0).digest()


def _versions(optimizer: str) -> str:
    return ", ".join(f"{package} {found or 'missing'}" for package, found in versions(optimizer).items())
