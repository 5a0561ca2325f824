"""Plays that are asked together are different settings, at the beginning of a study and later."""

import numpy as np
import pytest

from unswayed import Box, Categorical, Optimizer, Options, Real
from unswayed.spaces import Integer

SPACES = {
    "steps": Box({"T": Real(20, 80, step=0.5), "ml": Real(0, 5, step=0.1), "stirrer": Categorical(["slow", "fast"])}),
    "box": Box({"x": Real(0, 1), "y": Real(0, 1)}),
    "grid": Box({"T": Integer(1, 8), "c": Integer(1, 6)}),
    "coarse": Box({"T": Real(20, 80, step=20), "s": Categorical(["a", "b", "c"])}),
    "categories": Box({"a": Categorical(list("abcd")), "b": Categorical(list("xyz")), "c": Categorical(["u", "v"])}),
    "labels": Options([f"mould {i}" for i in range(12)]),
    "table": Options([{"T": 20 + 5 * i, "acid": acid} for i in range(10) for acid in ("HCl", "HNO3")]),
}


@pytest.mark.parametrize("threat", [None, 0.0])
@pytest.mark.parametrize("name", SPACES)
def test_four_that_are_asked_at_once_differ(name, threat):
    space, rng = SPACES[name], np.random.default_rng(5)
    study = Optimizer(space, seed=5, threat=threat, parallel=None)
    for _ in range(8):
        plays = study.ask(4)
        assert len({repr(play.point) for play in plays}) == 4, [(play.point, play.why) for play in plays]
        for play in plays:
            row = space.encode([play.point])[0]
            study.tell(play, float(-np.sum((row - 0.4) ** 2) + 0.3 * rng.standard_normal()))


def test_more_than_half_of_the_points_at_once_may_repeat_one():
    study = Optimizer(Options(["a", "b", "c"]), seed=5, parallel=None)
    for _ in range(6):
        plays = study.ask(4)
        assert len(plays) == 4
        for play in plays:
            study.tell(play, {"a": 1.0, "b": 2.0, "c": 3.0}[play.point])
