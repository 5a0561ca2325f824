"""What a server of shared studies can bear.

    python benchmarks/service.py                                   # every part, on a SQLite file
    python benchmarks/service.py load --seconds 120 --postgres postgresql://postgres@127.0.0.1/postgres

    load      16 clients tell as fast as they can, in turns of half a second with bare inserts by the same clients
    busy      20 workers at 20 tells per second: what the server computes outside the search, as a share of a core
    search    what those who tell notice of a long search, and those who ask of slow measurements
    pages     time and size of the pages of a study of 50 and of 50,000 plays
    sources   one study with 10,000 sources

Servers are processes of their own on 127.0.0.1 and end with the script. Every part prints lines of JSON. Machines
differ and are shared: compare the numbers of one run with each other.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from service_clients import (
    Server,
    apart,
    ask,
    bare_postgres,
    bare_sqlite,
    call,
    connection,
    grow_log,
    make_bare,
    spread,
    tells_and_inserts,
    tells_at_a_pace,
)

FEW = {"options": ["a", "b", "c", "d"]}
BOX = {"x": {"low": 0, "high": 1}, "y": {"low": 0, "high": 1}}
TURN = 0.5  # seconds of telling, then of inserting: the machine may be busy now and quiet then
MOST_PER_SECOND = 2000  # tells for which plays are handed out before


def report(part: str, **numbers: object) -> None:
    shown = {key: round(one, 3) if isinstance(one, float) else one for key, one in numbers.items()}
    print(json.dumps({"part": part, **shown}), flush=True)


def load(url: str, folder: Path, seconds: float) -> None:
    """L1: tells per second and p99 beside bare inserts by the same processes, which take turns between the two."""
    kind = url.split(":")[0]
    path = str(folder / "bare.db")
    bare = partial(bare_sqlite, path) if kind == "sqlite" else partial(bare_postgres, url)
    with Server(url) as server:
        grow_log(path) if kind == "sqlite" else make_bare(url)
        for clients in (1, 16):
            turns = max(int(seconds / 2 / TURN / (1 if clients > 1 else 2)), 1)
            study = f"load-{clients}"
            server.begin(study, FEW, plays=100_000, parallel=1)
            each = int(MOST_PER_SECOND * turns * TURN / clients) + 100
            handed = [server.ask(study, f"w{k}", each) for k in range(clients)]
            before, start = server.cpu(), time.perf_counter() + 1.0
            given = (bare, start, turns, TURN)
            found = apart(tells_and_inserts, [(server.port, server.token, study, one, *given) for one in handed])
            cpu, took = server.cpu() - before, turns * TURN
            told = spread([one for tells, _, _ in found for one in tells], took)
            inserted = spread([one for _, inserts, _ in found for one in inserts], took)
            ratio = {f"{name}_ratio": told[f"{name}_ms"] / inserted[f"{name}_ms"] for name in ("p50", "p99")}
            more = {"server_cpu_ms_per_tell": 1000 * cpu / told["count"]}
            statuses = sorted(set().union(*(seen for _, _, seen in found)))
            report("load", database=kind, clients=clients, tell=told, bare=inserted, **more, statuses=statuses, **ratio)


def busy(url: str, seconds: float) -> None:
    """What 20 workers at one tell per second each cost outside the search."""
    with Server(url) as server:
        server.begin("busy", {"options": [f"option {k}" for k in range(20)]}, plays=10_000, threat=0.1)
        before, searched = server.cpu(), server.metric("search_seconds_total")
        began = time.perf_counter()
        work = [(server.port, server.token, "busy", f"w{k}", 1.0, seconds) for k in range(20)]
        told = apart(tells_at_a_pace, work)
        took = time.perf_counter() - began
        spent, search = server.cpu() - before, server.metric("search_seconds_total") - searched
        tells = sum(len(tells) for tells, _ in told)
        outside = {"cpu_outside_search": (spent - search) / took, "cpu": spent / took, "search": search / took}
        asks = spread([one for _, asks in told for one in asks], took)
        report("busy", tells_per_second=tells / took, ask=asks, **outside)


def search(url: str) -> None:
    """Whoever asks does not wait for open measurements; whoever tells does not wait for a search."""
    with Server(url) as server:
        server.begin("slow", BOX, plays=5_000, threat={"lies": 3})
        line = connection(server.port)
        numbers = server.ask("slow", "first", 300)
        for number in numbers[:200]:
            call(line, server.token, f"/studies/slow/plays/{number}/tell", {"value": (number * 37 % 101) / 100})
        quiet = [_timed_tell(server, line, number) for number in numbers[200:230]]
        began = time.perf_counter()
        server.ask("slow", "second", 1)  # 70 measurements of another source are open
        alone = time.perf_counter() - began
        line = connection(server.port)  # the server has closed the other one, which was quiet for seconds
        with ThreadPoolExecutor(1) as pool:
            asking = pool.submit(server.ask, "slow", "third", 20)
            during = []
            for number in numbers[230:]:
                if asking.done():
                    break
                during.append(_timed_tell(server, line, number))
                time.sleep(0.02)
            asking.result()
        numbers = {"tell_quiet": spread(quiet, 1.0), "tell_during_search": spread(during, 1.0)}
        report("search", ask_with_70_open=alone, searches=len(during), **numbers)


def _timed_tell(server: Server, line: object, number: int) -> float:
    began = time.perf_counter()
    call(line, server.token, f"/studies/slow/plays/{number}/tell", {"value": 0.5})
    return time.perf_counter() - began


def pages(url: str, sizes: tuple[int, ...] = (50, 50_000)) -> None:
    """Time to the whole body, and its size."""
    labels = [f"option {k}" for k in range(1000)]
    with Server(url) as server:
        cookie = server.log_in()
        for size in sizes:
            study = f"pages-{size}"
            options = labels if size > 1000 else labels[:10]
            server.begin(study, {"options": options}, plays=size)
            began = time.perf_counter()
            server.add(study, [(options[k % len(options)], k * 37 % 101 / 100, f"lab-{k % 20}") for k in range(size)])
            added = time.perf_counter() - began
            for path in ("", "/sources", "/log"):
                times = [server.page(f"/studies/{study}{path}", cookie) for _ in range(5)]
                first, rest = times[0][0], sorted(one for one, _ in times[1:])
                known = {"plays": size, "page": path or "/", "first_s": first, "then_s": rest[1]}
                report("pages", **known, kilobytes=times[-1][1] / 1000, adding_s=added)
            began = time.perf_counter()
            call(connection(server.port), server.token, f"/studies/{study}/answer", None)
            report("pages", plays=size, page="answer", first_s=time.perf_counter() - began, memory_mb=server.memory())


def sources(url: str, count: int) -> None:
    """One value of each of many sources; then how long a tell, an ask, the answer, a restart and the pages take."""
    options = [f"option {k}" for k in range(20)]
    with Server(url) as server:
        server.begin("many", {"options": options}, plays=count)
        for number in (count // 100, count // 10, count):
            known = 0 if number == count // 100 else number // 10
            rows = [(options[k % 20], k * 37 % 101 / 100, f"source-{k}") for k in range(known, number)]
            adding = timed(lambda rows=rows: server.add("many", rows))
            line = connection(server.port)
            first, asks, tells = 0.0, [], []
            for k in range(10):
                began = time.perf_counter()
                (play,) = ask(line, server.token, "many", f"source-{number}-{k}", 1)
                asks.append(time.perf_counter() - began)
                first = first or asks[0]  # folds all that was added
                tell = partial(call, line, server.token, f"/studies/many/plays/{play}/tell", {"value": 0.5})
                tells.append(timed(tell))
            answer = timed(lambda: call(connection(server.port), server.token, "/studies/many/answer", None))
            per = {"ask_first_s": first, "ask": spread(asks[1:], 1.0), "tell": spread(tells, 1.0)}
            report("sources", sources=number, adding_s=adding, **per, answer_s=answer, memory_mb=server.memory())
        reopened = timed(lambda: (server.restart(), call(connection(server.port), server.token, "/studies/many", None)))
        cookie = server.log_in()
        seconds = {path or "/": server.page(f"/studies/many{path}", cookie)[0] for path in ("", "/sources", "/log")}
        report("sources", sources=count, restart_s=reopened, **seconds)


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = ("load", "busy", "search", "pages", "sources")
    parser.add_argument("parts", nargs="*", default=parts, help=f"of {', '.join(parts)}")
    parser.add_argument("--seconds", type=float, default=120.0, help="of load with 16 clients; the others take a share")
    parser.add_argument("--postgres", help="measure the load on this empty database too")
    parser.add_argument("--sources", type=int, default=10_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="unswayed-service-") as name:
        folder = Path(name)
        run = {
            "load": lambda url: load(url, folder, given.seconds),
            "busy": lambda url: busy(url, min(given.seconds, 30.0)),
            "search": search,
            "pages": pages,
            "sources": lambda url: sources(url, given.sources),
        }
        for part in given.parts:
            run[part](f"sqlite:///{folder}/{part}.db")
            if part == "load" and given.postgres:
                load(given.postgres, folder, given.seconds)


if __name__ == "__main__":
    main()
