"""A journal whose header has the wrong shape is refused in one line, and the file stays as it is."""

import math
import random
from pathlib import Path

import pytest

from unswayed import Box, InvalidInput, JournalError, Matern, Optimizer, Real, maximize
from unswayed.storage import FileJournal, MemoryJournal

SPACE = Box({"x": Real(-1, 1)})
KERNEL = Matern(2.5, 0.4)
MISSING = object()
WRONG = [MISSING, None, True, -1, 0, 1.5, "text", "", [], [1, 2], {}, {"name": "Matern"}, 10**400, 1e300]


@pytest.fixture(scope="module")
def header():
    journal = MemoryJournal()
    Optimizer(SPACE, threat=0.5, seed=5, plays=20, kernel=KERNEL, noise_std=0.1, journal=journal).ask()
    return journal.read()[0]


def changed(record, path, value):
    """The record with another value at a path, or without what stands there."""
    first, *rest = path
    inner = changed(record[first], rest, value) if rest else value
    kept = {name: one for name, one in record.items() if name != first}
    return kept if inner is MISSING else {**kept, first: inner}


def written(path, *records):
    with FileJournal(path) as journal:
        journal.append(*records)
    return path.read_bytes()


def refused(path, opening):
    before = path.read_bytes()
    with pytest.raises(JournalError) as error:
        opening(path)
    assert path.read_bytes() == before
    text = str(error.value)
    assert "\n" not in text
    assert len(text) < 600
    with FileJournal(path):  # and it is closed again
        pass
    return text


def begun(path):
    return Optimizer(SPACE, threat=0.5, seed=5, plays=20, kernel=KERNEL, noise_std=0.1, journal=path)


BROKEN = {
    "no settings": (["settings"], MISSING),
    "settings that are a list": (["settings"], [1, 2]),
    "settings that are a text": (["settings"], "fast"),
    "settings of null": (["settings"], None),
    "no settings inside": (["settings"], {}),
    "an unknown setting": (["settings", "colour"], "red"),
    "a setting less": (["settings", "kernel"], MISSING),
    "no kernel": (["settings", "kernel"], MISSING),
    "a kernel that is a text": (["settings", "kernel"], "Matern"),
    "a kernel that is a number": (["settings", "kernel"], 3),
    "a kernel without a name": (["settings", "kernel", "name"], MISSING),
    "a kernel of another name": (["settings", "kernel", "name"], "Cosine"),
    "a kernel whose name is a list": (["settings", "kernel", "name"], [1]),
    "a kernel with an unknown field": (["settings", "kernel", "colour"], 1),
    "a kernel with a wrong field": (["settings", "kernel", "lengthscale"], "wide"),
    "a threat that is a text": (["settings", "threat"], "much"),
    "a threat of text": (["settings", "threat"], "much"),
    "plays that are a text": (["settings", "plays"], "20"),
    "no seed": (["settings", "seed"], None),
    "a seed below 0": (["settings", "seed"], -1),
    "an unknown method": (["settings", "method"], "luck"),
    "a method that is a list": (["settings", "method"], ["auto"]),
    "no space": (["space"], MISSING),
    "a space that is a list": (["space"], [1]),
    "a space of null": (["space"], None),
    "another kind": (["kind"], "letter"),
    "no kind": (["kind"], MISSING),
}


@pytest.mark.parametrize("opening", [begun, Optimizer.open], ids=["Optimizer", "open"])
@pytest.mark.parametrize(("path", "value"), BROKEN.values(), ids=BROKEN)
def test_a_header_of_the_wrong_shape_is_one_line(tmp_path, header, path, value, opening):
    file = tmp_path / "study.jsonl"
    written(file, changed(header, path, value))
    text = refused(file, opening)
    assert str(file) in text
    assert "does not begin with a study" in text


@pytest.mark.parametrize("seed", range(60))
def test_no_header_ends_in_a_traceback(tmp_path, header, seed):
    """Random damage at random places: the study is opened, or it is refused in one line and the file is unchanged."""
    rng = random.Random(seed)
    paths = [
        ["kind"],
        ["space"],
        ["settings"],
        *([part, name] for part in ("space", "settings") for name in header[part]),
    ]
    paths += [["settings", "kernel", name] for name in header["settings"]["kernel"]]
    paths += [["space", "extra"], ["settings", "extra"], ["extra"]]
    for number in range(10):
        file, damaged = tmp_path / f"{number}.jsonl", header
        for path in rng.sample(paths, rng.choice([1, 1, 2])):
            try:
                damaged = changed(damaged, path, rng.choice(WRONG))
            except (KeyError, AttributeError, TypeError):  # an earlier damage took the place away
                continue
        before = written(file, damaged)
        for opening in (Optimizer.open, begun):
            try:
                opening(file).close()
            except JournalError as error:
                assert "\n" not in str(error), str(error)  # noqa: PT017
                assert file.read_bytes() == before
            with FileJournal(file):
                pass


@pytest.mark.parametrize("record", [{}, {"kind": "study"}, {"kind": ["study"]}, {"play": 1}], ids=str)
def test_what_is_no_header_at_all(tmp_path, record):
    file = tmp_path / "study.jsonl"
    written(file, record)
    for opening in (begun, Optimizer.open):
        assert "does not begin with a study" in refused(file, opening)


def test_a_setting_of_another_version_is_named(tmp_path, header):
    file = tmp_path / "study.jsonl"
    written(file, changed(header, ["settings", "colour"], "red"))
    for opening in (begun, Optimizer.open):
        assert refused(file, opening).endswith("unknown setting 'colour'; was it written by another version?")


def test_an_empty_journal_has_no_study_to_open(tmp_path):
    file = tmp_path / "study.jsonl"
    written(file)
    assert "is empty" in refused(file, Optimizer.open)


def test_a_journal_of_another_kind_of_object_holds_headers_to_the_same_rules(header):
    journal = MemoryJournal()
    journal.append(changed(header, ["settings"], MISSING))
    with pytest.raises(JournalError, match="'settings' is missing"):
        begun(journal)


@pytest.mark.parametrize(
    "wrong", [b"x", b"study.jsonl", 3, 0.5, ["study.jsonl"], {"path": "x"}, object, math.nan], ids=repr
)
def test_a_journal_of_the_wrong_type_is_one_clear_line(tmp_path, monkeypatch, wrong):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match="journal must be the name of a file or a Journal, not ") as error:
        Optimizer(SPACE, threat=0.5, journal=wrong)
    assert "\n" not in str(error.value)
    with pytest.raises(InvalidInput, match="journal must be"):
        maximize(lambda point: pytest.fail("measured"), SPACE, plays=3, threat=0.5, journal=wrong)
    with pytest.raises(InvalidInput, match="journal must be the name of a file, not "):
        Optimizer.open(wrong)
    assert list(Path(tmp_path).iterdir()) == []


RECORDS = [
    {"kind": "extend", "plays": "many"},
    {"kind": "extend", "plays": -1},
    {"kind": "extend", "plays": 1.5},
    {"kind": "extend", "plays": [30]},
    {"kind": "extend"},
    {"kind": "extend", "plays": 10},
    {"kind": ["ask"], "play": 0},
    {"kind": "ask", "play": 10**400, "point": {"x": 0.0}},
    {"kind": "ask", "play": 0, "point": {"x": 10**400}},
    {"kind": "ask", "play": 0, "point": {"x": "0"}},
    {"kind": "ask", "play": 0, "point": {"x": [0.0]}},
    {"kind": "ask", "play": 0, "point": {"x": {}}},
    {"kind": "ask", "play": 0, "point": [[0.0]]},
    {"kind": "ask", "play": 0, "point": None},
    {"kind": "ask", "play": "0", "point": {"x": 0.0}},
    {"kind": None},
    {},
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: str(record)[:60])
@pytest.mark.parametrize("opening", [begun, Optimizer.open], ids=["Optimizer", "open"])
def test_a_record_of_the_wrong_shape_is_one_line(tmp_path, header, record, opening):
    file = tmp_path / "study.jsonl"
    written(file, header, record)
    assert "record 2 of the journal is invalid" in refused(file, opening)
