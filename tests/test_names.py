"""Names that scripts outside of the package rely on: each exists, with the parameters that they use."""

import inspect
import json
from importlib import import_module

import numpy as np
import pytest
from typer.main import get_command

import unswayed
from unswayed.cli import main
from unswayed.cli.app import app
from unswayed.experiments.registry import ATTACKS, POLICIES

PUBLIC = (
    "Box Real Integer Categorical Options Optimizer maximize minimize audit simulate Threat Measurement Posterior "
    "JointPosterior SquaredExponential Matern Linear Certificate Breakdown certificate breakdown UnswayedError"
)
PARAMETERS = {
    "unswayed.core.design:rare_switching_design": "K lam eta length",
    "unswayed.core.design:g_optimal_design": "X slack",
    "unswayed.core.posterior:Posterior.fit": "K_SS means counts lam",
    "unswayed.core.posterior:Posterior.predict": "K_xS k_xx",
    "unswayed.problems.robot_pushing:push": "r_x r_y duration",
    "unswayed.problems.robot_pushing:reward": "r_x r_y duration",
    "unswayed:SquaredExponential": "lengthscale",
    "unswayed:Matern": "nu lengthscale",
    "unswayed:Threat": "total lies liars low high",
    "unswayed:audit": "x y kernel noise_std output_scale level sources low high",
    "unswayed:maximize": (
        "objective space plays threat kernel noise_std output_scale level norm_bound method seed progress"
    ),
    "unswayed:Optimizer": "space threat journal",
}
VERBS = "ask tell fail correct retract restore add change answer run"
OPTIONS = {
    "simulate": (
        "problem policy attack budget attack-budget horizon trials seed draw attack-start json curves lies sources "
        "liars low high beta b lam eta psi delta norm alpha error width"
    ),
    "audit": (
        "objective parameters option source noise-column successes trials low high budget minimize kernel lengthscale "
        "noise scale level norm json"
    ),
    "reproduce": "quick jobs out",
}
SIMULATED = "problem draw policy attack attack_start budget attack_budget horizon seed trials"
TRIAL = (
    "seed regret final_regret_rate corruption_spent active_arms best_arm_kept epochs switches recommended_arm "
    "recommended_gap"
)
AUDITED = (
    "winner winner_label rival breakdown_budget breakdown_budget_refit breakdown_lies breakdown_sources pivot sources "
    "suspects winner_without_suspects certified sentence assumptions"
)
SOURCE = "source measurements alone_overturns winner_without"


@pytest.mark.parametrize("name", PUBLIC.split())
def test_public_names(name):
    assert name in unswayed.__all__
    assert getattr(unswayed, name)


@pytest.mark.parametrize("name", PARAMETERS)
def test_functions_and_their_parameters(name):
    module, path = name.split(":")
    found = import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    assert set(PARAMETERS[name].split()) <= set(inspect.signature(found).parameters)


def test_verbs_of_a_study():
    for verb in VERBS.split():
        assert callable(getattr(unswayed.Optimizer, verb))


def test_policies_and_attacks():
    policies = "rgp-pe gp-ucb rgp-ucb linear-pe influence-ucb influence-pe vigilant-ucb trimmed-pe"
    attacks = "none clipping aggsub top-3 top-5 flip strongest spikes-hide spikes-promote liar"
    assert set(policies.split()) <= set(POLICIES)
    assert set(attacks.split()) <= set(ATTACKS)


@pytest.mark.parametrize("command", OPTIONS)
def test_options_of_the_command_line(command):
    group = get_command(app)
    found = group.resolve_command(group.make_context("unswayed", [command, "rest"]), [command])[1]
    options = {option.removeprefix("--") for parameter in found.params for option in parameter.opts}
    assert set(OPTIONS[command].split()) <= options


def recorded(capsys, *arguments):
    """What a command prints with --json."""
    with pytest.raises(SystemExit) as stop:
        main([*map(str, arguments), "--json"])
    assert stop.value.code == 0
    return json.loads(capsys.readouterr().out)


def test_the_record_of_a_simulation(capsys):
    record = recorded(capsys, "simulate", "--horizon", 20, "--trials", 1)
    assert set(SIMULATED.split()) <= set(record)
    assert set(TRIAL.split()) <= set(record["trials"][0])


def test_the_record_of_an_audit(capsys, tmp_path):
    rng, rows = np.random.default_rng(0), ["x,y,who"]
    rows += [f"{x},{-((x - 2) ** 2) + rng.normal(0, 0.1):.4f},{'ab'[i % 2]}" for i, x in enumerate([*range(5)] * 4)]
    (tmp_path / "measured.csv").write_text("\n".join(rows))
    record = recorded(capsys, "audit", tmp_path / "measured.csv", "--objective", "y", "--source", "who")
    assert set(AUDITED.split()) <= set(record)
    assert set(SOURCE.split()) <= set(record["sources"][0])
    assert record["verdict"] in ("yes", "too early", "no: tampered", "no: within the threat")
    assert all(record[question]["sentence"] for question in ("luck", "evidence", "robustness"))
    assert isinstance(record["winner_label"], str)


def test_answers():
    study = unswayed.Optimizer(unswayed.Options(["a", "b"]), seed=0)
    for value in (0.0, 1.0, 0.1, 0.9):
        study.tell(study.ask()[0], value)
    answer = study.answer()
    fields = "point estimate guaranteed challenger measure_again certificate breakdown set_aside"
    assert all(hasattr(answer, name) for name in fields.split())
    assert hasattr(answer.breakdown, "budget")
    assert "largest_gap" in unswayed.Certificate.__dataclass_fields__
