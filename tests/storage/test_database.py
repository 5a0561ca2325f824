"""A database of studies: what is kept, in which order, and who can read it. A SQLite file; the service tests others."""

import json
from contextlib import suppress
from time import time

import pytest
import sqlalchemy as sa

from unswayed import InvalidInput, JournalError
from unswayed.storage.database import Database, DatabaseJournal
from unswayed.storage.schema import ABOUT, RECORDS, TOKENS
from unswayed.storage.upgrades import VERSION
from unswayed.storage.writing import Reply


@pytest.fixture
def database(tmp_path):
    opened = Database(f"sqlite:///{tmp_path}/lab.db")
    yield opened
    opened.close()


def records(*numbers):
    return [{"kind": "note", "n": n} for n in numbers]


def test_studies_have_names_of_their_own(database):
    a, b = database.begin("a", records(1)), database.begin("b", records(2, 3))
    assert database.studies() == {"a": a, "b": b}
    assert database.begin("a", records(4)) is None
    assert [database.records(one)[0] for one in (a, b)] == [records(1), records(2, 3)]
    assert [database.last(one) for one in (a, b)] == [1, 2]
    assert database.records_after(b, 1) == records(3)
    assert database.records_after(a, 1) == []
    assert database.last(a + b) == 0
    assert database.sqlite


def test_records_are_read_on_from_any_of_them(database):
    number = database.begin("a", records(1, 2))
    with database.writing(number) as writing:
        _, crc = writing.records(0, 0)
        writing.append(records(3, 4), 2, crc)
    every, last = database.records(number)
    assert every == records(1, 2, 3, 4)
    assert database.records(number, 2, crc) == (records(3, 4), last)


@pytest.mark.parametrize("change", [{"record": json.dumps({"kind": "note", "n": 9})}, {"seq": 7}, None])
def test_a_record_that_was_changed_or_is_missing_is_found(database, change):
    number = database.begin("a", records(1, 2, 3))
    where = (RECORDS.c.study == number) & (RECORDS.c.seq == 2)
    with database._writing() as connection:
        connection.execute(
            sa.delete(RECORDS).where(where) if change is None else sa.update(RECORDS).where(where).values(**change)
        )
    with pytest.raises(JournalError, match=f"is damaged at record [23] of study {number}"):
        database.records(number)


def test_a_transaction_keeps_all_or_nothing(database):
    number = database.begin("a", records(1))
    with suppress(ZeroDivisionError), database.writing(number) as writing:
        writing.append(records(2), 1, writing.records(0, 0)[1])
        writing.lease([0], 5.0)
        raise ZeroDivisionError
    assert database.last(number) == 1
    assert database.leases(number) == {}


def test_leases_belong_to_a_study_until_they_end(database):
    a, b = database.begin("a", records(1)), database.begin("b", records(1))
    with database.writing(a) as writing:
        writing.lease([3, 4], 100.0)
        assert writing.leases() == {3: 100.0, 4: 100.0}
    with database.writing(a) as writing:
        writing.lease([4], 200.0)
        writing.end_leases([3])
        assert writing.leases() == {4: 200.0}
    assert (database.leases(a), database.leases(b)) == ({4: 200.0}, {})


def test_replies_are_found_by_who_asked_and_the_key(database):
    number = database.begin("a", records(1))
    with database.writing(number) as writing:
        writing.keep_reply("lab", "k1", Reply("digest", 201, "{}"))
        assert writing.reply("lab", "k1") == Reply("digest", 201, "{}")
    with database.writing(number) as writing:
        assert writing.reply("lab", "k1") is None  # not looked for so far
        writing.find_replies([("lab", "k1"), ("lab", "k2"), ("other", "k1")])
        assert writing.reply("lab", "k1") == Reply("digest", 201, "{}")
        assert writing.reply("lab", "k2") is writing.reply("other", "k1") is None


def token(name, hashed):
    return {"name": name, "role": "source", "study": None, "hash": hashed, "made": 1.0}


def test_tokens_are_found_by_their_hash(database):
    assert database.put_token(token("b", "h2"))
    assert database.put_token(token("a", "h1"))
    assert not database.put_token(token("a", "h3"))
    database.token_seen("h1", 7.5)
    assert [(row["name"], row["seen"]) for row in database.tokens()] == [("a", 7.5), ("b", None)]
    assert database.token("h2")["name"] == "b"
    assert database.token("h3") is None
    assert not database.drop_token("c", keep="owner")
    assert database.drop_token("a", keep="owner")
    assert [row["name"] for row in database.tokens()] == ["b"]


def test_errors_do_not_say_what_was_written(database):
    row = token("a", "hash of a secret")
    with pytest.raises(sa.exc.IntegrityError) as raised, database._writing() as connection:
        connection.execute(sa.insert(TOKENS), [row, row])
    assert "INSERT INTO tokens" in str(raised.value)
    assert "hash of a secret" not in str(raised.value)


def test_a_browser_is_logged_out_alone_or_with_its_token_or_in_time(database):
    for name, hashed in (("a", "h1"), ("b", "h2")):
        database.put_token(token(name, hashed))
    now = time()
    for cookie, hashed, left in (("c1", "h1", 60), ("c2", "h1", 60), ("c3", "h2", 60), ("c4", "h2", -1)):
        database.put_session(cookie, hashed, now + left)

    def sessions():
        return [database.session(cookie) for cookie in ("c1", "c2", "c3", "c4", "c5")]

    assert sessions() == ["h1", "h1", "h2", None, None]
    database.drop_session("c1")
    assert sessions() == [None, "h1", "h2", None, None]
    database.drop_token("a", keep="owner")
    assert sessions() == [None, None, "h2", None, None]


def test_two_journals_of_a_study_do_not_write_over_each_other(database):
    one = DatabaseJournal(database, "a")
    assert one.read() == []
    one.append(*records(1))
    other = DatabaseJournal(database, "a")
    assert (other.read(), other.seq, other.news()) == (records(1), 1, [])
    one.append(*records(2, 3))
    with pytest.raises(JournalError, match="was changed by another program"):
        other.append(*records(9))
    assert other.news() == records(2, 3)
    assert (other.seq, other.news()) == (3, [])
    with other.writing() as (_, news):
        assert news == []
        other.append(*records(4))
        assert other.appended == records(4)
    assert (other.appended, other.seq) == ([], 4)
    with one.writing() as (_, news):
        assert news == records(4)
        one.append(*records(5))
    assert one.seq == 5
    assert other.news() == records(5)
    assert one.read() == other.read() == records(1, 2, 3, 4, 5)


def test_a_journal_that_fails_half_way_keeps_what_it_had(database):
    journal = DatabaseJournal(database, "a")
    journal.append(*records(1))
    with suppress(ZeroDivisionError), journal.writing():
        journal.append(*records(2))
        raise ZeroDivisionError
    assert journal.seq == 1
    journal.append(*records(3))
    assert journal.read() == records(1, 3)


def test_a_closed_journal_and_one_that_was_not_begun_are_refused(database):
    journal = DatabaseJournal(database, "a")
    with pytest.raises(InvalidInput, match="was not begun"), journal.writing():
        pass
    DatabaseJournal(database, "a").append(*records(1))
    with pytest.raises(JournalError, match="begun by somebody else"):
        journal.append(*records(2))
    journal.close()
    journal.close()
    with pytest.raises(InvalidInput, match="is closed"):
        journal.read()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://somewhere/lab", "a database is sqlite:///FILE or postgresql://USER@HOST/NAME, not mysql"),
        ("sqlite://", "needs a database that stays"),
        ("sqlite:///:memory:", "needs a database that stays"),
        ("sqlite:///no/such/folder/lab.db", "there is no folder .*no/such/folder for the database"),
        ("lab.db", "database"),
    ],
)
def test_other_addresses_are_refused(url, words):
    with pytest.raises(InvalidInput, match=words):
        Database(url)


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "text.db").write_text("not a database, but long enough to be one" * 100)
    with pytest.raises(JournalError, match="is damaged or not a database"):
        Database(f"sqlite:///{tmp_path}/text.db")


@pytest.mark.parametrize(
    ("versions", "words"),
    [([VERSION + 1], f"is of version {VERSION + 1}, "), ([VERSION] * 2, "is not of one version, ")],
)
def test_a_database_of_a_newer_version_is_refused(tmp_path, versions, words):
    url = f"sqlite:///{tmp_path}/lab.db"
    opened = Database(url)
    opened.begin("a", records(1))
    with opened._writing() as connection:
        connection.execute(sa.delete(ABOUT))
        connection.execute(sa.insert(ABOUT), [{"version": version} for version in versions])
    opened.close()
    with pytest.raises(JournalError, match=f"{words}this unswayed writes version {VERSION}: update unswayed"):
        Database(url)


def test_a_database_is_found_again(tmp_path):
    for seen in ({}, {"a": 1}):
        opened = Database(f"sqlite:///{tmp_path}/lab.db")
        assert opened.studies() == seen
        opened.begin("a", records(1))
        opened.close()
