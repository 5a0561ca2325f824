"""A study is opened from its journal alone, whatever its space."""

import numpy as np
import pytest

from unswayed import Box, Categorical, Integer, Optimizer, Options, Real

SPACES = {
    "labels": Options(["a", "b", "c"]),
    "dicts": Options([{"T": 80, "acid": "HCl"}, {"T": 90, "acid": "HNO3"}]),
    "table": Options(np.array([[1.0, 2.0], [3.0, 5.0]])),
    "box": Box({"x": Real(0, 1), "kind": Categorical(["p", "q"])}),
    "large finite box": Box({"i": Integer(1, 1000), "j": Integer(1, 1000)}),
}


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_a_journal_is_enough_to_go_on(space, tmp_path):
    journal = tmp_path / "study.journal"
    with Optimizer(space, threat=1, journal=journal, seed=3) as begun:
        (play,) = begun.ask()
        begun.tell(play, 0.5)
    with Optimizer.open(journal) as again:
        assert again.space == space
        assert [(play.point, play.value) for play in again.log] == [(play.point, 0.5)]
