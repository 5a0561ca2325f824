"""Fits are recorded, so that opening a study, or editing its past, does not repeat them."""

import json

import numpy as np
import pytest

from unswayed import Box, JournalError, Measurement, Optimizer, Options, Real, Study
from unswayed.search import beliefs
from unswayed.storage import FileJournal, MemoryJournal, read_journal

SPACE = Box({"x": Real(-1, 1), "y": Real(0, 1)})
FEW = 5  # fits that are made again at most: those since the newest record


def bowl(point):
    return -((point["x"] - 0.3) ** 2) - (point["y"] - 0.6) ** 2


def noisy(number, point):
    return bowl(point) + float(np.random.default_rng(number).normal(0, 0.02))


def played(journal, plays=40, study=None, **settings):
    study = study or Optimizer(SPACE, journal=journal, **{"seed": 3, "threat": 0.5, **settings})
    points = []
    for _ in range(plays):
        (play,) = study.ask()
        points.append(play.point)
        study.tell(play, noisy(play.number, play.point))
    return study, points


@pytest.fixture
def fits(monkeypatch):
    """One entry for each fit of a model that is made."""
    made = []
    monkeypatch.setattr(beliefs, "fit_model", lambda *a, of=beliefs.fit_model, **k: made.append(1) or of(*a, **k))
    return made


def rewritten(path, change):
    """A journal whose records are changed, as no program of ours would change it."""
    records = change(read_journal(path))
    path.unlink()
    with FileJournal(path) as journal:
        for record in records:
            journal.append(record)


def test_a_study_that_is_opened_repeats_no_fit_and_asks_the_same(tmp_path, fits):
    path, whole = tmp_path / "study.jsonl", played(None, 60)[1]
    asked = []
    for part in (7, 8, 15, 30):
        if asked:
            fits.clear()
            study = Optimizer.open(path)
            asked += [play.point for play in study.ask()]
            assert len(fits) <= 1
            study.tell(len(asked) - 1, noisy(len(asked) - 1, asked[-1]))
            part -= 1
        else:
            study = Optimizer(SPACE, journal=path, seed=3, threat=0.5)
        asked += played(None, part, study)[1]
        study.close()
    assert asked == whole


def test_a_reader_repeats_no_fit(tmp_path, fits):
    path = tmp_path / "study.jsonl"
    with played(path)[0] as study:
        said = json.dumps(study.answer().to_dict())
    fits.clear()
    assert json.dumps(Study.read(path).answer().to_dict()) == said
    assert len(fits) <= 2  # the fit of the answer is one


def test_a_journal_without_fits_is_opened_and_goes_on_in_the_same_way(tmp_path, fits):
    """As versions before this one have written it."""
    path, whole = tmp_path / "study.jsonl", played(None, 36)[1]
    played(path, 30)[0].close()
    rewritten(path, lambda records: [record for record in records if record["kind"] != "fit"])
    fits.clear()
    with Optimizer.open(path) as study:
        assert played(None, 6, study)[1] == whole[30:]
    assert len(fits) > 10


@pytest.mark.parametrize(
    "change",
    [
        {"lengths": [0.1, -1.0]},
        {"lengths": "short"},
        {"refit_at": 1},
        {"tau": None},
        {"told": "many"},
        {"told": True},
        {"told": 10**30},
        {"told": -3},
        {"of": 7},
        {"of": "0" * 64},
    ],
    ids=str,
)
def test_a_fit_that_makes_no_sense_is_made_again(tmp_path, change):
    path, whole = tmp_path / "study.jsonl", played(None, 24)[1]
    played(path, 20)[0].close()
    rewritten(path, lambda records: [{**r, **change} if r["kind"] == "fit" else r for r in records])
    with Optimizer.open(path) as study:
        assert played(None, 4, study)[1] == whole[20:]


def test_a_record_of_an_unknown_kind_is_an_error(tmp_path):
    path = tmp_path / "study.jsonl"
    played(path, 6)[0].close()
    rewritten(path, lambda records: [*records, {"kind": "hunch", "play": 0}])
    with pytest.raises(JournalError, match="invalid: 'hunch'"):
        Optimizer.open(path)


def test_a_fit_of_other_values_is_not_used(tmp_path, fits):
    """The marks find it out, whoever has changed the values."""
    path, other = tmp_path / "study.jsonl", tmp_path / "other.jsonl"
    played(path, 24)[0].close()

    def moved(records):
        return [{**r, "value": r["value"] + 1e-9} if (r["kind"], r.get("play")) == ("tell", 2) else r for r in records]

    rewritten(path, moved)
    other.write_bytes(path.read_bytes())
    rewritten(other, lambda records: [record for record in records if record["kind"] != "fit"])
    fits.clear()
    with Optimizer.open(path) as one, Optimizer.open(other) as two:
        (mine,) = one.ask()
        repeated = len(fits)
        assert mine.point == two.ask()[0].point
    assert repeated > 10


EDITS = {
    "retract an early one": lambda study: study.retract(2, "spoilt"),
    "retract the last one": lambda study: study.retract(39, "spoilt"),
    "correct": lambda study: study.correct(5, 0.1, "a typo"),
    "correct twice": lambda study: (study.correct(5, 9.0, "a typo"), study.correct(6, 9.0, "a typo")),
    "retract many": lambda study: [study.retract(number, "spoilt") for number in range(0, 20, 2)],
    "undo": lambda study: (study.retract(2, "spoilt"), study.restore(2)),
    "another threat": lambda study: study.change(threat=None),
    "as answers come": lambda study: study.change(parallel=None),
    "another note": lambda study: study.change(note="the second week"),
    "more plays": lambda study: study.change(plays=500),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_repeats_no_fits_and_the_study_goes_on_in_the_same_way_when_it_is_opened(tmp_path, fits, edit):
    path = tmp_path / "study.jsonl"
    study, _ = played(path)
    fits.clear()
    EDITS[edit](study)
    points = [study.ask()[0].point]
    assert len(fits) <= FEW
    study.close()

    def opened():
        found = Optimizer.open(path)
        fits.clear()
        return found

    memory = MemoryJournal()
    memory.append(*read_journal(path))
    resident = Optimizer(SPACE, journal=memory, seed=3, threat=0.5)
    for number in range(40, 52):
        resident.tell(number, noisy(number, points[-1]))
        with opened() as study:
            study.tell(number, noisy(number, points[-1]))
            points.append(study.ask()[0].point)
            assert len(fits) <= FEW
        assert resident.ask()[0].point == points[-1]
    assert json.dumps(resident.answer().to_dict()) == json.dumps(Study.read(path).answer().to_dict())


@pytest.mark.parametrize("edit", ["another note", "undo"])
def test_an_edit_that_changes_nothing_for_the_search_leaves_no_trace(edit):
    edited, plain = played(None)[0], played(None)[0]
    EDITS[edit](edited)
    assert played(None, 5, edited)[1] == played(None, 5, plain)[1]


def test_a_retracted_play_leaves_its_value_nowhere(tmp_path):
    """However large it was: the search after one fit from nothing is that of a study that never heard it."""
    found = []
    for value in (0.1, 50.0):
        study, _ = played(None, 0)
        for number in range(12):
            (play,) = study.ask()
            study.tell(play, noisy(number, play.point))
        study.add([({"x": 0.9, "y": 0.9}, value)])
        study.retract(12, "spoilt")
        found.append(study.ask()[0].point)
    assert found[0] == found[1]


def test_a_study_over_options_repeats_no_fit_either(tmp_path, fits):
    path, options = tmp_path / "study.jsonl", Options([[float(i), float(j)] for i in range(5) for j in range(5)])

    def value(point):
        return -((point[0] - 2) ** 2) - (point[1] - 3) ** 2 / 2

    whole = Optimizer(options, seed=1)
    with Optimizer(options, journal=path, seed=1) as study:
        for _ in range(30):
            for one in (whole, study):
                (play,) = one.ask()
                one.tell(play, value(play.point))
    fits.clear()
    with Optimizer.open(path) as study:
        (play,) = study.ask()
    assert len(fits) <= 1
    assert play.point == whole.ask()[0].point


def test_a_play_that_fails_again_goes_on_in_the_same_way_when_it_is_opened(tmp_path):
    path = tmp_path / "study.jsonl"
    study, _ = played(path, 0)
    for play in study.ask(24):
        if play.number == 16:
            study.fail(play, "no power")
        else:
            study.tell(play, noisy(play.number, play.point))
    study.ask()
    study.restore(16)
    study.ask()
    study.fail(16, "no power again")
    assert json.dumps(study.answer().to_dict()) == json.dumps(Study.read(path).answer().to_dict())


def added(study, first, count):
    """Old measurements of four sources, each a little off."""
    rng = np.random.default_rng(first)
    points = [{"x": float(x), "y": float(y)} for x, y in rng.uniform((-1, 0), 1, (count, 2))]
    about = [Measurement(noisy(first + i, x) + 0.1 * (i % 4), f"s{i % 4}") for i, x in enumerate(points)]
    study.add(zip(points, about, strict=True))


def test_many_old_measurements_need_few_fits_and_a_restart_none(tmp_path, fits):
    path = tmp_path / "study.jsonl"
    with Optimizer(SPACE, journal=path, seed=3) as study:
        added(study, 0, 100)
        study.ask()
    fits_of_few = len(fits)
    fits.clear()
    with Optimizer(SPACE, journal=tmp_path / "long.jsonl", seed=3) as study:
        added(study, 0, 400)
        (play,) = study.ask()
    assert fits_of_few <= len(fits) <= fits_of_few + 2  # not one for every tenth more
    fits.clear()
    with Optimizer.open(tmp_path / "long.jsonl") as study:
        study.tell(play.number, noisy(0, play.point))
        study.ask()
    assert len(fits) == 0


@pytest.mark.parametrize("parallel", [1, 3, None])
def test_long_runs_of_old_measurements_are_the_same_after_a_restart(tmp_path, parallel):
    """Whatever was asked, answered or added in the middle of a run, and whenever the study was opened again."""
    found = []
    for reopen in (False, True):
        path = tmp_path / f"{reopen}.jsonl"
        study, said = Optimizer(SPACE, journal=path, seed=3, parallel=parallel), []
        for step, count in enumerate((60, 60, 30, 1, 1)):
            added(study, 100 * step, count)
            if step in (1, 3):
                said.append(study.answer().point)
            if step in (2, 3):
                plays = study.ask(2)
                said += [play.point for play in plays]
                study.tell(plays[-1], noisy(0, plays[-1].point), source="s1")
            if step == 3:
                study.retract(7, "spoilt")
            if reopen:
                study.close()
                study = Optimizer.open(path)
        found.append([*said, *(play.point for play in study.ask(2)), study.answer().point])
        study.close()
    assert found[0] == found[1]
