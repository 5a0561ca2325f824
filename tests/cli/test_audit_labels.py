"""`unswayed audit` on options by label: which column is what, hostile files, one clear line for a bad one."""

import json
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unswayed.audits.labels.audit import audit_labels


@pytest.fixture
def cli(unswayed):
    return lambda *arguments: unswayed("audit", *arguments)


DAYS = [str(date(2026, 3, 1) + timedelta(day)) for day in range(14)]
COLUMNS = ("--option", "variant", "--successes", "conversions", "--trials", "visitors", "--source", "day")


def daily(seed=3, bots=150):
    """12 variants for 14 days; bots buy the sixth best one on four days."""
    rng = np.random.default_rng(seed)
    rate = np.sort(rng.uniform(0.02, 0.05, 12))[::-1]
    n = rng.poisson(1000, (12, 14))
    s = rng.binomial(n, rate[:, None])
    n[5, [1, 4, 8, 12]] += bots
    s[5, [1, 4, 8, 12]] += bots
    return s, n


@pytest.fixture
def file(tmp_path):
    s, n = daily()
    rows = [f"{DAYS[d]},variant {'ABCDEFGHIJKL'[v]},{n[v, d]},{s[v, d]}" for d in range(14) for v in range(12)]
    path = tmp_path / "daily.csv"
    path.write_text("day,variant,visitors,conversions\n" + "\n".join(rows) + "\n")
    return path


def test_bots_on_four_days(cli, file):
    code, out, err = cli(file, *COLUMNS)
    assert (code, err) == (0, "")
    first, *rest = out.splitlines()
    lead = "7.14% (1,048 of 14,682), is 51.1% above variant A as recorded."
    assert f"{first} {rest[0]}".startswith(f"Verdict: no: tampered. variant F, {lead}")
    assert "4 counts of variant F look wrong; without them variant A leads. An even split went wrong" in out
    rest = cli(file, *COLUMNS, "--details")[1].splitlines()
    assert any("variant F from 4 sources (2026-03-02, 2026-03-05, 2026-03-09, 2026-03-13)" in line for line in rest)
    record = json.loads(cli(file, *COLUMNS, "--json")[1])
    assert (record["winner"], record["winner_label"]) == (5, "variant F")
    assert record["winner_without_suspects"] == "variant A"
    assert record["verdict"] == "no: tampered"
    assert record["evidence"]["tampered"]
    assert [set(record[name]) >= {"sentence"} for name in ("luck", "evidence", "robustness")] == [True] * 3
    assert record["luck"]["sentence"].startswith("With the suspects, chance gives")
    assert record["luck"]["sentence"] not in out
    assert record["lift"]["over_label"] == "variant A"
    assert record["lift"]["with_suspects"]
    assert record["lift"]["ratio"] == pytest.approx(0.511, abs=1e-3)
    assert record["lift"]["low"] is record["lift"]["high"] is None
    assert not record["certified"]
    assert {s["source"] for s in record["suspects"]} == {"2026-03-02", "2026-03-05", "2026-03-09", "2026-03-13"}
    for suspect in record["suspects"]:
        assert {"row", "option", "source", "value", "expected", "score"} <= suspect.keys()
        assert suspect["option"] == 5
        assert suspect["line"] == suspect["row"] + 2
    keys = {"breakdown_budget", "breakdown_budget_refit", "breakdown_lies", "breakdown_sources", "pivot", "rival"}
    assert keys | {"sources", "sentence", "assumptions", "plan"} <= record.keys()
    assert {"source", "measurements", "alone_overturns", "winner_without"} <= set(record["sources"][0])
    s, n = daily()
    options, days = np.indices(s.shape)
    direct = audit_labels(options.ravel(), s.ravel(), trials=n.ravel(), sources=days.ravel())
    assert record["breakdown_lies"] == direct.breakdown_lies
    assert record["breakdown_sources"] == direct.breakdown_sources


def test_the_same_from_parquet(cli, file, tmp_path):
    rows = [line.split(",") for line in file.read_text().splitlines()[1:]]
    day, variant, visitors, conversions = zip(*rows, strict=True)
    table = {
        "day": pa.array([date.fromisoformat(d) for d in day]),
        "variant": pa.array(variant).dictionary_encode(),
        "visitors": pa.array([int(v) for v in visitors]),
        "conversions": pa.array([int(c) for c in conversions]),
    }
    pq.write_table(pa.table(table), tmp_path / "daily.parquet")
    one, two = (json.loads(cli(path, *COLUMNS, "--json")[1]) for path in (file, tmp_path / "daily.parquet"))
    for record in (one, two):
        for part in ("suspects", "plan"):
            for row in record[part]:
                row.pop("line")
    assert one == two


def test_the_page(cli, file, tmp_path):
    assert cli(file, *COLUMNS, "--html", tmp_path / "a.html")[0] == 0
    page = (tmp_path / "a.html").read_text()
    assert page.index("<strong>Verdict: no: tampered.") < page.index("data:image/png;base64,")
    for words in ("Who could have won", "Sources", "2026-03-05", "What the others do not explain"):
        assert words in page
    assert "http" not in page.replace("http-equiv", "")


@pytest.mark.parametrize(
    ("text", "arguments", "winner", "kind"),
    [
        ("variant,score\na,1.5\na,1\nb,3\nb,3.5\n", (), "b", "values"),
        ("variant,bought\na,1\na,0\nb,1\nb,1\n", (), "b", "counts"),
        ("y,v,x\n1,a,9\n0,a,9\n1,b,9\n1,b,9\n", ("--option", "v", "--objective", "y"), "b", "counts"),
        ("id,score\n007,1.5\n7,1\n007,3\n7,3\n", ("--option", "id"), "007", "values"),
        ("a,b,score\nx,y,1.5\nx,z,1.2\n", (), "x, y", "values"),
        ("day,variant,score\n2026-03-01,a,1.5\n2026-03-02,b,2.5\n", (), "b", "values"),
        ("lr,k,n\n0.1,3,10\n0.2,4,10\n", ("--successes", "k", "--trials", "n"), "0.2", "counts"),
        ("variant,ms\na,15\na,16\nb,30\nb,31\n", ("--minimize",), "a", "values"),
        ("v,e,y\na,9,3\na,0.1,1\nb,0.1,2\n", ("--option", "v", "--noise-column", "e"), "b", "values"),
    ],
)  # fmt: skip
def test_which_column_is_what(cli, tmp_path, text, arguments, winner, kind):
    (tmp_path / "t.csv").write_text(text)
    code, out, err = cli(tmp_path / "t.csv", *arguments, "--json")
    assert code == 0, err
    record = json.loads(out)
    assert (record["winner_label"], record["assumptions"]["kind"]) == (winner, kind)
    assert ("ignored, because every cell is a date: day" in err) == ("2026-03" in text)


def test_a_column_stays_what_it_is_when_rows_are_left_out(cli, tmp_path):
    """Without its second row, every cell of x is a word; but its cells were numbers, so a word is a mistake."""
    (tmp_path / "t.csv").write_text("x,y\nyes,1.5\n2,\nno,2\nyes,1\n")
    code, _, err = cli(tmp_path / "t.csv", "--json")
    assert (code, err.count("\n")) == (2, 1)
    assert "line 2: 'yes' is not a finite number in the column 'x'" in err


def test_numbers_with_categories_have_a_model(cli, tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        f"{x},{k},{x + (k == 'b') + 0.01 * rng.standard_normal()}" for x in (0, 1, 2, 3) for k in "abc" for _ in "12"
    ]
    (tmp_path / "t.csv").write_text("x,kind,score\n" + "\n".join(rows))
    record = json.loads(cli(tmp_path / "t.csv", "--json")[1])
    assert (record["parameters"], record["winner_point"]) == (["x", "kind"], [3, "b"])


SOLVENTS = (
    "solvent,temp,yield\nwater,20,1.0\nwater,30,1.1\nethanol,20,2.0\nethanol,30,2.1\nacetone,20,1.5\nacetone,30,1.6\n"
)


def test_categories_are_said_in_the_words_of_the_file(cli, tmp_path):
    """No code of a category is seen: `solvent = ethanol`, not `solvent=ethanol = 7.07107`."""
    (tmp_path / "t.csv").write_text(SOLVENTS + "water,20,1.02\nethanol,30,2.08\n")
    _, out, err = cli(tmp_path / "t.csv", "--details", "--html", tmp_path / "a.html")
    assert err == ""
    assert out.startswith("Verdict: yes. solvent = ethanol, temp = 30, estimated at ")
    for words in (
        "Winner: option 3 (solvent = ethanol, temp = 30)",
        "with measurements of option 2 (solvent = ethanol, ",
    ):
        assert words in out
    record = cli(tmp_path / "t.csv", "--json")[1]
    assert json.loads(record)["winner_label"] == "option 3 (solvent = ethanol, temp = 30)"
    assert json.loads(record)["winner_point"] == ["ethanol", 30]
    page = (tmp_path / "a.html").read_text()
    assert "solvent = acetone, temp = 20" in page
    for text in (out, record, page):
        assert "solvent=" not in text


BAD = "v,k,n,s,y\na,1,2,x,3\nb,1,{},{},{}\n"
COUNTS = ("--option", "v", "--successes", "k", "--trials", "n")


@pytest.mark.parametrize(
    ("text", "arguments", "reason"),
    [
        (BAD.format(-2, "x", 3), COUNTS, "line 3: -2 trials: there must be at least 1"),
        (BAD.format(0, "x", 3), COUNTS, "line 3: 0 trials"),
        (BAD.format(2.5, "x", 3), COUNTS, "line 3: 2.5 trials: this must be a whole number"),
        (BAD.format("many", "x", 3), COUNTS, "line 3: 'many' is not a finite number"),
        ("v,k,n\na,1,2\nb,3,2\n", COUNTS, "line 3: 3 successes are more than its trials"),
        ("v,k,n\na,1,2\nb,-3,2\n", COUNTS, "line 3: -3 successes"),
        (BAD.format(2, "", 3), (*COUNTS, "--source", "s"), "options (read as: 1 row left out (empty cells))"),
        (BAD.format(2, "x", 3), (*COUNTS, "--source", "who"), "no column 'who'"),
        (BAD.format(2, "x", 3), ("--option", "variant"), "no column 'variant'"),
        (BAD.format(2, "x", 3), ("--option", "v", "--successes", "k"), "--successes and --trials belong together"),
        (BAD.format(2, "x", 3), (*COUNTS, "--objective", "y"), "not both"),
        (BAD.format(2, "x", 3), (*COUNTS, "--parameters", "s"), "not both"),
        (BAD.format(2, "x", 3), (*COUNTS, "--liars", 1), "lying sources need sources"),
        (BAD.format(2, "x", 3), (*COUNTS, "--lies", -1), "lies"),
        (BAD.format(2, "x", 3), (*COUNTS, "--kernel", "se"), "--kernel is for parameters"),
        ("v,y\na,3\nb,3 ms\n", (), "line 3: '3 ms' is not a finite number"),
        ("x,y\n1,3\n3 ms,4\n", (), "line 3: '3 ms' is not a finite number"),
        ("v,y\na,3\nb,7\n", ("--low", 1, "--high", 5), "line 3 is 7, which is not between"),
        ("v,y\na,3\n,7\n", ("--option", "v"), "options (read as: 1 row left out (empty cells))"),
        ("v,y,e\na,3,1\nb,7,0\n", ("--option", "v", "--objective", "y", "--noise-column", "e"), "line 3: a noise of 0"),
        ("day,y\n2026-03-01,3\n2026-03-02,4\n", (), "name it with --option"),
        ("v,y\na,3\na,7\n", (), "two different options"),
    ],
)
def test_malformed_columns_get_one_clear_line(cli, tmp_path, text, arguments, reason):
    (tmp_path / "bad.csv").write_text(text)
    code, out, err = cli(tmp_path / "bad.csv", *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert reason in err


HOSTILE = ["\x1b[31mred", "two\nlines", "\u202eright to left", "$x^$", "<script>alert(1)</script>", "<b>", "y" * 9999]


@pytest.mark.parametrize("options", [(), ("--json",)], ids=str)
def test_a_terminal_and_a_page_obey_no_label(cli, tmp_path, options):
    rng = np.random.default_rng(0)
    columns = {"v": np.repeat(HOSTILE, 6), "s": np.tile(HOSTILE[:6], 7), "y": rng.random(42)}
    pq.write_table(pa.table({name: pa.array(list(cells)) for name, cells in columns.items()}), tmp_path / "r.parquet")
    page = tmp_path / "a.html"
    code, out, err = cli(tmp_path / "r.parquet", "--option", "v", "--source", "s", "--html", page, *options)
    assert (code, err) == (0, "")
    assert all(c.isprintable() for line in out.split("\n") for c in line)
    text = page.read_text()
    assert "<script" not in text
    assert "<b>" not in text
    assert all(c.isprintable() for line in text.split("\n") for c in line)
    if options:
        assert json.loads(out)["labels"] == HOSTILE


cells = st.sampled_from(["a", "b", "1", "0", "2.5", "-1", "", "nan", "3 ms", "2026-03-01", '"q\n"', "\x00", "é"])


@given(st.lists(st.lists(cells, min_size=3, max_size=3).map(",".join), max_size=8).map("\n".join), st.booleans())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_table_is_audited_or_refused_in_one_line(cli, tmp_path, body, counts):
    (tmp_path / "t.csv").write_text("v,k,n\n" + body)
    code, out, err = cli(tmp_path / "t.csv", *(COUNTS if counts else ("--option", "v", "--source", "k")), "--json")
    assert (code, out, err.count("\n")) == (2, "", 1) if code else json.loads(out)["winner"] >= 0


@pytest.mark.parametrize("columns", [("--objective", "conversions"), ()], ids=str)
def test_counts_that_are_named_like_counts_are_read_as_counts(cli, file, columns):
    code, out, err = cli(file, "--option", "variant", "--source", "day", *columns)
    assert (code, out) == (0, cli(file, *COLUMNS)[1])
    assert "read as counts: conversions of visitors" in err


def test_values_beside_visitors_stay_values(cli, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("variant,visitors,orders\na,10,2.5\na,12,3.5\nb,9,1.0\nb,14,1.5\n")
    code, out, err = cli(path, "--option", "variant", "--objective", "orders", "--json")
    assert (code, json.loads(out)["assumptions"]["kind"]) == (0, "values")
    assert "read as counts" not in err


TRAFFIC = "variant,visitors,orders\nold,9000,452\nnew,1000,60\nold,9100,455\nnew,1010,66\n"


@pytest.mark.parametrize(
    "columns", [(), ("--option", "variant", "--successes", "orders", "--trials", "visitors")], ids=str
)
def test_rows_without_trials_are_left_out_and_counted(cli, tmp_path, columns):
    """The total of an option with nine times the visitors is larger: that is no reason to use it."""
    (tmp_path / "t.csv").write_text(TRAFFIC + "new,0,0\n")
    code, out, err = cli(tmp_path / "t.csv", *columns)
    assert (code, "read as: 1 row left out (0 in the column 'visitors')" in err) == (0, True)
    (tmp_path / "t.csv").write_text(TRAFFIC)
    assert out == cli(tmp_path / "t.csv", *columns)[1]
    assert "new, 6.27% (126 of 2,010)" in out


NAMED = "variant,visitors,orders{}\nold,9000,452{}\nnew,1000,60{}\n"


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        (TRAFFIC + "new,10,12\n", ("line 6: 12 orders of 10 visitors", "--successes orders --trials visitors")),
        (TRAFFIC + "new,10,2.5\n", ("line 6: 2.5 orders of 10 visitors", "--objective orders compares the values")),
        (NAMED.format(",signups", ",500", ",70"), ("visitors, orders, signups may be", "--successes signups --trials")),
        (NAMED.format(",sessions", ",9999", ",1100"), ("visitors, sessions, orders may be", "--trials visitors")),
        (NAMED.format(",revenue", ",9999.5", ",1100"), ("revenue like a value", "--objective revenue compares")),
        ("variant,profit,visitors,orders\na,7,9,1\nb,8,9,2\n", ("profit like a value", "--successes orders")),
        ("variant,visitors,revenue\na,10,200\nb,20,400\n", ("larger where visitors are", "--objective revenue")),
        ("variant,visitors,conversion_rate\na,10,0.1\nb,20,0.2\n", ("is a rate, and its counts are needed",)),
        ("variant,clicks,orders\na,10,2\nb,20,4\n", ("--option variant --successes orders --trials clicks",)),
    ],
)
def test_columns_that_are_named_like_counts_are_never_compared_as_totals_unasked(cli, tmp_path, text, reasons):
    (tmp_path / "t.csv").write_text(text)
    code, out, err = cli(tmp_path / "t.csv")
    assert (code, out, err.count("\n")) == (2, "", 1)
    for reason in reasons:
        assert reason in err


@pytest.mark.parametrize("names", ["Variante;Besucher;Käufe", "variante;visiteurs;commandes", "v;visitantes;pedidos"])
def test_counts_are_known_in_other_languages(cli, tmp_path, names):
    (tmp_path / "t.csv").write_text(names + "\nold;9000;452\nnew;1000;60\n")
    code, out, err = cli(tmp_path / "t.csv")
    assert (code, "read as counts" in err, "new, 6% (60 of 1,000)" in out) == (0, True, True)


def test_a_column_of_trials_may_come_last_and_be_empty_in_a_row(cli, tmp_path):
    (tmp_path / "t.csv").write_text("variant,orders,visitors\nold,452,9000\nnew,60,1000\nnew,66,\n")
    assert "new, 6% (60 of 1,000)" in cli(tmp_path / "t.csv")[1]


@pytest.mark.parametrize("columns", [(), ("--option", "variant")], ids=str)
def test_a_row_of_totals_is_no_option_and_no_day(cli, tmp_path, columns):
    text = "day,variant,visitors,orders\n2026-03-01,old,990,50\n2026-03-01,new,1000,60\n2026-03-02,old,1010,52\n"
    (tmp_path / "t.csv").write_text(text + "Total,old,2000,102\n")
    code, out, err = cli(tmp_path / "t.csv", *columns)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "line 5: 'Total' in the column 'day' is the name of a sum or a mean: leave this row out" in err
    (tmp_path / "t.csv").write_text("variant,visitors,orders\nold,990,50\nnew,1000,60\nold total,2000,102.3\n")
    assert "line 4: 'old total' in the column 'variant'" in cli(tmp_path / "t.csv", "--objective", "orders")[2]
