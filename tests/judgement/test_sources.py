"""Sources against literal Gaussian densities, and on made-up workers."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from unswayed import Matern, Threat
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.threat import Records
from unswayed.judgement.allowance import Allowance
from unswayed.judgement.sources import (
    ACCUSED,
    FACTORS,
    LARGEST_FACTOR,
    LEAST_FACTOR,
    NOISIER,
    SourceVerdict,
    _log_density,
    judge,
    weigh_sources,
)

ONE_IN_TWENTY = 0.05  # a source, or a play of an honest one, is wrong with this probability before the data


def game(seed, plays=80, workers=5, points=30):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(points, 2))
    K = Matern(2.5, 0.5)(X, X)
    f = np.linalg.cholesky(K + 1e-9 * np.eye(points)) @ rng.standard_normal(points)
    arms, weights = rng.integers(points, size=plays), rng.uniform(0.5, 2, plays)
    values = f[arms] + 0.1 * rng.standard_normal(plays) / np.sqrt(weights)
    return K, Records(arms, values, weights, np.arange(plays) % workers), rng


def weighed(K, records, threat=None):
    posterior = JointPosterior.of_plays(K, records.arms, records.values, records.weights, 0.01)
    return weigh_sources(posterior, records, K=K, allowance=Allowance.of(threat))


def lie(records, source, values):
    mine = records.sources == source
    changed = records.values.copy()
    changed[mine] = values(changed[mine])
    return records.with_values(changed)


def with_outliers(r, V, arms, span):
    """The density of r where plays become outliers one by one, as long as that makes all of them more probable."""

    def density(rest):
        outliers = (len(r) - len(rest)) * np.log(ONE_IN_TWENTY / span)
        return outliers + (multivariate_normal(cov=V[np.ix_(rest, rest)]).logpdf(r[rest]) if rest else 0.0)

    def left(rest, arm):
        return sum(arms[i] == arm for i in rest)

    rest = list(range(len(r)))
    while True:
        may = [j for j in rest if (n := left(range(len(r)), arms[j])) - left(rest, arms[j]) < max(n // 2, 1)]
        fewer = max(([i for i in rest if i != j] for j in may), key=density, default=rest)
        if density(fewer) <= density(rest):
            break
        rest = fewer
    return density(rest)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("points", "off"), [(30, 0.3), (2, 2.0)])
def test_a_source_is_judged_by_the_densities_of_its_plays_given_the_others(seed, points, off):
    K, records, rng = game(seed, plays=40, points=points)
    records = lie(records, 1, lambda values: values + rng.normal(0.4, off, len(values)))
    mine = records.sources == 1
    posterior = JointPosterior.of_plays(K, records.arms, records.values, records.weights, 0.01)
    span = 3.0
    found = judge(posterior, records, mine, span)
    A = K[np.ix_(records.arms, records.arms)] + np.diag(0.01 / records.weights)
    gain = A[np.ix_(mine, ~mine)] @ np.linalg.inv(A[np.ix_(~mine, ~mine)])
    r = records.values[mine] - gain @ records.values[~mine]
    V = A[np.ix_(mine, mine)] - gain @ A[np.ix_(~mine, mine)]
    honest, offset = (with_outliers(r, v, records.arms[mine], span) for v in (V, V + (span / 2) ** 2))
    off = offset + np.log(ONE_IN_TWENTY)
    top = max(LARGEST_FACTOR, span / 2 / np.sqrt(np.median(0.01 / records.weights[mine])))
    factors, more = np.geomspace(LEAST_FACTOR, top, FACTORS), np.diag(0.01 / records.weights[mine])

    def noisier(also):
        each = [multivariate_normal(cov=V + also + (c**2 - 1) * more).logpdf(r) for c in factors]
        return logsumexp(each) - np.log(FACTORS) + np.log(NOISIER), factors[np.argmax(each)]

    (only, factor), (both, _) = noisier(0.0), noisier((span / 2) ** 2)
    same = (span / 2) ** 2 * np.equal.outer(records.arms[mine], records.arms[mine])
    lying = multivariate_normal(cov=V + same).logpdf(r)
    n, own = len(r), np.ptp(records.values[mine])
    best, accused = max(off, -n * np.log(max(span, own)) + np.log(ONE_IN_TWENTY)), False
    if lying <= max(only - np.log(ONE_IN_TWENTY), both):  # it does not say the same each time
        noisiest = max(only, both + np.log(ONE_IN_TWENTY))
        best, any_range = max(best, noisiest), -n * np.log(max(own, span / 4)) - np.log(n * (n + 1))
        anything = (max(any_range, -n * np.log(1.25 * span)) if own <= 1.25 * span else any_range) - np.log(20)
        accused = best > off and anything > noisiest + ACCUSED
        best = max(best, anything) if accused else best
        if best > off and not accused:
            assert found.factor == pytest.approx(factor) if noisiest == only else found.factor > 1
    assert found.anything or not accused
    assert found.gain == pytest.approx(best - honest, rel=1e-6)
    assert found.change == pytest.approx(np.abs(r).sum(), rel=1e-6)


@pytest.mark.parametrize("times", [3, 5, 7])
def test_measurements_of_an_honest_source_that_is_noisier_count_less(times):
    factors, blamed, others = [], 0, 0
    for seed in range(40):
        K, records, rng = game(seed, plays=80)
        more = 0.1 * np.sqrt(times**2 - 1) * rng.standard_normal(80) / np.sqrt(records.weights)
        noisy = records.with_values(records.values + more * (records.sources == 2))
        found = weighed(K, noisy)
        blamed += bool(found.aside) or bool(found.offsets.any())
        others += bool((np.delete(found.factors, 2) > 1).any())
        told = found.believed(noisy)
        np.testing.assert_allclose(told.weights, records.weights / found.factors[records.sources] ** 2)
        factors.append(found.factors[2])
    assert blamed <= 2
    assert others <= 4
    assert times / 1.5 < np.median(factors) < 1.5 * times


def test_more_noise_of_most_sources_is_no_fault_of_theirs():
    """The noise is larger than supposed: nobody is noisier than the others, but the one that has still more."""
    for seed in range(10):
        K, records, rng = game(seed, plays=150)
        scatter = np.where(records.sources == 1, 1.5, 0.4) * rng.standard_normal(150)
        found = weighed(K, records.with_values(records.values + scatter))
        assert not found.aside
        np.testing.assert_array_equal(np.delete(found.factors, 1), 1.0)
        assert found.factors[1] > 2


def test_honest_sources_are_believed():
    wrong = 0
    for seed in range(40):
        K, records, _ = game(seed)
        found = weighed(K, records)
        wrong += bool(found.aside) or bool(found.offsets.any())
    assert wrong <= 3


def test_random_numbers_are_set_aside_or_count_for_little_and_constants_are_taken_off():
    aside = little = offset = 0
    for seed in range(40):
        K, records, rng = game(seed)
        low, high = records.values.min(), records.values.max()
        forged = rng.uniform(low, high, 16)
        random = weighed(K, lie(records, 2, lambda values, forged=forged: forged))
        aside += random.aside == (2,)
        little += not random.aside and random.factors[2] > 3
        shifted = weighed(K, lie(records, 2, lambda values: values + 1.0))
        others = np.delete(shifted.offsets, 2, axis=0)
        offset += not shifted.aside and abs(shifted.offsets[2, 0] - 1.0) < 0.3 and not others.any()
    assert aside >= 28
    assert aside + little >= 38
    assert offset >= 36


def test_a_drift_is_taken_off():
    found = 0
    for seed in range(40):
        K, records, _ = game(seed)
        when = np.linspace(-1, 1, 80)
        drifting = np.where(records.sources == 2, records.values + 0.75 * (1 + when), records.values)
        timed = Records(records.arms, drifting, records.weights, records.sources, when=when)
        a, b = weighed(K, timed).offsets[2]
        found += abs(a - 0.75) < 0.25 and abs(b - 0.75) < 0.35
        np.testing.assert_allclose(weighed(K, timed).believed(timed).values[2], drifting[2] - a - b * when[2])
        untimed = weighed(K, Records(records.arms, drifting, records.weights, records.sources))
        assert not untimed.offsets[:, 1].any()  # without times there is no drift
    assert found >= 34


@pytest.mark.parametrize(("plays", "judged"), [(2, False), (3, True), (5, True)])
def test_a_source_is_judged_from_three_plays_on(plays, judged):
    K, records, _ = game(4)
    sources = np.where(records.sources == 2, 0, records.sources)
    sources[:plays] = 2
    found = weighed(K, lie(replace(records, sources=sources), 2, lambda values: values + 5.0))
    assert bool(found.aside or found.offsets[2].any()) == judged
    assert not np.delete(found.offsets, 2, axis=0).any()


def test_the_cost_of_a_source_is_its_probability_and_that_of_its_plays():
    """A play that could be anything costs its density, measured against that of N(0, 1) without its constant."""
    K, records, rng = game(1)
    shifted = weighed(K, lie(records, 2, lambda values: values + 1.0))
    assert (shifted.aside, shifted.cost) == ((), pytest.approx(-np.log(ONE_IN_TWENTY)))
    lying = lie(records, 2, lambda values: rng.uniform(-3, 3, len(values)))
    found, span = weighed(K, lying), np.ptp(np.quantile(lying.values, (0.02, 0.98)))
    assert found.aside == (2,)
    assert found.cost == pytest.approx(16 * np.log(span * np.sqrt(2 * np.pi)) - np.log(ONE_IN_TWENTY))
    assert weighed(K, records).cost == 0.0


def test_single_lies_do_not_discredit_their_source():
    wrong = 0
    for seed in range(40):
        K, records, rng = game(seed)
        changed = records.values + np.where(rng.uniform(size=80) < 0.05, rng.normal(0, 3, 80), 0.0)
        changed[np.flatnonzero(records.sources == 3)[4]] += 30
        found = weighed(K, records.with_values(changed))
        wrong += bool(found.aside) or bool(found.offsets.any())
    assert wrong <= 3


def test_a_threat_limits_what_is_set_aside():
    K, records, rng = game(1)
    lying = lie(records, 2, lambda values: rng.uniform(-3, 3, len(values)))
    assert weighed(K, lying).aside == (2,)
    assert weighed(K, lying, Threat(liars=1)).aside == (2,)
    assert weighed(K, lying, Threat()).aside == ()
    assert weighed(K, lying, Threat(1.0)).aside == ()
    assert weighed(K, lying, Threat(1.0, liars=1)).allowance == Allowance(1.0, 0, 0)


@pytest.mark.parametrize(("share", "aside"), [(0.4, (0,)), (0.6, ())])
def test_the_others_must_be_more_than_half(share, aside):
    K, records, rng = game(1)
    sources = np.where(np.arange(80) < share * 80, 0, 1 + records.sources)
    lying = lie(replace(records, sources=sources), 0, lambda values: rng.uniform(-30, 30, len(values)))
    assert (0 in weighed(K, lying).aside) == bool(aside)


def test_there_is_an_offset_for_each_source_and_one_for_those_without_a_name():
    K, records, _ = game(0)
    assert weighed(K, records).offsets.shape == (6, 2)
    posterior = JointPosterior.of_plays(K, records.arms, records.values, records.weights, 0.01)
    for named, rows in ((3, 6), (8, 9)):
        found = weigh_sources(posterior, records, K=K, allowance=Allowance.of(None), named=named)
        assert found.offsets.shape == (rows, 2)


def test_only_a_source_that_is_probably_off_is_a_suspect_before_others():
    doubtful, honest = SourceVerdict(0.5, 1.0, 0.0), SourceVerdict(-0.5, 100.0, 0.0)
    assert doubtful.order(0) > honest.order(0)
    assert SourceVerdict(0.1, 2.0, 0.0).order(0) > doubtful.order(0)


def test_of_two_sources_that_contradict_each_other_the_witness_is_believed():
    K, records, _ = game(0)
    records = Records(records.arms, records.values, records.weights, records.sources % 2)
    off = records.with_values(records.values + 3.0 * (records.sources == 0))
    for witness in (0, 1):
        trust = np.where(off.sources == witness, 1, 0)
        plays = Records(off.arms, off.values, off.weights, off.sources, trust=trust)
        found = weighed(K, plays)
        assert not found.offsets[witness].any()
        assert found.offsets[1 - witness].any()


def test_without_sources_nothing_is_judged():
    K, records, _ = game(0)
    alone = Records(records.arms, records.values, records.weights)
    found = weighed(K, alone)
    assert found.kept.all()
    np.testing.assert_array_equal(found.believed(alone).values, alone.values)


def test_plays_without_a_name_are_judged_together():
    K, records, rng = game(3)
    lying = lie(records, 4, lambda values: rng.uniform(-2, 2, len(values)))
    sources = np.where(lying.sources == 4, -1, lying.sources)
    found = weighed(K, Records(lying.arms, lying.values, lying.weights, sources))
    assert found.aside == (-1,)
    assert not found.offsets.any()


def test_a_range_that_is_huge_beside_the_noise_gives_a_number():
    """What is left of a precision is a difference of numbers that agree to all digits: it came out negative."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        n = int(rng.integers(3, 12))
        arms = rng.integers(0, 4, n)
        V = np.eye(4)[arms][:, arms] + 1e-6 * np.eye(n) + 1e8
        r = rng.normal(0, 1, n) + 1e3 * (np.arange(n) == 0)
        P, log_det = np.linalg.inv(V)[None], np.linalg.slogdet(V)[1:]
        density, _, plain = _log_density(r, P, 1 / V.diagonal()[None], np.array(log_det), arms, 1e3)
        assert np.isfinite([density, plain]).all()
        assert density >= plain


@pytest.mark.parametrize("seed", range(5))
def test_a_liar_that_poses_as_noisy_moves_estimates_less_than_is_counted(seed):
    """Less weight leaves its values less effect; what they can do then is exactly what a threat of one liar counts."""
    K, records, rng = game(seed)
    noisy = lie(records, 2, lambda values: values + 0.6 * rng.standard_normal(len(values)))
    found = weighed(K, noisy)
    assert found.factors[2] > 2
    told, threat = found.believed(noisy), Threat(liars=1, low=-4, high=4)
    reach = threat.reach(told.effects(*found.posterior.effect()), told)

    def most(records, posterior):
        effects = records.effects(*posterior.effect())
        return records.by_source(records.gains(effects, -4, 4))[:, 2]

    assert (most(told, found.posterior) < most(noisy, of(K, noisy))).all()
    effect = told.effects(*found.posterior.effect())
    mine = told.sources == 2
    for arm in (0, 7):
        forged = told.with_values(np.where(mine, np.where(effect[arm] > 0, 4.0, -4.0), told.values))
        moved = of(K, forged).mean[arm] - found.posterior.mean[arm]
        assert moved == pytest.approx(most(told, found.posterior)[arm], rel=1e-6)
        assert moved <= reach[arm] + 1e-9


def of(K, records):
    return JointPosterior.of_plays(K, records.arms, records.values, records.weights, 0.01)
