"""The first record of a study's journal: its space and settings, which must be the same when it is opened again."""

from __future__ import annotations

from typing import Any

from unswayed.core.kernels import Kernel, Linear, Matern, SquaredExponential
from unswayed.errors import InvalidInput
from unswayed.spaces import Options, Space
from unswayed.storage import Record
from unswayed.study.plays import plain

LARGEST_RECORD = 10_000  # options that are written into the journal, rather than their fingerprint
KERNELS = {"Linear": Linear, "SquaredExponential": SquaredExponential, "Matern": Matern}
WORDS = {"parallel": "plays in parallel", "note": "what is measured", "noise_std": "noise"}
SHOWN = 60


def header_record(space: Space, settings: dict[str, Any], seed: int) -> Record:
    """What a new journal begins with."""
    return {"kind": "study", "space": _space_record(space), "settings": settings, "seed": seed}


def header_of(records: list[Record]) -> Record:
    """The header of a journal that is one of a study."""
    if not records or records[0].get("kind") != "study" or not {"space", "settings", "seed"} <= records[0].keys():
        raise InvalidInput("the journal does not begin with a study")
    return records[0]


def check_header(header: Record, space: Space, settings: dict[str, Any], seed: int | None, journal: str) -> None:
    """Refuse to go on with another space, other settings (`plays` may grow) or another seed."""
    if header["space"] != _space_record(space):
        raise InvalidInput(f"{journal} is of a study over another space: give that space, or another journal")
    then = {**header["settings"], "seed": header["seed"]}
    now = {**settings, "seed": header["seed"] if seed is None else seed}
    different = [
        f"{WORDS.get(name, name.replace('_', ' '))} was {_shown(then.get(name))}, not {_shown(now[name])}"
        for name in now
        if name != "plays" and now[name] != then.get(name)
    ]
    if different:
        raise InvalidInput(
            f"{journal} was begun with other settings: {'; '.join(different)}. Give those, or another journal"
        )


def plays_of(records: list[Record]) -> int | None:
    """How many plays the study has in all: as it was begun, or as it was last extended."""
    plays: int | None = header_of(records)["settings"].get("plays")
    for record in records[1:]:
        if record.get("kind") == "extend":
            plays = record.get("plays")
    return plays


def extension(known: int | None, wanted: int | None, journal: str) -> list[Record]:
    """The record that a journal of `known` plays needs to go on to `wanted` ones, if any."""
    if known == wanted:
        return []
    if known is None or (wanted is not None and wanted < known):
        have = "no limit of plays" if known is None else f"{known} plays"
        raise InvalidInput(f"{journal} is of a study with {have}: give as many or more, or another journal")
    return [{"kind": "extend", "plays": wanted}]


def _space_record(space: Space) -> dict[str, Any]:
    long = isinstance(space, Options) and space.size > LARGEST_RECORD
    return {"fingerprint": space.fingerprint} if long else space.record()


def _shown(value: object) -> str:
    text = "not given" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def kernel_record(kernel: Kernel | None) -> dict[str, Any] | None:
    """A kernel as JSON; `kernel_from_record` reads it."""
    if kernel is None:
        return None
    if type(kernel).__name__ not in KERNELS or type(kernel) is not KERNELS[type(kernel).__name__]:
        raise InvalidInput(f"a study can be given a {', '.join(KERNELS)} kernel, not {kernel!r}")
    fields = {name: plain(value) for name, value in vars(kernel).items()}
    return {"name": type(kernel).__name__, **fields}


def kernel_from_record(record: dict[str, Any] | None) -> Kernel | None:
    """The kernel that `kernel_record` wrote down."""
    if record is None:
        return None
    fields = {name: value for name, value in record.items() if name != "name"}
    kind: Any = KERNELS[record["name"]]
    kernel: Kernel = kind(**fields)
    return kernel
