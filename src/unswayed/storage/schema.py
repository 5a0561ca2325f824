"""The tables of a database of studies, and how SQLite and PostgreSQL are opened and explained."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc

from unswayed.errors import InvalidInput, JournalError, SystemFault
from unswayed.storage.upgrades import make_or_upgrade

WRITER_PATIENCE = 30  # seconds to wait for another writer
# Connections stay open: to open one costs more than a request. Errors do not say what was written: logs show them.
ENGINE: dict[str, Any] = {"pool_size": 20, "hide_parameters": True}

METADATA = sa.MetaData()
ABOUT = sa.Table("unswayed", METADATA, sa.Column("version", sa.Integer, nullable=False))
STUDIES = sa.Table(
    "studies",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(200), nullable=False, unique=True),
)
RECORDS = sa.Table(
    "records",
    METADATA,
    sa.Column("study", sa.Integer, sa.ForeignKey("studies.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("record", sa.Text, nullable=False),
    sa.Column("crc", sa.BigInteger, nullable=False),  # of the record and the crc before it
)
REPLIES = sa.Table(  # what was answered to a request with a key, which may come again
    "replies",
    METADATA,
    sa.Column("study", sa.Integer, sa.ForeignKey("studies.id"), primary_key=True),
    sa.Column("who", sa.String(200), primary_key=True),
    sa.Column("key", sa.String(200), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("status", sa.Integer, nullable=False),
    sa.Column("reply", sa.Text, nullable=False),
    sa.Column("made", sa.Float),  # None: by a server of version 1, and kept for ever
)
LEASES = sa.Table(  # until when an open play belongs to its source
    "leases",
    METADATA,
    sa.Column("study", sa.Integer, sa.ForeignKey("studies.id"), primary_key=True),
    sa.Column("play", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("until", sa.Float, nullable=False),
)
TOKENS = sa.Table(
    "tokens",
    METADATA,
    sa.Column("name", sa.String(200), primary_key=True),
    sa.Column("role", sa.String(20), nullable=False),
    sa.Column("study", sa.String(200)),  # None: all studies
    sa.Column("hash", sa.String(64), nullable=False, unique=True),
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("seen", sa.Float),
)
SESSIONS = sa.Table(  # browsers that have logged in
    "sessions",
    METADATA,
    sa.Column("hash", sa.String(64), primary_key=True),
    sa.Column("token", sa.String(64), nullable=False),
    sa.Column("until", sa.Float, nullable=False),
)

WEBHOOKS = sa.Table(  # who is told when the verdict of a study changes
    "webhooks",
    METADATA,
    sa.Column("study", sa.Integer, sa.ForeignKey("studies.id"), primary_key=True, autoincrement=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("secret", sa.String(64), nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),  # the record after which it changed; 0: nothing was noticed
    sa.Column("verdict", sa.String(100)),
    sa.Column("leader", sa.Text),
    sa.Column("tried", sa.Float),
    sa.Column("error", sa.Text),
)
MESSAGES = sa.Table(  # what is still to be sent to them
    "messages",
    METADATA,
    sa.Column("study", sa.Integer, sa.ForeignKey("studies.id"), primary_key=True, autoincrement=False),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("due", sa.Float, nullable=False),
)


def open_engine(url: str, *, upgrade: bool = True) -> tuple[sa.Engine, int]:
    """The engine of a database, and the version that it had.

    It is made if there is none, and upgraded, or refused, if it is of an earlier version; a newer one is refused.
    """
    engine = _engine(url)
    where = shown(url)
    try:
        with explaining(where), engine.begin() as connection:
            version = make_or_upgrade(connection, where, METADATA, upgrade=upgrade)
            if engine.dialect.name == "sqlite":
                found = connection.execute(sa.text("PRAGMA quick_check(1)")).scalar()
                if found != "ok":
                    raise JournalError(f"{where} is damaged: {found}; restore it from a copy")
    except BaseException:
        engine.dispose()
        raise
    return engine, version


def _engine(url: str) -> sa.Engine:
    try:
        address = sa.make_url(url)
    except exc.ArgumentError:
        raise InvalidInput(f"a database is sqlite:///FILE or postgresql://USER@HOST/NAME, not {url!r}") from None
    kind = address.get_backend_name()
    if kind == "sqlite":
        if not address.database or address.database == ":memory:" or address.database.startswith("file:"):
            raise InvalidInput("a study needs a database that stays: sqlite:///FILE")
        folder = os.path.dirname(os.path.abspath(address.database))
        if not os.path.isdir(folder):
            raise InvalidInput(f"there is no folder {folder} for the database {address.database}")
        given = {"timeout": WRITER_PATIENCE, "check_same_thread": False}
        engine = sa.create_engine(address, connect_args=given, **ENGINE)
        sa.event.listen(engine, "connect", _prepare_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
        return engine
    if kind != "postgresql":
        raise InvalidInput(f"a database is sqlite:///FILE or postgresql://USER@HOST/NAME, not {kind}")
    try:
        # No ping before each use: after a restart of PostgreSQL one request fails, with 503, and is sent again.
        address = address.set(drivername="postgresql+psycopg")
        return sa.create_engine(address, isolation_level="READ COMMITTED", **ENGINE)
    except ModuleNotFoundError:
        raise InvalidInput("PostgreSQL needs a driver: pip install 'unswayed[postgres]'") from None


def _prepare_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # transactions begin where we say so
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: sa.Connection) -> None:
    if not connection.get_execution_options().get("reading", False):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def shown(url: str) -> str:
    """A database as a message names it, without its password."""
    address = sa.make_url(url)
    return str(address.database) if address.get_backend_name() == "sqlite" else address.render_as_string()


@contextmanager
def explaining(where: str) -> Iterator[None]:
    """Turn the errors of a database into one line."""
    try:
        yield
    except exc.IntegrityError:  # a name that is taken: who asked knows what it means
        raise
    except exc.DBAPIError as error:
        reason = " ".join(str(error.orig).split())[:200]
        if "malformed" in reason or "not a database" in reason or "corrupt" in reason:
            raise JournalError(f"{where} is damaged or not a database: {reason}; restore it from a copy") from None
        raise SystemFault(f"the database {where} refuses: {reason}") from None
    except exc.SQLAlchemyError as error:  # no connection was free in time
        raise SystemFault(f"the database {where} cannot be used: {' '.join(str(error).split())[:200]}") from None
