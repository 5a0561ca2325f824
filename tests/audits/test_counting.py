"""Counts of false measurements and of lying sources, against a literal Gaussian process and integer programming."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from unswayed import InvalidInput, Linear, Matern, SquaredExponential, Threat, audit

LEVEL = 1e-7  # of the range: a lead this small is none


def recorded(seed):
    """Options, repeats, sources, unequal noise and a given kernel, all at random; the model is known."""
    rng = np.random.default_rng([seed, 5])
    options, columns, rows = int(rng.integers(3, 9)), int(rng.integers(1, 3)), int(rng.integers(12, 31))
    points = rng.uniform(0, 1, (options, columns))
    option = np.concatenate([np.arange(options), rng.integers(0, options, rows - options)])
    kernel = [SquaredExponential(0.4), Matern(1.5, 0.6), Matern(2.5, 0.3), Linear(2.0)][rng.integers(4)]
    own = rng.choice([0.1, 0.3, 1.0], rows)
    y = np.sin(4 * points[:, 0])[option] + rng.uniform(0.2, 3.0) * points[option, -1] + own * rng.standard_normal(rows)
    width = rng.choice([0.0, 0.2, 2.0])
    return {
        "x": points[option],
        "y": y,
        "noise_stds": own,
        "sources": [f"w{s}" for s in rng.integers(0, int(rng.integers(2, 7)), rows)],
        "low": float(y.min() - width * rng.random()),
        "high": float(y.max() + width * rng.random()),
        "kernel": kernel,
        "output_scale": float(rng.uniform(0.5, 2.0)),
        "level": float(rng.normal()),
        "tie": 0,
    }


def dense(data):
    """M with mu = level + M (y - level): one row for each option, one column for each measurement."""
    x, scale = data["x"], data["output_scale"] ** 2
    points = x[np.sort(np.unique(x, axis=0, return_index=True)[1])]
    A = scale * data["kernel"](x, x) + np.diag(np.square(data["noise_stds"]))
    return scale * data["kernel"](points, x) @ np.linalg.inv(A)


def leads(M, data, values, winner):
    """The lead of the winner over its best rival, for each row of values."""
    mu = (values - data["level"]) @ M.T
    return mu[:, winner] - np.delete(mu, winner, axis=1).max(axis=1)


def worst(M, data, winner, rival):
    """The values that help a rival most."""
    return np.where(M[winner] > M[rival], data["low"], data["high"])


def attacks(M, data, winner, groups, number, tries, rng):
    """Values with `number` groups of measurements changed: at random, and greedily for each rival."""
    y, sets = data["y"], []
    for _ in range(tries):
        rival = rng.choice(np.delete(np.arange(len(M)), winner))
        changed = np.isin(groups, rng.choice(np.unique(groups), number, replace=False))
        anything = rng.uniform(data["low"], data["high"], len(y))
        sets.append(np.where(changed, worst(M, data, winner, rival) if rng.random() < 0.5 else anything, y))
    for rival in np.delete(np.arange(len(M)), winner):
        best = worst(M, data, winner, rival)
        gains = (M[winner] - M[rival]) * (y - best)
        total = np.bincount(groups, weights=gains)
        sets.append(np.where(np.isin(groups, np.argsort(-total)[:number]), best, y))
    return np.array(sets)


def check(seed, tries):
    data, rng = recorded(seed), np.random.default_rng(seed)
    found, M = audit(**data), dense(data)
    a, y, small = found.winner, data["y"], LEVEL * (data["high"] - data["low"])
    assert leads(M, data, y[None], a)[0] > 0
    single, source = np.arange(len(y)), np.unique(data["sources"], return_inverse=True)[1]
    for groups, number in ((single, found.breakdown_lies), (source, found.breakdown_sources)):
        fewer = len(np.unique(groups)) if number is None else number - 1
        assert (leads(M, data, attacks(M, data, a, groups, fewer, tries, rng), a) > -small).all()
    values = y.copy()
    for change in found.plan.changes:
        assert y[change.row] == change.value
        values[change.row] = change.instead
    assert len(found.plan.changes) == (found.breakdown_lies or 0)
    if found.breakdown_lies is not None:
        assert leads(M, data, values[None], a)[0] <= small
        assert found.lowest_leads[found.breakdown_lies] <= small < found.lowest_leads[0]
    if found.breakdown_sources is not None:
        assert len(found.plan.sources) == found.breakdown_sources
        lying = np.isin(data["sources"], found.plan.sources)
        values = np.where(lying, worst(M, data, a, found.plan.sources_rival), y)
        assert leads(M, data, values[None], a)[0] <= small
    for one in found.sources:
        mine = np.array(data["sources"]) == one.name
        tried = [np.where(mine, worst(M, data, a, b), y) for b in range(len(M)) if b != a]
        assert one.alone == (leads(M, data, np.array(tried), a).min() <= small)
        assert one.measurements == mine.sum()
    return found


@pytest.mark.parametrize("seed", range(15))
def test_fewer_lies_never_overturn_the_winner_and_the_plan_does(seed):
    check(seed, 200)


@pytest.mark.slow
def test_fewer_lies_never_overturn_the_winner_and_the_plan_does_on_200_sets():
    found = [check(seed, 2000) for seed in range(200)]
    assert len({one.breakdown_lies for one in found}) > 4
    assert len({one.breakdown_sources for one in found}) > 2


def by_programming(M, data, winner, groups):
    """The fewest groups, by integer programming: variables are the values, and whether each group may differ."""
    y, number, least = data["y"], int(groups.max()) + 1, None
    n = len(y)
    member = (groups[:, None] == np.arange(number)).astype(float)
    up = LinearConstraint(np.hstack([np.eye(n), -(data["high"] - y)[:, None] * member]), -np.inf, y)
    down = LinearConstraint(np.hstack([np.eye(n), (y - data["low"])[:, None] * member]), y, np.inf)
    for rival in np.delete(np.arange(len(M)), winner):
        d = M[winner] - M[rival]
        level = LinearConstraint(np.append(d, np.zeros(number)), -np.inf, data["level"] * d.sum())
        bounds = Bounds(
            np.append(np.full(n, data["low"]), np.zeros(number)), np.append(np.full(n, data["high"]), np.ones(number))
        )
        integrality = np.append(np.zeros(n), np.ones(number))
        cost = np.append(np.zeros(n), np.ones(number))
        solved = milp(cost, constraints=[up, down, level], integrality=integrality, bounds=bounds)
        if solved.success:
            least = min(round(solved.fun), number if least is None else least)
    return least


def agrees(seed):
    data = recorded(seed)
    found, M = audit(**data), dense(data)
    source = np.unique(data["sources"], return_inverse=True)[1]
    assert by_programming(M, data, found.winner, np.arange(len(data["y"]))) == found.breakdown_lies
    assert by_programming(M, data, found.winner, source) == found.breakdown_sources


@pytest.mark.parametrize("seed", range(200, 206))
def test_integer_programming_agrees(seed):
    agrees(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(206, 256))
def test_integer_programming_agrees_on_50_sets(seed):
    agrees(seed)


# -- unequal noise ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_with_unequal_noise_the_model_is_the_literal_one(seed):
    data = recorded(seed)
    found, M = audit(**data), dense(data)
    mu = data["level"] + M @ (data["y"] - data["level"])
    np.testing.assert_allclose(found.estimate, mu, atol=1e-9)
    assert found.assumptions.estimated == ()
    d = np.abs(M[found.winner] - M[found.rival])
    assert found.breakdown_budget == pytest.approx((mu[found.winner] - mu[found.rival]) / d.max(), rel=1e-6)
    assert found.breakdown_budget_refit == found.breakdown_budget


def test_the_influence_of_a_measurement_is_the_derivative_of_a_literal_model():
    data, step = recorded(3), 1e-4
    found = audit(**data)
    for row in range(len(data["y"])):
        moved = []
        for sign in (1, -1):
            y = data["y"].copy()
            y[row] += sign * step
            mu = data["level"] + dense(data) @ (y - data["level"])
            moved.append(mu[found.winner] - mu[found.rival])
        slope = (moved[0] - moved[1]) / (2 * step)
        y = data["y"].copy()
        y[row] -= step * np.sign(slope)
        changed = audit(**{**data, "y": y, "low": -99.0, "high": 99.0})
        lead = changed.estimate[found.winner] - changed.estimate[found.rival]
        assert found.lead - lead == pytest.approx(step * abs(slope), rel=1e-5, abs=1e-12)


def test_a_precise_repeat_is_several_plain_ones():
    """One measurement of standard error 0.1 says as much as four of 0.2 with the same mean."""
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0, 1, (12, 1)), rng.standard_normal(12)
    given = {"kernel": Matern(2.5, 0.4), "output_scale": 1.0, "level": 0.0, "norm_bound": 3.0}
    one = audit(x, y, noise_stds=np.full(12, 0.1), **given)
    four = audit(np.repeat(x, 4, axis=0), np.repeat(y, 4), noise_stds=np.full(48, 0.2), **given)
    np.testing.assert_allclose(one.estimate, four.estimate)
    np.testing.assert_allclose(one.deviation, four.deviation)
    assert one.certificate.largest_gap == pytest.approx(four.certificate.largest_gap, rel=1e-6)
    assert four.breakdown_budget == pytest.approx(4 * one.breakdown_budget, rel=1e-6)


@pytest.mark.parametrize("estimated", [(), ("kernel",), ("output_scale", "level"), ("kernel", "output_scale", "level")])
def test_equal_standard_errors_are_a_given_noise(estimated):
    data = {name: one for name, one in recorded(1).items() if name not in estimated}
    data["noise_stds"] = np.full(len(data["y"]), 0.3)
    one = audit(**data)
    other = audit(**{**data, "noise_stds": None, "noise_std": 0.3})
    assert one.breakdown == other.breakdown
    assert one.suspects == other.suspects
    assert one.credible == other.credible
    assert one.breakdown_budget_refit == other.breakdown_budget_refit


def test_a_precise_lie_is_a_suspect_and_a_vague_one_is_not():
    x, y, own = np.repeat(np.arange(6.0), 3)[:, None], np.repeat(np.arange(6.0), 3), np.full(18, 0.1)
    y[0] = 2.0
    given = {"kernel": Matern(2.5, 1.0), "output_scale": 2.0, "level": 2.0}
    (found,) = audit(x, y, noise_stds=own, sources=["a", "b", "c"] * 6, **given).suspects
    assert (found.row, found.source) == (0, "a")
    own[0] = 3.0
    assert audit(x, y, noise_stds=own, **given).suspects == ()


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"noise_stds": [0.1, -1.0]}, "standard errors must be positive"),
        ({"noise_stds": [0.1, np.nan]}, "1 measurement without a standard error"),
        ({"noise_stds": [0.1]}, "1 standard errors for 2 values"),
        ({"noise_stds": ["a", "b"]}, "standard errors must be numbers"),
        ({"sources": ["a"]}, "1 sources for 2 values"),
        ({"sources": ["a", None]}, "measurement 2 has no source"),
        ({"low": 1.5}, r"measurement 1 is 1, which is not between low \(1.5\) and high \(2\)"),
        ({"high": 1.5}, "measurement 2 is 2"),
        ({"low": 3.0, "high": 1.0}, "low must be below high"),
        ({"low": 0.0, "threat": Threat(lies=1, low=-1.0)}, "give it once"),
        ({"threat": Threat(liars=1)}, "source of each measurement"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(changed, reason):
    with pytest.raises(InvalidInput, match=reason) as error:
        audit([[0.0], [1.0]], [1.0, 2.0], **changed)
    assert "\n" not in str(error.value)


# -- the same measurements, told in another way -----------------------------------------------------------------------


def counts(found):
    return found.winner, found.breakdown_lies, found.breakdown_sources, [s.alone for s in found.sources]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("unit", "shift"), [(1e-3, 0.0), (1.0, 50.0), (7.0, -3.0)])
def test_units_do_not_change_counts(seed, unit, shift):
    data = recorded(seed)
    other = {**data, "y": unit * data["y"] + shift, "noise_stds": unit * data["noise_stds"]}
    other |= {"output_scale": unit * data["output_scale"]}
    other |= {name: unit * data[name] + shift for name in ("low", "high", "level")}
    assert counts(audit(**other)) == counts(audit(**data))


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_rows_does_not_matter(seed):
    data = recorded(seed)
    order = np.random.default_rng(seed).permutation(len(data["y"]))
    other = {**data, **{name: np.array(data[name])[order] for name in ("x", "y", "noise_stds", "sources")}}
    one, two = audit(**data), audit(**other)
    assert (one.points[one.winner] == two.points[two.winner]).all()
    assert (one.breakdown_lies, one.breakdown_sources) == (two.breakdown_lies, two.breakdown_sources)
    np.testing.assert_allclose(one.lowest_leads, two.lowest_leads, atol=1e-9)
    alone = ({s.name: s.alone for s in found.sources} for found in (one, two))
    assert next(alone) == next(alone)


@pytest.mark.parametrize("seed", range(8))
def test_minimising_is_maximising_the_negated_values(seed):
    data = recorded(seed)
    flipped = {**data, "y": -data["y"], "level": -data["level"], "low": -data["high"], "high": -data["low"]}
    one, two = audit(**data), audit(**flipped, minimize=True)
    assert counts(one) == counts(two)
    assert [(c.row, c.value, c.instead) for c in one.plan.changes] == [
        (c.row, -c.value, -c.instead) for c in two.plan.changes
    ]
    assert (one.plan.sources, one.limits) == (two.plan.sources, two.limits)
    assert [s.offset and -s.offset for s in one.sources] == [s.offset for s in two.sources]


@pytest.mark.parametrize("seed", range(8))
def test_sources_that_are_one_are_never_more(seed):
    """One source for all measurements overturns the winner if any number does; one for each is a false measurement."""
    data = recorded(seed)
    each = audit(**{**data, "sources": range(len(data["y"]))})
    assert each.breakdown_sources == each.breakdown_lies
    assert [s.alone for s in each.sources].count(True) >= (each.breakdown_lies == 1)
    one = audit(**{**data, "sources": ["all"] * len(data["y"])})
    assert one.breakdown_sources == (None if each.breakdown_lies is None else 1)
    (only,) = one.sources
    assert (only.without, only.offset, only.suspicious) == (None, None, False)
    few = audit(**data).breakdown_sources
    for a, b in combinations(sorted(set(data["sources"])), 2):
        merged = audit(**{**data, "sources": [a if s == b else s for s in data["sources"]]}).breakdown_sources
        assert (merged is None) == (few is None)
        assert few is None or few - 1 <= merged <= few


# -- threats ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_the_verdict_is_about_the_threat(seed):
    """A threat below the count leaves a lead, one at the count does not; kinds add up."""
    data = recorded(seed)
    lies, liars = audit(**data).breakdown_lies, audit(**data).breakdown_sources
    for kind, number in (("lies", lies), ("liars", liars)):
        if number is None:
            continue
        below, at = (audit(**data, threat=Threat(**{kind: k})) for k in (number - 1, number))
        assert at.lowest_lead <= 1e-6 < below.lowest_lead + 2e-6
        expected = at.lowest_leads if kind == "lies" else at.lowest_leads_sources
        assert at.lowest_lead == pytest.approx(expected[number], abs=1e-9)
    assert audit(**data).lowest_lead is None


def test_certified_counts_are_those_of_certificates():
    """The largest number of lies for which a certificate leaves one candidate."""
    rng = np.random.default_rng(0)
    option = np.repeat(np.arange(3), 60)
    y = np.clip(option / 2 + 0.05 * rng.standard_normal(180), -0.5, 1.5)
    given = {
        "kernel": SquaredExponential(0.3),
        "noise_std": 0.05,
        "output_scale": 1.0,
        "level": 0.0,
        "norm_bound": 2.0,
        "tie": 0,
    }
    given |= {"low": -0.5, "high": 1.5, "sources": [f"w{i % 30}" for i in range(180)]}
    found = audit(option[:, None], y, **given)
    limits = {limit.kind: limit for limit in found.limits}
    for kind in ("lies", "liars"):
        certified = limits[kind].certified
        assert 0 < certified < limits[kind].overturned
        for number, sure in ((certified, True), (certified + 1, False)):
            one = audit(option[:, None], y, threat=Threat(**{kind: number}), **given)
            assert (len(one.certificate.candidates) == 1) == sure
            assert one.verdict == ("yes" if sure else "no: within the threat")
            assert "proved, at any time" in one.luck.sentence
    del given["low"]
    unbounded = audit(option[:, None], y, threat=Threat(lies=1), **given)
    assert "a false value may be of any size: give low and high" in str(unbounded)
    assert not unbounded.to_dict()["certified"]


def lied_to(seed, lies):
    """Three options, and false measurements that help the second best one most."""
    rng = np.random.default_rng([seed, 3])
    kernel, x = SquaredExponential(1.0), np.arange(3.0)[:, None]
    f = 2 * np.linalg.cholesky(kernel(x, x)) @ (rng.standard_normal(3) / 2)
    norm = float(np.sqrt(f @ np.linalg.solve(kernel(x, x), f)))
    option, own = np.repeat(np.arange(3), 100), rng.choice([0.05, 0.1, 0.2], 300)
    y = f[option] + own * rng.standard_normal(300)
    data = {"x": x[option], "y": y, "noise_stds": own, "low": f.min() - 1.0, "high": f.max() + 1.0, "kernel": kernel}
    data |= {"output_scale": 1.0, "level": 0.0, "norm_bound": 1.01 * norm}
    best, second = np.argsort(-f)[:2]
    M = dense(data)
    ends = np.where(M[best] > M[second], data["low"], data["high"])
    false = np.argsort(-(M[best] - M[second]) * (y - ends))[:lies]
    data["y"] = y.copy()
    data["y"][false] = ends[false]
    return data, int(best)


def test_a_certificate_against_lies_is_true_under_lies():
    prepared = careless = false = 0
    for seed in range(60):
        data, best = lied_to(seed, lies=4)
        safe, bold = audit(**data, threat=Threat(lies=4)), audit(**data, threat=0)
        if len(safe.certificate.candidates) == 1:
            prepared += 1
            false += safe.winner != best
        careless += len(bold.certificate.candidates) == 1 and bold.winner != best
    assert false == 0
    assert prepared >= 10, prepared
    assert careless >= 3, careless
