"""Faults that are no measurements: crashed workers, inherited locks, programs that are gone, mistakes at the start."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from unswayed import Box, Command, InvalidInput, Optimizer, Real, Status, SystemFault, maximize
from unswayed.programs import starting
from unswayed.study import run

SPACE = Box({"x": Real(0, 1)})
FORK = multiprocessing.get_context("fork")


def bowl(point):
    return -((point["x"] - 0.3) ** 2)


def crash_on_the_right(point):
    if point["x"] > 0.6:
        os._exit(3)
    return bowl(point)


def slow(point):
    time.sleep(0.05)
    return bowl(point)


def search(objective, **options):
    return maximize(objective, SPACE, **{"plays": 20, "threat": 0.5, "seed": 1, "progress": False, **options})


# -- workers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 3])
def test_a_point_that_crashes_its_worker_is_a_failed_play(tmp_path, workers):
    journal = tmp_path / "study.jsonl"
    with ProcessPoolExecutor(workers) as executor:
        result = search(crash_on_the_right, executor=executor, journal=journal, retries=0)
    assert len(result.plays) == 20
    assert {play.point["x"] > 0.6 for play in result.failures} == {True}
    assert {play.reason for play in result.failures} == {"the process that measured it died"}
    assert all(play.measured for play in result.plays if play.point["x"] <= 0.6)
    assert abs(result.point["x"] - 0.3) < 0.1


def test_what_is_asked_does_not_depend_on_who_crashes_when():
    def asked(executor):
        with executor:
            result = search(crash_on_the_right, executor=executor, parallel=2, retries=0)
        return [(play.point["x"], str(play.status)) for play in result.plays]

    assert asked(ProcessPoolExecutor(2)) == asked(ProcessPoolExecutor(2))


def test_a_pool_that_was_broken_before_is_made_again():
    with ProcessPoolExecutor(1) as executor:
        with pytest.raises(Exception, match="terminated abruptly"):
            executor.submit(os._exit, 1).result()
        assert len(search(bowl, executor=executor, plays=4).plays) == 4


def test_forked_workers_do_not_keep_the_lock(tmp_path):
    """A second study in the same pool, while the workers that were forked during the first one live on."""
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    with ProcessPoolExecutor(2, mp_context=FORK) as executor:
        search(bowl, executor=executor, journal=first, plays=6)
        with Optimizer.open(first) as again:
            assert len(again.log) == 6
        search(bowl, executor=executor, journal=second, plays=6)
        assert len(search(bowl, executor=executor, journal=first, plays=8).plays) == 8


KILLED = """
import multiprocessing, os, signal, sys, time
from concurrent.futures import ProcessPoolExecutor
sys.path.insert(0, {folder!r})
from tests.study.test_faults import SPACE, slow
from unswayed import maximize
pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork"))
def told(study, play):
    if play.number == 5:
        open("orphans", "w").write(" ".join(map(str, pool._processes)))
        os.kill(os.getpid(), signal.SIGKILL)
maximize(slow, SPACE, plays=40, threat=0.5, seed=1, executor=pool, journal="study.jsonl", callback=told, progress=False)
"""


def test_after_a_kill_the_study_resumes_while_its_orphans_live(tmp_path):
    script = KILLED.format(folder=str(Path(__file__).parents[2]))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}  # the orphans would keep a pipe open
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, **quiet, timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    orphans = [int(word) for word in (tmp_path / "orphans").read_text().split()]
    assert len(orphans) == 2
    try:
        with Optimizer.open(tmp_path / "study.jsonl") as study:
            assert len(study.log) >= 6
    finally:
        for orphan in orphans:
            with suppress(ProcessLookupError):
                os.kill(orphan, signal.SIGKILL)


# -- the first plays --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [0, 3])
def test_if_the_first_plays_all_fail_alike_the_study_stops_and_they_do_not_count(tmp_path, threads):
    journal, mended = tmp_path / "study.jsonl", []

    def objective(point):
        if not mended:
            raise NameError(f"name 'nmupy' is not defined at {point['x']}")
        return bowl(point)

    def once():
        if not threads:
            return search(objective, journal=journal)
        with ThreadPoolExecutor(threads) as pool:
            return search(objective, journal=journal, executor=pool)

    with pytest.raises(InvalidInput, match=r"the first . plays all failed: NameError: name .nmupy. is not defined"):
        once()
    with Optimizer.open(journal) as study:
        assert {play.status for play in study.log} == {Status.OPEN}
        assert len(study.log) <= run.FIRST + 2 * max(threads, 1)
    mended.append(True)
    result = once()
    assert (len(result.plays), result.failures) == (20, ())


def test_other_reasons_or_one_value_are_no_reason_to_stop():
    tries = []

    def alternating(point):
        tries.append(point)
        raise ValueError("too hot" if len(tries) % 2 else "too cold")

    with pytest.raises(InvalidInput, match="no play could be measured"):
        search(alternating, retries=0)
    assert len(tries) == 20

    def one_value(point):
        tries.append(point)
        if len(tries) == 23:
            return 1.0
        raise ValueError("too hot")

    assert len(search(one_value, retries=0).failures) == 19
    with pytest.raises(InvalidInput, match="no play could be measured"):
        search(lambda point: 1 / 0, retries=0, give_up=0)
    with pytest.raises(InvalidInput, match="the first 2 plays all failed"):
        search(lambda point: 1 / 0, retries=0, give_up=2)


# -- programs that cannot be started ----------------------------------------------------------------------------------


def program(folder):
    path = folder / "program"
    path.write_text("#!/bin/sh\necho -$1\n")
    path.chmod(0o755)
    return path


def test_a_program_that_is_gone_for_a_while_burns_no_play(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(starting, "FIRST_PAUSE", 0.02)
    monkeypatch.setattr(starting, "LONGEST_PAUSE", 0.1)
    path = program(tmp_path)
    away = tmp_path / "away"

    def told(study, play):
        if play.number == 5:
            path.rename(away)
            threading.Timer(0.6, lambda: away.rename(path)).start()

    space = Box({"x": Real(0, 9)})
    found = maximize(Command([str(path), "{x}"]), space, plays=15, threat=1, seed=1, callback=told, progress=False)
    assert found.failures == ()
    assert len(found.plays) == 15
    said = [record.message for record in caplog.records]
    assert len(said) == 2
    assert "No such file or directory; trying again for 600 s, and no play counts meanwhile" in said[0]
    assert "can be started again" in said[1]


def test_a_program_that_never_was_there_is_the_users_mistake(tmp_path, monkeypatch):
    monkeypatch.setattr(starting, "FIRST_START_PATIENCE", 0.3)
    journal = tmp_path / "study.jsonl"
    with pytest.raises(InvalidInput, match="No such file or directory; nothing was measured, and no play counts"):
        maximize(Command(["./trian", "{x}"]), SPACE, plays=500, seed=1, journal=journal, parallel=3, progress=False)
    with Optimizer.open(journal) as study:
        assert [play.status for play in study.log] == [Status.OPEN] * 3


def test_a_program_that_stays_away_is_the_systems_fault(tmp_path, monkeypatch):
    monkeypatch.setattr(starting, "RESTART_PATIENCE", 0.3)
    path, journal = program(tmp_path), tmp_path / "study.jsonl"
    command, space = Command([str(path), "{x}"]), Box({"x": Real(0, 9)})

    def told(study, play):
        if play.number == 3:
            path.unlink()

    with pytest.raises(SystemFault, match="its plays stay open, and the same call goes on"):
        maximize(command, space, plays=9, threat=1, seed=1, journal=journal, callback=told, progress=False)
    program(tmp_path)
    found = maximize(command, space, plays=9, threat=1, seed=1, journal=journal, progress=False)
    assert (len(found.plays), found.failures) == (9, ())


def test_too_few_file_descriptors_are_not_the_fault_of_a_point(tmp_path):
    script = """
import resource, threading
from unswayed import Box, Command, Real, maximize
space = Box({"x": Real(0, 9)})
Command(["true", "{x}"])
limit = resource.getrlimit(resource.RLIMIT_NOFILE)
def told(study, play):
    if play.number == 4:
        resource.setrlimit(resource.RLIMIT_NOFILE, (12, limit[1]))
        threading.Timer(0.7, resource.setrlimit, (resource.RLIMIT_NOFILE, limit)).start()
found = maximize(Command(["sh", "-c", "echo -{x}"]), space, plays=20, seed=1, parallel=4, callback=told, progress=False)
print(len(found.plays), len(found.failures))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["20", "0"], done.stderr
