"""What measurements support: budgets and counts against trying other values, whoever asks."""

import re
from dataclasses import replace
from html import escape, unescape
from itertools import combinations, product

import numpy as np
import pytest

from unswayed import Measurement, Optimizer, Options, SquaredExponential, Threat, audit
from unswayed.core.gp.kernels import gram
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.threat import Records
from unswayed.judgement.assumptions import Given
from unswayed.judgement.findings import Case, Counted, Limit, Source, findings, lowest_lead
from unswayed.judgement.prior import Prior, prior
from unswayed.judgement.recommend import CAUTION
from unswayed.judgement.span import Span
from unswayed.text import at_least

KERNEL = SquaredExponential(0.8)
ROWS = np.arange(4.0)[:, None]
GIVEN = {"kernel": KERNEL, "noise_std": 0.4, "output_scale": 1.0, "level": 0.0}


def drawn(seed, *, caution=CAUTION, plays=7, **fields):
    """Four points, one of them not measured, and the winner by mean - caution sd."""
    rng = np.random.default_rng(seed)
    arms = np.append(np.arange(3), rng.integers(0, 3, plays - 3))
    values = np.clip(arms / 3 + 0.4 * rng.standard_normal(plays), -1, 2)
    given = Given(**GIVEN, threat=Threat(low=-1, high=2))
    model: Prior = prior(given, values, kernel=KERNEL, output_scale=1.0, noise_std=0.4)
    records = Records(arms, values, np.ones(plays), np.append(np.arange(3), rng.integers(0, 3, plays - 3)))
    posterior = JointPosterior.of_plays(gram(KERNEL, ROWS), arms, values, np.ones(plays), model.lam)
    winner = int(np.argmax(posterior.mean - caution * posterior.deviation))
    span = Span.of(values, given.threat_or_nothing)
    return Case(
        given=given,
        span=span,
        model=model,
        records=records,
        posterior=posterior,
        winner=winner,
        caution=caution,
        **fields,
    )


def literal(case):
    """The scores of any values: dense matrices, nothing of ours."""
    K, x = KERNEL(ROWS, ROWS), case.records.arms
    M = K[:, x] @ np.linalg.inv(K[np.ix_(x, x)] + case.model.lam * np.eye(len(x)))
    sd = np.sqrt(K.diagonal() - np.einsum("ij,ij->i", M, K[:, x]))
    return lambda y: M @ y - case.caution * sd


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("caution", [0.0, CAUTION, 2.0])
def test_less_than_the_budget_changes_nothing_and_a_little_more_does(seed, caution):
    case = drawn(seed, caution=caution)
    found, score = Counted.of(case), literal(case)
    y, a, rng = case.records.values, case.winner, np.random.default_rng(seed)
    assert np.argmax(score(y)) == a
    budget, rival = found.budgets.min(), int(np.argmin(found.budgets))
    for _ in range(100):
        change = rng.normal(size=len(y)) * (rng.random(len(y)) < 0.4)
        if change.any():
            assert np.argmax(score(y + 0.999 * budget * change / np.abs(change).sum())) == a
    singles = [step * np.eye(len(y))[j] for j in range(len(y)) for step in (-1, 1)]
    assert all(np.argmax(score(y + 0.999 * budget * one)) == a for one in singles)
    winners = [(np.argmax(score(y + 1.001 * budget * one)), case.records.arms[j // 2]) for j, one in enumerate(singles)]
    assert (rival, found.pivots[rival]) in winners


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("caution", [0.0, CAUTION])
def test_fewer_lies_never_take_away_the_win_and_as_many_do(seed, caution):
    case = drawn(seed, caution=caution, plays=6)
    found, score = Counted.of(case), literal(case)
    y, a = case.records.values, case.winner

    def lost(rows):
        """Whether other values of these rows can bring another arm level: the lead is linear, so ends are enough."""
        tried = product(*((-1.0, 2.0) if j in rows else (y[j],) for j in range(len(y))))
        return any(np.delete(s, a).max() >= s[a] - 1e-9 for s in map(score, map(np.array, tried)))

    fewest = next((k for k in range(7) if any(lost(rows) for rows in combinations(range(6), k))), None)
    assert found.lies.number == fewest
    groups = [np.flatnonzero(case.records.sources == s) for s in range(3)]
    assert found.liars.alone.tolist() == [lost(set(group)) for group in groups]


def test_the_budget_of_an_answer_is_that_of_the_rule_that_chose_the_point():
    """What a study prints: the point of largest mean - sd, and not that of the largest mean, is to be overturned."""
    rng, rows, differs = np.random.default_rng(3), [[x / 9] for x in range(10)], 0
    for _ in range(6):
        study = Optimizer(Options(rows), threat=0, seed=0, **GIVEN | {"kernel": SquaredExponential(0.3)})
        told = [
            (tuple(rows[i]), float(np.sin(6 * i / 9) + 0.4 * rng.standard_normal())) for i in rng.integers(0, 10, 30)
        ]
        study.add(told)
        found, x = study.answer(), np.array(rows)
        kernel, y = SquaredExponential(0.3), np.array([value for _, value in told])
        played = np.array([point for point, _ in told])
        M = kernel(x, played) @ np.linalg.inv(kernel(played, played) + 0.16 * np.eye(30))
        sd = np.sqrt(1 - np.einsum("ij,ij->i", M, kernel(x, played)))
        budgets = {}
        for caution in (0.0, CAUTION):
            score = M @ y - caution * sd
            a = int(np.argmax(M @ y - CAUTION * sd))
            assert found.point == tuple(rows[a])
            budgets[caution] = min((score[a] - score[b]) / np.abs(M[a] - M[b]).max() for b in range(10) if b != a)
        assert found.breakdown.budget == pytest.approx(budgets[CAUTION], rel=1e-6)
        differs += abs(budgets[0.0] - budgets[CAUTION]) > 0.01 * budgets[CAUTION]
    assert differs >= 3


def test_what_is_no_rival_is_not_counted():
    case = drawn(0)
    a = case.winner
    closest = int(np.argmin(Counted.of(case).budgets))
    without = Counted.of(drawn(0, without=(closest,)))
    assert np.isinf(without.budgets[[a, closest]]).all()
    assert without.lies.rival != closest
    near = Counted.of(drawn(0, margin=100.0))
    assert np.isinf(near.budgets).all()
    assert (near.lies.number, near.liars.number) == (None, None)


def test_nearer_points_count_as_the_winner_by_their_mean():
    for seed in range(10):
        below = drawn(seed).posterior.mean[drawn(seed).winner] - drawn(seed).posterior.mean
        for margin in (1e-9, *(np.sort(below)[1:] + 1e-9)):
            case = drawn(seed, margin=margin)
            near = np.arange(4) == case.winner
            near |= below < margin
            assert np.isinf(Counted.of(case).budgets[near]).all()
            assert np.isfinite(Counted.of(case).budgets[~near]).all()


def test_a_rival_of_larger_mean_counts_where_its_deviation_keeps_it_from_winning():
    """An arm with few plays may have the larger mean: it is the first to win if a value changes."""
    seen = 0
    for seed in range(200):
        case = drawn(seed, caution=2.0)
        mean = case.posterior.mean
        if mean.max() > mean[case.winner]:
            seen += 1
            assert np.isfinite(Counted.of(case).budgets[int(np.argmax(mean))])
    assert seen > 10


@pytest.mark.parametrize(("lead", "level"), [(1e-7, True), (1e-5, False)])
def test_a_lead_that_a_rounding_error_of_the_largest_value_can_take_away_is_none(lead, level):
    """A value of a million has an error of about 1e-10; leads below a millionth of a millionth of it count as none."""
    case = drawn(0, caution=0.0)
    M = np.transpose([literal(case)(one) for one in np.eye(7)])
    y = np.where(case.records.arms == 2, -1e6, case.records.values)
    first = int(np.flatnonzero(case.records.arms == 0)[0])
    y[first] -= ((M[0] - M[1]) @ y - lead) / (M[0] - M[1])[first]
    records = case.records.with_values(y)
    posterior = JointPosterior.of_plays(gram(KERNEL, ROWS), records.arms, y, np.ones(7), case.model.lam)
    found = Counted.of(replace(case, records=records, posterior=posterior, winner=0))
    assert posterior.mean[0] - posterior.mean[1] == pytest.approx(lead, rel=0.05)
    assert (found.budgets[1] == 0.0) == level


def put_together(case, **fields):
    counted = Counted.of(case)
    sources = tuple(Source(name=f"w{s}", measurements=1, alone=bool(one)) for s, one in enumerate(counted.liars.alone))
    about = {"everything": case, "mixture": None, "points": ROWS, "sources": sources, "minimize": False} | fields
    return findings(case, counted, **about), counted


def test_findings_are_in_the_users_own_sign_units_and_names():
    case = drawn(1)
    found, counted = put_together(case, minimize=True, name="abcd".__getitem__)
    assert (found.span.low, found.span.high, found.span.given) == (-2, 1, True)
    assert (found.threat.low, found.threat.high) == (-2, 1)
    assert found.breakdown.rival == "abcd"[int(np.argmin(counted.budgets))]
    assert [limit.kind for limit in found.limits] == ["lies", "liars", "total"]
    assert found.limits[-1].overturned == found.breakdown_budget == pytest.approx(counted.budgets.min())
    assert found.breakdown_sources == counted.liars.number
    assert found.worse == "above"
    unnamed, _ = put_together(case, sources=())
    assert (unnamed.breakdown_sources, len(unnamed.lowest_leads_sources)) == (None, 0)
    assert [limit.kind for limit in unnamed.limits] == ["lies", "total"]


def separated(unit, best):
    """Three points, three plays and two sources of each; the last point is the best."""
    arms, noise = np.arange(9) % 3, 0.05 * np.random.default_rng(0).standard_normal(9)
    values = unit * np.clip(np.array([-1.0, -0.9, best])[arms] + noise, -1, 2)
    scales = {"noise_std": 0.05 * unit, "output_scale": unit, "norm_bound": 3 * unit}
    threat = Threat(low=-unit, high=2 * unit)
    given = Given(kernel=SquaredExponential(0.3), level=0.0, threat=threat, **scales)
    model = prior(given, values, kernel=KERNEL, output_scale=1.0, noise_std=0.4)
    records = Records(arms, model.standardized(values), np.ones(9), np.arange(9) % 2)
    K = gram(SquaredExponential(0.3), ROWS[:3])
    posterior = JointPosterior.of_plays(K, arms, records.values, np.ones(9), model.lam)
    return Case(given=given, span=Span.of(values, threat), model=model, records=records, posterior=posterior, winner=2)


@pytest.mark.parametrize(
    ("unit", "best", "certified"), [(1.0, 2.0, 2), (50.0, 2.0, 2), (1.0, 0.6, 1), (1.0, -0.85, None)]
)
def test_what_is_certified_holds_whatever_so_many_false_values_are(unit, best, certified):
    """Every choice of false values at the ends of the range, tried one by one, with all the proof's uncertainty."""
    case = separated(unit, best)
    found, _ = put_together(
        case, points=ROWS[:3], sources=(Source(name="a", measurements=5), Source(name="b", measurements=4))
    )
    y, arms, K = case.records.values, case.records.arms, SquaredExponential(0.3)(ROWS[:3], ROWS[:3])
    M = K[:, arms] @ np.linalg.inv(K[np.ix_(arms, arms)] + case.model.lam * np.eye(9))
    S = K - M @ K[arms]
    sd = np.sqrt([S[2, 2] + S[b, b] - 2 * S[2, b] for b in (0, 1)])
    lows = {"proved": [np.inf] * 10, "estimated": [np.inf] * 10, "sources": [np.inf] * 3}
    for changed in product((None, -1.0, 2.0), repeat=9):
        false = [j for j, one in enumerate(changed) if one is not None]
        f = M @ np.array([y[j] if one is None else one for j, one in enumerate(changed)])
        lead, sure = (f[2] - f[:2]).min(), (f[2] - f[:2] - found.certificate.beta * sd).min()
        lows["estimated"][len(false)] = min(lows["estimated"][len(false)], lead)
        lows["proved"][len(false)] = min(lows["proved"][len(false)], sure)
        liars = len({case.records.sources[j] for j in false})
        lows["sources"][liars] = min(lows["sources"][liars], lead)
    assert sum(low > 0 for low in np.minimum.accumulate(lows["proved"])) == (0 if certified is None else certified + 1)
    assert found.limits[0].certified == certified
    assert found.certificate.beta > 3  # the norm bound, in output scales
    assert found.limits[1].certified == (None if certified is None else 0)  # one of two sources suffices
    np.testing.assert_allclose(found.lowest_leads, unit * np.minimum.accumulate(lows["estimated"]), atol=1e-9 * unit)
    np.testing.assert_allclose(found.lowest_leads_sources, unit * np.array(lows["sources"]), atol=1e-9 * unit)


def test_a_winner_stays_below_the_number_that_overturns_it():
    for kind in ("lies", "liars"):
        assert [Limit(kind, number, None).stays for number in (None, 0, 1, 5)] == [None, 0, 0, 4]
    assert [Limit("total", total, None).stays for total in (None, 0.0, 2.5)] == [None, 0.0, 2.5]
    assert Limit("lies", 3, "b", 1).to_dict() == {
        "kind": "lies", "overturned": 3, "rival": "b", "certified": 1, "stays": 2,
    }  # fmt: skip


def test_the_lowest_lead_under_a_threat_is_that_of_as_many_lies():
    for seed in range(10):
        case = drawn(seed, caution=0.0)
        lowest = Counted.of(case).lies.lowest
        for lies in (0, 1, 3):
            threat = Threat(lies=lies, low=-1, high=2)
            assert lowest_lead(case, threat) == pytest.approx(lowest[lies], abs=1e-9)
        assert lowest_lead(case, None) is None


HARM = "<img src=x onerror=alert(1)>\x1b[31m"


def results():
    """An answer, an audit of points, audits by label: of values, and of counts."""
    study = Optimizer(Options([HARM, "b"]), threat=Threat(lies=1, low=0, high=9), seed=0)
    study.add([(x, Measurement(y, source=HARM)) for x, y in ((HARM, 1.0), ("b", 2.0), (HARM, 1.2), ("b", 2.1))])
    yield study.answer()
    yield audit([[0.0], [0.0], [1.0], [1.0]], [0.1, 0.2, 1.0, 1.1], names=[HARM], sources=[HARM, "w", HARM, "w"])
    yield audit([HARM, HARM, "b", "b"], [1.0, 1.1, 2.0, 2.2], low=0, high=9)
    yield audit([HARM, "b"], [0.1, 0.2], trials=[100, 100])


@pytest.mark.parametrize("found", [*results()], ids=["answer", "audit", "values", "counts"])
def test_notebooks_show_the_words_and_what_the_winner_withstands(found):
    page = found._repr_html_()
    assert "<img" not in page
    assert "\x1b" not in page
    assert all(escape(line) in page for line in str(found).splitlines())
    cells = [unescape(cell) for cell in re.findall("<td>(.*?)</td>", page)]
    assert cells[0] == f"{found.lie}s"
    assert cells[1] == f"from {found.breakdown_lies}"
    assert cells[-3:-1] == ["changes, in all", f"from {at_least(found.breakdown_budget)}"]
    assert len(cells) == 3 * len(found.limits)


def test_where_nothing_can_be_weighed_notebooks_show_no_table():
    study = Optimizer(Options(["a", "b"]), seed=0)
    study.add([("a", 1.0), ("b", 1.0)])
    assert "<table" not in study.answer()._repr_html_()
