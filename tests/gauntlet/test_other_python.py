"""Matches in an environment of their own: here, the Python of the tests stands for the other one."""

import os
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path

import pytest

from tests.experiments.small_sweep import Inline
from unswayed import InvalidInput
from unswayed.errors import CommandFailed
from unswayed.experiments.store import RunFolder
from unswayed.experiments.sweep import sweep
from unswayed_gauntlet import other_python
from unswayed_gauntlet.match import COLUMNS, FORMAT, Match
from unswayed_gauntlet.other_python import Away, asked, assigned, python_of
from unswayed_gauntlet.worker import fields_of, quietly

ROOT = Path(__file__).parents[2]
HERE = Match("random", "branin-2", "hide", 12, 0)
PEER = Match("tests.gauntlet.strangers:Uniform", "branin-2", "hide", 12, 0)
CRASH = Match("tests.gauntlet.strangers:Crashing", "branin-2", "hide", 12, 0)
LOUD = Match("tests.gauntlet.strangers:Loud", "branin-2", "hide", 12, 0)


@pytest.fixture
def other(monkeypatch):
    """A Python that has everything, while only `random` can be played here."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *sys.path]))
    monkeypatch.setattr(
        other_python, "missing", lambda matches: {m.optimizer: "not here" for m in matches if ":" in m.optimizer}
    )
    return sys.executable


def without_times(row):
    return {key: value for key, value in row.items() if key != "seconds"}


def test_what_is_missing_here_is_played_there(other, tmp_path):
    trials, lost = assigned([HERE, CRASH, LOUD], other)
    assert lost == {}
    assert [type(trial) for trial in trials] == [Match, Away, Away]
    assert [str(trial) for trial in trials] == [str(match) for match in (HERE, CRASH, LOUD)]
    with RunFolder(tmp_path / "runs", COLUMNS, FORMAT).opened() as folder:
        (failure,) = sweep(trials, folder, Inline(), retries=0, task=quietly)
    assert failure.trial.optimizer == CRASH.optimizer
    assert "ended with code 7 and no answer" in str(failure)  # a crash is a failed match, and the rest finish
    rows = folder.read([trial.fingerprint() for trial in trials]).to_pylist()
    assert [without_times(row) for row in rows] == [without_times(one.row()) for one in (HERE, LOUD)]
    assert all(second > 0 for row in rows for second in row["seconds"])


def test_without_another_environment_the_reasons_are_returned(monkeypatch):
    monkeypatch.setattr(other_python, "missing", lambda matches: {"branin-2": "no data"})
    assert assigned([HERE, PEER], None) == ([], {"branin-2": "no data"})


def test_what_fails_there_has_its_reason_here(other):
    with pytest.raises(CommandFailed, match="ZeroDivisionError: a mistake of the stranger"):
        asked(other, {"row": {**fields_of(PEER), "optimizer": "tests.gauntlet.strangers:Failing"}})


def test_another_version_of_the_package_is_refused(other, monkeypatch):
    monkeypatch.setattr(other_python, "package_version", lambda: "newer")
    with pytest.raises(InvalidInput, match="has another version of unswayed"):
        assigned([PEER], other)


def test_a_python_without_the_package_is_refused(other, monkeypatch, tmp_path):
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\necho first >&2\necho No module named unswayed >&2\nexit 1\n")
    bare.chmod(0o755)
    with pytest.raises(
        InvalidInput, match="code 1 and no answer: No module named unswayed; it needs the same unswayed"
    ):
        assigned([PEER], str(bare))
    bare.chmod(0o644)
    with pytest.raises(InvalidInput, match="cannot start"):
        assigned([PEER], str(bare))


def test_an_environment_is_named_by_its_folder_or_its_python(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    assert python_of(tmp_path) == python_of(tmp_path / "bin" / "python") == str(tmp_path / "bin" / "python")
    with pytest.raises(InvalidInput, match="neither a Python nor the folder"):
        python_of(tmp_path / "bin")


def test_a_process_whose_asker_is_gone_ends(other):
    process = subprocess.Popen([other, *other_python.PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    long = {**fields_of(HERE), "optimizer": "unswayed", "plays": 100_000}
    process.stdin.write(f"{other_python.json.dumps({'row': long})}\n".encode())
    process.stdin.flush()
    time.sleep(1)
    assert process.poll() is None
    process.stdin.close()
    assert process.wait(timeout=30) == 1
    process.stdout.close()


def test_a_request_has_the_fields_of_a_match():
    assert fields_of(Away(*(getattr(HERE, one.name) for one in fields(Match)), "python", "key")) == fields_of(HERE)
