"""Audits of existing measurements: exact if kernel and noise are given; otherwise they say what was estimated."""

import json

import numpy as np
import pytest

from unswayed import InvalidInput, JointPosterior, Linear, Matern, SquaredExponential, audit, breakdown


def measurements(seed=0, options=12, rows=120, noise=0.1):
    rng = np.random.default_rng(seed)
    points = rng.uniform(0, 1, (options, 2))
    option = np.concatenate([np.arange(options), rng.integers(0, options, rows - options)])
    f = np.sin(5 * points[:, 0]) + points[:, 1]
    return points, option, f[option] + noise * rng.standard_normal(rows), f


def test_with_kernel_and_noise_given_the_model_is_exact():
    points, option, y, _ = measurements()
    kernel = SquaredExponential(0.4)
    found = audit(points[option], y, kernel=kernel, noise_std=0.1, output_scale=1.0, level=0.0, tie=0)
    counts = np.bincount(option).astype(float)
    means = np.bincount(option, weights=y) / counts
    posterior = JointPosterior.fit(kernel(points, points), means, counts, 0.01)
    expected = breakdown(posterior)
    assert found.winner == np.argmax(posterior.mean)
    assert (found.rival, found.pivot) == (expected.rival, expected.pivot)
    assert found.breakdown_budget == pytest.approx(expected.budget, rel=1e-12)
    assert np.array_equal(found.points, points)
    assert np.allclose(found.estimate, posterior.mean)
    assert found.assumptions.estimated == ()
    assert found.certificate is None  # no norm bound was given
    assert found.breakdown_budget_refit == found.breakdown_budget


def test_options_are_numbered_in_order_of_first_appearance():
    x = [[3.0], [1.0], [3.0], [2.0]]
    found = audit(x, [1.0, 5.0, 1.2, 3.0], kernel=SquaredExponential(0.5), noise_std=0.1)
    assert found.points.tolist() == [[3.0], [1.0], [2.0]]
    assert found.counts.tolist() == [2, 1, 1]
    assert found.winner == 1


@pytest.mark.parametrize("seed", range(20))
def test_the_breakdown_budget_is_tight_on_raw_rows(seed):
    points, option, y, _ = measurements(seed)
    model = {"kernel": Matern(2.5, 0.5), "noise_std": 0.1, "output_scale": 1.5, "level": (0.0, 2.0), "tie": 0}
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
    assert other.assumptions.noise_std == pytest.approx(1e6 * one.assumptions.noise_std, rel=1e-3)
    assert one.assumptions.estimated == ("kernel", "output scale", "noise", "level")


def test_noise_comes_from_repeats_and_a_forged_repeat_does_not_inflate_it():
    points, option, y, _ = measurements(1, options=15, rows=600)
    honest = audit(points[option], y).assumptions.noise_std
    assert honest == pytest.approx(0.1, rel=0.2)
    forged = y.copy()
    forged[::50] += 100.0
    assert audit(points[option], forged).assumptions.noise_std == pytest.approx(honest, rel=0.2)


def test_without_repeats_the_noise_is_fitted():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 1, (150, 1)), axis=0)
    y = np.sin(8 * x[:, 0]) + 0.2 * rng.standard_normal(150)
    assert audit(x, y).assumptions.noise_std == pytest.approx(0.2, rel=0.25)
    given = audit(x, y, kernel=SquaredExponential(0.2))
    assert given.assumptions.noise_std == pytest.approx(0.2, rel=0.25)
    assert given.assumptions.estimated == ("output scale", "noise", "level")
    assert audit(x, y, noise_std=0.2).assumptions.estimated == ("kernel", "output scale", "level")


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
    found = audit(points[option], y, kernel=kernel, noise_std=0.2, output_scale=1.0, level=0.0)
    A = kernel(points[option], points[option]) + lam * np.eye(60)
    inverse = np.linalg.inv(A)
    scores = np.abs(inverse @ y) / np.sqrt(np.diag(inverse))
    assert found.suspects[0].row == int(np.argmax(scores)) == 5
    assert found.suspects[0].score == pytest.approx(scores[5], rel=1e-9)


def test_the_certified_sentence():
    points, option, y, f = measurements(6, options=5, rows=2000)
    given = {"kernel": SquaredExponential(0.3), "noise_std": 0.1, "output_scale": 1.0, "level": 0.0, "norm_bound": 6.0}
    found = audit(points[option], y, threat=0.5, **given)
    assert found.certificate.budget == 0.5
    assert found.credible is None
    assert "Certified: with 95% confidence" in found.explain()
    assert found.winner == int(np.argmax(f))
    assert found.certificate.certified_budget <= found.breakdown_budget
    assert found.assumptions.estimated == ()


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
    with pytest.raises(InvalidInput, match=reason):
        audit(x, y)


def test_two_measurements_are_an_answer_without_a_certificate():
    found = audit([[0.0], [1.0]], [1.0, 2.0])
    assert found.winner == 1
    assert np.isfinite(found.breakdown_budget)
    assert found.certificate is None
    assert found.credible is None
    assert verdict(found) == "too early"
    everything = {"kernel": Linear(), "noise_std": 0.1, "output_scale": 1.0, "level": 0.0, "norm_bound": 3.0}
    assert audit([[0.5], [1.0]], [1.0, 2.0], **everything).certificate is not None
    for name in everything:
        without = {other: value for other, value in everything.items() if other != name}
        assert audit([[0.5], [1.0]], [1.0, 2.0], **without).certificate is None


@pytest.mark.parametrize("lie", [1e3, 1e6, 1e9])
def test_one_giant_lie_is_named_and_weighed(lie):
    """The breakdown budget follows the lie, and the lie alone is suspected."""
    points, option, y, _ = measurements(9, options=8, rows=24)
    option = np.repeat(np.arange(8), 3)
    y = np.sin(5 * points[option, 0]) + 0.1 * np.random.default_rng(0).standard_normal(24)
    y[4] = lie
    found = audit(points[option], y)
    assert found.winner == option[4]
    assert found.pivot in (found.winner, found.rival)  # both cost the same
    assert 0.3 * lie < found.breakdown_budget < 1.1 * lie
    assert found.suspects[0].row == 4
    assert len(found.suspects) == 1
    assert found.suspects[0].expected < 2
    assert found.winner_without_suspects != found.winner
    assert verdict(found) == "no: tampered"
    assert found.assumptions.noise_std < 1


def test_a_lie_beside_which_nothing_else_can_be_computed_is_refused_and_named():
    y = np.append(np.random.default_rng(0).standard_normal(12), 1e12)
    with pytest.raises(InvalidInput, match=r"^measurement 13 is 1e\+12, .*: leave it out$"):
        audit(np.arange(13)[:, None], y)


@pytest.mark.parametrize("seed", range(9))
@pytest.mark.parametrize("rows", [2, 3, 5, 10])
def test_small_data_never_break_the_fit(seed, rows):
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(0, 1, (rows, 1 + seed % 3)), rng.standard_normal(rows)
    found = audit(x, y)
    assert np.isfinite(found.breakdown_budget)
    assert np.isfinite(found.breakdown_budget_refit)


@pytest.mark.parametrize(("tables", "most"), [(3, 0), pytest.param(12, 1, marks=pytest.mark.slow)])
def test_pure_noise_is_no_winner_to_trust(tables, most):
    trusted = 0
    for seed in range(tables):
        rng = np.random.default_rng(seed)
        found = audit(rng.uniform(0, 1, (40, 2)), rng.standard_normal(40))
        trusted += verdict(found) == "yes"
    assert trusted <= most


def test_a_given_kernel_does_not_fix_the_units():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 6, (60, 1))
    y = 5000 + 300 * np.sin(x[:, 0]) + 50 * rng.standard_normal(60)
    for unit in (1.0, 1e-6):
        found = audit(x, unit * y, kernel=Matern(2.5, 1.0))
        assert found.assumptions.noise_std == pytest.approx(50 * unit, rel=0.4)
        assert len(found.suspects) <= 2


def test_the_lead_keeps_its_digits_beside_a_large_offset():
    points, option, y, _ = measurements(3)
    assert audit(points[option], y + 1e9).lead == pytest.approx(audit(points[option], y).lead, rel=1e-3)


def test_values_beyond_computing_are_refused():
    with pytest.raises(InvalidInput, match="larger units"):
        audit([[0.0], [1.0]], [1.0, 1e150])
    with pytest.raises(InvalidInput, match="too large to compute with"):
        audit([[0.0], [1.0]], [1.0, 2.0], noise_std=1e200)


def test_many_rows_of_few_options_cost_little():
    """10,000 rows of 50 options: the solve is 50 x 50."""
    points, option, y, _ = measurements(8, options=50, rows=10_000)
    found = audit(points[option], y)
    assert found.counts.sum() == 10_000
    assert found.fitted_on == 50
    assert len(found.estimate) == 50


# -- one vocabulary ---------------------------------------------------------------------------------------------------


def test_minimising_mirrors_maximising_in_the_users_own_sign():
    points, option, y, _ = measurements(3, rows=200)
    y[17] += 3.0
    given = {"kernel": SquaredExponential(0.4), "noise_std": 0.1, "output_scale": 1.0, "norm_bound": 4.0}
    for model in ({}, given):
        up, down = (
            audit(points[option], y, threat=0.2, level=(0.5, 1.5) if model else None, **model),
            audit(points[option], -y, minimize=True, threat=0.2, level=(-1.5, -0.5) if model else None, **model),
        )
        assert (down.winner, down.breakdown, down.rivals, down.sensitive_options) == (
            up.winner,
            up.breakdown,
            up.rivals,
            up.sensitive_options,
        )
        np.testing.assert_array_equal(down.estimate, -up.estimate)
        np.testing.assert_array_equal(down.means, -up.means)
        np.testing.assert_array_equal(down.deviation, up.deviation)
        if model:
            assert down.assumptions.level == (-1.5, -0.5)
            assert down.certificate.to_dict() == up.certificate.to_dict()
        else:
            assert down.assumptions.level == -up.assumptions.level
            assert down.credible == up.credible
        assert down.breakdown_budget_refit == up.breakdown_budget_refit
        assert [(s.row, s.value, s.expected) for s in down.suspects] == [
            (s.row, -s.value, -s.expected) for s in up.suspects
        ]
        assert down.suspects
        assert "above the best" in down.explain()
        assert "below the best" in up.explain()


def test_one_audit_has_one_breakdown_budget():
    points, option, y, _ = measurements()
    found = audit(points[option], y)
    assert found.breakdown_budget == found.breakdown.budget == found.rivals[0].budget
    assert (found.rival, found.pivot) == (found.breakdown.rival, found.breakdown.pivot)
    names = [name for name in dir(found) if "breakdown" in name]
    assert names == ["breakdown", *(f"breakdown_{kind}" for kind in ("budget", "budget_refit", "lies", "sources"))]
    assert not [name for name in dir(found.certificate) if "breakdown" in name]
    assert not [name for name in dir(found.assumptions) if "breakdown" in name]
    assert found.explain().count("Breakdown budget") == 1


def test_names_are_those_of_the_columns():
    found = audit([[0.0, 1.0], [1.0, 2.0]], [1.0, 2.0], names=["rate", "depth"])
    assert found.describe(1) == "option 1 (rate = 1, depth = 2)"
    assert audit([[0.0, 1.0], [1.0, 2.0]], [1.0, 2.0]).names == ("x1", "x2")
    with pytest.raises(InvalidInput, match="1 names for 2 parameters"):
        audit([[0.0, 1.0], [1.0, 2.0]], [1.0, 2.0], names=["rate"])


def test_an_audit_is_short_where_it_is_shown():
    found = audit([[0.0], [1.0]], [1.0, 2.0])
    assert repr(found) == f"Audit(winner=1, breakdown_budget={found.breakdown_budget:.4g})"


@pytest.mark.parametrize("seed", [*range(40), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(40, 150))])
def test_any_measurements_give_a_finite_audit_or_are_refused(seed):
    """Huge and tiny values, options that no kernel tells apart, and every setting that may be stated."""
    rng = np.random.default_rng(seed)
    n, columns = int(rng.integers(2, 9)), int(rng.integers(1, 3))
    x = 10.0 ** rng.choice([-100, -30, -9, 0, 3, 99]) * rng.choice([0, 1, 2, -1, 0.5, 1e-12], size=(n, columns))
    y = 10.0 ** rng.choice([-100, -30, -9, 0, 3, 90]) * rng.choice([0, 1, -1, 2, 1e-15, 1e9], size=n)
    stated = {
        "noise_std": 10.0 ** rng.choice([-100, -9, 0, 30]),
        "kernel": [Linear(), Matern(2.5, 1e9), SquaredExponential(1.0)][rng.integers(3)],
        "norm_bound": 10.0 ** rng.choice([-100, 0, 100]),
        "output_scale": 10.0 ** rng.choice([-100, 0, 100]),
        "threat": 10.0 ** rng.choice([-100, 0, 100]),
    }
    given = {name: value for name, value in stated.items() if rng.random() < 0.4}
    try:
        found = audit(x, y, minimize=bool(seed % 2), **given)
    except InvalidInput:
        return
    json.dumps(found.to_dict(), allow_nan=False)
    assert "inf" not in found.explain()
    assert "nan" not in found.explain()


# -- data that people have --------------------------------------------------------------------------------------------


def verdict(found):
    return found.to_dict()["verdict"]


def test_yes_and_no_have_the_noise_of_a_coin_and_no_outliers():
    rng, option = np.random.default_rng(0), np.repeat([0, 1], 1000)
    found = audit(option[:, None], (rng.random(2000) < np.array([0.05, 0.10])[option]) * 1.0)
    assert found.assumptions.noise_std == pytest.approx(0.26, rel=0.1)
    assert found.suspects == ()
    assert found.lumped
    assert verdict(found) == "yes"
    assert "no single measurement is looked at as an outlier" in found.explain()


def test_a_program_that_repeats_itself_and_once_does_not():
    found = audit([[0.0], [1.0]] * 10, [1.0, 2.0] * 9 + [30.0, 2.0])
    assert [suspect.row for suspect in found.suspects] == [18]
    assert found.suspects[0].expected == pytest.approx(1.0)
    assert verdict(found) == "no: tampered"


def test_ratings_have_the_noise_of_ratings():
    rng = np.random.default_rng(1)
    option = np.repeat(np.arange(3), 40)
    found = audit(option[:, None], rng.choice([1.0, 2, 3, 4, 5], size=120, p=[0.05, 0.05, 0.1, 0.2, 0.6]))
    assert found.assumptions.noise_std == pytest.approx(1.13, rel=0.25)
    assert found.suspects == ()


@pytest.mark.parametrize("lie", [-20.0, -50.0, -1000.0])
def test_a_lie_about_the_worst_option_does_not_change_the_verdict(lie):
    rng, option = np.random.default_rng(0), np.repeat(np.arange(5), 40)
    y = option + rng.normal(0, 0.1, 200)
    y[3] = lie
    found = audit(option[:, None], y)
    assert [suspect.row for suspect in found.suspects] == [3]
    assert verdict(found) == "yes"
    assert "(by the measurements that the others explain)" in found.explain()


def test_unequal_noise_is_noticed():
    rng, option = np.random.default_rng(0), np.repeat(np.arange(4), 20)
    y = 10.0 * option + rng.normal(0, 1, 80) * np.where(option == 3, 2.5, 1)
    found = audit(option[:, None], y)
    assert found.unequal_noise
    assert verdict(found) == "yes"  # 30 against 20: allowing for that it is no chance
    assert "taken to have the same noise" in found.explain()


def test_an_option_half_of_which_is_unexplained_is_not_known():
    rng, option = np.random.default_rng(0), np.repeat(np.arange(6), 4)
    y = option + rng.normal(0, 0.05, 24)
    y[[0, 1]] = -30.0
    assert verdict(audit(option[:, None], y)) == "yes"  # it matters for no other option
    y[[0, 1]] = 30.0
    assert verdict(audit(option[:, None], y)) == "no: tampered"


def test_a_constant_column_changes_nothing():
    points, option, y, _ = measurements(5)
    one = audit(points[option], y)
    other = audit(np.column_stack([points[option], np.full(len(y), 7.0)]), y)
    assert (one.winner, one.breakdown_budget, one.credible) == (other.winner, other.breakdown_budget, other.credible)


@pytest.mark.parametrize("level", [(0.0, 100.0), (0.0, 1e4)])
def test_a_wide_pair_is_no_false_level(level):
    """Accuracies near the upper end of the pair: the verdict is that of an unknown level."""
    kernel, trusted = Matern(2.5, 0.2), 0
    for seed in range(15):
        rng = np.random.default_rng(seed)
        X = rng.random((10, 1))
        f = 0.9 * level[1] + 0.1 * np.linalg.cholesky(kernel(X, X) + 1e-10 * np.eye(10)) @ rng.standard_normal(10)
        option = np.repeat(np.arange(10), rng.choice([1, 2, 20], 10))
        y = f[option] + rng.normal(0, 0.05, len(option))
        found = audit(X[option], y, level=level, kernel=kernel, noise_std=0.05, output_scale=0.1)
        f = f[np.argsort([int(np.flatnonzero(found.points == x)[0]) for x in X])]
        trusted += verdict(found) == "yes" and f[found.winner] + found.tie < f.max()
    assert trusted <= 1


def test_values_that_heap_up_at_zero_are_no_suspects():
    rng = np.random.default_rng(0)
    x = np.repeat(np.linspace(0, 1, 6), 20)[:, None]
    some = rng.random(120) < 0.3
    revenue = np.where(some, rng.gamma(2.0, 20.0, 120), 0.0)
    found = audit(x, revenue)
    assert not found.suspects
    assert found.verdict == "too early"
    means = revenue.reshape(6, 20).mean(axis=1)
    assert found.assumptions.noise_std > means.max() / 2  # not that of the zeros, which agree
