"""What was written is what is read, whatever the delimiter, the decimal mark, the encoding and the quotes."""

import csv
import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from unswayed import InvalidInput
from unswayed.storage.tables import read_table

ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1"]
numbers = st.decimals(-(10**7), 10**7, places=None, allow_nan=False, allow_infinity=False).filter(
    lambda one: one == 0 or abs(one) > 1e-9
)
numbers |= st.integers(-(10**7), 10**7) | st.integers(0, 9999).map(lambda one: one / 1000)
LABELS = st.text("abcäöü xyz,;\t|\"'.%-", min_size=1, max_size=6).filter(lambda text: text.strip())


def written(number, decimal, group, percent):
    """A number as text."""
    text = f"{number:,f}" if not isinstance(number, int) else f"{number:,}"
    whole, point, digits = text.partition(".")
    return whole.replace(",", group) + decimal * bool(point) + digits + percent


@st.composite
def files(draw):
    """A table of labels and two columns of numbers, and how it is written."""
    decimal = draw(st.sampled_from([",", "."]))
    groups = ["", "", "\u00a0", "'", "." if decimal == "," else ","]
    delimiter = draw(st.sampled_from([",", ";", "\t", "|"]))
    rows = draw(st.lists(st.tuples(LABELS, numbers, numbers), min_size=1, max_size=6))
    group, percent = draw(st.sampled_from(groups)), draw(st.sampled_from(["", "", "%", " %"]))
    cells = [[label, written(a, decimal, group, ""), written(b, decimal, "", percent)] for label, a, b in rows]
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    ends = draw(st.sampled_from(["\n", "\r\n"]))
    return cells, rows, (delimiter, quoting, ends), decimal, percent, draw(st.sampled_from(ENCODINGS))


def write(path, cells, how, encoding):
    delimiter, quoting, ends = how
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=ends)
    writer.writerows([["name", "first", "second"], *cells])
    try:
        path.write_bytes(out.getvalue().encode(encoding))
    except UnicodeEncodeError:
        assume(False)


def check(table, rows, percent):
    codes, labels = table.labels(0)
    assert [labels[code] for code in codes] == [label for label, _, _ in rows]
    assert table.numbers(1).tolist() == [float(f"{a:f}" if not isinstance(a, int) else a) for _, a, _ in rows]
    text = [f"{b:f}" if not isinstance(b, int) else str(b) for _, _, b in rows]
    assert table.numbers(2).tolist() == [float(one + "e-2" if percent else one) for one in text]


@given(files())
@settings(max_examples=600)
def test_what_was_written_is_what_is_read(file):
    cells, rows, how, decimal, percent, encoding = file
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        write(path, cells, how, encoding)
        check(read_table(path, "comma" if decimal == "," else "point"), rows, percent)


@given(files())
@settings(max_examples=600)
def test_without_being_told_it_is_read_or_the_question_is_asked(file):
    cells, rows, how, _, percent, encoding = file
    assume(how[0] != ",")  # between commas, 1,234 is 1234
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        write(path, cells, how, encoding)
        try:
            check(read_table(path), rows, percent)
        except InvalidInput as error:
            assert "say --decimal comma or --decimal point" in str(error)  # noqa: PT017  # it need not be refused


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        ("1,5 2,25", [1.5, 2.25]),
        ("1,234 0,5", [1.234, 0.5]),
        ("1,234 12.5", [1234, 12.5]),
        ("1.234 0,5", [1234, 0.5]),
        ("1,234 1,234,567", [1234, 1234567]),
        ("1.234 1.234.567", [1234, 1234567]),
        ("1.234,5 1.234", [1234.5, 1234]),
        ("1,234 1234", [1.234, 1234]),
        ("1.234 98765", [1.234, 98765]),
        ("1,234 987", None),
        ("1.234 987", None),
        ("0,123 0.5", "does not fit: other cells have a decimal"),
        ("1,23e3 1,234", [1230, 1.234]),
        ("\u22121,5 +2,5", [-1.5, 2.5]),
        ("4,5% 0", [0.045, 0]),
        ("4,5% 1,234%", [0.045, 0.01234]),
        ("NA 2,5", [None, 2.5]),
        ("yes no", [1, 0]),
        ("Ja NEIN", [1, 0]),
        ("yes 1", "'yes' is not a finite number"),
    ],
)
def test_a_column_decides_what_its_cells_mean(tmp_path, cells, numbers):
    path = tmp_path / "t.csv"
    path.write_text("n;v\n" + "".join(f"a;{cell}\n" for cell in cells.split()))
    if isinstance(numbers, list):
        assert read_table(path).values(1) == numbers
        return
    with pytest.raises(InvalidInput, match=numbers or "say --decimal comma or --decimal point"):
        read_table(path).values(1)


def test_the_rest_of_the_file_decides_for_a_column_that_does_not(tmp_path):
    (tmp_path / "t.csv").write_text("a;b;c\n1,234;0,5;x\n2,345;1;y, z\n")
    assert read_table(tmp_path / "t.csv").numbers(0).tolist() == [1.234, 2.345]
    (tmp_path / "t.csv").write_text("a;b;c\n1,234;0.5;x\n2,345;1;y, z\n")
    assert read_table(tmp_path / "t.csv").numbers(0).tolist() == [1234, 2345]
    (tmp_path / "t.csv").write_text("a;b;c\n1,234;0.5;0,5\n2,345;1;2\n")
    with pytest.raises(InvalidInput, match=r"line 2: '1,234' in the column 'a' may be 1.234 or 1234"):
        read_table(tmp_path / "t.csv").numbers(0)
    assert read_table(tmp_path / "t.csv", "point").numbers(0).tolist() == [1234, 2345]
    with pytest.raises(InvalidInput, match="--decimal must be comma or point, not 'dot'"):
        read_table(tmp_path / "t.csv", "dot")


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_the_beginning_need_not_hold_a_whole_line_or_every_letter(tmp_path, encoding):
    names = [f"column {i}" for i in range(9000)]
    rows = [["1,5"] * 9000, ["2"] * 8999 + ["für"]]
    (tmp_path / "t.csv").write_bytes("\n".join("\t".join(row) for row in [names, *rows]).encode(encoding))
    table = read_table(tmp_path / "t.csv")
    assert table.names == names
    assert table.numbers(8998).tolist() == [1.5, 2]
    assert table.labels(8999)[1] == ["1,5", "für"]
    said = {"utf-8": "", "cp1252": "Latin-1, ", "utf-16": "UTF-16, "}
    assert table.sentence == f"read as: tabs, {said[encoding]}decimal comma"


def test_labels_are_the_text_of_the_file_although_the_column_holds_numbers(tmp_path):
    (tmp_path / "t.csv").write_text("v;y\n1.234,50;1\n007;2\n4,5 %;3\n")
    assert read_table(tmp_path / "t.csv").labels(0)[1] == ["1.234,50", "007", "4,5 %"]


@given(st.binary(max_size=300), st.sampled_from(["t.csv", "t.xlsx", "t.ods", "t.jsonl", "t.parquet"]))
@example(b"PK\x03\x04", "t.csv")
@example(b"\xff\xfea", "t.csv")
@example(b"sep=;", "t.csv")
@settings(max_examples=300)
def test_any_bytes_are_a_table_or_one_clear_line(content, name):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            table = read_table(path)
            for column in range(len(table.columns)):
                table.is_text(column)
                table.empty(column, numbers=True)
                np.asarray(table.values(column), dtype=object)
        except InvalidInput as error:
            assert "\n" not in str(error)  # noqa: PT017
