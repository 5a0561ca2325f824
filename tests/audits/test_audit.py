"""Audits of existing measurements: exact where kernel and noise are given, honest where they are not."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unswayed import Linear, Matern, SquaredExponential, UnswayedError, audit
from unswayed.cli import main
from unswayed.core.influence import breakdown
from unswayed.core.posterior import JointPosterior


def measurements(seed=0, options=12, rows=120, noise=0.1):
    rng = np.random.default_rng(seed)
    points = rng.uniform(0, 1, (options, 2))
    option = np.concatenate([np.arange(options), rng.integers(0, options, rows - options)])
    f = np.sin(5 * points[:, 0]) + points[:, 1]
    return points, option, f[option] + noise * rng.standard_normal(rows), f


def test_with_kernel_and_noise_given_the_model_is_exact():
    points, option, y, _ = measurements()
    kernel = SquaredExponential(0.4)
    found = audit(points[option], y, kernel=kernel, noise_std=0.1)
    counts = np.bincount(option).astype(float)
    posterior = JointPosterior.fit(kernel(points, points), counts, np.bincount(option, weights=y), 0.01)
    expected = breakdown(posterior)
    assert (found.winner, found.rival, found.pivot) == (expected.winner, expected.rival, expected.pivot)
    assert found.breakdown_budget == pytest.approx(expected.budget, rel=1e-12)
    assert np.array_equal(found.points, points)
    assert np.allclose(found.estimate, posterior.mean)
    assert found.estimated == ("norm bound",)


def test_options_are_numbered_in_order_of_first_appearance():
    x = [[3.0], [1.0], [3.0], [2.0]]
    found = audit(x, [1.0, 5.0, 1.2, 3.0], kernel=SquaredExponential(0.5), noise_std=0.1)
    assert found.points.tolist() == [[3.0], [1.0], [2.0]]
    assert found.counts.tolist() == [2, 1, 1]
    assert found.winner == 1


@pytest.mark.parametrize("seed", range(20))
def test_the_breakdown_budget_is_tight_on_raw_rows(seed):
    points, option, y, _ = measurements(seed)
    model = {"kernel": Matern(2.5, 0.5), "noise_std": 0.1}
    x = points[option]
    found = audit(x, y, **model)
    row = int(np.flatnonzero(option == found.pivot)[0])
    for sign in (1, -1):
        tampered = y.copy()
        tampered[row] += sign * (1 - 1e-6) * found.breakdown_budget
        assert audit(x, tampered, **model).winner == found.winner
    winners = []
    for sign in (1, -1):
        tampered = y.copy()
        tampered[row] += sign * (1 + 1e-6) * found.breakdown_budget
        winners.append(audit(x, tampered, **model).winner)
    assert found.rival in winners


def test_units_and_offsets_do_not_matter_when_the_model_is_fitted():
    points, option, y, _ = measurements(3)
    one = audit(points[option], y)
    other = audit(points[option] * [1000.0, 0.01], 1e6 * y - 3e7)
    assert (one.winner, one.rival, one.pivot) == (other.winner, other.rival, other.pivot)
    assert other.breakdown_budget == pytest.approx(1e6 * one.breakdown_budget, rel=1e-3)
    assert other.noise_std == pytest.approx(1e6 * one.noise_std, rel=1e-3)
    assert one.estimated == ("kernel", "noise", "norm bound")


def test_noise_comes_from_repeats_and_a_forged_repeat_does_not_inflate_it():
    points, option, y, _ = measurements(1, options=15, rows=600)
    honest = audit(points[option], y).noise_std
    assert honest == pytest.approx(0.1, rel=0.2)
    forged = y.copy()
    forged[::50] += 100.0
    assert audit(points[option], forged).noise_std == pytest.approx(honest, rel=0.2)


def test_without_repeats_the_noise_is_fitted():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 1, (150, 1)), axis=0)
    y = np.sin(8 * x[:, 0]) + 0.2 * rng.standard_normal(150)
    assert audit(x, y).noise_std == pytest.approx(0.2, rel=0.25)
    given = audit(x, y, kernel=SquaredExponential(0.2))
    assert given.noise_std == pytest.approx(0.2, rel=0.25)
    assert given.estimated == ("noise", "norm bound")
    assert audit(x, y, noise_std=0.2).estimated == ("kernel", "norm bound")


def test_tampered_measurements_are_found():
    points, option, y, _ = measurements(2, rows=300)
    assert audit(points[option], y).suspects == ()
    y[40] += 2.0
    (suspect,) = audit(points[option], y).suspects
    assert (suspect.row, suspect.option) == (40, option[40])
    assert suspect.value == pytest.approx(y[40])
    assert suspect.score > 10


def test_leave_one_out_scores_are_the_dense_formula():
    points, option, y, _ = measurements(4, rows=60)
    y[5] += 3.0
    kernel, lam = Matern(1.5, 0.5), 0.04
    found = audit(points[option], y, kernel=kernel, noise_std=0.2)
    A = kernel(points[option], points[option]) + lam * np.eye(60)
    inverse = np.linalg.inv(A)
    scores = np.abs(inverse @ y) / np.sqrt(np.diag(inverse))
    assert found.suspects[0].row == int(np.argmax(scores)) == 5
    assert found.suspects[0].score == pytest.approx(scores[5], rel=1e-9)


def test_the_norm_of_the_estimate_is_its_rkhs_norm():
    points, option, y, _ = measurements(5)
    kernel = SquaredExponential(0.4)
    found = audit(points[option], y, kernel=kernel, noise_std=0.1)
    K = kernel(points, points)
    assert found.norm_bound == pytest.approx(2 * np.sqrt(found.estimate @ np.linalg.solve(K, found.estimate)), rel=1e-6)


def test_the_certified_sentence():
    points, option, y, f = measurements(6, options=5, rows=2000)
    found = audit(points[option], y, kernel=SquaredExponential(0.3), noise_std=0.1, norm_bound=6.0, budget=0.5)
    assert found.certificate.budget == 0.5
    assert found.winner == int(np.argmax(f))
    assert found.certificate.certified_budget <= found.breakdown_budget
    assert found.estimated == ()


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([[1.0]], [1.0], "two different options"),
        ([[1.0], [1.0]], [1.0, 2.0], "two different options"),
        ([], [], "dimension"),
        ([[1.0], [2.0]], [1.0, 1.0], "no winner"),
        ([[1.0], [2.0]], [1.0, np.nan], "values must be finite"),
        ([[1.0], [np.inf]], [1.0, 2.0], "parameters must be finite"),
        ([[1.0], [2.0]], [1.0], "2 rows of parameters for 1 values"),
    ],
)
def test_bad_data_are_refused(x, y, reason):
    with pytest.raises(UnswayedError, match=reason):
        audit(x, y)


def test_two_measurements_are_an_answer_without_a_certificate():
    found = audit([[0.0], [1.0]], [1.0, 2.0])
    assert found.winner == 1
    assert np.isfinite(found.breakdown_budget)
    assert not found.noise_resolved
    assert audit([[0.5], [1.0]], [1.0, 2.0], kernel=Linear(), noise_std=0.1).noise_resolved


@pytest.mark.parametrize("lie", [1e3, 1e6, 1e9, 1e12])
def test_one_giant_lie_is_named_and_weighed(lie):
    """The breakdown budget follows the lie, and the lie alone is suspected."""
    points, option, y, _ = measurements(9, options=8, rows=24)
    option = np.repeat(np.arange(8), 3)
    y = np.sin(5 * points[option, 0]) + 0.1 * np.random.default_rng(0).standard_normal(24)
    y[4] = lie
    found = audit(points[option], y)
    assert found.winner == option[4] == found.pivot
    assert 0.3 * lie < found.breakdown_budget < 1.1 * lie
    assert found.suspects[0].row == 4
    assert {s.option for s in found.suspects} == {option[4]}
    assert found.noise_std < 1


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("rows", [2, 3, 5, 10])
def test_small_data_never_break_the_fit(seed, rows):
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(0, 1, (rows, 1 + seed % 3)), rng.standard_normal(rows)
    found = audit(x, y)
    assert np.isfinite(found.breakdown_budget)
    assert not found.noise_resolved


def test_pure_noise_is_not_certified_as_signal():
    """Without repeats: at most a few of 40 data sets of noise get a certified sentence that is false."""
    false = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = rng.uniform(0, 1, (40, 2))
        f = 0.1 * np.sin(3 * x[:, 0])
        found = audit(x, f + 0.5 * rng.standard_normal(40))
        if found.noise_resolved:
            false += int(np.argmax(f)) not in found.certificate.candidates
    assert false <= 4


def test_a_given_kernel_does_not_fix_the_units():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 6, (60, 1))
    y = 5000 + 300 * np.sin(x[:, 0]) + 50 * rng.standard_normal(60)
    for unit in (1.0, 1e-6):
        found = audit(x, unit * y, kernel=Matern(2.5, 1.0))
        assert found.noise_std == pytest.approx(50 * unit, rel=0.4)
        assert len(found.suspects) <= 2


def test_the_lead_keeps_its_digits_beside_a_large_offset():
    points, option, y, _ = measurements(3)
    assert audit(points[option], y + 1e9).lead == pytest.approx(audit(points[option], y).lead, rel=1e-3)


def test_values_beyond_computing_are_refused():
    with pytest.raises(UnswayedError, match="larger units"):
        audit([[0.0], [1.0]], [1.0, 1e150])
    with pytest.raises(UnswayedError, match="beyond what can be computed"):
        audit([[0.0], [1.0]], [1.0, 2.0], noise_std=1e200)


@pytest.fixture
def cli(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(["audit", *map(str, arguments)])
        out, err = capsys.readouterr()
        return stop.value.code, out, err

    return run


@pytest.fixture
def file(tmp_path):
    points, option, y, _ = measurements(7)
    path = tmp_path / "results.csv"
    rows = "\n".join(f"{a},{b},{v},{i}" for i, ((a, b), v) in enumerate(zip(points[option], y, strict=True)))
    path.write_text("lr,decay,score,worker\n" + rows)
    return path, points, option, y


def test_the_command_says_it_in_words_and_in_json(cli, file):
    path, points, option, y = file
    code, out, _ = cli(path, "--objective", "score", "--parameters", "lr,decay")
    assert code == 0
    for word in ("Winner: option", "Breakdown budget", "lr =", "Closest rivals", "hangs on", "Estimated from these"):
        assert word in out
    code, out, _ = cli(path, "--objective", "score", "--parameters", "lr,decay", "--json")
    record = json.loads(out)
    expected = audit(points[option], y)
    assert (record["winner"], record["rival"], record["pivot"]) == (expected.winner, expected.rival, expected.pivot)
    assert record["breakdown_budget"] == pytest.approx(expected.breakdown_budget)
    assert record["shifted_measurements"] == int(np.ceil(expected.breakdown_budget / expected.noise_std))
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
    assert (
        cli(tmp_path / "r.parquet", "--json")[1]
        == cli(path, "--objective", "score", "--parameters", "lr,decay", "--json")[1]
    )


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
        ("a,b\n1,2\n2,3\n", ("--budget", -1), "budget"),
        ("a,b\n1,2\n2,3\n", ("--delta", 2), "delta"),
        ("a,b\n1,2\n2,3\n", ("--kernel", "se"), "--lengthscale"),
        ("a,b\n1,2\n2,3\n", ("--kernel", "se", "--lengthscale", "wide"), "must be numbers with commas"),
        ("a,b\n1,2\n2,3\n", ("--html", "no/such/folder/a.html"), "cannot write"),
        ("a,a,b\n1,2,3\n2,3,4\n", (), "more than one column named 'a'"),
        ("a,b\n1,2\n2,3\n", ("--parameters", "a,b"), "not both"),
        ("a,b\n1,2\n2,3\n", ("--parameters", "a,a"), "not both"),
        ("a;b\n1;2\n2;3\n", (), "separated by commas"),
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
    assert "column 'a' holds string" in cli(tmp_path / "t.parquet")[2]
    pq.write_table(pa.table({"a": [1.0, None], "b": [1.0, 2.0]}), tmp_path / "h.parquet")
    assert "no finite number in row 2" in cli(tmp_path / "h.parquet")[2]


def test_many_rows_of_few_options_cost_little(tmp_path):
    """10,000 rows of 50 options: the solve is 50 x 50."""
    points, option, y, _ = measurements(8, options=50, rows=10_000)
    found = audit(points[option], y)
    assert found.counts.sum() == 10_000
    assert found.fitted_on == 50
    assert len(found.estimate) == 50
