"""Two logs of one benchmark: what is missing, other units, other names of items, and where a mistake stands."""

import numpy as np
import pytest

import unswayed as uw
from unswayed.errors import InvalidInput

RIGHT = {i: float(i % 3 > 0) for i in range(200)}


def test_items_that_one_option_lacks_are_said_first():
    easy = {i: float(i % 5 > 0) for i in range(60)}
    found = uw.compare(RIGHT, easy)
    assert str(found).splitlines()[1] == (
        "Only 60 of 200 items count: B has no score on 140, which may be the hard ones."
    )
    assert str(found).endswith("Next: keep A, or score B on the 140 items that it lacks.")
    many = uw.audit_scores([*RIGHT, *easy], ["a"] * 200 + ["b"] * 60, [*RIGHT.values(), *easy.values()])
    assert "b has no score on 140" in str(many)


def test_items_that_could_change_nothing_are_a_note():
    worse = dict.fromkeys(range(199), 0.0)
    found = uw.compare(dict.fromkeys(range(200), 1.0), worse)
    assert found.audit.data.listed == 200
    assert "Only" not in str(found)


@pytest.mark.parametrize(
    ("first", "second"),
    [(RIGHT, {i: 100 * x for i, x in RIGHT.items()}),
     ({i: 3 + i % 3 for i in range(50)}, {i: i % 2 for i in range(50)}),
     ({i: i / 100 for i in range(100)}, {i: float(i) for i in range(100)})],
)  # fmt: skip
def test_other_units_are_asked_about(first, second):
    with pytest.raises(InvalidInput, match="give both the same unit, or state the lowest and the highest score"):
        uw.compare(first, second)
    assert uw.compare(first, second, low=0, high=100).audit.labels == ("A", "B")


def test_units_that_are_the_same_are_not_asked_about():
    rng = np.random.default_rng(0)
    for times in (1, 2, 10):  # seconds
        quick, slow = (dict(enumerate(k * rng.lognormal(-1, 1, 50))) for k in (1, times))
        uw.compare(quick, slow, minimize=True)
    uw.compare(RIGHT, dict.fromkeys(RIGHT, 0.0))
    uw.compare(dict.fromkeys(range(5), 0.1), {i: 0.3 + 0.001 * i for i in range(5)})


def test_other_names_of_the_same_items_are_asked_about():
    with pytest.raises(
        InvalidInput, match="A has items such as 000, and B has items such as 0: are they written alike"
    ):
        uw.compare({f"{i:03d}": 1 for i in range(9)}, {i: i % 2 for i in range(9)})


def test_scores_without_items_are_refused():
    with pytest.raises(InvalidInput, match="A: give the score of each item"):
        uw.compare([1, 0, 1], [1, 1, 1])


def test_a_mistake_is_named_where_it_stands(unswayed, tmp_path):
    with pytest.raises(
        InvalidInput, match="row 3 of new: new has a score of 1 on item 1, and one of 0 in row 1 of new"
    ):
        uw.compare({1: 1, 2: 0}, [(1, 0), (2, 1), (1, 1)], names=("old", "new"))
    first, second = tmp_path / "one" / "log.csv", tmp_path / "two" / "log.csv"
    for file, rows in ((first, "a,1\nb,0\nc,1\n"), (second, "a,1\nb,0\n\nc,1\nb,1\n")):
        file.parent.mkdir()
        file.write_text("id,score\n" + rows)
    code, _, error = unswayed("compare", first, second)
    assert (code, f"line 6 of {tmp_path}" in error) == (2, True)
    second.write_text("id,score\na,1\nb,1\nc,1\n")
    _, _, notes = unswayed("compare", first, second)
    assert f"{first}: 'id' is the item" in notes
    assert f"{second}: 'id' is the item" in notes
