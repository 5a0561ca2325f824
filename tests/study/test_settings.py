"""Settings are declared once: everything that takes them shows all of them, with a sentence each."""

import inspect
from dataclasses import MISSING, fields
from typing import get_type_hints

import pytest

import unswayed as uw
from unswayed.core.assumptions import Given, GivenArgs, ModelArgs
from unswayed.study.settings import Settings, StudyArgs

STUDY = {one.name for one in fields(Settings)}
GIVEN = {one.name for one in fields(Given)}


@pytest.mark.parametrize(
    ("keywords", "settings", "without"),
    [(StudyArgs, Settings, set()), (GivenArgs, Given, set()), (ModelArgs, Given, {"threat"})],
)
def test_the_keywords_for_static_tools_are_the_fields(keywords, settings, without):
    types = get_type_hints(settings)
    expected = {one.name: types[one.name] for one in fields(settings) if one.name not in without}
    assert get_type_hints(keywords) == expected


@pytest.mark.parametrize("settings", [Settings, Given])
def test_every_setting_has_a_sentence(settings):
    for one in fields(settings):
        assert one.metadata["doc"].endswith("."), one.name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Optimizer", STUDY),
        ("maximize", STUDY - {"minimize"}),
        ("minimize", STUDY - {"minimize"}),
        ("audit", GIVEN),
    ],
)
def test_signature_and_docstring_show_every_setting(name, shown):
    target = getattr(uw, name)
    parameters = inspect.signature(target).parameters
    for setting in shown:
        assert setting in parameters, setting
        assert f"        {setting}: " in target.__doc__, setting


@pytest.mark.parametrize("name", ["UnswayedSampler", "recommend", "audit_study"])
def test_optuna_shows_what_is_given(name):
    optuna = pytest.importorskip("unswayed.integrations.optuna", exc_type=uw.UnswayedError)
    target = getattr(optuna, name)
    for setting in GIVEN:
        assert setting in inspect.signature(target).parameters, setting
        assert f"        {setting}: " in target.__doc__, setting


def test_a_record_keeps_every_setting():
    given = {"threat": 1.0, "kernel": uw.Matern(1.5, (0.2, 0.3)), "noise_std": 0.1, "output_scale": 2.0}
    given |= {"norm_bound": 3.0, "delta": 0.1, "plays": 7, "method": "influence-pe", "minimize": True}
    given |= {"parallel": 3, "seed": 5, "note": "what is measured"}
    assert set(given) == STUDY, "give the new setting here too"
    defaults = {one.name: one.default for one in fields(Settings) if one.default is not MISSING}
    assert not any(given[name] == default for name, default in defaults.items())
    settings = Settings(**given)
    record = settings.record()
    assert set(record) == STUDY
    assert Settings.from_record(record) == settings
