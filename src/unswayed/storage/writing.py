"""One transaction on one study. Statements are made once; what belongs together is written by one of them.

A statement costs a server more than a row does, and with PostgreSQL a journey to it and back.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from time import time
from typing import NamedTuple
from zlib import crc32

import sqlalchemy as sa

from unswayed.errors import JournalError
from unswayed.storage.journal import Record, encode
from unswayed.storage.schema import LEASES, RECORDS, REPLIES

STUDY: sa.BindParameter[int] = sa.bindparam("study")
READ_RECORDS = (
    sa.select(RECORDS.c.seq, RECORDS.c.record, RECORDS.c.crc)
    .where(RECORDS.c.study == STUDY, RECORDS.c.seq > sa.bindparam("after"))
    .order_by(RECORDS.c.seq)
)
READ_REPLIES = sa.select(REPLIES).where(
    REPLIES.c.study == STUDY, sa.tuple_(REPLIES.c.who, REPLIES.c.key).in_(sa.bindparam("asked", expanding=True))
)
READ_LEASES = sa.select(LEASES.c.play, LEASES.c.until).where(LEASES.c.study == STUDY)
END_LEASES = sa.delete(LEASES).where(LEASES.c.study == STUDY, LEASES.c.play.in_(sa.bindparam("ended", expanding=True)))
ADD_RECORDS, ADD_REPLIES, ADD_LEASES = sa.insert(RECORDS), sa.insert(REPLIES), sa.insert(LEASES)


class Reply(NamedTuple):
    """What was answered to a request that had a key."""

    digest: str
    status: int
    reply: str


class Writing:
    """One transaction on one study. Replies and leases are gathered; `finish` writes them."""

    def __init__(self, connection: sa.Connection, name: str, study: int) -> None:
        self._connection = connection
        self._name = name
        self._study = study
        self._known: dict[tuple[str, str], Reply] = {}
        self._new: dict[tuple[str, str], Reply] = {}
        self._leases: dict[int, float | None] = {}  # None: it has ended

    def records(self, seq: int, crc: int) -> tuple[list[Record], int]:
        """The records after number `seq`, and the checksum of the last one."""
        return read_records(self._connection, self._name, self._study, seq, crc)

    def append(self, records: Sequence[Record], seq: int, crc: int) -> int:
        """Add records after number `seq`; the checksum of the last one."""
        rows = []
        for number, record in enumerate(records, start=seq + 1):
            text = encode([record])[1:-1]
            crc = crc32(text.encode(), crc)
            rows.append({"study": self._study, "seq": number, "record": text, "crc": crc})
        if rows:
            self._connection.execute(ADD_RECORDS, rows)
        return crc

    def find_replies(self, asked: Collection[tuple[str, str]]) -> None:
        """Look for what was answered to requests, each given by who sent it and its key."""
        if asked:
            rows = self._connection.execute(READ_REPLIES, {"study": self._study, "asked": list(asked)})
            self._known |= {(row.who, row.key): Reply(row.digest, row.status, row.reply) for row in rows}

    def reply(self, who: str, key: str) -> Reply | None:
        """What was answered to a request, if it was looked for."""
        return self._known.get((who, key)) or self._new.get((who, key))

    def keep_reply(self, who: str, key: str, reply: Reply) -> None:
        """Keep what is answered to a request."""
        self._new[who, key] = reply

    def now(self) -> float:
        """The time of the database, in seconds since 1970: all servers of a database have the same."""
        if self._connection.dialect.name == "sqlite":
            return time()
        return float(self._connection.execute(sa.text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one())

    def leases(self) -> dict[int, float]:
        """Until when each open play belongs to its source."""
        kept = self._connection.execute(READ_LEASES, {"study": self._study})
        found = {int(row.play): float(row.until) for row in kept} | self._leases
        return {play: until for play, until in found.items() if until is not None}

    def lease(self, plays: Sequence[int], until: float) -> None:
        """Lease plays to their sources until then."""
        self._leases |= dict.fromkeys(plays, until)

    def end_leases(self, plays: Sequence[int]) -> None:
        """End the leases of these plays."""
        self._leases |= dict.fromkeys(plays)

    def finish(self) -> None:
        """Write the replies and the leases."""
        if self._new:
            about = {"study": self._study, "made": time()}
            rows = [{**about, "who": who, "key": key, **reply._asdict()} for (who, key), reply in self._new.items()]
            self._connection.execute(ADD_REPLIES, rows)
        if self._leases:
            self._connection.execute(END_LEASES, {"study": self._study, "ended": list(self._leases)})
        lent = [(play, until) for play, until in self._leases.items() if until is not None]
        if lent:
            self._connection.execute(ADD_LEASES, [{"study": self._study, "play": i, "until": t} for i, t in lent])


def read_records(connection: sa.Connection, name: str, study: int, seq: int, crc: int) -> tuple[list[Record], int]:
    """The records of a study after number `seq`, whose checksum is `crc`, and the checksum of the last one.

    Raises:
        JournalError: A record is missing or was changed.
    """
    records = []
    for number, text, stored in connection.execute(READ_RECORDS, {"study": study, "after": seq}):
        seq, crc = seq + 1, crc32(text.encode(errors="replace"), crc)
        if number != seq or crc != stored:
            raise JournalError(f"{name} is damaged at record {seq} of study {study}: restore it from a copy")
        records.append(json.loads(text))
    return records, crc
