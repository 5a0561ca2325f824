"""A play that was measured at another point than the one that was proposed: 71 was set instead of 70.5."""

import json

import pytest

from unswayed import Box, Categorical, InvalidInput, JournalError, Optimizer, Options, Real, Status, Study
from unswayed.storage import read_journal

SPACE = Box({"T": Real(20, 80, step=0.5), "stirrer": Categorical(["slow", "fast"])})


def value(point):
    return -((point["T"] - 50) ** 2) / 100 + (point["stirrer"] == "fast")


def same(study, path):
    """The answer, and what is asked next, are those of a fresh fold of the journal."""
    again = Study.read(path)
    assert again.log == study.log
    assert json.dumps(again.answer().to_dict()) == json.dumps(study.answer().to_dict())
    asked = study._search.choose(3)
    assert asked == again._search.choose(3)


@pytest.mark.parametrize("first", ["move", "tell"])
def test_the_value_counts_where_it_was_measured_and_the_proposal_is_answered(tmp_path, first):
    path = tmp_path / "study.jsonl"
    with Optimizer(SPACE, journal=path, seed=3, parallel=None) as study:
        plays = study.ask(9)
        there = 71.0 if plays[4].point["T"] != 71 else 72.0
        for play in plays:
            moved = play.point | {"T": there} if play.number == 4 else play.point
            if play.number == 4 and first == "move":
                study.move(play, {"T": there})
            study.tell(play, value(moved))
        if first == "tell":
            study.move(4, {"T": there})
        play = study.log[4]
        assert (play.point, play.proposed) == (plays[4].point | {"T": there}, plays[4].point)
        assert play.status is Status.TOLD
        assert not study.open_plays()
        assert study.history().to_pylist()[4]["proposed"] == f"T = {plays[4].point['T']}"
        same(study, path)
        study.tell(plays[4], value(play.point))  # again, with the play as it was asked: harmless
    record = next(one for one in read_journal(path) if one["kind"] == "move")
    assert record["point"] == play.point
    with Optimizer(SPACE, seed=3, parallel=None) as other:  # the same measurements, asked there at once
        other.add([(play.point, play.value) for play in Study.read(path).log])
        assert other.answer().estimate == pytest.approx(Study.read(path).answer().estimate)


def test_an_open_play_that_was_moved_is_pending_where_it_is():
    with Optimizer(SPACE, seed=3, parallel=None) as study:
        for play in study.ask(10):
            study.tell(play, value(play.point))
        (play,) = study.ask()
        (then,) = study._search.choose(1)
        study.move(play, then[0])  # to the point that would have come next
        (after,) = study.ask()
        assert after.point != then[0]


def test_a_number_between_two_steps_counts_at_the_nearest_one_if_that_is_wanted(tmp_path):
    path = tmp_path / "study.jsonl"
    with Optimizer(SPACE, journal=path, seed=3) as study:
        study.ask()
        with pytest.raises(InvalidInput, match=r"lies between two steps of 0.5 .* with --nearest"):
            study.move(0, {"T": 70.8})
        study.move(0, {"T": 70.8}, nearest=True)
        assert study.log[0].point["T"] == 71
    assert read_journal(path)[-1]["set"] == {"T": 70.8}  # what was really set is kept


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ({"T": 99}, "outside"), ({"t": 71}, "unknown parameter 't'"), ({"stirrer": "medium"}, "not one of"),
        (5, "a point is a mapping"), (None, "a point is a mapping"), ({"T": "x"}, "must be a number"),
    ],
)  # fmt: skip
def test_another_point_must_be_in_the_space(point, words):
    with Optimizer(SPACE, seed=3) as study:
        study.ask()
        before = study.log
        with pytest.raises(InvalidInput, match=words):
            study.move(0, point)
        with pytest.raises(InvalidInput, match="never asked for"):
            study.move(1, {"T": 71})
        assert study.log == before


def test_a_play_can_be_moved_back_and_then_nothing_is_left_to_say(tmp_path):
    path = tmp_path / "study.jsonl"
    with Optimizer(SPACE, journal=path, seed=3) as study:
        (play,) = study.ask()
        study.move(0, {"T": 33})
        study.move(0, {"T": 34})
        assert study.log[0].proposed == play.point
        study.move(0, play.point)
        assert study.log[0] == play
        written = path.read_bytes()
        study.move(0, play.point)
        assert path.read_bytes() == written


def test_a_parameter_that_the_other_setting_does_not_have_is_dropped():
    two = Box({"acid": Categorical(["HCl", "none"]), "ml": Real(0, 5, when={"acid": "HCl"})})
    with Optimizer(two, seed=0) as study:
        play = next(play for play in study.ask(8) if play.point["acid"] == "HCl")
        study.move(play, {"acid": "none"})
        assert study.log[play.number].point == {"acid": "none"}
        with pytest.raises(InvalidInput, match="no value for ml"):
            study.move(play, {"acid": "HCl"})
        study.move(play, {"acid": "HCl", "ml": 2})
        assert study.log[play.number].point == {"acid": "HCl", "ml": 2.0}


@pytest.mark.parametrize("options", [["a", "b", "c"], [[0, 1], [1, 2], [2, 3]], [{"x": 1}, {"x": 2}, {"x": 4}]])
def test_another_option_was_taken(options):
    with Optimizer(Options(options), seed=0) as study:
        (play,) = study.ask()
        other = next(one for one in options if study.space.check(one) != play.point)
        study.move(play, other)
        assert study.log[0].point == study.space.check(other)
        study.tell(0, 1.0)
        assert study.answer().point == study.space.check(other)


def test_a_journal_with_a_point_outside_the_space_is_refused(tmp_path):
    with Optimizer(SPACE, journal=tmp_path / "study.jsonl", seed=3) as study:
        study.ask()
        study._journal.append({"kind": "move", "play": 0, "point": {"T": 99, "stirrer": "slow"}})
    with pytest.raises(JournalError, match="outside"):
        Study.read(tmp_path / "study.jsonl")
