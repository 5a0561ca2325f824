"""Copies made while a server is written to: all that was acknowledged before is in them, and they can be served."""

import os
import sqlite3
import subprocess
import threading
from contextlib import closing

import pytest

from tests.service.conftest import BIN
from tests.service.quick import start
from tests.service.test_kill import FEW


@pytest.fixture
def busy(quick):
    """Starts a server to which four clients tell without a pause; what was acknowledged, and how to end them."""
    ends = []

    def begin(url):
        server = quick(url)
        server.begin(space=FEW, plays=4000, parallel=1)
        numbers = [play.number for k in range(4) for play in server.study().ask(1000, source=f"lot {k}")]
        told, stop = [], threading.Event()

        def tell(mine):
            study = server.study()
            for number in mine:
                if stop.is_set():
                    return
                study.tell(number, number / 8)
                told.append(number)

        threads = [threading.Thread(target=tell, args=(numbers[k::4],)) for k in range(4)]
        for thread in threads:
            thread.start()

        def end():
            stop.set()
            for thread in threads:
                thread.join()

        ends.append(end)
        while len(told) < 100:
            stop.wait(0.01)
        return server, told, end

    yield begin
    for end in ends:
        end()


def check_copy(quick, server, url, before, end):
    """The copy holds the beginning of the log, and all that was acknowledged before it was made; it can be served."""
    end()
    restored = quick(url, token=server.token)
    records, copied = server.study().records(), restored.study().records()
    assert copied == records[: len(copied)]
    assert before <= {record["play"] for record in copied if record["kind"] == "tell"}
    open_play = next(play for play in restored.study().read().log if str(play.status) == "open")
    restored.study().tell(open_play, 0.5)


def test_a_copy_of_sqlite_while_many_tell(busy, quick, tmp_path, unswayed):
    server, told, end = busy(f"sqlite:///{tmp_path}/lab.db")
    for k in range(3):
        before = set(told)
        code, out, _ = unswayed("backup", tmp_path / f"copy-{k}.db", "--database", server.url)
        assert code == 0
    assert f"copy-2.db: {len(sqlite_records(tmp_path / 'copy-2.db')):,} records of 1 studies" in " ".join(out.split())
    assert sorted(path.name for path in tmp_path.glob("*copy-*")) == [f"copy-{k}.db" for k in range(3)]
    check_copy(quick, server, f"sqlite:///{tmp_path}/copy-2.db", before, end)


def sqlite_records(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT record FROM records").fetchall()


def test_a_copy_of_postgres_while_many_tell(busy, quick, postgres, tmp_path):
    server, told, end = busy(postgres)
    before = set(told)
    copy = tmp_path / "copy.dump"
    subprocess.run([f"{BIN}/pg_dump", "--format", "custom", "--file", copy, postgres], check=True)
    other = f"{postgres}_restored"
    address, _, name = other.rpartition("/")
    subprocess.run([f"{BIN}/createdb", "--maintenance-db", f"{address}/postgres", name], check=True)
    subprocess.run(
        [f"{BIN}/pg_restore", "--exit-on-error", "--single-transaction", "--dbname", other, copy], check=True
    )
    check_copy(quick, server, other, before, end)


def test_what_cannot_be_copied(tmp_path, unswayed):
    def line(*words):
        code, out, err = unswayed("backup", *words)
        assert (code, out) == (2, "")
        return " ".join(err.split())

    copy, missing = tmp_path / "copy.db", tmp_path / "missing.db"
    assert f"there is no database {missing}" in line(copy, "--database", f"sqlite:///{missing}")
    assert not missing.exists()
    assert "pg_dump" in line(copy, "--database", "postgresql://postgres@127.0.0.1/lab")
    (tmp_path / "text.db").write_text("not a database, but long enough to be one" * 100)
    assert "not a database" in line(copy, "--database", f"sqlite:///{tmp_path}/text.db")
    code, _, _ = unswayed("token", "a", "--database", f"sqlite:///{tmp_path}/lab.db")
    assert code == 0
    copy.write_text("precious")
    assert f"there is a file {copy} already" in line(copy, "--database", f"sqlite:///{tmp_path}/lab.db")
    assert copy.read_text() == "precious"


@pytest.mark.parametrize(
    "damage", ["UPDATE records SET crc = crc + 1 WHERE seq = 2", "DELETE FROM records WHERE seq = 2"]
)
def test_a_damaged_database_is_not_copied_in_silence(quick, tmp_path, unswayed, damage):
    server = quick(f"sqlite:///{tmp_path}/lab.db")
    server.begin(space=FEW)
    server.study().ask(3)
    with closing(sqlite3.connect(tmp_path / "lab.db")) as connection:
        connection.execute(damage)
        connection.commit()
    code, _, err = unswayed("backup", tmp_path / "copy.db", "--database", server.url)
    assert code == 2
    assert "is damaged at record" in err
    assert not list(tmp_path.glob("*copy*"))


def test_a_full_disk_leaves_no_half_of_a_copy(quick, tmp_path):
    server = quick(f"sqlite:///{tmp_path}/lab.db")
    server.begin(space=FEW, parallel=1)
    server.study().ask(100)
    words = ["backup", tmp_path / "copy.db", "--database", server.url]
    process, out = start(words, largest_file=20_000)
    process.join(60)
    out.close()
    assert process.exitcode == 3
    assert not list(tmp_path.glob("*copy*"))


def test_an_older_database_is_copied_as_it_is(tmp_path, unswayed):
    from tests.service.running.test_upgrades import load, rows

    url = load(f"sqlite:///{tmp_path}/old.db")
    before = rows(url)
    os.chmod(tmp_path / "old.db", 0o640)
    code, out, _ = unswayed("backup", tmp_path / "copy.db", "--database", url)
    assert code == 0
    assert "64 records of 2 studies" in " ".join(out.split())
    assert rows(url) == rows(f"sqlite:///{tmp_path}/copy.db") == before
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o640
