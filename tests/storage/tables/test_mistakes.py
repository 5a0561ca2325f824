"""What is probably a mistake in a table is refused, and what only looks a little like one is not."""

import pytest

from unswayed import InvalidInput
from unswayed.storage.tables.mistakes import (
    id_column,
    refuse_lookalikes,
    refuse_running_totals,
    refuse_total_names,
    refuse_totals,
    refuse_twice,
)
from unswayed.storage.tables.reading import read_table


@pytest.fixture
def table(tmp_path):
    def read(*rows, header="kiln,yield"):
        path = tmp_path / "rows.csv"
        path.write_text("\n".join([header, *rows]) + "\n")
        return read_table(path)

    return read


FOUR = ["a,1", "b,2", "c,3", "d,4"]


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        ([*FOUR, *FOUR], (2, 6)),
        ([row for row in FOUR for _ in "12"], (2, 3)),
        (2 * [f"a,{i // 2}" for i in range(20)], (2, 22)),
    ],
    ids=["copied", "doubled", "equal rows"],
)
def test_rows_that_are_all_there_twice_are_refused(table, rows, lines):
    with pytest.raises(
        InvalidInput, match="every row is there twice, the first one in line {} and line {}: ".format(*lines)
    ):
        refuse_twice(table(*rows))


@pytest.mark.parametrize(
    "rows",
    [
        FOUR,
        2 * FOUR[:3],
        [*FOUR, *FOUR, "e,5"],
        [*FOUR, *FOUR, "e,5", "f,5"],
        3 * FOUR,
        2 * [f"a,{i // 2}" for i in range(19)],
    ],
    ids=["once", "few", "one more", "two more", "three times", "few equal rows"],
)
def test_rows_that_may_be_there_twice_by_chance_are_not(table, rows):
    refuse_twice(table(*rows))


def test_labels_that_differ_by_case_or_blanks_are_refused_with_their_lines(table):
    refuse_lookalikes(table("kiln a,1", "kiln b,2", "kiln a,3"), 0)
    with pytest.raises(
        InvalidInput, match=r"'kiln b' \(line 3\) and 'Kiln  B' \(line 5\) in the column 'kiln' differ only"
    ):
        refuse_lookalikes(table("kiln a,1", "kiln b,2", "kiln a,3", "Kiln  B,4"), 0)


@pytest.mark.parametrize(
    ("last", "kind"),
    [("Total,10", "the sum"), ("total:,10", "the sum"), ("Sum,10.000001", "the sum"), ("Mean,2.5", "the mean")],
)
def test_a_row_that_adds_up_the_others_is_refused(table, last, kind):
    with pytest.raises(InvalidInput, match=f"line 6: '{last.split(',')[0]}' is {kind} of the others: remove this row"):
        refuse_totals(table(*FOUR, last), 0, [1])
    with pytest.raises(InvalidInput, match=f"line 2: .* is {kind} of the others"):
        refuse_totals(table(last, *FOUR), 0, [1])


def test_totals_are_looked_for_in_every_column_of_numbers(table):
    rows = ["a,1,5", "b,2,7", "total,9,12"]
    refuse_totals(table(*rows, header="kiln,n,yield"), 0, [1])
    with pytest.raises(InvalidInput, match="'total' is the sum of the others"):
        refuse_totals(table(*rows, header="kiln,n,yield"), 0, [1, 2])


@pytest.mark.parametrize("rows", [FOUR, [*FOUR, "total,10.1"], ["total,1", "total,2"], [*FOUR, "f,10"]], ids=str)
def test_a_label_alone_is_no_total(table, rows):
    refuse_totals(table(*rows), 0, [1])


@pytest.mark.parametrize(
    "label",
    [
        *("Total", "TOTAL:", "Grand Total", "Subtotal", "old total", "old_total", "Sum", "Gesamt", "Gesamtsumme"),
        *("Summe alt", "Gesamtergebnis", "Zwischensumme", " Mean ", "average", "Mittelwert", "Overall"),
    ],
)
def test_a_row_that_is_called_a_total_is_refused_whatever_its_value(table, label):
    with pytest.raises(InvalidInput, match=r"line 6: '.*' in the column 'kiln' is the name .* or rename the option"):
        refuse_total_names(table(*FOUR, f"{label},4210.7"), [0])


@pytest.mark.parametrize("label", ["mean pooling", "summer", "subtotally", "all", "averaged", "consumer", "somewhat"])
def test_a_name_that_only_has_such_a_word_in_it_is_an_option(table, label):
    refuse_total_names(table(*FOUR, f"{label},10.1"), [0])


@pytest.mark.parametrize("day", ["Total", "grand total", "Summe:", "Mean"])
def test_totals_are_noticed_in_every_column(table, day):
    refuse_total_names(table("mon,old,20", "tue,new,21", "total failure,new,3", header="day,variant,orders"), [1])
    refuse_total_names(table("1,old,20", "2,new,21", header="week,variant,orders"), [1])
    refuse_total_names(
        table("max,0.1,5", f"{day},0.2,7", f"{day},0.3,6", header="pool,rate,y"), [0], alone=False
    )  # a category
    with pytest.raises(InvalidInput, match="line 4"):
        refuse_total_names(table("2026-03-01,old,5", "2,new,5", f"{day},old,7", f"{day},new,6", header="d,v,y"), [1])
    for first in ("mon", "1"):
        with pytest.raises(InvalidInput, match=r"line 3: '.*' in the column 'day' .*: leave this row out$"):
            refuse_total_names(table(f"{first},old,20", f"{day},old,20", header="day,variant,orders"), [1])


def test_a_column_of_ids(table):
    eight = [f"r{i},{i % 3},{i + 5}" for i in range(8)]
    named = {"header": "run,rate,id"}
    assert id_column(table(*eight, **named), [0, 1]) == 0
    assert id_column(table(*eight[:7], **named), [0, 1]) is None  # seven options
    assert id_column(table(*eight, "r0,1,13", **named), [0, 1]) is None  # an option that comes again
    assert id_column(table(*eight, **named), [1, 2]) == 2
    assert id_column(table(*eight, **named), [2]) is None  # the only parameter
    assert id_column(table(*eight, header="run,rate,heat"), [1, 2]) is None
    assert id_column(table(*[f"{row}0" for row in eight], **named), [1, 2]) is None  # steps of ten


@pytest.mark.parametrize(
    "rows",
    [
        [f"{variant},{100 + 10 * i},{5 + i}" for i in range(4) for variant in "ab"],
        [f"{variant},{100 + 10 * i},{5 + i % 3}" for i in range(9) for variant in "ab"],
        [f"{variant},{100 + 10 * i if variant == 'a' else 100},{5 + i}" for i in range(9) for variant in "ab"],
    ],
    ids=["few days", "orders fall", "one option does not grow"],
)
def test_counts_that_may_grow_by_themselves_are_no_running_totals(table, rows):
    refuse_running_totals(table(*rows, header="variant,visitors,orders"), [0], 2, 1)
