"""`unswayed audit` of exports of MLflow and Weights & Biases: the same as of a plain table of their finished runs."""

import json

import numpy as np
import pytest


@pytest.fixture
def cli(unswayed):
    return lambda *arguments: unswayed("audit", *arguments)


@pytest.fixture
def runs():
    rng = np.random.default_rng(3)
    lr, kind = rng.choice([0.001, 0.01, 0.1], 40), rng.choice(["rbf", "poly"], 40)
    acc = 0.8 - 0.1 * np.abs(np.log10(lr) + 2) + 0.05 * (kind == "rbf") + 0.01 * rng.standard_normal(40)
    state = np.where(np.arange(40) % 8 == 5, "crashed", "finished")
    return [
        {"lr": float(a), "kind": str(b), "acc": float(c), "state": str(d)}
        for a, b, c, d in zip(lr, kind, acc, state, strict=True)
    ]


def plain(runs, path):
    rows = [f"{run['lr']},{run['kind']},{run['acc']}" for run in runs if run["state"] == "finished"]
    path.write_text("\n".join(["lr,kind,acc", *rows]))
    return path


def wandb_page(runs, path):
    rows = [
        f'"run-{i}","{run["state"]}","ann","2024-05-02T10:11:12.000Z","61","{run["lr"]}","{run["kind"]}",'
        f'"{run["acc"] if run["state"] == "finished" else ""}"'
        for i, run in enumerate(runs)
    ]
    path.write_text("\n".join(['"Name","State","User","Created","Runtime","lr","kind","acc"', *rows]))
    return path


def wandb_lines(runs, path):
    objects = (
        {
            "name": f"run-{i}",
            "state": run["state"],
            "config": {"lr": run["lr"], "kind": run["kind"]},
            "summary": {"_runtime": 61, **({"acc": run["acc"]} if run["state"] == "finished" else {})},
        }
        for i, run in enumerate(runs)
    )
    path.write_text("".join(json.dumps(one) + "\n" for one in objects))
    return path


def mlflow_csv(runs, path):
    rows = [
        f"{i:032x},1,{'FINISHED' if run['state'] == 'finished' else 'FAILED'},2024-05-02 10:11:12+00:00,"
        f"{run['acc'] if run['state'] == 'finished' else ''},{run['lr']},{run['kind']},ann"
        for i, run in enumerate(runs)
    ]
    header = "run_id,experiment_id,status,start_time,metrics.acc,params.lr,params.kind,tags.mlflow.user"
    path.write_text("\n".join([header, *rows]))
    return path


def verdict(out):
    """Without the lines of the file, which differ."""
    return json.loads(out, object_hook=lambda found: {key: one for key, one in found.items() if key != "line"})


def test_every_export_is_audited_like_a_plain_table(cli, runs, tmp_path):
    code, out, err = cli(plain(runs, tmp_path / "plain.csv"), "--json")
    assert (code, err) == (0, "")
    expected = verdict(out)
    for write, file, arguments in [
        (wandb_page, "page.csv", ["--objective", "acc"]),
        (wandb_lines, "runs.jsonl", []),
        (mlflow_csv, "runs.csv", []),
        (mlflow_csv, "runs.csv", ["--objective", "metrics.acc", "--parameters", "lr,params.kind"]),
    ]:
        code, out, err = cli(write(runs, tmp_path / file), *arguments, "--json")
        assert code == 0, err
        assert verdict(out) == expected
        assert "ignored, because not finished: 5 of the runs" in err
        assert err.count("\n") == 2 - ("--parameters" in arguments)


def test_a_column_about_the_runs_can_be_the_source(cli, runs, tmp_path):
    code, out, _ = cli(mlflow_csv(runs, tmp_path / "runs.csv"), "--source", "tags.mlflow.user", "--json")
    assert code == 0
    assert [one["source"] for one in json.loads(out)["sources"]] == ["ann"]


def test_the_metric_of_an_export_must_be_clear(cli, runs, tmp_path):
    code, _, err = cli(wandb_page(runs, tmp_path / "page.csv"))
    assert (code, err.count("\n")) == (2, 1)
    assert "is an export of runs: name the metric with --objective" in err
    path = mlflow_csv(runs, tmp_path / "runs.csv")
    path.write_text(path.read_text().replace("tags.mlflow.user", "metrics.loss"))
    code, _, err = cli(path)
    assert code == 2
    assert "name the metric with --objective; it has acc, loss" in err


def test_a_finished_run_without_its_metric_is_left_out(cli, runs, tmp_path):
    path = mlflow_csv(runs, tmp_path / "runs.csv")
    lines = path.read_text().split("\n")
    lines[3] = lines[3].replace(str(runs[2]["acc"]), "")
    path.write_text("\n".join(lines))
    code, _, err = cli(path)
    assert code == 0
    assert "read as: 1 row left out (empty cells)" in err
