"""`unswayed work` as processes: servers that restart, workers that die, programs that are slow or missing."""

import os
import signal
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from tests.service.quick import start

LINE = {"x": {"low": 0, "high": 1}}
BOWL = ("awk", "BEGIN {{ print -({x} - 0.3) ^ 2 }}")


@pytest.fixture
def server(quick, tmp_path):
    return quick(f"sqlite:///{tmp_path}/s.db", "--lease", "4")


@pytest.fixture
def work(server):
    """Starts workers, and ends them after the test."""
    started = []

    def begin(name, *command, jobs=1, study="s"):
        token = server.make_token(name)
        words = ["work", server.address, "--study", study, "--jobs", jobs, "--token", token, "--", *command]
        started.append(start(words))
        return started[-1][0]

    yield begin
    for process, out in started:
        if process.is_alive():
            process.kill()
            process.join()
        out.close()


def until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)


def ended(process):
    """The exit code."""
    process.join(120)
    return process.exitcode


def kinds(server):
    return Counter(record["kind"] for record in server.study().records())


def gone(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"  # it has ended, and nobody has asked how
    except FileNotFoundError:
        return True


def helped(pid):
    """Whether a process has started its helper, and that waits for news of it."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == pid and b"reaper.py" in (process / "cmdline").read_bytes():
                return True
    return False


def number_in(path):
    """The number that a program wrote."""
    until(lambda: path.exists() and path.read_text().strip())
    return int(path.read_text())


def test_two_workers_finish_a_study_while_the_server_is_killed(server, work):
    server.begin(space=LINE, plays=14)
    workers = [work("one", *BOWL, jobs=2), work("two", *BOWL)]
    until(lambda: kinds(server)["tell"] >= 4)
    server.kill()
    time.sleep(0.3)
    server.start()
    assert [ended(worker) for worker in workers] == [0, 0]
    plays = server.study().read().log
    assert len(plays) == 14
    assert all(play.measured for play in plays)
    values = [-((play.point["x"] - 0.3) ** 2) for play in plays]
    assert [play.value for play in plays] == pytest.approx(values, abs=1e-4)
    assert kinds(server)["tell"] == 14
    assert kinds(server)["late"] == 0


def test_the_play_of_a_killed_worker_is_measured_by_another(server, work, tmp_path):
    server.begin(space=LINE, plays=3)
    dead = work("dead", "sh", "-c", f"echo $$ > {tmp_path}/pid; echo {{x}}; exec sleep 600")
    child = number_in(tmp_path / "pid")
    until(lambda: helped(dead.pid))  # the helper that ends the programs of a killed process starts after the first one
    dead.kill()
    dead.join()
    assert ended(work("alive", *BOWL)) == 0
    assert [play.source for play in server.study().read().log] == ["alive"] * 3
    assert kinds(server)["hand"] == 1
    until(lambda: gone(child))


def test_a_program_that_does_not_exist_ends_the_worker_and_leaves_the_play_open(server, work):
    server.begin(space=LINE, plays=3)
    assert ended(work("lost", "/no/such/program", "{x}")) == 2
    assert server.study().about()["counts"]["open"] == 1
    assert kinds(server) == {"study": 1, "ask": 1}


def test_signs_of_life_keep_a_play_for_longer_than_a_lease(server, work, tmp_path):
    server.begin(space=LINE, plays=1)
    slow = work("slow", "sh", "-c", f"echo $$ > {tmp_path}/pid; sleep 9; echo 0.5; : {{x}}")
    number_in(tmp_path / "pid")
    other = server.study(token=server.make_token("other"))
    while kinds(server)["tell"] == 0:
        assert other.ask() == []
        time.sleep(0.5)
    assert ended(slow) == 0
    assert kinds(server) == {"study": 1, "ask": 1, "tell": 1}


def test_ctrl_c_ends_the_programs_too(server, work, tmp_path):
    server.begin(space=LINE, plays=3)
    worker = work("me", "sh", "-c", f"sleep 600 & echo $! > {tmp_path}/pid; wait; : {{x}}")
    child = number_in(tmp_path / "pid")
    os.kill(worker.pid, signal.SIGINT)
    assert ended(worker) == 130
    until(lambda: gone(child))
    assert server.study().about()["counts"]["open"] == 1


def test_a_program_with_a_mistake_uses_up_no_play(server, work):
    server.begin(space=LINE, plays=30)
    assert ended(work("one", "sh", "-c", "echo {x}; exit 3", jobs=2)) == 2
    assert kinds(server)["fail"] == 0
    assert 7 <= kinds(server)["ask"] <= 7 + 2
    assert ended(work("two", *BOWL, jobs=2)) == 0  # it gets them when their leases end
    assert [play.measured for play in server.study().read().log] == [True] * 30


def test_failures_that_are_held_back_are_told_in_the_end(server, work):
    """There are too few plays to say that all fail; or something was measured, or failed for another reason."""
    server.begin(space=LINE, plays=3)
    assert ended(work("one", "sh", "-c", "echo {x}; exit 3")) == 0
    assert [play.reason for play in server.study().read().log] == ["the command ended with exit code 3"] * 3
    server.begin("later", space=LINE, plays=20)
    program = "awk 'BEGIN {{if ({x} > 0.3) exit 1; print 1}}'"
    assert ended(work("two", "sh", "-c", program, study="later")) == 0
    assert {str(play.status) for play in server.study("later").read().log} == {"told", "failed"}


def test_parameters_that_a_point_does_not_have_are_left_out(server, work):
    kinds_of = {"kind": {"choices": ["a", "b"]}, "p": {"low": 0, "high": 1, "when": {"kind": "a"}}}
    server.begin(space=kinds_of, plays=6)
    assert ended(work("one", "sh", "-c", "echo $#", "sh", "{kind}", "{p}")) == 0
    plays = server.study().read().log
    assert {play.point["kind"]: play.value for play in plays} == {"a": 2.0, "b": 1.0}
