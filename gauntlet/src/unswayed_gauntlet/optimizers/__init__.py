"""Optimisers that play the gauntlet, each behind the same three verbs.

To add one: a class with `ask`, `tell` and `recommend` in a file of this folder, and an entry below. An optimiser of
your own needs no change here: its name is `module:factory` (see `unswayed.experiments.player`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from unswayed.core.tampering.threat import Threat
from unswayed.errors import InvalidInput
from unswayed.experiments.own import is_own
from unswayed.experiments.player import OwnPlayer, Player
from unswayed.spaces import Space
from unswayed_gauntlet.game import MatchGame

WARY_SHARE = 0.05  # share of plays x range: the total that unswayed-wary is told, whoever lies


@dataclass(frozen=True)
class OptimizerEntry:
    """How an optimiser is made, and what decides its numbers.

    Attributes:
        home: Module of this folder, and class.
        version: Of the adapter. Raise it when the adapter behaves differently.
        packages: The packages whose versions are part of the fingerprint of a run.
        settings: Further arguments of the class.
        ours: Whether the code of this package decides its numbers.
        threat: The total that it is told, as a share of plays x range; None if it is told the truth about the liar.
    """

    home: str
    version: int
    packages: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    ours: bool = False
    threat: float | None = None


_BOTORCH = ("botorch", "gpytorch", "torch", "numpy", "scipy")
OPTIMIZERS: Mapping[str, OptimizerEntry] = {
    "unswayed": OptimizerEntry("study:Unswayed", 1, (), ours=True),
    "unswayed-wary": OptimizerEntry("study:Unswayed", 1, (), ours=True, threat=WARY_SHARE),
    "random": OptimizerEntry("random:Random", 1, ("numpy",)),
    "tpe": OptimizerEntry("optuna:Optuna", 1, ("optuna", "numpy"), {"sampler": "TPESampler"}),
    "gp": OptimizerEntry("optuna:Optuna", 1, ("optuna", "torch", "numpy", "scipy"), {"sampler": "GPSampler"}),
    "botorch": OptimizerEntry("botorch:BoTorch", 1, _BOTORCH, {"model": "SingleTaskGP"}),
    "botorch-rp": OptimizerEntry("botorch:BoTorch", 2, _BOTORCH, {"model": "RobustRelevancePursuitSingleTaskGP"}),
    "smac": OptimizerEntry("smac:SMAC", 1, ("smac", "ConfigSpace", "scikit-learn", "numpy")),
}


OWN = OptimizerEntry("", 1, ())  # an optimiser of a user: its file is part of the fingerprint of a run


def entry_of(name: str) -> OptimizerEntry:
    """The optimiser of this name; refuse any other."""
    if is_own(name):
        return OWN
    if name not in OPTIMIZERS:
        known = ", ".join(OPTIMIZERS)
        raise InvalidInput(f"unknown optimizer {name!r}: choose one of {known}, or module:factory of your own")
    return OPTIMIZERS[name]


def versions(packages: Iterable[str]) -> dict[str, str | None]:
    """The installed versions of packages; None for one that is missing."""
    found: dict[str, str | None] = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def lacking(name: object, packages: Iterable[str]) -> str | None:
    """What is missing to play an optimiser or a problem, and how to get it; None if nothing is."""
    lost = [package for package, found in versions(packages).items() if found is None]
    return f"{name} needs {', '.join(lost)}: pip install {' '.join(lost)}, or run `make peers`" if lost else None


def make(name: str, game: MatchGame, seed: int) -> Player:
    """The optimiser of this name, ready for a game.

    Args:
        name: One of `OPTIMIZERS`, or `module:factory`.
        game: What it will play; it is told the space, the number of plays and the threat.
        seed: Of its random numbers.

    Returns:
        The player.

    Raises:
        InvalidInput: There is no such optimiser, or its package is not installed.
    """
    told, threat = entry_of(name).threat, game.threat
    if told is not None:
        threat = Threat(total=told * game.plays * game.problem.range)
    return player(name, game.problem.space, game.plays, threat, seed)


def player(optimizer: str, space: Space, plays: int, threat: Threat, seed: int) -> Player:
    """An optimiser for a space.

    Args:
        optimizer: One of `OPTIMIZERS`, or `module:factory`.
        space: What may be varied.
        plays: How many there will be.
        threat: What tampering to be safe against.
        seed: Of its random numbers.

    Returns:
        The player.

    Raises:
        InvalidInput: There is no such optimiser, or its package is not installed.

    Example:
        >>> from unswayed import Box, Real, Threat
        >>> one = player("random", Box({"x": Real(0, 1)}), 20, Threat(), seed=0)
        >>> 0 <= one.ask(None)["x"] <= 1
        True
    """
    entry = entry_of(optimizer)
    if entry is OWN:
        return OwnPlayer(space, plays, threat, seed, factory=optimizer)
    if lost := lacking(optimizer, entry.packages):
        raise InvalidInput(lost)
    module, class_name = entry.home.split(":")
    kind = getattr(import_module(f"{__name__}.{module}"), class_name)
    made: Player = kind(space, plays, threat, seed, **dict(entry.settings))
    return made
