"""Objectives that suggest a parameter only after some choice of another: all trials count, answers are complete."""

from collections import Counter

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import create_trial

from unswayed import InvalidInput
from unswayed.integrations.optuna import UnswayedSampler, recommend
from unswayed.integrations.optuna_common import Found
from unswayed.integrations.optuna_space import Conditions, OptunaSpace

optuna.logging.set_verbosity(optuna.logging.WARNING)

KIND, C = CategoricalDistribution(["svm", "rf"]), FloatDistribution(1e-3, 1e3, log=True)
RF = {"kind", "depth", "share"}


def models(trial):
    """The best is a forest of depth 7 with a share of 0.3."""
    noise = np.random.default_rng(trial.number).normal(0, 0.01)
    if trial.suggest_categorical("kind", ["svm", "rf"]) == "svm":
        kernel = trial.suggest_categorical("kernel", ["rbf", "poly"])
        degree = trial.suggest_int("degree", 2, 5) if kernel == "poly" else 3
        return 0.7 - 0.1 * (np.log10(trial.suggest_float("C", 1e-3, 1e3, log=True)) - 1) ** 2 - 0.05 * degree + noise
    depth = trial.suggest_int("depth", 1, 20)
    return 1 - 0.01 * (depth - 7) ** 2 - (trial.suggest_float("share", 0, 1, step=0.1) - 0.3) ** 2 + noise


def layers(trial):
    """A width for each layer; the best has three."""
    n = trial.suggest_int("layers", 1, 5)
    widths = [trial.suggest_int(f"width{i}", 4, 64, log=True) for i in range(n)]
    return -abs(n - 3) - 0.3 * np.mean([abs(np.log2(width) - 4) for width in widths])


def studied(objective, sampler, n=35):
    study = optuna.create_study(direction="maximize", sampler=sampler, study_name="conditions")
    study.optimize(objective, n_trials=n)
    return study


@pytest.mark.parametrize("sampler", [UnswayedSampler(seed=0), optuna.samplers.RandomSampler(seed=0)], ids=str)
def test_a_recommendation_has_all_parameters_of_its_choice_and_all_trials_count(sampler):
    """This was {"kind": "rf"} alone, from trials in which only kind was searched."""
    study = studied(models, sampler)
    answer = recommend(study)
    assert answer.measured == len(study.trials)
    assert answer.point.keys() == RF
    assert abs(answer.point["depth"] - 7) <= 2
    assert answer.point["share"] == round(answer.point["share"], 1)
    assert [play.point for play in answer.plays] == [
        {name: trial.params[name] for name in sorted(trial.params)} for trial in study.trials
    ]
    answer.plot()


def test_the_sampler_searches_every_family_and_agrees_with_another():
    study = studied(models, UnswayedSampler(seed=0))
    chosen = [trial for trial in study.trials if "unswayed:why" in trial.system_attrs]
    assert len(chosen) >= 30
    assert Counter(trial.params["kind"] for trial in study.trials)["svm"] >= 8
    assert study.sampler.recommend(study).point.keys() == RF
    again = studied(models, UnswayedSampler(seed=0), 12)
    assert [trial.params for trial in again.trials] == [trial.params for trial in study.trials[:12]]


def test_a_parameter_for_each_of_n_layers():
    found = recommend(studied(layers, UnswayedSampler(seed=0), 30)).point
    assert list(found) == ["layers", *(f"width{i}" for i in range(found["layers"]))]
    assert found["layers"] == 3


def test_a_search_space_with_conditions_can_be_given():
    when = {"C": {"kind": "svm"}, "kernel": {"kind": ["svm"]}, "degree": {"kernel": "poly"}}
    when |= {"depth": {"kind": "rf"}, "share": {"kind": "rf"}}
    space = {"kind": KIND, "C": C, "kernel": CategoricalDistribution(["rbf", "poly"]), "degree": IntDistribution(2, 5)}
    space |= {"depth": IntDistribution(1, 20), "share": FloatDistribution(0, 1, step=0.1)}
    study = studied(models, UnswayedSampler(space, when=when, seed=0), 20)
    assert all("unswayed:why" in trial.system_attrs for trial in study.trials)  # from the first trial on
    assert recommend(study, search_space=space, when=when, seed=0).measured == 20
    assert min(Counter(trial.params["kind"] for trial in study.trials[:10]).values()) >= 2


def test_a_condition_that_cannot_be_known_is_refused():
    study = optuna.create_study(direction="maximize")
    for x in np.linspace(0, 1, 12):
        some = {"y": 0.5} if x > 0.5 else {}  # by a number that is no choice
        unit = dict.fromkeys(["x", *some], FloatDistribution(0, 1))
        study.add_trial(create_trial(params={"x": x, **some}, distributions=unit, value=x))
    with pytest.raises(InvalidInput, match="only some trials have 'y', and no choice says which"):
        recommend(study)
    assert recommend(study, search_space={"x": FloatDistribution(0, 1)}).point.keys() == {"x"}
    study.sampler = UnswayedSampler(seed=0)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    assert study.sampler.infer_relative_search_space(study, study.trials[-1]).keys() == {"x"}


def trial_with(**params):
    known = {"kind": KIND, "C": C, "other": CategoricalDistribution(["a", "b"])}
    return create_trial(params=params, distributions={name: known[name] for name in params}, value=1.0)


def test_two_equally_good_gates_are_no_answer_until_trials_tell():
    few = [trial_with(kind="svm", other="a", C=1.0), trial_with(kind="rf", other="b")]
    assert Found().and_also(few).unclear == ["C"]
    more = [*few, trial_with(kind="rf", other="a")]
    distributions, when = Found().and_also(more).space()
    assert when == {"C": ("kind", frozenset({0}))}
    assert distributions.keys() == {"C", "kind", "other"}
    assert Found().and_also([*more, trial_with(kind="rf", other="b", C=1.0)]).unclear == ["C"]


def test_what_a_given_condition_must_name():
    with pytest.raises(InvalidInput, match="when is for a search space that is given"):
        UnswayedSampler(when={"C": {"kind": "svm"}})
    with pytest.raises(InvalidInput, match="'kind' does not have one of the values"):
        Conditions.of({"C": {"kind": "knn"}}, {"kind": KIND, "C": C})
    with pytest.raises(InvalidInput, match="when needs 'C' and 'sort' in the search space"):
        Conditions.of({"C": {"sort": "svm"}}, {"kind": KIND, "C": C})


def test_a_single_value_that_only_some_points_have():
    space = {"kind": KIND, "C": FloatDistribution(1.0, 1.0), "x": FloatDistribution(0, 1)}
    some = OptunaSpace(space, Conditions.of({"C": {"kind": "svm"}}, space))
    for kind, names in (("svm", {"kind", "C", "x"}), ("rf", {"kind", "x"})):
        numbers = some.numbers({"kind": kind, "C": 1.0, "x": 0.5})
        assert set(some.parts(numbers)) == names
        assert some.params_of_row(some.rows([numbers])[0]).keys() == names


@pytest.mark.filterwarnings("ignore:PartialFixedSampler")
def test_a_fixed_gate_leaves_what_depends_on_it_to_chance():
    """PartialFixedSampler takes kind out of the search space."""
    study = studied(models, optuna.samplers.RandomSampler(seed=0), 12)
    study.sampler = optuna.samplers.PartialFixedSampler({"kind": "rf"}, UnswayedSampler(seed=0))
    study.optimize(models, n_trials=3)
    assert [trial.params["kind"] for trial in study.trials[-3:]] == ["rf"] * 3
