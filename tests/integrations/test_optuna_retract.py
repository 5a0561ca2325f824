"""Trials that are left out, and trials whose user attributes make no sense."""

import subprocess
import sys

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.trial import TrialState, create_trial

from unswayed import Optimizer, Real, Status
from unswayed.errors import InvalidInput
from unswayed.integrations.optuna import (
    UnswayedSampler,
    audit_study,
    recommend,
    restore,
    retract,
    retracted,
    study_table,
)
from unswayed.spaces import Box

optuna.logging.set_verbosity(optuna.logging.WARNING)

X = FloatDistribution(0, 1)


def objective(trial):
    x = trial.suggest_float("x", 0, 1)
    return -((x - 0.4) ** 2) + np.random.default_rng(trial.number).normal(0, 0.01)


def study_of(n, **settings):
    study = optuna.create_study(direction="maximize", sampler=UnswayedSampler({"x": X}, seed=2, **settings))
    study.optimize(objective, n_trials=n)
    return study


def new_trial(study):
    number = study.ask().number
    return study.trials[number]


def test_what_is_retracted_counts_nowhere():
    study = study_of(25)
    study.add_trial(create_trial(params={"x": 0.95}, distributions={"x": X}, value=1.0))  # a forged winner
    retract(study, 25, "reported\nby  mistake")
    answer = study.sampler.recommend(study)
    assert abs(answer.point["x"] - 0.4) < 0.1
    assert answer.measured == 25
    play = answer.plays[25]
    assert (play.status, play.value, play.reason) == (Status.RETRACTED, 1.0, "reported by mistake")
    assert recommend(study, seed=2).point == answer.point
    assert 25 not in study_table(study).numbers
    assert len(study_table(study).numbers) == 25
    assert audit_study(study).to_dict()["winner"] != 25
    restore(study, 25)
    assert recommend(study, threat=0.0, seed=2).plays[25].status is Status.TOLD
    assert 25 in study_table(study).numbers


def test_the_search_goes_on_as_that_of_a_study_does():
    """`Optimizer.retract` is the same thing for a journal: both then ask for nearly the same points.

    A journal knows in which order plays were told and retracted, so its study fits once; Optuna's fits
    play by play.
    """
    study, journal = study_of(0), Optimizer(Box({"x": Real(0, 1)}), seed=2)
    resident = study.sampler
    for number in range(24):
        if number == 14:
            journal.retract(3, "broken")
            retract(study, 3, "broken")
        if number == 18:
            journal.restore(3)
            restore(study, 3)
        (play,) = journal.ask()
        study.optimize(objective, n_trials=1)
        exact = number < 14
        assert study.trials[-1].params["x"] == pytest.approx(play.point["x"], abs=0 if exact else 1e-3)
        journal.tell(play, study.trials[-1].value)
    assert study.sampler is resident


def test_every_worker_sees_it(tmp_path):
    storage = f"sqlite:///{tmp_path}/study.db"
    sampler = UnswayedSampler({"x": X}, seed=2)
    study = optuna.create_study(storage=storage, study_name="shared", direction="maximize", sampler=sampler)
    study.optimize(objective, n_trials=15)
    code = (
        "import sys, optuna; from unswayed.integrations.optuna import retract;"
        "retract(optuna.load_study(study_name='shared', storage=sys.argv[1]), 4, 'broken')"
    )
    subprocess.run([sys.executable, "-c", code, storage], check=True)
    assert retracted(study) == {4: "broken"}
    trial, fresh = new_trial(study), UnswayedSampler({"x": X}, seed=2)
    assert sampler.sample_relative(study, trial, {"x": X}) == fresh.sample_relative(study, trial, {"x": X})
    assert 4 not in [trial.number for trial in sampler._searches["shared"].trials]


def test_a_retracted_trial_does_not_narrow_the_space():
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(0))
    study.optimize(objective, n_trials=8)
    other = {"x": FloatDistribution(0, 2), "z": CategoricalDistribution(["a", "b"])}
    study.add_trial(create_trial(params={"x": 0.5, "z": "a"}, distributions=other, value=0.0))
    with pytest.raises(InvalidInput, match="only some trials have"):
        recommend(study)
    sampler = UnswayedSampler(seed=0)
    assert sampler.infer_relative_search_space(study, new_trial(study)) == {}
    retract(study, 8, "another experiment")
    assert set(recommend(study).point) == {"x"}
    assert sampler.infer_relative_search_space(study, new_trial(study)) == {"x": X}


def test_twice_is_harmless():
    study = study_of(6)
    retract(study, 2, "first reason")
    retract(study, 2, "second reason")
    assert retracted(study) == {2: "first reason"}
    restore(study, 2)
    restore(study, 2)
    assert retracted(study) == {}
    retract(study, 2, "third reason")
    assert retracted(study) == {2: "third reason"}


def test_errors_are_one_line():
    study = study_of(6)
    study.ask()
    study.add_trial(create_trial(state=TrialState.FAIL, params={"x": 0.1}, distributions={"x": X}))
    two = optuna.create_study(directions=["minimize", "minimize"])
    cases = [
        (lambda: retract(study, 99, "why"), "no trial 99: it has 8, counted from 0"),
        (lambda: retract(study, -1, "why"), "at least 0"),
        (lambda: retract(study, 1.5, "why"), "whole number"),
        (lambda: retract(study, 6, "why"), r"trial 6 is not complete \(running\)"),
        (lambda: retract(study, 7, "why"), r"trial 7 is not complete \(fail\)"),
        (lambda: retract(study, 1, " \n"), "why trial 1 is retracted"),
        (lambda: retract(study, 1, None), "why trial 1 is retracted"),
        (lambda: restore(study, 1), "never retracted"),
        (lambda: restore(study, 99), "no trial 99"),
        (lambda: retract(two, 0, "why"), "one objective"),
    ]
    for call, words in cases:
        with pytest.raises(InvalidInput, match=words) as raised:
            call()
        assert "\n" not in str(raised.value)
    assert retracted(study) == {}


def test_all_retracted_leaves_nothing_to_recommend():
    study = study_of(2)
    retract(study, 0, "broken")
    retract(study, 1, "broken")
    with pytest.raises(InvalidInput, match="nothing to recommend"):
        recommend(study)
    with pytest.raises(InvalidInput, match="nothing to audit"):
        audit_study(study)
    assert 0 <= study.sampler.sample_relative(study, new_trial(study), {"x": X})["x"] <= 1


# -- what a trial says about its value ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"noise_std": -1}, "the standard error"),
        ({"noise_std": "wide"}, "must be a number"),
        ({"source": ["lab-2"]}, "a source must be a name"),
        ({"source": ""}, "a source must be a name"),
        ({"trials": 10}, "a rate between 0 and 1"),
        ({"trials": 2.5}, "whole number"),
        ({"trials": 10, "noise_std": 0.1}, "not both"),
    ],
)
def test_attributes_that_make_no_sense_stop_answers_but_no_worker(attributes, words):
    study = study_of(8)
    study.add_trial(create_trial(params={"x": 0.9}, distributions={"x": X}, value=5.0, user_attrs=attributes))
    with pytest.warns(UserWarning, match=f"trial 8 has a user attribute that makes no sense.*{words}"):
        study.optimize(objective, n_trials=2)
    for call in (recommend, audit_study):
        with pytest.raises(InvalidInput, match=rf"{words}.*retract\(study, 8, reason\)") as raised:
            call(study)
        assert "\n" not in str(raised.value)
    retract(study, 8, "the worker was set up wrongly")
    assert recommend(study).measured == 10


@pytest.mark.parametrize("attribute", ["source", "noise_std"])
def test_the_sampler_and_the_answer_use_what_a_trial_says(attribute):
    """Of two otherwise equal studies, one says which values are bad."""

    def lying(trial, said):
        bad = trial.number % 4 == 1
        if said:
            trial.set_user_attr(
                attribute, {"source": f"w{trial.number % 4}", "noise_std": 1.0 if bad else 0.01}[attribute]
            )
        x = trial.suggest_float("x", 0, 1)
        rng = np.random.default_rng(trial.number)
        return rng.normal(3 * x - 2, 1.0) if bad else rng.normal(-((x - 0.3) ** 2), 0.01)

    studies = []
    for said in (False, True):
        study = optuna.create_study(direction="maximize", sampler=UnswayedSampler({"x": X}, seed=1))
        study.optimize(lambda trial, said=said: lying(trial, said), n_trials=32)
        studies.append(study)
    plain, told = studies
    assert [t.params for t in plain.trials] != [t.params for t in told.trials]
    assert abs(told.sampler.recommend(told).point["x"] - 0.3) < 0.15


def test_a_rate_says_how_many_trials_it_is_the_mean_of():
    def rate(trial, n):
        x = trial.suggest_float("x", 0, 1)
        trial.set_user_attr("trials", n)
        return float(np.random.default_rng(trial.number).binomial(n, 0.2 + 0.5 * x)) / n

    few, many = (optuna.create_study(direction="maximize", sampler=UnswayedSampler({"x": X}, seed=1)) for _ in range(2))
    few.optimize(lambda trial: rate(trial, 20), n_trials=15)
    many.optimize(lambda trial: rate(trial, 20_000), n_trials=15)
    assert {play.trials for play in recommend(few).plays} == {20}
    noise = [study_table(study).noise_stds.mean() for study in (few, many)]
    assert noise[0] == pytest.approx(np.sqrt(1000) * noise[1], rel=0.3)
