"""Real servers on real databases: SQLite files, and a PostgreSQL cluster of the tests' own."""

import glob
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import pytest

from unswayed.service.client import connect
from unswayed.service.host import Host
from unswayed.storage.database import Database

BIN = next(
    iter(sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)), os.path.dirname(shutil.which("initdb") or "")
)
BOX = {"x": {"low": 0, "high": 1}, "y": {"low": 0, "high": 1}}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """`unswayed serve` as a process, which can be killed and started again on the same port."""

    def __init__(self, url, *options, token=None):
        self.url, self.options, self.token = url, options, token
        self.port, self.process = free_port(), None
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        words = ["serve", "--database", self.url, "--port", str(self.port), *self.options]
        self.process = subprocess.Popen([sys.executable, "-m", "unswayed", *words], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if line.startswith("owner token: "):
                self.token = line.split(": ", 1)[1].strip()
            if line.startswith("listening on "):
                return
        raise AssertionError(f"the server ended with {self.process.wait()}")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def study(self, name="s", token=None, **patience):
        return connect(self.address, token or self.token, name, **patience)

    def begin(self, name="s", space=None, **settings):
        body = {"name": name, "space": space or BOX, "seed": 1, **settings}
        return self.study(name).server.send("POST", "/api/v1/studies", body)

    def make_token(self, name, role="source", study=None):
        body = {"name": name, "role": role, "study": study}
        return self.study().server.send("POST", "/api/v1/tokens", body)["token"]


@pytest.fixture(scope="session")
def cluster():
    """A PostgreSQL server in a temporary folder; `initdb` refuses root."""
    if not os.path.exists(os.path.join(BIN, "initdb")):
        pytest.skip("PostgreSQL is not installed")
    folder = tempfile.mkdtemp(prefix="unswayed-postgres-")
    who = {"user": "postgres"} if os.getuid() == 0 else {}
    if who:
        shutil.chown(folder, "postgres")
    run = {"cwd": "/", "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **who}
    words = ["-D", f"{folder}/data", "-U", "postgres", "--auth=trust", "--no-sync"]
    subprocess.run([f"{BIN}/initdb", *words], check=True, **run)
    port = free_port()
    words = ["-D", f"{folder}/data", "-p", str(port), "-c", "listen_addresses=127.0.0.1", "-k", folder]
    process = subprocess.Popen([f"{BIN}/postgres", *words], **run)
    try:
        for _ in range(300):
            ready = [f"{BIN}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
            if subprocess.run(ready, check=False).returncode == 0:
                break
            time.sleep(0.1)
        yield f"postgresql://postgres@127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGQUIT)  # at once: nothing of it is kept
        process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres(cluster):
    """A new database of the cluster."""
    import psycopg

    name = f"u{secrets.token_hex(6)}"
    with psycopg.connect(f"{cluster}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{cluster}/{name}"


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    """A new database of each kind."""
    return request.getfixturevalue("postgres") if request.param == "postgres" else f"sqlite:///{tmp_path}/studies.db"


@pytest.fixture
def host(url):
    """The studies of a new database, without a server."""
    database = Database(url)
    yield Host(database)
    database.close()


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """The file of a database with a `World` in it, and the tokens of that."""
    from tests.service.world import World

    path = tmp_path_factory.mktemp("world") / "studies.db"
    database = Database(f"sqlite:///{path}")
    tokens = World(Host(database)).tokens
    database.close()
    return path, tokens


@pytest.fixture
def worlds(template, tmp_path):
    """Makes worlds of their own: each is a copy of one."""
    from tests.service.world import World

    databases = []

    def make():
        path = shutil.copy(template[0], tmp_path / f"studies-{len(databases)}.db")
        databases.append(Database(f"sqlite:///{path}"))
        return World(Host(databases[-1]), dict(template[1]))

    yield make
    for database in databases:
        database.close()


@pytest.fixture
def world(worlds):
    return worlds()


@pytest.fixture
def servers():
    """Starts servers, and ends them after the test."""
    started = []

    def start(url, *options, **how):
        started.append(Server(url, *options, **how))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.kill()


@pytest.fixture
def quick():
    """Starts servers that are forked from one with everything imported, and ends them after the test."""
    from tests.service.quick import QuickServer

    started = []

    def start(url, *options, **how):
        started.append(QuickServer(url, *options, **how))
        return started[-1]

    yield start
    for server in started:
        if server.process.is_alive():
            server.kill()
