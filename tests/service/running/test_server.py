"""A server that is told to end: it finishes what is under way, takes nothing new, and exits with 0 in time."""

import http.client
import json
import os
import signal
import socket
import sqlite3
import threading
import time
from contextlib import closing

import pytest

from tests.service.test_kill import FEW
from unswayed.service.running.server import FINISHING


def ended(server):
    """Wait for the end of a server that got SIGTERM: its exit code and the seconds until then."""
    began = time.monotonic()
    server.process.join(60)
    return server.process.exitcode, time.monotonic() - began


def request_by_halves(server, path, body):
    """A request whose body has not come yet, and what sends it: its reply."""
    data = json.dumps(body).encode()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.putrequest("POST", f"/api/v1/studies/s/{path}")
    for name, value in {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}.items():
        connection.putheader(name, value)
    connection.putheader("Content-Length", str(len(data)))
    connection.endheaders(data[:1])

    def rest():
        connection.send(data[1:])
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())

    return rest


def test_requests_under_way_are_finished_and_new_ones_refused(quick, url):
    server = quick(url)
    server.begin(space=FEW, plays=10)
    (play,) = server.study().ask()
    finish = request_by_halves(server, f"plays/{play.number}/tell", {"value": 0.5})
    time.sleep(0.3)
    os.kill(server.process.pid, signal.SIGTERM)
    time.sleep(0.5)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), timeout=5)
    assert finish() == (200, {"number": play.number, "status": "told", "value": 0.5})
    code, seconds = ended(server)
    assert code == 0
    assert seconds < FINISHING
    server.start()
    assert [record["kind"] for record in server.study().records()[1:]] == ["ask", "tell"]


def test_streams_end_at_once(quick, tmp_path):
    server = quick(f"sqlite:///{tmp_path}/s.db")
    server.begin(space=FEW, plays=10)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET", "/api/v1/studies/s/events", headers={"Authorization": f"Bearer {server.token}"})
    stream = connection.getresponse()
    assert stream.readline().startswith(b": the records after")
    os.kill(server.process.pid, signal.SIGTERM)
    code, seconds = ended(server)
    assert code == 0
    assert seconds < FINISHING / 2
    stream.read()


def test_what_takes_too_long_is_cut(quick, tmp_path):
    """Its thread waits for another writer of the file, and cannot be interrupted."""
    path = tmp_path / "s.db"
    server = quick(f"sqlite:///{path}")
    server.begin(space=FEW, plays=10)
    (play,) = server.study().ask()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        finish = request_by_halves(server, f"plays/{play.number}/tell", {"value": 0.5})
        replies = []

        def told():
            with pytest.raises((http.client.HTTPException, OSError)):
                finish()
            replies.append("none")

        thread = threading.Thread(target=told)
        thread.start()
        time.sleep(0.3)
        os.kill(server.process.pid, signal.SIGTERM)
        code, seconds = ended(server)
        thread.join()
        assert (code, replies) == (0, ["none"])
        assert FINISHING - 1 < seconds < FINISHING + 10
    server.start()
    assert [record["kind"] for record in server.study().records()[1:]] == ["ask"]
    server.study().tell(play, 0.5)


def test_no_acknowledged_answer_is_lost_by_ending_and_starting(quick, tmp_path):
    """While 4 clients tell without a pause; they go on after each restart."""
    server = quick(f"sqlite:///{tmp_path}/s.db")
    server.begin(space=FEW, plays=200, parallel=1)
    numbers = [play.number for play in server.study().ask(200)]
    told = []

    def tell(mine):
        study = server.study()
        for number in mine:
            study.tell(number, number / 100)
            told.append(number)

    threads = [threading.Thread(target=tell, args=(numbers[k::4],)) for k in range(4)]
    for thread in threads:
        thread.start()
    for k in range(1, 4):
        while len(told) < 50 * k:
            time.sleep(0.001)
        os.kill(server.process.pid, signal.SIGTERM)
        assert ended(server)[0] == 0
        server.start()
    for thread in threads:
        thread.join()
    records = [record["play"] for record in server.study().records() if record["kind"] == "tell"]
    assert sorted(records) == sorted(told) == numbers


def test_a_server_that_has_not_begun_ends_too(servers, tmp_path):
    """As a process of its own: right after it says that it listens."""
    server = servers(f"sqlite:///{tmp_path}/s.db")
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(60) == 0
