"""A database that version 0.2.0 made is upgraded: all of it, at once, and nothing is lost by kills in the middle."""

import json
import random
import sqlite3
import time
from pathlib import Path
from zlib import crc32

import psycopg
import pytest
import sqlalchemy as sa

from tests.service.conftest import free_port
from tests.service.quick import FORK, start
from unswayed.cli import main
from unswayed.errors import JournalError
from unswayed.service.host import Host
from unswayed.storage.database import Database
from unswayed.storage.schema import METADATA
from unswayed.storage.upgrades import VERSION

HERE = Path(__file__).parent
OWNERS = {  # their tokens
    "sqlite": "EMBuQo5j1sfYC4XcKg5BLJjdQB6hk2W_S1fnppdJb4E",
    "postgresql": "NFSDprrMNrcm5_3uebDd3eH7ZhcY-mx3y8z8UvHYET8",
}
TABLES = ("leases", "records", "replies", "sessions", "studies", "tokens", "unswayed")
MANY = 10_000
KILLS = 10


def engine_of(url):
    return sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))


def load(url):
    """Make the database of version 0.2.0 in an empty one."""
    kind = url.partition(":")[0]
    script = (HERE / f"version-1.{kind}.sql").read_text(encoding="utf-8")
    if kind == "sqlite":
        connection = sqlite3.connect(url.removeprefix("sqlite:///"))
        connection.executescript(script)
        connection.close()
    else:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(script)
    return url


def grow(url, many):
    """Add measurements to the study "rates", and a reply for each, as version 0.2.0 wrote them; their values."""
    engine = engine_of(url)
    with engine.begin() as connection:
        query = "SELECT seq, crc FROM records WHERE study = 2 ORDER BY seq DESC LIMIT 1"
        seq, crc = connection.execute(sa.text(query)).one()
        records, replies, values = [], [], [n / 7 for n in range(many)]
        for n, value in enumerate(values):
            text = json.dumps({"kind": "add", "play": 4 + n, "point": "abcd"[n % 4], "value": value, "at": 1.8e9 + n})
            crc = crc32(text.encode(), crc)
            records.append({"seq": seq + 1 + n, "record": text, "crc": crc})
            replies.append({"key": f"key {n}", "reply": json.dumps({"numbers": [4 + n]})})
        connection.execute(sa.text("INSERT INTO records VALUES (2, :seq, :record, :crc)"), records)
        connection.execute(sa.text("INSERT INTO replies VALUES (2, 'owner', :key, 'digest', 201, :reply)"), replies)
    engine.dispose()
    return values


def rows(url):
    """All rows of all tables, as dicts."""
    engine = engine_of(url)
    with engine.connect() as connection:
        found = {name: [dict(row) for row in connection.execute(sa.text(f"SELECT * FROM {name}")).mappings()]
                 for name in TABLES}  # fmt: skip
    engine.dispose()
    return {name: sorted(kept, key=str) for name, kept in found.items()}


def as_before(found):
    """The rows as version 1 has them; what an upgrade has added is checked and left out."""
    assert found["unswayed"] == [{"version": VERSION}]
    for reply in found["replies"]:
        assert abs(reply.pop("made") - time.time()) < 600
    return {**found, "unswayed": [{"version": 1}], "replies": sorted(found["replies"], key=str)}


@pytest.fixture
def old(url):
    return load(url)


def test_everything_is_kept(old):
    before = rows(old)
    database = Database(old)
    assert (database.opened_version, VERSION > 1) == (1, True)
    assert as_before(rows(old)) == before
    host = Host(database)
    assert host.tokens.check(OWNERS[old.partition(":")[0]]).role == "owner"
    assert host.names() == ["alloy", "rates"]
    alloy = host.study("alloy")
    assert str(alloy.log[1].status) == "retracted"
    assert alloy.log[0].before != ()
    assert alloy.study.settings.quarantined == ("Lab drei",)
    assert [play.number for play in alloy.study.open_plays()] == [23, 24]
    assert 60 <= alloy.answer().point["temperature"] <= 120
    assert host.study("rates").answer().point == "a"  # it minimises
    status, body = alloy.ask_as("lab-2", 1, 300.0, "lab-2", "new key", "digest")
    assert (status, len(body["plays"])) == (200, 1)
    database.close()
    again = Database(old)
    assert again.opened_version == VERSION
    assert Host(again).study("alloy").seq == alloy.seq
    again.close()


def test_an_upgraded_database_has_the_tables_of_a_new_one(old):
    """Columns, keys and references; so a step that was forgotten is found here."""

    def shape():
        look = sa.inspect(engine)
        return {
            name: (
                {one["name"]: (str(one["type"]), one["nullable"]) for one in look.get_columns(name)},
                look.get_pk_constraint(name)["constrained_columns"],
                sorted(str(one["constrained_columns"]) for one in look.get_foreign_keys(name)),
                sorted(str(one["column_names"]) for one in look.get_unique_constraints(name)),
            )
            for name in look.get_table_names()
        }

    Database(old).close()
    engine = engine_of(old)
    upgraded = shape()
    METADATA.drop_all(engine)
    Database(old).close()
    assert upgraded == shape()
    engine.dispose()


def test_a_server_of_the_version_before_goes_on_writing(old):
    """With PostgreSQL it may run while another server starts with the new version."""
    Database(old).close()
    engine = engine_of(old)
    with engine.begin() as connection:  # as version 1 does it
        statement = "INSERT INTO replies (study, who, key, digest, status, reply) VALUES (1, 'a', 'k', 'd', 200, '{}')"
        connection.execute(sa.text(statement))
    engine.dispose()
    database = Database(old)
    assert database.forget_replies(time.time() + 1) == 58  # not the one of unknown age
    assert [reply["key"] for reply in rows(old)["replies"]] == ["k"]
    database.close()


def test_replies_are_forgotten_by_age(host):
    study = host.begin("s", {"options": ["a", "b"]}, {})[1]
    study.ask_as("lab", 1, 300.0, "lab", "key", "digest")
    assert host.database.forget_replies(time.time() - 60) == 0
    _, body = study.ask_as("lab", 1, 300.0, "lab", "key", "digest")
    assert host.database.forget_replies(time.time() + 60) == 1
    assert study.ask_as("lab", 1, 300.0, "lab", "key", "digest")[1]["plays"][0]["number"] == body["plays"][0]["number"]


def test_a_newer_database_is_left_as_it_is(old):
    engine = engine_of(old)
    with engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE sessions"))  # as a later version may have it
        connection.execute(sa.text(f"UPDATE unswayed SET version = {VERSION + 1}"))
    with pytest.raises(JournalError, match=f"is of version {VERSION + 1}, this unswayed writes version {VERSION}: upd"):
        Database(old)
    assert not sa.inspect(engine).has_table("sessions")
    engine.dispose()


def test_only_a_server_upgrades(old, capsys):
    """A token can be made while a server of the version before runs, and before there is a backup."""
    before = rows(old)
    for more in ([], ["--revoke"]):
        with pytest.raises(SystemExit) as stop:
            main(["token", "lab-9", *more, "--database", old])
        assert (stop.value.code, rows(old) == before) == (2, True)
        said = capsys.readouterr()
        assert "is of version 1, this unswayed writes version 4: back it up, then start this server" in said.err
        assert not said.out


def test_an_upgrade_that_finds_no_room_changes_nothing(tmp_path):
    url = load(f"sqlite:///{tmp_path}/old.db")
    grow(url, 3000)
    before = rows(url)
    process, out = start(["serve", "--port", str(free_port()), "--database", url], largest_file=100_000)
    process.join(60)
    out.close()
    assert process.exitcode == 3
    assert rows(url) == before
    Database(url).close()
    assert as_before(rows(url)) == before


def _open(url, pipe):
    """Open a database, in a process of its own; say when its tables are being changed."""

    def changing(_connection, _cursor, statement, *_):
        if statement.startswith("ALTER TABLE replies"):  # the first step
            pipe.send("changing")

    sa.event.listen(sa.Engine, "after_cursor_execute", changing)
    Database(url).close()
    pipe.send("done")


def opened(url, kill_after=None):
    """Open a database in a process; kill it some seconds after the upgrade began. Seconds it took from there on."""
    ours, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_open, args=(url, theirs))
    process.start()
    theirs.close()
    assert ours.recv() == "changing"
    began = time.monotonic()
    if kill_after is not None:
        time.sleep(kill_after)
        process.kill()
    else:
        assert ours.recv() == "done"
    took = time.monotonic() - began
    process.join()
    ours.close()
    return took


def test_kills_in_the_middle_of_an_upgrade_lose_nothing(url):
    """10,000 measurements; each time the database is either as before or upgraded, and never between."""
    load(url)
    values = grow(url, MANY)
    before = rows(url)
    draw = random.Random(8)
    killed, longest = 0, 0.02
    for _ in range(40 * KILLS):
        if killed == KILLS:
            break
        opened(url, draw.uniform(0, longest))
        found = rows(url)
        if found["unswayed"] == [{"version": 1}]:
            assert found == before
            killed += 1
            longest *= 1.3
        else:  # it was done before it was killed: back to version 1, and sooner next time
            assert as_before(found) == before
            longest /= 2
            _back(url)
    assert killed == KILLS
    opened(url)
    assert as_before(rows(url)) == before
    database = Database(url)
    study = Host(database).study("rates")
    assert [play.value for play in study.log[4:]] == values
    assert study.log[4].point == "a"
    database.close()


def _back(url):
    """Undo the upgrade, as nobody does but this test."""
    engine = engine_of(url)
    with engine.begin() as connection:
        connection.execute(sa.text("ALTER TABLE replies DROP COLUMN made"))
        for table in set(METADATA.tables) - set(TABLES):
            connection.execute(sa.text(f"DROP TABLE {table}"))
        connection.execute(sa.text("UPDATE unswayed SET version = 1"))
    engine.dispose()
