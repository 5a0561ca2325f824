"""How a database of an earlier version becomes one of this version: all steps in one transaction, or none.

To change the tables: change them in `schema.py`, and add a step here that does the same to a database which has the
tables of before. A step is SQL that both databases understand; it does not use the tables of `schema.py`, which go on
changing. It adds, and does not rename or remove: with PostgreSQL, servers of the version before may be running.
"""

from __future__ import annotations

from collections.abc import Callable
from time import time

import sqlalchemy as sa

from unswayed.errors import JournalError

LOCK = 8_711_001  # of PostgreSQL: any number that nobody else takes


def _note_when_replies_were_made(connection: sa.Connection) -> None:
    """Replies of before count as made now: they are kept for as long as new ones."""
    connection.exec_driver_sql("ALTER TABLE replies ADD COLUMN made FLOAT")
    connection.execute(sa.text("UPDATE replies SET made = :now"), {"now": time()})


def _tell_of_verdicts(connection: sa.Connection) -> None:
    """Webhooks, and the messages that wait for them."""
    connection.exec_driver_sql(
        "CREATE TABLE webhooks (study INTEGER NOT NULL PRIMARY KEY REFERENCES studies (id), url TEXT NOT NULL, "
        "secret VARCHAR(64) NOT NULL, seq INTEGER NOT NULL, verdict VARCHAR(100), tried FLOAT, error TEXT)"
    )
    connection.exec_driver_sql(
        "CREATE TABLE messages (study INTEGER NOT NULL REFERENCES studies (id), seq INTEGER NOT NULL, "
        "body TEXT NOT NULL, tries INTEGER NOT NULL, due FLOAT NOT NULL, PRIMARY KEY (study, seq))"
    )


def _keep_leaders(connection: sa.Connection) -> None:
    """Who led when a webhook was last told something."""
    connection.exec_driver_sql("ALTER TABLE webhooks ADD COLUMN leader TEXT")


STEPS: tuple[Callable[[sa.Connection], None], ...] = (
    _note_when_replies_were_made,  # version 2
    _tell_of_verdicts,
    _keep_leaders,  # version 4
)
VERSION = 1 + len(STEPS)


def make_or_upgrade(connection: sa.Connection, where: str, tables: sa.MetaData, *, upgrade: bool = True) -> int:
    """Bring a database to this version, in the transaction of the connection.

    Args:
        connection: To it; nobody else opens it meanwhile.
        where: Its name, for messages.
        tables: What a new database gets; its table `unswayed` has the version.
        upgrade: Whether one of an earlier version is upgraded; else it is refused.

    Returns:
        The version that it had; `VERSION` if it is new.

    Raises:
        JournalError: It is of another version that is not upgraded, or says more than one.
    """
    if connection.dialect.name == "postgresql":  # SQLite: BEGIN IMMEDIATE does the same
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    about = tables.tables["unswayed"]
    if not sa.inspect(connection).has_table(about.name):
        tables.create_all(connection)
        connection.execute(sa.insert(about).values(version=VERSION))
        return VERSION
    versions = connection.execute(sa.select(about.c.version)).scalars().all()
    if len(versions) != 1 or not 1 <= versions[0] <= VERSION:
        said = f"of version {versions[0]}" if len(versions) == 1 else "not of one version"
        raise JournalError(f"{where} is {said}, this unswayed writes version {VERSION}: update unswayed")
    if versions[0] < VERSION and not upgrade:
        now = f"{where} is of version {versions[0]}, this unswayed writes version {VERSION}"
        raise JournalError(f"{now}: back it up, then start this server, which upgrades it")
    for step in STEPS[versions[0] - 1 :]:
        step(connection)
    if versions[0] < VERSION:
        connection.execute(sa.update(about).values(version=VERSION))
    return int(versions[0])
