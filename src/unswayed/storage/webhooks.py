"""Who is told when the verdict or the leader of a study changes, and the messages that wait to be sent."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from unswayed.storage.database import Database
from unswayed.storage.schema import MESSAGES, STUDIES, WEBHOOKS


class Webhook(NamedTuple):
    """Where the verdicts of a study are sent.

    Attributes:
        study: The number of the study.
        name: Its name.
        url: Where they are sent.
        secret: By which they are signed.
        seq: The record after which the verdict was last another one.
        verdict: That verdict; None if none was noticed so far.
        leader: The point that led then, as JSON; None if it is not known.
        tried: When something was last sent, in seconds since 1970.
        error: Why that failed; None if it did not.
    """

    study: int
    name: str
    url: str
    secret: str
    seq: int
    verdict: str | None
    leader: str | None
    tried: float | None
    error: str | None


class Message(NamedTuple):
    """What waits to be sent.

    Attributes:
        study: The number of the study.
        seq: The record after which the verdict changed.
        body: What is sent.
        tries: How often it was tried.
        due: When it is to be sent, in seconds since 1970.
        url: Where.
        secret: By which it is signed.
    """

    study: int
    seq: int
    body: str
    tries: int
    due: float
    url: str
    secret: str


class Webhooks:
    """The webhooks of a database. Several threads and servers may use them.

    Args:
        database: Where they are.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[Webhook]:
        """Every webhook, by the number of its study."""
        return self._found(sa.true())

    def of(self, name: str) -> Webhook | None:
        """The webhook of a study; None if it has none.

        Args:
            name: The name of the study.
        """
        return next(iter(self._found(STUDIES.c.name == name)), None)

    def _found(self, which: sa.ColumnElement[bool]) -> list[Webhook]:
        columns = [STUDIES.c.id.label("study"), STUDIES.c.name, *(WEBHOOKS.c[name] for name in Webhook._fields[2:])]
        query = sa.select(*columns).join_from(WEBHOOKS, STUDIES).where(which).order_by(STUDIES.c.id)
        with self._database._reading() as connection:
            return [Webhook(**row) for row in connection.execute(query).mappings()]

    def put(self, study: int, url: str, secret: str) -> None:
        """Set the webhook of a study. What waits for the one before is not sent any more.

        Args:
            study: The number of the study.
            url: Where to send.
            secret: By which messages are signed.
        """
        with self._database._writing() as connection:
            _forget(connection, study)
            connection.execute(sa.insert(WEBHOOKS).values(study=study, url=url, secret=secret, seq=0))

    def drop(self, study: int) -> bool:
        """Remove the webhook of a study, and what waits; False if there is none.

        Args:
            study: The number of the study.
        """
        with self._database._writing() as connection:
            return _forget(connection, study)

    def notice(self, before: Webhook, seq: int, verdict: str, leader: str, body: str | None, now: float) -> bool:
        """Keep a verdict and a leader, and with them the message, unless somebody else has noticed something meanwhile.

        Args:
            before: The webhook as it was when the verdict was compared with it.
            seq: The last record that the verdict is about.
            verdict: The verdict.
            leader: The point that leads, as JSON.
            body: Of the message; None if there is nothing to tell.
            now: When the message is due.

        Returns:
            Whether it was kept.
        """
        study = before.study
        known = sa.select(WEBHOOKS).where(WEBHOOKS.c.study == study).with_for_update()
        with self._database._writing() as connection:
            row = connection.execute(known).first()
            if row is None or row.seq >= seq or (row.verdict, row.leader) != (before.verdict, before.leader):
                return False
            kept = sa.update(WEBHOOKS).where(WEBHOOKS.c.study == study)
            connection.execute(kept.values(seq=seq, verdict=verdict, leader=leader))
            if body is not None:
                message = {"study": study, "seq": seq, "body": body, "tries": 0, "due": now}
                connection.execute(sa.insert(MESSAGES).values(**message))
            return True

    def waiting(self, study: int) -> int:
        """How many messages wait.

        Args:
            study: The number of the study.
        """
        query = sa.select(sa.func.count()).select_from(MESSAGES).where(MESSAGES.c.study == study)
        with self._database._reading() as connection:
            return int(connection.execute(query).scalar_one())

    def due(self, now: float) -> list[Message]:
        """What is to be sent: the oldest message of each study, if its time has come.

        Args:
            now: The time.
        """
        others = MESSAGES.alias()
        oldest = sa.select(sa.func.min(others.c.seq)).where(others.c.study == WEBHOOKS.c.study).scalar_subquery()
        columns = [*(MESSAGES.c[name] for name in Message._fields[:5]), WEBHOOKS.c.url, WEBHOOKS.c.secret]
        joined = sa.join(MESSAGES, WEBHOOKS, MESSAGES.c.study == WEBHOOKS.c.study)
        query = sa.select(*columns).select_from(joined).where(MESSAGES.c.seq == oldest, MESSAGES.c.due <= now)
        with self._database._reading() as connection:
            return [Message(**row) for row in connection.execute(query).mappings()]

    def claim(self, message: Message, until: float) -> bool:
        """Whether the caller is to send a message; nobody else does until then.

        Args:
            message: As it was due.
            until: When others may try again, if the caller dies meanwhile.
        """
        with self._database._writing() as connection:
            taken = sa.update(MESSAGES).where(*_is(message), MESSAGES.c.due == message.due)
            return connection.execute(taken.values(due=until, tries=message.tries + 1)).rowcount == 1

    def tried(self, message: Message, now: float, error: str | None, again: float | None) -> None:
        """Keep what became of a message.

        Args:
            message: The message.
            now: When it was tried.
            error: Why it failed; None if it was taken.
            again: When it is tried again; None for never.
        """
        with self._database._writing() as connection:
            one = sa.delete(MESSAGES) if again is None else sa.update(MESSAGES).values(due=again)
            if connection.execute(one.where(*_is(message))).rowcount:  # the webhook may be another one by now
                outcome = sa.update(WEBHOOKS).where(WEBHOOKS.c.study == message.study)
                connection.execute(outcome.values(tried=now, error=error))


def _forget(connection: sa.Connection, study: int) -> bool:
    connection.execute(sa.delete(MESSAGES).where(MESSAGES.c.study == study))
    return connection.execute(sa.delete(WEBHOOKS).where(WEBHOOKS.c.study == study)).rowcount > 0


def _is(message: Message) -> tuple[sa.ColumnElement[bool], ...]:
    return MESSAGES.c.study == message.study, MESSAGES.c.seq == message.seq
