"""Parameters that only some points have: complete points, the way into the cube and back, and families alike."""

import json
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unswayed import InvalidInput, Matern, Optimizer
from unswayed.spaces import Box, Categorical, Integer, Real, read_space, space_from_record

NESTED = Box(
    {
        "C": Real(1e-3, 1e3, log=True, when={"kind": "svm"}),
        "kind": Categorical(["svm", "forest", "bayes"]),
        "kernel": Categorical(["rbf", "poly"], when={"kind": "svm"}),
        "degree": Integer(2, 5, when={"kernel": "poly"}),
        "depth": Integer(1, 20, when={"kind": ["forest"]}),
        "share": Real(0, 1, step=0.1),
    }
)
SMALL = Box(
    {
        "layers": Integer(1, 3),
        "a": Categorical(["x", "y"], when={"layers": [2, 3]}),
        "b": Integer(1, 4, when={"layers": 3}),
        "c": Real(0, 1, digits=1, when={"a": "y"}),
    }
)


def complete(box, point):
    """Whether a point has exactly the parameters that its conditions say, by a literal look at each."""

    def has(name):
        when = box.parameters[name].when
        return when is None or all(has(gate) and point.get(gate) in values for gate, values in when.items())

    return set(point) == {name for name in box.names if has(name)}


@pytest.mark.parametrize("box", [NESTED, SMALL])
@given(seed=st.integers(0, 2**32))
@settings(max_examples=60)
def test_rows_and_points(box, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-0.5, 1.5, (40, box.columns))
    points = box.decode(X)
    assert all(complete(box, point) for point in points)
    assert [box.check(json.loads(json.dumps(point))) for point in points] == points
    L = box.legal(X)
    assert np.array_equal(L, box.encode(points))
    assert np.array_equal(L, box.legal(L))
    assert np.array_equal(box.encode(box.decode(L)), L)
    for rows in (box.spread(20, rng), box.arms(30, seed % 1000), box.around(L[:5], 0.2, 30, rng)):
        assert len(rows)
        assert np.array_equal(rows, box.legal(rows))
        assert rows.min() >= 0
        assert rows.max() <= 1


def test_the_size_is_the_number_of_points_and_arms_are_all_of_them():
    values = {"layers": [1, 2, 3], "a": ["x", "y", None], "b": [1, 2, 3, 4, None], "c": [*np.arange(11) / 10, None]}
    every = [{n: v for n, v in zip(values, p, strict=True) if v is not None} for p in product(*values.values())]
    every = [point for point in every if complete(SMALL, point)]
    assert SMALL.size == len(every) == 1 + (1 + 11) + 4 * (1 + 11)
    arms = SMALL.decode(SMALL.arms(700, 0))
    assert len(arms) == len(every)
    assert all(point in every for point in arms)
    assert NESTED.size is None


def test_families_are_covered_evenly():
    points = NESTED.decode(NESTED.spread(64, np.random.default_rng(0)))
    counts = Counter((point["kind"], point.get("kernel")) for point in points)
    assert len(counts) == 4
    assert min(counts.values()) >= 12
    svm = [point["C"] for point in points if "C" in point]
    assert min(svm) < 1e-2
    assert max(svm) > 1e2


def test_points_of_two_families_are_correlated_by_what_they_share_only():
    k = Matern(2.5, 0.5)
    forest = [{"kind": "forest", "depth": d, "share": 0.5} for d in (1, 7, 20)]
    svm = [{"kind": "svm", "kernel": "rbf", "C": c, "share": 0.5} for c in (1e-3, 1.0, 40.0, 1e3)]
    between = k(NESTED.encode(forest), NESTED.encode(svm))
    np.testing.assert_allclose(between, between[0, 0], rtol=1e-12)
    nearer = k(NESTED.encode(forest), NESTED.encode([{**one, "share": 0.6} for one in svm]))
    assert (nearer < between).all()
    within = NESTED.encode(svm)
    assert np.linalg.norm(within[0] - within[-1]) == pytest.approx(1.0)  # as without a condition


@pytest.mark.parametrize(
    ("point", "line"),
    [
        ({"kind": "svm", "kernel": "rbf", "share": 0}, "no value for C, which points with kind = 'svm' have"),
        ({"kind": "bayes", "share": 0, "C": 1.0}, "points with kind = 'bayes' have no C: remove C = 1"),
        ({"kind": "forest", "depth": 2, "share": 0, "degree": 2}, "points without kernel have no degree"),
        ({"share": 0.5}, "the point has no value for kind"),
        ({"kind": "bayes"}, "the point has no value for share"),
        ({"kind": "bayes", "share": 0, "x": 1}, "unknown parameter 'x'"),
    ],
)
def test_incomplete_points_are_refused_in_one_line(point, line):
    with pytest.raises(InvalidInput, match=line):
        NESTED.check(point)


@pytest.mark.parametrize(
    ("parameters", "line"),
    [
        ({"x": Real(0, 1, when={"kind": "a"})}, "x depends on 'kind', which is not a parameter of the box"),
        ({"x": Real(0, 1), "y": Real(0, 1, when={"x": 1})}, "y can depend only on a Categorical, or an Integer"),
        ({"n": Integer(1, 9999), "y": Real(0, 1, when={"n": 1})}, "at most 2000 values"),
        ({"k": Categorical("ab"[:1].split()), "y": Real(0, 1, when={"k": "z"})}, "y, k = 'z' is not one of 'a'"),
        ({"k": Categorical(["a"], when={"k": "a"})}, "the conditions of k go round in a circle"),
        ({"k": Categorical(["a"], when={"m": 1}), "m": Integer(0, 1, when={"k": "a"})}, "go round in a circle"),
    ],
)
def test_conditions_that_make_no_sense(parameters, line):
    with pytest.raises(InvalidInput, match=line):
        Box(parameters)


@pytest.mark.parametrize("when", [{}, {"a": 1, "b": 2}, "kind", {"a": []}, {"a": None}, {3: "a"}, {"a": [[1]]}])
def test_a_condition_is_one_name_with_values(when):
    with pytest.raises(InvalidInput, match=r"when|name"):
        Real(0, 1, when=when)


def test_a_file_with_conditions_and_steps(tmp_path):
    file = tmp_path / "space.toml"
    file.write_text(
        'kind = {choices = ["svm", "bayes"]}\nT = {low = 0, high = 10, step = 0.5}\n'
        'C = {low = 1e-3, high = 1e3, log = true, when = {kind = "svm"}}\n'
        "on = {choices = [true, false]}\nd = {low = 0, high = 1, digits = 3, when = {on = true}}\n"
    )
    space = read_space(file)
    assert space.check({"kind": "bayes", "T": 2.5, "on": False}) == {"kind": "bayes", "T": 2.5, "on": False}
    assert space == space_from_record(json.loads(json.dumps(space.record())))
    for bad in ('when = {sort = "svm"}', 'when = "svm"', 'when = {kind = "knn"}', "step = 0.3", 'step = "a"'):
        file.write_text(f'kind = {{choices = ["svm"]}}\nC = {{low = 0, high = 1, {bad}}}\n')
        with pytest.raises(InvalidInput, match=r"space\.toml") as error:
            read_space(file)
        assert "\n" not in str(error.value)


def test_a_study_of_families_is_read_back_as_it_was(tmp_path):
    def value(point):
        return {"svm": 1.0, "forest": 0.7, "bayes": 0.2}[point["kind"]] - abs(point["share"] - 0.3)

    with Optimizer(NESTED, journal=tmp_path / "j.jsonl", seed=1, plays=30) as study:
        for play in study.ask(4):
            study.tell(play, value(play.point))
        for _ in range(16):
            [play] = study.ask(1)
            assert complete(NESTED, play.point)
            study.tell(play, value(play.point))
        asked, best = [play.point for play in study.log], study.answer().point
        with pytest.raises(InvalidInput, match="points with kind = 'bayes' have no C"):
            study.add([({"kind": "bayes", "share": 0.1, "C": 1.0}, 0.3)])
    assert {(point["kind"], point.get("kernel")) for point in asked[:8]} == {
        ("svm", "rbf"), ("svm", "poly"), ("forest", None), ("bayes", None)}  # fmt: skip
    with Optimizer.open(tmp_path / "j.jsonl") as again:
        assert again.space == NESTED
        assert [play.point for play in again.log] == asked
        assert again.answer().point == best
        assert complete(NESTED, best)
        table = again.history().to_pydict()
        assert [c is None for c in table["C"]] == ["C" not in point for point in asked]
        assert list(table["kernel"]) == [point.get("kernel") for point in asked]
        again.answer().plot()
