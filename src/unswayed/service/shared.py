"""One study that many sources measure at once: what is handed out, what counts, what is answered.

The search works on a copy of the state, so nobody who tells waits for somebody who asks.
"""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from time import monotonic, thread_time
from typing import Any, NamedTuple

from unswayed.core.data.measurement import Measurement
from unswayed.core.data.threads import one_thread
from unswayed.search.answer import Answer
from unswayed.search.fold import FitRecord
from unswayed.search.play import Play, Status, Why
from unswayed.service.database_study import Body, DatabaseStudy
from unswayed.service.refused import Refused
from unswayed.spaces import Point
from unswayed.storage import Record
from unswayed.storage.database import Database
from unswayed.storage.writing import Writing
from unswayed.study.duel_answer import DuelAnswer
from unswayed.study.dueling import Dueling, search_of
from unswayed.study.header import now
from unswayed.study.searching import Searching
from unswayed.study.state import plain
from unswayed.witness.keys import SigningKey


class Chosen(NamedTuple):
    """New points, and the fit that was made to choose them, of an edition of the study."""

    points: list[tuple[Point, Why]]
    fit: FitRecord | None = None
    edition: int = 0


class SharedStudy(DatabaseStudy):
    """A study of a database. Several threads may use it."""

    def __init__(self, database: Database, name: str, key: SigningKey | None = None) -> None:
        super().__init__(database, name, key)
        self.number = database.studies()[name]
        self._searching = Lock()
        self._answering = Lock()
        self._search = search_of(self.state.copy())
        self._latest: tuple[int, Answer | DuelAnswer | None] = (0, None)  # and after which record
        self._active: dict[str, float] = {}  # when each source last asked here
        self._claimed = False
        self.search_seconds = 0.0  # of processor time

    # what sources do

    def tell_as(
        self, writing: Writing, source: str | None, play: int, told: Measurement, said: Body | None = None
    ) -> tuple[int, Body]:
        """Take an answer. The first one to a play counts; one of a source that had the play before is kept, no more.

        Args:
            writing: The transaction.
            source: Who tells, if that is not the owner.
            play: The number of the play.
            told: The measurement.
            said: What a witness says of its run; None from others.
        """
        known = self._held(source, play)
        told = replace(told, source=source or told.source or known.source)
        reply = {"number": play, "status": "told", "value": told.value}
        if known.status is Status.OPEN:
            if said is None:
                self.study.tell(known, told)
            else:
                witness = {"study": self.name, **self._believed(known, said)}
                self.study._record({"kind": "tell", "play": play, **told.to_dict(), "witness": witness})
            writing.end_leases([play])
            return 200, reply
        if replace(known, **vars(told)) == known:
            return 200, reply if source is not None else {**reply, "status": str(self.state.as_shown(known).status)}
        if source is not None and known.source != source:
            self.study._record({"kind": "late", "play": play, **told.to_dict()})
            line = f"play {play} was answered by another source; this value is kept in the log and does not count"
            return 409, {"error": line, "stored": None}
        has = f"told {known.value!r}" if known.value is not None else f"{known.status}: {known.reason}"
        raise Refused(409, f"play {play} was already {has}", stored=known.value)

    def _believed(self, play: Play, said: Body) -> Body:
        """What a witness says of the run of an open play, if that is what the study asked for."""
        if not self._journal.checked:
            raise Refused(
                422, "this server cannot sign for this study: start it with --key, the one of its first signature"
            )
        if said["point"] != plain(play.point):
            raise Refused(422, f"this run was of another point than play {play.number}")
        first = self.state.command
        if first not in (None, said["command"]):
            line = f"this study is measured by the command {first[:12]}, not {said['command'][:12]}"
            raise Refused(422, f"{line}: run that command, or begin another study")
        return said

    def fail_as(self, writing: Writing, source: str | None, play: int, reason: str) -> tuple[int, Body]:
        """Take the news that a play could not be measured."""
        known = self._held(source, play)
        if source is not None and known.source != source:  # it would fail in the name of the one that has it now
            raise Refused(409, f"play {play} was handed on to another source", stored=None)
        if known.status not in (Status.OPEN, Status.FAILED):
            raise Refused(409, f"play {play} was already told {known.value!r}", stored=known.value)
        self.study.fail(known, reason)
        writing.end_leases([play])
        return 200, {"number": play, "status": "failed"}

    def move_as(self, source: str | None, play: int, point: Any, *, nearest: bool) -> tuple[int, Body]:
        """Take where a play is really measured; from a source only while the play is open and its own.

        Args:
            source: Who says so, if that is not the owner.
            play: The number of the play.
            point: What was set otherwise, as in `Optimizer.move`.
            nearest: Whether a number between two steps counts at the nearest one.
        """
        known = self._held(source, play)
        if source is not None and (known.status is not Status.OPEN or known.source != source):
            why = "handed on" if known.status is Status.OPEN else known.status
            raise Refused(409, f"play {play} is {why}: only the owner can move it")
        self.study.move(known, point, nearest=nearest)
        return 200, {"number": play, "point": plain(self.state.log[play].point)}

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
        if not 0 <= play < len(self.state.log):
            raise Refused(404, f"there is no play {play}")
        if source is not None and source not in self.state.holders.get(play, ()):
            raise Refused(403, f"play {play} was not given to you")
        return self.state.log[play]

    def given(self, source: str) -> list[Body]:
        """The plays that a source was given, without what others told and what the owner thinks of it."""
        plays = (self.log[number] for number, held in list(self.state.holders.items()) if source in held)
        return [_own(play) if play.source == source else _handed_on(play) for play in plays]

    # asking

    def ask_as(self, source: str, n: int, lease: float, who: str, key: str | None, digest: str) -> tuple[int, Body]:
        """The source's open plays, then those whose lease has ended, then new ones, up to n, reserved for a lease.

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
            ready = self._ready(source, self._database.leases(self.number), self._database.now())
            wanted = self._new(n - len(ready))
            new = self._choose(wanted, source, lease) if wanted > 0 else Chosen([])
            reply: tuple[int, Body] = self.write(
                who, key, digest, lambda writing: self._hand(writing, source, n, lease, new)
            )
            return reply

    def _hand(self, writing: Writing, source: str, n: int, lease: float, chosen: Chosen) -> tuple[int, Body]:
        """Lend what is ready, then new plays at the points, as far as plays are left."""
        now, log = writing.now(), self.state.log
        ready = self._ready(source, writing.leases(), now)[:n]
        for play in ready:
            if play.source != source:
                self.study._record({"kind": "hand", "play": play.number, "source": source})
        if chosen.fit is not None and chosen.edition == self.state.edition:
            self.study._record({"kind": "fit", **chosen.fit})
        first, new = len(log), chosen.points[: max(self._new(n - len(ready)), 0)]
        asked = ({"play": first + i, "point": plain(x), "why": str(why)} for i, (x, why) in enumerate(new))
        self.study._record(*({"kind": "ask", **record, "source": source} for record in asked))
        lent = [*(play.number for play in ready), *range(first, len(log))]
        writing.lease(lent, now + lease)
        plays = [{"number": i, "point": plain(log[i].point), "lease_until": now + lease} for i in lent]
        return 200, {"plays": plays}

    def _ready(self, source: str, leases: dict[int, float], now: float) -> list[Play]:
        """The open plays of a source, then those that nobody has any more."""
        waiting = [self.state.log[number] for number in sorted(self.state.waiting)]
        own = [play for play in waiting if play.source == source]
        ended = [play for play in waiting if play.source != source and leases.get(play.number, 0.0) <= now]
        return own + ended

    def _new(self, n: int) -> int:
        left = self.study.plays_left
        return n if left is None else min(n, left)

    def _choose(self, n: int, source: str, lease: float) -> Chosen:
        """New points. A doubtful value goes to another source than that which gave it, if there is another."""
        since = monotonic() - lease
        others = any(one != source and at > since for one, at in self._active.items())
        began = thread_time()
        try:
            with one_thread():
                search, _ = self._current()
                points = search.choose(n, source if others else None)
                return Chosen(points, search.new_fit, search.edition)
        finally:
            self.search_seconds += thread_time() - began

    def _current(self) -> tuple[Searching | Dueling, int]:
        """The search after all answers so far, and the number of the last record."""
        with self._lock:
            if self.stale:
                self.refresh()
            state, seq = self.state.copy(), self.seq
        self._search.follow(state)
        return self._search, seq

    # reading

    def answer(self) -> Answer | DuelAnswer:
        """The answer from all measurements so far."""
        return self.answered()[1]

    def answered(self) -> tuple[int, Answer | DuelAnswer]:
        """The number of the last record, and the answer from all measurements so far."""
        with self._answering:
            seq, known = self._latest
            if known is None or seq != self.seq:
                with self._searching, one_thread():
                    began = thread_time()
                    search, seq = self._current()
                    known = search.answer()
                    self.search_seconds += thread_time() - began
                self._latest = seq, known
            return seq, known

    def latest_answer(self) -> tuple[Answer | DuelAnswer | None, int]:
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

    def sealed(self) -> list[Record]:
        """All records, with a signature of the server at their end if it signs."""
        return self._journal.sealed(self.records(), now())

    def records(self, after: int = 0) -> list[Record]:
        """The records after a number, of all servers."""
        return self._database.records_after(self.number, after)


def _own(play: Play) -> Body:
    """A play of a source: its own words, whatever the owner thinks of them."""
    status = play.status if play.status in (Status.OPEN, Status.FAILED) else Status.TOLD
    return {
        "number": play.number,
        "point": plain(play.point),
        "proposed": None if play.proposed is None else plain(play.proposed),
        "source": play.source,
        "status": str(status),
        "value": play.value if status is Status.TOLD else None,
        "noise_std": play.noise_std,
        "trials": play.trials,
        "before": list(play.before),
    }


def _handed_on(play: Play) -> Body:
    """A play that another source has now: as it was asked for, whatever has become of it."""
    return _own(Play(play.number, play.point if play.proposed is None else play.proposed))
