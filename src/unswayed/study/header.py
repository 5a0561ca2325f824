"""The first record of a study's journal: its space and settings, which must agree when it is opened again."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from unswayed.core.threat import Threat
from unswayed.errors import InvalidInput, JournalError
from unswayed.search.play import Play
from unswayed.spaces import Options, Space, space_from_record
from unswayed.storage import FileJournal, Journal, MemoryJournal, Record
from unswayed.study.log import plays_planned, replay
from unswayed.study.settings import Settings
from unswayed.types import whole

LARGEST_RECORD = 10_000  # a longer list of options is recorded by its fingerprint only
WORDS = {"parallel": "plays in parallel", "note": "what is measured", "noise_std": "noise", "threat": "threat (budget)"}
SHOWN = 60


def open_journal(journal: str | os.PathLike[str] | Journal | None) -> Journal:
    """The journal that a user names or brings; in memory if there is none."""
    if journal is None:
        return MemoryJournal()
    if isinstance(journal, str | os.PathLike):
        return FileJournal(journal)
    if not (hasattr(journal, "append") and hasattr(journal, "read")):
        raise InvalidInput(f"journal must be the name of a file or a Journal, not {type(journal).__name__}")
    return journal


def begin_journal(journal: Journal, space: Space, wanted: Settings) -> tuple[Settings, list[Play], int | None]:
    """Write the header of a new journal, or check that of an old one and take in its records.

    Returns the settings with their seed, the log, and the number of plays that was planned at first.
    """
    records = journal.read()
    if not records:
        seed = int(np.random.SeedSequence().generate_state(1)[0]) if wanted.seed is None else wanted.seed
        settings = replace(wanted, seed=seed)
        journal.append({"kind": "study", "space": _space_record(space), "settings": settings.record()})
        return settings, [], settings.plays
    name = getattr(journal, "path", "the journal")
    header = Header.read(records, name)
    settings = header.continued(space, wanted, name)
    log, first = replay(records, space), header.settings.plays
    journal.append(*_extension(plays_planned(records, first), settings.plays, name))
    return settings, log, first


@dataclass(frozen=True)
class Header:
    """The first record of a journal, checked."""

    space: Record
    settings: Settings

    @classmethod
    def read(cls, records: list[Record], journal: str) -> Self:
        """The header of a journal, which must be that of a study."""
        if not records:
            raise JournalError(f"{journal} is empty: it was made, but no study was begun in it")
        first = records[0]
        try:
            if first["kind"] != "study" or not isinstance(first["space"], dict):
                raise TypeError("it is of another kind")
            settings = Settings.from_record(first["settings"])
            whole(settings.seed, "the seed", least=0)
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
            raise JournalError(f"{journal} does not begin with a study: {_reason(error)}") from None
        return cls(first["space"], settings)

    def own_space(self, journal: str) -> Space:
        """The space that the header holds."""
        if "fingerprint" in self.space:
            raise JournalError(f"{journal} does not hold its space: give it to Optimizer(space, journal=...)")
        try:
            space = space_from_record(self.space)
            self.settings.check(space)
            return space
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
            raise JournalError(f"{journal} does not begin with a study: {_reason(error)}") from None

    def continued(self, space: Space, settings: Settings, journal: str) -> Settings:
        """The settings to continue with: those of the header, with the new number of plays and the old seed."""
        if self.space != _space_record(space):
            raise JournalError(f"{journal} is of a study over another space: give that space, or another journal")
        seed = self.settings.seed if settings.seed is None else settings.seed
        then, now = self.settings.record(), replace(settings, seed=seed).record()
        different = [
            f"{WORDS.get(name, name.replace('_', ' '))} was {_shown(name, then[name])}, not {_shown(name, now[name])}"
            for name in now
            if name != "plays" and now[name] != then[name]
        ]
        if different:
            raise JournalError(f"{journal} has other settings: {'; '.join(different)}. Give those, or another journal")
        return replace(settings, seed=seed)


def _extension(known: int | None, wanted: int | None, journal: str) -> list[Record]:
    """The record that a journal of `known` plays needs to continue to `wanted` ones, if any."""
    if known == wanted:
        return []
    if known is None or (wanted is not None and wanted < known):
        have = "no limit of plays" if known is None else f"{known} plays"
        raise JournalError(f"{journal} is of a study with {have}: give as many or more, or another journal")
    return [{"kind": "extend", "plays": wanted}]


def _space_record(space: Space) -> dict[str, Any]:
    long = isinstance(space, Options) and space.size > LARGEST_RECORD
    return {"fingerprint": space.fingerprint} if long else space.record()


def _shown(name: str, value: object) -> str:
    value = str(Threat(**value)) if name == "threat" and isinstance(value, dict) else value
    text = "not given" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def _reason(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else " ".join(str(error).split())[:200]
