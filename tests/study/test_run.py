"""`Optimizer.run`: a function or a program, here or on an executor, until the plays are used up."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from unswayed import Answer, Box, Command, InvalidInput, Optimizer, Real, Status, maximize
from unswayed.search.play import Play

SPACE = Box({"x": Real(-1, 1)})
BOWL = ("awk", "BEGIN {{ print -({x} - 0.3) ^ 2 }}")


def bowl(point):
    return -((point["x"] - 0.3) ** 2)


def study(**options):
    return Optimizer(SPACE, **{"threat": 0.5, "seed": 3, "plays": 22, **options})


def test_it_is_what_maximize_does():
    result, same = study().run(bowl, progress=False), maximize(bowl, SPACE, threat=0.5, seed=3, plays=22)
    assert isinstance(result, Answer)
    assert result.plays == same.plays
    assert result.to_dict() == same.to_dict()


def test_a_command_is_run_in_threads_or_on_an_executor():
    alone = study(parallel=2).run(Command(BOWL), progress=False)
    with ThreadPoolExecutor(2) as executor:
        shared = study(parallel=2).run(Command(BOWL), executor=executor, progress=False)
    assert alone.plays == shared.plays
    assert abs(alone.point["x"] - 0.3) < 0.1


def test_a_command_that_does_not_fit_the_space_is_refused_before_anything_runs():
    optimizer = study()
    with pytest.raises(InvalidInput, match="does not use"):
        optimizer.run(Command(["echo", "1"]), progress=False)
    assert optimizer.log == ()


def test_open_plays_come_first_and_a_finished_study_measures_nothing():
    optimizer, seen = study(), []
    optimizer.ask(3)
    optimizer.run(lambda point: (seen.append(point), bowl(point))[1], progress=False)
    assert seen == [play.point for play in optimizer.log]
    assert len(seen) == 22
    optimizer.run(lambda point: pytest.fail("measured"), progress=False)


def test_the_callback_gets_the_study_and_the_answered_play():
    optimizer, seen = study(), []

    def callback(given, play):
        assert given is optimizer
        assert isinstance(play, Play)
        assert play.status is Status.TOLD
        seen.append(play.number)
        return len(seen) == 5

    assert len(optimizer.run(bowl, callback=callback, progress=False).plays) == 5
    assert seen == [0, 1, 2, 3, 4]


def test_without_a_number_of_plays_there_is_no_end():
    with pytest.raises(InvalidInput, match="needs a number of plays"):
        study(plays=None).run(bowl, progress=False)


@pytest.mark.parametrize("retries", [-1, 1.5, "many", None])
def test_retries_are_a_whole_number(retries):
    with pytest.raises(InvalidInput, match="retries"):
        study().run(bowl, retries=retries, progress=False)
