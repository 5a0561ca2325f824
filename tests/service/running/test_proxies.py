"""The proxies of deploy/, as they stand there, before a real server: TLS, checks of hosts and origins, streams."""

import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.service.conftest import BOX, free_port
from tests.service.test_kill import FEW

DEPLOY = Path(__file__).parents[3] / "deploy"
NAME = "unswayed.example.org"
PATH = f"{os.environ['PATH']}:/usr/sbin"


class Proxy:
    """nginx or Caddy before a server, on a free port.

    Args:
        kind: Which one.
        folder: Where its files are.
        server: What is behind it; it must answer to the name localhost.
    """

    def __init__(self, kind, folder, server):
        program = shutil.which(kind, path=PATH)
        if program is None or shutil.which("openssl") is None:
            pytest.skip(f"{kind} or openssl is not installed")
        self.port, self.plain = free_port(), free_port()
        self.certificate = folder / "fullchain.pem"
        words = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        words += ["-addext", "subjectAltName=DNS:localhost", "-keyout", "privkey.pem", "-out", "fullchain.pem"]
        subprocess.run(["openssl", "req", *words], check=True, cwd=folder, stderr=subprocess.DEVNULL)
        words = self.nginx(folder, server) if kind == "nginx" else self.caddy(folder, server)
        self.process = subprocess.Popen([program, *words], cwd=folder, env={**os.environ, "HOME": str(folder)})
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
                return
            except ConnectionRefusedError:
                assert self.process.poll() is None, "the proxy has ended"
                time.sleep(0.05)
        raise AssertionError("the proxy does not listen")

    def nginx(self, folder, server):
        site = replaced(
            DEPLOY / "nginx.conf",
            {
                "listen 80;": f"listen 127.0.0.1:{self.plain};",
                "listen 443 ssl": f"listen 127.0.0.1:{self.port} ssl",
                NAME: "localhost",
                "/etc/ssl/unswayed/": f"{folder}/",
                "127.0.0.1:8711": f"127.0.0.1:{server.port}",
            },
        )
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        folders = "\n".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
        user = "user root;" if os.getuid() == 0 else ""
        whole = f"{user} pid {folder}/pid; daemon off; error_log {folder}/error.log; events {{}}\n"
        whole += f"http {{ access_log off; {folders}\n{site} }}"
        (folder / "whole.conf").write_text(whole)
        return ["-p", str(folder), "-e", f"{folder}/error.log", "-c", f"{folder}/whole.conf"]

    def caddy(self, folder, server):
        tls = f"\ttls {folder}/fullchain.pem {folder}/privkey.pem\n\theader Strict"
        site = replaced(
            DEPLOY / "Caddyfile",
            {
                f"{NAME} {{": f"localhost:{self.port} {{\n\tbind 127.0.0.1",
                "\theader Strict": tls,
                "127.0.0.1:8711": f"127.0.0.1:{server.port}",
            },
        )
        (folder / "Caddyfile").write_text(f"{{\n\tadmin off\n\thttp_port {self.plain}\n}}\n{site}")
        return ["run", "--adapter", "caddyfile", "--config", "Caddyfile"]

    def request(self, method, path, body=None, headers=()):
        """One request over TLS: status, headers and body."""
        context = ssl.create_default_context(cafile=self.certificate)
        connection = http.client.HTTPSConnection("localhost", self.port, timeout=60, context=context)
        try:
            connection.request(method, path, body, {"Host": f"localhost:{self.port}", **dict(headers)})
            reply = connection.getresponse()
            return reply.status, {name.lower(): one for name, one in reply.getheaders()}, reply.read()
        finally:
            connection.close()

    def end(self):
        self.process.terminate()
        self.process.wait(30)


def replaced(path, changes):
    """The text of an example with names, ports and paths of a test; everything to be replaced must be there."""
    text = path.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.fixture
def server(quick, tmp_path):
    return quick(f"sqlite:///{tmp_path}/s.db", "--allow-host", "localhost")


@pytest.fixture(params=["nginx", "caddy"])
def proxy(request, server, tmp_path, monkeypatch):
    """A proxy, whose certificate clients know."""
    (tmp_path / "proxy").mkdir()
    started = Proxy(request.param, tmp_path / "proxy", server)
    monkeypatch.setenv("SSL_CERT_FILE", str(started.certificate))
    yield started
    started.end()


def test_a_study_over_tls(proxy, server):
    """Everything that matters, on one server and one proxy: they take a while to start."""
    address = server.address
    server.address = f"https://localhost:{proxy.port}"
    check_checks(proxy, server.token)
    check_verbs(server)
    check_login(proxy, server.token)
    check_events(proxy, server)
    check_large(proxy, server.token)
    check_plain(proxy)
    server.address = address


def check_checks(proxy, token):
    """The server's checks hold behind the proxy, and its headers arrive."""
    bearer = {"Authorization": f"Bearer {token}"}
    status, headers, body = proxy.request("GET", "/api/v1/health")
    assert (status, json.loads(body)["status"]) == (200, "ok")
    assert headers["strict-transport-security"] == "max-age=31536000"
    assert "unsafe" not in headers["content-security-policy"]
    assert proxy.request("GET", "/api/v1/studies")[0] == 401
    assert proxy.request("GET", "/api/v1/studies", headers=bearer)[0] == 200
    own, other = f"https://localhost:{proxy.port}", "https://elsewhere.example.org"
    assert proxy.request("GET", "/api/v1/studies", headers={**bearer, "Origin": own})[0] == 200
    assert proxy.request("GET", "/api/v1/studies", headers={**bearer, "Origin": other})[0] == 403
    forwarded = {"X-Forwarded-Host": "localhost", "Forwarded": "host=localhost"}
    status, _, body = proxy.request("GET", "/api/v1/studies", headers={**bearer, **forwarded, "Host": "evil.example"})
    assert status != 200 or body == b"", "another host is served"


def check_verbs(server):
    server.begin(space=BOX, plays=4)
    token = server.make_token("Lab 3/a?b", study="s")  # names travel through the proxy as they are
    study = server.study(token=token)
    for play in study.ask(2):
        study.tell(play, 0.5)
    assert server.study().answer()["point"].keys() == {"x", "y"}
    assert [play.source for play in server.study().read().log] == ["Lab 3/a?b"] * 2
    server.study().server.send("DELETE", "/api/v1/tokens/Lab%203%2Fa%3Fb", None)


def check_login(proxy, token):
    form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"https://localhost:{proxy.port}"}
    status, headers, _ = proxy.request("POST", "/login", f"token={token}&next=/", form)
    assert (status, headers["location"]) == (303, "/")
    assert {"Secure", "HttpOnly", "SameSite=strict"} <= {word.strip() for word in headers["set-cookie"].split(";")}
    cookie = headers["set-cookie"].split(";")[0]
    assert proxy.request("GET", "/studies/s", headers={"Cookie": cookie})[0] == 200


def check_events(proxy, server):
    """A record arrives while the stream is open, not when the proxy has gathered enough."""
    context = ssl.create_default_context(cafile=proxy.certificate)
    connection = http.client.HTTPSConnection("localhost", proxy.port, timeout=20, context=context)
    headers = {"Authorization": f"Bearer {server.token}", "Host": f"localhost:{proxy.port}"}
    connection.request("GET", "/api/v1/studies/s/events", headers=headers)
    stream = connection.getresponse()
    assert stream.readline().startswith(b": the records after")
    thread = threading.Thread(target=lambda: server.study().ask(1))
    thread.start()
    lines = []
    while not lines or not lines[-1].startswith(b"data:"):
        lines.append(stream.readline())
    thread.join()
    assert json.loads(lines[-1][5:])["kind"] in ("ask", "fit")
    connection.close()


def check_large(proxy, token):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    accepted = b'{"name": "' + b"x" * 4_000_000 + b'"}'  # its name is wrong, its size is not
    assert proxy.request("POST", "/api/v1/studies", accepted, headers)[0] == 422
    with pytest.raises((AssertionError, OSError)):  # refused, or hung up on while it is sent
        assert proxy.request("POST", "/api/v1/studies", b" " * 6_000_000, headers)[0] != 413


def check_plain(proxy):
    """http leads to https."""
    connection = http.client.HTTPConnection("127.0.0.1", proxy.plain, timeout=20)
    connection.request("GET", "/studies/s?page=2", headers={"Host": "localhost"})
    reply = connection.getresponse()
    assert reply.status in (301, 308)
    assert reply.getheader("location").startswith("https://localhost")
    connection.close()


def test_clients_wait_while_the_server_behind_a_proxy_is_away(proxy, server, monkeypatch):
    """The proxy says 502 meanwhile: that is no refusal."""
    server.begin(space=FEW, plays=60, parallel=1)
    token, told = server.make_token("lab"), []
    address, server.address = server.address, f"https://localhost:{proxy.port}"
    study = server.study(token=token)

    def tell():
        for play in study.ask(60):
            study.tell(play, play.number / 8)
            told.append(play.number)

    thread = threading.Thread(target=tell)
    thread.start()
    for k in (1, 2):
        while len(told) < 20 * k and thread.is_alive():
            time.sleep(0.001)
        server.kill()
        time.sleep(0.5)
        server.start()
    thread.join()
    server.address = address
    assert told == list(range(60))
    assert [record["play"] for record in server.study().records() if record["kind"] == "tell"] == told
