"""The answer of a search: near the best point, honest about what was estimated, in every kind of space."""

import dataclasses

import numpy as np
import pytest

from tests.search.games import SQUARE, Game, bowl, task
from unswayed import Box, Categorical, Certificate, Integer, InvalidInput, Matern, Optimizer, Options, Real, maximize
from unswayed.search.candidates import first_rows


def values(point):
    return np.array(list(point.values()))


def test_it_ends_near_the_best_point_although_that_is_on_no_first_grid():
    np.testing.assert_allclose(values(Game(task()).play(80).answer().point), [0.3, 0.7], atol=0.05)


def test_answers_that_have_not_entered_the_mode_count():
    game = Game(task()).play(40)
    more = [(row, bowl(row) + 1.0) for row in [np.array([0.9, 0.1])] * 30]
    assert game.answer(more).measured == 70
    assert game.answer().measured == 40


def test_lies_are_set_aside_and_named():
    lies, rng = {30: -0.8, 45: -0.8, 60: 1.5}, np.random.default_rng(0)
    game = Game(task())
    for number in range(90):
        row = game.ask()
        game.tell(row, bowl(row) + 0.01 * rng.standard_normal() + lies.get(number, 0.0))
    answer = game.answer(first=100)
    assert set(answer.set_aside) >= {130, 145, 160}
    np.testing.assert_allclose(values(answer.point), [0.3, 0.7], atol=0.04)


def test_what_is_given_is_used_and_said():
    kernel = Matern(2.5, 0.4)
    given = {"kernel": kernel, "noise_std": 0.02, "output_scale": 0.5, "level": (0.0, 1.0), "norm_bound": 3.0}
    answer = Game(task(**given)).play(40).answer()
    assert {name: getattr(answer.assumptions, name) for name in given} == given
    assert answer.assumptions.estimated == ()
    assert answer.sentence.startswith("Certified: with 95% confidence this point is at most ")
    assert answer.credible is None


WORDS = {"kernel": "kernel", "noise_std": "noise", "output_scale": "output scale", "level": "level"}


@pytest.mark.parametrize("without", [*WORDS, "norm_bound"])
def test_nothing_is_certified_unless_everything_was_given(without):
    given = {"kernel": Matern(2.5, 0.4), "noise_std": 0.02, "output_scale": 0.5, "level": 0.8, "norm_bound": 3.0}
    del given[without]
    answer = Game(task(**given)).play(40).answer()
    assert answer.certificate is None
    assert "Certified" not in str(answer)
    if without == "norm_bound":
        assert answer.assumptions.estimated == ()
        assert answer.sentence.startswith("Under the given model, with 95% probability this point is at most ")
    else:
        assert answer.assumptions.estimated == (WORDS[without],)
        estimated = f"Under the fitted model (estimated: {WORDS[without]}), with 95% probability"
        assert answer.sentence.startswith((estimated, "Too few measurements"))


def test_a_bound_is_never_below_the_noise_of_a_comparison():
    answer = Game(task(kernel=Matern(2.5, 0.4), noise_std=0.3)).play(60).answer()
    assert answer.credible is None or answer.credible.largest_gap >= 0.3 * np.sqrt(2 / 60)


def test_few_plays_in_many_dimensions_say_nothing():
    space = Box({f"x{i}": Real(0, 1) for i in range(4)})
    study = Optimizer(space, threat=0.0, seed=0)
    for play in study.ask(3):
        study.tell(play, sum(play.point.values()))
    answer = study.answer()
    assert answer.credible is None
    assert answer.unexplored > 0.9
    assert answer.sentence.startswith(
        "Too few measurements, or too noisy ones, to say how far this is from the best: 3 so far."
    )
    assert answer.sentence.endswith("so far. A narrow peak could hide in 99% of the space.")


def test_minimising_mirrors_every_amount():
    space = Box({"x": Real(0, 1)})
    up, down = (Optimizer(space, threat=0.5, seed=1, minimize=minimize) for minimize in (False, True))
    for _ in range(25):
        for study, sign in ((up, 1), (down, -1)):
            (play,) = study.ask()
            study.tell(play, sign * (1 - (play.point["x"] - 0.4) ** 2))
    up, down = up.answer(), down.answer()
    assert down.point == up.point
    assert (down.estimate, down.assumptions.level) == (-up.estimate, -up.assumptions.level)
    for name in ("deviation", "breakdown", "considered", "set_aside"):
        assert getattr(down, name) == getattr(up, name)
    assert down.credible == up.credible
    assert "above the best" in down.sentence
    assert "below the best" in up.sentence


def test_one_answer_has_one_breakdown_budget():
    """Everything reachable from a result is searched for a name or a number that is another one."""
    study = Optimizer(Box({"x": Real(0, 1)}), threat=0.5, seed=1, plays=30)
    answer = study.run(lambda point: 1 - (point["x"] - 0.4) ** 2, progress=False).answer
    budget = answer.breakdown.budget
    assert 0 < budget < np.inf
    assert not any("breakdown" in field.name for field in dataclasses.fields(Certificate))
    named = {path for path, _ in parts(answer, "answer") if "breakdown" in path.split(".")[-1]}
    assert named == {f"answer.breakdown{end}" for end in ("", "_budget", "_lies", "_sources")}
    equal = {path for path, value in parts(answer, "answer") if isinstance(value, float) and value == budget}
    assert equal == {"answer.breakdown.budget", "answer.breakdown_budget"}
    record = {path for path, value in parts(answer.to_dict(), "answer") if "breakdown" in path and value == budget}
    assert record == {"answer.breakdown.budget"}
    assert answer.explain().count("Breakdown budget") == 1


def parts(value, path):
    """Every attribute path of our own objects, and of dicts, with its value."""
    yield path, value
    if isinstance(value, dict):
        for name, item in value.items():
            yield from parts(item, f"{path}.{name}")
    elif type(value).__module__.startswith("unswayed.") and not path.endswith((".space", ".kernel")):
        for name in dir(value):
            if not name.startswith("_") and not callable(item := getattr(value, name)) and item is not value:
                yield from parts(item, f"{path}.{name}")


def test_what_was_recommended_does_not_break_down_at_nothing():
    """The rule prefers what it knows: a point of larger mean that it did not choose has not won."""
    assert Game(task(seed=1)).play(5, sigma=0.0).answer().breakdown.budget > 0


def test_where_there_is_no_rival_the_breakdown_is_impossible_and_not_a_number():
    answer = maximize(lambda point: 1.0, Box({"x": Real(2, 2)}), plays=10, threat=0, seed=0, progress=False).answer
    assert not answer.breakdown.possible
    assert answer.breakdown.to_dict() == dict.fromkeys(("budget", "rival", "pivot", "lies", "liars"))
    assert "Breakdown" not in answer.explain()


def test_nothing_measured_nothing_recommended():
    with pytest.raises(InvalidInput, match="nothing has been measured"):
        Game(task()).answer()


def test_an_answer_is_short_where_it_is_shown_and_complete_where_it_is_printed():
    answer = Game(task()).play(30).answer()
    assert repr(answer) == f"Answer({SQUARE.describe(answer.point)}, estimate={answer.estimate:.6g})"
    assert str(answer).splitlines()[0].startswith(f"Recommended: {SQUARE.describe(answer.point)}")
    assert answer.sentence in answer.explain()
    assert answer.to_dict()["point"] == answer.point


# -- spaces of every kind ---------------------------------------------------------------------------------------------


def test_spaces_of_every_kind_are_searched():
    mixed = Box({"x": Real(1e-3, 1e3, log=True), "n": Integer(1, 50), "k": Categorical(["a", "b", "c"])})
    found = maximize(
        lambda p: -(np.log10(p["x"]) ** 2) - ((p["n"] - 20) / 20) ** 2 + (p["k"] == "b"),
        mixed,
        plays=90,
        threat=1.0,
        seed=0,
    ).point
    assert found["k"] == "b"
    assert abs(np.log10(found["x"])) < 0.4
    assert abs(found["n"] - 20) <= 4
    one = maximize(lambda p: 1.0, Box({"x": Real(2, 2)}), plays=10, threat=0, seed=0)
    assert one.point == {"x": 2.0}
    table = [{"a": i / 10, "b": j / 10} for i in range(11) for j in range(11)]
    best = maximize(lambda p: -abs(p["a"] - 0.5) - abs(p["b"] - 0.2), Options(table), plays=60, threat=1, seed=0)
    assert abs(best.point["a"] - 0.5) + abs(best.point["b"] - 0.2) < 0.25


def test_a_long_table_is_searched_in_parts():
    table = Options(np.random.default_rng(0).uniform(size=(50_000, 3)))
    result = maximize(lambda p: -sum((v - 0.5) ** 2 for v in p), table, plays=80, threat=1.0, seed=0)
    assert result.answer.considered < 2000
    assert sum((v - 0.5) ** 2 for v in result.point) < 0.01


# -- failures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", [Box({"n": Integer(0, 9)}), Box({"n": Real(0, 9)})])
def test_a_point_that_always_fails_is_not_recommended(space):
    rng = np.random.default_rng(0)

    def value(row):
        n = space.decode(row[None])[0]["n"]
        return None if 4 <= n <= 5 else -((n - 4) ** 2) / 10 + 0.05 * rng.standard_normal()  # the best is 4

    game = Game(task(space, seed=1, threat=0.1, noise_std=0.05)).play(80, value, sigma=0.0)
    found = game.answer().point["n"]
    assert 3 <= found < 4 or 5 < found < 6
    assert game.values.count(None) < 30


def test_if_most_of_the_space_fails_new_points_are_tried_and_what_works_is_searched():
    def corner(row):
        return row.sum() if row.max() <= 0.4 else None  # the best is at its corner

    game = Game(task(threat=1.0)).play(120, corner, sigma=0.0)
    assert len({row.tobytes() for row in game.rows}) > 50
    assert max(value for value in game.values if value is not None) > 0.7
    assert max(game.answer().point.values()) < 0.45  # although the trend says that it is better beyond


def test_options_that_fail_at_first_do_not_keep_the_others_from_being_tried():
    space = Options([[float(i)] for i in range(60)])
    start = {row.tobytes() for row in first_rows(space, 0)[:20]}
    game = Game(task(space, threat=1.0))
    game.play(80, lambda row: None if row.tobytes() in start else float(row[0]), sigma=0.0)
    assert len(game.values) - game.values.count(None) >= 40
    assert game.answer().point[0] > 50


def test_of_options_that_were_never_measured_nothing_is_said():
    study = Optimizer(Options([f"o{i}" for i in range(30)]), seed=0)
    rng = np.random.default_rng(0)
    study.add([(f"o{i % 20}", float(i % 20 + rng.normal(0, 0.1))) for i in range(60)])
    answer = study.answer()
    assert answer.point == "o19"
    assert set(answer.points) == {f"o{i}" for i in range(20)}
    assert "60 measurements of 20 of the 30 options." in str(answer)
    assert "the best of the 20 points considered" in answer.explain()
