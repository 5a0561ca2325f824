"""`maximize` on any executor: the same plays whatever the speed of the workers, and no answer is lost."""

import os
import random
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import matplotlib.figure
import numpy as np
import pytest

from unswayed import (
    Box,
    Categorical,
    Integer,
    InvalidInput,
    Linear,
    Optimizer,
    Options,
    Real,
    SquaredExponential,
    UnswayedError,
    maximize,
    minimize,
)

SPACE = Box({"x": Real(-1, 1)})
MIXED = Box({"rate": Real(1e-4, 1e-1, log=True, unit="1/s"), "n": Integer(1, 5), "kind": Categorical(["a", "b"])})
START = 18  # plays before there is a model, in one dimension


def bowl(point):
    return -((point["x"] - 0.3) ** 2)


def negative_bowl(point):
    return -bowl(point)


def slow_bowl(point):
    """Some take longer than others, so that answers overtake each other."""
    time.sleep(0.004 * (int(1000 * abs(point["x"])) % 5))
    return bowl(point)


def crash(point):
    os._exit(3)


def search(objective, space=SPACE, *, plays=START + 10, find=maximize, **options):
    return find(objective, space, **{"plays": plays, "threat": 0.5, "seed": 3, "progress": False, **options})


def plays(result):
    return [(play.number, play.point, play.status, play.value) for play in result.plays]


class Instant(Executor):
    """Everything is done when it is submitted."""

    def submit(self, function, /, *arguments):
        future = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future


@pytest.fixture(scope="module")
def expected():
    """What three workers give that are equally fast."""
    return plays(search(bowl, executor=Instant(), parallel=3))


# -- executors --------------------------------------------------------------------------------------------------------


def test_one_at_a_time_finds_the_maximum():
    result = search(bowl, plays=40)
    assert abs(result.point["x"] - 0.3) < 0.05
    assert abs(result.answer.estimate) < 0.01
    assert len(result.plays) == result.history().num_rows == 40
    assert result.answer.credible.budget == 0.5
    assert result.failures == ()
    text = " ".join([*str(result).split(), *result.explain().split()])
    for words in (
        "Recommended: x = 0.",
        "Under the fitted model (estimated: ",
        "with 95% probability",
        "40 measurements",
    ):
        assert words in text


@pytest.mark.parametrize("seed", range(2))
def test_threads_of_any_speed_give_the_same_plays(expected, seed):
    rng, lock = random.Random(seed), threading.Lock()

    def dawdling(point):
        with lock:
            pause = rng.choice([0, 0, 0.001, 0.01])
        time.sleep(pause)
        return bowl(point)

    with ThreadPoolExecutor(3) as executor:
        assert plays(search(dawdling, executor=executor)) == expected


def test_processes_give_the_same_plays(expected):
    with ProcessPoolExecutor(3) as executor:
        assert plays(search(slow_bowl, executor=executor)) == expected


def test_a_dask_cluster_gives_the_same_plays(expected):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, scheduler_kwargs={"dashboard_address": ":0"}
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        executor = client.get_executor(pure=False)
        assert plays(search(slow_bowl, executor=executor, parallel=3)) == expected


def test_at_most_parallel_plays_from_the_oldest_open_one_on():
    """One play hangs; the others must not run ahead of it without end."""
    release, started = threading.Event(), []

    def hanging(point):
        started.append(point)
        if len(started) == 5:
            release.wait(20)
        return bowl(point)

    with ThreadPoolExecutor(3) as executor:
        watcher = threading.Timer(1.0, release.set)
        watcher.start()
        counts = []

        def note(optimizer, play):
            if not release.is_set():
                open_plays = optimizer.open_plays()
                counts.append(len(optimizer.log) - open_plays[0].number if open_plays else 0)

        search(hanging, executor=executor, callback=note)
        watcher.cancel()
    assert max(counts) <= 3


def test_if_every_worker_dies_the_study_stops_and_its_plays_stay_open(tmp_path):
    journal = tmp_path / "study.jsonl"
    with (
        ProcessPoolExecutor(2) as executor,
        pytest.raises(UnswayedError, match="first 7 plays all failed: the process"),
    ):
        search(crash, executor=executor, journal=journal)
    with Optimizer.open(journal) as optimizer:
        assert {play.status for play in optimizer.log} == {"open"}
    with ProcessPoolExecutor(2) as executor:
        assert search(bowl, executor=executor, journal=journal).failures == ()


# -- failures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("executor", [None, "threads"])
def test_a_failure_is_tried_again_at_the_same_point_then_left_out(executor):
    tries, lock = [], threading.Lock()

    def shaky(point):
        with lock:
            tries.append(point["x"])
            count = tries.count(point["x"])
        if point["x"] > 0.5:
            raise OSError("power\ncut")
        if point["x"] < -0.5 and count == 1:
            return float("nan")
        return bowl(point)

    with ThreadPoolExecutor(2) as pool:
        result = search(shaky, executor=pool if executor else None, retries=2)
    failed = {play.point["x"] for play in result.failures}
    assert failed == {x for x in tries if x > 0.5} != set()
    assert {play.reason for play in result.failures} == {"OSError: power cut"}
    assert all(play.value is not None for play in result.plays if play.point["x"] <= 0.5)
    for x in failed:
        assert tries.count(x) == 3 * sum(play.point["x"] == x for play in result.plays)
    assert "plays failed; the last, number" in str(result)


@pytest.mark.parametrize("value", ["much", None, float("inf"), 1e101])
def test_what_is_no_measurement_is_a_failure(value):
    def odd(point, seen=[]):  # noqa: B006
        seen.append(point)
        return value if len(seen) == 4 else bowl(point)

    result = search(odd, plays=8, retries=0)
    (failure,) = result.failures
    assert failure.number == 3
    assert "a measurement" in failure.reason
    assert "1 play failed, number 3" in str(result)


def test_if_all_fail_that_is_an_error():
    def broken(point):
        raise KeyError("no such sensor")

    for executor in (None, Instant()):
        with pytest.raises(
            UnswayedError, match="no play could be measured; the last reason: KeyError: 'no such sensor'"
        ):
            search(broken, plays=4, executor=executor)


@pytest.mark.parametrize(
    ("options", "word"),
    [({"plays": 0}, "plays"), ({"retries": -1}, "retries"), ({"parallel": 0}, "parallel"), ({"seed": -1}, "seed")],
    ids=str,
)
def test_bad_settings(options, word):
    with pytest.raises(UnswayedError, match=word):
        search(bowl, **options)


# -- stopping and going on --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parallel", [1, 3])
def test_the_callback_sees_every_answer_and_can_stop(parallel):
    seen = []

    def watch(optimizer, play):
        assert optimizer.log[play.number] == play
        seen.append(play.number)
        return len(seen) == 7

    executor = None if parallel == 1 else Instant()
    result = search(bowl, executor=executor, parallel=parallel, callback=watch)
    assert sorted(seen) == list(range(7))
    assert sum(play.measured for play in result.plays) == 7


@pytest.mark.parametrize("workers", [None, 3])
def test_an_interrupted_search_goes_on_from_its_journal(tmp_path, expected, workers):
    journal = tmp_path / "study.jsonl"
    done, lock = [], threading.Lock()

    def interrupted(point):
        with lock:
            done.append(point)
            if len(done) % 6 == 0:
                raise KeyboardInterrupt
        return bowl(point)

    results = []
    for _ in range(100):
        with ThreadPoolExecutor(3) as executor:
            try:
                results.append(search(interrupted, executor=executor if workers else None, journal=journal))
                break
            except KeyboardInterrupt:
                pass
    assert len(done) > START + 10
    reference = expected if workers else plays(search(bowl))
    assert plays(results[0]) == reference
    again = search(crash, journal=journal, executor=Instant() if workers else None, parallel=workers or 1)
    assert plays(again) == reference  # it was finished: nothing is measured
    assert str(again) == str(results[0])


# -- results ----------------------------------------------------------------------------------------------------------


def test_minimize_mirrors_maximize():
    largest, smallest = search(bowl), search(negative_bowl, find=minimize)
    assert [play.point for play in smallest.plays] == [play.point for play in largest.plays]
    assert [play.value for play in smallest.plays] == [-play.value for play in largest.plays]
    assert smallest.point == largest.point
    assert smallest.answer.estimate == -largest.answer.estimate
    assert smallest.answer.breakdown == largest.answer.breakdown
    assert smallest.answer.credible == largest.answer.credible
    assert "above the best" in str(smallest)
    assert "below the best" in str(largest)


def test_the_history_is_a_table():
    def measured(point):
        if point["n"] == 5:
            raise ValueError("too many")
        return float(point["n"])

    result = search(measured, MIXED, plays=20, retries=0)
    table = result.history()
    assert table.column_names == ["number", "rate", "n", "kind", "value", "status", "reason", "why", "asked", "seconds"]
    for row, play in zip(table.to_pylist(), result.plays, strict=True):
        assert {name: row[name] for name in MIXED.names} == play.point
        assert (row["number"], row["value"], row["status"], row["reason"], row["why"]) == (
            play.number, play.value, play.status, play.reason, play.why,
        )  # fmt: skip
    assert set(table["status"].to_pylist()) == {"told", "failed"}


def test_options_of_every_kind_can_be_measured():
    labels = search(lambda label: float(len(label)), Options(["a", "bbb", "cc"]), plays=12)
    assert labels.point == "bbb"
    dicts = search(
        lambda option: -abs(option["T"] - 70), Options([{"T": t, "acid": "HCl"} for t in (60, 70, 80)]), plays=12
    )
    assert dicts.point == {"T": 70, "acid": "HCl"}
    rows = search(lambda row: row[0] - row[1], Options([[0.0, 1.0], [5.0, 1.0], [2.0, 2.0]]), plays=12)
    assert rows.point == (5.0, 1.0)


def test_a_result_draws_itself():
    assert isinstance(search(bowl, plays=6).plot(), matplotlib.figure.Figure)


@pytest.mark.parametrize("workers", [0, 2])
def test_an_objective_may_change_the_point_that_it_is_given(workers):
    def greedy(point):
        return -((point.pop("x") - 0.3) ** 2)

    with ThreadPoolExecutor(workers or 1) as pool:
        result = search(greedy, plays=10, executor=pool if workers else None)
    assert [set(play.point) for play in result.plays] == [{"x"}] * 10
    assert not result.failures


def test_a_history_has_choices_of_mixed_types_as_texts_and_every_parameter():
    space = Box({"why": Real(0, 1), "value": Real(0, 1), "number": Integer(0, 3), "k": Categorical(["a", 3, True])})
    result = search(lambda point: point["value"], space, plays=12)
    rows = result.history().to_pylist()
    assert [row["number"] for row in rows] == list(range(12))
    assert [row["value"] for row in rows] == [play.value for play in result.plays]
    for row, play in zip(rows, result.plays, strict=True):
        found = {
            "why": row["why (parameter)"],
            "value": row["value (parameter)"],
            "number": row["number (parameter)"],
            "k": row["k"],
        }
        assert found == {**play.point, "k": str(play.point["k"])}


@pytest.mark.parametrize(
    ("space", "wrong", "says"),
    [
        ({"x": (0, 1)}, {}, "a Box or Options, not dict"),
        (SPACE, {"delta": "small"}, "delta must be a number"),
        (SPACE, {"noise_std": 1e300}, "too large to compute with"),
        (SPACE, {"threat": 1e300}, "too large to compute with"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_measured(space, wrong, says):
    with pytest.raises(UnswayedError, match=says):
        maximize(lambda point: pytest.fail("measured"), space, **({"plays": 3, "threat": 1.0} | wrong))


# -- values far from the level ----------------------------------------------------------------------------------------

TABLE = np.arange(20)[:, None] / 19


@pytest.mark.parametrize(
    ("offset", "given"),
    [
        (1e5, {"kernel": Linear()}),
        (2e4, {"kernel": SquaredExponential(0.3), "noise_std": 0.05, "output_scale": 1.0, "level": (0, 2e4)}),
        (1e6, {"kernel": SquaredExponential(0.3), "noise_std": 0.05, "output_scale": 1.0, "level": (0, 1e6)}),
        (1e6, {"level": 0.0}),
    ],
    ids=str,
)
@pytest.mark.parametrize("norm_bound", [None, 5.0])
def test_no_level_sets_all_measurements_aside(offset, given, norm_bound, tmp_path):
    rng, journal = np.random.default_rng(0), tmp_path / "s.jsonl"

    def objective(row):
        return offset + 3 * row[0] + rng.normal(0, 0.05)

    options = {"plays": 40, "threat": 0.1, "seed": 0, "norm_bound": norm_bound, "progress": False, **given}
    found = maximize(objective, Options(TABLE), journal=journal, **options).answer
    assert found.set_aside == ()
    if given.get("level") != 0.0:  # which is false
        assert found.point[0] > 0.8
        assert abs(found.estimate - offset - 3 * found.point[0]) < 0.2
    again = Optimizer.open(journal).answer()
    assert again.to_dict() == found.to_dict()


def test_a_kernel_that_does_not_fit_a_row_is_refused_at_once(tmp_path):
    rows = np.random.default_rng(1).uniform(size=(60, 3))
    rows[:2] = [[0, 0, 0], [1, 1, 1]]
    for space in (Options(rows), Box({f"x{i}": Real(0, 1) for i in range(3)})):
        with pytest.raises(InvalidInput, match="outside the radius"):
            Optimizer(space, threat=0, kernel=Linear(1.6), journal=tmp_path / "a.jsonl")
    assert not (tmp_path / "a.jsonl").exists()
