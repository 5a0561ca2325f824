"""A message when the verdict of a study changes: what it says, who signs it, and what a bad receiver cannot do."""

import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from typer.testing import CliRunner

from tests.service.conftest import free_port
from unswayed.cli.app import app
from unswayed.errors import InvalidInput
from unswayed.service.host import Host
from unswayed.service.webhooks.sending import _forbidden, checked_url, send
from unswayed.service.webhooks.verdict import Trust
from unswayed.service.webhooks.watching import Watcher
from unswayed.storage.database import Database
from unswayed.storage.webhooks import Webhooks


class Receiver:
    """Takes messages on 127.0.0.1. `status` and `headers` are what it says; it waits for `free` before."""

    def __init__(self, port=0):
        self.got, self.status, self.headers, self.free = [], 204, {}, threading.Event()
        self.free.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.free.wait(30)
                receiver.got.append((self.path, dict(self.headers), body))
                self.send_response(receiver.status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook?a=b"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def said(self):
        return [json.loads(body) for _, _, body in self.got]

    def close(self):
        self.free.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def receiver():
    one = Receiver()
    yield one
    one.close()


@pytest.fixture
def watched(host, receiver):
    """A study whose leader "b" withstands its threat, with a webhook."""
    _, study = host.begin("alloy", {"options": ["a", "b"]}, {"seed": 1, "threat": 0.5})
    rows = [({"a": 1.0, "b": 2.0}[x] + k / 100) for k in range(4) for x in "ab"]
    study.edit("boss", lambda known: known.add([("ab"[k % 2], value) for k, value in enumerate(rows)]))
    Webhooks(host.database).put(study.number, receiver.url, "secret")
    return study


def after_a_start(host, waits=(0.0, 0.0)):
    """What a server does that has just been started: look, and send."""
    watcher = Watcher(Host(host.database), waits)
    watcher.look()
    watcher.deliver()


def threaten(study, total):
    study.edit("boss", lambda known: known.change(threat=total))


def test_a_new_verdict_is_sent_signed_and_once(host, watched, receiver):
    after_a_start(host)
    threaten(watched, 1e6)
    after_a_start(host)
    threaten(watched, 2e6)  # another threat, the same verdict
    after_a_start(host)
    threaten(watched, None)
    after_a_start(host)
    first, second, third = receiver.said
    assert [one["old"] for one in receiver.said] == [None, Trust.WITHSTANDS, Trust.FALLS]
    assert [one["new"] for one in receiver.said] == [Trust.WITHSTANDS, Trust.FALLS, Trust.UNSTATED]
    assert first["sentence"].startswith("The leader, b, withstands the threat: changes of ")
    assert second["sentence"].startswith("The leader, b, no longer withstands the threat: changes of ")
    assert third["sentence"] == "The leader is b: no threat is stated."
    assert {(one["study"], one["leader"], one["measured"]) for one in receiver.said} == {("alloy", "b", 8)}
    assert first["seq"] < second["seq"] < third["seq"] == watched.seq
    for path, headers, body in receiver.got:
        assert path == "/hook?a=b"
        assert headers["Content-Type"] == "application/json"
        assert headers["Unswayed-Signature"] == f"sha256={hmac.new(b'secret', body, 'sha256').hexdigest()}"
    assert len({headers["Unswayed-Message"] for _, headers, _ in receiver.got}) == 3


def test_another_leader_is_told_while_the_verdict_stays(host, watched, receiver):
    threaten(watched, None)
    after_a_start(host)
    watched.edit("boss", lambda known: known.add([("a", 9.0 + k / 100) for k in range(4)]))
    after_a_start(host)
    after_a_start(host)
    first, second = receiver.said
    assert (first["leader"], first["leader_before"]) == ("b", None)
    assert (second["old"], second["new"]) == (Trust.UNSTATED, Trust.UNSTATED)
    assert (second["leader"], second["leader_before"]) == ("a", "b")
    assert second["sentence"] == "The leader is a, no longer b: no threat is stated."
    threaten(watched, 1e6)
    after_a_start(host)
    assert [(one["leader_before"], one["new"]) for one in receiver.said[2:]] == [(None, Trust.FALLS)]


def test_in_a_continuum_a_leader_is_another_one_if_it_is_better_by_more_than_the_noise(host, receiver):
    _, study = host.begin("box", {"x": {"low": 0, "high": 1}}, {"seed": 1, "noise_std": 0.01})
    Webhooks(host.database).put(study.number, receiver.url, "secret")

    def tell(peak, height, points):
        told = [({"x": k / points}, height - (k / points - peak) ** 2) for k in range(points + 1)]
        study.edit("boss", lambda known: known.add(told))
        after_a_start(host)
        return study.answer().point["x"]

    first, near = tell(0.34, 1.0, 10), tell(0.34, 1.0, 50)
    assert first != near
    assert [one["leader_before"] for one in receiver.said] == [None]
    study.edit("boss", lambda known: known.add([({"x": x}, 2.0) for x in (0.88, 0.9, 0.9, 0.92)] * 2))
    after_a_start(host)
    assert len(receiver.said) == 2
    assert receiver.said[1]["leader_before"]["x"] == pytest.approx(0.3, abs=0.1)
    assert receiver.said[1]["leader"]["x"] == pytest.approx(0.9, abs=0.1)


def test_a_study_without_measurements_or_with_one_option_has_little_to_say(host, receiver):
    _, study = host.begin("new", {"options": ["a", "b"]}, {})
    Webhooks(host.database).put(study.number, receiver.url, "secret")
    after_a_start(host)
    assert receiver.said == []
    study.edit("boss", lambda known: known.add([("a", 1.0)]))
    after_a_start(host)
    assert [one["new"] for one in receiver.said] == [Trust.UNDECIDED]


def test_a_dead_receiver_is_tried_a_bounded_number_of_times_and_loses_nothing_else(host, watched, receiver):
    receiver.status, kept, before = 500, Webhooks(host.database), watched.records()
    for tries in (1, 2, 3):
        after_a_start(host)
        assert len(receiver.got) == tries
        assert kept.of("alloy").error == "the receiver says 500"
        assert kept.waiting(watched.number) == (tries < 3)
    after_a_start(host)
    assert len(receiver.got) == 3  # the same message; it is dropped
    assert len({headers["Unswayed-Message"] for _, headers, _ in receiver.got}) == 1
    assert watched.records() == before
    receiver.status = 200
    threaten(watched, 1e6)
    after_a_start(host)
    assert receiver.said[-1]["old"] == Trust.WITHSTANDS
    assert (kept.of("alloy").error, kept.waiting(watched.number)) == (None, 0)


def test_messages_wait_for_their_time_and_come_in_order(host, watched, receiver):
    receiver.status = 500
    after_a_start(host, waits=(3600.0,))
    threaten(watched, 1e6)
    receiver.status = 200
    after_a_start(host, waits=(3600.0,))
    assert len(receiver.got) == 1  # the second waits behind the first
    kept = Webhooks(host.database)
    assert kept.waiting(watched.number) == 2
    ((first),) = kept.due(time.time() + 3600)
    kept.tried(first, time.time(), None, time.time())
    after_a_start(host)
    after_a_start(host)
    assert [one["new"] for one in receiver.said[1:]] == [Trust.WITHSTANDS, Trust.FALLS]


def test_several_servers_send_a_message_once(host, watched, receiver):
    Watcher(host).look()
    servers = [Watcher(Host(host.database)) for _ in range(4)]
    threads = [threading.Thread(target=one.deliver) for one in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(receiver.got) == 1


def test_a_redirect_is_not_followed_and_nothing_of_the_reply_is_kept(host, watched, receiver):
    other = Receiver()
    receiver.status, receiver.headers = 307, {"Location": other.url, "X-Secret": "s3cret"}
    after_a_start(host)
    assert (len(receiver.got), other.got) == (1, [])
    assert Webhooks(host.database).of("alloy").error == "the receiver says 307"
    other.close()


def test_another_address_gets_nothing_of_what_waited_for_the_one_before(host, watched, receiver):
    kept = Webhooks(host.database)
    Watcher(host).look()
    assert kept.waiting(watched.number) == 1
    other = Receiver()
    kept.put(watched.number, other.url, "another secret")
    assert (kept.waiting(watched.number), kept.of("alloy").verdict) == (0, None)
    after_a_start(host)
    assert (receiver.got, [one["old"] for one in other.said]) == ([], [None])
    watcher = Watcher(host)
    watcher.look()
    kept.put(watched.number, other.url, "a third secret")  # the same server looks again, although nothing is new
    watcher.look()
    watcher.deliver()
    assert len(other.got) == 2
    assert kept.drop(watched.number)
    assert not kept.drop(watched.number)
    threaten(watched, 1e6)
    after_a_start(host)
    assert len(other.got) == 2
    other.close()


@pytest.mark.parametrize("at", ["before the reply", "between its bytes"])
def test_a_slow_receiver_is_left_after_a_time(at, receiver):
    if at == "before the reply":
        receiver.free.clear()
        url = receiver.url
    else:
        url = f"http://127.0.0.1:{dripping()}/"
    began = time.monotonic()
    assert send(url, "secret", b"{}", "1", timeout=0.5) == "no reply in 0.5 s"
    assert time.monotonic() - began < 5


def dripping():
    """The port of a receiver that sends a header without end, a byte at a time."""
    import socket

    listening = socket.create_server(("127.0.0.1", 0))

    def drip():
        connection, _ = listening.accept()
        connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
        try:
            while True:
                connection.sendall(b"x")
                time.sleep(0.05)
        except OSError:
            connection.close()
            listening.close()

    threading.Thread(target=drip, daemon=True).start()
    return listening.getsockname()[1]


BAD = ["", "ftp://example.com/", "file:///etc/passwd", "gopher://127.0.0.1/", "//example.com/", "http://", "http:///x",
       "http://name:password@example.com/", "http://name@example.com/", "http://[::1", "http://a b/", "javascript:1",
       "http://example.com/\r\nX: y", "http://example.com:99999/", "http://h:0/", "http://ex\u00e4mple.com/",
       "http://x/" + "a" * 3000, "http://[::1]/"
       ]  # fmt: skip


def test_only_addresses_of_the_web_are_taken(world):
    for url in BAD:
        with pytest.raises(InvalidInput):
            checked_url(url)
        reply = world("PUT", "/api/v1/studies/s/webhook", "owner", {"url": url})
        assert reply.status == 422, url
    assert Webhooks(world.host.database).all() == []
    for url in ("http://127.0.0.1:9/", "https://example.com/a?b=c", "http://h:65535"):
        assert checked_url(url) == url


def test_the_data_of_cloud_machines_cannot_be_reached():
    for address in ("169.254.169.254", "fe80::1", "fe80::1%eth0", "::ffff:169.254.169.254", "224.0.0.1", "0.0.0.0"):
        assert _forbidden(address), address
    assert not any(_forbidden(address) for address in ("127.0.0.1", "10.0.0.1", "::1", "93.184.216.34"))


def test_the_routes_of_a_webhook(world, receiver):
    hook = "/api/v1/studies/s/webhook"
    assert world("GET", hook, "owner").json == {"error": "this study has no webhook"}
    made = world("PUT", hook, "owner", {"url": receiver.url})
    assert (made.status, made.json["url"], len(made.json["secret"])) == (201, receiver.url, 43)
    known = {"url": receiver.url, "verdict": None, "tried": None, "error": None, "waiting": 0}
    assert world("GET", hook, "owner").json == known  # without the secret
    after_a_start(world.host)
    found = world("GET", hook, "owner").json
    assert (found["verdict"], found["error"], found["waiting"]) == (Trust.UNDECIDED, None, 0)
    assert abs(found["tried"] - time.time()) < 60
    ((_, headers, body),) = receiver.got
    expected = hmac.new(made.json["secret"].encode(), body, "sha256").hexdigest()
    assert headers["Unswayed-Signature"] == f"sha256={expected}"
    assert world("DELETE", hook, "owner").json == {"removed": receiver.url}
    assert world("DELETE", hook, "owner").status == 404
    assert world("PUT", "/api/v1/studies/nothing/webhook", "owner", {"url": receiver.url}).status == 404


def until(what, seconds=60):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def test_a_server_sends_and_never_lets_anybody_wait_and_goes_on_after_a_kill(quick, tmp_path, monkeypatch):
    server = quick(f"sqlite:///{tmp_path}/studies.db")
    server.begin(space={"options": ["a", "b"]}, threat=0.5)
    study = server.study()
    monkeypatch.setenv("UNSWAYED_TOKEN", server.token)
    page, first = f"{server.address}/studies/s", Receiver()

    def command(*words):
        ran = CliRunner().invoke(app, ["study", "webhook", page, *words])
        assert ran.exit_code == 0, ran.output
        return ran.output.strip()

    first.free.clear()  # it takes the message and does not answer
    secret = command(first.url)
    study.add([("ab"[k % 2], k % 2 + k / 100) for k in range(8)])
    began = time.monotonic()
    study.answer()
    for play in study.ask(10):
        study.tell(play, {"a": 0.0, "b": 1.0}[play.point])
    assert time.monotonic() - began < 20  # it would be 10 s for each
    first.free.set()
    until(lambda: first.got)
    _, headers, body = first.got[0]
    assert headers["Unswayed-Signature"] == f"sha256={hmac.new(secret.encode(), body, 'sha256').hexdigest()}"
    until(lambda: "0 waiting" in command())

    port = free_port()
    command(f"http://127.0.0.1:{port}/")  # nobody is there
    until(lambda: "the last try failed" in command())
    assert "1 waiting" in command()
    server.kill()
    server.start()
    later = Receiver(port)
    until(lambda: later.got)
    assert later.said[0]["old"] is None
    assert study.about()["counts"]["told"] == 18
    until(lambda: "0 waiting" in command())
    assert command("--remove") == f"removed: http://127.0.0.1:{port}/"
    for one in (first, later):
        one.close()


def test_a_webhook_is_for_a_study_on_a_server(tmp_path):
    ran = CliRunner().invoke(app, ["study", "webhook", str(tmp_path / "lab.jsonl"), "http://127.0.0.1:9/"])
    assert isinstance(ran.exception, InvalidInput)


def test_a_fault_in_one_study_does_not_keep_the_others_from_being_watched(tmp_path, receiver, monkeypatch):
    host = Host(Database(f"sqlite:///{tmp_path}/studies.db"))
    for name in ("bad", "good"):
        _, study = host.begin(name, {"options": ["a", "b"]}, {})
        study.edit("boss", lambda known: known.add([("a", 1.0)]))
        Webhooks(host.database).put(study.number, receiver.url, "secret")

    def broken():
        raise ArithmeticError("a fault")

    monkeypatch.setattr(host.study("bad"), "answered", broken)
    watcher = Watcher(host)
    watcher.look()
    watcher.deliver()
    assert [one["study"] for one in receiver.said] == ["good"]
    host.database.close()
