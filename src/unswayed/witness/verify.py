"""Checks an exported study: the chain, every signature, what witnesses say, and what follows from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from unswayed.core.tampering.threat import Threat
from unswayed.core.tampering.trust import TrustLevel
from unswayed.errors import JournalError
from unswayed.storage import Record
from unswayed.study.header import read_state
from unswayed.study.study import Study
from unswayed.witness.chain import START, hashed, is_signed, needs_signature
from unswayed.witness.keys import PublicKey


@dataclass(frozen=True, eq=False)
class Verified:
    """A study whose records were checked.

    Attributes:
        study: The study; its measurements have the trust that was proved.
        name: What the server calls it; None if nothing is signed.
        records: How many records there are.
        covered: How many of them, from the first on, a signature speaks for.
        signatures: How many are signed.
        sealed: When the server exported it, in seconds since 1970; None if the last record is no seal.
        command: The digest of the command that witnesses ran; None without witnesses.
    """

    study: Study
    name: str | None
    records: int
    covered: int
    signatures: int
    sealed: float | None
    command: str | None

    @property
    def levels(self) -> Counter[TrustLevel]:
        """How many measurements that count have each trust level."""
        return Counter(level for level in self.study.trust() if level is not None)

    def doubting(self, doubt: str | None, low: float | None = None, high: float | None = None) -> Study:
        """The study, with a threat in which measurements up to a trust level may be false.

        Args:
            doubt: The level; None leaves the threat as it is.
            low: No honest measurement is smaller; None leaves that as it is.
            high: No honest measurement is larger; None leaves that as it is.
        """
        threat = Threat.of(self.study.settings.threat) or Threat()
        if doubt is None and low is None and high is None:
            return self.study
        threat = replace(
            threat,
            doubt=threat.doubt if doubt is None else doubt,
            low=threat.low if low is None else low,
            high=threat.high if high is None else high,
        )
        state = self.study._state.copy()
        state.settings = replace(state.settings, threat=threat)
        state.edition += 1
        return Study(state)


def verify(records: Sequence[Record], key: PublicKey, journal: str) -> Verified:
    """Check all records of a study.

    Args:
        records: As they were exported.
        key: The public key of the server.
        journal: The name of the file, for messages.

    Raises:
        JournalError: A record was changed, removed, added or moved, or says what its study does not.
    """
    head, covered, signatures = START, 0, 0
    for number, record in enumerate(records, start=1):
        if needs_signature(record):
            if record.get("previous") != head:
                before = "a record before it was changed, removed, added or moved"
                raise JournalError(f"{journal}: record {number} does not follow those before it: {before}")
            if not is_signed(record, key):
                raise JournalError(f"{journal}: record {number} does not bear a signature by this key")
            covered, signatures = number, signatures + 1
        head = hashed(head, record)
    state = read_state(list(records), journal, checked=True)
    said = _compared(records, journal)
    last = records[-1]
    names = [*(one["study"] for one in said), *(one["study"] for one in records if one["kind"] == "seal")]
    if len(set(names)) > 1:
        raise JournalError(f"{journal} holds signed records of several studies: {', '.join(sorted(set(names)))}")
    return Verified(
        study=Study(state),
        name=names[0] if names else None,
        records=len(records),
        covered=covered,
        signatures=signatures,
        sealed=last["at"] if last["kind"] == "seal" else None,
        command=said[0]["command"] if said else None,
    )


def _compared(records: Sequence[Record], journal: str) -> list[Record]:
    """What witnesses say; refuse what they cannot have said of the play as it was then."""
    points: dict[int, Any] = {}
    found: list[Record] = []
    for number, record in enumerate(records, start=1):
        where = f"{journal}: record {number}"
        if record["kind"] in ("ask", "add", "move"):
            points[record["play"]] = record["point"]
        if "witness" not in record:
            continue
        said = record["witness"]
        found.append(said)
        if record["kind"] != "tell" or said["point"] != points[record["play"]]:
            raise JournalError(f"{where} is of another point than its play")
        if said["command"] != found[0]["command"]:
            raise JournalError(f"{where} is of another command than the first one of its study")
        if said["exit"] != 0:
            raise JournalError(f"{where} is of a command that failed")
    return found
