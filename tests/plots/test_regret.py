import os

import numpy as np
import pytest
from matplotlib.figure import Figure

from unswayed import UnswayedError, simulate
from unswayed.adversaries import NoAttack
from unswayed.experiments.registry import make_policy
from unswayed.plots.regret import regret_figure
from unswayed.plots.style import save
from unswayed.problems import f1


@pytest.fixture(scope="module")
def runs():
    problem = f1()
    policy = make_policy("gp-ucb", problem, 0.0, 300)
    return [simulate(problem, policy, NoAttack(), budget=0, horizon=300, seed=k) for k in range(3)]


def test_the_mean_is_drawn_with_its_spread(runs):
    figure = regret_figure({"left": {"gp-ucb": runs}, "right": {"gp-ucb": runs[:1]}})
    left, right = figure.axes
    (line,) = left.get_lines()
    assert np.allclose(line.get_ydata(), np.mean([run.curve()[1] for run in runs], axis=0))
    (band,) = left.collections
    assert band.get_paths()[0].get_extents().height > 0
    assert left.get_ylabel() == "cumulative regret"
    top = max(np.max(line.get_ydata()) for axes in (left, right) for line in axes.get_lines())
    assert left.get_ylim()[1] >= top  # nothing is cut off


def test_a_failed_save_leaves_nothing(tmp_path, monkeypatch):
    def full(*arguments, **options):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("unswayed.storage.files.os.fsync", full)
    with pytest.raises(UnswayedError, match="No space left"):
        save(Figure(), tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []
