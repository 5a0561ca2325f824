"""Files as people have them: each is read as the plain file that says the same, or refused in one line that helps."""

import csv
import io
import json
from datetime import date, timedelta
from fnmatch import fnmatchcase

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table, TableCell, TableRow
from odf.text import P

RNG = np.random.default_rng(5)
DAYS = [date(2026, 3, 1) + timedelta(day) for day in range(7)]
AB = ("--option", "variant", "--successes", "orders", "--trials", "visitors", "--source", "day")
POINT = ("--decimal", "point")
ALIKE = ("--option", "variant", "--successes", "orders", "--trials", "visitors")


def counts():
    for day in DAYS:
        for variant, p in (("grün", 0.05), ("blau", 0.07)):
            visitors = int(RNG.integers(1100, 1900))
            yield day, variant, visitors, int(RNG.binomial(visitors, p))


def values():
    for temp in (40, 52.5, 65):
        for solvent in ("water", "oil"):
            yield from ((temp, solvent, round(0.3 + temp / 200 + RNG.normal(0, 0.02), 4)) for _ in range(3))


def running(rows):
    """Each day's counts with those of all days before."""
    sums = {}
    for day, variant, visitors, orders in rows:
        before = sums.get(variant, (0, 0))
        sums[variant] = (before[0] + visitors, before[1] + orders)
        yield day, variant, *sums[variant]


COUNTS = [("day", "variant", "visitors", "orders"), *counts()]
FEW = [COUNTS[0], *((day, variant, visitors, 90 + i) for i, (day, variant, visitors, _) in enumerate(COUNTS[1:]))]
VALUES = [("temp", "solvent", "yield"), *values()]
RATES = [("variant", "rate"), *((v, round(RNG.normal(m, 0.004), 3)) for v, m in 8 * (("a", 0.05), ("b", 0.06)))]
BOUGHT = [("variant", "bought"), *((v, int(RNG.random() < p)) for v, p in 60 * (("a", 0.3), ("b", 0.6)))]
LIFTS = [("lift", *COUNTS[0]), *(("0,5", *row) for row in COUNTS[1:])]
TOTAL = ("Total", *(sum(row[i] for row in COUNTS[1:]) for i in (2, 3)))
VARIANTS = [row[1:] for row in COUNTS]
WITH_IDS = [("id", *VARIANTS[0]), *((i, *row) for i, row in enumerate(VARIANTS[1:]))]
NUMBERED = [(i, *row) for i, row in enumerate(VALUES[1:])]
RUNNING = [COUNTS[0], *running(COUNTS[1:])]
NOTES = [("day", "note", "yield"), *((DAYS[i % 7], "" if i else "hot", y) for i, (*_, y) in enumerate(VALUES[1:]))]


def text(rows, delimiter=",", decimal=".", write=str, begin="", end="", **how):
    """Rows as a file of text; `write` makes text of a number."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\r\n")
    for row in rows:
        cells = [write(one).replace(".", decimal) if isinstance(one, int | float) else one for one in row]
        writer.writerow(cells)
    return (begin + out.getvalue() + end).encode(**how)


def grouped(mark):
    """Numbers with a mark between their thousands, and a point for their decimals."""
    return lambda number: f"{number:,}".replace(",", mark)


def percent(number):
    return f"{number:.1%}"


def spaced(number):
    return percent(number).replace("%", " %")


def xlsx(*sheets, far=None, merged=(), empty=()):
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for number, rows in enumerate(sheets, 1):
        sheet = book.create_sheet(f"Sheet {number}")
        for row in rows:
            sheet.append(list(row))
    if far is not None:
        book.worksheets[0][far] = "here"
    for cell in empty:
        book.worksheets[0][cell] = None
    for cells in merged:
        book.worksheets[0].merge_cells(cells)
    book.save(out)
    return out.getvalue()


def ods(rows):
    book, table, out = OpenDocumentSpreadsheet(), Table(name="Data"), io.BytesIO()
    for row in rows:
        line = TableRow()
        for one in row:
            if one is None:
                line.addElement(TableCell())
                continue
            kind = "float" if isinstance(one, int | float) else "date" if isinstance(one, date) else "string"
            value = {} if kind == "string" else {"value" if kind == "float" else "datevalue": str(one)}
            cell = TableCell(valuetype=kind, **value)
            cell.addElement(P(text=str(one)))
            line.addElement(cell)
        table.addElement(line)
    book.spreadsheet.addElement(table)
    book.save(out)
    return out.getvalue()


def parquet(rows):
    out = io.BytesIO()
    pq.write_table(pa.table(dict(zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True))), out)
    return out.getvalue()


def lines(rows):
    return "".join(json.dumps(dict(zip(rows[0], row, strict=True)), default=str) + "\n" for row in rows[1:]).encode()


def words(yes, no):
    return [BOUGHT[0], *((variant, yes if bought else no) for variant, bought in BOUGHT[1:])]


def holes(rows, *cells, empty=""):
    """Two more rows, which have an empty cell."""
    return [*rows[:2], *[[*rows[1][:column], empty, *rows[1][column + 1 :]] for column in cells], *rows[2:]]


READ = {  # the file; its rows in plain words; how the command is called; what it says
    "plain.csv": (text(COUNTS), COUNTS, AB, ""),
    "semicolons.csv": (text(VALUES, ";"), VALUES, (), "semicolons"),
    "german.csv": (text(VALUES, ";", ","), VALUES, (), "semicolons, decimal comma"),
    "tabs.txt": (text(VALUES, "\t", ","), VALUES, (), "tabs, decimal comma"),
    "quoted.csv": (text(VALUES, ",", ","), VALUES, (), "decimal comma"),
    "bars.csv": (text(VALUES, "|"), VALUES, (), "vertical bars"),
    "bom.csv": (text(COUNTS, ";", encoding="utf-8-sig"), COUNTS, AB, "semicolons"),
    "unicode.txt": (text(COUNTS, "\t", encoding="utf-16"), COUNTS, AB, "tabs, UTF-16"),
    "big.txt": (text(COUNTS, encoding="utf-16-be"), COUNTS, AB, "UTF-16"),
    "latin.csv": (text(COUNTS, ";", encoding="latin-1"), COUNTS, AB, "semicolons, Latin-1"),
    "excel.csv": (text(COUNTS, ";", begin="sep=;\r\n"), COUNTS, AB, "semicolons"),
    "percent.csv": (text(RATES, write=percent), RATES, (), f"{RATES[1][1]:.1%} as {RATES[1][1]}"),
    "prozent.csv": (text(RATES, ";", ",", percent), RATES, (), "semicolons, decimal comma, ?,?% as 0.0??"),
    "abstand.csv": (text(RATES, ";", ",", spaced), RATES, (), "semicolons, decimal comma, ?,? % as 0.0??"),
    "thousands.csv": (text(COUNTS, write=grouped(",")), COUNTS, AB, "1,??? as 1???"),
    "tausender.csv": (text(LIFTS, ";", write=grouped(".")), COUNTS, AB, "semicolons, 1.??? as 1???"),
    "french.csv": (text(COUNTS, ";", write=grouped("\u202f")), COUNTS, AB, "semicolons, 1 ??? as 1???"),
    "spaces.csv": (text(COUNTS, ";", write=grouped(" ")), COUNTS, AB, "semicolons, 1 ??? as 1???"),
    "dollars.csv": (text(VALUES, write=lambda n: f"${n}"), VALUES, (), "values in $"),
    "euro.csv": (text(VALUES, ";", ",", lambda n: f"{n} €"), VALUES, (), "semicolons, decimal comma, values in €"),
    "told.csv": (text(FEW, ";", write=grouped(",")), FEW, (*AB, *POINT), "semicolons, 1,??? as 1???"),
    "yes.csv": (text(words("yes", "no")), BOUGHT, (), "* as ?"),
    "wahr.csv": (text(words("WAHR", "FALSCH"), ";"), BOUGHT, (), "semicolons, * as ?"),
    "book.xlsx": (xlsx(COUNTS), COUNTS, AB, ""),
    "sheets.xlsx": (xlsx([], COUNTS, [["notes"]]), COUNTS, AB, "the sheet 'Sheet 2', the first of 2"),
    "second.xlsx": (xlsx([["Notes"]], VALUES), VALUES, (), "the sheet 'Sheet 2', the first with a table, of 2"),
    "merged.xlsx": (
        xlsx(VALUES, merged=["B3:B4"], empty=["B4"]),
        [*VALUES[:3], (VALUES[3][0], VALUES[2][1], VALUES[3][2]), *VALUES[4:]],
        (),
        "1 merged cell filled",
    ),
    "holes.xlsx": (xlsx(holes(VALUES, 0, 1, 2, empty=None)), VALUES, (), "3 rows left out (empty cells)"),
    "called.csv": (xlsx(VALUES), VALUES, (), ""),
    "book.ods": (ods(COUNTS), COUNTS, AB, ""),
    "table.parquet": (parquet(COUNTS), COUNTS, AB, ""),
    "lines.jsonl": (lines(VALUES), VALUES, (), ""),
    "holes.csv": (text(holes(VALUES, 0, 2), ";"), VALUES, (), "semicolons, 2 rows left out (empty cells)"),
    "missing.csv": (text(holes(VALUES, 2, empty="NA")), VALUES, (), "1 row left out (empty cells)"),
    "german_missing.csv": (text(holes(VALUES, 2, empty="k.A.")), VALUES, (), "1 row left out (empty cells)"),
    "list.json": (json.dumps([dict(zip(VALUES[0], row, strict=True)) for row in VALUES[1:]]).encode(), VALUES, (), ""),
    "lines.json": (lines(VALUES), VALUES, (), ""),
    "text.xlsx": (text(VALUES, ";"), VALUES, (), "semicolons"),
    "wide.csv": (text([[*row, "", ""] for row in VALUES], ";", end=";;;;\r\n;;;;\r\n"), VALUES, (), "semicolons"),
    "again.csv": (text([*VALUES[:9], *VALUES[:1], *VALUES[9:]]), VALUES, (), "1 row left out (the header again)"),
}
ASK = "say --decimal comma or --decimal point"
REFUSED = {  # the file; how the command is called; what it says
    "sum.csv": (text([*VARIANTS, TOTAL]), ALIKE, "line 16: 'Total' is the sum of the others: remove this row"),
    "summe.xlsx": (xlsx([*VARIANTS, ("Summe:", *TOTAL[1:])]), ALIKE, "line 16: 'Summe:' is the sum of"),
    "case.csv": (text([*COUNTS, (DAYS[0], "Blau ", 900, 80)]), AB, "'blau' (line 3) and 'Blau ' (line 16) in"),
    "ids.csv": (
        text([("user", *RATES[0]), *((f"u{i}", *row) for i, row in enumerate(RATES[1:]))]),
        (),
        "--option variant",
    ),
    "each.csv": (
        text([("user", "rate"), *((f"u{i}", row[1]) for i, row in enumerate(RATES[1:]))]),
        (),
        "this one or another",
    ),
    "index.csv": (text([("", *VALUES[0]), *NUMBERED]), (), "column 1 is different, * --parameters temp,solvent"),
    "counted_ids.csv": (
        text([("id", *VARIANTS[0]), *((i, *row) for i, row in enumerate(VARIANTS[1:]))]),
        (),
        "column 'id' * --option variant",
    ),
    "running.csv": (text(RUNNING), AB, "'visitors' and 'orders' of every option only grow from row to row"),
    "latest.csv": (text([COUNTS[0], *RUNNING[:0:-1]]), AB, "only shrink from row to row, as running totals do"),
    "page.xls": (b"<html><table><tr><td>variant</td></tr></table></html>", AB, "a web page, or XML: open it in a"),
    "columns.json": (json.dumps({"variant": ["a", "b"], "orders": [1, 2]}).encode(), AB, "holds columns, not rows"),
    "twice.csv": (text([*VALUES, *VALUES[1:]]), (), "every row is there twice, the first one in line 2 and line 20"),
    "ambiguous.csv": (text(FEW, ";", write=grouped(",")), AB, f"line 2: '1,*' in * 'visitors' may be 1.* or 1*: {ASK}"),
    "points.txt": (text(FEW, "\t", write=grouped(".")), AB, f"line 2: '1.*' in * 'visitors' may be 1* or 1.*: {ASK}"),
    "mixed.csv": (text(VALUES, ";", ",", end="50;oil;0.5\r\n"), (), "line 20: '0.5' in the column 'yield' does not"),
    "signs.csv": (text(RATES, write=percent, end="b,0.07\r\n"), (), "line 18: '0.07' in * 'rate' does not fit"),
    "bare.csv": (text(VALUES, ";", ",").replace(b";", b","), (), "line 2: 4 cells where the first row has 3 (a"),
    "nan.csv": (text(VALUES, end="50,oil,NaN\r\n"), (), "line 20: 'NaN' is not a finite number in * 'yield' (leave"),
    "inf.jsonl": (
        lines(VALUES) + b'{"solvent": "oil", "temp": 5, "yield": Infinity}\n',
        (),
        "line 19: 'Infinity' is not a finite number",
    ),
    "division.csv": (text([*VALUES, (50, "oil", "#DIV/0!")]), (), "line 20: '#DIV/0!' is not a finite number"),
    "division.xlsx": (
        xlsx([*VALUES, (50, "oil", "#DIV/0!")]),
        (),
        "line 20: '#DIV/0!' is not a finite number in the column 'yield' (an error of a spreadsheet",
    ),
    "formula.xlsx": (
        xlsx([*VALUES, (50, "oil", "=1+1")]),
        (),
        "line 20: the formula in C20 has no value: open the file",
    ),
    "later.xlsx": (
        xlsx([["Notes"]], [*VALUES, (50, "oil", "x")]),
        (),
        "later.xlsx, sheet 'Sheet 2', line 20: 'x' is not",
    ),
    "low.xlsx": (xlsx([[], ["Results"], [], *VALUES]), (), "line 2: only 'Results' stands here"),
    "merged.ods": (
        ods([COUNTS[0], *((*row[:1], None if i % 7 else row[1], *row[2:]) for i, row in enumerate(COUNTS[1:]))]),
        AB,
        "12 of 14 rows have no 'variant': fill the merged cells",
    ),
    "title.xlsx": (
        xlsx([("Results", None, None), *VALUES]),
        (),
        "line 1: only 'Results' stands here, but the first row",
    ),
    "currencies.csv": (text(VALUES, write=lambda n: f"€{n}", end="$50,oil,$0.5\r\n"), (), "(remove the unit, and"),
    "units.csv": (text(VALUES, write=lambda n: f"{n} ms"), (), " ms' is not a finite number * (remove the unit"),
    "names.csv": (b"a,a,y\n1,2,3\n", (), "more than one column named 'a': rename one of them"),
    "packed.csv.gz": (b"\x1f\x8b\x08\0", (), "it is packed: unpack it first"),
    "nested.json": (b'[{"v": {"a": 1}, "y": 2}]', (), "no list of plain objects: write one object on each line"),
    "object.json": (b'{"rows": [\n1]}', (), "write one object on each line, or a list of objects"),
    "quote.csv": (b'v,y\na,1\nb,"' + b"x\n" * 90_000, (), "a cell is longer than 131,072 characters: is a quote"),
    "title.csv": (b"Results\n\n" + text(VALUES), (), "line 3: 3 cells where the first row has 1 (the first"),
    "notes.csv": (text(NOTES), (), "17 of 18 rows have an empty cell, 17 of them in the column 'note': name"),
    "empty.csv": (b"", (), "holds no rows"),
    "empty.xlsx": (xlsx([]), (), "holds no rows"),
    "picture.csv": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe", (), "it is neither text nor a spreadsheet"),
    "far.xlsx": (xlsx(VALUES, far="XFD1048576"), (), "far.xlsx: a sheet has a cell in XFD1048576, far from the others"),
    "damaged.xlsx": (xlsx(VALUES)[:900], (), "cannot read damaged.xlsx: no spreadsheet, or a damaged one"),
}


@pytest.fixture
def outcome(unswayed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(name, content, arguments):
        (tmp_path / name).write_bytes(content)
        return unswayed("audit", name, "--json", *arguments)

    return run


def same(record):
    """What an audit finds, without the lines of the file."""
    if isinstance(record, dict):
        return {name: same(one) for name, one in record.items() if name not in ("line", "lines")}
    return [same(one) for one in record] if isinstance(record, list) else record


@pytest.mark.parametrize("name", READ)
def test_a_file_is_read_as_the_plain_one_that_says_the_same(outcome, name):
    content, plain, arguments, said = READ[name]
    code, out, err = outcome(name, content, arguments)
    assert code == 0, err
    assert fnmatchcase(err, f"unswayed: read as: {said}\n" if said else ""), err
    expected = outcome("plain.csv", text(plain), [one for one in arguments if one not in POINT])
    assert expected[2] == ""
    assert same(json.loads(out)) == same(json.loads(expected[1]))


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_is_refused_in_one_line_that_helps(outcome, name):
    content, arguments, words = REFUSED[name]
    code, out, err = outcome(name, content, arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert name in err
    assert fnmatchcase(err, f"*{words}*"), err
