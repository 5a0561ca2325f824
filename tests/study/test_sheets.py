"""Sheets for the bench: written so that spreadsheet programs open them right, and read back as these save them."""

import csv
import io
import shutil
import subprocess

import openpyxl
import pytest
from odf import opendocument, table, text

from unswayed import Box, Categorical, InvalidInput, Measurement, Optimizer, Options, Real
from unswayed.spaces import Integer
from unswayed.study.tables.sheets import read_sheet, sheet, sheet_file

COMMAND = "=cmd|' /C calc'!A0"
SPACE = Box(
    {
        "temperature": Real(20, 80, step=0.5, unit="°C"),
        "speed": Real(0.1, 5, unit="µm/s"),
        "count": Integer(1, 12),
        "rührer": Categorical(["langsam", "schnell", COMMAND, "1-2", "-x"]),
        "lid": Categorical([True, False]),
    }
)
PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/L10N">
<prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>de-DE</value></prop></item></oor:items>
"""
GERMAN = "59,34,76,1,,1031"  # semicolons, quotes, UTF-8, from line 1, in German


@pytest.fixture
def study():
    opened = Optimizer(SPACE, seed=4, parallel=None)
    opened.ask(8, source="Anna")
    assert {play.point["rührer"] for play in opened.log} == {"langsam", "schnell", COMMAND, "1-2", "-x"}
    assert {play.point["lid"] for play in opened.log} == {True, False}
    return opened


def read(path, study, **more):
    return read_sheet(path, study.log, SPACE, **more)


def cells_of(content):
    """The cells of a spreadsheet, as a program that opens it sees them."""
    return [list(row) for row in openpyxl.load_workbook(io.BytesIO(content)).active.iter_rows()]


def saved_by_openpyxl(path, study, change):
    book = openpyxl.load_workbook(io.BytesIO(sheet_file(study.log, SPACE, "xlsx")))
    rows = [[cell.value for cell in row] for row in book.active.iter_rows()]
    change(rows)
    for i, row in enumerate(rows, start=1):
        for j, value in enumerate(row, start=1):
            cell = book.active.cell(i, j)
            cell.value = value
            if isinstance(value, str):
                cell.data_type = "s"  # as it was, and not a formula
    book.save(path)


def saved_as_ods(path, study, change):
    """By another library, with the numbers as a German sees them."""
    rows = list(csv.reader(io.StringIO(sheet(study.log, SPACE))))
    change(rows)
    document = opendocument.OpenDocumentSpreadsheet()
    page = table.Table(name="Blatt 1")
    for row in rows:
        line = table.TableRow()
        for value in row:
            number = value.replace(".", "", 1).isdigit()
            kind = {"valuetype": "float", "value": value} if number else {"valuetype": "string"}
            cell = table.TableCell(**kind)
            cell.addElement(text.P(text=value.replace(".", ",") if number else value))
            line.addElement(cell)
        page.addElement(line)
    document.spreadsheet.addElement(page)
    document.save(path)


def saved_as_german_csv(path, study, change, encoding="utf-8-sig", units=False):
    rows = list(csv.reader(io.StringIO(sheet(study.log, SPACE))))
    change(rows)
    for row in rows[1:] if units else ():
        row[1], row[2] = f"{row[1]} °C", f"{row[2]} µm/s"
    for row in rows[1:]:
        row[:] = [{"true": "WAHR", "false": "FALSCH"}.get(cell, cell.replace(".", ",")) for cell in row]
    with open(path, "w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=";").writerows(rows)


def filled(rows):
    """What people do: two values, one of them of another sensor, and one setting that was another one."""
    value, source, moved = (rows[0].index(name) for name in ("value", "source", "moved"))
    rows[1][value], rows[3][value], rows[3][source] = "73.5", "-0.25", "Fühler-2"
    rows[3][rows[0].index("temperature")], rows[3][moved] = "71", "ja"


def as_numbers(rows):
    filled(rows)
    rows[1][rows[0].index("value")], rows[3][rows[0].index("value")] = 73.5, -0.25
    rows[3][rows[0].index("temperature")] = 71


SAVED = {
    "openpyxl.xlsx": lambda path, study: saved_by_openpyxl(path, study, as_numbers),
    "odf.ods": lambda path, study: saved_as_ods(path, study, filled),
    "utf8.csv": lambda path, study: saved_as_german_csv(path, study, filled),
    "windows.csv": lambda path, study: saved_as_german_csv(path, study, filled, "cp1252"),
    "units.csv": lambda path, study: saved_as_german_csv(path, study, filled, units=True),
}


@pytest.mark.parametrize("name", SAVED)
def test_a_sheet_comes_back_from_other_programs(study, tmp_path, name):
    SAVED[name](tmp_path / name, study)
    found = read(tmp_path / name, study)
    assert found.told == {0: Measurement(73.5, "Anna"), 2: Measurement(-0.25, "Fühler-2")}
    assert found.moved == {2: {"temperature": 71}}
    assert (found.known, found.blank, found.ignored) == (0, 6, ())


@pytest.mark.parametrize(("form", "decimal"), [("xlsx", "point"), ("csv", "point"), ("csv", "comma")])
def test_a_sheet_that_nobody_changed_says_nothing_new(study, tmp_path, form, decimal):
    path = tmp_path / f"sheet.{form}"
    path.write_bytes(sheet_file(study.log, SPACE, form, decimal))
    found = read(path, study)
    assert (found.told, found.moved, found.blank) == ({}, {}, 8)


def test_a_csv_for_a_decimal_comma_has_semicolons_and_a_mark_of_its_letters(study):
    content = sheet_file(study.log, SPACE, "csv", "comma")
    assert content.startswith(b"\xef\xbb\xbfnumber;temperature;speed;count;r\xc3\xbchrer;lid;value;source;moved\n")
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig")), delimiter=";"))
    assert [row[1] for row in rows[1:]] == [str(play.point["temperature"]).replace(".", ",") for play in study.log]
    plain = Optimizer(Box({"x": Real(0, 1)}), seed=0)
    assert sheet_file(plain.ask(1), plain.space, "csv").startswith(b"number,x")  # for programs that know no marks


def test_no_cell_is_a_formula(study):
    for decimal in ("point", "comma"):
        rows = csv.reader(io.StringIO(sheet(study.log, SPACE, decimal)), delimiter=";" if decimal == "comma" else ",")
        cells = [cell for row in rows for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
        assert f"'{COMMAND}" in cells
    cells = [cell for row in cells_of(sheet_file(study.log, SPACE, "xlsx")) for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f"]
    assert all(cell.number_format == "@" and cell.quotePrefix for cell in cells if cell.value == COMMAND)


def test_a_spreadsheet_shows_units_and_the_digits_of_the_steps(study):
    header, first, *_ = cells_of(sheet_file(study.log, SPACE, "xlsx"))
    forms = {cell.value: one.number_format.replace("\\", "") for cell, one in zip(header, first, strict=True)}
    assert (forms["temperature"], forms["speed"], forms["count"]) == ("0.0 °C", "General µm/s", "0")
    assert first[1].value == study.log[0].point["temperature"]
    assert first[2].value == pytest.approx(study.log[0].point["speed"], rel=1e-15)  # a spreadsheet has 16 digits


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"temperature": "71"}, "temperature is 71, but play 2 was asked at .*: if it was really set, write yes"),
        ({"temperature": "70.8", "moved": "yes"}, "lies between two steps of 0.5 .* with --nearest"),
        ({"temperature": "99", "moved": "yes"}, "temperature = 99 lies outside"),
        ({"temperature": "hot", "moved": "x"}, "temperature: 'hot' is not a number"),
        ({"rührer": "halb", "moved": "true"}, "rührer = 'halb' is not one of"),
        ({"moved": "yes"}, "this row has what was proposed: write over it what was really set"),
        ({"moved": "71"}, "column 'moved': write yes if another setting was really used"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_refused(study, tmp_path, change, words):
    def changed(rows):
        for name, cell in {"value": "1", **change}.items():
            rows[3][rows[0].index(name)] = cell

    rows = list(csv.reader(io.StringIO(sheet(study.log, SPACE))))
    changed(rows)
    with open(tmp_path / "sheet.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    with pytest.raises(InvalidInput, match=rf"line 4: .*{words}.*nothing of this file was told"):
        read(tmp_path / "sheet.csv", study)


def test_one_step_beside_the_proposed_one_is_not_taken_for_a_rounded_number(tmp_path):
    fine = Optimizer(Box({"K": Real(290, 310, step=0.1)}), seed=0)
    (play,) = fine.ask()
    (tmp_path / "sheet.csv").write_text(f"number,K,value\n0,{play.point['K'] + 0.1:.1f},1\n")
    with pytest.raises(InvalidInput, match="K is"):
        read_sheet(tmp_path / "sheet.csv", fine.log, fine.space)


def test_what_was_set_between_two_steps_counts_at_the_nearest_one(study, tmp_path):
    (tmp_path / "sheet.csv").write_text("number,temperature,value,moved\n2,70.8,1,yes\n3,,,no\n")
    found = read(tmp_path / "sheet.csv", study, nearest=True)
    assert found.moved == {2: {"temperature": 70.8}}


def test_another_option_was_taken(tmp_path):
    study = Optimizer(Options(["a", "b", "c"]), seed=0)
    (play,) = study.ask()
    other = "b" if play.point != "b" else "c"
    (tmp_path / "sheet.csv").write_text(f"number,option,value,moved\n0,{other},1,yes\n")
    assert read_sheet(tmp_path / "sheet.csv", study.log, study.space).moved == {0: other}


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_in_german_opens_a_sheet_as_numbers_and_saves_what_is_read_back(study, tmp_path):
    """A CSV with commas becomes a spreadsheet and back; a spreadsheet becomes others, and a CSV as it is shown."""
    saved_as_german_csv(tmp_path / "comma.csv", study, filled)
    saved_by_openpyxl(tmp_path / "book.xlsx", study, as_numbers)
    (tmp_path / "out").mkdir()
    (tmp_path / "profile" / "user").mkdir(parents=True)
    (tmp_path / "profile" / "user" / "registrymodifications.xcu").write_text(PROFILE)
    office = ["soffice", "--headless", f"-env:UserInstallation=file://{tmp_path}/profile"]
    for source, infilter, to in (
        ("comma.csv", f"CSV:{GERMAN}", "xlsx"),
        ("book.xlsx", None, "ods"),
        ("book.xlsx", None, f"csv:Text - txt - csv (StarCalc):{GERMAN},false,true,true"),
    ):
        command = [*office, "--convert-to", to, "--outdir", str(tmp_path / "out"), str(tmp_path / source)]
        command += [f"--infilter={infilter}"] if infilter else []
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    opened = cells_of((tmp_path / "out" / "comma.xlsx").read_bytes())
    assert all(isinstance(row[1].value, int | float) for row in opened[1:])
    shown = (tmp_path / "out" / "book.csv").read_text(encoding="utf-8")
    assert f"{study.log[0].point['temperature']:.1f} °C".replace(".", ",") in shown
    for name in ("comma.xlsx", "book.ods", "book.csv"):
        found = read(tmp_path / "out" / name, study)
        assert found.told == {0: Measurement(73.5, "Anna"), 2: Measurement(-0.25, "Fühler-2")}, name
        assert found.moved == {2: {"temperature": 71}}, name
