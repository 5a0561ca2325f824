"""Matches: deterministic, unchanged by checkpoints, kept as they finish and never played twice."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tests.experiments.small_sweep import Inline
from unswayed import InvalidInput
from unswayed.experiments.player import claimed_interval
from unswayed.experiments.store import RunFolder
from unswayed.experiments.sweep import sweep
from unswayed_gauntlet import match as match_module
from unswayed_gauntlet.game import MatchGame
from unswayed_gauntlet.liars import CORRUPTIONS
from unswayed_gauntlet.match import COLUMNS, FORMAT, Match, ToldPlay, play, recommended
from unswayed_gauntlet.optimizers import OPTIMIZERS, make
from unswayed_gauntlet.problems import problem

TRIALS = [
    Match(optimizer, name, corruption, 20, 0)
    for optimizer in ("random", "tpe") for name in ("branin-2", "mixed-5") for corruption in ("none", "hide")
]  # fmt: skip

NAMES = [pytest.param(n, marks=pytest.mark.slow) if n == "botorch-rp" else n for n in OPTIMIZERS]


def without_times(row):
    return {key: value for key, value in row.items() if key != "seconds"}


def available(optimizer):
    try:
        make(optimizer, MatchGame(problem("branin-2"), "none", 20, 0), 0)
    except InvalidInput as error:
        pytest.skip(str(error))
    return optimizer


@pytest.mark.parametrize("name", ["branin-2", "mixed-5"])
@pytest.mark.parametrize("optimizer", NAMES)
def test_every_optimizer_plays_by_the_rules(optimizer, name, monkeypatch):
    """The same numbers twice, points of the space, and checkpoints on the way that change nothing."""
    monkeypatch.setattr(match_module, "CHECKPOINTS", (16,))
    one = Match(available(optimizer), name, "worker" if optimizer == "unswayed" else "none", 16, 1)
    row, again = one.row(), one.row()
    assert without_times(row) == without_times(again)
    monkeypatch.setattr(match_module, "CHECKPOINTS", (12, 14, 16))
    often = one.row()
    assert often["gaps"][2:] == row["gaps"]
    assert all(0 <= gap <= 1 for gap in often["gaps"])
    assert all(0 < early < late for early, late in pairwise(often["seconds"]))


@pytest.mark.parametrize("optimizer", NAMES)
def test_every_optimizer_can_be_given_a_list(optimizer):
    try:
        row = Match(available(optimizer), "hplc", "none", 20, 0).row()
    except InvalidInput as error:
        pytest.skip(str(error))
    assert 0 <= row["gaps"][0] <= 1


@pytest.mark.parametrize("corruption", CORRUPTIONS)
def test_a_row_has_the_columns_of_the_folder_and_an_exact_ledger(corruption):
    row = Match("random", "branin-2", corruption, 30, 0).row()
    assert set(row) == set(COLUMNS)
    assert row["checkpoints"] == [20, 30]
    assert len(row["gaps"]) == len(row["seconds"]) == 2
    assert row["spent"] <= MatchGame(problem("branin-2"), corruption, 30, 0).limit
    assert (row["spent"] > 0) == (row["lies"] > 0)


@pytest.mark.parametrize("corruption", CORRUPTIONS)
def test_two_optimisers_that_ask_for_the_same_points_are_told_the_same(corruption):
    """And the ledger of both is the same, within its limits."""
    told = {}
    for name in ("random", "tests.gauntlet.strangers:Uniform"):
        game = MatchGame(problem("branin-2"), corruption, 40, 3)
        told[name] = *play(make(name, game, 3), game, [40])[:2], game.spent, game.lies, game.liars
        assert game.spent <= game.limit
    assert told["random"] == told["tests.gauntlet.strangers:Uniform"]


def test_our_recommendation_from_the_measurements_of_others():
    """One huge spike: the largest value is a lie, and our rule recommends a point near the best that was measured."""
    space, lie = problem("branin-2").space, {"x1": 0.95, "x2": 0.95}
    game = MatchGame(problem("branin-2"), "spikes", 60, 0)
    rng = np.random.default_rng(0)
    points = space.decode(rng.random((59, 2)))
    told = [ToldPlay(point, game.problem.value(point), None) for point in points]
    told.append(ToldPlay(lie, game.problem.value(lie) + 2 * game.problem.range, None))
    ours = game.problem.gap(recommended(told, game, 0))
    measured = min(game.problem.gap(point) for point in points)
    assert ours < measured + 0.05 < game.problem.gap(lie)
    assert recommended(told, game, 0) == recommended(told, game, 0)


def test_rows_say_what_we_recommend_and_what_a_tool_claims():
    ours = Match("unswayed", "branin-2", "none", 24, 0).row()
    assert ours["gap_ours"] == ours["gaps"][-1]
    assert ours["claim_low"] <= 1 - ours["gaps"][-1] <= ours["claim_high"]
    assert ours["claim_high"] - ours["claim_low"] < 0.3
    peer = Match("random", "branin-2", "worker", 24, 0).row()
    assert 0 <= peer["gap_ours"] <= 1
    assert (peer["claim_low"], peer["claim_high"], peer["liars"]) == (None, None, 1)
    stranger = Match("tests.gauntlet.strangers:Sourced", "branin-2", "none", 24, 0).row()
    one = problem("branin-2")
    assert (stranger["claim_low"], stranger["claim_high"]) == (
        (-1e3 - one.worst) / one.range,
        (1e3 - one.worst) / one.range,
    )


@pytest.mark.parametrize("claim", [None, (-np.inf, np.inf), (np.nan, 1.0)])
def test_a_claim_that_is_not_finite_is_none(claim, monkeypatch):
    monkeypatch.setattr("tests.gauntlet.strangers.Sourced.claim", lambda self: claim)
    row = Match("tests.gauntlet.strangers:Sourced", "branin-2", "none", 12, 0).row()
    assert (row["claim_low"], row["claim_high"]) == (None, None)


def test_an_optimiser_may_change_the_point_that_it_gave():
    one, other = (
        Match(f"tests.gauntlet.strangers:{name}", "branin-2", "none", 20, 0).row() for name in ("Uniform", "Reusing")
    )
    assert (one["gaps"], one["gap_ours"]) == (other["gaps"], other["gap_ours"])


@pytest.mark.parametrize("claimed", ["ab", (1, 2, 3), 4.0, (1.0, "x"), (2.0, 1.0)])
def test_a_claim_that_makes_no_sense_is_named(claimed):
    with pytest.raises(InvalidInput, match=r"claim\(\) must return"):
        claimed_interval(claimed)


def test_claims_as_numpy_has_them():
    assert claimed_interval(np.array([1, 2])) == (1.0, 2.0)
    assert claimed_interval(None) is None
    assert claimed_interval((np.nan, 1.0)) is None


@pytest.mark.parametrize("plays", [24, 25, 60, 200])
def test_a_list_may_have_fewer_options_than_there_are_plays(plays):
    assert len(Match("random", "ab-12", "hide", plays, 0).fingerprint()) == 32


def test_seconds_are_those_of_ask_and_tell():
    """What we recommend from the same measurements is not part of them."""
    row = Match("random", "branin-2", "none", 20, 0).row()
    assert 0 < row["seconds"][-1] < 0.01


def test_the_wary_study_is_told_more_than_there_is():
    game = MatchGame(problem("branin-2"), "none", 40, 0)
    assert make("unswayed", game, 0)._study.settings.threat.none
    assert make("unswayed-wary", game, 0)._study.settings.threat.total == pytest.approx(0.05 * 40 * game.problem.range)


def test_a_fingerprint_changes_with_what_decides_the_numbers(monkeypatch):
    peer, ours = TRIALS[-1], Match("unswayed", "branin-2", "none", 20, 0)
    changes = ({"optimizer": "random"}, {"problem": "branin-2"}, {"corruption": "none"}, {"plays": 40}, {"seed": 1})
    prints = {peer.fingerprint(), *(replace(peer, **change).fingerprint() for change in changes)}
    assert len(prints) == 6
    before = peer.fingerprint(), ours.fingerprint()
    monkeypatch.setattr(match_module, "code_version", lambda code, **about: "another search")
    assert peer.fingerprint() == before[0]  # other optimisers do not depend on our code
    assert ours.fingerprint() != before[1]
    monkeypatch.setattr("unswayed_gauntlet.optimizers.version", lambda package: "another version")
    assert peer.fingerprint() != before[0]
    monkeypatch.undo()
    newer = {**OPTIMIZERS, "tpe": replace(OPTIMIZERS["tpe"], version=OPTIMIZERS["tpe"].version + 1)}
    monkeypatch.setattr("unswayed_gauntlet.optimizers.OPTIMIZERS", newer)
    assert peer.fingerprint() != before[0]
    assert TRIALS[0].fingerprint() == Match("random", "branin-2", "none", 20, 0).fingerprint()


def test_an_unknown_optimizer_is_refused():
    with pytest.raises(InvalidInput, match="unknown optimizer 'gut feeling'"):
        make("gut feeling", MatchGame(problem("branin-2"), "none", 20, 0), 0)


SCRIPT = """
import sys
from pathlib import Path
from tests.gauntlet.test_match import TRIALS
from unswayed.experiments.pool import GuardedPool
from unswayed.experiments.player import claimed_interval
from unswayed.experiments.store import RunFolder
from unswayed.experiments.sweep import sweep
from unswayed_gauntlet.match import COLUMNS, FORMAT

if __name__ == "__main__":
    with RunFolder(Path(sys.argv[1]), COLUMNS, FORMAT).opened() as folder, GuardedPool(1) as pool:
        sweep(TRIALS, folder, pool)
"""


def test_a_sweep_that_is_killed_goes_on_where_it_was(tmp_path):
    pytest.importorskip("optuna")
    script, path = tmp_path / "script.py", tmp_path / "runs"
    script.write_text(SCRIPT)
    root = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([root, *sys.path])}
    process = subprocess.Popen([sys.executable, str(script), str(path)], env=environment)
    deadline = time.monotonic() + 120
    while not list(path.glob("cells/*.parquet")) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.wait()
    folder, ran = RunFolder(path, COLUMNS, FORMAT), []

    def count(trial):
        ran.append(trial)
        return trial.row()

    with folder.opened():
        done = sum(folder.has(trial.fingerprint()) for trial in TRIALS)
        assert sweep(TRIALS, folder, Inline(), task=count) == []
    assert done >= 1
    assert len(ran) == len(TRIALS) - done
    rows = folder.read(trial.fingerprint() for trial in TRIALS).to_pylist()
    assert [without_times(row) for row in rows] == [without_times(trial.row()) for trial in TRIALS]


def test_runs_of_another_kind_are_refused(tmp_path):
    with RunFolder(tmp_path / "runs").opened() as folder:
        folder.describe([], {})
    with pytest.raises(InvalidInput, match="another version"):
        RunFolder(tmp_path / "runs", COLUMNS, FORMAT).about()
