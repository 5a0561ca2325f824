"""The comparison on boxes, with few plays: it resumes, its games are fair, and its table counts right."""

import importlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import unswayed
from unswayed import UnswayedError
from unswayed.problems import branin

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("box_methods", "box_table", "boxes"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("boxes")


def start(script, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["boxes.py", *map(str, arguments)])
    return script.main()


def small(out, *methods):
    wanted = ("--functions", "branin", "--attacks", "none", "promote", "--seeds", 0, 1, "--shares", 0.05)
    return (*wanted, "--plays", 20, "--out", out, "--methods", *methods)


def test_tpe_and_gp_ucb_play_and_the_table_shows_them(script, monkeypatch, tmp_path, capsys):
    pytest.importorskip("optuna")
    out = tmp_path / "results.jsonl"
    assert start(script, monkeypatch, *small(out, "tpe", "gp-ucb")) == 0
    header, *rows = map(json.loads, out.read_text().splitlines())
    assert header["settings"]["plays"] == 20
    assert len(rows) == 2 * 2 * 2
    for row in rows:
        assert row["gap"] == pytest.approx(branin.gap(row["x"]))
        assert (row["spent"] == 0) if row["attack"] == "none" else (0 < row["spent"] <= 0.05 * 20 + 1e-9)
    assert start(script, monkeypatch, *small(out, "tpe", "gp-ucb"), "--table") == 0
    assert "| branin | promote | 5% |" in capsys.readouterr().out


def test_what_is_done_is_kept_and_a_torn_line_is_played_again(script, monkeypatch, tmp_path):
    out = tmp_path / "results.jsonl"
    assert start(script, monkeypatch, *small(out, "gp-ucb")) == 0
    whole = out.read_bytes()
    kept, torn = whole.splitlines(keepends=True)[:-1], whole.splitlines(keepends=True)[-1]
    out.write_bytes(b"".join(kept) + torn[:30])
    assert start(script, monkeypatch, *small(out, "gp-ucb")) == 0
    again = out.read_bytes().splitlines(keepends=True)
    assert again[:-1] == kept
    assert {**json.loads(again[-1]), "seconds": 0} == {**json.loads(torn), "seconds": 0}
    monkeypatch.setattr(script, "play", lambda *_: pytest.fail("everything was done"))
    assert start(script, monkeypatch, *small(out, "gp-ucb")) == 0


def test_other_settings_are_not_mixed_and_failures_are_told(script, monkeypatch, tmp_path, capsys):
    out = tmp_path / "results.jsonl"
    assert start(script, monkeypatch, *small(out, "gp-ucb")) == 0
    assert start(script, monkeypatch, *small(out, "gp-ucb"), "--plays", 30) == 2
    assert "other settings" in capsys.readouterr().err

    def broken(*_):
        raise UnswayedError("broken on purpose")

    monkeypatch.setitem(script.METHODS, "tpe", broken)
    assert start(script, monkeypatch, *small(out, "tpe")) == 1
    assert capsys.readouterr().err.count("broken on purpose") == 4


def test_unswayed_is_told_the_box_and_the_budget(script, monkeypatch):
    """With a stand-in for maximize that plays its first guess: what is handed over, and what is taken back."""
    told = {}

    def maximize(objective, space, *, plays, threat, seed):
        told.update(space=space, plays=plays, budget=threat, seed=seed)
        point = {"x2": 12.275, "x1": -np.pi}  # by name, in any order
        objective(point)
        return SimpleNamespace(point=point)

    monkeypatch.setattr(unswayed, "Box", dict, raising=False)
    monkeypatch.setattr(unswayed, "Real", lambda low, high: (low, high), raising=False)
    monkeypatch.setattr(unswayed, "maximize", maximize, raising=False)
    row = script.play(("branin", "none", 0.05, "unswayed", 3), plays=20)
    assert row["gap"] == pytest.approx(0, abs=1e-12)
    assert told["space"] == {"x1": (-5.0, 10.0), "x2": (0.0, 15.0)}
    assert (told["plays"], told["seed"], row["spent"]) == (20, 3, 0)
    assert told["budget"] == pytest.approx(0.05 * 20 * branin.range)


def test_the_noise_is_that_of_the_play_whatever_the_attack(script):
    x = np.array([[2.0, 3.0]])
    honest, flipped = (script.game(branin, attack, 1e9, 3, seed=0) for attack in ("none", "flip"))
    noise = [honest(x[0]) - branin.function(x)[0] for _ in range(3)]
    upside_down = branin.best + branin.worst - branin.function(x)[0]
    assert [flipped(x[0]) - upside_down for _ in range(3)] == pytest.approx(noise)
    assert len(set(noise)) == 3
    with pytest.raises(UnswayedError, match="more than its 3 plays"):
        honest(x[0])


def test_the_table_marks_the_best_and_counts_unswayed(script):
    def rows(attack, method, *gaps):
        place = {"function": "branin", "attack": attack, "share": 0.01, "method": method}
        return [{**place, "seed": seed, "gap": gap} for seed, gap in enumerate(gaps)]

    results = rows("none", "unswayed", 0.3, 0.3, 0.3) + rows("none", "tpe", 0.0, 0.0, 0.0)
    results += rows("flip", "unswayed", 0.01, 0.02, 0.9) + rows("flip", "tpe", 0.5, 0.6, 0.7)
    results += rows("promote", "unswayed", 0.029, 0.029) + rows("promote", "tpe", 0.02, 0.02, 0.02)
    results += rows("clipping", "unswayed", 0.5, 0.5, 0.5) + rows("clipping", "tpe", 0.02, 0.02, 0.02)
    attacks = ["none", "flip", "promote", "clipping"]
    text = script.markdown(results + results, ["branin"], attacks, ["unswayed", "tpe", "gp"])
    assert "| branin | flip | 1% | **2.0%** (1.0..90.0) | 60.0% (50.0..70.0) |" in text
    assert "| branin | promote | 1% | 2.9% (2.9..2.9, 2 seeds) | **2.0%** (2.0..2.0) |" in text
    assert "Unswayed is best in 1 of 3 attacked lines, within 1% in 2." in text
