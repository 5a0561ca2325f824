"""The sentences of a study are true as often as they say, and the programme that measures it counts right.

The limits are quantiles of the binomial law: a rule whose sentences are false in 5% of all cases stays within the limit
of one family with probability above 0.999. A rule that is false in 30% exceeds it with probability 0.98 if it prints in
all 50 runs, and 0.65 if it prints in 25 of them. The quick tests play a few runs, the slow ones 200 of each family.
"""

import importlib
import json
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

import unswayed
from unswayed import Linear, Matern, Options, SquaredExponential

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))  # the families are loaded by name
script, cases, known, table = (
    importlib.import_module(f"coverage_{name}") for name in ("runs", "cases", "given", "table")
)


def stream(seed=0):
    return np.random.default_rng(seed)


def most_false(printed, wrong=0.05):
    """At most this many of `printed` sentences are false with probability above 0.999, if each is with `wrong`."""
    return int(binom.ppf(0.999, printed, wrong))


def records(kind, family, runs, quick):
    return [script.Job(kind, family, 0, run, quick)() for run in range(runs)]


def test_the_limits_separate_calibrated_rules_from_bad_ones():
    for printed, caught in ((50, 0.98), (25, 0.65), (200, 0.999)):
        assert binom.cdf(most_false(printed), printed, 0.05) > 0.999
        assert binom.sf(most_false(printed), printed, 0.3) > caught


@pytest.mark.parametrize("family", ["crowd, blind spot, pair", "table, eliminated, lies"])
def test_certificates_are_true(family):
    n = table.counts(records("given", family, 12, quick=True))
    assert n["printed"] == n["runs"] == 12
    assert n["false"] <= most_false(12)
    assert n["dropped"] <= most_false(12)


def test_credible_bounds_are_true():
    """Of one family, the quickest; all are among the slow tests."""
    n = table.counts(records("estimated", "Matern 5/2, lies", 8, quick=True))
    assert n["printed"] >= 4  # to say nothing is not to be right
    assert n["false"] <= most_false(n["printed"])
    assert n["below_noise"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("family", list(known.KNOWN))
def test_every_certificate_is_true(family):
    done = records("given", family, 200, quick=False)
    n = table.counts(done)
    assert n["printed"] == n["runs"] == 200
    assert n["false"] <= 10
    assert n["dropped"] <= 10
    most = 3.0 if family == "table, linear, pair" else 1.5  # a slope and a level cannot be told apart
    assert np.median([r["bound"] / r["unit"] for r in done]) <= most * np.median(
        [r["reference"] / r["unit"] for r in done]
    )


@pytest.mark.slow
@pytest.mark.parametrize("family", list(script.families("estimated")))
def test_every_credible_bound_is_true(family):
    n = table.counts(records("estimated", family, 200, quick=False))
    assert n["false"] <= most_false(n["printed"])
    assert n["below_noise"] <= 0.02 * n["printed"]  # the noise is estimated
    if "table" in family:  # a box of two or more parameters hides too much for up to 100 plays
        assert n["printed"] > 100


@pytest.fixture
def plain(monkeypatch):
    """A stand-in for maximize: it plays rows of the space in turn and says what the test wants."""
    said = SimpleNamespace(certificate=None, credible=None, point=0, plays=[])

    def maximize(objective, space, *, plays, seed, progress, callback, **settings):
        points = space.decode(space.arms(20, 0))
        asked = [points[i % len(points)] for i in range(plays)]
        log = [unswayed.Play(i, x, unswayed.Status.TOLD, objective(x)) for i, x in enumerate(asked)]
        said.plays = log
        callback(SimpleNamespace(_search=SimpleNamespace(mode=None)), log[-1])
        parts = {"certificate": said.certificate, "credible": said.credible}
        return SimpleNamespace(answer=SimpleNamespace(point=points[said.point], points=points, plays=log, **parts))

    monkeypatch.setattr(unswayed, "maximize", maximize)
    return said


def small_case(**changes):
    space = Options(np.linspace(0, 1, 8)[:, None])
    settings = {"threat": 0.0, "kernel": Matern(2.5, 0.3), "noise_std": 0.1, "output_scale": 1.0, "norm_bound": 2.0}
    case = cases.Case(space, lambda rows: np.sin(3 * rows[:, 0]), 0.1, 12, 5, settings)
    return replace(case, **changes)


def test_a_sentence_is_false_exactly_if_the_truth_is_worse(plain):
    gap = 1.0 * np.sin(3 * np.linspace(0, 1, 8)).max()  # the recommended point has the value 0
    for bound, false in ((0.999 * gap, True), (1.001 * gap, False), (gap, False)):
        plain.certificate = SimpleNamespace(largest_gap=bound)
        record = cases.measured(small_case(), stream(), given=True)
        assert record["gap"] == pytest.approx(gap)
        assert cases.is_false(record) == false
    plain.certificate = None
    assert not cases.is_false(cases.measured(small_case(), stream(), given=True))
    plain.credible = SimpleNamespace(largest_gap=0.01)
    record = cases.measured(small_case(), stream(), given=False)
    assert cases.is_false(record)
    assert record["comparison_noise"] == pytest.approx(0.1)  # 2 of the 12 plays
    assert table.counts([record])["below_noise"] == 1
    plain.certificate = SimpleNamespace(largest_gap=1.0)
    with pytest.raises(unswayed.UnswayedError, match="although something was estimated"):
        cases.measured(small_case(), stream(), given=False)


def test_the_noise_is_that_of_the_play_and_lies_come_on_top(plain):
    cases.measured(small_case(), stream(3), given=False)
    honest = np.array([play.value for play in plain.plays])
    f = np.sin(3 * np.array([play.point[0] for play in plain.plays]))
    np.testing.assert_allclose(honest - f, 0.1 * stream(3).standard_normal(12))
    for lies in cases.LIES:
        case = small_case(settings={"threat": 2.5}, lies=lies)
        record = cases.measured(case, stream(3), given=False)
        changes = np.array([play.value for play in plain.plays]) - honest
        assert record["spent"] == pytest.approx(2.5)
        assert np.abs(changes).sum() == pytest.approx(2.5)
        assert changes.min() < 0 or lies == "promote"
        assert changes.max() > 0 or lies == "hide"


def test_the_reference_has_units_and_does_not_see_the_level(plain):
    plain.certificate = SimpleNamespace(largest_gap=1.0)
    case = small_case()
    unit, shift = 7.0, -300.0
    told = {name: unit * case.settings[name] for name in ("threat", "noise_std", "output_scale", "norm_bound")}
    moved = replace(
        case,
        truth=lambda rows: shift + unit * np.sin(3 * rows[:, 0]),
        noise_std=unit * 0.1,
        settings=case.settings | told,
        level=shift,
    )
    one, other = (cases.measured(which, stream(), given=True)["reference"] for which in (case, moved))
    assert other == pytest.approx(unit * one)
    assert one > 0


@pytest.mark.parametrize("name", list(known.KNOWN))
def test_functions_have_the_norm_that_the_study_is_told(name, plain):
    family = known.KNOWN[name]
    for seed in range(3):
        case = family(stream(seed))
        B, rows = case.settings["norm_bound"], case.peaks
        # The least norm of a function with these values at the centres is that of the function itself.
        y, K = case.truth(rows) - case.level, family.kernel(rows, rows)
        assert y @ np.linalg.pinv(K, rcond=1e-11, hermitian=True) @ y == pytest.approx(B**2, rel=1e-3)
        told = case.settings["level"]
        assert told == case.level if family.pair is None else told[0] < case.level < told[1]
        assert case.noise_std == case.settings["noise_std"]


def test_a_blind_spot_is_not_seen_by_the_plays():
    kernel, space, rng = Matern(1.5, 0.2), known.box(1)(stream()), stream()
    bumps, played = known.scaled(kernel, known.random_bumps(space, rng), 1.0), rng.uniform(size=(6, 1))
    centres, weights = known.with_blind_spot(kernel, bumps, 2.0, space, played)
    before, after = kernel(played, bumps[0]) @ bumps[1], kernel(played, centres) @ weights
    np.testing.assert_allclose(after, before, atol=1e-8)
    assert weights @ kernel(centres, centres) @ weights == pytest.approx(4.0)
    rows = space.arms(300, 0)
    assert (kernel(rows, centres) @ weights - kernel(rows, bumps[0]) @ bumps[1]).max() > 0.5


def test_the_families_cover_what_they_should():
    all_known = list(known.KNOWN.values())
    assert len(all_known) >= 12
    assert {type(one.kernel) for one in all_known} == {SquaredExponential, Matern, Linear}
    assert {one.kernel.nu for one in all_known if isinstance(one.kernel, Matern)} == {1.5, 2.5}
    scales = [one.kernel.lengthscale for one in all_known if not isinstance(one.kernel, Linear)]
    assert (min(scales), max(scales)) == (0.05, 0.5)
    assert {(one.level, one.pair is None) for one in all_known} == {
        (m, n) for m in (0, 10, -100) for n in (True, False)
    }
    methods = product(("guided", "influence-pe"), (True, False))
    assert {(one.method, one.threat > 0) for one in all_known} == set(methods)
    plays = [n for one in all_known for n in one.plays]
    assert (min(plays), max(plays)) == (5, 300)


def test_the_row_of_a_family_counts_right():
    bounds, gaps, dropped = (1.0, 2.0, 4.0, None), (1.5, 0.5, 1.0, 9.0), (True, False, None, None)
    done = [
        {"bound": b, "gap": g, "gap_space": g + 1, "range": 10.0, "unit": 2.0, "comparison_noise": 1.5}
        | {"seconds": 0.5, "dropped": d, "reference": 2.0}
        for b, g, d in zip(bounds, gaps, dropped, strict=True)
    ]
    family = cases.Family("one", "note", small_case)
    assert table.row("given", family, done) == "| one | note | 1 / 3 / 4 | 1 / 2 | 1 | 0.5 | 1 | 0.5 |"
    assert table.row("estimated", family, done) == "| one | note | 1 / 3 / 4 | 75% | 1 | 0.5 | 1 | 1 | 0.5 |"
    assert table.row("estimated", family, []).startswith("| one | note | 0 / 0 / 0 |")


def start(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["coverage_runs.py", *map(str, arguments)])
    return script.main()


def test_what_is_done_is_kept_and_other_code_is_refused(plain, monkeypatch, tmp_path, capsys):
    plain.credible = SimpleNamespace(largest_gap=0.5)
    out = tmp_path / "results.jsonl"
    command = ("estimated", "--families", "step, table", "--runs", 4, "--jobs", 1, "--quick", "--out", out)
    assert start(monkeypatch, *command) == 0
    printed = capsys.readouterr().out
    assert "/ 4 / 4 |" in printed
    whole = out.read_bytes()
    out.write_bytes(whole[:-30])  # the last line is torn
    assert start(monkeypatch, *command) == 0
    again = [json.loads(line) for line in out.read_bytes().splitlines()]
    wanted = [json.loads(line) for line in whole.splitlines()]
    for line in (again[-1], wanted[-1]):
        del line["seconds"]
    assert again == wanted
    monkeypatch.setattr(script.Job, "__call__", lambda job: pytest.fail("everything was done"))
    assert start(monkeypatch, *command) == 0
    assert start(monkeypatch, *command, "--seed", 1) == 2
    monkeypatch.setattr(script, "code", lambda: "changed")
    assert start(monkeypatch, *command) == 2
    assert "other code or settings" in capsys.readouterr().err
    assert start(monkeypatch, "given", "--families", "nothing") == 2
    assert "there is no family 'nothing'" in capsys.readouterr().err


def test_a_run_that_fails_is_told_and_does_not_stop_the_others(plain, monkeypatch, capsys):
    plain.certificate = SimpleNamespace(largest_gap=1.0)  # which no study that estimates may give
    command = ("estimated", "--families", "step", "step, table", "--runs", 2, "--jobs", 1, "--quick")
    assert start(monkeypatch, *command) == 1
    shown = capsys.readouterr()
    assert shown.out.count("0 / 0 / 0") == 2
    assert "2 runs of 'step' failed; run 0: UnswayedError: a certificate was given" in shown.err


@pytest.mark.parametrize("name", list(script.families("estimated")))
def test_a_family_draws_a_new_function_for_each_run(name):
    family = script.families("estimated")[name]
    drawn = [family.draw(stream(seed)) for seed in (0, 0, 1)]
    shapes = [np.round((v - v.min()) / np.ptp(v), 6) for v in (case.truth(case.space.arms(50, 0)) for case in drawn)]
    assert np.array_equal(shapes[0], shapes[1])
    assert not np.array_equal(shapes[0], shapes[2])
    for case in drawn:
        spread = np.ptp(cases.landscape(case.space, case.truth, case.peaks))
        assert 0 <= case.noise_std <= 0.2001 * spread
        assert 3 <= case.plays <= 300
        assert (case.settings["threat"] > 0) == (case.lies is not None)
