"""What the others do not explain: bots are found, honest days are not, whatever the days have in common."""

import numpy as np
import pytest

from unswayed.audits.labels.audit import audit_labels
from unswayed.judgement.verdict import Verdict

DAYS = 14


def honest(rng, variants=12, visitors=1000, weekend=0.0, spread=0.0):
    """Conversions and visitors by variant and day; weekend: a share that is lost; spread: of every cell's rate."""
    rate = rng.uniform(0.02, 0.05, variants)[:, None] * np.ones(DAYS)
    rate[:, 5::7] *= 1 - weekend
    rate[:, 6::7] *= 1 - weekend
    rate *= np.exp(spread * rng.standard_normal(rate.shape))
    n = rng.poisson(visitors, rate.shape)
    return rng.binomial(n, np.minimum(rate, 1)), n


def found(s, n, **keywords):
    options, days = np.indices(s.shape)
    return audit_labels(options.ravel(), s.ravel(), trials=n.ravel(), sources=days.ravel(), **keywords)


@pytest.mark.parametrize(
    "case",
    [{}, {"weekend": 0.3}, {"weekend": -0.5}, {"spread": 0.3}, {"variants": 2, "weekend": 0.4}, {"visitors": 30}],
    ids=str,
)
def test_honest_tests_are_seldom_suspected(case):
    rng = np.random.default_rng(0)
    alarms = sum(bool(found(*honest(rng, **case)).suspects) for _ in range(60))
    assert alarms <= 3


@pytest.mark.parametrize("weekend", [0.0, 0.4])
@pytest.mark.parametrize("variants", [6, 12])
def test_bots_are_found_and_named(variants, weekend):
    rng = np.random.default_rng(1)
    right = 0
    for _ in range(10):
        s, n = honest(rng, variants, weekend=weekend)
        days = rng.choice(DAYS, 4, replace=False)
        s[1, days] += 150
        n[1, days] += 200
        audit = found(s, n)
        right += {(x.option, x.source) for x in audit.suspects} == {(1, str(day)) for day in days}
    assert right >= 8


def test_what_is_expected_comes_from_the_others():
    rng = np.random.default_rng(2)
    s, n = honest(rng)
    rate = np.delete(s[3], 6).sum() / np.delete(n[3], 6).sum()
    s[3, 6] += 150
    (suspect,) = found(s, n).suspects
    assert (suspect.option, suspect.source, suspect.row) == (3, "6", 3 * DAYS + 6)
    assert suspect.value == s[3, 6] / n[3, 6]
    assert suspect.expected == pytest.approx(rate, rel=0.05)
    assert suspect.score > 8
    (fewer,) = found(n - s, n, minimize=True).suspects
    assert fewer.value == pytest.approx(1 - suspect.value)
    assert fewer.expected == pytest.approx(1 - suspect.expected)


def test_a_cell_of_many_rows_has_no_row():
    rng = np.random.default_rng(3)
    s, n = honest(rng)
    s[3, 6] += 200
    options, days = np.indices(s.shape)
    parts = [rng.binomial(s, 0.5), rng.binomial(n - s, 0.5)]
    halves = [(parts[0], parts[0] + parts[1]), (s - parts[0], n - parts[0] - parts[1])]
    audit = audit_labels(
        np.tile(options.ravel(), 2),
        np.concatenate([a.ravel() for a, _ in halves]),
        trials=np.concatenate([b.ravel() for _, b in halves]),
        sources=np.tile(days.ravel(), 2),
    )
    (suspect,) = audit.suspects
    assert (suspect.row, suspect.option, suspect.trials, len(suspect.rows)) == (None, 3, int(n[3, 6]), 2)
    assert "line" in audit.to_dict()["suspects"][0]


def test_single_outcomes_are_never_suspected():
    outcomes = np.zeros(3000)
    outcomes[:3] = 1
    assert audit_labels(np.repeat(["a", "b", "c"], 1000), outcomes).suspects == ()


def test_values_far_from_the_others_are_found():
    rng, alarms = np.random.default_rng(4), 0
    o = np.repeat(np.arange(6), 10)
    for _ in range(60):
        y = o + rng.standard_normal(60)
        alarms += bool(audit_labels(o, y).suspects)
        y[[7, 8]] += 80
        audit = audit_labels(o, y)
        assert {7, 8} <= {s.row for s in audit.suspects}
        assert audit.winner == 0
        assert audit.winner_without_suspects == 5
        assert audit.verdict is Verdict.TAMPERED
        assert "5 leads" in audit.evidence.sentence
    assert alarms <= 3


def test_a_suspect_that_hides_the_answer_is_what_to_look_at():
    visitors = [1000] * 14
    old, new = [450, 100, 455, 441, 460, 452, 449], [400, 395, 410, 398, 405, 402, 391]
    days = [f"d{i}" for i in range(7)] * 2
    audit = audit_labels(["old"] * 7 + ["new"] * 7, old + new, trials=visitors, sources=days, minimize=True)
    assert audit.verdict is Verdict.EARLY
    assert "without it the winner is the same, and its lead more than chance" in audit.evidence.sentence
    assert audit.next_step == (
        "Next: look at d1; correct what is false, or leave that source out for all options, and audit again."
    )
    without = [i for i in range(14) if days[i] != "d1"]
    rest = audit_labels(
        [("old", "new")[i > 6] for i in without],
        [(old + new)[i] for i in without],
        trials=[1000] * 12,
        sources=[days[i] for i in without],
        minimize=True,
    )
    assert rest.verdict is Verdict.YES


@pytest.mark.parametrize("sources", [None, ["lab"] * 40, [f"day {i % 10}" for i in range(40)]])
def test_a_source_is_only_left_out_if_it_has_nothing_else_of_the_option(sources):
    rng = np.random.default_rng(5)
    values = rng.standard_normal(40)
    values[3] = 60
    audit = audit_labels(["a"] * 10 + ["b"] * 30, values, sources=sources)
    assert [s.row for s in audit.suspects] == [3]
    assert ("out for all options" in audit.next_step) == (sources is not None and sources[0] == "day 0")
    assert "correct" in audit.next_step


def alarms(values_of, audits=60, **about):
    """How many honest audits of three options with 30 values each are called tampered."""
    rng = np.random.default_rng(6)
    option = np.repeat(np.arange(3), 30)
    found = [audit_labels(option, values_of(rng, len(option)), **about) for _ in range(audits)]
    return sum(one.verdict is Verdict.TAMPERED for one in found)


def test_rare_ratings_are_no_evidence():
    assert alarms(lambda rng, n: rng.choice([5.0, 4.0, 3.0, 2.0, 1.0], n, p=[0.92, 0.02, 0.02, 0.02, 0.02])) <= 3


def test_far_values_that_all_options_have_are_no_evidence():
    assert alarms(lambda rng, n: np.where(rng.random(n) < 0.1, -8.0, 1.0) + 0.5 * rng.standard_normal(n)) <= 9


def test_standard_errors_that_are_too_small_accuse_nobody():
    assert alarms(lambda rng, n: rng.standard_normal(n), noise_std=0.5) <= 3
    found = audit_labels(["a"] * 30 + ["b"] * 30, np.random.default_rng(7).standard_normal(60), noise_std=0.2)
    assert found.certificate.noise_std > 0.7
    assert "more than was stated" in found.explain()


def test_bots_of_one_variant_of_two_are_found_although_days_seem_to_differ():
    rng, right = np.random.default_rng(9), 0
    for _ in range(60):
        n = rng.poisson(1000, (2, DAYS))
        s = rng.binomial(n, 0.05)
        days = rng.choice(DAYS, 3, replace=False)
        s[1, days] += 60
        n[1, days] += 60
        right += found(s, n).verdict is Verdict.TAMPERED
    assert right >= 52
