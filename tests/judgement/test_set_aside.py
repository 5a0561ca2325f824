"""The one decision which measurements to keep: faults, sources, single lies, and when to set none aside."""

from dataclasses import replace

import numpy as np
import pytest

from unswayed import Matern, Threat
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.threat import Records
from unswayed.judgement.allowance import Allowance
from unswayed.judgement.set_aside import Kept, _off, extended, faults, set_aside, usable

LAM = 0.01
FAULT = 1e4  # deviations of the prior


def game(seed=0, plays=60, points=20):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(points, 2))
    K = Matern(2.5, 0.5)(X, X)
    f = np.linalg.cholesky(K + 1e-9 * np.eye(points)) @ rng.standard_normal(points)
    arms = rng.integers(points, size=plays)
    values = f[arms] + 0.1 * rng.standard_normal(plays)
    return K, Records(arms, values, np.ones(plays), np.arange(plays) % 4, when=np.linspace(-1, 1, plays))


def changed(records, plays, by):
    values = records.values.copy()
    values[plays] += by
    return records.with_values(values)


def decided(K, records, threat, threshold=4.0, **more):
    return set_aside(records, K, LAM, threshold=threshold, allowance=Allowance.of(threat), **more)


def test_the_posterior_is_that_of_what_is_kept_without_offsets():
    K, records = game()
    records = changed(changed(records, records.sources == 2, 1.0), [4, 9], 3.0)
    found = decided(K, records, Threat(lies=5))
    assert not found.mask[[4, 9]].any()
    assert found.offsets[2, 0] == pytest.approx(1.0, abs=0.3)
    told = records.values - found.offsets[records.sources] @ [1, 0] - found.offsets[records.sources, 1] * records.when
    kept = found.mask
    expected = JointPosterior.of_plays(K, records.arms[kept], told[kept], np.ones(kept.sum()), LAM)
    np.testing.assert_allclose(found.posterior.mean, expected.mean, atol=1e-6)
    assert found.lies == (~kept).sum()
    np.testing.assert_allclose(found.corrected, told)
    np.testing.assert_allclose(found.told.values, told[kept])
    for arm in range(20):
        mine = kept & (records.arms == arm)
        assert found.means[arm] == pytest.approx(told[mine].mean() if mine.any() else 0.0)
    assert found.plays == 60


def test_the_surprise_of_more_plays_is_how_far_they_are_off_their_prediction():
    """The deviation of a prediction is that of the value and of the noise of the mean."""
    K, records = game()
    found = decided(K, records, Threat())
    posterior = found.posterior
    for arm, n in ((0, 1.0), (3, 16.0)):
        deviation = np.sqrt(posterior.covariance[arm, arm] + LAM / n)
        assert found.surprise(arm, n, posterior.mean[arm] - 2.5 * deviation) == pytest.approx(2.5)


def test_measurements_are_added_one_after_the_other_to_nothing():
    """All are kept for now; several plays of an arm count as their mean."""
    K, records = game(plays=12)
    found = Kept.nothing(K, LAM)
    assert (found.plays, found.mask.tolist(), found.aside, found.lies) == (0, [], (), 0)
    np.testing.assert_allclose(found.posterior.covariance, K)
    for arm, value in zip(records.arms, records.values, strict=True):
        found = found.then(arm, 3.0, value)
    expected = JointPosterior.of_plays(K, records.arms, records.values, np.full(12, 3.0), LAM)
    np.testing.assert_allclose(found.posterior.mean, expected.mean, atol=1e-8)
    np.testing.assert_array_equal(found.told.values, records.values)
    assert found.plays == 36
    assert found.mask.all()


def test_a_fault_is_set_aside_whatever_the_threat_and_the_threshold():
    K, records = game()
    for threshold in (4.0, np.inf):
        for size in (0.9, 1.1):
            found = decided(K, changed(records, 7, size * FAULT), Threat(), threshold)
            assert found.mask[7] == (size < 1 and threshold == np.inf)  # a smaller one is found by trimming
    assert faults(np.array([0.0, 1.0, -1.0, 3 * FAULT]), 2.0).tolist() == [False, False, False, True]
    assert not faults(np.array([0.0, 1.0, -1.0, 3 * FAULT]), 4.0).any()
    assert faults(5 * FAULT + np.array([0.0, 1.0, -1.0, -5 * FAULT])).tolist() == [False, False, False, True]


def test_of_two_halves_that_are_far_from_each_other_that_of_the_larger_values_is_broken():
    """The median lies between them, far from both."""
    assert faults(np.array([0.0, 3 * FAULT, 1.0, 3 * FAULT])).tolist() == [False, True, False, True]
    assert not faults(np.array([0.0, FAULT])).any()
    assert not faults(FAULT * np.array([0.6, 0.6, 0.7, -0.3])).any()  # near the median, which is far from 0
    assert faults(np.zeros(0)).shape == (0,)


def test_a_measurement_whose_noise_is_beyond_all_values_says_nothing_and_is_no_lie():
    """Ten thousand deviations of the prior; but no more than that many times the noise of the most precise one."""
    values, noise = np.array([0.0, 1.0, 2.0, 0.5]), np.array([0.01, 1.0, 0.99 * FAULT**2, 1.01 * FAULT**2])
    assert usable(values, 1 / noise, 1.0).tolist() == [True, True, True, False]
    noise = np.array([2.0, 3.0, 1.99 * FAULT**2, 2.01 * FAULT**2])
    assert usable(values, 1 / noise, 1.0).tolist() == [True, True, True, False]
    assert usable(values, np.full(4, 1e-12), 1.0).all()  # there is nothing better
    broken = np.array([5 * FAULT, 1.0, 2.0, 0.5])
    assert usable(broken, np.array([1.0, 1e-12, 1e-12, 1e-12]), 1.0).tolist() == [False, True, True, True]
    K, records = game()
    weights = records.weights.copy()
    weights[7] = LAM / (2 * FAULT**2)
    found = decided(K, replace(records, weights=weights), Threat(lies=3))
    assert np.flatnonzero(~found.mask).tolist() == [7]
    assert found.lies == 0


@pytest.mark.parametrize(("lies", "kept_all"), [(25, False), (35, True)])
def test_a_model_that_explains_fewer_than_half_sets_none_aside(lies, kept_all):
    """The values are as rough as the model allows; the lies are far from them and from each other."""
    K, records = game(plays=60, points=60)
    records = Records(np.arange(60), records.values, np.ones(60))
    by = np.zeros(60)
    by[:lies] = 5.0 * np.random.default_rng(1).choice([-1, 1], lies) * np.arange(3, 3 + lies)
    values = np.where(by != 0, by, 0.01 * records.values)
    assert decided(K, records.with_values(values), Threat(lies=60)).mask.all() == kept_all


def test_a_source_and_its_plays_are_set_aside_together():
    K, records = game()
    forged = np.random.default_rng(6).uniform(-1.5, 1.5, 15)
    values = records.values.copy()
    values[records.sources == 1] = forged
    found = decided(K, records.with_values(values), Threat(liars=1))
    assert found.aside == (1,)
    assert not found.mask[records.sources == 1].any()
    assert not found.alone[records.sources == 1].any()


# -- many points: some judge the others --------------------------------------------------------------------------------


def halves(K, records, threat, threshold=4.0):
    """The even plays judge the odd ones."""
    even = np.arange(0, len(records.values), 2)
    judges = decided(K, records.only(even), threat, threshold)
    said = judges.posterior.mean, judges.posterior.deviation
    allowance = Allowance.of(threat)
    return judges, extended(judges, even, records, K, said, threshold=threshold, allowance=allowance)


def test_the_judges_decide_as_all_together_would():
    K, records = game()
    records = changed(records, [3, 8, 21], 4.0)
    judges, found = halves(K, records, Threat(lies=3))
    np.testing.assert_array_equal(found.mask, decided(K, records, Threat(lies=3)).mask)
    np.testing.assert_array_equal(found.mask[::2], judges.mask)
    kept = found.mask
    expected = JointPosterior.of_plays(K, records.arms[kept], records.values[kept], np.ones(kept.sum()), LAM)
    np.testing.assert_allclose(found.posterior.mean, expected.mean, atol=1e-6)


def test_what_a_source_reads_too_high_is_taken_off_before_its_plays_are_judged():
    K, records = game()
    records = replace(records, sources=np.arange(60) % 3)
    judges, found = halves(K, changed(records, records.sources == 2, 2.0), Threat())
    assert judges.offsets[2, 0] == pytest.approx(2.0, abs=0.3)
    assert found.mask.all()
    np.testing.assert_allclose(found.posterior.mean, decided(K, records, Threat()).posterior.mean, atol=0.2)


@pytest.mark.parametrize(("off", "aside"), [(1.0, False), (8.0, False), (1e3, True)])
def test_only_a_fault_is_free_among_those_that_are_judged(off, aside):
    """No tampering is feared. Eight is far beyond the threshold, but within ten ranges of the other values."""
    K, records = game()
    records = changed(records, 3, off)
    assert halves(K, records, Threat())[1].mask[3] != aside
    assert decided(K, records, Threat()).mask[3] != aside


def test_a_fault_is_beyond_ten_thresholds():
    """With a threshold of 1,000 deviations, nothing that is off by less than 10,000 is one."""
    K, records = game()
    records = changed(records, 3, 800.0)  # about 8,000 deviations
    assert halves(K, records, Threat(), threshold=1000.0)[1].mask[3]
    assert not halves(K, records, Threat(), threshold=700.0)[1].mask[3]
    assert decided(K, records, Threat(), 1000.0).mask[3]


def test_accidents_among_those_that_are_judged_are_few_and_not_confirmed():
    K, records = game()
    few, many = changed(records, [3, 9], [4.0, 5.0]), changed(records, np.arange(1, 60, 2), np.linspace(4, 9, 30))
    assert np.flatnonzero(~halves(K, few, None)[1].mask).tolist() == [3, 9]
    assert halves(K, many, None)[1].mask.all()


@pytest.mark.parametrize(("weight", "kept"), [(1.0, False), (1 / 16, True)])
def test_two_plays_of_a_point_confirm_each_other_if_their_noise_explains_the_difference(weight, kept):
    K, records = game()
    arms = np.bincount(records.arms[1::2])
    two = (2 * np.flatnonzero(records.arms[1::2] == np.argmax(arms)) + 1)[:2]
    values = records.with_values(np.where(np.isin(np.arange(60), two), 0.0, records.values))
    doubted = changed(replace(values, weights=np.full(60, weight)), two, [-6.0, -7.0])
    assert halves(K, doubted, None)[1].mask[two].tolist() == [kept, kept]


def test_those_that_are_judged_go_with_their_source_and_are_charged_to_the_threat():
    """The threat allows one lying source, which the judges find, and one lie beside it."""
    K, records = game()
    records = replace(records, sources=np.arange(60) % 3)
    forged = records.with_values(
        np.where(records.sources == 1, np.random.default_rng(5).uniform(-3, 3, 60), records.values)
    )
    judges, found = halves(K, changed(forged, [3], 4.0), Threat(lies=1, liars=1))
    assert judges.aside == found.aside == (1,)
    np.testing.assert_array_equal(found.mask, (records.sources != 1) & (np.arange(60) != 3))
    assert found.lies == 1
    _, found = halves(K, changed(forged, [3], 4.0), Threat(liars=1))
    np.testing.assert_array_equal(found.mask, records.sources != 1)


@pytest.mark.parametrize(("more", "kept"), [(-1.0, True), (2.0, True), (6.0, False)])
def test_a_source_is_charged_for_the_changes_of_all_its_plays(more, kept):
    """What is left of the total suffices for a lie of 4, or not; or nothing is left."""
    K, records = game()
    records = replace(records, sources=np.arange(60) % 3)
    forged = np.where(records.sources == 1, np.random.default_rng(5).uniform(-3, 3, 60), records.values)
    records = changed(records.with_values(forged), [3], 4.0)
    judges, _ = halves(K, records, Threat(1e3))
    off, _ = _off(records, judges.posterior.mean, judges.posterior.deviation, LAM)
    _, found = halves(K, records, Threat(float(off[records.sources == 1].sum()) + more))
    assert found.aside == (1,)
    assert found.mask[3] == kept


def test_without_sources_all_that_the_judges_explain_is_kept():
    K, records = game()
    _, found = halves(K, changed(replace(records, sources=None), [3], 4.0), Threat(lies=1))
    assert np.flatnonzero(~found.mask).tolist() == [3]


def test_one_that_is_judged_is_predicted_from_the_judges_and_the_others_at_its_point():
    """Literally: normal densities of f at the point are multiplied, that of the judges and one for each other play."""
    rng = np.random.default_rng(0)
    arms, w, y = rng.integers(4, size=12), rng.uniform(0.5, 2, 12), rng.normal(size=12)
    mean, deviation = rng.normal(size=4), rng.uniform(0.1, 1, 4)
    off, z = _off(Records(arms, y, w), mean, deviation, LAM)
    for j in range(12):
        others = (arms == arms[j]) & (np.arange(12) != j)
        precisions = np.append(w[others] / LAM, deviation[arms[j]] ** -2)
        m = np.average(np.append(y[others], mean[arms[j]]), weights=precisions)
        assert off[j] == pytest.approx(abs(y[j] - m))
        assert z[j] == pytest.approx(abs(y[j] - m) / np.sqrt(1 / precisions.sum() + LAM / w[j]))
