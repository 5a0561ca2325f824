"""`unswayed audit`: words, JSON and a page from files of every kind; one clear line for a bad one."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unswayed import audit


def measurements(seed=0, options=12, rows=120, noise=0.1):
    rng = np.random.default_rng(seed)
    points = rng.uniform(0, 1, (options, 2))
    option = np.concatenate([np.arange(options), rng.integers(0, options, rows - options)])
    f = np.sin(5 * points[:, 0]) + points[:, 1]
    return points, option, f[option] + noise * rng.standard_normal(rows)


@pytest.fixture
def cli(unswayed):
    return lambda *arguments: unswayed("audit", *arguments)


@pytest.fixture
def file(tmp_path):
    points, option, y = measurements(7)
    path = tmp_path / "results.csv"
    rows = "\n".join(f"{a},{b},{v},{i}" for i, ((a, b), v) in enumerate(zip(points[option], y, strict=True)))
    path.write_text("lr,decay,score,worker\n" + rows)
    return path, points, option, y


def test_the_command_says_it_in_words_and_in_json(cli, file):
    path, points, option, y = file
    code, out, _ = cli(path, "--objective", "score", "--parameters", "lr,decay")
    assert code == 0
    assert out.startswith("Verdict: yes. lr = ")
    details = cli(path, "--objective", "score", "--parameters", "lr,decay", "--details")[1]
    assert details.startswith(out)
    for word in (
        "Winner: option",
        "Breakdown budget",
        "lr =",
        "Closest rivals",
        "Most sensitive options",
        "Estimated from these",
    ):
        assert word in details
    code, out, _ = cli(path, "--objective", "score", "--parameters", "lr,decay", "--json")
    record = json.loads(out)
    expected = audit(points[option], y)
    assert (record["winner"], record["rival"], record["pivot"]) == (expected.winner, expected.rival, expected.pivot)
    assert record["breakdown_budget"] == pytest.approx(expected.breakdown_budget)
    assert record["shifted_measurements"] == int(np.ceil(expected.breakdown_budget / expected.assumptions.noise_std))
    assert record["pivot_repeats"] == expected.counts[expected.pivot]


def test_minimize_translates_at_the_border(cli, file, tmp_path):
    path, points, option, y = file
    flipped = tmp_path / "flipped.csv"
    rows = "\n".join(f"{a},{b},{-v}" for (a, b), v in zip(points[option], y, strict=True))
    flipped.write_text("lr,decay,loss\n" + rows)
    options = ("--kernel", "se", "--lengthscale", "0.4", "--noise", "0.1", "--json")
    up = json.loads(cli(path, "--objective", "score", "--parameters", "lr,decay", *options)[1])
    down = json.loads(cli(flipped, "--minimize", *options)[1])
    assert (up["winner"], up["rival"], up["breakdown_budget"]) == (
        down["winner"],
        down["rival"],
        down["breakdown_budget"],
    )
    assert down["estimate"] == pytest.approx(-up["estimate"])


def test_parquet_is_read_too(cli, file, tmp_path):
    path, points, option, y = file
    table = pa.table({"lr": points[option][:, 0], "decay": points[option][:, 1], "score": y})
    pq.write_table(table, tmp_path / "r.parquet")
    found = json.loads(cli(tmp_path / "r.parquet", "--json")[1])
    same = json.loads(cli(path, "--objective", "score", "--parameters", "lr,decay", "--json")[1])
    for change in (*found["plan"]["changes"], *same["plan"]["changes"]):
        del change["line"]  # a file of numbers has lines, the other one has not
    assert found == same


def test_the_page(cli, file, tmp_path):
    path, *_ = file
    code, _, err = cli(path, "--objective", "score", "--parameters", "lr,decay", "--html", tmp_path / "a.html")
    assert code == 0, err
    text = (tmp_path / "a.html").read_text()
    assert "Can this winner be trusted?" in text
    assert "data:image/png;base64," in text
    assert "http" not in text.replace("http-equiv", "")


@pytest.mark.parametrize(
    ("text", "arguments", "reason"),
    [
        ("a,b\n1,2\n2,3\n", ("--objective", "c"), "no column 'c': it has a, b"),
        ("a,b\n1,2\n2,x\n", (), "line 3: 'x' is not a finite number"),
        ("a,b\n1,2\n2,nan\n", (), "'nan'"),
        ("a,b\n1,2\n", (), "two different options"),
        ("a,b\n1,2\n2,2\n", (), "no winner"),
        ("a\n1\n2\n", (), "two columns"),
        ("", (), "no rows"),
        ("a,b\n1,2\n2\n", (), "1 cells"),
        ("a,b\n1,2\n2,3\n", ("--noise", 0), "noise"),
        ("a,b\n1,2\n2,3\n", ("--budget", -1), "threat"),
        ("a,b\n1,2\n2,3\n", ("--delta", 2), "delta"),
        ("a,b\n1,2\n2,3\n", ("--kernel", "se"), "--lengthscale"),
        ("a,b\n1,2\n2,3\n", ("--kernel", "se", "--lengthscale", "wide"), "must be numbers with commas"),
        ("a,b\n1,2\n2,3\n", ("--html", "no/such/folder/a.html"), "cannot write"),
        ("a,a,b\n1,2,3\n2,3,4\n", (), "more than one column named 'a'"),
        ("a,b\n1,2\n2,3\n", ("--parameters", "a,b"), "not both"),
        ("a,b\n1,2\n2,3\n", ("--parameters", "a,a"), "not both"),
        ("a;b\n1;2\n2;x\n", (), "line 3: 'x' is not a finite number in the column 'b'"),
        ("a,b\n1,1_000\n2,3\n", (), "'1_000'"),
        ("a,b\n1,2\n2,3\n", ("--kernel", "linear", "--lengthscale", 4), "no length-scale"),
        ("a,b\n1,2" + "0" * 1_100_000 + "\n", (), "longer than a million characters"),
    ],
)
def test_malformed_files_get_one_clear_line(cli, tmp_path, text, arguments, reason):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    code, out, err = cli(path, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert reason in err


def test_the_input_is_never_overwritten(cli, file):
    path, *_ = file
    before = path.read_bytes()
    code, _, err = cli(path, "--objective", "score", "--html", path)
    assert code == 2
    assert "cannot write" in err
    assert path.read_bytes() == before


def test_a_line_without_end_does_not_fill_the_memory(cli, tmp_path):
    """Two gigabytes without a line break (a sparse file): refused after the first megabyte."""
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.write(b"a,b\n1,")
        file.truncate(2 << 30)
    code, _, err = cli(path)
    assert code == 2
    assert err.count("\n") == 1


@pytest.mark.parametrize("raw", [b"PAR1garbage", b""])
def test_damaged_parquet_gets_one_clear_line(cli, tmp_path, raw):
    path = tmp_path / "bad.parquet"
    path.write_bytes(raw)
    code, _, err = cli(path)
    assert code == 2
    assert "cannot read" in err
    assert err.count("\n") == 1


def test_parquet_with_text_or_holes_gets_one_clear_line(cli, tmp_path):
    pq.write_table(pa.table({"a": ["x", "y"], "b": [1.0, 2.0]}), tmp_path / "t.parquet")
    assert "column 'a' holds string" in cli(tmp_path / "t.parquet", "--objective", "a")[2]
    pq.write_table(pa.table({"a": [1.0, None], "b": [1.0, 2.0]}), tmp_path / "h.parquet")
    assert (
        "h.parquet: an audit needs measurements of at least two different options (read as: 1 row left out"
        in cli(tmp_path / "h.parquet")[2]
    )
    pq.write_table(pa.table({"a": [1.0, np.inf], "b": [1.0, 2.0]}), tmp_path / "i.parquet")
    assert "the column 'a' has no finite number in row 2" in cli(tmp_path / "i.parquet")[2]


# -- what a file may contain ------------------------------------------------------------------------------------------

HOSTILE = [
    "\x1b[31mred",
    "two\nlines",
    "\u202eright to left",
    "\x07bell",
    "\x9b2J",
    "tab\there",
    "<script>alert(1)</script>",
]


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
@pytest.mark.parametrize("options", [(), ("--json",), ("--objective", "absent"), ("--parameters", "absent")], ids=str)
def test_a_terminal_obeys_no_column_name(cli, tmp_path, name, options):
    points, option, y = measurements(7, options=6, rows=30)
    table = {name: points[option][:, 0], "b": points[option][:, 1], "score": y}
    pq.write_table(pa.table(table), tmp_path / "r.parquet")
    code, out, err = cli(tmp_path / "r.parquet", *options)
    assert code == (2 if "absent" in options else 0)
    assert err.count("\n") == ("absent" in options)
    for text in (out, err):
        assert all(c.isprintable() for line in text.split("\n") for c in line), ascii(text)
    if not options:
        assert out.startswith("Verdict: ")
        assert all(line.startswith((" ", *"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")) for line in out.splitlines())


def test_a_page_obeys_no_column_name(cli, tmp_path):
    points, option, y = measurements(7)
    pq.write_table(pa.table({" ".join(HOSTILE): points[option][:, 0], "score": y}), tmp_path / "r.parquet")
    assert cli(tmp_path / "r.parquet", "--html", tmp_path / "a.html")[0] == 0
    page = (tmp_path / "a.html").read_text()
    assert "<script" not in page
    assert all(c.isprintable() for line in page.split("\n") for c in line)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a,v\n0,1\n1,2\n", ()),
        ("a,v\n0,1\n1,2\n", ("--norm", 1e90)),
        ("a,v\n0,-1e99\n1,1e99\n0.5,1e-99\n", ()),
        ("a,v\n0,1e100\n1,-1e100\n", ("--noise", 1e100)),
        ("a,v\n0,1e100\n1,-1e100\n", ("--budget", 1e100)),
        ("a,v\n1e-100,1e-100\n1e100,2e-100\n", ()),
        ("a,v\n0,1\n1e-12,1.0000001\n2e-12,1.0000002\n", ("--noise", 1e-3)),
        ("a,v\n1,1\n-1,1.5\n", ("--kernel", "linear", "--noise", 1e-6)),
        ("a,v\n0,1\n0,1\n5,2\n5,2\n", ()),
        ("a,v\n0,1\n1,2\n", ("--kernel", "se", "--lengthscale", 1e9, "--noise", 1e-9)),
    ],
    ids=str,
)
def test_json_has_no_infinity_and_no_nan(cli, tmp_path, text, options):
    (tmp_path / "r.csv").write_text(text)
    code, out, err = cli(tmp_path / "r.csv", "--json", *options)
    if code == 2:  # refused is fine, in one line
        assert (out, err.count("\n")) == ("", 1)
        return
    assert code == 0

    def refuse(constant):
        raise AssertionError(constant)

    json.loads(out, parse_constant=refuse)


def test_what_is_known_can_be_given(cli, file):
    path, *_ = file
    options = (
        "--objective",
        "score",
        "--parameters",
        "lr,decay",
        "--kernel",
        "se",
        "--lengthscale",
        0.4,
        "--noise",
        0.1,
    )
    record = json.loads(cli(path, *options, "--scale", 1, "--level", "0,2", "--norm", 4, "--json")[1])
    assert record["certified"]
    assert record["sentence"].startswith("Certified: with 95% confidence")
    assert record["assumptions"]["level"] == [0, 2]
    assert not json.loads(cli(path, *options, "--scale", 1, "--norm", 4, "--json")[1])["certified"]
    for level in ("high", "1,2,3", "2,1", ""):
        code, _, err = cli(path, *options, "--level", level)
        assert (code, err.count("\n")) == (2, 1)
        assert "level" in err


def test_rows_of_the_data_and_lines_of_the_file_are_told_apart(cli, tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"{x},{x + 0.01 * rng.standard_normal() + (50 if i == 7 else 0)}" for i, x in enumerate([0, 1, 2] * 6)]
    (tmp_path / "r.csv").write_text("x,y\n\n" + "\n".join(rows))
    assert "data row 8 (line 10), option 1" in cli(tmp_path / "r.csv", "--details")[1]
    out = cli(tmp_path / "r.csv")[1]
    assert out.startswith("Verdict: no: tampered. x = 1, ")
    assert "The other measurements do not explain line 10 (" in out
    (suspect,) = json.loads(cli(tmp_path / "r.csv", "--json")[1])["suspects"]
    assert (suspect["row"], suspect["line"]) == (7, 10)
