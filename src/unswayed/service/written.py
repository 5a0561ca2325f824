"""A study in a database that several servers may share, to which many threads write.

Writers wait for each other only while records are written: those who wait are written by the next one, in a single
transaction.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from unswayed.errors import JournalError, SystemFault, UnswayedError
from unswayed.service.refused import Refused
from unswayed.storage import Journal, Record
from unswayed.storage.database import Database
from unswayed.storage.writing import Reply, Writing
from unswayed.study.edited import Edited
from unswayed.study.header import Header
from unswayed.study.state import State

Body = dict[str, Any]


@dataclass(eq=False)
class Request:
    """A request to write: by whom, its key if it may come again, and what it does to the study."""

    who: str
    key: str | None
    digest: str
    make: Callable[[Writing], tuple[int, Body]]
    reply: tuple[int, Body] | None = None
    error: Exception | None = None

    def run(self, writing: Writing) -> None:
        """Do it, unless it was done before."""
        known = writing.reply(self.who, self.key) if self.key is not None else None
        if known is not None:
            if known.digest != self.digest:
                raise Refused(409, "this Idempotency-Key was used for another request: take a new one")
            self.reply = known.status, json.loads(known.reply)
            return
        self.reply = self.make(writing)
        if self.key is not None:
            status, body = self.reply
            writing.keep_reply(self.who, self.key, Reply(self.digest, status, json.dumps(body)))


class _Pending(Journal):
    """The records of a transaction under way; `read` begins again from what is kept."""

    def __init__(self, reload: Callable[[], list[Record]]) -> None:
        self.records: list[Record] = []
        self._reload = reload

    def append(self, *records: Record) -> None:
        self.records.extend(records)

    def read(self) -> list[Record]:
        return self._reload()

    def close(self) -> None:
        self.records.clear()


class Written(Edited):
    """A study of a database, kept in memory too. Several threads may use it.

    Attributes:
        name: Of the study.
        stale: Whether the last writing failed, so that the database must be read again.
        seq: The number of the last record that is known here.
    """

    def __init__(self, database: Database, number: int, name: str) -> None:
        self.name = name
        self._database, self._number = database, number
        self._queue: deque[Request] = deque()
        self.stale = False
        self._holders: dict[int, list[str]] = {}  # to whom each play was given, the last one last
        records, self._crc = database.records(number)
        header = Header.read(records, name)
        self._pending = _Pending(self._read)
        super().__init__(State.of(header.own_space(name), header.settings, records), self._pending)
        self._take_note(records)
        self.seq = len(records)

    def write(self, who: str, key: str | None, digest: str, make: Callable[[Writing], tuple[int, Body]]) -> Any:
        """Carry out a request, or repeat its reply if it was carried out before.

        Returns:
            The status and the body of the reply.
        """
        request = Request(who, key, digest, make)
        self._queue.append(request)
        with self._lock:
            if request.reply is None and request.error is None:
                batch = [self._queue.popleft() for _ in range(len(self._queue))]
                self._commit(batch)
        if request.error is not None:
            raise request.error
        return request.reply

    def _commit(self, batch: list[Request]) -> None:
        try:
            with self._database.writing(self._number) as writing:
                self._catch_up(*writing.records(self.seq, self._crc))
                writing.find_replies([(request.who, request.key) for request in batch if request.key is not None])
                for request in batch:
                    before = len(self._pending.records)
                    try:
                        request.run(writing)
                    except (UnswayedError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
                        request.error = error
                        if len(self._pending.records) != before:  # half of a request must not be kept
                            raise SystemFault("a request beside this one failed: send it again") from error
                crc = writing.append(self._pending.records, self.seq, self._crc)
            self._take_note(self._pending.records)
            self.seq, self._crc = self.seq + len(self._pending.records), crc
            self._pending.close()
        except BaseException as error:  # nothing of the batch is kept, unless the connection broke in the commit itself
            self.stale = True
            for request in batch:
                request.reply = None
                request.error = request.error or (error if isinstance(error, Exception) else JournalError("stopped"))
            if not isinstance(error, Exception):
                raise

    def edit(self, who: str, edit: Callable[[], object]) -> None:
        """Carry out one of the verbs that a study has for its owner."""

        def make(_: Writing) -> tuple[int, Body]:
            edit()
            return 200, {}

        self.write(who, None, "", make)

    @property
    def next_seq(self) -> int:
        """The number of the last record, with those under way."""
        return self.seq + len(self._pending.records)

    def refresh(self) -> None:
        """Take in what other servers have written."""
        with self._lock:
            if self.stale or self._database.last(self._number) != self.seq:
                self._catch_up(*self._database.records(self._number, self.seq, self._crc))

    def _catch_up(self, news: list[Record], crc: int) -> None:
        """Take in records that others wrote; begin again from the database if the last writing failed."""
        if self.stale:
            self._pending.close()
            records = self._read()
            self._state = State.of(self.space, Header.read(records, self.name).settings, records)
            self._holders.clear()
            self._take_note(records)
            self.stale = False
            return
        for record in news:
            self._state.take(record)
        self._take_note(news)
        self.seq, self._crc = self.seq + len(news), crc

    def _read(self) -> list[Record]:
        records, self._crc = self._database.records(self._number)
        self.seq = len(records)
        return records

    def _take_note(self, records: list[Record]) -> None:
        for record in records:
            if record["kind"] in ("ask", "hand") and record.get("source") is not None:
                self._holders.setdefault(record["play"], []).append(record["source"])
