"""Each part of the package once, in a few seconds: `make test-lowest` runs this with the oldest versions allowed."""

import csv
import json
import subprocess
import sys

import pytest

import unswayed


@pytest.fixture
def command(unswayed):
    """Run the command line in this process: what it prints, or its error if it must fail."""

    def run(*arguments, code=0):
        ended, out, err = unswayed(*arguments)
        assert ended == code, err
        return out if code == 0 else err

    return run


def test_every_public_name_can_be_imported():
    for name in unswayed.__all__:
        assert getattr(unswayed, name) is not None


@pytest.mark.parametrize("name", ["", "simulate", "run", "audit", "gauntlet", "reproduce", "demo"])
def test_help(command, name):
    assert "Usage" in command(*filter(None, [name]), "--help")


def test_as_a_program():
    done = subprocess.run([sys.executable, "-m", "unswayed", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"unswayed {unswayed.__version__}\n"


@pytest.mark.parametrize("problem", ["f1", "robot3d"])
def test_simulate(command, problem):
    (trial,) = json.loads(command("simulate", "--problem", problem, "--horizon", "200", "--json"))["trials"]
    assert trial["regret"] >= 0


def test_wrong_use_is_one_line(command):
    err = command("simulate", "--seed", "-1", code=2)
    assert err.count("\n") == 1
    assert err.startswith("unswayed: the seed")


def test_a_figure(command, tmp_path):
    command("simulate", "--horizon", "200", "--plot", tmp_path / "regret.svg")
    assert b"<svg" in (tmp_path / "regret.svg").read_bytes()


def test_maximize():
    space = unswayed.Box({"x": unswayed.Real(0, 1), "kind": unswayed.Categorical(["a", "b"])})
    result = unswayed.maximize(
        lambda point: -((point["x"] - 0.3) ** 2) + (point["kind"] == "a"),
        space,
        plays=30,
        threat=0.1,
        seed=0,
        progress=False,
    )
    assert result.point["kind"] == "a"
    assert str(result.answer)


def test_audit(command, tmp_path):
    with open(tmp_path / "table.csv", "w", newline="") as file:
        csv.writer(file).writerows([("x", "value"), *((i / 10, -((i / 10 - 0.5) ** 2)) for i in range(11))])
    assert json.loads(command("audit", tmp_path / "table.csv", "--json"))["winner"] == 5


def test_an_optuna_study():
    optuna = pytest.importorskip("optuna")
    from unswayed.integrations.optuna import UnswayedSampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(direction="maximize", sampler=UnswayedSampler(threat=0.1, seed=0))
    study.optimize(lambda trial: -(trial.suggest_float("x", 0, 1) ** 2), n_trials=10)
    assert len(study.trials) == 10


@pytest.mark.slow
def test_a_dask_sweep(command, tmp_path):
    pytest.importorskip("distributed")
    quick = ("--quick", "--only", "figure-1", "--executor", "dask", "--jobs", "2")
    command("reproduce", *quick, "--out", tmp_path / "out")
    assert (tmp_path / "out" / "report.html").exists()
