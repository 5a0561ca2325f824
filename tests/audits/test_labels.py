"""Options by label: every count against trying all, words and values that agree, hostile labels."""

import json
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import t as student

from unswayed import InvalidInput
from unswayed.audits.labels.audit import audit_labels
from unswayed.core.data.counts import lower_rate, upper_rate
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.verdict import Verdict


def rates(options, successes, trials):
    total = {}
    for o, s, n in zip(options, successes, trials, strict=True):
        a, b = total.get(o, (0, 0))
        total[o] = (a + int(s), b + int(n))
    return {o: Fraction(s, n) for o, (s, n) in total.items()}


def counted(rng, rows, options=3, sources=4, most=4):
    o = [*range(options), *rng.integers(0, options, rows - options)]
    n = rng.integers(1, most + 1, rows)
    return [f"o{i}" for i in o], rng.binomial(n, 0.5), n, [f"s{i}" for i in rng.integers(0, sources, rows)]


@pytest.mark.parametrize("minimize", [False, True])
@pytest.mark.parametrize("tables", [8, pytest.param(60, marks=pytest.mark.slow)])
def test_counts_by_trying_everything(minimize, tables):
    rng = np.random.default_rng(0)
    for _ in range(tables):
        options, s, n, sources = counted(rng, 7)
        found = audit_labels(options, s, trials=n, sources=sources, minimize=minimize)
        true, best = rates(options, s, n), min if minimize else max
        top = best(true.values())
        winners = [o for o in dict.fromkeys(options) if true[o] == top]
        assert found.labels[found.winner] == winners[0]
        assert [found.labels[i] for i in found.tied] == winners[1:]

        def overturned(changed, options=options, n=n, first=winners[0], best=best):
            new = rates(options, changed, n)
            return new[first] != best(new.values()) or list(new.values()).count(best(new.values())) > 1

        fewest = min(np.abs(np.array(new) - s).sum() for new in product(*(range(k + 1) for k in n)) if overturned(new))
        assert found.breakdown_lies == fewest
        names = list(dict.fromkeys(sources))
        for size in range(len(names) + 1):
            able = [who for who in combinations(names, size) if liars_can(options, s, n, sources, who, overturned)]
            if able:
                break
        assert found.breakdown_sources == size
        assert set(found.plan.sources) in [set(who) for who in able]
        for source in found.sources:
            assert source.alone == liars_can(options, s, n, sources, (source.name,), overturned)
            kept = [i for i, name in enumerate(sources) if name != source.name]
            left = rates([options[i] for i in kept], s[kept], n[kept])
            if len(left) < 2:
                assert source.without is None
            else:
                first = next(o for o in dict.fromkeys(options) if left.get(o) == best(left.values()))
                assert found.labels[source.without] == first


def liars_can(options, s, n, sources, who, overturned):
    ranges = [(0, k) if name in who else (v,) for v, k, name in zip(s, n, sources, strict=True)]
    return any(overturned(new) for new in product(*ranges))


@pytest.mark.parametrize("minimize", [False, True])
@pytest.mark.parametrize("noisy", [False, True])
def test_values_by_trying_everything(minimize, noisy):
    rng = np.random.default_rng(1)
    for _ in range(40):
        o = np.array([0, 1, 2, *rng.integers(0, 3, 4)])
        y, sources = rng.integers(1, 6, 7) + rng.random(7) / 2, rng.integers(0, 3, 7)
        noise = rng.choice([0.5, 1.0, 2.0], 7) if noisy else None
        low, high = 0.5, 6.5
        found = audit_labels(o, y, sources=sources, noise_std=noise, low=low, high=high, minimize=minimize)
        w = np.ones(7) if noise is None else 1 / noise**2
        mean = lambda v: np.array([np.average(v[o == i], weights=w[o == i]) for i in range(3)])  # noqa: B023, E731
        sign = -1 if minimize else 1
        assert found.winner == np.argmax(sign * mean(y))
        assert found.estimate == pytest.approx(mean(y))

        def overturned(rows):
            ends = product(*((low, high) if i in rows else (y[i],) for i in range(7)))  # noqa: B023
            return any(
                np.delete(m, found.winner).max() >= m[found.winner] - 1e-9  # noqa: B023
                for m in (sign * mean(np.array(new)) for new in ends)  # noqa: B023
            )

        fewest = next(k for k in range(8) if any(overturned(rows) for rows in combinations(range(7), k)))
        assert found.breakdown_lies == fewest
        planned = y.copy()
        for change in found.plan.changes:
            planned[change.row] = change.instead
        after = sign * mean(planned)
        assert after[found.winner] <= np.delete(after, found.winner).max() + 1e-9
        groups = [[i for i in range(7) if sources[i] == g] for g in dict.fromkeys(sources)]
        pick = lambda who: [i for g in who for i in groups[g]]  # noqa: B023, E731
        few = next(k for k in range(4) if any(overturned(pick(who)) for who in combinations(range(len(groups)), k)))
        assert found.breakdown_sources == few
        assert [s.alone for s in found.sources] == [overturned(group) for group in groups]
        share = np.array([max(w[o == i]) / w[o == i].sum() for i in range(3)])
        lead = sign * (mean(y)[found.winner] - mean(y))
        budget = [lead[b] / max(share[b], share[found.winner]) for b in range(3) if b != found.winner]
        assert found.breakdown_budget == pytest.approx(min(budget))


def test_the_proof_of_counts():
    rng = np.random.default_rng(2)
    n = np.array([2000, 1500, 1800])
    s = rng.binomial(n, [0.3, 0.15, 0.1])
    found = audit_labels("abc", s, trials=n, threat=Threat(lies=30))
    proof, alpha = found.certificate, 0.05 / 3
    for k, holds in ((proof.lies, True), (proof.lies + 1, False)):
        assert holds == all(
            lower_rate(s[0] - j, n[0], alpha) > upper_rate(s[b] + k - j, n[b], alpha)
            for j in range(k + 1)
            for b in (1, 2)
        )
    assert proof.best == (proof.lies >= 30)
    assert found.verdict is Verdict.YES
    assert found.to_dict()["certified"]
    more = audit_labels("abc", s, trials=n, threat=Threat(lies=proof.lies + 1))
    assert "30 forged outcomes" not in more.robustness.sentence
    assert len(more.certificate.candidates) > 1
    enough = audit_labels("abc", s, trials=n, threat=Threat(lies=more.breakdown_lies))
    assert enough.verdict is Verdict.WITHIN
    assert not enough.to_dict()["certified"]
    total = audit_labels("abc", s, trials=n, threat=0.01)
    assert total.certificate.lies < proof.lies


def test_lying_sources_are_allowed_for():
    rng = np.random.default_rng(3)
    options, days = np.repeat(["a", "b"], 20), np.tile(np.arange(20), 2)
    n = np.full(40, 500)
    s = rng.binomial(n, np.where(options == "a", 0.5, 0.2))
    few = audit_labels(options, s, trials=n, sources=days, threat=Threat(liars=1))
    many = audit_labels(options, s, trials=n, sources=days, threat=Threat(liars=few.breakdown_sources))
    assert few.certificate.best
    assert not many.certificate.best
    worst = max(s[:20]), max((n - s)[20:])
    assert (
        few.certificate.lies
        == audit_labels("ab", [s[:20].sum() - worst[0], s[20:].sum() + worst[1]], trials=[10_000] * 2).certificate.lies
    )
    with pytest.raises(InvalidInput, match="lying sources need sources"):
        audit_labels("ab", [1, 0], threat=Threat(liars=1))


def test_the_proof_of_values_is_a_t_test_with_a_share_for_each_rival():
    rng = np.random.default_rng(4)
    o = np.repeat([0, 1, 2], 8)
    y = np.array([1.0, 0.2, 0.0])[o] + 0.1 * rng.standard_normal(24)
    found = audit_labels(o, y)
    assert found.certificate.best
    own = np.array([np.var(y[o == i], ddof=1) for i in range(3)])
    pooled = own.mean()
    assert found.certificate.noise_std == pytest.approx(np.sqrt(pooled))
    close = audit_labels(o, np.where(o == 1, y + 0.8, y))
    assert not close.certificate.best
    mean = np.array([np.where(o == 1, y + 0.8, y)[o == i].mean() for i in range(3)])
    a, b = close.winner, 1 - close.winner
    width = student.ppf(1 - 0.05 / 2, 21) * np.sqrt((max(own[a], pooled) + max(own[b], pooled)) / 8)
    assert close.certificate.largest_gap == pytest.approx(width - (mean[a] - mean[b]))
    assert audit_labels("ab", [1.0, 2.0]).certificate is None
    assert "no option was measured twice" in str(audit_labels("ab", [1.0, 2.0]))


def test_values_are_certified_wrongly_at_most_as_often_as_stated():
    rng, wrong = np.random.default_rng(5), 0
    for _ in range(400):
        o = np.repeat(np.arange(5), 6)  # all are equal: no option is the only best one
        found = audit_labels(o, rng.standard_normal(30))
        wrong += found.certificate is not None and found.certificate.best
    assert wrong <= 0.08 * 400


def test_an_observed_range_proves_nothing_about_lies():
    y = np.repeat([1.0, 0.0], 10) + 0.01 * np.random.default_rng(6).standard_normal(20)
    o = np.repeat(["a", "b"], 10)
    unknown = audit_labels(o, y, threat=Threat(lies=1))
    assert unknown.verdict is Verdict.WITHIN
    assert "of any size" in unknown.to_dict()["sentence"]
    assert unknown.to_dict()["largest_gap"] is None
    assert "give low and high if you know them" in audit_labels(o, y).explain()
    assert audit_labels(o, y, threat=Threat(lies=1), low=-1, high=2).verdict is Verdict.YES


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"trials": [1, 0]}, "row 2: 0 trials"),
        ({"trials": [1, -4]}, "row 2: -4 trials"),
        ({"trials": [1.5, 1]}, "row 1: 1.5 trials"),
        ({"values": [1, 3], "trials": [1, 2]}, "row 2: 3 successes are more than its trials"),
        ({"values": [1, -3], "trials": [1, 2]}, "row 2: -3 successes"),
        ({"values": [1, 0.5], "trials": [1, 2]}, "row 2: 0.5 successes"),
        ({"values": [1, 2], "low": 1, "high": 1.5}, "row 2 is 2, which is not between"),
        ({"values": [1, 2], "noise_std": [1, 0]}, "row 2: a noise of 0"),
        ({"values": [1, 2], "noise_std": 1, "trials": [2, 2]}, "not both"),
        ({"values": [2, 2]}, "all values are equal"),
        ({"values": [1, np.nan]}, "finite"),
        ({"options": "aa"}, "two different options"),
        ({"options": "abc"}, "3 options for 2 values"),
        ({"sources": "x"}, "1 sources for 2 values"),
        ({"threat": -1}, "threat"),
        ({"delta": 2}, "delta"),
        ({"values": [1, 2], "low": 3, "high": 1}, "low must be below high"),
        ({"trials": [1, 1], "high": 5}, "leave out the range"),
    ],
)
def test_what_is_wrong_is_named(arguments, words):
    with pytest.raises(InvalidInput, match=words) as error:
        audit_labels(**{"options": "ab", "values": [1, 0], **arguments})
    assert "\n" not in str(error.value)


def test_suspects_are_left_out_of_the_proof():
    """What is proved is what the other rows prove, lies among them included."""
    rng = np.random.default_rng(8)
    o = np.repeat([0, 1, 2], 8)
    y = np.array([1.0, 0.2, 0.0])[o] + 0.05 * rng.standard_normal(24)
    clean = audit_labels(np.delete(o, 9), np.delete(y, 9), low=-9, high=9, threat=Threat(lies=1))
    y[9] = -8.0
    found = audit_labels(o, y, low=-9, high=9, threat=Threat(lies=1))
    assert [s.row for s in found.suspects] == [9]
    assert found.certificate.lies == clean.certificate.lies
    assert found.certificate.largest_gap == pytest.approx(clean.certificate.largest_gap)


HOSTILE = ["\x1b[31mred", "two\nlines", "\u202eright", "<script>alert(1)</script>", "x" * 100_000, " padded ", "ünï"]


def test_hostile_labels_are_shown_safely_and_recorded_unchanged():
    rng = np.random.default_rng(7)
    options, sources = np.repeat(HOSTILE, 4), np.tile(HOSTILE[:4], len(HOSTILE))
    found = audit_labels(options, rng.binomial(50, 0.3, 28), trials=np.full(28, 50), sources=sources)
    assert all(line.isprintable() and len(line) < 2_000 for line in found.explain().splitlines())
    assert len(repr(found)) < 200
    columns = found.to_dict()
    assert json.loads(json.dumps(columns, allow_nan=False)) == columns
    assert columns["labels"] == HOSTILE
    assert [s["source"] for s in columns["sources"]] == HOSTILE[:4]
    assert columns["winner_label"] == HOSTILE[found.winner]


def test_single_outcomes_are_counts():
    outcomes = [1] * 8 + [0] * 2 + [1] * 3 + [0] * 7
    one_by_one = audit_labels("a" * 10 + "b" * 10, outcomes)
    together = audit_labels("ab", [8, 3], trials=[10, 10])
    assert one_by_one.breakdown_lies == together.breakdown_lies == 5
    assert one_by_one.breakdown_budget == pytest.approx(5.0)
    assert one_by_one.suspects == ()
    assert one_by_one.data.counts


def test_a_tie_is_called_a_tie():
    found = audit_labels("abc", [1, 2, 0], trials=[2, 4, 5])
    assert (found.winner, found.tied, found.breakdown_lies, found.breakdown_budget) == (0, (1,), 0, 0.0)
    assert found.verdict is Verdict.EARLY
    assert "ties with b" in str(found).splitlines()[0]
    assert not found.to_dict()["certified"]
