"""The model of an answer at any point: it is that of the answer, and its importance is that of a known function."""

import numpy as np
import pytest

import unswayed as uw
from unswayed.core.gp.kernels import SquaredExponential
from unswayed.core.gp.surface import Surface
from unswayed.service.pages.slices import shares, slice_of

SPACE = uw.Box({"a": uw.Real(0, 1), "b": uw.Real(0, 1), "k": uw.Categorical(["u", "v"]), "idle": uw.Real(-3, 5)})


def told(minimize=False):
    """Values 4 a + 2 b + (k = v) of 100 random points: their variances are 16/12, 4/12 and 1/4."""
    study, rng = uw.Optimizer(SPACE, seed=0, minimize=minimize, parallel=None), np.random.default_rng(0)
    for point in SPACE.decode(SPACE.spread(100, rng)):
        study.add([(point, 4 * point["a"] + 2 * point["b"] + (point["k"] == "v"))])
    return study.answer()


@pytest.mark.parametrize("minimize", [False, True])
def test_the_surface_is_the_model_of_the_answer(minimize):
    answer = told(minimize)
    (mean,), (deviation,) = answer.surface.at(SPACE.encode([answer.point]))
    assert mean == pytest.approx(answer.estimate)
    assert 0 < deviation < 0.5
    cut = slice_of(SPACE, answer, answer.surface, "a")
    assert np.polyfit(cut.places, cut.mean, 1)[0] == pytest.approx(4, abs=0.3)
    assert (cut.low < cut.mean).all()
    assert (cut.mean < cut.high).all()
    low, high = slice_of(SPACE, answer, answer.surface, "k").mean
    assert high - low == pytest.approx(1, abs=0.2)


def test_shares_are_those_of_the_function():
    found, variances = shares(SPACE, told().surface), {"a": 16 / 12, "b": 4 / 12, "k": 1 / 4, "idle": 0.0}
    assert found.keys() == variances.keys()
    for name, variance in variances.items():
        assert found[name] == pytest.approx(variance / sum(variances.values()), abs=0.06)


def test_what_acts_only_together_counts_for_both():
    """f = (2a - 1)(2b - 1): no parameter alone says anything, and each decides all."""
    rows = np.random.default_rng(1).random((300, 2))
    values = np.prod(2 * rows - 1, axis=1)
    surface = Surface(SquaredExponential(0.5), 1e-6, rows, np.ones(300), values, 0.0, 1.0, 300)
    A, B = np.random.default_rng(2).random((2, 4000, 2))
    np.testing.assert_allclose(surface.importance(A, B, np.array([0, 1])), 1.0, atol=0.06)
    flat = Surface(SquaredExponential(0.5), 1e-6, rows, np.ones(300), np.zeros(300), 5.0, 1.0, 300)
    assert len(flat.importance(A, B, np.array([0, 1]))) == 0
    some = surface.thinned(100)
    assert (len(some.rows), some.known) == (100, 300)


def test_there_is_no_slice_where_others_depend_on_a_parameter():
    space = uw.Box({"kind": uw.Categorical(["svm", "knn"]), "C": uw.Real(0, 1, when={"kind": "svm"})})
    study = uw.Optimizer(space, seed=0)
    study.add([({"kind": "knn"}, 0.1), *(({"kind": "svm", "C": c / 9}, c / 9) for c in range(10))])
    answer = study.answer()
    assert slice_of(space, answer, answer.surface, "kind") is None
    assert slice_of(space, answer, answer.surface, "C") is not None
    assert shares(space, answer.surface) == {}
