"""What is said about a study afterwards: corrected, retracted, restored, added, changed. Nothing disappears."""

import json
import os
import stat

import pytest

from unswayed import Box, InvalidInput, JournalError, Measurement, Optimizer, Options, Real, Status, Study, Threat, Why
from unswayed.storage import read_journal

SPACE = Box({"x": Real(-1, 1)})


def bowl(point):
    return -((point["x"] - 0.3) ** 2)


def begun(journal=None, plays=12, **settings):
    return Optimizer(SPACE, journal=journal, **{"seed": 3, "threat": 0.5, **settings}), plays


def played(journal=None, plays=12, **settings):
    study, plays = begun(journal, plays, **settings)
    for _ in range(plays):
        (play,) = study.ask()
        study.tell(play, bowl(play.point))
    return study


def same(study, path):
    """The answer is that of a fresh fold of the journal."""
    again = Study.read(path)
    assert again.log == study.log
    assert again.settings == study.settings
    assert json.dumps(again.answer().to_dict()) == json.dumps(study.answer().to_dict())


def test_a_correction_replaces_a_value_and_keeps_the_old_one(tmp_path):
    path = tmp_path / "study.jsonl"
    with played(path) as study:
        before = study.answer().point["x"]
        right = study.log[4].value
        study.correct(4, 5.0, "a typo")
        assert abs(study.answer().point["x"] - study.log[4].point["x"]) < 0.2 or 4 in study.answer().set_aside
        study.correct(study.log[4], right, "it was right")
        play = study.log[4]
        assert (play.status, play.value, play.before, play.reason) == (Status.TOLD, right, (right, 5.0), "it was right")
        assert study.answer().point["x"] == before
        same(study, path)
        row = study.history().to_pylist()[4]
        assert row["before"] == f"{right!r} 5.0"
    kinds = [record["kind"] for record in read_journal(path)]
    assert kinds.count("correct") == 2
    assert kinds.count("tell") == 12


def test_a_failed_play_can_be_given_a_value_or_be_measured_again():
    with begun()[0] as study:
        first, second = study.ask(2)
        study.fail(first, "no power")
        study.fail(second, "no power")
        study.correct(first, -0.25, "found in the notebook", source="lab")
        assert (study.log[0].value, study.log[0].source, study.log[0].before) == (-0.25, "lab", ())
        study.restore(second)
        assert study.open_plays() == [study.log[1]]
        study.tell(1, -0.5)
        assert study.answer().measured == 2


def test_a_study_whose_measurements_are_all_retracted_says_so(tmp_path):
    with played(tmp_path / "study.jsonl", plays=3) as study:
        for number in range(3):
            study.retract(number, "unplugged")
        with pytest.raises(InvalidInput, match="no measurement counts any more; the last reason: unplugged"):
            study.answer()


def test_a_retraction_can_be_undone(tmp_path):
    path = tmp_path / "study.jsonl"
    with played(path) as study:
        before = json.dumps(study.answer().to_dict())
        study.retract(5, "unplugged")
        assert study.answer().measured == 11
        study.restore(5)
        assert json.dumps(study.answer().to_dict()) == before
        same(study, path)


def test_what_cannot_be_is_refused_and_nothing_is_written(tmp_path):
    path = tmp_path / "study.jsonl"
    with played(path, plays=3) as study:
        (play,) = study.ask()
        size = path.stat().st_size
        for refused, words in (
            (lambda: study.restore(0), "play 0 is told: there is nothing to restore"),
            (lambda: study.restore(play), "play 3 is open"),
            (lambda: study.correct(play, 1.0, "no"), "only a measurement can be corrected"),
            (lambda: study.correct(0, float("nan"), "no"), "finite"),
            (lambda: study.correct(99, 1.0, "no"), "never asked for"),
            (lambda: study.add([({"x": 7.0}, 1.0)]), "x"),
            (lambda: study.add([({"x": 0.0}, 1.0), ({"x": 0.0}, float("inf"))]), "finite"),
            (lambda: study.change(seed=4), "seed cannot change"),
            (lambda: study.change(kernel=None), "kernel cannot change"),
            (lambda: study.change(parallel=0), "parallel"),
            (lambda: study.change(threat=-1), "threat"),
            (lambda: study.change(quarantined="lab"), "list"),
        ):
            with pytest.raises(InvalidInput, match=words):
                refused()
        assert path.stat().st_size == size
        study.retract(1, "wrong")
        with pytest.raises(InvalidInput, match="play 1 is retracted: only a measurement"):
            study.correct(1, 1.0, "no")


def test_measurements_that_nobody_asked_for_teach_the_study_and_are_no_plays(tmp_path):
    path = tmp_path / "study.jsonl"
    with begun(path, plays=8)[0] as study:
        study.change(plays=8)
        new = study.add([({"x": x}, Measurement(bowl({"x": x}), source="old")) for x in (-0.9, -0.2, 0.28, 0.35, 0.8)])
        assert [play.why for play in new] == [Why.ADDED] * 5
        assert study.plays_left == 8
        assert abs(study.answer().point["x"] - 0.3) < 0.1
        while asked := study.ask():
            study.tell(asked[0], bowl(asked[0].point))
        assert len(study.log) == 13
        assert Why.START not in [play.why for play in study.log]  # there is a model from the beginning
        assert abs(study.answer().point["x"] - 0.3) < 0.02
        same(study, path)


def test_settings_change_from_here_on(tmp_path):
    path = tmp_path / "study.jsonl"
    with played(path, plays=10) as study:
        study.change(threat=Threat(lies=2), note="the second week", parallel=3)
        assert study.settings.threat == Threat(lies=2)
        assert "If at most 2 measurements are false" in " ".join(str(study.answer()).split())
        study.change(threat=None)
        assert study.answer().threat is None
        study.change(threat=None)  # nothing changes
        same(study, path)
    assert [record["kind"] for record in read_journal(path)].count("change") == 2
    with Optimizer.open(path) as study:
        assert (study.settings.threat, study.settings.note, study.settings.parallel) == (None, "the second week", 3)
    with Optimizer(SPACE, journal=path, threat=0.5, seed=3) as study:  # as it was begun: the changes stay
        assert study.settings.threat is None
    with pytest.raises(JournalError, match="threat"):
        Optimizer(SPACE, journal=path, threat=0.7, seed=3)


def test_a_quarantined_source_does_not_count_until_it_is_let_out(tmp_path):
    path = tmp_path / "study.jsonl"
    with Optimizer(Options(["a", "b"]), journal=path, seed=0) as study:
        for name in ("lab", "lab", "liar", "liar", "lab", "lab"):
            (play,) = study.ask(source=name)
            study.tell(play, 5.0 if name == "liar" else {"a": 1.0, "b": 2.0}[play.point])
        before = json.dumps(study.answer().to_dict())
        study.change(quarantined=["liar"])
        assert [str(play.status) for play in study.log].count("quarantined") == 2
        assert study.answer().measured == 4
        (play,) = study.ask(source="liar")
        study.tell(play, 9.0)
        assert study.log[-1].status is Status.QUARANTINED
        same(study, path)
        study.retract(6, "late")
        study.change(quarantined=[])
        assert study.answer().estimate == pytest.approx(json.loads(before)["estimate"], rel=1e-6)
        assert study.log[-1].status is Status.RETRACTED
        same(study, path)


def test_reopened_after_every_record_it_asks_for_the_same(tmp_path):
    """Corrections, additions and changes in between; with plays in turn, and with plays as answers come."""
    for parallel in (1, 3, None):
        asked = []
        for reopen in (False, True):
            path = tmp_path / f"{parallel}-{reopen}.jsonl"
            study = begun(path, parallel=parallel)[0]
            points = []
            for step in range(14):
                new = study.ask(2)
                points += [play.point["x"] for play in new]
                late = study.open_plays()
                study.tell(late[-1], bowl(late[-1].point))  # the newest first: one stays open for ever
                if step == 4:
                    study.correct(late[-1], 0.5, "typo")
                if step == 6:
                    study.add([({"x": 0.31}, bowl({"x": 0.31}))])
                if step == 8:
                    study.change(threat=None)
                if reopen:
                    study.close()
                    study = Optimizer.open(path)
            study.close()
            asked.append(points)
        assert asked[0] == asked[1]


def test_without_a_number_in_parallel_each_play_sees_all_answers():
    """The first play stays open: in turn nothing would ever be learned."""
    for parallel, learned in ((1, False), (None, True)):
        study = begun(parallel=parallel)[0]
        study.ask()
        for _ in range(25):
            (play,) = study.ask()
            study.tell(play, bowl(play.point))
        assert (study.log[-1].why is not Why.START) == learned


def test_times_and_durations_are_kept(tmp_path):
    path = tmp_path / "study.jsonl"
    with played(path, plays=3) as study:
        for play in study.log:
            assert 0 <= play.seconds < 60
            assert play.seconds == round(play.seconds, 3)
            assert play.asked > 1.6e9
    assert all("at" in record for record in read_journal(path))
    table = Study.read(path).history().to_pylist()
    assert table[0]["seconds"] == study.log[0].seconds


def test_reading_needs_no_lock_and_no_permission_to_write(tmp_path):
    path = tmp_path / "study.jsonl"
    with played(path, plays=6) as study:
        os.chmod(path, stat.S_IRUSR)
        before = path.read_bytes(), path.stat().st_mtime_ns
        reading = Study.read(path)
        assert reading.answer().point == study.answer().point
        assert (path.read_bytes(), path.stat().st_mtime_ns) == before
        with open(path, "rb") as file:
            whole = file.read()
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(whole[:-7])
    assert len(Study.read(torn).log) == 6
    assert torn.read_bytes() == whole[:-7]
    assert sorted(os.listdir(tmp_path)) == ["study.jsonl", "torn.jsonl"]
    with pytest.raises(JournalError, match="there is no journal"):
        Study.read(tmp_path / "other.jsonl")
