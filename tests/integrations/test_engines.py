"""The same plays on every engine, and a study that goes on on another one."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context

import pytest

from unswayed import Box, Optimizer, Real, Study, maximize
from unswayed.integrations.dask import dask_executor

SPACE = Box({"x": Real(0, 1), "y": Real(0, 1)})


def height(point):
    return -((point["x"] - 0.3) ** 2) - (point["y"] - 0.6) ** 2


def sometimes(point):
    if point["x"] > 0.5:
        raise ValueError("too hot")
    return height(point)


@contextmanager
def single_node():
    executorlib = pytest.importorskip("executorlib")
    with executorlib.SingleNodeExecutor(max_workers=2) as executor:
        yield executor


ENGINES = {
    "threads": lambda: ThreadPoolExecutor(2),
    "processes": lambda: ProcessPoolExecutor(2, mp_context=get_context("spawn")),
    "dask": lambda: dask_executor(None, 2),
    "executorlib": single_node,
}


def plays(log):
    return [(play.point, play.value, play.status) for play in log]


@pytest.mark.parametrize(
    ("engine", "objective"),
    [("processes", sometimes), ("dask", height), pytest.param("executorlib", sometimes, marks=pytest.mark.slow)],
)
def test_the_plays_are_the_same_on_every_engine(engine, objective):
    settings = {"plays": 8, "seed": 1, "parallel": 2, "threat": 0.1, "retries": 0}
    with ENGINES["threads"]() as executor:
        expected = maximize(objective, SPACE, executor=executor, **settings)
    with ENGINES[engine]() as executor:
        found = maximize(objective, SPACE, executor=executor, **settings)
    assert plays(found.answer.plays) == plays(expected.answer.plays)
    assert str(found) == str(expected)


@pytest.mark.parametrize("first", ["threads", pytest.param("executorlib", marks=pytest.mark.slow)])
def test_a_study_goes_on_on_another_engine(tmp_path, first):
    settings = {"plays": 9, "seed": 1, "parallel": 2, "threat": 0.1}
    with ENGINES["threads"]() as executor:
        expected = maximize(height, SPACE, executor=executor, **settings)
    file = tmp_path / "study.jsonl"
    for stop, engine in ((3, first), (6, "dask"), (9, "processes")):
        with ENGINES[engine]() as executor, Optimizer(SPACE, journal=file, **settings) as study:
            study.run(height, executor=executor, callback=lambda study, play, stop=stop: play.number >= stop)
    found = Study.read(file)
    assert plays(found.log) == plays(expected.answer.plays)
    assert str(found.answer()) == str(expected)
