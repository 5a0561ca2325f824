"""The examples run, in their quick form: every method under every attack, a complete table, and a figure."""

import importlib
import sys
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from matplotlib.image import imread

import unswayed as uw

FOLDER = Path(__file__).parents[2] / "examples"
MODULES = ("comparison", "forged_scores", "bots", "robot")
EXAMPLES = {
    "forged_scores": {"Optuna TPE", "Unswayed"},
    "bots": {"even split, best average", "Optuna TPE", "TPE, best average", "Unswayed"},
    "robot": {"Optuna TPE", "Unswayed"},
}


@pytest.fixture
def load(monkeypatch):
    """Import a script as it imports its neighbours when it is run; nothing of that stays behind."""
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_prints_its_table_and_draws_its_figure(load, name, tmp_path, capsys):
    cells = load(name).main(quick=True, out=tmp_path)
    attacks = list(dict.fromkeys(attack for attack, _ in cells))
    assert set(cells) == {(attack, method) for attack in attacks for method in EXAMPLES[name]}
    assert len(attacks) == 3
    printed = capsys.readouterr().out
    assert "C = " in printed.splitlines()[0]
    rows = [[part.strip() for part in line.strip("|").split("|")] for line in printed.splitlines() if line[:1] == "|"]
    assert {tuple(row[:2]): float(row[2]) for row in rows[2:]} == {
        key: pytest.approx(median(cell.gaps), abs=0.006) for key, cell in cells.items()
    }
    for (attack, _), cell in cells.items():
        assert all(np.isfinite(gap) and gap >= 0 for gap in cell.gaps)
        assert attack != attacks[0] or cell.spent == [0.0]
    for attack in attacks[1:]:  # a method may never meet what is forged, but not all of them
        assert max(cells[attack, method].spent[0] for method in EXAMPLES[name]) > 0
    (picture,) = tmp_path.iterdir()
    assert picture.name == f"example-{name.replace('_', '-')}-quick.png"
    pixels = imread(picture)
    assert pixels.shape[1] > 1000
    assert pixels[..., :3].std() > 0.05


@pytest.mark.parametrize(
    ("name", "objective", "point"),
    [
        ("forged_scores", "clients", {"C": 10.0, "gamma": 0.03}),
        ("bots", "visitors", "page 03"),
        ("robot", "camera", {"r_x": -3.0, "r_y": -2.0, "duration": 15.0}),
    ],
)
def test_every_method_meets_the_same_noise(load, name, objective, point):
    measure = getattr(load(name), objective)
    first, second, other = ([game(point) for _ in range(4)] for game in (measure(7), measure(7), measure(8)))
    assert first == second
    assert first != other
    assert len(set(first)) > 1


def test_forgeries_are_what_the_examples_say(load):
    scores, bots, robot = load("forged_scores"), load("bots"), load("robot")
    setting, push = {"C": 1.0, "gamma": 1.0}, {"r_x": 1.0, "r_y": 1.0, "duration": 9.0}
    shown = [uw.Corrupted(lambda point, value=v: value, scores.praised, 10)(setting) for v in (0.2, 0.7, 0.95)]
    assert shown == pytest.approx([1.0, 0.7, 0.95])
    shown = [uw.Corrupted(lambda point, value=v: value, scores.blamed, 10)(setting) for v in (0.2, 0.7, 0.95)]
    assert shown == pytest.approx([0.2, 0.7, 0.1])
    assert bots.promoted(bots.WORST, 0.03) == pytest.approx(0.04)
    assert bots.avoided(bots.BEST, 0.02) == pytest.approx(-0.02)  # no more than there were
    assert bots.promoted(bots.BEST, 0.06) == bots.avoided(bots.WORST, 0.03) == 0
    assert bots.RATES[bots.BEST] == pytest.approx(0.06)
    assert -3.0 + robot.praised(push, -3.0) == pytest.approx(5.0)
    assert 4.5 + robot.blamed(push, 4.5) == pytest.approx(5 - np.sqrt(13))


def test_gaps_are_measured_from_the_best_that_is_known(load):
    comparison = load("comparison")
    attacks = {"honest": comparison.honest, "down": lambda point, value: -1.0}
    made = {"plays": 3, "budget": 2.0, "objective": lambda seed: float, "attacks": attacks, "score": float, "best": 5.0}
    game = comparison.Game("C = 2", "points", **made)

    def method(objective, plays, budget, seed):
        assert (plays, budget) == (3, 2.0)
        seen = [objective(1.0) for _ in range(plays)]
        return sum(seen) + seed

    cells = comparison.play(game, {"one": method}, seeds=[0, 4])
    assert cells["honest", "one"] == comparison.Cell([4.0, 0.0], [0.0, 0.0])  # 3 and 7 of 7: better than the 5 known
    assert cells["down", "one"] == comparison.Cell([6.0, 2.0], [2.0, 2.0])  # the third play is honest again
    assert "| down | one | 4.00 | 2.00 to 6.00 | 2 |" in comparison.table(game, cells)
