"""The first record of a study's journal: its space and settings, which must agree when it is opened again."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from time import time
from typing import Any, Self

import numpy as np

from unswayed.core.tampering.threat import Threat
from unswayed.errors import InvalidInput, JournalError
from unswayed.spaces import Options, Space, space_from_record
from unswayed.storage import FileJournal, Journal, MemoryJournal, Record
from unswayed.study.settings import Settings
from unswayed.study.state import State
from unswayed.types import whole

LARGEST_RECORD = 10_000  # a longer list of options is recorded by its fingerprint only
WORDS = {"parallel": "plays in parallel", "note": "what is measured", "noise_std": "noise", "threat": "threat (budget)"}
SHOWN_LENGTH = 60  # characters of a setting in an error


def open_journal(journal: str | os.PathLike[str] | Journal | None) -> Journal:
    """The journal that a user names or brings; in memory if there is none."""
    if journal is None:
        return MemoryJournal()
    if isinstance(journal, str | os.PathLike):
        return FileJournal(journal)
    if not (hasattr(journal, "append") and hasattr(journal, "read")):
        raise InvalidInput(f"journal must be the name of a file or a Journal, not {type(journal).__name__}")
    return journal


def begin_journal(journal: Journal, space: Space, wanted: Settings) -> State:
    """Write the header of a new journal, or check that of an old one and take in its records; the state then."""
    records = journal.read()
    if not records:
        seed = int(np.random.SeedSequence().generate_state(1)[0]) if wanted.seed is None else wanted.seed
        settings = replace(wanted, seed=seed)
        journal.append({"kind": "study", "space": _space_record(space), "settings": settings.record(), "at": now()})
        return State(space, settings, settings.plays)
    name = getattr(journal, "path", "the journal")
    header = Header.read(records, name)
    header.check_space(space, name)
    state = State.of(space, header.settings, records)
    changes = header.continued(state.settings, wanted, name, begun=bool(state.answered))
    if changes:
        record = {"kind": "change", **changes, "at": now()}
        journal.append(record)
        state.take(record)
    return state


def read_state(records: list[Record], journal: str, space: Space | None = None, *, checked: bool = False) -> State:
    """The state after all records of a journal, whose space is given if the journal does not hold it.

    Args:
        records: Of the journal.
        journal: Its name.
        space: What may be varied, if the journal does not hold it.
        checked: Whether the signatures of witnessed measurements were checked.
    """
    header = Header.read(records, journal)
    if space is None:
        space = header.own_space(journal)
    else:
        header.check_space(space, journal)
    return State.of(space, header.settings, records, checked=checked)


def now() -> float:
    """Seconds since 1970, as records have them."""
    return round(time(), 3)


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

    def check_space(self, space: Space, journal: str) -> None:
        """Refuse another space."""
        if self.space != _space_record(space):
            raise JournalError(f"{journal} is of a study over another space: give that space, or another journal")

    def continued(self, current: Settings, wanted: Settings, journal: str, *, begun: bool = True) -> Record:
        """What changes if the study continues with `wanted`: it may have more plays and others at a time.

        All else must be as in the header, or as it is now. A seed, a note and sources need not be given again. Before
        the study has `begun`, which is at the first answer, the note may be another: the command had a mistake.
        """
        first, then, asked = self.settings.record(), current.record(), wanted.record()
        free = {"plays", "parallel", "quarantined", *(name for name in ("seed", "note") if asked[name] is None)}
        free |= set() if begun else {"note"}
        different = [
            f"{WORDS.get(name, name.replace('_', ' '))} was {_shown(name, then[name])}, not {_shown(name, asked[name])}"
            for name in asked
            if name not in free and asked[name] not in (then[name], first[name])
        ]
        if different:
            hint = "Give those, or another journal; `unswayed study change` changes what can change"
            raise JournalError(f"{journal} has other settings: {'; '.join(different)}. {hint}")
        known, plays = current.plays, wanted.plays
        changes: Record = {} if begun or wanted.note in (None, current.note) else {"note": wanted.note}
        if plays not in (known, self.settings.plays):
            if known is None or (plays is not None and plays < known):
                have = "no limit of plays" if known is None else f"{known} plays"
                raise JournalError(f"{journal} is of a study with {have}: give as many or more, or another journal")
            changes["plays"] = plays
        if wanted.parallel not in (current.parallel, self.settings.parallel):
            changes["parallel"] = wanted.parallel
        return changes


def _space_record(space: Space) -> dict[str, Any]:
    long = isinstance(space, Options) and space.size > LARGEST_RECORD
    return {"fingerprint": space.fingerprint} if long else space.record()


def _shown(name: str, value: object) -> str:
    value = str(Threat(**value)) if name == "threat" and isinstance(value, dict) else value
    text = "not given" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= SHOWN_LENGTH else text[:SHOWN_LENGTH] + "..."


def _reason(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else " ".join(str(error).split())[:200]
