"""Exports of MLflow and Weights & Biases, as a table of finished runs."""

import json
from pathlib import Path

import pytest

from unswayed import InvalidInput
from unswayed.storage.tables.runs import read_runs

LR, ACC, KIND = [0.1, 0.01, 0.001, 0.01], [0.5, 0.75, 0.7, 0.6], ["a", "b", "a", "b"]
STATES = ["finished", "finished", "crashed", "finished"]

# Written by mlflow 3.17: mlflow.search_runs().to_csv(index=False). One run has failed.
SEARCH_RUNS = (Path(__file__).parent / "exports" / "mlflow-search-runs.csv").read_text()

# As the page of an experiment of MLflow writes it.
MLFLOW_PAGE = """\
Start Time,Duration,Run ID,Name,Source Type,Source Name,User,Status,kind,lr,acc
2024-05-02 10:11:12,2.1s,8f0c1e,stoic-dove-12,LOCAL,train.py,ann,FINISHED,a,0.1,0.5
2024-05-02 10:13:12,2.3s,1f0c1e,bold-cat-3,LOCAL,train.py,ann,FINISHED,b,0.01,0.75
2024-05-02 10:15:12,,2f0c1e,calm-ape-7,LOCAL,train.py,ann,RUNNING,a,0.001,
2024-05-02 10:17:12,2.2s,3f0c1e,glad-fox-9,LOCAL,train.py,bob,FINISHED,b,0.01,0.6
"""

# As the page of a project of Weights & Biases writes it.
WANDB_PAGE = """\
"Name","State","Notes","User","Tags","Created","Runtime","Sweep","kind","lr","acc"
"lunar-sweep-1","finished","-","ann","","2024-05-02T10:11:12.000Z","61","k2x","a","0.1","0.5"
"misty-sweep-2","finished","-","ann","","2024-05-02T10:12:12.000Z","62","k2x","b","0.01","0.75"
"vivid-sweep-3","crashed","-","ann","","2024-05-02T10:13:12.000Z","3","k2x","a","0.001",""
"royal-sweep-4","finished","-","bob","","2024-05-02T10:14:12.000Z","60","k2x","b","0.01","0.6"
"""


def wandb_lines():
    """One run of `wandb.Api().runs(...)` a line."""
    for i, (lr, acc, kind, state) in enumerate(zip(LR, ACC, KIND, STATES, strict=True)):
        summary = {
            "_runtime": 61.5,
            "_step": 9,
            "_wandb": {"runtime": 61},
            **({"acc": acc} if state == "finished" else {}),
        }
        config = {"lr": lr, "kind": kind, "_wandb": {"cli_version": "0.16"}}
        yield {"name": f"run-{i}", "id": f"k{i}", "state": state, "config": config, "summary": summary, "tags": []}


def mlflow_lines(nested):
    """One `Run.to_dictionary()` a line, or only its dicts; the values of parameters are text."""
    for i, (lr, acc, kind, state) in enumerate(zip(LR, ACC, KIND, STATES, strict=True)):
        status = "FINISHED" if state == "finished" else "FAILED"
        metrics = {"acc": acc} if state == "finished" else {}
        data = {"metrics": metrics, "params": {"lr": str(lr), "kind": kind}, "tags": {"mlflow.user": "ann"}}
        about = {"run_id": f"k{i}", "status": status, "start_time": 1714644672000 + i}
        yield {"info": about, "data": data, "inputs": {"model_inputs": []}} if nested else {**about, **data}


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


EXPORTS = {
    "page.csv": (MLFLOW_PAGE, {"running": 1}),
    "wandb.csv": (WANDB_PAGE, {"crashed": 1}),
    "wandb.jsonl": (lines(wandb_lines()), {"crashed": 1}),
    "mlflow.jsonl": (lines(mlflow_lines(nested=True)), {"failed": 1}),
    "dicts.jsonl": (lines(mlflow_lines(nested=False)), {"failed": 1}),
}


@pytest.fixture(params=EXPORTS)
def runs(request, tmp_path):
    (tmp_path / request.param).write_text(EXPORTS[request.param][0])
    return read_runs(tmp_path / request.param), EXPORTS[request.param][1]


def test_every_export_gives_the_same_finished_runs(runs):
    found, left_out = runs
    table = found.table
    index = {name: table.names.index(name) for name in ("lr", "kind", "acc")}
    assert table.numbers(index["lr"]).tolist() == [0.1, 0.01, 0.01]
    assert table.numbers(index["acc"]).tolist() == [0.5, 0.75, 0.6]
    codes, labels = table.labels(index["kind"])
    assert [labels[code] for code in codes] == ["a", "b", "b"]
    assert table.lines.tolist() == ([2, 3, 5] if table.path.suffix == ".csv" else [1, 2, 4])
    assert found.left_out == left_out
    assert set(table.names) - set(found.about) == {"lr", "kind", "acc"}


def test_what_mlflow_writes():
    path = Path(__file__).parent / "exports" / "mlflow-search-runs.csv"
    found = read_runs(path)
    assert found.parameters == ["lr", "kind"]
    assert found.metrics == ["acc", "lr_now"]
    assert found.left_out == {"failed": 1}
    assert found.sentence == "ignored, because not finished: 1 of the runs (1 failed)"
    assert found.table.numbers(found.table.names.index("acc")).tolist() == [0.75, 0.65, 0.6, 0.55, 0.5]
    assert found.name("params.lr") == found.name("lr") == "lr"
    assert "tags.lab" in found.about


def test_a_short_name_that_two_columns_would_have_is_not_used(tmp_path):
    (tmp_path / "t.csv").write_text("run_id,params.lr,metrics.lr,params.n,metrics.acc\nr,1,2,3,4\n")
    found = read_runs(tmp_path / "t.csv")
    assert found.table.names == ["run_id", "params.lr", "metrics.lr", "n", "acc"]
    assert found.name("lr") == "lr"  # no such column: an error for whoever asks
    assert found.parameters == ["params.lr", "n"]
    (tmp_path / "t.csv").write_text("params.lr,lr,metrics.acc\n1,2,3\n")
    assert read_runs(tmp_path / "t.csv").table.names == ["params.lr", "lr", "acc"]


@pytest.mark.parametrize(
    "text",
    [
        "name,state,y\nann,CA,1\nbob,NY,2\n",  # a state of the USA
        "runtime,y\n3,1\n4,2\n",
        "state,y\nfinished,1\nrunning,2\n",  # nothing says that these are runs
        "name,status,y\na,FINISHED,1\nb,,2\n",
        "1,2\n3,4\n",
    ],
)
def test_other_tables_are_left_alone(tmp_path, text):
    (tmp_path / "t.csv").write_text(text)
    found = read_runs(tmp_path / "t.csv")
    assert not found.exported
    assert len(found.table.columns[0]) == 2
    assert (found.about, found.parameters, found.metrics, found.sentence) == ([], [], [], None)


def test_no_finished_run_is_an_error(tmp_path):
    (tmp_path / "t.csv").write_text("Name,State,lr,acc\na,running,1,2\nb,crashed,1,2\n")
    with pytest.raises(InvalidInput, match="no run is finished"):
        read_runs(tmp_path / "t.csv")
