"""Settings are declared once: forget one in a signature, a help text or the command line, and a test fails."""

import inspect
from dataclasses import MISSING, fields
from typing import Required, get_args, get_origin, get_type_hints

import pytest

from unswayed import Optimizer, SquaredExponential, Study, UnswayedError, audit, maximize, minimize
from unswayed.cli import run
from unswayed.cli.study import new
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.assumptions import Given, GivenArgs
from unswayed.study.settings import Settings, StudyArgs

optuna = pytest.importorskip("unswayed.integrations.optuna", exc_type=UnswayedError)
recommend, audit_study, UnswayedSampler = optuna.recommend, optuna.audit_study, optuna.UnswayedSampler

GIVEN, SETTINGS = {one.name for one in fields(Given)}, {one.name for one in fields(Settings)}

# How `unswayed run` calls a setting, where it has a name of its own.
OPTION = {"threat": "budget", "noise_std": "noise", "output_scale": "scale", "norm_bound": "norm", "parallel": "jobs"}
# Settings that `unswayed run` does not offer, each for a reason. A new setting gets an option, or a line here.
NOT_ON_THE_COMMAND_LINE = {
    "note": "the command itself is the note; `unswayed study new` has it",
    "method": "auto chooses the method by the space and the number of plays",
    "quarantined": "sources are quarantined once they have measured: unswayed study change --quarantine NAME",
}


@pytest.mark.parametrize(
    ("arguments", "dataclass", "without"),
    [(StudyArgs, Settings, set()), (GivenArgs, Given, set())],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_the_keywords_for_static_tools_are_the_fields(arguments, dataclass, without):
    declared, keywords = get_type_hints(dataclass), get_type_hints(arguments, include_extras=True)
    assert keywords.keys() == {one.name for one in fields(dataclass)} - without
    for one in fields(dataclass):
        if one.name not in without:
            keyword = keywords[one.name]
            required = get_origin(keyword) is Required
            assert required == (one.default is MISSING), one.name
            assert (get_args(keyword)[0] if required else keyword) == declared[one.name], one.name


@pytest.mark.parametrize("dataclass", [Given, Settings])
def test_every_setting_says_what_it_is(dataclass):
    for one in fields(dataclass):
        assert one.metadata["doc"].endswith("."), one.name


@pytest.mark.parametrize(
    ("shown", "names"),
    [
        (maximize, SETTINGS - {"minimize"}),
        (minimize, SETTINGS - {"minimize"}),
        (Optimizer, SETTINGS),
        (UnswayedSampler, GIVEN),
        (recommend, GIVEN),
        (audit, GIVEN),
        (audit_study, GIVEN),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_signature_and_help_show_every_setting(shown, names):
    parameters = inspect.signature(shown).parameters
    assert names <= parameters.keys()
    assert not [one.name for one in parameters.values() if one.kind is one.VAR_KEYWORD]
    text = inspect.getdoc(shown)
    assert "{settings}" not in text
    for name in parameters.keys() - {"self"}:
        assert f"\n    {name}: " in text, name
    defaults = {one.name: one.default for one in fields(Settings)}
    for name in names - {"threat", "plays", "seed"}:
        assert name == "parallel" or parameters[name].default == defaults[name], name
    assert all(parameters[name].kind is inspect.Parameter.KEYWORD_ONLY for name in names)


@pytest.mark.parametrize("call", [maximize, minimize])
def test_plays_are_required_and_a_threat_is_not(call):
    parameters = inspect.signature(call).parameters
    assert parameters["plays"].default is inspect.Parameter.empty
    assert parameters["threat"].default is None


@pytest.mark.parametrize(("command", "more"), [(run.command, {}), (new, {"parallel": "parallel"})])
def test_every_choice_of_the_user_is_an_option_of_run_and_of_a_new_study(command, more):
    options = inspect.signature(command).parameters
    for name in SETTINGS - NOT_ON_THE_COMMAND_LINE.keys():
        assert {**OPTION, **more}.get(name, name) in options, f"no option for the setting {name!r}"
    assert NOT_ON_THE_COMMAND_LINE.keys() <= SETTINGS, "an exception for a setting that does not exist"


def test_every_option_of_run_reaches_the_study(monkeypatch, tmp_path):
    """Each option is given a value of its own; the study must be told all of them."""
    told = {}

    def spy(space, runs, file, retries, settings):
        told.update(settings)

    monkeypatch.setattr(run, "_run", spy)
    values = {"plays": 7, "threat": 1.5, "parallel": 3, "noise_std": 0.25, "minimize": True}
    values |= {"seed": 11, "delta": 0.125, "norm_bound": 2.5, "output_scale": 4.5, "kernel": "se", "level": "1,2"}
    assert values.keys() == SETTINGS - NOT_ON_THE_COMMAND_LINE.keys()
    options = {OPTION.get(name, name): value for name, value in values.items()}
    space = tmp_path / "space.toml"
    space.write_text("x = {low = 0, high = 1}")
    run.command(space, ["echo", "{x}"], journal="none", lengthscale="0.25", **options)
    read = {"kernel": SquaredExponential(0.25), "level": (1.0, 2.0), "threat": Threat(1.5)}
    assert told == {**values, "note": told["note"], **read}
    assert told["note"].startswith("echo ... (")
    run.command(space, ["echo", "{x}"], 7, lies=2, liars=1, low=-1.0, high=2.0, journal="none")
    assert told["threat"] == Threat(lies=2, liars=1, low=-1, high=2)
    run.command(space, ["echo", "{x}"], 7, journal="none")
    assert told["threat"] is None


def test_every_option_of_a_new_study_reaches_it(tmp_path):
    space, path = tmp_path / "space.toml", tmp_path / "study.jsonl"
    space.write_text("x = {low = 0, high = 1}")
    options = {"plays": 7, "budget": 1.5, "parallel": 3, "noise": 0.25, "minimize": True, "seed": 11, "delta": 0.125}
    options |= {"norm": 2.5, "scale": 4.5, "kernel": "se", "lengthscale": "0.25", "level": "1,2", "note": "the oven"}
    new(str(path), space, **options)
    expected = Settings(
        plays=7, threat=1.5, parallel=3, noise_std=0.25, minimize=True, seed=11, delta=0.125, norm_bound=2.5,
        output_scale=4.5, kernel=SquaredExponential(0.25), level=(1.0, 2.0), note="the oven",
    )  # fmt: skip
    assert Study.read(path).settings.record() == expected.record()
