"""A study in a database that several servers may share, to which many threads write.

Writers wait for each other only while records are written: those who wait are written by the next one, in a single
transaction.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from threading import RLock
from typing import Any

from unswayed.errors import JournalError, SystemFault, UnswayedError
from unswayed.search.play import Play
from unswayed.service.refused import Refused
from unswayed.storage import Record
from unswayed.storage.database import Database
from unswayed.storage.writing import Reply, Writing
from unswayed.study.optimizer import Optimizer
from unswayed.study.state import State
from unswayed.witness.journal import SignedJournal
from unswayed.witness.keys import SigningKey

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


class DatabaseStudy:
    """A study of a database, kept in memory too. Several threads may use it.

    Attributes:
        name: Of the study.
        study: What is known of it.
        stale: Whether the last writing failed, so that the database must be read again.
    """

    def __init__(self, database: Database, name: str, key: SigningKey | None = None) -> None:
        self.name = name
        self._database = database
        self._journal = SignedJournal(database, name, key)
        self.study = Optimizer.open(self._journal)
        self._queue: deque[Request] = deque()
        self._lock = RLock()
        self.stale = False

    @property
    def seq(self) -> int:
        """The number of the last record that is known here."""
        return self._journal.seq

    @property
    def log(self) -> tuple[Play, ...]:
        """Every play, in order."""
        return self.study.log

    @property
    def state(self) -> State:
        """What its records add up to."""
        return self.study._state

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
            with self._journal.writing() as (writing, news):
                self._catch_up(news)
                writing.find_replies([(request.who, request.key) for request in batch if request.key is not None])
                for request in batch:
                    before = len(self._journal.appended)
                    try:
                        request.run(writing)
                    except (UnswayedError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
                        request.error = error
                        if len(self._journal.appended) != before:  # half of a request must not be kept
                            raise SystemFault("a request beside this one failed: send it again") from error
        except BaseException as error:  # nothing of the batch is kept, unless the connection broke in the commit itself
            self.stale = True
            for request in batch:
                request.reply = None
                request.error = request.error or (error if isinstance(error, Exception) else JournalError("stopped"))
            if not isinstance(error, Exception):
                raise

    def edit(self, who: str, edit: Callable[[Optimizer], object]) -> None:
        """Carry out one of the verbs that a study has for its owner."""

        def make(_: Writing) -> tuple[int, Body]:
            edit(self.study)
            return 200, {}

        self.write(who, None, "", make)

    @property
    def next_seq(self) -> int:
        """The number of the last record, with those under way."""
        return self.seq + len(self._journal.appended)

    def refresh(self) -> None:
        """Take in what other servers have written."""
        with self._lock:
            self._catch_up([] if self.stale else self._journal.news())

    def _catch_up(self, news: list[Record]) -> None:
        """Take in records that others wrote; begin again from the database if the last writing failed."""
        if self.stale:
            self.study._reload()
            self.stale = False
        else:
            for record in news:
                self.state.take(record)
        if self.state.checked != self._journal.checked:  # a signature is wrong: nothing is witnessed any more
            self.study._reload()
            self.state.edition += 1
