"""Which matches a gauntlet has: the standard one, the quick one, and what a user asks for instead.

Optimisers that need seconds for a play meet half of the standard's problems, of the same kinds as the others. None of
them is held out: those are for a final run. The corruptions are a liar of each kind: outliers, a region that is praised
or hidden, the least change that misleads, counted lies of one who knows the best point, and two lying sources.
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
    """The matches of a gauntlet: everybody plays every game, except that slow optimisers may have fewer problems.

    Attributes:
        optimizers: Names of optimisers, or `module:factory`.
        problems: Names of problems.
        corruptions: Names of corruptions.
        plays: How many plays a match has; one match for each.
        seeds: How many; they count from 0.
        slow: The problems of slow optimisers; None if they have all.

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
        """Its matches, seed by seed, so that a gauntlet that is interrupted has complete seeds."""
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


STANDARD = MatchPlan(tuple(OPTIMIZERS), (*HALF, *OTHER_HALF), LIARS, (60,), 3, HALF)
QUICK = MatchPlan(
    ("unswayed", "random", "tpe"),
    ("branin-2", "hartmann-6", "mixed-5"),
    ("none", "promote", "hide", "worker"),
    (30,),
    1,
)
