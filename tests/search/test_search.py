"""The search of a study: deterministic, robust to what it is given, on spaces of every kind and size."""

import numpy as np
import pytest

from unswayed import Box, Categorical, Integer, Matern, Options, Real, UnswayedError, maximize
from unswayed.search.beliefs import Given, estimate
from unswayed.search.candidates import all_rows, candidates, first_rows
from unswayed.search.search import Search

NOTHING = np.empty((0, 2))
SQUARE = Box({"x": Real(0, 1), "y": Real(0, 1)})


def bowl(row):
    return 1 - (row[0] - 0.3) ** 2 - (row[1] - 0.7) ** 2


def searched(plays, seed=0, space=SQUARE, value=bowl, sigma=0.01, **given):
    rng = np.random.default_rng([seed, 5])
    search = Search(space, Given(**({"threat": 5.0} | given)), seed)
    for number in range(plays):
        row = search.ask(number, NOTHING)
        search.tell(row, value(row) + sigma * rng.standard_normal())
    return search


def point(search, plays):
    return np.array(list(search.answer(range(plays), minimize=False).point.values()))


def test_the_same_answers_give_the_same_questions():
    a, b = searched(60), searched(60)
    np.testing.assert_array_equal(a.rows, b.rows)
    assert not np.array_equal(a.rows, searched(60, seed=1).rows)


def test_an_answer_changes_nothing():
    watched, other = searched(50), searched(50)
    watched.answer(range(50), minimize=False)
    np.testing.assert_array_equal(watched.ask(50, NOTHING), other.ask(50, NOTHING))


def test_it_ends_near_the_best_point_though_it_is_on_no_first_grid():
    np.testing.assert_allclose(point(searched(80), 80), [0.3, 0.7], atol=0.03)


def test_answers_that_have_not_entered_count_in_the_answer():
    search = searched(40)
    more = [(row, bowl(row) + 1.0) for row in [np.array([0.9, 0.1])] * 30]
    found = search.answer(range(70), minimize=False, more=more)
    assert found.measured == 70
    assert search.answer(range(40), minimize=False).measured == 40


def test_lies_are_set_aside_and_named():
    lies = {30: -0.8, 45: -0.8, 60: 1.5}
    rng = np.random.default_rng(0)
    search = Search(SQUARE, Given(5.0), 0)
    for number in range(90):
        row = search.ask(number, NOTHING)
        search.tell(row, bowl(row) + 0.01 * rng.standard_normal() + lies.get(number, 0.0))
    answer = search.answer(range(100, 190), minimize=False)
    assert set(answer.set_aside) >= {130, 145, 160}
    np.testing.assert_allclose(list(answer.point.values()), [0.3, 0.7], atol=0.04)


def test_what_is_given_is_used_and_said():
    kernel = Matern(2.5, 0.4)
    search = searched(40, kernel=kernel, noise_std=0.02, output_scale=0.5, norm_bound=3.0)
    answer = search.answer(range(40), minimize=False)
    assert (answer.kernel, answer.noise_std, answer.output_scale, answer.norm_bound) == (kernel, 0.02, 0.5, 3.0)
    assert answer.estimated == ()
    assert "estimated" not in answer.certified()
    answer = searched(40, noise_std=0.02).answer(range(40), minimize=False)
    assert answer.estimated == ("kernel", "output scale", "norm bound")
    assert "estimated kernel, output scale and norm bound" in answer.certified()


def test_noise_comes_from_repeats_and_a_lie_does_not_inflate_it():
    rng = np.random.default_rng(1)
    rows = np.repeat(rng.uniform(size=(20, 2)), 3, axis=0)
    values = np.array([bowl(row) for row in rows]) + 0.02 * rng.standard_normal(60)
    honest = estimate(Given(5.0), SQUARE.groups, rows, values, first=60, before=None, seed=0)
    values[7] += 100.0
    lied = estimate(Given(500.0), SQUARE.groups, rows, values, first=60, before=None, seed=0)
    assert honest.noise_std == pytest.approx(0.02, rel=0.4)
    assert lied.noise_std == pytest.approx(honest.noise_std, rel=0.25)
    assert lied.output_scale < 10 * honest.output_scale


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


def test_candidates_are_legal_and_lie_around_the_leaders_too():
    space = Box({"x": Real(-5, 10), "n": Integer(1, 9), "k": Categorical(["a", "b", "c"])})
    leaders = space.arms(64, 3)[:10]
    rows, moved = candidates(space, leaders, np.random.default_rng(0))
    np.testing.assert_array_equal(space.legal(rows), rows)
    for row in moved:
        changed = [set(space.groups[row != leader]) for leader in leaders]
        assert min(map(len, changed)) <= 1
    assert all_rows(space, 0) is None
    assert len(all_rows(Box({"n": Integer(1, 30)}), 0)) == 30
    start = first_rows(space, 0)
    assert len(np.unique(start, axis=0)) < len(start)  # repeats, for the noise


def test_influence_pe_eliminates_in_epochs_and_never_blocks():
    space = Options(list(range(12)))
    rng = np.random.default_rng(0)
    search = Search(space, Given(0.02, noise_std=0.05, plays=3000), 0)
    pending = np.empty((0, 12))
    for number in range(600):
        row = search.ask(number, pending)
        arm = space.decode(row[None])[0]
        search.tell(row, arm / 12 + 0.05 * rng.standard_normal())
    assert search._phases is not None
    assert len(search._phases.active) < 12
    assert search.answer(range(600), minimize=False).point == 11
    asked = np.empty((0, 12))
    for number in range(600, 4000):  # nobody answers: further repeats, for ever
        asked = np.vstack([asked, search.ask(number, asked)])
    assert len(np.unique(asked, axis=0)) <= len(search._phases.active)


def test_few_plays_or_a_large_budget_are_for_vigilant_ucb():
    space = Options(list(range(12)))
    for given in (Given(50.0, noise_std=0.05, plays=3000), Given(0.02, noise_std=0.05, plays=30), Given(0.02)):
        search = Search(space, given, 0)
        for number in range(25):
            row = search.ask(number, np.empty((0, 12)))
            search.tell(row, space.decode(row[None])[0] / 12)
        assert search._phases is None


@pytest.mark.parametrize("space", [Box({"n": Integer(0, 9)}), Box({"n": Real(0, 9)})])
def test_where_all_fails_there_is_nothing_to_find(space):
    rng, fails = np.random.default_rng(0), 0
    search = Search(space, Given(0.1, noise_std=0.05), 1)
    for number in range(80):
        row = search.ask(number, np.empty((0, 1)))
        n = space.decode(row[None])[0]["n"]
        if 4 <= n <= 5:  # the best is 4
            search.fail(row)
            fails += 1
        else:
            search.tell(row, -((n - 4) ** 2) / 10 + 0.05 * rng.standard_normal())
    found = search.answer(range(80), minimize=False).point["n"]
    assert 3 <= found < 4 or 5 < found < 6
    assert fails < 20


def test_nothing_measured_nothing_recommended():
    with pytest.raises(UnswayedError, match="nothing has been measured"):
        Search(SQUARE, Given(1.0), 0).answer([], minimize=False)


def test_where_most_of_the_space_fails_new_points_are_tried_and_what_works_is_searched():
    search = Search(SQUARE, Given(1.0), 0)
    asked, best = [], -np.inf
    for number in range(120):
        asked.append(search.ask(number, NOTHING))
        if asked[-1].max() <= 0.4:  # the best is at its corner
            best = max(best, asked[-1].sum())
            search.tell(asked[-1], asked[-1].sum())
        else:
            search.fail(asked[-1])
    assert len({row.tobytes() for row in asked}) > 50
    assert best > 0.7
    found = search.answer(range(len(search.rows)), minimize=False).point
    assert max(found.values()) < 0.45  # though the trend says that it is better where all fails


def test_options_that_fail_at_first_do_not_keep_the_others_from_being_tried():
    space = Options([[float(i)] for i in range(60)])
    search = Search(space, Given(1.0), 0)
    start = {row.tobytes() for row in first_rows(space, 0)}
    for number in range(80):
        row = search.ask(number, np.empty((0, 1)))
        if row.tobytes() in start:
            search.fail(row)
        else:
            search.tell(row, float(row[0]))
    assert len(search.rows) >= 50
    assert search.answer(range(len(search.rows)), minimize=False).point[0] > 50


def test_many_plays_at_once_spread_over_a_box():
    search = Search(SQUARE, Given(1.0), 0)
    asked = np.array([search.ask(number, NOTHING) for number in range(300)])
    assert len(np.unique(asked, axis=0)) > 120


def test_what_was_recommended_does_not_break_down_at_nothing():
    """The rule prefers what it knows: a point of larger mean that it did not choose has not won."""
    search = searched(5, seed=1, sigma=0.0)
    found = search.answer(range(5), minimize=False)
    assert found.breakdown_budget > 0


def test_a_failure_makes_no_measurement_suspect():
    """What is imagined of a failed play at the best place is no evidence against those around it."""
    search = searched(60)
    kept = search._state.kept.copy()
    for number in range(60, 75):
        search.fail(np.array([0.3, 0.7]) + 0.001 * number)
        search.ask(number, NOTHING)
    imagined = search._imagined[1]
    np.testing.assert_array_equal(imagined.kept, np.append(kept, np.ones(15, dtype=bool)))
