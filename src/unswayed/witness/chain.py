"""The chain of records: a hash of each record and of all before it, which every signed record holds and so fixes.

    h_0 = SHA-256("unswayed journal")        h_n = SHA-256(h_n-1, record n as canonical JSON)
    a signed record n has    previous = h_n-1    signature = of the record without it

So a signature speaks for its record and for every record before it: none was changed, removed, added or moved since.
A server signs only where its chain holds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Self

from unswayed.storage import Record
from unswayed.witness.keys import PublicKey, SigningKey

START = sha256(b"unswayed journal").hexdigest()


@dataclass(frozen=True)
class Chain:
    """The records so far.

    Attributes:
        head: The hash of the last record and of all before it.
        whole: Whether each signed record follows those before it, and the newest ones of each part bear a signature
            that is right. An older signature is covered by a newer one: that server had checked it.
    """

    head: str = START
    whole: bool = True

    def then(self, records: Sequence[Record], key: PublicKey) -> Self:
        """With more records, of which the last signed one is checked.

        Args:
            records: What comes next.
            key: Of the server that signs.
        """
        head, whole, last = self.head, self.whole, None
        for record in records:
            if needs_signature(record):
                whole, last = whole and record.get("previous") == head, record
            head = hashed(head, record)
        return type(self)(head, whole and (last is None or is_signed(last, key)))


def needs_signature(record: Record) -> bool:
    """Whether a record says something that only a server can say."""
    return "witness" in record or "signature" in record


def hashed(before: str, record: Record) -> str:
    """The hash of a record and of all before it, which have the hash `before`."""
    return sha256(bytes.fromhex(before) + _canonical(record)).hexdigest()


def signed(record: Record, head: str, key: SigningKey) -> Record:
    """A record that is signed to follow those with the hash `head`."""
    record = {**record, "previous": head}
    return {**record, "signature": key.sign(_canonical(record))}


def is_signed(record: Record, key: PublicKey) -> bool:
    """Whether a record has a signature by this key."""
    without = {name: one for name, one in record.items() if name != "signature"}
    return key.checks(_canonical(without), record.get("signature"))


def _canonical(record: Record) -> bytes:
    return json.dumps(record, sort_keys=True, separators=(",", ":")).encode()
