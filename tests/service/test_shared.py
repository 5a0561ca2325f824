"""The shared study itself: what is handed out, what counts, what is said again."""

import json
import threading

import pytest

from tests.service.conftest import BOX
from unswayed import Optimizer
from unswayed.core.data.measurement import Measurement
from unswayed.errors import JournalError
from unswayed.search import beliefs
from unswayed.service.host import Host
from unswayed.service.refused import Refused
from unswayed.service.tokens import LastOwner, Tokens
from unswayed.storage.database import Database, DatabaseJournal
from unswayed.testing import check_journal


def ask(study, source, n=1, key=None, lease=300.0):
    status, body = study.ask_as(source, n, lease, source, key, f"ask {n}")
    assert status == 200
    return [play["number"] for play in body["plays"]]


def tell(study, source, number, value, key=None):
    told = Measurement(value)
    return study.write(source, key, f"{number} {value}", lambda writing: study.tell_as(writing, source, number, told))


@pytest.fixture
def study(host):
    return host.begin("s", BOX, {"plays": 20, "seed": 1})[1]


def test_a_journal_in_a_database_is_a_journal(url):
    database = Database(url)
    check_journal(lambda: DatabaseJournal(database, "one"))
    database.close()


def test_a_study_in_a_database_is_asked_the_same_as_one_in_memory(url):
    def played(journal):
        with Optimizer(host_space(), journal=journal, seed=3, plays=8) as optimizer:
            points = []
            for _ in range(8):
                (play,) = optimizer.ask()
                points.append(play.point)
                optimizer.tell(play, -((play.point["x"] - 0.3) ** 2))
            return points

    from unswayed.spaces import space_from_tables

    def host_space():
        return space_from_tables(BOX)

    database = Database(url)
    assert played(DatabaseJournal(database, "one")) == played(None)
    database.close()


def test_two_objects_of_one_journal_do_not_overwrite_each_other(url):
    database = Database(url)
    one, two = DatabaseJournal(database, "j"), DatabaseJournal(database, "j")
    one.append({"a": 1})
    with pytest.raises(JournalError, match="begun by somebody else"):
        two.append({"b": 1})
    two = DatabaseJournal(database, "j")
    one.append({"a": 2})
    with pytest.raises(JournalError, match="changed by another program"):
        two.append({"b": 1})
    assert DatabaseJournal(database, "j").read() == [{"a": 1}, {"a": 2}]
    database.close()


def test_only_the_token_that_was_used_was_seen(url):
    database = Database(url)
    tokens = Tokens(database)
    used = tokens.make("used", "owner")
    tokens.make("new", "source", "s")
    assert tokens.check(used).name == "used"
    assert {row["name"]: row["seen"] is not None for row in tokens.rows()} == {"used": True, "new": False}
    tokens.revoke("new")
    assert [row["name"] for row in tokens.rows()] == ["used"]
    with pytest.raises(LastOwner, match="'used' is the last owner: make another one first"):
        tokens.revoke("used")
    tokens.make("second", "owner")
    tokens.revoke("used")
    assert [row["name"] for row in tokens.rows()] == ["second"]
    database.close()


def test_asking_again_gives_the_own_open_plays(study):
    first = ask(study, "lab", 2)
    assert ask(study, "lab", 2) == first
    assert ask(study, "lab", 3)[:2] == first
    assert not set(ask(study, "other", 2)) & set(first)


def test_a_request_with_a_key_is_carried_out_once(study):
    (number,) = ask(study, "lab", key="a")
    assert ask(study, "lab", key="a") == [number]
    reply = tell(study, "lab", number, 0.5, key="t")
    seq = study.seq
    assert tell(study, "lab", number, 0.5, key="t") == reply
    assert study.seq == seq
    with pytest.raises(Refused, match="another request") as error:
        tell(study, "lab", number, 0.6, key="t")
    assert error.value.status == 409
    (other,) = ask(study, "rival")
    assert tell(study, "rival", other, 0.7, key="t")[0] == 200  # keys belong to their source


def test_the_first_answer_counts_and_another_one_is_refused(study):
    (number,) = ask(study, "lab")
    assert tell(study, "lab", number, 0.5) == tell(study, "lab", number, 0.5)
    with pytest.raises(Refused, match=r"already told 0\.5") as error:
        tell(study, "lab", number, 0.6)
    assert (error.value.status, error.value.more) == (409, {"stored": 0.5})
    with pytest.raises(Refused, match="not given to you") as error:
        tell(study, "other", number, 0.5)
    assert error.value.status == 403


def test_an_ended_lease_gives_the_play_to_another_and_the_late_answer_is_kept_but_not_counted(study):
    (number,) = ask(study, "dead", lease=-1.0)
    assert ask(study, "alive") == [number]
    assert tell(study, "alive", number, 0.25)[0] == 200
    status, body = tell(study, "dead", number, 0.75)
    assert status == 409
    assert body["stored"] is None  # what another source measured is not shown
    assert [(play.value, play.source) for play in study.log] == [(0.25, "alive")]
    assert study.records()[-1]["kind"] == "late"
    assert study.records()[-1]["value"] == 0.75
    assert [record["kind"] for record in study.records()] == ["study", "ask", "hand", "tell", "late"]


def test_a_late_answer_that_comes_first_counts(study):
    (number,) = ask(study, "slow", lease=-1.0)
    assert ask(study, "fast") == [number]
    assert tell(study, "slow", number, 0.5)[0] == 200
    assert tell(study, "fast", number, 0.6)[0] == 409
    assert [(play.value, play.source) for play in study.log] == [(0.5, "slow")]


def test_a_sign_of_life_keeps_a_play(study):
    (number,) = ask(study, "lab", lease=0.0)
    study.write("lab", None, "", lambda writing: study.beat(writing, "lab", number, 300.0))
    assert ask(study, "other") != [number]
    with pytest.raises(Refused, match="not given"):
        study.write("other", None, "", lambda writing: study.beat(writing, "other", number, 300.0))


def test_64_workers_share_the_last_10_plays(host):
    study = host.begin("last", BOX, {"plays": 10, "seed": 1})[1]
    given, lock = [], threading.Lock()

    def worker(name):
        numbers = ask(study, name)
        with lock:
            given.extend(numbers)

    threads = [threading.Thread(target=worker, args=(f"w{i}",)) for i in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(given) == list(range(10))
    assert study.study.plays_left == 0


def test_those_who_tell_at_once_are_written_together_and_all_are_kept(host):
    study = host.begin("many", BOX, {"plays": 60, "seed": 1})[1]
    numbers = {name: ask(study, name, 3) for name in (f"w{i}" for i in range(16))}
    replies = []

    def worker(name):
        replies.extend(tell(study, name, number, number / 100, key=str(number)) for number in numbers[name])

    threads = [threading.Thread(target=worker, args=(name,)) for name in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [status for status, _ in replies] == [200] * 48
    assert [play.value for play in study.log] == [play.number / 100 for play in study.log]
    again = Host(host.database).study("many")
    assert [play.to_dict() for play in again.log] == [play.to_dict() for play in study.log]


def test_one_bad_request_does_not_harm_those_that_are_written_with_it(study):
    a, b = ask(study, "lab", 2)
    study._lock.acquire()
    results = {}

    def sent(name, number, value):
        try:
            results[name] = tell(study, "lab", number, value)
        except Refused as error:
            results[name] = error.status

    threads = [
        threading.Thread(target=sent, args=args) for args in (("good", a, 1.0), ("bad", 99, 1.0), ("fine", b, 2.0))
    ]
    for thread in threads:
        thread.start()
    while len(study._queue) < 3:
        pass
    study._lock.release()
    for thread in threads:
        thread.join()
    assert results["bad"] == 404
    assert results["good"][0] == results["fine"][0] == 200
    assert [play.value for play in study.log] == [1.0, 2.0]


def test_what_cannot_be_committed_is_not_shown(study, monkeypatch):
    (number,) = ask(study, "lab")
    writing = type(study._database).writing

    def failing(self, which):
        raise RuntimeError("the connection broke")

    monkeypatch.setattr(type(study._database), "writing", failing)
    with pytest.raises(RuntimeError):
        tell(study, "lab", number, 0.5)
    monkeypatch.setattr(type(study._database), "writing", writing)
    assert tell(study, "lab", number, 0.75)[0] == 200
    assert [play.value for play in study.log] == [0.75]


def test_two_servers_of_one_database_see_what_the_other_has_written(postgres):
    one, two = Host(Database(postgres)), Host(Database(postgres))
    study = one.begin("s", BOX, {"plays": 20, "seed": 1})[1]
    mirror = two.study("s")
    (a,), (b,) = ask(study, "lab"), ask(mirror, "rig")
    assert a != b
    tell(mirror, "rig", b, 0.5)
    tell(study, "lab", a, 0.25)
    assert one.study("s").records() == two.study("s").records()
    assert [play.value for play in two.study("s").log] == [play.value for play in one.study("s").log]
    one.study("s").edit("o", lambda known: known.retract(a, "spoilt"))
    assert str(two.study("s").answer()) == str(one.study("s").answer())


def test_servers_that_share_a_study_agree_with_one_that_begins_later(postgres, monkeypatch):
    """Fits are made by one of them, recorded, and not repeated; an edit makes all of them begin again."""
    one, two = Host(Database(postgres)), Host(Database(postgres))
    one.begin("s", BOX, {"seed": 1, "threat": 0.5})
    fits = []
    monkeypatch.setattr(beliefs, "fit_model", lambda *a, of=beliefs.fit_model, **k: fits.append(1) or of(*a, **k))
    for number in range(36):
        study = (one if number % 3 else two).study("s")
        (asked,) = ask(study, f"lab{number % 3}")
        tell(study, f"lab{number % 3}", asked, 0.9 - (study.log[asked].point["x"] - 0.3) ** 2)
        if number == 20:
            one.study("s").edit("o", lambda known: known.retract(4, "spoilt"))
        if number == 28:
            two.study("s").edit("o", lambda known: known.change(threat=None))
    kinds = [record["kind"] for record in one.study("s").records()]
    assert kinds.count("fit") > 10
    late = Host(Database(postgres))
    fits.clear()
    said = json.dumps(late.study("s").answer().to_dict())
    assert len(fits) <= 3
    assert said == json.dumps(one.study("s").answer().to_dict()) == json.dumps(two.study("s").answer().to_dict())


def test_a_doubtful_value_is_measured_again_by_somebody_else(host):
    given = {"plays": 40, "seed": 2, "threat": {"liars": 1, "low": 0, "high": 1}}
    study = host.begin("liars", {"options": ["a", "b", "c", "d"]}, given)[1]
    truth = {"a": 0.2, "b": 0.4, "c": 0.6, "d": 0.3}
    again = []
    for turn in range(30):
        source = "liar" if turn % 3 == 0 else f"honest{turn % 3}"
        (number,) = ask(study, source)
        play = study.log[number]
        before = [p.source for p in study.log if p.point == play.point and p.measured]
        if str(play.why) in ("verify", "recheck"):
            again.append((source, before))
        tell(study, source, number, 1.0 if source == "liar" and play.point == "a" else truth[play.point])
    assert again
    assert all(set(before) != {source} for source, before in again)
