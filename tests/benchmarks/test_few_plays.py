"""The benchmark of few plays: what is run, in which order, and that finished runs are shared and not repeated."""

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delitem(sys.modules, "few_plays", raising=False)
    module = importlib.import_module("few_plays")
    monkeypatch.setattr(module, "STORED", tmp_path / "stored.parquet")
    return module


def test_what_is_run(script):
    problems = list(script.DEVELOPMENT)
    wanted = list(script.matches(["unswayed", "unswayed-wary", "botorch"], problems, list(script.ROWS), None))
    assert len(set(wanted)) == len(wanted)
    count = {name: sum(one.optimizer == name for one in wanted) for name in ("unswayed", "unswayed-wary", "botorch")}
    assert count["botorch"] == 7 * (5 + 3 * 3)
    assert count["unswayed"] == 7 * (5 + 2 * 5 * 3 + 6 * 3)
    assert count["unswayed-wary"] == 7 * (5 + 3)  # honest ones only
    assert {one.plays for one in wanted if one.optimizer == "botorch" and one.corruption != "none"} == {60}
    honest = [one.seed for one in script.matches(["tpe", "gp"], problems, ["honest"], 2)]
    assert honest == sorted(honest) == [0] * 14 + [1] * 14


def played(script, monkeypatch, out, *more):
    given = ["--optimizers", "random", "--problems", "branin-2", "--rows", "honest", "--seeds", "2", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", ["few_plays.py", *given, *more])
    return script.main()


def test_a_run_its_table_and_what_others_have_finished(script, monkeypatch, tmp_path, capsys):
    assert played(script, monkeypatch, tmp_path / "one", "--markdown", str(tmp_path / "table.md")) == 0
    shown = capsys.readouterr().out
    assert "### none, 100 plays; ranks over 2 games that all have" in shown
    assert (tmp_path / "table.md").read_text() == shown.removesuffix("\n")
    assert played(script, monkeypatch, tmp_path / "one", "--table", "--store", "--quiet") == 0
    monkeypatch.setattr(script, "GuardedPool", lambda *given, **options: pytest.fail("nothing is left to play"))
    assert played(script, monkeypatch, tmp_path / "two") == 0  # the stored runs count
    assert capsys.readouterr().out == shown
    assert not (tmp_path / "two").exists()


def test_a_stored_run_replaces_an_older_one(script):
    row = script.Match("random", "branin-2", "none", 20, 0).row()
    script.store([row])
    script.store([{**row, "fingerprint": "newer", "lies": 7}])
    assert {key: one["lies"] for key, one in script.stored().items()} == {"newer": 7}
