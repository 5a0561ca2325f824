"""The how-to of operating a server: what it says about backups works as written, on real databases."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.service.conftest import BIN
from tests.service.test_kill import FEW

PAGE = (Path(__file__).parents[3] / "docs" / "howto" / "operate.md").read_text(encoding="utf-8")
SQLITE, POSTGRES = PAGE.split("**PostgreSQL**, while servers run:")


def blocks(text):
    return re.findall(r"^```bash\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(script, folder, **environment):
    command = shlex.join([sys.executable, "-m", "unswayed"])
    script = re.sub("^unswayed ", f"{command} ", script, flags=re.MULTILINE)
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", **environment}
    subprocess.run(["/bin/bash", "-ec", script], cwd=folder, check=True, env=environment)


@pytest.fixture
def fill(quick):
    """A server with a study of three answers."""

    def begin(url):
        server = quick(url)
        server.begin(space=FEW, plays=50, parallel=1)
        tell(server, 3)
        return server

    return begin


def tell(server, count):
    for play in server.study().ask(count):
        server.study().tell(play, 0.5)


def test_sqlite(fill, tmp_path):
    backup, restore = blocks(SQLITE)
    server = fill(f"sqlite:///{tmp_path}/lab.db")
    run(backup, tmp_path)
    before = server.study().records()
    tell(server, 2)
    server.kill()
    run(restore, tmp_path)
    server.start()
    assert server.study().records() == before
    tell(server, 2)


def test_postgres(fill, quick, postgres, tmp_path):
    backup, restore = blocks(POSTGRES)
    who, port, name = re.fullmatch("postgresql://(.*):(.*)/(.*)", postgres).groups()
    user, host = who.split("@")
    at = {"PGPORT": port}

    def filled(text):
        text = text.replace("USER@HOST/lab", f"{who}/{name}").replace("USER@HOST", who).replace("HOST", host)
        return text.replace("USER", user).replace("restored", f"{name}_restored")

    server = fill(postgres)
    run(filled(backup), tmp_path, **at)
    before = server.study().records()
    tell(server, 2)
    server.kill()
    run(filled(restore), tmp_path, **at)
    restored = quick(f"{postgres}_restored", token=server.token)
    assert restored.study().records() == before
    tell(restored, 2)


def test_the_line_of_the_log_is_one(caplog):
    from unswayed.service.running.log import log_request

    (line,) = re.findall(r"^    \S+Z INFO (method=.*)$", PAGE, re.MULTILINE)
    with caplog.at_level("INFO", logger="unswayed.server"):
        log_request("POST", "/api/v1/studies/{name}/plays/{number}/tell", 200, 0.0064, "lab-1")
    assert [record.getMessage() for record in caplog.records] == [line]
