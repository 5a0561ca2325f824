"""What is printed first: the decision in a few lines, each answer in it, and nothing that contradicts it."""

import re

import numpy as np
import pytest

import unswayed as uw
from unswayed.audits.labels.audit import audit_labels
from unswayed.audits.labels.report import percent
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.verdict import MOST_COLUMNS, MOST_LINES, Verdict

NAMES = ["a", "old page", "x" * 300, " padded ", "two\nlines", "ünï" * 30, "\x1b[31mred", "$x^$", "14"]
THREATS = [None, Threat(lies=3), Threat(total=0.2), Threat(lies=10, total=0.5)]


def any_audit(rng):
    """Counts or values, few or many, honest or not."""
    options, rows = int(rng.integers(2, 9)), int(rng.integers(3, 30))
    labels = rng.permutation(NAMES)[:options].tolist()
    option = np.append(np.arange(options), rng.integers(0, options, options * rows - options))
    sources = [NAMES[i] for i in rng.integers(0, len(NAMES), len(option))] if rng.random() < 0.6 else None
    threat = THREATS[rng.integers(len(THREATS))]
    about = {"sources": sources, "threat": threat, "minimize": bool(rng.random() < 0.3), "lines": None}
    if rng.random() < 0.6:
        trials = rng.integers(1, 10 ** int(rng.integers(1, 8)), len(option))
        good = rng.binomial(trials, rng.uniform(0, 1, options)[option] ** 2)
        wrong = rng.choice(len(option), 2)
        good[wrong] = np.where(rng.random() < 0.5, trials[wrong], good[wrong])
        return audit_labels([labels[o] for o in option], good, trials=trials, **about)
    values = (option + rng.standard_normal(len(option))) * 10.0 ** rng.integers(-6, 7)
    values[rng.choice(len(option), 2)] *= rng.choice([1, 100])
    noise = float(np.std(values)) if rng.random() < 0.3 else None
    return audit_labels([labels[o] for o in option], values, noise_std=noise, **about)


@pytest.mark.parametrize("audits", [150, pytest.param(1500, marks=pytest.mark.slow)])
def test_the_short_form_is_short_and_says_no_more_than_the_answers(audits):
    rng, seen = np.random.default_rng(0), set()
    for _ in range(audits):
        found = any_audit(rng)
        lines = str(found).splitlines()
        assert len(lines) <= MOST_LINES
        assert all(len(line) <= MOST_COLUMNS and line.isprintable() for line in lines)
        assert lines[0].startswith(f"Verdict: {found.verdict.value}. ")
        assert "nan" not in str(found)
        for answer in (found.evidence, found.robustness):
            assert answer.sentence in str(found).replace("\n", " ")
        assert found.next_step in str(found).replace("\n", " ")
        tampered = found.verdict is Verdict.TAMPERED
        assert (found.luck.sentence in str(found).replace("\n", " ")) != tampered
        assert not (tampered and "(95%" in str(found))
        assert found.luck.sentence.startswith("With the suspects, ") == tampered
        assert found.explain().startswith(str(found))
        assert (found.verdict is Verdict.YES) == ("Next: use " in str(found))
        assert found.luck.better or found.verdict in (Verdict.EARLY, Verdict.TAMPERED)
        seen.add(found.verdict)
    assert len(seen) == 4


def test_the_lift_is_that_of_the_rates_and_its_interval_agrees_with_the_verdict():
    rng = np.random.default_rng(1)
    for _ in range(200):
        n = rng.integers(500, 5000, 2)
        s = rng.binomial(n, [0.1, 0.11])
        found = audit_labels(["old", "new"], s, trials=n)
        lift = found.to_dict()["lift"]
        rate = s / n
        assert lift["ratio"] == pytest.approx(rate.max() / rate.min() - 1)
        assert lift["low"] < lift["ratio"] < lift["high"]
        assert (lift["low"] > 0) == found.luck.better


def test_an_uneven_split_is_said():
    even = audit_labels(["a", "b"], [100, 120], trials=[5000, 5050])
    uneven = audit_labels(["a", "b"], [100, 120], trials=[5000, 5500])
    planned = audit_labels(["a", "b"], [100, 120], trials=[5000, 500])
    assert "split" not in str(even)
    assert "An even split went wrong, if it was planned: 5,000 to 5,500 trials." in uneven.evidence.sentence
    assert planned.shares is None


def test_a_lead_that_a_suspect_made_has_no_interval_and_no_chance():
    rng = np.random.default_rng(0)
    values = [v + 0.05 * rng.normal() for v in [0.2, 0.5, 0.8] * 6]
    values[0] = 9
    found = audit_labels(list("abc") * 6, values)
    lines = str(found).splitlines()
    assert lines[0] == "Verdict: no: tampered. a, mean 1.642 (6 measurements), is 108% above c as recorded."
    assert lines[1] == "1 measurement of a looks wrong; without it c leads."
    assert found.to_dict()["luck"]["probability"] is not None


def test_a_cell_that_is_missing_is_no_uneven_split():
    rng, alarms = np.random.default_rng(3), 0
    for _ in range(100):
        options, days = np.indices((2, 14)).reshape(2, -1)
        kept = rng.random(28) < 0.7
        n = rng.poisson(1000, 28)
        about = {"trials": n[kept], "sources": days[kept]}
        alarms += "split" in str(audit_labels(options[kept], rng.binomial(n, 0.05)[kept], **about))
    assert alarms <= 1  # all trials together: about 70
    n[:14] = n[:14] * 5 // 4
    about = {"trials": n[kept], "sources": days[kept]}
    both = kept[:14] & kept[14:]
    seen = f"{n[14:][both].sum():,} to {n[:14][both].sum():,} trials."
    assert seen in audit_labels(options[kept], rng.binomial(n, 0.05)[kept], **about).evidence.sentence


INTERVAL = re.compile(r"\(95%: (-?[\d.e+-]+)%? to (-?[\d.e+-]+)%?\)")


def small_audit(rng):
    """Few counts or values of 2 to 6 options, some of which are better."""
    options, number = int(rng.integers(2, 7)), int(rng.choice([4, 10, 30]))
    better = rng.uniform(0, 1, options) * rng.choice([0, 2, 6])
    minimize = bool(rng.random() < 0.5)
    if rng.random() < 0.5:
        rate = rng.choice([0.02, 0.3, 0.8]) * np.exp(better - better.max())
        n = rng.integers(number, 3 * number, options)
        return audit_labels(range(options), rng.binomial(n, rate), trials=n, minimize=minimize)
    option = np.repeat(np.arange(options), rng.integers(2, 2 + number, options))
    values = better[option] + rng.standard_normal(len(option)) + rng.choice([0, 10])
    return audit_labels(option, values, minimize=minimize)


def test_the_interval_excludes_0_exactly_if_the_lead_is_more_than_chance():
    rng, seen = np.random.default_rng(4), {True: 0, False: 0}
    for _ in range(600):
        found = small_audit(rng)
        if found.chance is None or found.tied:
            continue
        for b in range(len(found.labels)):
            if b != found.winner:
                excluded = found.chance.half_width(b, 0.05) < found.chance.lead[b]
                assert excluded == (found.chance.adjusted[b] <= 0.05)
        printed = INTERVAL.search(found.headline)
        if printed is None:
            assert found.verdict is Verdict.TAMPERED
            continue
        low, high = map(float, printed.groups())
        assert low <= high
        assert (low > 0) == found.luck.better
        seen[found.luck.better] += 1
        if "% below" in found.headline:
            assert high <= 100
        if "points" in found.headline:
            assert low >= -100
            assert high <= 100
    assert min(seen.values()) > 50


def test_the_interval_allows_for_having_chosen_the_best_of_several():
    s, n = [100, 115, 90, 80, 85, 70], 1000
    two = audit_labels("ab", s[:2], trials=[n] * 2).to_dict()["lift"]
    six = audit_labels("abcdef", s, trials=[n] * 6).to_dict()["lift"]
    assert two["ratio"] == six["ratio"]
    assert six["high"] - six["low"] > 1.2 * (two["high"] - two["low"])


def test_a_small_test_says_the_same_in_its_interval_and_its_words():
    found = audit_labels("ab", [0, 5], trials=[10, 10])
    assert found.headline == "b, 50% (5 of 10), is 50 percentage points above a (95%: -2.61 to 100)."
    assert "probability 0.062" in found.luck.sentence
    fewer = audit_labels("ab", [0, 5], trials=[10, 10], minimize=True)
    assert fewer.headline.endswith("is 100% below b (95%: -11.4% to 100%).")


def test_only_a_rate_of_1_is_100_percent():
    assert [percent(rate) for rate in (1, 9999 / 10_000, 0.99951, 1 - 1e-9)] == [
        "100%",
        "99.99%",
        "99.95%",
        "99.9999999%",
    ]
    assert [percent(rate) for rate in (0, 0.0512, 0.998)] == ["0%", "5.12%", "99.8%"]


def test_the_advice_is_enough_data_to_decide_mostly():
    rng = np.random.default_rng(5)
    decided = asked = 0
    while asked < 100:
        n = rng.integers(500, 5000, 2)
        s = rng.binomial(n, [0.1, 0.12])
        found = audit_labels("ab", s, trials=n)
        times = re.search(r"about ([\d.]+) times", found.next_step)
        if times is None:
            continue
        assert float(times[1]) >= 1.5
        assert ("only if so small a difference matters" in found.next_step) == (float(times[1]) > 10)
        more = (n * float(times[1])).astype(int)
        asked += 1
        decided += audit_labels("ab", rng.binomial(more, s / n), trials=more).luck.better
    assert decided >= 70


def test_a_source_that_differs_for_all_is_a_note_and_no_evidence():
    rng = np.random.default_rng(6)
    options, days = np.indices((3, 10)).reshape(2, -1)
    n = rng.poisson(1000, 30)
    s = np.where(days == 4, n, rng.binomial(n, 0.05))
    found = audit_labels(options, s, trials=n, sources=[f"day {d}" for d in days])
    assert "All counts of day 4 are 100%, for every option; elsewhere not." in str(found)
    assert found.to_dict()["notes"] == ["All counts of day 4 are 100%, for every option; elsewhere not."]
    assert found.verdict is not Verdict.TAMPERED
    rare = audit_labels(options, rng.binomial(10, 0.05, 30), trials=[10] * 30, sources=days)
    assert rare.to_dict()["notes"] == []


def test_values_of_0_and_1_beside_trials_are_said_to_be_rates():
    found = uw.audit(["a", "b"], [0, 1], trials=[200, 200])
    assert "b, 100% (200 of 200)" in str(found)
    assert "In Python, values beside trials are rates." in str(found)
    assert "rates" not in str(uw.audit(["a", "b"], [0.0, 0.5], trials=[200, 200]))
    assert "rates" not in str(uw.audit(["a", "b"], [0, 1], trials=[1, 1]))


def test_a_lead_with_suspects_in_it_has_no_interval():
    rng = np.random.default_rng(8)
    values = np.append(rng.normal(12, 1, 20), rng.normal(10, 1, 20))
    values[-1] = -60
    found = audit_labels(["a"] * 20 + ["b"] * 20, values)
    assert found.verdict is Verdict.YES
    assert "above b as recorded." in str(found)
    assert "(95%" not in str(found)
    assert "use a, and look at row 40" in found.next_step


def test_long_labels_stay_apart():
    labels = [f"checkout_redesign_variant_{name}" for name in "AB"]
    found = audit_labels(labels, [100, 140], trials=[1000, 1000])
    assert "use checkout_...ariant_B" in found.next_step
    assert "...ariant_A" in found.headline


def test_a_small_lead_over_large_values_is_said_in_their_units():
    rng = np.random.default_rng(9)
    found = audit_labels(["a"] * 9 + ["b"] * 9, 1e6 + np.append(rng.normal(2, 0.1, 9), rng.normal(1, 0.1, 9)))
    assert found.headline.startswith("a, mean 1000001.99 (9 measurements), is 0.962 above b (")
    assert "%" not in found.headline.split("(95%")[0]


def test_an_uneven_split_is_asked_about_before_the_winner_is_used():
    found = audit_labels(["a", "b"], [400, 600], trials=[5000, 5500])
    assert found.verdict is Verdict.YES
    assert found.next_step.startswith("Next: use b if the uneven split was planned")


def test_lies_of_any_size_are_said():
    rng = np.random.default_rng(10)
    values = np.append(rng.normal(2, 0.1, 9), rng.normal(1, 0.1, 9))
    found = audit_labels(["a"] * 9 + ["b"] * 9, values, threat=Threat(lies=2))
    assert found.verdict is Verdict.WITHIN
    assert found.robustness.sentence.endswith(
        "within the measured range; a lie beyond it may do more: give low and high."
    )


def test_the_lead_within_the_sources_is_called_so():
    labels, sources = ["a", "b"] * 2, ["x", "x", "y", "y"]
    found = audit_labels(labels, [80, 900, 20, 5], trials=[100, 1000, 400, 40], sources=sources)
    assert "is 9.29 percentage points above a within the sources" in found.headline


@pytest.mark.parametrize("setting", [{"tie": 0.1}, {"names": ["x"]}])
def test_settings_of_points_are_refused(setting):
    with pytest.raises(uw.InvalidInput, match="leave it out"):
        uw.audit(["a", "b"] * 4, [1.0, 2.0] * 4, noise_std=0.2, **setting)
