"""Lists of options: the paper's two problems as they are there, and A/B tests with binomial noise."""

import numpy as np
import pytest

from unswayed import Options
from unswayed.problems import f1, robot3d
from unswayed_gauntlet.problems import problem
from unswayed_gauntlet.problems.option_lists import VISITORS


@pytest.mark.parametrize(("name", "original"), [("f1", f1), ("robot3d", robot3d)])
def test_the_problems_of_the_paper_are_theirs(name, original):
    one, theirs = problem(name), original()
    assert isinstance(one.space, Options)
    assert [one.value(tuple(point)) for point in theirs.domain] == theirs.f.tolist()
    assert (one.best, one.worst) == (theirs.f.max(), theirs.f.min())


@pytest.mark.parametrize("variants", [12, 40])
def test_a_play_of_an_ab_test_is_a_batch_of_visitors(variants):
    one = problem(f"ab-{variants}")
    labels = one.space.decode(one.space.arms(1, 0))
    assert labels == [f"variant {i + 1}" for i in range(variants)]
    rates = np.array([one.value(label) for label in labels])
    assert ((rates > 0.02) & (rates < 0.1)).all()
    rng = np.random.default_rng(0)
    for label in labels[:3]:
        row, rate = one.space.encode([label])[0], one.value(label)
        reports = np.array([one.honest(row, rate, rng) for _ in range(4000)])
        assert reports * VISITORS == pytest.approx(np.round(reports * VISITORS))
        assert reports.mean() == pytest.approx(rate, abs=5 * np.sqrt(rate / VISITORS / 4000))
        assert reports.std() == pytest.approx(np.sqrt(rate * (1 - rate) / VISITORS), rel=0.06)
