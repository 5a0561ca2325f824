"""Folding a log is linear: models are fitted when plays have grown by a share, never for each of them."""

from math import log

import numpy as np
import pytest

from tests.search.games import bowl, task
from unswayed import Box, Optimizer, Real
from unswayed.search import beliefs
from unswayed.search.modes import GROWTH, begin, step
from unswayed.search.surrogate import Surrogate
from unswayed.search.task import Told


@pytest.fixture
def fits(monkeypatch):
    """How many points each fit has; only the first one is computed, the others cost nothing."""
    sizes, models, fit = [], [], beliefs.fit_model

    def counted(table, groups, **how):
        sizes.append(len(table.values))
        models.append(models[0] if models else fit(table, groups, **how))
        return models[0]

    monkeypatch.setattr(beliefs, "fit_model", counted)
    return sizes


def no_surrogate(*arguments, **named):
    raise AssertionError("a fold needs no surrogate")


def test_a_fold_fits_models_as_often_as_plays_grow_by_a_share(fits, monkeypatch):
    monkeypatch.setattr(Surrogate, "fit", no_surrogate)
    mode, rows, counts = begin(task(threat=50.0)), np.random.default_rng(0).random((2000, 2)), []
    for row in rows:
        mode = step(mode, Told(row, bowl(row)))
        counts.append(len(fits))
    assert counts[-1] - counts[999] <= log(2) / log(GROWTH) + 1
    assert max(fits) <= beliefs.FITTED


def test_reopening_makes_one_surrogate(fits, monkeypatch, tmp_path):
    box = Box({"x": Real(0, 1), "y": Real(0, 1)})
    with Optimizer(box, threat=1.0, seed=0, journal=tmp_path / "study") as study:
        for _ in range(40):
            [play] = study.ask()
            study.tell(play, bowl(list(play.point.values())))
    made, fit = [], Surrogate.fit.__func__
    monkeypatch.setattr(Surrogate, "fit", classmethod(lambda cls, *a, **k: made.append(1) or fit(cls, *a, **k)))
    with Optimizer.open(tmp_path / "study") as study:
        study.ask()
        assert len(made) == 1
        study.retract(3, "a wrong unit")
        study.ask()
        assert len(made) == 2
