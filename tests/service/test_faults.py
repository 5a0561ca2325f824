"""Two answers at once, lost replies, workers that die, a full disk, a damaged store: what is acknowledged is kept."""

import json
import sqlite3
import threading
import time
from contextlib import closing

import pytest

from tests.service.conftest import BOX
from tests.service.test_kill import FEW
from unswayed.cli import main
from unswayed.service.tokens import Tokens
from unswayed.storage.database import Database
from unswayed.storage.upgrades import VERSION


def send(server, token, path, body, key=None):
    """One request, sent once: the status and the body of its reply."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    headers |= {} if key is None else {"Idempotency-Key": key}
    with server.study() as study:
        status, data = study.server._once("POST", f"/api/v1/studies/s/{path}", json.dumps(body), headers)
    return status, json.loads(data)


def at_once(*requests):
    """The results of calls that start together."""
    barrier, results = threading.Barrier(len(requests)), [None] * len(requests)

    def run(k):
        barrier.wait()
        results[k] = requests[k]()

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(requests))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def kinds(server):
    return [record["kind"] for record in server.study().records()[1:]]


@pytest.fixture
def server(quick, url):
    started = quick(url)
    started.begin(space=FEW, plays=10)
    return started


# -- who comes first --------------------------------------------------------------------------------------------------


def test_of_two_answers_to_one_play_the_first_counts(server):
    token = server.make_token("lab")  # two workers of one source
    (play,) = server.study(token=token).ask()
    tells = [lambda y=y: send(server, token, f"plays/{play.number}/tell", {"value": y}) for y in (0.25, 0.75)]
    replies = at_once(*tells)
    accepted = [body["value"] for status, body in replies if status == 200]
    refused = [body["stored"] for status, body in replies if status == 409]
    assert len(accepted) == 1
    assert refused == accepted
    assert kinds(server) == ["ask", "tell"]


def test_64_workers_get_10_plays(server):
    asks = [lambda k=k: send(server, server.token, "ask", {"n": 1, "source": f"w{k}"}) for k in range(64)]
    replies = at_once(*asks)
    assert {status for status, _ in replies} == {200}
    assert sorted(play["number"] for _, body in replies for play in body["plays"]) == list(range(10))
    assert kinds(server) == ["ask"] * 10


def test_a_lost_reply_is_said_again(server):
    first = send(server, server.token, "ask", {"n": 2}, key="ask")
    assert send(server, server.token, "ask", {"n": 2}, key="ask") == first
    number = first[1]["plays"][0]["number"]
    reply = send(server, server.token, f"plays/{number}/tell", {"value": 0.5}, key="tell")
    server.kill()  # the reply was lost, and the server with it
    server.start()
    assert send(server, server.token, f"plays/{number}/tell", {"value": 0.5}, key="tell") == reply
    status, body = send(server, server.token, f"plays/{number}/tell", {"value": 0.6}, key="tell")
    assert (status, "another request" in body["error"]) == (409, True)
    assert kinds(server) == ["ask", "ask", "tell"]


def test_the_play_of_a_dead_worker_is_handed_on_and_its_late_answer_does_not_count(quick, url):
    server = quick(url, "--lease", "3")
    server.begin(space=FEW, plays=2)
    dead, alive = server.study(token=server.make_token("dead")), server.make_token("alive")
    (play,) = dead.ask()
    (other,) = server.study(token=alive).ask()
    assert other.number != play.number
    end, got = time.monotonic() + 60, [other]
    while got == [other] and time.monotonic() < end:
        time.sleep(0.2)
        server.study(token=alive).heartbeat(other)
        got = server.study(token=alive).ask(2)
    assert [one.number for one in got] == [other.number, play.number]
    server.study(token=alive).tell(play, 0.25)
    status, body = send(server, dead.server._token, f"plays/{play.number}/tell", {"value": 0.75})
    assert status == 409
    assert "kept in the log" in body["error"]
    assert kinds(server) == ["ask", "ask", "hand", "tell", "late"]
    plays = server.study().read().log
    assert [(p.value, p.source) for p in plays if p.measured] == [(0.25, "alive")]


# -- the store --------------------------------------------------------------------------------------------------------


def test_a_full_disk_refuses_and_forgets_nothing(quick, tmp_path):
    url = f"sqlite:///{tmp_path}/s.db"
    server = quick(url, largest_file=700_000)
    server.begin(space=FEW, plays=2000, parallel=1)
    numbers, acknowledged = [], []
    status = 200
    while status == 200 and len(numbers) < 2000:
        status, body = send(server, server.token, "ask", {"n": 40, "source": f"w{len(numbers)}"})
        numbers += [play["number"] for play in body.get("plays", ())]
        for number in numbers[len(acknowledged) :] if status == 200 else ():
            status, body = send(server, server.token, f"plays/{number}/tell", {"value": 0.5}, key=str(number))
            if status != 200:
                break
            acknowledged.append(number)
    assert (status, "database" in body["error"]) == (503, True), "the disk was never full"
    assert server.study().about()["counts"]["told"] == len(acknowledged)  # nothing is shown that is not kept
    server.kill()
    server.largest_file = None
    server.start()
    assert [r["play"] for r in server.study().records() if r["kind"] == "tell"] == acknowledged
    assert acknowledged


def test_a_second_server_of_a_file_is_refused(quick, tmp_path, capsys):
    url = f"sqlite:///{tmp_path}/s.db"
    server = quick(url)
    code, line = refused(url, capsys)
    assert code == 2
    assert f"another server has {tmp_path}/s.db open" in line
    server.begin()
    assert server.study().ask()


def refused(url, capsys):
    """The exit code of a server that does not start, and the line that says why."""
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--database", url, "--port", "0"])
    return stop.value.code, " ".join(capsys.readouterr().err.split())


@pytest.fixture
def stored(quick, tmp_path):
    """A server with a study of 20 answers."""
    server = quick(f"sqlite:///{tmp_path}/s.db")
    server.begin(space=FEW, plays=50, parallel=1)
    server.begin("untouched", space=BOX)
    for play in server.study().ask(20):
        server.study().tell(play, 0.125)
    server.kill()
    return server


def change(server, *statements):
    with closing(sqlite3.connect(server.url.removeprefix("sqlite:///"))) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE records SET record = replace(record, '0.125', '0.625') WHERE seq = 30",
        "DELETE FROM records WHERE seq = 30",
        "UPDATE records SET crc = crc + 1 WHERE seq = 30",
    ],
)
def test_a_changed_record_is_found(stored, damage):
    change(stored, damage)
    stored.start()
    status, body = send(stored, stored.token, "ask", {"n": 1})
    assert status >= 400
    assert "damaged at record 30" in body["error"]
    assert stored.study("untouched").ask()  # the other studies go on


def test_flipped_bytes_are_found(stored, capsys, tmp_path):
    change(stored)
    path = tmp_path / "s.db"
    data = bytearray(path.read_bytes())
    half = len(data) // 2 // 4096 * 4096
    data[half : half + 64] = bytes(byte ^ 0xFF for byte in data[half : half + 64])
    path.write_bytes(data)
    code, line = refused(stored.url, capsys)
    assert code == 2
    assert "damaged" in line
    assert path.read_bytes() == bytes(data)  # nothing was mended in silence


def test_a_newer_store_is_refused(stored, capsys):
    change(stored, f"UPDATE unswayed SET version = {VERSION + 1}")
    code, line = refused(stored.url, capsys)
    assert code == 2
    assert f"of version {VERSION + 1}" in line
    assert "update unswayed" in line


def test_an_owner_is_made_if_there_is_none(tmp_path, servers):
    """A token that was made before the first start is no owner."""
    url = f"sqlite:///{tmp_path}/early.db"
    database = Database(url)
    Tokens(database).make("lab-1", "source")
    database.close()
    server = servers(url)
    assert server.begin()["name"] == "s"
