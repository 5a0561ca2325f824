"""A search is a value: the same events give the same proposals, and a step leaves its argument alone."""

import ast
import dataclasses
import importlib
from pathlib import Path

import numpy as np
import pytest

import unswayed.search
from tests.search.games import Game, bowl, nothing, task
from unswayed import Options
from unswayed.search.modes import Eliminating, Guided, Starting, begin, step
from unswayed.search.schedule import propose
from unswayed.search.task import Failed, Told

FILES = sorted(Path(unswayed.search.__file__).parent.glob("*.py"))
TEN = Options(list(range(10)))


def partly(row):
    """Fails in a corner."""
    return None if row.max() < 0.3 else bowl(row)


GAMES = {
    "guided": (task(), bowl, 36),
    "guided with failures": (task(), partly, 36),
    "eliminating": (
        task(TEN, plays=2000, threat=0.02, noise_std=0.05), lambda row: TEN.decode(row[None])[0] / 10, 120
    ),
    "eliminating in a box": (task(method="influence-pe", threat=0.1), partly, 60),
}  # fmt: skip


@pytest.mark.parametrize(("start", "value", "plays"), GAMES.values(), ids=GAMES)
def test_the_same_task_and_events_give_equal_proposals(start, value, plays):
    game = Game(start).play(plays, value)
    mode = begin(start)
    for number, (row, found) in enumerate(zip(game.rows, game.values, strict=True)):
        np.testing.assert_array_equal(propose(mode, number, nothing(start)).row, row)
        mode = step(mode, Failed(row) if found is None else Told(row, found))
    assert type(mode) is type(game.mode)


@pytest.mark.parametrize(("start", "value", "plays"), GAMES.values(), ids=GAMES)
def test_a_step_a_proposal_and_an_answer_change_nothing(start, value, plays):
    """Old modes still propose what they proposed before hundreds of steps, batches and an answer."""
    game, kept = Game(start), []
    for number in range(plays):
        row = game.ask()
        if number % 7 == 0:
            batch = [row]
            for more in range(1, 4):
                batch.append(propose(game.mode, number + more, np.array(batch)).row)
            kept.append((game.mode, number, batch))
        game.tell(row, value(row))
    game.answer()
    assert len({type(mode) for mode, *_ in kept}) >= 2
    for mode, number, batch in reversed(kept):
        for more in (3, 0, 2, 1):
            pending = np.array(batch[:more]) if more else nothing(start)
            np.testing.assert_array_equal(propose(mode, number + more, pending).row, batch[more])


def test_another_seed_is_another_search():
    assert not np.array_equal(Game(task()).play(30).rows, Game(task(seed=1)).play(30).rows)


def test_the_modes_follow_each_other():
    game = Game(task())
    kinds = []
    for _ in range(40):
        kinds.append(type(game.mode))
        game.play(1)
    first = task().first_fit_at
    assert kinds == [Starting] * first + [Guided] * (40 - first)
    finite = Game(task(TEN, plays=2000, threat=0.02, noise_std=0.05))
    assert isinstance(finite.play(60, lambda row: TEN.decode(row[None])[0] / 10).mode, Eliminating)


def test_a_model_is_at_most_a_tenth_of_the_plays_old():
    """So many plays a new liar has before the model learns of it."""
    mode, rows = begin(task()), np.random.default_rng(0).random((60, 2))
    for plays, row in enumerate(rows, 1):
        before, mode = mode, step(mode, Told(row, bowl(row)))
        if isinstance(before, Guided):
            assert (before.beliefs is not mode.beliefs) == (plays >= before.refit_at)
            assert mode.refit_at <= max(plays + 1, 1.1 * plays)


def test_an_event_of_a_row_that_is_no_arm_any_more_is_taken_in():
    game = Game(task()).play(40)
    mode = step(game.mode, Told(np.array([0.123, 0.456]), 0.5))
    assert np.array([0.123, 0.456]).tobytes() in mode.surrogate.arm_of


def test_a_failure_makes_no_measurement_suspect():
    """Failed plays at the best place are no evidence against those around it."""
    mode = Game(task()).play(60).mode
    kept = mode.surrogate.kept.mask
    for number in range(60, 75):
        mode = step(mode, Failed(np.array([0.3, 0.7]) + 0.001 * number))
    np.testing.assert_array_equal(mode.surrogate.kept.mask, kept)


# -- the source -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_source_has_no_assert_and_no_copy_of_an_object(path):
    """Both are signs of an object whose attributes become valid one after the other."""
    for node in ast.walk(ast.parse(path.read_text())):
        assert not isinstance(node, ast.Assert), f"{path.name}:{node.lineno}"
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in ("copy", "deepcopy", "copy.copy", "copy.deepcopy"), f"{path.name}:{node.lineno}"
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                assert not isinstance(target, ast.Attribute), f"{path.name}:{node.lineno} changes an object"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_type_is_frozen(path):
    module = importlib.import_module(f"unswayed.search.{path.stem}")
    for kind in vars(module).values():
        if dataclasses.is_dataclass(kind) and kind.__module__ == module.__name__:
            assert kind.__dataclass_params__.frozen, kind
