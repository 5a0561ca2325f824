"""The sampler in Optuna's own suite and between processes; recommendations and audits of studies with a lie in them."""

import json
import os
import subprocess
import sys
from copy import deepcopy
from zlib import crc32

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.search_space import intersection_search_space
from optuna.testing.pytest_samplers import BasicSamplerTestCase, RelativeSamplerTestCase, SingleOnlySamplerTestCase
from optuna.trial import TrialState, create_trial

from unswayed import Answer, Box, Optimizer, Real, Why, audit
from unswayed.errors import UnswayedError
from unswayed.integrations import optuna_trials as trials
from unswayed.integrations.optuna import UnswayedSampler, audit_study, recommend, study_table
from unswayed.integrations.optuna_common import Common

optuna.logging.set_verbosity(optuna.logging.WARNING)

SPACE = {"x": FloatDistribution(-2, 2), "y": FloatDistribution(1e-3, 1e1, log=True)}
BOX = Box({"x": Real(-2, 2), "y": Real(1e-3, 1e1, log=True)})


def value(x, y):
    """Best at x = 0.5, y = 0.1, where it is 0."""
    return -((x - 0.5) ** 2) - 0.3 * np.log10(y / 0.1) ** 2


def objective(trial):
    noise = np.random.default_rng(trial.number).normal(0, 0.02)
    return value(trial.suggest_float("x", -2, 2), trial.suggest_float("y", 1e-3, 1e1, log=True)) + noise


def hijacked(trial):
    """The tenth value is a lie, and it is told about a bad point."""
    honest = objective(trial)
    return 1e6 if trial.number == 10 else honest


def given_by(sampler, study, number):
    """What a sampler gives to trial `number` of a study."""
    trial = study.trials[number]
    return sampler.sample_relative(study, trial, sampler.infer_relative_search_space(study, trial))


def open_trial(study):
    return study._storage.create_new_trial(study._study_id)


def close_to_best(params, distance=0.35):
    return abs(params["x"] - 0.5) < distance and abs(np.log10(params["y"] / 0.1)) < 2 * distance


class TestSuite(BasicSamplerTestCase, RelativeSamplerTestCase, SingleOnlySamplerTestCase):
    @pytest.fixture
    def sampler(self):
        return lambda: UnswayedSampler(threat=1.0)


# -- a function of the storage ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sequential():
    study = optuna.create_study(
        study_name="sequential", direction="maximize", sampler=UnswayedSampler(SPACE, threat=1.0)
    )
    study.optimize(objective, n_trials=40)
    return study


def test_what_is_kept_in_memory_changes_nothing(sequential):
    for number in (0, 1, 17, 30, 39):
        fresh = UnswayedSampler(SPACE, threat=1.0)
        assert given_by(fresh, sequential, number) == sequential.trials[number].params


def test_going_back_and_on_again_changes_nothing(sequential):
    sampler = UnswayedSampler(SPACE, threat=1.0)
    for number in (39, 25, 26, 38):
        assert given_by(sampler, sequential, number) == sequential.trials[number].params


def test_copies_and_new_seeds_of_workers_change_nothing(sequential):
    sampler = deepcopy(sequential.sampler)
    sampler.reseed_rng()
    assert given_by(sampler, sequential, 39) == sequential.trials[39].params


def test_it_learns(sequential):
    late = [trial for trial in sequential.trials if trial.number >= 25]
    assert sum(close_to_best(trial.params, 0.5) for trial in late) > len(late) / 2


def test_the_seed_comes_from_the_name_of_the_study(sequential):
    def first(name, seed=None):
        study = optuna.create_study(study_name=name)
        open_trial(study)
        return given_by(UnswayedSampler(SPACE, threat=1.0, seed=seed), study, 0)

    assert first("sequential") == sequential.trials[0].params
    assert first("another") != first("sequential")
    assert first("another", seed=3) == first("sequential", seed=3)


def test_parameters_outside_of_the_space_depend_on_seed_number_and_name_only():
    study = optuna.create_study(study_name="independent")
    for _ in range(3):
        open_trial(study)
    one, other = (UnswayedSampler(SPACE, threat=1.0) for _ in range(2))
    drawn = [one.sample_independent(study, t, "z", FloatDistribution(0, 1)) for t in study.trials]
    again = [other.sample_independent(study, t, "z", FloatDistribution(0, 1)) for t in reversed(study.trials)]
    assert drawn == again[::-1]
    assert len({*drawn, one.sample_independent(study, study.trials[0], "w", FloatDistribution(0, 1))}) == 4


def test_minimising_is_maximising_the_negative(sequential):
    study = optuna.create_study(
        study_name="sequential", direction="minimize", sampler=UnswayedSampler(SPACE, threat=1.0)
    )
    study.optimize(lambda trial: -objective(trial), n_trials=30)
    assert [t.params for t in study.trials] == [t.params for t in sequential.trials[:30]]
    assert study.sampler.recommend(study).estimate < 0.1


# -- many at once -------------------------------------------------------------------------------------------------


def prefix(study, number):
    """A study with the first trials of another."""
    copied = optuna.create_study(study_name=study.study_name, direction="maximize")
    copied.add_trials(study.trials[:number])
    return copied


def test_it_asks_what_unswayed_asks(sequential):
    """Also for trials that begin at the same moment, whether their parameters are stored already or not."""
    optimizer, study = Optimizer(BOX, threat=1.0, seed=crc32(b"sequential")), prefix(sequential, 23)
    for trial in study.trials:
        play = optimizer.ask()[0]
        assert play.point == trial.params
        optimizer.tell(play, trial.value)
    for _ in range(4):
        open_trial(study)
    expected = [play.point for play in optimizer.ask(4)]
    assert len({tuple(point.values()) for point in expected}) > 2
    sampler = UnswayedSampler(SPACE, threat=1.0)
    assert [given_by(sampler, study, number) for number in (26, 24, 23, 25)] == [expected[i] for i in (3, 1, 0, 2)]
    for name, distribution in SPACE.items():
        internal = distribution.to_internal_repr(expected[0][name])
        study._storage.set_trial_param(study.trials[23]._trial_id, name, internal, distribution)
    assert given_by(UnswayedSampler(SPACE, threat=1.0), study, 26) == expected[3]


def test_failed_and_pruned_trials_are_failures_of_unswayed_too(sequential):
    optimizer, study = Optimizer(BOX, threat=1.0, seed=crc32(b"sequential")), prefix(sequential, 23)
    for trial in study.trials:
        optimizer.tell(optimizer.ask()[0], trial.value)
    sampler, points = UnswayedSampler(SPACE, threat=1.0), []
    for state in (TrialState.FAIL, TrialState.PRUNED, TrialState.RUNNING):
        open_trial(study)
        play = optimizer.ask()[0]
        points.append(given_by(sampler, study, play.number))
        assert points[-1] == play.point
        optimizer.fail(play, "no value")
        for name, distribution in SPACE.items():
            study._storage.set_trial_param(
                study.trials[-1]._trial_id, name, distribution.to_internal_repr(play.point[name]), distribution
            )
        if state != TrialState.RUNNING:
            study.tell(play.number, state=state)
    assert points[2] != points[0]


def test_with_parallel_trials_the_last_answers_are_not_used_yet(sequential):
    study, other = prefix(sequential, 30), prefix(sequential, 28)
    for trial in sequential.trials[28:30]:
        other.add_trial(create_trial(params=trial.params, distributions=trial.distributions, value=-5.0))
    open_trial(study)
    open_trial(other)
    patient, eager = (UnswayedSampler(SPACE, threat=1.0, parallel=p) for p in (3, 1))
    assert given_by(patient, study, 30) == given_by(deepcopy(patient), other, 30)
    assert given_by(eager, study, 30) != given_by(deepcopy(eager), other, 30)


def test_a_trial_that_died_is_not_waited_for(sequential):
    study = optuna.create_study(study_name="dead", direction="maximize")
    for _ in range(3):
        open_trial(study)
    known = sequential.trials[3:]
    study.add_trials(known[:16])
    open_trial(study)  # 16 later ones: still waited for
    waiting = UnswayedSampler(SPACE, threat=1.0)
    given_by(waiting, study, len(study.trials) - 1)
    assert not waiting._searches["dead"].trials
    study.tell(study.trials[-1].number, -1.0)
    study.add_trials(known[16:])
    open_trial(study)
    given_by(waiting, study, len(study.trials) - 1)
    assert len(waiting._searches["dead"].trials) == len(known)
    fresh = UnswayedSampler(SPACE, threat=1.0)
    assert given_by(fresh, study, len(study.trials) - 1) == given_by(waiting, study, len(study.trials) - 1)


def test_a_trial_thought_dead_that_answers_is_taken_in(sequential):
    study = optuna.create_study(study_name="late", direction="maximize")
    open_trial(study)
    study.add_trials(sequential.trials[1:])
    open_trial(study)
    sampler, last = UnswayedSampler(SPACE, threat=1.0), len(study.trials) - 1
    given_by(sampler, study, last)
    for name, distribution in SPACE.items():
        study._storage.set_trial_param(study.trials[0]._trial_id, name, 0.5, distribution)
    study.tell(0, value(0.5, 0.5))
    assert given_by(sampler, study, last) == given_by(UnswayedSampler(SPACE, threat=1.0), study, last)
    assert sampler._searches["late"].trials[0].number == 0


def test_failed_and_pruned_trials_and_infinite_values_are_no_answers():
    def objective_with_holes(trial):
        x, y = trial.suggest_float("x", -2, 2), trial.suggest_float("y", 1e-3, 1e1, log=True)
        trial.report(1e6, 0)
        if trial.number % 5 == 1:
            raise optuna.TrialPruned
        if trial.number % 5 == 2:
            raise RuntimeError("a crash")
        return float("inf") if trial.number % 5 == 3 else value(x, y)

    study = optuna.create_study(direction="maximize", sampler=UnswayedSampler(SPACE, threat=1.0, seed=1))
    study.optimize(objective_with_holes, n_trials=60, catch=(RuntimeError,))
    answer = study.sampler.recommend(study)
    assert answer.measured == 24
    assert close_to_best(answer.point, 0.5)
    words = "Without a value: 12 pruned trials, 12 failed trials and 12 unusable trials."
    assert words in answer.explain()


def test_a_trial_says_what_it_was_chosen_for(sequential):
    def chosen(trials):
        return [Why.read(trial.system_attrs["unswayed:why"]) for trial in trials]

    whys = chosen(sequential.trials)
    assert {Why.START, Why.EXPLORE, Why.EXPLOIT} <= set(whys)
    assert [play.why for play in sequential.sampler.recommend(sequential).plays] == whys
    alike = Optimizer(BOX, threat=1.0, seed=crc32(b"sequential"))
    for trial in sequential.trials:
        (play,) = alike.ask()
        assert (play.why, play.point) == (whys[trial.number], trial.params)
        alike.tell(play, trial.value)


def test_a_trial_that_somebody_else_chose_says_nothing():
    study = optuna.create_study(sampler=UnswayedSampler(SPACE, threat=1.0, seed=0))
    study.enqueue_trial({"x": 0.25})
    study.enqueue_trial({"z": 0.25})  # not a parameter of the search
    study.optimize(objective, n_trials=2)
    assert [trial.system_attrs.get("unswayed:why") for trial in study.trials] == [None, "start"]
    by_others = optuna.create_study(sampler=optuna.samplers.RandomSampler(0))
    by_others.optimize(objective, n_trials=8)
    assert {play.why for play in recommend(by_others, threat=1.0).plays} == {None}


def test_enqueued_and_partly_fixed_trials_are_served():
    study = optuna.create_study(direction="maximize", sampler=UnswayedSampler(SPACE, threat=1.0, seed=1))
    study.enqueue_trial({"x": 0.25, "y": 0.5})
    study.enqueue_trial({"x": 0.75})
    study.optimize(objective, n_trials=4)
    assert study.trials[0].params == {"x": 0.25, "y": 0.5}
    assert study.trials[1].params["x"] == 0.75
    assert study.trials[2].state == TrialState.COMPLETE


def test_threads_on_one_database(tmp_path):
    study = optuna.create_study(
        storage=f"sqlite:///{tmp_path}/study.db",
        direction="maximize",
        sampler=UnswayedSampler(threat=1.0, parallel=3, seed=2),
    )
    study.optimize(objective, n_trials=30, n_jobs=3)
    assert all(trial.state == TrialState.COMPLETE for trial in study.trials)
    assert len({tuple(trial.params.values()) for trial in study.trials}) >= 20  # some repeats are meant to be
    open_trial(study)
    assert given_by(study.sampler, study, 30) == given_by(UnswayedSampler(threat=1.0, parallel=3, seed=2), study, 30)


WORKER = """
import sys, optuna
from unswayed.integrations import optuna_trials as trials
from unswayed.integrations.optuna import UnswayedSampler
optuna.logging.set_verbosity(optuna.logging.WARNING)
sampler = UnswayedSampler(threat=1.0)
study = optuna.load_study(study_name="shared", storage=sys.argv[1], sampler=sampler)
def objective(trial):
    x, y = trial.suggest_float("x", -2, 2), trial.suggest_categorical("y", ["a", None, "b"])
    return -x * x + (y is None)
study.optimize(objective, n_trials=int(sys.argv[2]))
if len(sys.argv) > 3:
    trial = study.trials[int(sys.argv[3])]
    print(repr(sampler.sample_relative(study, trial, sampler.infer_relative_search_space(study, trial))))
"""


def test_processes_on_one_database_agree(tmp_path):
    storage = f"sqlite:///{tmp_path}/study.db"
    study = optuna.create_study(study_name="shared", storage=storage, direction="maximize")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def start(*arguments):
        command = [sys.executable, "-c", WORKER, storage, *map(str, arguments)]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)

    def printed(worker):
        out, _ = worker.communicate(timeout=120)
        assert worker.returncode == 0
        return out.strip()

    for worker in [start(14), start(14)]:
        printed(worker)
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 28
    open_trial(study)
    open_trial(study)
    expected = given_by(UnswayedSampler(threat=1.0), study, 29)
    assert printed(start(0, 29)) == repr(expected)


# -- what to believe ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [optuna.samplers.TPESampler, optuna.samplers.RandomSampler])
def test_one_lie_does_not_move_the_recommendation_for_any_sampler(make):
    study = optuna.create_study(direction="maximize", sampler=make(seed=5))
    study.optimize(hijacked, n_trials=60)
    assert study.best_trial.number == 10
    assert not close_to_best(study.best_params)
    answer = recommend(study, threat=1e6)
    assert answer.set_aside == (10,)
    assert close_to_best(answer.point)
    assert all(d._contains(d.to_internal_repr(answer.point[name])) for name, d in SPACE.items())
    assert "x = " in str(answer)
    assert "60 measurements; set aside trial 10: the others do not explain it" in " ".join(str(answer).split())


def test_one_lie_moves_neither_the_sampler_nor_its_recommendation():
    study = optuna.create_study(direction="maximize", sampler=UnswayedSampler(threat=1e6, seed=5))
    study.optimize(hijacked, n_trials=50)
    assert study.best_trial.number == 10
    answer = study.sampler.recommend(study)
    assert close_to_best(answer.point)
    assert answer.set_aside == (10,)


def test_a_recommendation_speaks_the_language_of_the_study():
    def mixed(trial):
        kind = trial.suggest_categorical("kind", [None, "a", "b"])
        n = trial.suggest_int("n", 2, 20, step=3)
        step = trial.suggest_float("step", 0, 1, step=0.25)
        trial.suggest_int("one", 3, 3)
        if kind == "b":
            trial.suggest_float("only for b", 0, 1)
        return (kind is not None) + abs(n - 8) / 10 + step + np.random.default_rng(trial.number).normal(0, 0.05)

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
    study.optimize(mixed, n_trials=40)
    answer = recommend(study, threat=0.5)
    assert isinstance(answer, Answer)
    assert answer.point == {"kind": None, "n": 8, "one": 3, "step": 0.0}
    assert [(play.number, play.value) for play in answer.plays] == [
        (trial.number, trial.value) for trial in study.trials
    ]
    for place in (answer.breakdown.rival, answer.breakdown.pivot):
        assert set(place) == {"kind", "n", "one", "step"}
    assert answer.worse == "above"
    answer.plot().draw_without_rendering()
    json.dumps(answer.to_dict(), allow_nan=False)


@pytest.mark.parametrize("trials", [1, 2, 5])
def test_a_recommendation_needs_but_one_value(trials):
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(objective, n_trials=trials)
    assert set(recommend(study, threat=0.0).point) == {"x", "y"}


def test_the_audit_of_a_study_is_the_audit_of_its_table():
    def minimised(trial):
        kind = trial.suggest_categorical("kind", ["a", None])
        return -hijacked(trial) + (kind is None)

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=3))
    study.optimize(minimised, n_trials=40)
    found, table = audit_study(study, threat=1.0, noise_std=0.02), study_table(study)
    assert table.columns == ("kind=a", "kind=None", "x", "log10(y)")
    trial = study.trials[10]
    kind = [1.0, 0.0] if trial.params["kind"] == "a" else [0.0, 1.0]
    assert table.x[10].tolist() == [*kind, trial.params["x"], pytest.approx(np.log10(trial.params["y"]))]
    assert table.y.tolist() == [t.value for t in study.trials]
    assert table.numbers[10] == 10
    assert table.minimize
    same = audit(table.x, table.y, names=table.columns, minimize=True, threat=1.0, noise_std=0.02)
    np.testing.assert_array_equal(found.estimate, same.estimate)
    assert (found.breakdown, found.verdict) == (same.breakdown, same.verdict)
    assert found.labels[10] == ", ".join(
        f"{n} = {v:.6g}" if n != "kind" else f"kind = {v}" for n, v in trial.params.items()
    )
    assert found.place(10) == "trial 10"
    assert found.estimate[found.winner] == min(found.estimate)


def test_an_audit_keeps_conditional_parameters_and_names_the_trials_that_it_leaves_out():
    def objective(trial):
        if trial.number % 10 == 7:
            raise optuna.TrialPruned
        kind = trial.suggest_categorical("kind", ["svm", "tree"])
        if kind == "svm":
            return -abs(np.log10(trial.suggest_float("C", 0.01, 100, log=True)))
        return -3.0 + 0.1 * trial.suggest_int("depth", 1, 5)

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=40)
    table, found = study_table(study), audit_study(study)
    assert table.columns == ("arc(C)", "has(C)", "arc(depth)", "has(depth)", "kind=svm", "kind=tree")
    svm = table.x[:, 4] == 1
    assert (table.x[~svm, :2] == [0.5, 0.0]).all()
    np.testing.assert_allclose(np.square(table.x[svm, :2] - [0.5, 0.0]).sum(axis=1), 0.5)
    assert found.notes == ("Trials left out: 4 pruned.",)
    assert found.notes[0] in str(found)
    assert found.labels[found.winner].startswith("kind = svm, C = ")
    assert found.verdict != "no: tampered"


def test_the_audit_of_an_honest_study_finds_its_lie():
    def honest(trial):
        measured = value(trial.suggest_int("x", -2, 2), trial.suggest_categorical("y", [0.01, 0.1, 1.0]))
        return measured + np.random.default_rng(trial.number).normal(0, 0.02) + 3.0 * (trial.number == 20)

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=3))
    study.optimize(honest, n_trials=60)
    found = audit_study(study)
    assert 20 in [study_table(study).numbers[suspect.row] for suspect in found.suspects]


# -- wrong use ----------------------------------------------------------------------------------------------------


def test_errors_are_one_line():
    two = optuna.create_study(directions=["minimize", "minimize"])
    empty = optuna.create_study()
    fixed = optuna.create_study()
    fixed.add_trial(create_trial(value=1.0))
    cases = [
        (lambda: recommend(two, threat=1.0), "one objective"),
        (lambda: audit_study(two), "one objective"),
        (lambda: recommend(empty, threat=1.0), "nothing to recommend"),
        (lambda: audit_study(empty), "no complete trial"),
        (lambda: recommend(fixed, threat=1.0), "in common"),
        (lambda: audit_study(fixed), "no parameter that varies"),
        (lambda: UnswayedSampler(threat=-1.0), "threat"),
        (lambda: UnswayedSampler(threat=1.0, parallel=0), "parallel"),
        (lambda: UnswayedSampler(threat=1.0, seed=-1), "seed"),
        (lambda: UnswayedSampler(threat=1.0, delta=2.0), "delta"),
        (lambda: UnswayedSampler({"n": IntDistribution(0, 2**60)}, threat=1.0), "'n' cannot be searched"),
    ]
    for call, words in cases:
        with pytest.raises(UnswayedError, match=words) as raised:
            call()
        assert "\n" not in str(raised.value)


def test_one_choice_for_all_is_no_search():
    study = optuna.create_study(sampler=UnswayedSampler({"k": CategoricalDistribution(["a"])}, threat=1.0))
    study.optimize(lambda trial: len(trial.suggest_categorical("k", ["a"])), n_trials=2)
    open_trial(study)
    assert given_by(study.sampler, study, 2) == {"k": "a"}


def test_sources_and_standard_errors_are_user_attributes():
    rng = np.random.default_rng(0)

    def measured(trial):
        x, worker = trial.suggest_float("x", 0, 1), f"w{trial.number % 5}"
        trial.set_user_attr("source", worker)
        trial.set_user_attr("noise_std", 0.01)
        return rng.uniform(0, 1) if worker == "w2" else 1 - (x - 0.4) ** 2 + 0.01 * rng.standard_normal()

    study = optuna.create_study(direction="maximize", sampler=UnswayedSampler(seed=0))
    study.optimize(measured, n_trials=50)
    answer = study.sampler.recommend(study)
    assert [source.name for source in answer.sources if source.set_aside] == ["w2"]
    assert abs(answer.point["x"] - 0.4) < 0.1
    assert answer.plays[7].source == "w2"
    table = study_table(study)
    assert table.sources[:3] == ("w0", "w1", "w2")
    assert (table.noise_stds == 0.01).all()
    found = audit_study(study)
    assert [source.name for source in found.sources if source.suspicious] == ["w2"]
    assert "noise" not in found.assumptions.estimated


def test_an_attribute_that_makes_no_sense_is_named():
    study = optuna.create_study()
    study.add_trial(create_trial(params={"x": 0.5}, distributions={"x": SPACE["x"]}, value=1.0))
    wrong = create_trial(params={"x": 0.2}, distributions={"x": SPACE["x"]}, value=1.0, user_attrs={"noise_std": -1})
    study.add_trial(wrong)
    with pytest.raises(UnswayedError, match="trial 1 has a user attribute that makes no sense: the standard error"):
        recommend(study)


def foreign(number):
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(0), study_name="foreign")
    study.optimize(objective, n_trials=number)
    return study


def test_each_finished_trial_is_read_once(monkeypatch):
    study, read = foreign(30), []
    monkeypatch.setattr(trials, "measured", lambda trial, of=trials.measured: read.append(trial.number) or of(trial))
    study.sampler = UnswayedSampler(threat=1.0, seed=0)
    study.optimize(objective, n_trials=4)
    assert read == list(range(33))


def test_another_study_of_the_same_name_is_read_again():
    """What is remembered belongs to the trials, not to the name."""
    one, other = foreign(20), optuna.create_study(study_name="foreign")
    for trial in one.trials:
        space = {**trial.distributions, "x": FloatDistribution(-3, 3)}
        other.add_trial(create_trial(params=trial.params, distributions=space, value=-trial.value))
    sampler = UnswayedSampler(threat=1.0, seed=0)
    for study in (one, other, one):
        open_trial(study)
        number = len(study.trials) - 1
        assert given_by(sampler, study, number) == given_by(UnswayedSampler(threat=1.0, seed=0), study, number)


def test_what_trials_have_in_common_is_what_optuna_finds():
    study, rng = foreign(3), np.random.default_rng(0)
    states = [TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL]
    common = Common()
    for number in range(40):
        if number == 20:
            open_trial(study)
        space = SPACE if rng.random() < 0.9 else {"x": SPACE["x"]}
        state = states[int(rng.integers(3))]
        params = dict.fromkeys(space, 1.0)
        value = 1.0 if state == TrialState.COMPLETE else None
        study.add_trial(create_trial(params=params, distributions=space, value=value, state=state))
        before = study.get_trials(deepcopy=False)
        before = before if number % 7 else before[: len(before) // 2]  # another worker asks for an earlier one
        assert common.of(before).in_all == intersection_search_space(before)
