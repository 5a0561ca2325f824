"""What failed is not recommended, and a mistake of the user does not use up a study."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import optuna
import pytest

from unswayed import Box, Command, InvalidInput, Linear, Matern, Optimizer, Real, maximize
from unswayed.integrations.optuna import recommend

LINE = Box({"x": Real(0, 1)})


def square(point):
    """Larger to the right, where everything fails."""
    if point["x"] > 0.6:
        raise ValueError("too far")
    return point["x"] ** 2


@pytest.mark.parametrize("seed", range(3))
def test_a_point_that_failed_is_not_recommended_while_an_earlier_play_is_open(seed):
    study = Optimizer(LINE, threat=0.001, noise_std=0.001, seed=seed)
    study.ask()
    for _ in range(40):
        play = study.ask()[0]
        if play.point["x"] > 0.6:
            study.fail(play, "too far")
        else:
            study.tell(play, play.point["x"] ** 2)
    assert study.answer().point["x"] < 0.61


@pytest.mark.parametrize("seed", [5, 6, 7])
def test_the_last_failures_of_parallel_workers_count(seed):
    with ThreadPoolExecutor(16) as executor:
        result = maximize(
            square, LINE, plays=22, threat=0.001, noise_std=0.001, seed=seed, executor=executor, retries=0
        )
    assert result.point["x"] < 0.62


def test_a_recommendation_for_optuna_knows_what_failed():
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(lambda trial: square({"x": trial.suggest_float("x", 0, 1)}), n_trials=50, catch=ValueError)
    found = recommend(study, threat=0.001, noise_std=0.001)
    assert found.point["x"] < 0.62
    assert found.measured == sum(trial.value is not None for trial in study.trials)


def test_a_command_can_be_run_again(tmp_path):
    command = Command(["sh", "-c", "echo $0", "{x}"])
    for plays in (3, 6):
        result = maximize(command, LINE, plays=plays, threat=1.0, seed=0, journal=tmp_path / "study.jsonl")
        assert not result.failures


@pytest.mark.parametrize(
    ("objective", "options", "words"),
    [
        (None, {}, "the objective must be a function or a Command"),
        ("square", {}, "the objective must be a function or a Command"),
        (square, {"executor": 4}, "executor must be"),
        (square, {"callback": 7}, "callback must be a function"),
        (square, {"retries": -1}, "retries must be"),
        (square, {"kernel": "se"}, "kernel must be a kernel such as"),
        (square, {"kernel": Matern}, "kernel must be a kernel such as"),
        (square, {"kernel": Matern(2.5, (0.1, 0.2))}, "does not fit the 1 column"),
        (square, {"kernel": Linear(0.1)}, "does not fit the 1 column"),
        (square, {"plays": None}, "say how often to measure in all: plays="),
        (square, {"minimise": True}, "unexpected keyword argument 'minimise'"),
    ],
)
def test_a_mistake_is_refused_before_a_journal_is_made(tmp_path, objective, options, words):
    path = tmp_path / "study.jsonl"
    with pytest.raises(InvalidInput, match=words):
        maximize(objective, LINE, **{"plays": 5, "threat": 1.0, "journal": path, **options})
    assert not path.exists()


def test_a_command_is_not_sent_to_other_processes(tmp_path):
    with ProcessPoolExecutor(1) as executor, pytest.raises(InvalidInput, match="a Command starts processes by itself"):
        maximize(Command(["echo", "{x}"]), LINE, plays=3, threat=1.0, executor=executor)


def test_reasons_are_one_line_and_safe_to_print():
    study = Optimizer(LINE, threat=1.0, seed=0)
    first, second = study.ask(2)
    study.fail(first, "\x1b[31mred\nand more" + "x" * 1000)
    study.tell(second, 1.0)
    study.retract(second, "a\nb")
    assert study.log[0].reason.startswith("\\x1b[31mred and more")
    assert len(study.log[0].reason) <= 500
    assert study.log[1].reason == "a b"
