"""One study that many sources measure at once, in a database that several servers may share.

Writers wait for each other only while records are written: those who wait are written by the next one, in a single
transaction. The search works on a copy of the state, so nobody who tells waits for somebody who asks.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic, perf_counter
from typing import Any

from unswayed.core.measurement import Measurement
from unswayed.core.threads import one_thread
from unswayed.errors import JournalError, UnswayedError
from unswayed.search.answer import Answer
from unswayed.search.play import Play, Status, Why
from unswayed.service.refused import Refused
from unswayed.spaces import Point
from unswayed.storage import Journal, Record
from unswayed.storage.database import Database, Reply, Writing
from unswayed.study.edited import Edited
from unswayed.study.fold import Fold
from unswayed.study.header import Header
from unswayed.study.state import State, plain

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


class SharedStudy(Edited):
    """A study of a database. Several threads may use it."""

    def __init__(self, database: Database, number: int, name: str) -> None:
        self.name = name
        self._database, self._number = database, number
        self._queue: deque[Request] = deque()
        self._searching, self._answering = Lock(), Lock()
        self._generation, self._folded = 0, -1
        self._latest: tuple[int, Answer | None] = (0, None)  # and after which record
        self._active: dict[str, float] = {}  # when each source last asked here
        self._stale = self._claimed = False
        self.search_seconds = 0.0
        records, self._crc = database.records(number)
        self._holders: dict[int, list[str]] = {}
        header = Header.read(records, name)
        state = State.of(header.own_space(name), header.settings, records)
        self._pending = _Pending(self._read)
        super().__init__(state, self._pending)
        self._take_note(records)
        self.seq = len(records)

    # writing

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
                for request in batch:
                    before = len(self._pending.records)
                    try:
                        request.run(writing)
                    except (UnswayedError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
                        if len(self._pending.records) != before:
                            raise  # half of a request must not be kept
                        request.error = error
                crc = writing.append(self._pending.records, self.seq, self._crc)
            self._take_note(self._pending.records)
            self.seq, self._crc = self.seq + len(self._pending.records), crc
            self._pending.close()
        except BaseException as error:  # nothing of the batch is kept, unless the connection broke in the commit itself
            self._stale = True
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
            if self._stale or self._database.last(self._number) != self.seq:
                self._catch_up(*self._database.records(self._number, self.seq, self._crc))

    def _catch_up(self, news: list[Record], crc: int) -> None:
        """Take in records that others wrote; begin again from the database if the last writing failed."""
        if self._stale:
            self._pending.close()
            records = self._read()
            self._state = State.of(self.space, Header.read(records, self.name).settings, records)
            self._holders.clear()
            self._take_note(records)
            self._generation += 1
            self._stale = False
            return
        for record in news:
            self._state.take(record)
            if record["kind"] in ("retract", "restore", "correct", "change", "extend"):
                self._refold()
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

    def _refold(self) -> None:
        self._generation += 1

    # what sources do

    def tell_as(self, writing: Writing, source: str | None, play: int, told: Measurement) -> tuple[int, Body]:
        """Take an answer. The first one to a play counts; one of a source that had the play before is kept, no more.

        Args:
            writing: The transaction.
            source: Who tells, if that is not the owner.
            play: The number of the play.
            told: The measurement.
        """
        known = self._held(source, play)
        told = replace(told, source=source or told.source or known.source)
        reply = {"number": play, "status": "told", "value": told.value}
        if known.status is Status.OPEN:
            self.tell(known, told)
            writing.end_leases([play])
            return 200, reply
        if replace(known, **vars(told)) == known:
            return 200, reply if source is not None else {**reply, "status": str(self._state.as_shown(known).status)}
        if source is not None and known.source != source:
            self._record({"kind": "late", "play": play, **told.to_dict()})
            line = f"play {play} was answered by another source; this value is kept in the log and does not count"
            return 409, {"error": line, "stored": None}
        has = f"told {known.value!r}" if known.value is not None else f"{known.status}: {known.reason}"
        raise Refused(409, f"play {play} was already {has}", stored=known.value)

    def fail_as(self, writing: Writing, source: str | None, play: int, reason: str) -> tuple[int, Body]:
        """Take the news that a play could not be measured."""
        known = self._held(source, play)
        if source is not None and known.source != source:  # it would fail in the name of the one that has it now
            raise Refused(409, f"play {play} was handed on to another source", stored=None)
        if known.status not in (Status.OPEN, Status.FAILED):
            raise Refused(409, f"play {play} was already told {known.value!r}", stored=known.value)
        self.fail(known, reason)
        writing.end_leases([play])
        return 200, {"number": play, "status": "failed"}

    def beat(self, writing: Writing, source: str | None, play: int, lease: float) -> tuple[int, Body]:
        """A sign of life: the play stays with its source for another lease."""
        known = self._held(source, play)
        if known.status is not Status.OPEN or (source is not None and known.source != source):
            raise Refused(409, f"play {play} is {known.status if known.status is not Status.OPEN else 'handed on'}")
        until = writing.now() + lease
        writing.lease([play], until)
        return 200, {"number": play, "lease_until": until}

    def _held(self, source: str | None, play: int) -> Play:
        """The play, if it was given to the source; an owner has them all."""
        if not 0 <= play < len(self._state.log):
            raise Refused(404, f"there is no play {play}")
        if source is not None and source not in self._holders.get(play, ()):
            raise Refused(403, f"play {play} was not given to you")
        return self._state.log[play]

    # asking

    def ask_as(self, source: str, n: int, lease: float, who: str, key: str | None, digest: str) -> tuple[int, Body]:
        """The source's open plays, then those whose lease has ended, then new ones, up to n; each is lent for a lease.

        Args:
            source: Who will measure them.
            n: How many.
            lease: For how many seconds.
            who: Who asks, for the key.
            key: If the request may come again.
            digest: Of the request.
        """
        with self._searching:
            self._active[source] = monotonic()
            self.refresh()
            ready = self._ready(source, self._database.leases(self._number), self._database.now())
            wanted = self._new(n - len(ready))
            points = self._choose(wanted, source, lease) if wanted > 0 else []
            reply: tuple[int, Body] = self.write(
                who, key, digest, lambda writing: self._hand(writing, source, n, lease, points)
            )
            return reply

    def _hand(
        self, writing: Writing, source: str, n: int, lease: float, points: list[tuple[Point, Why]]
    ) -> tuple[int, Body]:
        """Lend what is ready, then new plays at the points, as far as plays are left."""
        now, log = writing.now(), self._state.log
        ready = self._ready(source, writing.leases(), now)[:n]
        for play in ready:
            if play.source != source:
                self._record({"kind": "hand", "play": play.number, "source": source})
        first, new = len(log), points[: max(self._new(n - len(ready)), 0)]
        asked = ({"play": first + i, "point": plain(x), "why": str(why)} for i, (x, why) in enumerate(new))
        self._record(*({"kind": "ask", **record, "source": source} for record in asked))
        lent = [*(play.number for play in ready), *range(first, len(log))]
        writing.lease(lent, now + lease)
        plays = [{"number": i, "point": plain(log[i].point), "lease_until": now + lease} for i in lent]
        return 200, {"plays": plays}

    def _ready(self, source: str, leases: dict[int, float], now: float) -> list[Play]:
        """The open plays of a source, then those that nobody has any more."""
        waiting = [play for play in self._state.log if play.status is Status.OPEN]
        own = [play for play in waiting if play.source == source]
        ended = [play for play in waiting if play.source != source and leases.get(play.number, 0.0) <= now]
        return own + ended

    def _new(self, n: int) -> int:
        left = self.plays_left
        return n if left is None else min(n, left)

    def _choose(self, n: int, source: str, lease: float) -> list[tuple[Point, Why]]:
        """New points. A doubtful value goes to another source than that which gave it, if there is another."""
        since = monotonic() - lease
        others = any(one != source and at > since for one, at in self._active.items())
        began = perf_counter()
        try:
            with one_thread():
                return self._current()[0].choose(n, source if others else None)
        finally:
            self.search_seconds += perf_counter() - began

    def _current(self) -> tuple[Fold, int]:
        """The search after all answers so far, and the number of the last record."""
        with self._lock:
            state, generation, seq = self._state.copy(), self._generation, self.seq
        if generation != self._folded:
            self._fold, self._folded = Fold(state), generation
        else:
            self._fold.follow(state)
        return self._fold, seq

    # reading

    def answer(self) -> Answer:
        """The answer from all measurements so far."""
        with self._answering:
            seq, known = self._latest
            if known is None or seq != self.seq:
                with self._searching, one_thread():
                    began = perf_counter()
                    fold, seq = self._current()
                    known = fold.answer()
                    self.search_seconds += perf_counter() - began
                self._latest = seq, known
            return known

    def latest_answer(self) -> tuple[Answer | None, int]:
        """The last answer that was computed, and how many records have come since then; this does not wait."""
        seq, known = self._latest
        return known, self.seq - seq

    def claim_answer(self) -> bool:
        """Whether the caller is to compute the answer, by `answer_claimed`, because nobody else does."""
        with self._lock:
            free, self._claimed = not self._claimed, True
            return free

    def answer_claimed(self) -> None:
        """Compute the answer that was claimed."""
        try:
            self.answer()
        finally:
            self._claimed = False

    def measured_since(self, answer: Answer) -> int:
        """How many more measurements count now than in an answer, or fewer."""
        return abs(sum(play.measured for play in self.log) - answer.measured)

    def records(self, after: int = 0) -> list[Record]:
        """The records after a number, of all servers."""
        return self._database.records_after(self._number, after)
