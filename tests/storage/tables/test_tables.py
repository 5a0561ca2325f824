"""What a table holds, and whose fault it is when it cannot be read."""

import csv
import datetime
import io
import math
import os
import re
import tempfile
from decimal import Decimal
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from unswayed import InvalidInput, SystemFault
from unswayed.storage.tables import read_numbers, read_table, text


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_wrong_path_is_a_clear_line(tmp_path, kind):
    (tmp_path / f"folder.{kind}").mkdir()
    for name in (f"none.{kind}", f"folder.{kind}", f"{'x' * 400}.{kind}", f"no/file.{kind}"):
        with pytest.raises(InvalidInput, match="cannot read") as error:
            read_numbers(tmp_path / name)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_that_may_not_be_read_is_the_systems_fault(kind):
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = Path(folder) / f"table.{kind}"
        path.write_bytes(b"1,2\n")
        path.chmod(0)
        if root:  # root may read everything: be somebody else for a moment
            os.seteuid(65534)
        try:
            with pytest.raises(SystemFault, match="Permission denied"):
                read_numbers(path)
        finally:
            if root:
                os.seteuid(0)


def test_a_damaged_parquet_file_is_a_wrong_input(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [1.0, 2.0], "b": [3.0, 4.0]}), path)
    names, numbers, _ = read_numbers(path)
    assert (names, numbers.tolist()) == (["a", "b"], [[1.0, 3.0], [2.0, 4.0]])
    data = path.read_bytes()
    for damaged in (b"", b"x", data[:40], data[:-10], data[:-4] + b"PARX"):
        path.write_bytes(damaged)
        with pytest.raises(InvalidInput) as error:
            read_numbers(path)
        assert str(error.value).isprintable()


def texts(table, column):
    codes, labels = table.labels(column)
    return [labels[code] for code in codes]


def test_text_is_unchanged(tmp_path):
    cells = ["007", " padded ", "2026-03-02", "1.0", "1e3", "nan", "<b>", 'a "quoted" one', "two\nlines", "ünï", "a\0b"]
    path = tmp_path / "t.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["name", "value"], *([cell, 1] for cell in cells)])
    assert texts(read_table(path), 0) == cells


def test_labels_come_in_order_of_appearance(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "CONVERTED_ROWS", 2)
    (tmp_path / "t.csv").write_text("n,v\nb,1\na,2\nb,3\nc,4\na,5\n")
    codes, labels = read_table(tmp_path / "t.csv").labels(0)
    assert (codes.tolist(), labels) == ([0, 1, 0, 2, 1], ["b", "a", "c"])


def test_text_and_numbers_are_told_apart(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,c,d\nx,1,1, 1\ny,2,3 ms,+2\n")
    table = read_table(tmp_path / "t.csv")
    assert [table.is_text(column) for column in range(4)] == [True, False, False, False]
    assert table.numbers(3).tolist() == [1.0, 2.0]
    with pytest.raises(InvalidInput, match="line 3: '3 ms' is not a finite number"):
        table.numbers(2)


@pytest.mark.parametrize(
    ("cell", "hint"),
    [
        ("yes", "other cells are not yes or no: write 1 for yes and 0 for no"),
        ("Total:", "is this row a sum of the others? Remove it"),
        ("inf", "leave the cell empty if there is no value"),
    ],
)
def test_a_cell_that_means_a_number_gets_a_hint(tmp_path, cell, hint):
    (tmp_path / "t.csv").write_text(f"n,v\na,1\nb,{cell}\n")
    with pytest.raises(
        InvalidInput, match=rf"line 3: .* is not a finite number in the column 'v' \({re.escape(hint)}\)"
    ):
        read_table(tmp_path / "t.csv").numbers(1)


@pytest.mark.parametrize("cell", ["maybe", '"one, two"', '"1,2,3"', "x%", "1;2", "1 23", '"12,34,567"', "1e2%"])
def test_a_cell_that_means_no_number_gets_no_hint(tmp_path, cell):
    (tmp_path / "t.csv").write_text(f"n,v\na,1\nb,{cell}\n")
    with pytest.raises(InvalidInput, match=r"is not a finite number in the column 'v'$"):
        read_table(tmp_path / "t.csv").numbers(1)


@pytest.mark.parametrize("text", ["n,v\na,1\n,2\n", "n,v\na,1\n  ,2\n"])
def test_a_missing_label_is_named(tmp_path, text):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InvalidInput, match="line 3: the column 'n' is empty here"):
        read_table(tmp_path / "t.csv").labels(0)


def test_parquet_of_many_kinds(tmp_path):
    day = datetime.datetime(2026, 3, 2)
    columns = {
        "text": pa.array(["x", "y"]),
        "dictionary": pa.array(["x", "y"]).dictionary_encode(),
        "date": pa.array([day.date(), day.date()]),
        "midnight": pa.array([day, day], pa.timestamp("ns")),
        "time": pa.array([day.replace(hour=5), day], pa.timestamp("s")),
        "whole": pa.array([2**53 + 1, 7]),
        "decimal": pa.array([Decimal("1.50"), Decimal("2.00")]),
        "list": pa.array([[1], [2]]),
        "hole": pa.array(["x", None]),
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    read = {name: number for number, name in enumerate(columns)}
    assert texts(table, read["text"]) == texts(table, read["dictionary"]) == ["x", "y"]
    assert texts(table, read["date"]) == texts(table, read["midnight"]) == ["2026-03-02"] * 2
    assert texts(table, read["time"]) == ["2026-03-02 05:00:00.000", "2026-03-02 00:00:00.000"]
    assert texts(table, read["whole"]) == [str(2**53 + 1), "7"]
    assert table.numbers(read["whole"]).tolist() == [2.0**53, 7.0]
    assert table.numbers(read["decimal"]).tolist() == [1.5, 2.0]
    assert table.is_text(read["date"])
    for name, words in (("list", "neither numbers nor text"), ("hole", "row 2: the column 'hole' is empty")):
        with pytest.raises(InvalidInput, match=words):
            table.labels(read[name])
    for name, words in (("date", "holds date32"), ("text", "holds string, not numbers")):
        with pytest.raises(InvalidInput, match=words):
            table.numbers(read[name])


def literal(content):
    """Lines and rows of numbers, one after the other; None if this is not a table of numbers."""
    reader = csv.reader(io.StringIO(content, newline=""))
    rows = [(reader.line_num, row) for row in reader if "".join(row).strip()]

    def number(cell):
        try:
            return float(cell) if "_" not in cell else None
        except ValueError:
            return None

    names = None
    if rows and all(number(cell) is None for cell in rows[0][1]):
        names, rows = [cell.strip() for cell in rows[0][1]], rows[1:]
    width = len(names or rows[0][1]) if rows else 0
    good = rows and len(set(names or [])) == len(names or [])
    for _, row in rows:
        good = good and len(row) == width and all(math.isfinite(number(c) or 0) and number(c) is not None for c in row)
    return (names, [[float(c) for c in row] for _, row in rows], [line for line, _ in rows]) if good else None


pieces = st.sampled_from(["1", "-2.5e3", " 4", "+5", "x", "nan", "1_0", '"6"', '"7\n"', ",", ",", "\n", "\r\n", "\n\n"])


@given(st.lists(pieces, max_size=30).map("".join))
@example("a,b\n1,2\n\n,\n3,4\n")
@example('a,b\n"1\n",2\n"\r\n3",4\n5,6\n')
@settings(max_examples=400, deadline=None)
def test_the_reader_against_a_literal_one(content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(content.encode())
        assume(not any("," in cell for row in csv.reader(io.StringIO(content, newline="")) for cell in row))
        expected = literal(content)
        if expected is None:
            with pytest.raises(InvalidInput):
                read_numbers(path)
        else:
            names, numbers, lines = read_numbers(path)
            assert (names, numbers.tolist(), lines) == expected


@given(st.binary(max_size=200), st.sampled_from(["csv", "parquet"]))
@settings(max_examples=200, deadline=None)
def test_any_bytes_give_a_table_or_one_clear_line(content, kind):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t.{kind}"
        path.write_bytes(content)
        said = ""
        try:
            table = read_table(path)
            for column in range(len(table.columns)):
                table.is_text(column)
                table.labels(column)
        except InvalidInput as error:
            said = str(error)
        assert "\n" not in said


@pytest.mark.parametrize(
    "text", ["variant,2024\nA,5\nA,6\nB,7\nB,8.5\n", "variant,2024\nA,5\nB,7\n", "kiln,1,2\nA,5,6\nB,6,7\nB,7,8\n"]
)
def test_a_first_line_that_may_be_a_header_with_a_number_is_refused(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=r"line 1: '(variant|kiln)' comes only here .* is a number: put a"):
        read_table(path)


@pytest.mark.parametrize(("text", "said"), [("A,5\nA,6\nB,7\n", True), ("A,5\nB,6\n", True), ("1,5\n2,6\n", False)])
def test_a_table_of_words_without_a_header_says_so(tmp_path, text, said):
    path = tmp_path / "t.csv"
    path.write_text(text)
    table = read_table(path)
    assert table.names is None
    assert len(table.columns[0]) == text.count("\n")
    assert table.sentence == ("read as: no names of columns (the first line is data)" if said else None)


@pytest.mark.parametrize("cut", range(5, 400, 23))
def test_a_damaged_spreadsheet_is_a_wrong_input(tmp_path, cut):
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active.append([1, 2])
    path = tmp_path / "t.xlsx"
    book.save(path)
    content = path.read_bytes()
    path.write_bytes(content[:cut] + content[cut + 20 :])
    with pytest.raises(InvalidInput) as error:
        read_table(path)
    assert "damaged" in str(error.value)
    assert str(error.value).isprintable()


def test_a_reader_that_panics_is_a_wrong_input(tmp_path, monkeypatch):
    panic = type("PanicException", (BaseException,), {})

    def fail(*_):
        raise panic("range start index 116 out of range")

    monkeypatch.setattr("python_calamine.CalamineWorkbook", type("Book", (), {"from_filelike": staticmethod(fail)}))
    path = tmp_path / "t.xls"
    path.write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))
    with pytest.raises(InvalidInput, match="a damaged one"):
        read_table(path)
