"""`unswayed study`: every verb, wrong input, journals that others use or that may not be written."""

import csv
import json
import locale
import os
import stat
import subprocess
import sys
import tempfile
import threading
from io import StringIO
from pathlib import Path

import openpyxl
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unswayed import Box, Categorical, InvalidInput, Measurement, Optimizer, Options, Real, Status, Study, Threat
from unswayed.cli.study import app
from unswayed.storage import FileJournal, read_journal
from unswayed.study.tables.sheets import read_sheet, sheet

UNSWAYED = [sys.executable, "-c", "from unswayed.cli import main; main()"]
SPACE = """
temperature = {type = "integer", low = 60, high = 90, unit = "°C"}
dose = {low = 0.5, high = 4.0}
solvent = {choices = ["water", "ethanol", 3, true]}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in, with a file of a space."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "space.toml").write_text(SPACE)
    return tmp_path


@pytest.fixture
def study(unswayed, folder):
    """Run `unswayed study VERB lab.jsonl ...` on a study that was begun."""
    code, _, err = unswayed("study", "new", "lab.jsonl", "--space", "space.toml", "--seed", 7)
    assert (code, err) == (0, "")

    def run(verb, *arguments):
        return unswayed("study", verb, "lab.jsonl", *arguments)

    return run


@pytest.fixture
def told(study):
    """The same, with plays 0 to 5 told by two sensors, and plays 6 and 7 open."""
    assert study("ask", 8)[0] == 0
    with Optimizer.open("lab.jsonl") as lab:
        for number in range(6):
            lab.tell(number, round(0.1 * number + 0.05, 2), source=f"sensor-{number % 2}")
    return study


def log():
    return Study.read("lab.jsonl").log


def refused(result, *words):
    """One clear line, code 2, nothing on standard output."""
    code, out, err = result
    assert (code, out) == (2, ""), err
    assert err.startswith("unswayed: ")
    assert err.count("\n") == 1
    for word in words:
        assert word in err, err
    return True


# -- new --------------------------------------------------------------------------------------------------------------


def test_a_new_study_takes_the_options_of_run(unswayed, folder):
    options = ("--budget", 0.5, "--lies", 2, "--low", 0, "--high", 1, "--minimize", "--plays", 40, "--seed", 3)
    code, out, err = unswayed("study", "new", "lab.jsonl", "--space", "space.toml", *options, "--note", "the oven")
    assert (code, err) == (0, "")
    assert "temperature, dose, solvent" in out
    begun = Study.read("lab.jsonl").settings
    assert (begun.threat, begun.minimize, begun.plays, begun.seed) == (Threat(0.5, 2, low=0, high=1), True, 40, 3)
    assert (begun.note, begun.parallel) == ("the oven", None)
    doubt = ("--doubt", "self-reported", "--low", 0, "--high", 1)
    assert unswayed("study", "new", "shared.jsonl", "--space", "space.toml", *doubt)[0] == 0
    assert Study.read("shared.jsonl").settings.threat == Threat(doubt="self-reported", low=0, high=1)


def test_new_never_touches_a_file_that_is_there(unswayed, study, folder):
    before = (folder / "lab.jsonl").read_bytes()
    refused(unswayed("study", "new", "lab.jsonl", "--space", "space.toml"), "exists already", "study status")
    refused(unswayed("study", "new", "space.toml", "--space", "space.toml"), "exists already")
    refused(unswayed("study", "new", ".", "--space", "space.toml"), "exists already")
    assert (folder / "lab.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("x.jsonl",), "--space"),
        (("x.jsonl", "--space", "none.toml"), "cannot read none.toml"),
        (("x.jsonl", "--space", "space.toml", "--plays", 0), "plays"),
        (("x.jsonl", "--space", "space.toml", "--budget", "nan"), "threat"),
        (("no/x.jsonl", "--space", "space.toml"), "cannot open no/x.jsonl"),
        (("x.jsonl", "--space", "space.toml", "--low", 0, "--high", 1), "add --budget, --lies or --liars"),
    ],
    ids=str,
)
def test_wrong_use_of_new_leaves_nothing(unswayed, folder, arguments, word):
    refused(unswayed("study", "new", *arguments), word)
    assert os.listdir(folder) == ["space.toml"]


def test_more_options_than_a_journal_holds_are_refused_at_the_beginning(unswayed, folder):
    (folder / "rows.csv").write_text("x\n" + "".join(f"{i}\n" for i in range(10_001)))
    (folder / "rows.toml").write_text('options = "rows.csv"\n')
    refused(unswayed("study", "new", "lab.jsonl", "--space", "rows.toml"), "at most 10,000 options")
    assert not (folder / "lab.jsonl").exists()


# -- status -----------------------------------------------------------------------------------------------------------


def test_status_says_all_at_a_glance(told):
    code, out, err = told("status")
    assert (code, err) == (0, "")
    assert "6 told, 2 open; no limit" in out
    assert "threat      not known" in out
    assert "Best so far: temperature = " in out
    assert "Open plays, to be measured:" in out
    assert out.rstrip().splitlines()[-1].startswith("7 ")


def test_status_puts_the_threat_beside_what_could_change_the_answer(study):
    study("ask", 14)
    with Optimizer.open("lab.jsonl") as lab:
        for play in lab.open_plays():
            lab.tell(play, -abs(play.point["dose"] - 2), source=f"sensor-{play.number % 3}")
    study("change", "--lies", 1)
    facts = dict(line.split(maxsplit=1) for line in study("status")[1].split("\n\n")[0].splitlines())
    found = Study.read("lab.jsonl").answer().breakdown
    assert facts["threat"] == "1 false measurement"
    assert float(facts["breakdown"].split()[0]) == pytest.approx(found.budget, rel=1e-3)
    assert f"or {found.lies} false measurement" in facts["breakdown"]
    assert f"or {found.liars} lying source" in facts["breakdown"]
    assert facts["breakdown"].endswith("could have changed the answer")


def test_status_before_and_at_the_end(unswayed, folder):
    unswayed("study", "new", "lab.jsonl", "--space", "space.toml", "--plays", 2, "--lies", 1)
    assert "Nothing has been measured so far." in unswayed("study", "status", "lab.jsonl")[1]
    unswayed("study", "ask", "lab.jsonl", 2)
    unswayed("study", "fail", "lab.jsonl", 0, "--reason", "broken")
    unswayed("study", "tell", "lab.jsonl", 1, 0.5)
    code, out, _ = unswayed("study", "status", "lab.jsonl")
    assert code == 0
    assert "1 failed, 1 told; 0 of 2 left to ask" in out
    assert "threat      1 false measurement" in out
    record = json.loads(unswayed("study", "status", "lab.jsonl", "--json")[1])
    assert record["finished"] is True
    assert record["counts"] == {"failed": 1, "told": 1}
    assert record["answer"]["estimate"] == pytest.approx(0.5)


def test_status_as_json(told):
    record = json.loads(told("status", "--json")[1])
    assert record["settings"]["seed"] == 7
    assert (record["counts"], record["plays_left"], record["finished"]) == ({"told": 6, "open": 2}, None, False)
    assert [play["number"] for play in record["open"]] == [6, 7]
    assert record["open"][0]["point"] == log()[6].point
    assert record["answer"] == json.loads(json.dumps(Study.read("lab.jsonl").answer().to_dict()))


def test_reading_works_while_another_process_has_the_lock(told, folder):
    with FileJournal("lab.jsonl"):
        assert told("status")[0] == 0
        assert told("ask", "--open")[1].count("\n") == 3
        assert told("export")[0] == 0
        assert told("plot")[0] == 0
        refused(told("tell", 6, 1), "another Unswayed process has lab.jsonl open; wait for it to end")
        refused(told("ask"), "another Unswayed process")
    assert told("tell", 6, 1)[0] == 0


def test_a_line_that_is_being_written_is_not_read_and_not_cut(told, folder):
    whole = Path("lab.jsonl").read_bytes()
    Path("lab.jsonl").write_bytes(whole[:-9])
    assert "5 told, 3 open" in told("status")[1]
    assert Path("lab.jsonl").read_bytes() == whole[:-9]
    code, _, err = told("tell", 6, 0.5)
    assert code == 0
    assert err.startswith("unswayed: lab.jsonl: the last line was torn by a crash")
    assert err.count("\n") == 1
    assert (folder / "lab.jsonl.torn").read_bytes() == whole.splitlines(keepends=True)[-1][:-9]


@pytest.fixture
def elsewhere(unswayed, monkeypatch):
    """A folder with a study where nobody may write, also if the tests run as root."""
    with tempfile.TemporaryDirectory() as name:
        monkeypatch.chdir(name)
        Path("space.toml").write_text(SPACE)
        unswayed("study", "new", "lab.jsonl", "--space", "space.toml", "--seed", 7)
        unswayed("study", "ask", "lab.jsonl", 3)
        unswayed("study", "tell", "lab.jsonl", 1, 0.5)
        os.chmod("lab.jsonl", 0o444)
        os.chmod(name, 0o555)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        try:
            yield Path(name)
        finally:
            if root:
                os.seteuid(0)
            os.chmod(name, 0o755)


def test_without_permission_to_write_it_can_be_read(unswayed, elsewhere):
    before = (elsewhere / "lab.jsonl").read_bytes()
    code, out, err = unswayed("study", "status", "lab.jsonl")
    assert (code, err) == (0, "")
    assert "1 told" in out
    assert unswayed("study", "export", "lab.jsonl")[0] == 0
    assert unswayed("study", "ask", "lab.jsonl", "--open", "--csv")[0] == 0
    for arguments in (("tell", "lab.jsonl", 0, 1), ("ask", "lab.jsonl"), ("retract", "lab.jsonl", 1, "--reason", "x")):
        code, out, err = unswayed("study", *arguments)
        assert (code, out) == (3, "")
        assert err == "unswayed: cannot open lab.jsonl: Permission denied\n"
    code, _, err = unswayed("study", "export", "lab.jsonl", "--out", "lab.csv")
    assert (code, err) == (3, "unswayed: cannot write lab.csv: Permission denied\n")
    assert (elsewhere / "lab.jsonl").read_bytes() == before
    assert sorted(os.listdir(elsewhere)) == ["lab.jsonl", "space.toml"]


# -- ask, tell, fail --------------------------------------------------------------------------------------------------


def test_ask_prints_a_table_or_json_or_a_sheet(study, folder):
    code, out, err = study("ask", 2)
    assert (code, err) == (0, "")
    assert out.splitlines()[0].split() == ["play", "temperature", "dose", "solvent"]
    assert "°C" in out
    plays = json.loads(study("ask", 3, "--source", "ana", "--json")[1])["plays"]
    assert [play["number"] for play in plays] == [2, 3, 4]
    assert [play["source"] for play in plays] == ["ana"] * 3
    assert plays[0]["point"] == log()[2].point
    rows = list(csv.DictReader(StringIO(study("ask", "--csv")[1])))
    assert list(rows[0]) == ["number", "temperature", "dose", "solvent", "value", "source", "moved"]
    assert rows[0]["value"] == ""
    assert float(rows[0]["dose"]) == log()[5].point["dose"]  # every digit
    assert study("ask", "--open", "--out", "open.csv")[0] == 0
    assert len(log()) == 6
    assert (folder / "open.csv").read_text() == sheet(log(), Study.read("lab.jsonl").space)


def test_a_sheet_is_a_spreadsheet_or_a_csv_as_this_system_writes_numbers(study, folder, monkeypatch):
    out = study("ask", 3, "--out", "batch.xlsx")[1]
    assert out.endswith(
        "sheet: batch.xlsx: fill in its values, then `unswayed study tell lab.jsonl --sheet batch.xlsx`\n"
    )
    header, *rows = openpyxl.load_workbook("batch.xlsx").active.iter_rows(values_only=True)
    assert header == ("number", "temperature", "dose", "solvent", "value", "source", "moved")
    assert [row[1] for row in rows] == [play.point["temperature"] for play in log()]
    monkeypatch.setattr(locale, "localeconv", lambda: {"decimal_point": ","})
    for name, options, begin in (
        ("own.csv", (), "number;temperature;dose"),
        ("point.csv", ("--decimal", "point"), "number,temperature,dose"),
        ("comma.csv", ("--decimal", "comma"), "number;temperature;dose"),
    ):
        assert study("ask", "--open", "--out", name, *options)[0] == 0
        assert Path(name).read_text().startswith(begin)
        assert study("tell", "--sheet", name)[1].startswith("told 0 plays; 3 rows without a value")
    assert study("ask", "--open", "--csv")[1].startswith("number,temperature,dose")  # for scripts
    assert study("ask", "--open", "--csv", "--decimal", "comma")[1].startswith("number;temperature;dose")
    refused(study("ask", 1, "--out", "batch.ods"), "a sheet is .xlsx or .csv")
    refused(study("ask", 1, "--decimal", "dot"), "--decimal must be comma or point")
    assert len(log()) == 3


def test_a_setting_that_is_asked_for_twice_at_once_is_said(unswayed, folder):
    Path("space.toml").write_text('mould = {choices = ["a", "b", "c"]}\n')
    unswayed("study", "new", "lab.jsonl", "--space", "space.toml", "--seed", 7)
    code, _, err = unswayed("study", "ask", "lab.jsonl", 4)
    points = [play.point for play in log()]
    first = points.index(points[3])
    assert (code, err) == (0, f"unswayed: note: plays {first} and 3 are the same setting, to be measured 2 times\n")


def test_what_was_really_set_is_said_by_a_verb_or_in_the_sheet(study, folder):
    study("ask", 3, "--out", "batch.csv")
    asked = [play.point for play in log()]
    other = {number: 61 if asked[number]["temperature"] != 61 else 62 for number in range(3)}
    out = study("move", 0, f"temperature={other[0]}", "solvent=3")[1]
    assert out == f"moved play 0 to temperature={other[0]} and solvent=3\nlab.jsonl: 3 open\n"
    assert log()[0].point == asked[0] | {"temperature": other[0], "solvent": 3}
    rows = list(csv.DictReader(StringIO(Path("batch.csv").read_text())))
    rows[1] |= {"temperature": other[1], "moved": "yes"}
    fill("batch.csv", ["1", "2", "3"], **{name: [row[name] for row in rows] for name in ("temperature", "moved")})
    _, out, err = study("tell", "--sheet", "batch.csv")
    assert out.startswith("told 3 plays; 1 play moved to what was really set\n")
    assert "note: play 0 was moved before: it counts there, and not where the sheet says" in err
    assert err.count("note: play") == 1
    assert [play.point["temperature"] for play in log()] == [other[0], other[1], asked[2]["temperature"]]
    assert [play.proposed for play in log()] == [asked[0], asked[1], None]
    before = Path("lab.jsonl").read_bytes()
    assert study("tell", "--sheet", "batch.csv")[1].startswith("told 0 plays; 3 rows told before\n")
    assert Path("lab.jsonl").read_bytes() == before
    study("move", 2, "temperature=60.4 °C", "--nearest")
    assert log()[2].point["temperature"] == 60
    refused(study("move", 2, "temperature=60.4"), "--nearest")
    refused(study("move", 2, "temperature=60", "0.5"), "and no value")
    refused(study("move", 2, "heat=60"), "no such parameter: heat=60")
    refused(study("move", 9, "temperature=60"), "play 9 was never asked for")


def test_a_sheet_never_replaces_one_that_may_be_filled_in(study, folder):
    study("ask", 2, "--out", "batch.csv")
    refused(study("ask", 2, "--out", "batch.csv"), "exists already")
    refused(study("ask", 2, "--out", "no/batch.csv"), "folder")
    assert len(log()) == 2  # nothing was asked for nobody


def test_used_up_plays_are_said(unswayed, folder):
    unswayed("study", "new", "lab.jsonl", "--space", "space.toml", "--plays", 3)
    assert unswayed("study", "ask", "lab.jsonl", 2)[2] == ""
    code, out, err = unswayed("study", "ask", "lab.jsonl", 2)
    assert (code, out.count("\n"), err.count("\n")) == (0, 2, 1)
    assert "1 of 2: the plays of this study are used up; `unswayed study change lab.jsonl --plays NUMBER`" in err
    assert json.loads(unswayed("study", "ask", "lab.jsonl", "--json")[1]) == {"plays": []}


def test_tell_one_value(study):
    study("ask", 3)
    assert study("tell", 1, -0.5, "--source", "ana", "--noise-std", 0.1)[1] == (
        "told play 1: -0.5\nlab.jsonl: 2 open, 1 told\n"
    )
    assert study("tell", 1, -0.5, "--source", "ana", "--noise-std", 0.1)[0] == 0  # again: harmless
    assert study("tell", 2, 0.25, "--trials", 4)[0] == 0
    assert study("tell", 0, " 1e-400")[1].startswith("told play 0: 0.0\n")  # what is kept, and not what was typed
    assert study("correct", 0, "٣", "--reason", "typo")[1].startswith("corrected play 0: 3.0, before 0.0\n")
    play = log()[1]
    assert (play.value, play.source, play.noise_std) == (-0.5, "ana", 0.1)
    assert log()[2].trials == 4
    assert len([record for record in read_journal("lab.jsonl") if record["kind"] == "tell"]) == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((99, 1), "play 99 was never asked for; the last one is 7"),
        ((-1, 1), "at least 0"),
        ((6, "nan"), "must be finite"),
        ((6, "-inf"), "must be finite"),
        ((6, "1e300"), "too large"),
        ((6, "0,5"), "'0,5' is not a number (write a point, not a comma)"),
        ((6, "high"), "'high' is not a number"),
        ((6, ""), "not a number"),
        ((6,), "VALUE"),
        ((), "--sheet FILE"),
        (("six", 1), "'six' is not the number of a play; a sheet is told with --sheet FILE"),
        (("batch.csv",), "a sheet is told with --sheet FILE"),
        ((0, 0.7), "play 0 was already told 0.05"),
        ((6, 1, "--noise-std", 0), "standard error"),
        ((6, 0.3, "--trials", 4), "number of successes"),
        ((6, 1, "--surce", "ana"), "--surce"),
        ((6, 1, 2), "2"),
        ((6, 1, "--csv", "b.csv"), "--sheet alone"),
        (("--csv", "none.csv"), "cannot read none.csv"),
    ],
    ids=str,
)
def test_a_wrong_value_is_one_clear_line_and_nothing_is_told(told, arguments, words):
    before = Path("lab.jsonl").read_bytes()
    refused(told("tell", *arguments), words)
    assert Path("lab.jsonl").read_bytes() == before


def test_a_play_that_failed(told):
    code, out, _ = told("fail", 6, "--reason", "the flask\nbroke")
    assert (code, out.splitlines()[0]) == (0, "play 6 has failed: the flask broke")
    refused(told("fail", 7), "--reason")
    refused(told("fail", 0, "--reason", "no"), "already told")
    assert told("restore", 6)[0] == 0
    assert log()[6].status is Status.OPEN


# -- sheets -----------------------------------------------------------------------------------------------------------


def fill(path, values, **columns):
    """Fill in the column of the values, and others."""
    rows = list(csv.DictReader(StringIO(Path(path).read_text())))
    for row, value in zip(rows, values, strict=False):
        row["value"] = value
        row |= {name: cells[int(row["number"])] for name, cells in columns.items()}
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_a_sheet_is_filled_in_and_given_back_bit_by_bit(study, folder):
    study("ask", 4, "--source", "ana", "--out", "batch.csv")
    fill("batch.csv", ["0.5", "", " -1e-3 ", ""], source=["", "", "ben", ""], note=["", "hot", "", ""])
    code, out, err = study("tell", "--csv", "batch.csv")
    assert (code, err) == (0, "")
    assert out == "told 2 plays; 2 rows without a value; ignored the column note\nlab.jsonl: 2 told, 2 open\n"
    assert [(play.value, play.source) for play in log()] == [(0.5, "ana"), (None, "ana"), (-1e-3, "ben"), (None, "ana")]
    fill("batch.csv", ["0.5", "7", " -1e-3 ", ""])
    out = study("tell", "--csv", "batch.csv")[1]
    assert out.startswith("told 1 play; 2 rows told before; 1 row without a value")
    before = Path("lab.jsonl").read_bytes()
    assert study("tell", "--csv", "batch.csv")[0] == 0
    assert Path("lab.jsonl").read_bytes() == before
    study("correct", 1, 0.7, "--reason", "typo")
    study("retract", 0, "--reason", "door")
    assert study("tell", "--csv", "batch.csv")[1].startswith("told 0 plays; 3 rows told before")
    assert [play.value for play in log()][:2] == [0.5, 0.7]
    assert log()[0].status is Status.RETRACTED


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("99,60,1,water,0.5,", "there is no play 99"),
        ("1.5,60,1,water,0.5,", "there is no play 1.5"),
        ("one,60,1,water,0.5,", "'one' is not a finite number in the column 'number'"),
        (",60,1,water,0.5,", "the column 'number' is empty here"),
        ("POINT,nan,", "'nan' is not a finite number in the column 'value'"),
        ('POINT,"0,5",', "'0,5' in the column 'value' does not fit: other cells have a decimal point"),
        ("POINT,1_000,", "'1_000' is not a finite number in the column 'value'"),
        ("1,61,1,water,0.5,", "but play 1 was asked at"),
        ("POINT,0.5", "5 cells where the first row has 6"),
        ("0,ZERO,0.75,", "two different values"),
        ("POINT,0.5," + "x" * 300, "at most 200 characters"),
    ],
    ids=str,
)
def test_a_wrong_line_is_named_and_nothing_of_the_sheet_is_told(study, line, words):
    study("ask", 3, "--out", "batch.csv")
    header, first, second, _ = Path("batch.csv").read_text().splitlines()
    point, zero = second.removesuffix(",,,"), first.split(",", 1)[1].removesuffix(",,,")
    line = line.replace("POINT", point).replace("ZERO", zero)
    header = header.removesuffix(",moved")
    Path("batch.csv").write_text("\n".join([header, f"{first.removesuffix(',,,')},0.25,", line]) + "\n")
    before = Path("lab.jsonl").read_bytes()
    refused(study("tell", "--csv", "batch.csv"), "batch.csv, line 3", words)
    assert Path("lab.jsonl").read_bytes() == before


def test_a_sheet_without_its_columns_is_refused(study):
    study("ask", 1)
    for text in (
        "number,vaule\n0,1\n",
        "0,1\n",
        "number\n0\n",
        "",
        "\n\n",
        "number;vaule\n0;1\n",
        "\0",
        "number,value",
    ):
        Path("batch.csv").write_text(text)
        refused(study("tell", "--csv", "batch.csv"), "batch.csv")
    Path("batch.csv").write_bytes(b"number,value\n0,\xff\n")
    refused(study("tell", "--csv", "batch.csv"), "batch.csv")
    refused(study("tell", "--csv", "."), "cannot read .")


def test_a_spreadsheet_may_round_and_reorder(study):
    study("ask", 3, "--out", "batch.csv")
    rows = list(csv.DictReader(StringIO(Path("batch.csv").read_text())))
    with open("other.csv", "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(["value", "dose", "number", "solvent", "trials"])
        for row in reversed(rows):
            writer.writerow(["0.5", f"{float(row['dose']):.4g}", row["number"], row["solvent"].upper(), "10.0"])
    assert study("tell", "--csv", "other.csv")[0] == 0
    assert [(play.value, play.trials) for play in log()] == [(0.5, 10)] * 3


cell = st.sampled_from(
    ["", " ", "0", "1", "2", "3", "-1", "0.5", "nan", "inf", "1e999", "x", "0,5", "\0", '"', "é", "\r"]
)
cell |= st.text(max_size=4) | st.floats().map(str) | st.integers(-3, 5).map(str)
PLAYED = Optimizer(Box({"x": Real(0, 1), "value": Categorical(["a", 3, True])}), seed=0)
for _play in PLAYED.ask(4):
    pass
PLAYED.tell(3, 0.5)


@settings(max_examples=300)
@given(
    header=st.lists(st.sampled_from(["number", "value", "source", "noise_std", "trials", "x", "why"]), max_size=5),
    rows=st.lists(st.lists(cell, max_size=6), max_size=5),
)
def test_any_sheet_is_read_whole_or_refused_in_one_line(header, rows):
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "batch.csv"
        with path.open("w", newline="", encoding="utf-8", errors="replace") as file:
            csv.writer(file).writerows([["number", "value", *header], *rows])
        try:
            found = read_sheet(path, PLAYED.log, PLAYED.space)
        except InvalidInput as error:
            assert "batch.csv" in str(error)  # noqa: PT017  # it need not be refused
            return
    for number, measured in found.told.items():
        assert PLAYED.log[number].status is Status.OPEN
        assert isinstance(measured, Measurement)


# -- correct, retract, restore, add -----------------------------------------------------------------------------------


def test_a_value_is_corrected_and_the_old_one_kept(told):
    code, out, _ = told("correct", 2, -0.75, "--reason", "a typo")
    assert (code, out.splitlines()[0]) == (0, "corrected play 2: -0.75, before 0.25")
    play = log()[2]
    assert (play.value, play.before, play.reason, play.source) == (-0.75, (0.25,), "a typo", "sensor-0")
    refused(told("correct", 2, 1), "--reason")
    refused(told("correct", 6, 1, "--reason", "no"), "play 6 is open")
    refused(told("correct", 2, "nan", "--reason", "no"), "finite")
    refused(told("correct", 2, "x", "--reason", "no"), "'x' is not a number")


def test_one_command_retracts_a_sensor_and_another_restores_it(told):
    code, out, _ = told("retract", "--source", "sensor-1", "--reason", "not calibrated")
    assert (code, out) == (0, "retracted 3 measurements\nlab.jsonl: 3 told, 3 retracted, 2 open\n")
    assert {play.reason for play in log() if play.status is Status.RETRACTED} == {"not calibrated"}
    assert Study.read("lab.jsonl").answer().measured == 3
    assert told("retract", "--source", "sensor-1", "--reason", "again")[1].startswith("retracted 0 measurements")
    assert told("restore", "--source", "sensor-1")[1].startswith("restored 3 plays")
    assert Study.read("lab.jsonl").answer().measured == 6


def test_retract_by_number_all_or_none(told):
    refused(told("retract", 0, 99, "--reason", "x"), "there is no play 99: the study has 8 plays")
    refused(told("retract", 0, 6, "--reason", "x"), "play 6 is open", "no play was changed")
    refused(told("retract", "--reason", "x"), "numbers of plays")
    refused(told("retract", 0, "--source", "sensor-1", "--reason", "x"), "not both")
    refused(told("retract", "--source", "sensor-9", "--reason", "x"), "the sources are sensor-0 and sensor-1")
    refused(told("retract", 0), "--reason")
    refused(told("restore", 0), "play 0 is told: there is nothing to restore")
    assert [str(play.status) for play in log()] == ["told"] * 6 + ["open"] * 2
    assert told("retract", 0, 5, 0, "--reason", "door")[1].startswith("retracted 2 measurements")
    assert told("restore", 5, 0)[1].startswith("restored 2 plays")


def test_one_measurement_is_added(study):
    point = ("temperature=70", "dose=1.25", "solvent=water")
    code, out, err = study("add", *point, "-0.5", "--source", "old")
    assert (code, err) == (0, "")
    assert out == "added 1 measurement\nlab.jsonl: 1 told\n"
    play = log()[0]
    assert (play.point, play.value, play.source) == (
        {"temperature": 70, "dose": 1.25, "solvent": "water"}, -0.5, "old",
    )  # fmt: skip
    assert study("add", "0.5", "solvent=true", "dose=2", "temperature=61")[0] == 0
    assert study("add", "0.5", "solvent=3", "dose=2", "temperature=61")[0] == 0
    assert [play.point["solvent"] for play in log()] == ["water", True, 3]
    for words, message in (
        ((*point,), "one VALUE is missing"),
        ((*point[1:], "1"), "temperature=... is missing"),
        ((*point, "1", "2"), "one VALUE"),
        ((*point, "colour=red", "1"), "no such parameter: colour=red"),
        ((*point, "1", "--surce", "x"), "no such option: --surce"),
        (("temperature=95", *point[1:], "1"), "temperature = 95 lies outside [60, 90]"),
        (("temperature=70.5", *point[1:], "1"), "whole number"),
        (("temperature=hot", *point[1:], "1"), "temperature must be a number, not 'hot'"),
        (("temperature=", *point[1:], "1"), "temperature is empty"),
        ((*point[:2], "solvent=oil", "1"), "solvent = 'oil' is not one of"),
        ((*point, "nan"), "finite"),
        ((), "--csv FILE"),
        ((*point, "1", "--csv", "old.csv"), "not both"),
    ):
        refused(study("add", *words), message)
    assert len(log()) == 3


def test_a_table_of_old_data_is_added_as_a_whole(study):
    Path("old.csv").write_text(
        "when,temperature,dose,solvent,yield,who,se\nmon,60,1,water,0.5,ana,0.1\ntue,61,2.5,3,-1,,\nwed,62,4,true,2,ben,0.2\n"
    )
    columns = ("--value", "yield", "--source-column", "who", "--noise-column", "se")
    code, out, err = study("add", "--csv", "old.csv", *columns, "--source", "nobody")
    assert (code, err) == (0, "")
    assert out.startswith("added 3 measurements")
    assert [(play.value, play.source, play.noise_std) for play in log()] == [
        (0.5, "ana", 0.1), (-1.0, "nobody", None), (2.0, "ben", 0.2),
    ]  # fmt: skip
    assert log()[2].point == {"temperature": 62, "dose": 4.0, "solvent": True}


def test_runs_that_are_not_finished_are_left_out_with_one_line(study):
    Path("runs.csv").write_text(
        "run_id,status,metrics.yield,params.temperature,params.dose,params.solvent\n"
        "a,FINISHED,0.5,60,1,water\nb,FAILED,,61,2,water\n"
    )
    code, out, err = study("add", "--csv", "runs.csv", "--value", "yield")
    assert (code, out.splitlines()[0]) == (0, "added 1 measurement")
    assert err == "unswayed: runs.csv: ignored, because not finished: 1 of the runs (1 failed)\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("temperature,dose,solvent\n60,1,water\n", "no column 'value'"),
        ("temperature,solvent,value\n60,water,1\n", "no column 'dose': it has temperature, solvent and value"),
        ("60,1,water,1\n", "no header"),
        ("temperature,dose,solvent,value\n60,1,water,1\n60,9,water,1\n", "line 3: dose = 9 lies outside"),
        ("temperature,dose,solvent,value\n60,1,water,1\n60,1,oil,1\n", "line 3: solvent = 'oil'"),
        ("temperature,dose,solvent,value\n60,1,water,\n", "line 2: the column 'value' is empty here"),
        ("temperature,dose,solvent,value\n60,,water,1\n", "line 2: the column 'dose' is empty here"),
        ("temperature,dose,solvent,value\n60,1,water,1\n\n61,1,water,nan\n", "line 4: 'nan' is not a finite number"),
        ("temperature,dose,solvent,value\n60,1,water,low\n", "line 2: 'low' is not a finite number in"),
    ],
    ids=range(9),
)
def test_a_wrong_table_is_named_by_line_and_column_and_nothing_is_added(study, text, words):
    Path("old.csv").write_text(text)
    refused(study("add", "--csv", "old.csv"), "old.csv", words)
    assert log() == ()


def test_a_german_spreadsheet_is_told_and_added(study):
    study("ask", 3, "--out", "batch.csv")
    rows = list(csv.reader(StringIO(Path("batch.csv").read_text())))
    filled = [rows[0], *([*row[:4], f"0.{i}5", *row[5:]] for i, row in enumerate(rows[1:]))]
    text = "\r\n".join(";".join(cell.replace(".", ",") for cell in row) for row in filled)
    Path("batch.csv").write_text(text, encoding="utf-16")
    code, out, err = study("tell", "--csv", "batch.csv")
    assert (code, err) == (0, "unswayed: read as: semicolons, UTF-16, decimal comma\n")
    assert out.startswith("told 3 plays")
    assert [play.value for play in log()] == [0.05, 0.15, 0.25]
    Path("old.csv").write_text(
        "solvent\tdose\ttemperature\tvalue\nJa\t1,25\t61\t4,5%\nwater\t2,5\t62\t\n3\t3\t62\t9%\n"
    )
    code, out, err = study("add", "--csv", "old.csv")
    said = "read as: tabs, decimal comma, 4,5% as 0.045, 1 row left out (empty cells)"
    assert (code, err) == (0, f"unswayed: old.csv: {said}\n")
    assert out.startswith("added 2 measurements")
    assert [(play.point, play.value) for play in log()[3:]] == [
        ({"temperature": 61, "dose": 1.25, "solvent": True}, 0.045),
        ({"temperature": 62, "dose": 3.0, "solvent": 3}, 0.09),
    ]


def test_a_workbook_is_told_and_added(study):
    study("ask", 2, "--out", "batch.csv")
    book = openpyxl.Workbook()
    for number, row in enumerate(csv.reader(StringIO(Path("batch.csv").read_text()))):
        book.active.append([*row[:4], "value" if number == 0 else number / 8])
    book.save("batch.xlsx")
    assert study("tell", "--csv", "batch.xlsx")[0] == 0
    assert [play.value for play in log()] == [0.125, 0.25]
    book = openpyxl.Workbook()
    for row in (["temperature", "dose", "solvent", "value"], [61, 1.25, "water", 0.5], [62, 1, True, 0.75]):
        book.active.append(row)
    book.save("old.xlsx")
    assert study("add", "--csv", "old.xlsx")[0] == 0
    assert [(play.point["solvent"], play.value) for play in log()[2:]] == [("water", 0.5), (True, 0.75)]


def test_what_1_234_means_can_be_said(study):
    Path("old.csv").write_text("solvent;dose;temperature;value\nwater;1;61;1,234\n")
    refused(
        study("add", "--csv", "old.csv"), "line 2: '1,234' in the column 'value' may be 1.234 or 1234", "nothing was"
    )
    assert study("add", "--csv", "old.csv", "--decimal", "comma")[0] == 0
    study("ask", 1)
    Path("batch.csv").write_text("number;value\n1;1,234\n")
    refused(study("tell", "--csv", "batch.csv"), "may be 1.234 or 1234", "nothing of this file was told")
    assert study("tell", "--csv", "batch.csv", "--decimal", "point")[0] == 0
    assert [play.value for play in log()] == [1.234, 1234]


def test_a_file_that_was_added_before_is_noticed(study):
    header, rows = "temperature,dose,solvent,value", ["61,1,water,0.5", "62,2,3,0.6", "63,3,true,0.7", "64,4,water,0.8"]
    Path("old.csv").write_text("\n".join([header, *rows[:3]]))
    assert study("add", "--csv", "old.csv")[0] == 0
    refused(
        study("add", "--csv", "old.csv"), "all measurements of old.csv are in the study already", "as play 0", "--again"
    )
    Path("more.csv").write_text("\n".join([header, *rows]))
    refused(study("add", "--csv", "more.csv"), "3 of 4 measurements of more.csv are in the study already")
    Path("new.csv").write_text("\n".join([header, rows[3], *rows[:1], "61,1,water,0.51"]))
    assert study("add", "--csv", "new.csv")[0] == 0
    assert study("add", "--csv", "old.csv", "--again")[0] == 0
    assert len(log()) == 9
    study("retract", *range(9), "--reason", "the lamp was off")
    assert study("add", "--csv", "old.csv")[0] == 0
    Path("twice.csv").write_text("\n".join([header, *rows, *rows]))
    refused(study("add", "--csv", "twice.csv"), "every row is there twice", "line 2 and line 6", "nothing was added")


def test_old_data_between_the_steps_of_a_grid_can_be_added(unswayed, folder):
    Path("grid.toml").write_text("[x]\nlow = 0\nhigh = 10\nstep = 0.5\n[n]\ntype = 'integer'\nlow = 1\nhigh = 8\n")
    assert unswayed("study", "new", "grid.jsonl", "--space", "grid.toml", "--seed", 1)[0] == 0
    rows = ["0.7,3,1", "3.3,2,2", "5.5,2.4,3", "10,8,4"]
    Path("old.csv").write_text("\n".join(["x,n,value", *rows]))
    add = ("study", "add", "grid.jsonl", "--csv", "old.csv")
    words = "x = 0.7 lies between two steps of 0.5 from 0; the nearest is 0.5; --nearest adds it at the nearest step"
    refused(unswayed(*add), "line 2: ", words, "nothing was added")
    code, _, err = unswayed(*add, "--nearest")
    said = "read as: 3 rows moved to the nearest step (x by up to 0.2 and n by up to 0.4)"
    assert (code, err) == (0, f"unswayed: old.csv: {said}\n")
    assert [play.point for play in Study.read("grid.jsonl").log] == [
        {"x": 0.5, "n": 3}, {"x": 3.5, "n": 2}, {"x": 5.5, "n": 2}, {"x": 10.0, "n": 8},
    ]  # fmt: skip
    assert unswayed("study", "ask", "grid.jsonl", 2)[0] == 0  # it is opened again, and goes on
    Path("old.csv").write_text("x,n,value\n10.2,3,1\n")
    refused(unswayed(*add, "--nearest"), "x = 10.2 lies outside [0, 10]")


# -- change -----------------------------------------------------------------------------------------------------------


def test_what_changes_and_what_stays(told):
    assert told("change", "--lies", 2, "--plays", 60)[1] == "threat is now 2 false measurements\nplays is now 60\n"
    told("change", "--low", -1, "--high", 2.5)
    told("change", "--budget", 0.5, "--parallel", 4, "--note", "week 2")
    now = Study.read("lab.jsonl").settings
    assert (now.threat, now.plays, now.parallel) == (Threat(0.5, 2, low=-1, high=2.5), 60, 4)
    assert now.note == "week 2"
    told("change", "--doubt", "witnessed")
    assert Study.read("lab.jsonl").settings.threat == Threat(0.5, 2, low=-1, high=2.5, doubt="witnessed")
    told("change", "--doubt", "nothing")
    assert Study.read("lab.jsonl").settings.threat == Threat(0.5, 2, low=-1, high=2.5)
    assert told("change", "--budget", "unknown", "--plays", "any", "--parallel", "any")[1] == (
        "threat is now not known\nplays is now any number\nparallel is now any number\n"
    )
    now = Study.read("lab.jsonl").settings
    assert (now.threat, now.plays, now.parallel) == (None, None, None)


def test_a_source_in_quarantine(told):
    assert told("change", "--quarantine", "sensor-1")[1] == "quarantined is now sensor-1\n"
    assert [str(play.status) for play in log()][:2] == ["told", "quarantined"]
    assert "quarantined sensor-1" in " ".join(told("status")[1].split())
    code, _, err = told("change", "--quarantine", "sensr-0")
    assert (code, err) == (0, "unswayed: note: 'sensr-0' has measured nothing so far\n")
    refused(told("change", "--release", "sensor-0"), "in quarantine: sensor-1 and sensr-0")
    assert told("change", "--release", "sensor-1", "--release", "sensr-0")[1] == "quarantined is now nobody\n"
    assert Study.read("lab.jsonl").answer().measured == 6


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((), "say what to change"),
        (("--plays", "many"), "--plays must be a whole number or any"),
        (("--plays", 0), "plays"),
        (("--parallel", -1), "parallel"),
        (("--budget", "much"), "'much' is not a number"),
        (("--budget", "-1"), "threat"),
        (("--budget", "unknown", "--lies", 2), "give it alone"),
        (("--lies", 1, "--low", 2, "--high", 1), "low must be below high"),
        (("--doubt", "all"), "self-reported"),
        (("--seed", 3), "--seed"),
        (("--quarantine", " "), "source"),
    ],
    ids=str,
)
def test_a_senseless_change_changes_nothing(told, arguments, word):
    before = Path("lab.jsonl").read_bytes()
    refused(told("change", *arguments), word)
    assert Path("lab.jsonl").read_bytes() == before


# -- export and plot --------------------------------------------------------------------------------------------------


def test_export_as_a_table(told, folder):
    told("retract", 1, "--reason", "door")
    rows = list(csv.DictReader(StringIO(told("export")[1])))
    assert list(rows[0])[:7] == ["number", "temperature", "dose", "solvent", "value", "source", "status"]
    plays = log()
    assert [row["status"] for row in rows] == [str(play.status) for play in plays]
    assert [row["value"] and float(row["value"]) for row in rows] == [
        "" if play.value is None else play.value for play in plays
    ]
    assert [float(row["dose"]) for row in rows] == [play.point["dose"] for play in plays]
    assert told("export", "--out", "lab.parquet")[1] == "written: lab.parquet\n"
    assert told("export", "--out", "lab.xlsx")[1] == "written: lab.xlsx\n"
    sheet = openpyxl.load_workbook("lab.xlsx").active
    assert [cell.value for cell in sheet[1]] == list(rows[0])
    assert [cell.value for cell in sheet["E"][1:]] == [play.value for play in log()]
    assert ";0,05;" in told("export", "--decimal", "comma")[1]
    table = pq.read_table("lab.parquet")
    assert table.column_names == list(rows[0])
    assert table["value"].to_pylist() == [play.value for play in plays]


def test_an_exported_journal_is_the_same_study(told):
    told("correct", 2, 0.4, "--reason", "typo")
    assert told("export", "--format", "jsonl", "--out", "copy.jsonl")[0] == 0
    with Optimizer.open("copy.jsonl") as copy, Optimizer.open("lab.jsonl") as lab:
        assert (copy.log, copy.settings) == (lab.log, lab.settings)
        assert copy.ask(2) == lab.ask(2)
    Path("printed.jsonl").write_text(told("export", "--format", "jsonl")[1])
    assert Study.read("printed.jsonl").log == log()


def test_wrong_exports_are_one_clear_line(told, folder):
    before = Path("lab.jsonl").read_bytes()
    refused(told("export", "--format", "ods"), "ods")
    refused(told("export", "--out", "lab.ods"), "give --format")
    refused(told("export", "--format", "parquet"), "--out FILE.parquet")
    refused(told("export", "--format", "xlsx"), "--out FILE.xlsx")
    refused(told("export", "--format", "csv", "--out", "lab.jsonl"), "the journal itself")
    refused(told("export", "--format", "csv", "--out", "./lab.jsonl"), "the journal itself")
    refused(told("export", "--out", "no/lab.csv"), "cannot write no/lab.csv")
    refused(told("plot", "--out", "lab.jsonl"), "lab.jsonl")
    refused(told("plot", "--out", "lab.docx"), ".png")
    (folder / "photo.png").write_bytes(b"mine")
    refused(told("plot", "--out", "photo.png"), "was not drawn here")
    assert (folder / "photo.png").read_bytes() == b"mine"
    assert Path("lab.jsonl").read_bytes() == before


def test_a_page_without_the_extra_is_one_clear_line(told, monkeypatch):
    monkeypatch.setitem(sys.modules, "unswayed.service.pages.render", None)
    refused(told("export", "--format", "html"), "pip install 'unswayed[server]'")


def test_a_study_on_a_server_needs_a_token(unswayed, monkeypatch):
    monkeypatch.delenv("UNSWAYED_TOKEN", raising=False)
    refused(unswayed("study", "status", "http://localhost:1/studies/x"), "UNSWAYED_TOKEN")


def test_a_picture(told, folder):
    assert told("plot")[1] == "picture: lab.png\n"
    assert (folder / "lab.png").read_bytes().startswith(b"\x89PNG")
    assert told("plot")[0] == 0  # over one of ours
    assert told("plot", "--out", "lab.svg")[0] == 0


@pytest.mark.filterwarnings("error:Glyph")
def test_a_picture_of_letters_that_the_font_lacks(unswayed, folder):
    (folder / "space.toml").write_text('"温度" = {low = 0, high = 1}', encoding="utf-8")
    unswayed("study", "new", "lab.jsonl", "--space", "space.toml")
    assert unswayed("study", "add", "lab.jsonl", "温度=0.5", 1)[0] == 0
    assert unswayed("study", "plot", "lab.jsonl") == (0, "picture: lab.png\n", "")


def test_new_files_keep_the_umask_and_old_ones_their_mode(unswayed, folder):
    def mode(name):
        return stat.S_IMODE(os.stat(name).st_mode)

    before = os.umask(0o027)
    try:
        unswayed("study", "new", "lab.jsonl", "--space", "space.toml")
        unswayed("study", "ask", "lab.jsonl", 2, "--out", "batch.csv")
        unswayed("study", "tell", "lab.jsonl", 0, 0.5)
        unswayed("study", "plot", "lab.jsonl")
        unswayed("study", "export", "lab.jsonl", "--out", "lab.csv")
        assert [mode(name) for name in ("lab.jsonl", "batch.csv", "lab.png", "lab.csv")] == [0o640] * 4
        for name in ("lab.jsonl", "lab.png", "lab.csv"):
            os.chmod(name, 0o604)
        unswayed("study", "tell", "lab.jsonl", 1, 0.5)
        unswayed("study", "plot", "lab.jsonl")
        unswayed("study", "export", "lab.jsonl", "--out", "lab.csv")
        assert [mode(name) for name in ("lab.jsonl", "lab.png", "lab.csv")] == [0o604] * 3
    finally:
        os.umask(before)


# -- names, other spaces, several at once -----------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["status", "ask", "export", "plot"])
@pytest.mark.parametrize(
    ("name", "word"),
    [("none.jsonl", "study new none.jsonl --space"), ("space.toml", "not an unswayed journal"), (".", ".")],
)
def test_what_is_no_study_is_one_clear_line(unswayed, folder, verb, name, word):
    refused(unswayed("study", verb, name), word)
    assert os.listdir(folder) == ["space.toml"]


def test_a_damaged_journal_is_named(told):
    data = bytearray(Path("lab.jsonl").read_bytes())
    data[200] ^= 1
    Path("lab.jsonl").write_bytes(data)
    refused(told("status"), "lab.jsonl")
    refused(told("tell", 6, 1), "lab.jsonl")


@pytest.mark.parametrize(
    ("options", "written"),
    [
        (["a", "b", "1"], ["option=1"]),
        ([1, 2, 3], ["option=2"]),
        ([{"kind": "x", "T": 60}, {"kind": "1", "T": 70}], ["kind=1", "T=70"]),
        ([[1.0, 2.0], [3.0, 4.5]], ["x1=3", "x2=4.5"]),
    ],
    ids=str,
)
def test_options_of_every_kind(unswayed, folder, options, written):
    with Optimizer(Options(options), journal="lab.jsonl", seed=1) as lab:
        names = lab.space.names
    written = [f"{name}={word.split('=')[1]}" for name, word in zip(names, written, strict=True)]
    assert unswayed("study", "ask", "lab.jsonl", 2, "--out", "batch.csv")[0] == 0
    fill("batch.csv", ["1", "2"])
    assert unswayed("study", "tell", "lab.jsonl", "--csv", "batch.csv")[1].startswith("told 2 plays")
    assert unswayed("study", "add", "lab.jsonl", *written, "0.5")[1].startswith("added 1")
    assert unswayed("study", "status", "lab.jsonl")[0] == 0
    assert unswayed("study", "export", "lab.jsonl")[1].count("\n") == 4


def test_parameters_named_like_columns(unswayed, folder):
    Path("space.toml").write_text("value = {low = 0, high = 1}\nnumber = {low = 0, high = 1}\n")
    unswayed("study", "new", "lab.jsonl", "--space", "space.toml", "--seed", 1)
    unswayed("study", "ask", "lab.jsonl", 2, "--out", "batch.csv")
    assert Path("batch.csv").read_text().startswith("number,value (parameter),number (parameter),value,source,moved\n")
    fill("batch.csv", ["1", "2"])
    assert unswayed("study", "tell", "lab.jsonl", "--csv", "batch.csv")[1].startswith("told 2 plays")
    unswayed("study", "export", "lab.jsonl", "--out", "old.csv")
    assert unswayed("study", "add", "lab.jsonl", "--csv", "old.csv")[1].startswith("added 2 measurements")


def test_two_processes_at_once_lose_nothing(study, folder):
    """Six tell at the same time, each again until the lock is free."""
    study("ask", 6)
    lines = []

    def tell(number):
        while True:
            command = [*UNSWAYED, "study", "tell", "lab.jsonl", str(number), str(number)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return
            lines.append((done.returncode, done.stderr))

    threads = [threading.Thread(target=tell, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [play.value for play in log()] == [0, 1, 2, 3, 4, 5]
    assert set(lines) <= {(2, "unswayed: another Unswayed process has lab.jsonl open; wait for it to end\n")}


@pytest.mark.parametrize("verb", ["", *(one.callback.__name__ for one in app.registered_commands)])
def test_help_teaches_with_an_example(unswayed, verb):
    code, out, _ = unswayed("study", *([verb] if verb else []), "--help")
    assert code == 0
    assert f"unswayed study {verb}" in " ".join(out.split())


def test_every_verb_is_on_the_page_about_studies():
    page = (Path(__file__).parents[2] / "docs/reference/studies.md").read_text(encoding="utf-8")
    for one in app.registered_commands:
        name = one.callback.__name__
        assert f"{name} {'http:' if name == 'webhook' else 'lab.jsonl'}" in page, name


@pytest.fixture
def taste(unswayed, folder):
    """Run `unswayed study VERB taste.jsonl ...` on a study of duels."""
    (folder / "drinks.toml").write_text('options = ["tea", "coffee", "milk"]')
    code, _, err = unswayed("study", "new", "taste.jsonl", "--space", "drinks.toml", "--duels", "--lies", 1)
    assert (code, err) == (0, "")

    def run(verb, *arguments):
        return unswayed("study", verb, "taste.jsonl", *arguments)

    return run


def test_duels_are_asked_told_and_settled_by_hand(taste, unswayed):
    code, out, _ = taste("ask", 1)
    assert code == 0
    assert out.split() == ["play", "left", "right", "0", "tea", "coffee"]
    assert taste("tell", 0, "coffee", "--source", "ann")[:2] == (0, "told play 0: 'coffee'\ntaste.jsonl: 1 told\n")
    assert taste("correct", 0, "tea", "--reason", "a slip")[0] == 0
    for number in range(1, 61):
        ((pair,),) = [json.loads(taste("ask", 1, "--json")[1])["plays"]]
        best = next(name for name in ("tea", "milk", "coffee") if name in pair["point"].values())
        assert taste("tell", number, best, "--source", "ann" if number % 2 else "ben")[0] == 0
        if json.loads(taste("status", "--json")[1])["answer"]["settled"]:
            break
    code, out, err = taste("status")
    assert (code, err) == (0, "")
    assert "compared    tea, coffee, milk" in out
    assert "threat      1 false measurement" in out
    assert "Verdict: yes. tea is first of 3 (from " in out
    assert "Settled: rank tea first; no more votes are needed." in out
    assert taste("export", "--out", "votes.csv")[0] == 0
    columns = ("--left", "left", "--right", "right", "--winner", "winner", "--lies", 1)
    code, audited, _ = unswayed("audit", "votes.csv", *columns)
    assert code == 0
    (verdict,) = [line for line in out.splitlines() if line.startswith("Verdict")]
    assert audited.split(", expected")[0] == verdict.split(", expected")[0]  # of equal rivals any may be named
    assert "Other judges than these 2 may prefer another option." in out.replace("\n", " ")
    code, audited, _ = unswayed("audit", "votes.csv", *columns, "--voter", "source")  # do two stand for others?
    assert audited.startswith("Verdict: too early.")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("tell", 0, "gin"), "the winner 'gin' is neither of 'tea', 'coffee', nor left, right, tie, 1, 0 or 0.5"),
        (("tell", 0, "milk"), "the winner 'milk' is neither of 'tea', 'coffee'"),
        (("add", "left=tea", "right=tea", "tea"), "'tea' cannot be compared with itself"),
        (("add", "left=tea", "right=milk", "gin"), "the winner 'gin' is neither of 'tea', 'milk'"),
        (("move", 0, "right=tea"), "'tea' cannot be compared with itself"),
        (("change", "--budget", "2"), "of votes, a number may be false"),
    ],
)
def test_wrong_votes_are_one_clear_line(taste, words, line):
    assert taste("ask", 1)[0] == 0
    code, _, err = taste(*words)
    assert code == 2
    assert line in err
    assert err.count("\n") == 1


def test_duels_need_options_with_names(unswayed, folder):
    code, _, err = unswayed("study", "new", "taste.jsonl", "--space", "space.toml", "--duels")
    assert (code, err.count("\n")) == (2, 1)
    assert "duels are between options that have names" in err
