"""One line for each request, with who asked, and nothing that is a secret."""

import logging
import re

import pytest

from tests.service.world import API
from unswayed.service.running.log import LOGGER, Level, begin_log

LINE = re.compile(
    r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (INFO|WARNING|ERROR) "
    r'method=(\S+) route=(\S+) status=(\d+) ms=(\d+\.\d) who=(\S+|".*")'
)

NAMES = (LOGGER.name, "uvicorn.error")
EVERY = ["200", "401", "500"]
LEVELS = {"debug": EVERY, "info": EVERY, "warning": EVERY[1:], "error": EVERY[2:]}  # the statuses that are logged


@pytest.fixture
def logged(capsys):
    """Begins the log; returns what was logged since the last look, as tuples."""
    before = {name: (logging.getLogger(name).handlers, logging.getLogger(name).level) for name in NAMES}

    def begin(level="info"):
        begin_log(Level(level))
        return lambda: [LINE.fullmatch(line).groups() for line in capsys.readouterr().err.splitlines()]

    yield begin
    for name, (handlers, level) in before.items():
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = handlers, True
        logger.setLevel(level)


def test_every_request_is_a_line(world, logged):
    lines = logged()
    world("GET", "/api/v1/health")
    world("GET", f"{API}/s", "source")
    world("GET", f"{API}/nowhere", "owner")
    world("POST", f"{API}/s/plays/1/tell", "reader", {"value": 1})
    world("GET", "/api/v1/nowhere")
    got = lines()
    assert [(level, method, route, status, who) for level, method, route, status, _, who in got] == [
        ("INFO", "GET", "/api/v1/health", "200", "-"),
        ("INFO", "GET", "/api/v1/studies/{name}", "200", "lab"),
        ("WARNING", "GET", "/api/v1/studies/{name}", "404", "boss"),
        ("WARNING", "POST", "/api/v1/studies/{name}/plays/{number}/tell", "403", "eye"),
        ("WARNING", "GET", "-", "401", "-"),
    ]
    assert all(0 < float(ms) < 60_000 for _, _, _, _, ms, _ in got)


def test_no_secret_is_logged(world, logged, capsys):
    logged()
    cookie, csrf = world.log_in("owner")
    secrets = [*world.tokens.values(), cookie, csrf]
    world("GET", f"/?token={secrets[0]}", cookie=cookie)
    world("GET", f"{API}/s?key={secrets[0]}", "owner")
    world("GET", f"/{secrets[0]}", "owner")  # as somebody may paste it
    world("DELETE", f"/api/v1/tokens/{secrets[0]}", "owner")
    world("GET", f"{API}/{secrets[0]}", "owner")
    world("GET", "/api/v1/studies", headers={"authorization": f"Basic {secrets[0]}"})
    world("POST", "/login", form={"token": secrets[1] + "x", "next": "/?secret"})
    world("POST", "/tokens", cookie=cookie, form={"csrf": csrf, "name": "new", "role": "reader", "study": ""})
    world(secrets[0], f"{API}/s", "owner")
    text = capsys.readouterr().err
    assert text.count("\n") == 10
    assert not [secret for secret in secrets if secret in text]
    assert "secret" not in text


def test_a_name_with_spaces_is_quoted(world, logged):
    token = world.host.tokens.make('Lab "3" who=x', "reader")
    lines = logged()
    world.direct("GET", "/api/v1/studies", token)
    assert [who for *_, who in lines()] == ['"Lab \\"3\\" who=x"']


def test_levels(world, logged, monkeypatch, capsys):
    def ask():
        world("GET", "/api/v1/health")
        world("GET", "/api/v1/studies")
        with monkeypatch.context() as broken:
            broken.setattr(world.host, "names", lambda: 1 / 0)
            assert world("GET", "/api/v1/studies", "owner").json == {
                "error": "internal server error; see the server log"
            }

    for level, statuses in LEVELS.items():
        logged(level)
        ask()
        text = capsys.readouterr().err
        assert re.findall(r"status=(\d+)", text) == statuses
        assert "ZeroDivisionError" in text
        uvicorn = logging.getLogger("uvicorn.error")
        assert uvicorn.isEnabledFor(logging.INFO) == (level == "debug")
        assert uvicorn.isEnabledFor(logging.WARNING) == (level != "error")


def test_a_client_that_leaves_is_logged(world, logged):
    """It said that 1,000 bytes come, and left before they did."""
    lines = logged()
    world("POST", f"{API}/s/ask", "owner", b"{", hang_up=True)
    assert [(route, status) for _, _, route, status, _, _ in lines()] == [("/api/v1/studies/{name}/ask", "499")]


def test_an_unknown_level_is_refused(unswayed):
    code, _, err = unswayed("serve", "--log-level", "loud")
    assert code == 2
    assert "'debug', 'info', 'warning', 'error'" in err
