"""Old measurements from files, as points of a space."""

import json
from pathlib import Path

import pytest

import unswayed as uw
from unswayed import Box, Categorical, Integer, InvalidInput, Measurement, Options, Real
from unswayed.study.tables.importing import read_measurements

MLFLOW = Path(__file__).parent.parent / "storage" / "tables" / "exports" / "mlflow-search-runs.csv"
BOX = Box({"lr": Real(1e-4, 1, log=True), "layers": Integer(1, 8), "kind": Categorical(["a", "1", 2, True])})


def written(tmp_path, text, name="t.csv"):
    (tmp_path / name).write_text(text)
    return tmp_path / name


def test_cells_become_values_of_the_parameters(tmp_path):
    rows = ["a,3,1e-3,0.5,north,0.1", "1,4.0, 0.1 ,0.6,7,0.2", "2,5,1,0.7,n,0.3", "True,6,1,0.8,n,0.4"]
    text = "\n".join(["kind,layers,lr,acc,lab,sd", *rows])
    found = read_measurements(written(tmp_path, text), BOX, value="acc", source="lab", noise_std="sd")
    assert [point for point, _ in found] == [
        {"lr": 1e-3, "layers": 3, "kind": "a"},
        {"lr": 0.1, "layers": 4, "kind": "1"},
        {"lr": 1.0, "layers": 5, "kind": 2},
        {"lr": 1.0, "layers": 6, "kind": True},
    ]
    assert found[2][0]["kind"] == 2
    assert found[3][0]["kind"] is True
    assert [measured for _, measured in found[:2]] == [
        Measurement(0.5, "north", noise_std=0.1),
        Measurement(0.6, "7", noise_std=0.2),
    ]


def test_a_study_takes_them(tmp_path):
    with pytest.warns(UserWarning, match=r"not finished: 1 of the runs \(1 failed\)"):
        old = read_measurements(MLFLOW, Box({"lr": Real(1e-4, 1, log=True)}), value="metrics.acc", source="tags.lab")
    study = uw.Optimizer(Box({"lr": Real(1e-4, 1, log=True)}), seed=0)
    added = study.add(old)
    assert [(play.point["lr"], play.value, play.source) for play in added] == [
        (0.001, 0.75, "l1"),
        (0.1, 0.65, "l1"),
        (0.001, 0.6, "l0"),
        (0.01, 0.55, "l1"),
        (0.1, 0.5, "l0"),
    ]


def test_json_lines_of_runs(tmp_path):
    runs = [
        {"name": f"r{i}", "state": state, "config": {"lr": 0.1 * (i + 1)}, "summary": {"rate": 0.25 * i, "n": 40}}
        for i, state in enumerate(["finished", "crashed", "finished"])
    ]
    path = written(tmp_path, "".join(json.dumps(run) + "\n" for run in runs), "runs.jsonl")
    with pytest.warns(UserWarning, match="1 crashed"):
        found = read_measurements(path, Box({"lr": Real(0, 1)}), value="rate", trials="summary.n")
    assert [measured for _, measured in found] == [Measurement(0.0, trials=40), Measurement(0.5, trials=40)]


@pytest.mark.parametrize(
    ("space", "text", "point"),
    [
        (Options(["a", "007"]), "option,y\n007,1\n", "007"),
        (Options([1, 2]), "option,y\n2,1\n", 2),
        (
            Options([{"T": 80, "acid": "HCl"}, {"T": 90, "acid": "none"}]),
            "acid,T,y\nHCl,80,1\n",
            {"T": 80, "acid": "HCl"},
        ),
        (Options([[80.0, 1.0], [90.0, 2.0]], names=["T", "p"]), "p,T,y\n2,90,1\n", (90.0, 2.0)),
    ],
)
def test_options_of_every_kind(tmp_path, space, text, point):
    assert read_measurements(written(tmp_path, text), space, value="y") == [(point, Measurement(1.0))]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("lr,y\n0.1,1\n2,1\n", "line 3: lr"),
        ("lr,y\n0.1,1\nfast,1\n", "line 3: 'fast' is not a finite number in the column 'lr'; nothing was added"),
        ("lr,y\n,1\n0.2,\n", "line 2: the column 'lr' is empty here, and no other row is complete"),
        ("lr,y\n0.1,1\n0.2,good\n", "line 3: 'good' is not a finite number in the column 'y'; nothing was added"),
        ("lr,z\n0.1,1\n", "no column 'y': it has lr and z"),
        ("rate,y\n0.1,1\n", "no column 'lr': it has rate and y"),
        ("0.1,1\n", "it has no header"),
        ("lr,y\n0.1,1e200\n", "line 2: a measurement of 1e[+]200 is too large"),
    ],
)
def test_a_wrong_cell_is_named_and_nothing_is_read(tmp_path, text, words):
    with pytest.raises(InvalidInput, match=words) as error:
        read_measurements(written(tmp_path, text), Box({"lr": Real(0, 1)}), value="y")
    assert "\n" not in str(error.value)


def test_what_is_told_of_a_value_is_checked(tmp_path):
    path, box = written(tmp_path, "lr,y,n,sd\n0.1,0.5,4,1\n0.2,0.5,2.5,-1\n"), Box({"lr": Real(0, 1)})
    with pytest.raises(InvalidInput, match="line 3: the trials of a measurement must be a whole number"):
        read_measurements(path, box, value="y", trials="n")
    with pytest.raises(InvalidInput, match="line 3: the standard error of a measurement must be"):
        read_measurements(path, box, value="y", noise_std="sd")
    with pytest.raises(InvalidInput, match="must be a Box or Options"):
        read_measurements(path, "lr", value="y")
