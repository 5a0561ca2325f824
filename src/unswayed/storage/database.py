"""Studies in a database, SQLite or PostgreSQL: records under unique numbers, one writer of a study at a time.

Each record has a checksum of itself and of all before it, so damage and loss are found when a study is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import time
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc

from unswayed.errors import InvalidInput, JournalError
from unswayed.storage.journal import Journal, Record, encode
from unswayed.storage.schema import RECORDS, REPLIES, SESSIONS, STUDIES, TOKENS, explaining, open_engine, shown
from unswayed.storage.writing import STUDY, Writing, read_records

LOCK_STUDY = sa.select(STUDIES.c.id).where(STUDIES.c.id == STUDY).with_for_update()
READ_LAST = sa.select(sa.func.max(RECORDS.c.seq)).where(RECORDS.c.study == STUDY)
READ_TOKEN = sa.select(TOKENS).where(TOKENS.c.hash == sa.bindparam("hashed"))


class Database:
    """A database of studies and tokens. Several threads may use it; with PostgreSQL several processes too.

    Args:
        url: sqlite:///FILE or postgresql://USER@HOST/NAME.
        upgrade: Whether a database of an earlier version is brought to this one; else it is refused.

    Raises:
        InvalidInput: The address is wrong.
        JournalError: The database is damaged, foreign or of a newer version.
        SystemFault: The database cannot be reached.

    Attributes:
        name: The database as messages name it.
        sqlite: Whether it is a file of SQLite.
        opened_version: The version that it had when it was opened; now it has `VERSION`.
    """

    def __init__(self, url: str, *, upgrade: bool = True) -> None:
        self.name = ""  # for messages, if opening fails
        self._engine, self.opened_version = open_engine(url, upgrade=upgrade)
        self.name = shown(url)
        self.sqlite = self._engine.dialect.name == "sqlite"
        # Each reading is one statement: it needs no transaction, whose begin and end cost as much as the statement.
        alone = {"reading": True} if self.sqlite else {"isolation_level": "AUTOCOMMIT"}
        self._reader = self._engine.execution_options(**alone)

    def close(self) -> None:
        """Give all connections back."""
        self._engine.dispose()

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with explaining(self.name), self._reader.connect() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        with explaining(self.name), self._engine.begin() as connection:
            yield connection

    # studies

    def studies(self) -> dict[str, int]:
        """The number of each study, by name."""
        with self._reading() as connection:
            return {row.name: int(row.id) for row in connection.execute(sa.select(STUDIES))}

    def begin(self, name: str, records: Sequence[Record]) -> int | None:
        """Begin a study with its first records; its number, or None if the name is taken."""
        try:
            with self._writing() as connection:
                made = connection.execute(sa.insert(STUDIES).values(name=name).returning(STUDIES.c.id))
                number = int(made.scalar_one())
                Writing(connection, self.name, number).append(records, 0, 0)
                return number
        except exc.IntegrityError:
            return None

    def records(self, study: int, seq: int = 0, crc: int = 0) -> tuple[list[Record], int]:
        """The records after number `seq`, whose checksum is `crc`, and the checksum of the last one."""
        with self._reading() as connection:
            return read_records(connection, self.name, study, seq, crc)

    def last(self, study: int) -> int:
        """The number of the last record."""
        with self._reading() as connection:
            return int(connection.execute(READ_LAST, {"study": study}).scalar() or 0)

    def records_after(self, study: int, seq: int) -> list[Record]:
        """The records after number `seq`, unchecked."""
        query = sa.select(RECORDS.c.record).where(RECORDS.c.study == study, RECORDS.c.seq > seq).order_by(RECORDS.c.seq)
        with self._reading() as connection:
            return [json.loads(text) for text in connection.execute(query).scalars()]

    def leases(self, study: int) -> dict[int, float]:
        """Until when each open play belongs to its source."""
        with self._reading() as connection:
            return Writing(connection, self.name, study).leases()

    def now(self) -> float:
        """The time of the database."""
        with self._reading() as connection:
            return Writing(connection, self.name, 0).now()

    @contextmanager
    def writing(self, study: int) -> Iterator[Writing]:
        """A transaction in which nobody else writes to the study: all of it is kept, or nothing."""
        with self._writing() as connection:
            if not self.sqlite:  # there, BEGIN IMMEDIATE keeps others from writing
                connection.execute(LOCK_STUDY, {"study": study}).one()
            writing = Writing(connection, self.name, study)
            yield writing
            writing.finish()

    def forget_replies(self, before: float) -> int:
        """Forget what was answered to requests before a time; how many replies these were."""
        with self._writing() as connection:
            return connection.execute(sa.delete(REPLIES).where(REPLIES.c.made < before)).rowcount

    # tokens and browsers

    def tokens(self) -> list[dict[str, Any]]:
        """All tokens, by name; their secrets are not known here."""
        with self._reading() as connection:
            rows = connection.execute(sa.select(TOKENS).order_by(TOKENS.c.name)).mappings()
            return [dict(row) for row in rows]

    def token(self, hashed: str) -> dict[str, Any] | None:
        """The token with this hash."""
        with self._reading() as connection:
            row = connection.execute(READ_TOKEN, {"hashed": hashed}).mappings().first()
            return None if row is None else dict(row)

    def put_token(self, row: Mapping[str, Any]) -> bool:
        """Keep a new token; False if its name is taken."""
        try:
            with self._writing() as connection:
                connection.execute(sa.insert(TOKENS).values(**row))
                return True
        except exc.IntegrityError:
            return False

    def drop_token(self, name: str, keep: str) -> bool:
        """Revoke a token, and log out the browsers that used it.

        Args:
            name: Its name.
            keep: The role whose last token is not revoked.

        Returns:
            Whether it was revoked: there is one of that name, and it is not the last of the role.
        """
        last = sa.select(TOKENS.c.name).where(TOKENS.c.role == keep).with_for_update()
        with self._writing() as connection:
            if connection.execute(last).scalars().all() == [name]:
                return False
            hashes = sa.select(TOKENS.c.hash).where(TOKENS.c.name == name)
            connection.execute(sa.delete(SESSIONS).where(SESSIONS.c.token.in_(hashes)))
            return connection.execute(sa.delete(TOKENS).where(TOKENS.c.name == name)).rowcount > 0

    def token_seen(self, hashed: str, at: float) -> None:
        """Keep when a token was last used."""
        with self._writing() as connection:
            connection.execute(sa.update(TOKENS).where(TOKENS.c.hash == hashed).values(seen=at))

    def put_session(self, digest: str, token: str, until: float) -> None:
        """Keep that a browser has logged in with a token; forget those whose time is over."""
        with self._writing() as connection:
            connection.execute(sa.delete(SESSIONS).where(SESSIONS.c.until < time()))
            connection.execute(sa.insert(SESSIONS).values(hash=digest, token=token, until=until))

    def session(self, digest: str) -> str | None:
        """The hash of the token that a browser has logged in with."""
        with self._reading() as connection:
            query = sa.select(SESSIONS.c.token).where(SESSIONS.c.hash == digest, SESSIONS.c.until > time())
            return connection.execute(query).scalar()

    def drop_session(self, digest: str) -> None:
        """Log a browser out."""
        with self._writing() as connection:
            connection.execute(sa.delete(SESSIONS).where(SESSIONS.c.hash == digest))


class DatabaseJournal(Journal):
    """A journal in a database, under the name of a study. It belongs to one object at a time.

    Records are appended in a transaction of their own; or within `writing`, all in one.

    Args:
        database: Where.
        study: The name of the study; it need not exist.

    Raises:
        InvalidInput: The journal is closed.
        JournalError: The records are damaged, or somebody else has written to them.
        SystemFault: The database refuses.

    Attributes:
        seq: The number of the last record that is known here.
    """

    def __init__(self, database: Database, study: str) -> None:
        self.path = f"{database.name}: {study}"
        self._database = database
        self._study = study
        self._closed = False
        self._number = database.studies().get(study)
        self.seq = 0
        self._crc = 0
        self._new: list[Record] | None = None  # of the transaction under way
        self.read()

    def append(self, *records: Record) -> None:
        """Add records after all others, and return when they are kept: all of them or none."""
        self._check()
        if self._new is not None:
            self._new.extend(records)
            return
        encode(records)  # refuses what is not plain JSON
        if records and self._number is None:
            self._number = self._database.begin(self._study, records)
            if self._number is None:
                raise JournalError(f"{self.path} was begun by somebody else; open it again")
            self.read()
        elif records:
            with self.writing() as (_, news):
                if news:
                    raise JournalError(f"{self.path} was changed by another program while in use; open it again")
                self.append(*records)

    @contextmanager
    def writing(self) -> Iterator[tuple[Writing, list[Record]]]:
        """A transaction in which nobody else writes to the study, and the records that others have written before.

        What is appended meanwhile is kept at its end, all of it or nothing.
        """
        self._check()
        if self._number is None:
            raise InvalidInput(f"{self.path} was not begun")
        before = self.seq, self._crc
        self._new = []
        try:
            with self._database.writing(self._number) as writing:
                news, crc = writing.records(self.seq, self._crc)
                self.seq, self._crc = self.seq + len(news), crc
                yield writing, news
                crc = writing.append(self._new, self.seq, self._crc)
            self.seq, self._crc = self.seq + len(self._new), crc
        except BaseException:
            self.seq, self._crc = before
            raise
        finally:
            self._new = None

    @property
    def appended(self) -> list[Record]:
        """The records that were appended in the transaction under way."""
        return self._new or []

    def news(self) -> list[Record]:
        """The records that others have written since the last reading."""
        self._check()
        if self._number is None or self._database.last(self._number) == self.seq:
            return []
        records, self._crc = self._database.records(self._number, self.seq, self._crc)
        self.seq += len(records)
        return records

    def read(self) -> list[Record]:
        """All records, oldest first."""
        self._check()
        if self._number is None:
            return []
        records, self._crc = self._database.records(self._number)
        self.seq = len(records)
        return records

    def close(self) -> None:
        """Nothing can be read or appended afterwards. Closing twice is harmless; the database stays open."""
        self._closed = True

    def _check(self) -> None:
        if self._closed:
            raise InvalidInput(f"{self.path} is closed; open it again")
