"""Which matches a gauntlet has: the standard one, the quick one, and those that a user asks for.

Optimisers that need seconds for a play have half of the standard's problems, of the same kinds as the other half. No
held-out problem is among them: those are for a final run. The corruptions are one liar of each kind: outliers, a region
that is praised or hidden, the least change that misleads, counted lies of a liar who knows the best point, and two
kinds of lying sources.
"""

from __future__ import annotations

from dataclasses import dataclass

from unswayed.errors import InvalidInput
from unswayed.types import whole
from unswayed_gauntlet.liars import CORRUPTIONS
from unswayed_gauntlet.match import Match
from unswayed_gauntlet.optimizers import OPTIMIZERS, entry_of
from unswayed_gauntlet.problems import needs

SLOW = ("botorch", "botorch-rp", "gp", "smac")
HALF = ("hartmann-6", "mixed-5", "mlp-phoneme", "hplc-measured", "cauchy-f124-5", "f1")
OTHER_HALF = ("branin-2", "nas-cifar10", "fullerenes", "bbob-f15-5", "robot3d", "ab-40")
LIARS = ("none", "spikes", "promote", "hide", "strongest", "clairvoyant-far", "worker", "drift")


@dataclass(frozen=True)
class MatchPlan:
    """The matches of a gauntlet: every optimiser plays every game, but slow optimisers may have fewer problems.

    Attributes:
        optimizers: Names of optimisers, or `module:factory`.
        problems: Names of problems.
        corruptions: Names of corruptions.
        plays: Numbers of plays; there is a match for each of them.
        seeds: How many seeds; they count from 0.
        slow: The problems of slow optimisers; None for all problems.

    Raises:
        InvalidInput: There is no such name, or a number makes no sense.

    Example:
        >>> [str(match) for match in MatchPlan(("random",), ("branin-2",), ("none",), (20,), 1).matches()]
        ['random on branin-2, none, 20 plays, seed 0']
    """

    optimizers: tuple[str, ...]
    problems: tuple[str, ...]
    corruptions: tuple[str, ...]
    plays: tuple[int, ...]
    seeds: int
    slow: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name in self.optimizers:
            entry_of(name)
        for name in self.problems:
            needs(name)  # refuses an unknown one
        for name in self.corruptions:
            if name not in CORRUPTIONS:
                raise InvalidInput(f"unknown corruption {name!r}: choose one of {', '.join(CORRUPTIONS)}")
        for number in self.plays:
            whole(number, "the number of plays", least=2, most=100_000)
        whole(self.seeds, "the number of seeds", least=1, most=100_000)
        if not all((self.optimizers, self.problems, self.corruptions, self.plays)):
            raise InvalidInput("a gauntlet needs at least one optimizer, problem, corruption and number of plays")

    def matches(self) -> list[Match]:
        """Its matches, seed by seed: an interrupted gauntlet has complete seeds."""
        return list(
            dict.fromkeys(
                Match(optimizer, problem, corruption, plays, seed)
                for seed in range(self.seeds)
                for plays in self.plays
                for problem in self.problems
                for corruption in self.corruptions
                for optimizer in self.optimizers
                if optimizer not in SLOW or self.slow is None or problem in self.slow
            )
        )


STANDARD = MatchPlan(tuple(OPTIMIZERS), (*HALF, *OTHER_HALF), LIARS, plays=(60,), seeds=3, slow=HALF)
QUICK = MatchPlan(
    ("unswayed", "random", "tpe"),
    ("branin-2", "hartmann-6", "mixed-5"),
    ("none", "promote", "hide", "worker"),
    plays=(30,),
    seeds=1,
)
