"""`unswayed gauntlet` from end to end: wrong use, failures, a stranger's optimiser, kills and resumption."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unswayed.experiments.store import RunFolder
from unswayed_gauntlet import other_python
from unswayed_gauntlet.match import COLUMNS, FORMAT
from unswayed_gauntlet.standard import QUICK

ROOT = Path(__file__).parents[2]
STRANGERS = "tests.gauntlet.strangers"
SMALL = ("--problems", "branin-2", "--corruptions", "none,hide", "--plays", "8", "--seeds", "1", "--jobs", "1")


def rows(out):
    folder = RunFolder(out, COLUMNS, FORMAT)
    return folder.read(folder.about()[0]).to_pylist()


@pytest.fixture
def here(monkeypatch, tmp_path):
    """An empty folder from which the strangers can be imported."""
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_gauntlet_with_a_stranger_and_one_that_fails(unswayed, here):
    who = f"random,{STRANGERS}:Uniform,{STRANGERS}:Failing,{STRANGERS}:Loud"
    code, out, err = unswayed("gauntlet", "--optimizers", who, *SMALL, "--out", here / "g")
    assert code == 1
    assert err.splitlines() == [
        f"unswayed: not compared, without a finished match: {STRANGERS}:Failing",
        *(
            f"unswayed: failed: {STRANGERS}:Failing on branin-2, {corruption}, 8 plays, seed 0: "
            "ZeroDivisionError: a mistake of the stranger"
            for corruption in ("none", "hide")
        ),
        "unswayed: 2 run(s) failed; run the command again to retry them",
    ]
    found = {(row["optimizer"], row["corruption"]): row for row in rows(here / "g")}
    assert len(found) == 6
    for corruption in ("none", "hide"):  # the same points, the same noise and lies, the same ledger
        one, other = (found[name, corruption] for name in ("random", f"{STRANGERS}:Uniform"))
        assert {k: one[k] for k in ("gaps", "spent", "lies", "liars", "gap_ours")} == {
            k: other[k] for k in ("gaps", "spent", "lies", "liars", "gap_ours")
        }
    assert " ".join(out.splitlines()[0].split()) == (
        "optimizer runs attacked: lost median gap (quartiles) lost by our rule "
        "honest: lost median gap (quartiles) lost by our rule"
    )
    assert f"6 runs; page: {here / 'g' / 'gauntlet.html'}; table: {here / 'g' / 'table.md'}" in out
    assert "ZeroDivisionError" in (here / "g" / "gauntlet.html").read_text()
    table = (here / "g" / "table.md").read_text()
    assert "ms/play" not in table
    assert table.endswith("\n2 runs failed: see gauntlet.html.\n")
    assert not (here / "g" / "runs.parquet").exists()  # not complete


def test_an_optimiser_that_ends_the_program_fails_alone(unswayed, here):
    who = f"{STRANGERS}:Leaving,{STRANGERS}:Claiming,random"
    code, out, err = unswayed("gauntlet", "--optimizers", who, *SMALL, "--out", here / "g")
    assert code == 1
    assert f"{STRANGERS}:Leaving on branin-2, none, 8 plays, seed 0: RuntimeError: it ends the program" in err
    assert "claim() must return the lower end first, not (1.0, -1.0)" in err
    assert "2 runs; page:" in out
    assert "that it has finished" in out


def test_json_and_a_second_call_that_plays_nothing(unswayed, here, monkeypatch):
    arguments = (
        "gauntlet",
        "--quick",
        "--optimizers",
        f"random,{STRANGERS}:Loud",
        *SMALL,
        "--out",
        here / "g",
        "--json",
    )
    code, out, err = unswayed(*arguments)
    assert code == 0, err
    told = json.loads(out)
    assert told["games"] == {"attacked": 1, "honest": 1}
    assert set(told["optimizers"]) == {"random", f"{STRANGERS}:Loud"}
    assert told["failures"] == []
    assert told["command"].startswith("unswayed gauntlet --quick --optimizers random,")
    table = (here / "g" / "table.md").read_bytes()
    monkeypatch.setattr("unswayed_gauntlet.match.Match.row", None)
    assert unswayed(*arguments)[:2] == (0, out)
    assert (here / "g" / "table.md").read_bytes() == table
    assert (here / "g" / "runs.parquet").exists()


def test_what_is_not_installed_is_left_out_or_refused(unswayed, here, monkeypatch):
    lost = {"tpe": "tpe needs optuna: pip install optuna, or run `make peers`"}
    monkeypatch.setattr(
        other_python, "missing", lambda matches: {m.optimizer: lost["tpe"] for m in matches if m.optimizer in lost}
    )
    monkeypatch.setattr(
        "unswayed_gauntlet.command.QUICK", QUICK.__class__(("random", "tpe"), *list(vars(QUICK).values())[1:])
    )
    code, out, err = unswayed("gauntlet", "--quick", *SMALL, "--out", here / "g")
    assert (code, err) == (0, f"unswayed: left out: {lost['tpe']}\n")
    assert "tpe" not in out
    code, out, err = unswayed("gauntlet", "--optimizers", "random,tpe", *SMALL, "--out", here / "h")
    assert (code, out) == (2, "")
    assert err == f"unswayed: {lost['tpe']}, or name an environment that has it with --peers\n"
    assert not (here / "h").exists()


def test_a_peer_in_another_environment(unswayed, here, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *sys.path]))
    monkeypatch.setattr(other_python, "missing", lambda matches: {"tpe": "not here"})
    arguments = ("--optimizers", "random,tpe", *SMALL[:2], "--corruptions", "hide", *SMALL[4:])
    code, _, err = unswayed("gauntlet", *arguments, "--peers", sys.executable, "--out", here / "g")
    assert (code, err) == (0, "")
    assert [row["optimizer"] for row in rows(here / "g")] == ["random", "tpe"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--optimizers", "gut"), "unknown optimizer 'gut': choose one of unswayed, unswayed-wary, random"),
        (("--optimizers", "nowhere:make"), "cannot import nowhere:make"),
        (("--problems", "branin-2,moon"), "unknown problem 'moon': the nearest of the"),
        (("--corruptions", "bribe"), "unknown corruption 'bribe': choose one of none, spikes"),
        (("--plays", "many"), "--plays must be whole numbers with commas, not 'many'"),
        (("--plays", "0"), "the number of plays"),
        (("--seeds", "0"), "the number of seeds"),
        (("--jobs", "-1"), "jobs must be at least 0"),
        (("--executor", "cloud"), "unknown executor 'cloud'"),
        (("--time-limit", "0"), "time-limit must be positive"),
        (("--peers", "nowhere"), "nowhere is neither a Python nor the folder of an environment"),
    ],
)
def test_wrong_use_is_one_clear_line(unswayed, here, arguments, reason):
    code, out, err = unswayed("gauntlet", "--quick", *arguments, "--out", here / "g")
    assert (code, out) == (2, "")
    assert err.startswith(f"unswayed: {reason}")
    assert err.count("\n") == 1
    assert not (here / "g").exists()


def test_a_folder_of_something_else_is_refused(unswayed, here):
    with RunFolder(here / "paper").opened():
        pass
    code, _, err = unswayed("gauntlet", "--optimizers", "random", *SMALL, "--out", here / "paper")
    assert (code, err) == (2, f"unswayed: {here / 'paper'} was written by another version of unswayed\n")


def test_dask_gives_the_same_table(unswayed, here):
    pytest.importorskip("distributed")
    arguments = ("gauntlet", "--optimizers", "random", *SMALL)
    assert unswayed(*arguments, "--out", here / "p")[0] == 0
    assert unswayed(*arguments, "--out", here / "d", "--executor", "dask")[0] == 0
    assert (here / "p" / "table.md").read_bytes() == (here / "d" / "table.md").read_bytes()


def test_rows_by_another_rule_are_said(unswayed, here, monkeypatch):
    arguments = ("gauntlet", "--optimizers", "random", *SMALL, "--out", here / "g")
    assert unswayed(*arguments)[0] == 0
    monkeypatch.setattr("unswayed_gauntlet.match.recommender", lambda: "newer")
    _, _, err = unswayed(*arguments)
    assert err == ("unswayed: in 2 runs, gap_ours is by the rule of another version: another --out plays them again\n")


def test_the_help_teaches(unswayed, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = unswayed("gauntlet", "--help")
    assert code == 0
    for word in ("botorch-rp", "module:factory", "hartmann-6", "promote", "mine:Climber", "--peers", "same noise"):
        assert word in out


def killed(arguments, out, times):
    """Run a gauntlet, killing it as soon as it has one more run, so many times; then let it finish."""
    command = [sys.executable, "-m", "unswayed", "gauntlet", *arguments, "--out", str(out)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    kills = 0
    while kills < times:
        before, deadline = len(list(out.glob("cells/*.parquet"))), time.monotonic() + 120
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True)
        while len(list(out.glob("cells/*.parquet"))) == before and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        assert process.poll() is None, "it ended before it could be killed"
        process.kill()
        process.wait()
        kills += 1
    after = len(list(out.glob("cells/*.parquet")))
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return after


def cpu_seconds():
    """Of this process and of those that it has waited for: a busy machine does not change it."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


@pytest.mark.parametrize(
    ("arguments", "times"),
    [
        (("--quick", "--problems", "branin-2", "--optimizers", "random,tpe", "--plays", "10"), 2),
        pytest.param(("--quick", "--problems", "branin-2"), 8, marks=pytest.mark.slow, id="eight-times"),
        pytest.param(("--quick",), 10, marks=pytest.mark.slow, id="all-of-it"),
    ],
)
def test_killed_and_resumed_it_writes_the_same_table(unswayed, here, arguments, times):
    pytest.importorskip("optuna")
    begun = cpu_seconds()
    assert unswayed("gauntlet", *arguments, "--jobs", 2, "--out", here / "whole")[0] == 0
    assert cpu_seconds() - begun < 2 * 180  # the quick one takes less than three minutes on two cores
    kept = killed((*arguments, "--jobs", "1"), here / "killed", times)
    whole, disturbed = rows(here / "whole"), rows(here / "killed")
    assert times <= kept < len(whole) == len(disturbed)
    assert (here / "whole" / "table.md").read_bytes() == (here / "killed" / "table.md").read_bytes()


def test_interrupted_it_says_so_and_keeps_what_is_done(here):
    command = [sys.executable, "-m", "unswayed", "gauntlet", "--quick", "--jobs", "1", "--out", str(here / "g")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not list((here / "g").glob("cells/*.parquet")) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err.strip().splitlines()[-1] == "unswayed: interrupted"
    assert 0 < len(rows(here / "g")) < len(QUICK.matches())
