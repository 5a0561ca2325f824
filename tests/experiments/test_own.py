"""A user's own kernel, attack, policy and problem, by the name module:attribute."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.experiments.small_sweep import Inline, run
from unswayed import UnswayedError, load_runs
from unswayed.experiments.experiment import Experiment
from unswayed.experiments.pool import GuardedPool
from unswayed.plots.style import colour, label

HERE = Path(__file__).parent
PARTS = {"policy": "own_parts:cautious", "attack": "own_parts:drown", "kernel": "own_parts:wave"}
OURS = {"policy": "gp-ucb", "attack": "flip", "kernel": None}


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.syspath_prepend(HERE)


def experiment(problem="f1", **parts):
    parts = {**PARTS, **parts}
    return Experiment(problem, parts["policy"], parts["attack"], 20.0, kernel=parts["kernel"], horizon=400)


def test_they_are_swept_on_two_processes_resumed_and_loaded(tmp_path):
    trials = [*experiment().trials(4), *experiment("own_parts:hills").trials(2)]
    with GuardedPool(2) as pool:
        assert run(tmp_path / "runs", pool, trials[:3]) == []
    reported = []
    with GuardedPool(2) as pool:
        assert run(tmp_path / "runs", pool, trials, report=lambda done, failed: reported.append(done)) == []
    assert reported[0] == 3  # finished before
    rows = load_runs(tmp_path / "runs").to_pylist()
    assert [row["seed"] for row in rows] == [0, 1, 2, 3, 0, 1]
    assert {row["kernel"] for row in rows} == {"own_parts:wave"}
    for row, trial in zip(rows, trials, strict=True):
        assert row == {**trial.row(), "fingerprint": row["fingerprint"]}
        assert row["corruption_spent"] == pytest.approx(20)
    assert run(tmp_path / "inline", Inline(), trials) == []
    assert (tmp_path / "inline" / "runs.parquet").read_bytes() == (tmp_path / "runs" / "runs.parquet").read_bytes()


@pytest.mark.parametrize("part", PARTS)
def test_each_part_matters(part):
    assert experiment(**{part: OURS[part]}).run(0).regret != experiment().run(0).regret


@pytest.mark.parametrize("policy", ["rgp-pe", "influence-pe", "linear-pe", "own_parts:cautious"])
def test_our_policies_take_a_strangers_kernel(policy):
    played = experiment(policy=policy).run(0)
    assert np.isfinite(played.regret)


def fingerprint(folder):
    """Of an experiment with the parts in `folder`, in a process of its own."""
    code = (
        f"import sys; sys.path.insert(0, {str(folder)!r}); from unswayed.experiments.experiment import Experiment; "
        "print(Experiment('f1', 'gp-ucb', 'own_parts:drown', 5.0).fingerprint(0))"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_another_source_is_another_run(tmp_path):
    shutil.copy(HERE / "own_parts.py", tmp_path)
    before = fingerprint(tmp_path)
    assert fingerprint(HERE) == before
    source = tmp_path / "own_parts.py"
    source.write_text(source.read_text().replace("depth: float = 1.5", "depth: float = 2.5"))
    assert fingerprint(tmp_path) != before


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"policy": "nowhere_at_all:f"}, "cannot import nowhere_at_all:f: ModuleNotFoundError"),
        ({"policy": "own_parts:absent"}, "cannot import own_parts:absent: AttributeError"),
        ({"attack": "own_parts:FLAT"}, "own_parts:FLAT must be a function"),
        ({"attack": "own_parts:nothing"}, "own_parts:nothing returned NoneType, which has no attribute 'corrupt'"),
        ({"policy": "own_parts:nothing"}, "no attribute 'phased'"),
        ({"kernel": "own_parts:nothing"}, "the values of own_parts:nothing"),
        ({"kernel": "sys:exit"}, "cannot import sys:exit"),
    ],
)
def test_what_cannot_be_used_is_one_clear_line(parts, reason):
    with pytest.raises(UnswayedError, match=reason) as error:
        experiment(**parts).run(0)
    assert "\n" not in str(error.value)


def test_a_module_that_does_not_compile_is_one_clear_line(tmp_path, monkeypatch):
    (tmp_path / "slip.py").write_text("def f(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UnswayedError, match="cannot import slip:f: SyntaxError") as error:
        experiment(policy="slip:f").run(0)
    assert "\n" not in str(error.value)


def test_a_length_scale_is_set_where_the_kernel_is():
    with pytest.raises(UnswayedError, match="set it in your module"):
        Experiment("f1", "gp-ucb", "none", 1.0, kernel="own_parts:wave", lengthscale=2.0).run(0)


def test_from_the_command_line_in_the_folder_of_the_module(tmp_path):
    command = [sys.executable, "-c", "import sys; sys.path.remove(''); from unswayed.cli import main; main()"]
    options = ["--policy", PARTS["policy"], "--attack", PARTS["attack"], "--kernel", PARTS["kernel"]]
    options += ["--problem", "own_parts:hills", "--horizon", "200", "--plot", str(tmp_path / "a.png"), "--json"]
    done = subprocess.run([*command, "simulate", *options], capture_output=True, text=True, cwd=HERE, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["settings"]["kernel"] == "own_parts:wave"
    options[1] = "own_part:cautious"
    done = subprocess.run([*command, "simulate", *options], capture_output=True, text=True, cwd=HERE, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "No module named 'own_part'" in done.stderr


def test_figures_show_the_attribute_and_a_colour_of_the_cycle():
    assert (label("own_parts:drown"), colour("own_parts:drown", 3)) == ("drown", "C3")


def test_what_a_problem_reads_from_elsewhere_is_part_of_the_fingerprint(tmp_path, monkeypatch):
    """The source of a module says nothing about a file that it reads: all that decides the numbers is hashed."""
    (tmp_path / "from_file.py").write_text(
        "from dataclasses import replace\n"
        "from pathlib import Path\n"
        "from unswayed.problems import f1\n"
        "def make(draw):\n"
        "    return replace(f1(), noise_std=float(Path(__file__).with_suffix('.txt').read_text()))\n"
    )
    code = (
        "from unswayed.experiments.experiment import Experiment\n"
        "print(Experiment('from_file:make', 'gp-ucb', 'none', 5.0, horizon=10).fingerprint(0))"
    )
    seen = set()
    for noise in ("0.1", "0.2", "0.1"):
        (tmp_path / "from_file.txt").write_text(noise)
        seen.add(
            subprocess.run(
                [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
            ).stdout
        )
    assert len(seen) == 2


def test_equal_experiments_have_equal_fingerprints():
    plain = Experiment("f1", "gp-ucb", "none", 5.0, horizon=30)
    for budget, horizon in ((5, 30), (np.float64(5), np.int64(30))):
        assert Experiment("f1", "gp-ucb", "none", budget, horizon=horizon).fingerprint(0) == plain.fingerprint(0)


def test_a_table_with_a_colon_in_its_name_is_a_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a:b.csv").write_text("0,1\n1,2\n2,0\n")
    experiment = Experiment("a:b.csv", "gp-ucb", "none", 1.0, horizon=5)
    assert len(experiment.fingerprint(0)) == 32
    assert experiment.run(0).horizon == 5
