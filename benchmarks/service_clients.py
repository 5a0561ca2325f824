"""The server and the clients of benchmarks/service.py. Clients are processes that load nothing but what they need."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode

Inserter = Callable[[], Callable[[int], object]]  # makes what inserts a row


def connection(port: int) -> HTTPConnection:
    return HTTPConnection("127.0.0.1", port, timeout=600)


def request(line: HTTPConnection, token: str, path: str, body: object | None) -> tuple[int, bytes]:
    headers = {"Authorization": f"Bearer {token}"}
    if body is None:
        line.request("GET", f"/api/v1{path}", headers=headers)
    else:
        headers |= {"Content-Type": "application/json", "Idempotency-Key": os.urandom(16).hex()}
        line.request("POST", f"/api/v1{path}", json.dumps(body), headers)
    reply = line.getresponse()
    return reply.status, reply.read()


def call(line: Any, token: str, path: str, body: object | None) -> Any:
    status, data = request(line, token, path, body)
    if status >= 300:
        raise RuntimeError(f"{path}: {status} {data[:300]!r}")
    return json.loads(data) if data[:1] in b"{[" else data.decode()


def ask(line: HTTPConnection, token: str, study: str, source: str, n: int) -> list[int]:
    plays = call(line, token, f"/studies/{study}/ask", {"n": n, "source": source})["plays"]
    return [play["number"] for play in plays]


class Server:
    """`unswayed serve` as a process."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.token = ""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]

    def __enter__(self) -> Server:
        words = ["serve", "--database", self._url, "--port", str(self.port)]
        command = [sys.executable, "-m", "unswayed", *words]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("owner token: "):
                self.token = line.split(": ")[1].strip()
            if line.startswith("listening on "):
                return self
        raise RuntimeError("the server does not start; its database must be new")

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.wait()

    def restart(self) -> None:
        self.__exit__()
        self.__enter__()

    def begin(self, name: str, space: object, **settings: object) -> None:
        call(connection(self.port), self.token, "/studies", {"name": name, "space": space, "seed": 1, **settings})

    def ask(self, study: str, source: str, n: int) -> list[int]:
        line = connection(self.port)
        numbers: list[int] = []
        while len(numbers) < n:  # the open plays come first: at most 1,000 can be asked for at a time
            lot = min(n - len(numbers), 1000)
            numbers += ask(line, self.token, study, f"{source}-{len(numbers)}", lot)
        return numbers

    def add(self, study: str, rows: Sequence[tuple[str, float, str]]) -> None:
        for first in range(0, len(rows), 5000):
            lot = [{"point": x, "value": y, "source": s} for x, y, s in rows[first : first + 5000]]
            call(connection(self.port), self.token, f"/studies/{study}/measurements", {"measurements": lot})

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        with open(f"/proc/{self._process.pid}/stat") as file:
            words = file.read().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Megabytes in use."""
        with open(f"/proc/{self._process.pid}/status") as file:
            return int(next(line for line in file if line.startswith("VmRSS")).split()[1]) / 1000

    def metric(self, name: str) -> float:
        text = call(connection(self.port), self.token, "/metrics", None)
        return sum(float(one) for one in re.findall(rf"^unswayed_{name}\S* (\S+)$", text, re.M))

    def log_in(self) -> str:
        line = connection(self.port)
        line.request(
            "POST", "/login", urlencode({"token": self.token}), {"Content-Type": "application/x-www-form-urlencoded"}
        )
        reply = line.getresponse()
        reply.read()
        return str(reply.headers["set-cookie"]).partition(";")[0]

    def page(self, path: str, cookie: str) -> tuple[float, int]:
        """Seconds and bytes of a page."""
        line = connection(self.port)
        began = time.perf_counter()
        line.request("GET", path, headers={"Cookie": cookie})
        reply = line.getresponse()
        size = len(reply.read())
        if reply.status != 200:
            raise RuntimeError(f"{path}: {reply.status}")
        return time.perf_counter() - began, size


def apart(work: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Every piece of work in a process of its own, all at once."""
    with ProcessPoolExecutor(len(arguments), multiprocessing.get_context("fork")) as pool:
        return [one.result() for one in [pool.submit(work, *given) for given in arguments]]


def tells_and_inserts(
    port: int, token: str, study: str, numbers: list[int], bare: Inserter, start: float, turns: int, turn: float
) -> tuple[list[float], list[float], set[int]]:
    """Tell as fast as it goes for a turn, then insert for a turn, and so on, at the same times as all others.

    The times of the tells, those of the inserts, and the statuses seen; -1 if the plays were used up.
    """
    line, insert, statuses, left = connection(port), bare(), set(), list(reversed(numbers))
    tells: list[float] = []
    inserts: list[float] = []

    def tell(_: int) -> None:
        if not left:
            statuses.add(-1)
            time.sleep(0.01)
            return
        number = left.pop()
        status, _ = request(line, token, f"/studies/{study}/plays/{number}/tell", {"value": number % 100 / 100})
        statuses.add(status)

    for number in range(turns):
        for work, times in ((tell, tells), (insert, inserts)):
            end = start + (2 * number + (times is inserts) + 1) * turn
            times += _repeated(work, end)
    return tells, inserts, statuses


def tells_at_a_pace(
    port: int, token: str, study: str, source: str, pause: float, seconds: float
) -> tuple[list[float], list[float]]:
    """Ask, measure for a while, tell: the times of tells and of asks."""
    line, tells, asks = connection(port), [], []
    start = time.perf_counter() + hash(source) % 997 / 997 * pause
    while (began := time.perf_counter()) < start + seconds:
        (number,) = ask(line, token, study, source, 1)
        asked = time.perf_counter()
        call(line, token, f"/studies/{study}/plays/{number}/tell", {"value": number % 100 / 100})
        asks.append(asked - began)
        tells.append(time.perf_counter() - asked)
        time.sleep(max(0.0, pause - (time.perf_counter() - began)))
    return tells, asks


def bare_sqlite(path: str) -> Callable[[int], object]:
    """Inserts and commits a row in a file that is as safe as that of a server."""
    database = sqlite3.connect(path, timeout=30, isolation_level=None)
    for pragma in ("journal_mode=WAL", "synchronous=FULL"):
        database.execute(f"PRAGMA {pragma}")
    database.execute("CREATE TABLE IF NOT EXISTS bare (who INTEGER, number INTEGER, record TEXT)")

    def insert(number: int) -> None:
        database.execute("BEGIN IMMEDIATE")
        database.execute("INSERT INTO bare VALUES (?, ?, ?)", (os.getpid(), number, "x" * 100))
        database.execute("COMMIT")

    return insert


def grow_log(path: str) -> None:
    """A log that grows is slower than one that is written again: the server's has its full size."""
    bare_sqlite(path)
    with sqlite3.connect(path, isolation_level=None) as database:
        database.execute("INSERT INTO bare VALUES (0, 0, ?)", ("x" * 8_000_000,))
        database.execute("DELETE FROM bare")


def bare_postgres(url: str) -> Callable[[int], object]:
    """The same in PostgreSQL."""
    import psycopg

    database = psycopg.connect(url, autocommit=True)
    row = "INSERT INTO bare VALUES (%s, %s, %s)"
    return lambda number: database.execute(row, (os.getpid(), number, "x" * 100))


def make_bare(url: str) -> None:
    """The table for the rows."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as database:
        database.execute("CREATE TABLE IF NOT EXISTS bare (who INTEGER, number INTEGER, record TEXT)")


def _repeated(work: Callable[[int], object], end: float) -> list[float]:
    times: list[float] = []
    while (began := time.perf_counter()) < end:
        work(len(times))
        times.append(time.perf_counter() - began)
    return times


def spread(times: Sequence[float], seconds: float) -> dict[str, float]:
    """How many, how many a second, median and 99th percentile in milliseconds."""
    ordered = sorted(times)
    at = {name: ordered[min(int(len(ordered) * q), len(ordered) - 1)] * 1000 for name, q in _QUANTILES} if times else {}
    return {"count": len(times), "per_s": round(len(times) / seconds, 1), **{k: round(v, 2) for k, v in at.items()}}


_QUANTILES = (("p50_ms", 0.5), ("p99_ms", 0.99))
