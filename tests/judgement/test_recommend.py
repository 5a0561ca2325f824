"""What is recommended: the guaranteed value against every set of lies, and decisions on data whose truth is known."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from unswayed import Box, Optimizer, Options, Real, SquaredExponential, Threat, Why
from unswayed.core.gp.kernels import gram
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.threat import Records
from unswayed.judgement.assumptions import Given
from unswayed.judgement.prior import prior
from unswayed.judgement.recommend import Choice, Worth, cautious, choose, supposed
from unswayed.judgement.span import Span

KERNEL = SquaredExponential(0.8)
ROWS = np.arange(4.0)[:, None]
LOW, HIGH = -1.0, 2.0
UNIT = 1.7


def drawn(seed):
    """Seven measurements of three of four points by three sources, and a model of them in units of 1.7."""
    rng = np.random.default_rng(seed)
    arms, plays = np.append(np.arange(3), rng.integers(0, 3, 4)), 7
    values = np.clip(arms / 3 + 0.6 * rng.standard_normal(plays), LOW, HIGH)
    given = Given(kernel=KERNEL, noise_std=0.4, output_scale=UNIT, level=0.3)
    model = prior(given, values, kernel=KERNEL, output_scale=UNIT, noise_std=0.4)
    records = Records(arms, model.standardized(values), np.ones(plays), np.append(np.arange(3), rng.integers(0, 3, 4)))
    posterior = JointPosterior.of_plays(gram(KERNEL, ROWS), arms, records.values, records.weights, model.lam)
    return values, model, records, posterior


def least_by_trying(values, model, records, sets):
    """The least estimate of each point if the measurements of one of these sets have any other values: dense."""
    K, x = KERNEL(ROWS, ROWS), records.arms
    M = K[:, x] @ np.linalg.inv(K[np.ix_(x, x)] + model.lam * np.eye(len(x)))
    least = np.full(len(ROWS), np.inf)
    for some in sets:
        for ends in product((LOW, HIGH), repeat=len(some)):
            y = values.copy()
            y[list(some)] = ends  # a linear function is least at a corner
            least = np.minimum(least, 0.3 + M @ (y - 0.3))
    return np.clip(least, LOW, HIGH)


@pytest.mark.parametrize("seed", range(200))
def test_the_guaranteed_value_is_the_least_over_all_sets_of_lies(seed):
    values, model, records, posterior = drawn(seed)
    span = Span(LOW, HIGH, low_given=False, high_given=False)
    by_source = [tuple(np.flatnonzero(records.sources == s)) for s in range(3)]
    cases = {
        Threat(lies=1, low=LOW, high=HIGH): combinations(range(7), 1),
        Threat(lies=2, low=LOW, high=HIGH): combinations(range(7), 2),
        Threat(liars=1, low=LOW, high=HIGH): by_source,
        Threat(liars=2, low=LOW, high=HIGH): [a + b for a, b in combinations(by_source, 2)],
    }
    for threat, sets in cases.items():
        worth = Worth.of(model, posterior, records, threat, span)
        assert worth.guaranteed == pytest.approx(least_by_trying(values, model, records, [(), *sets]), abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_with_a_total_the_worst_change_is_all_of_it_on_one_measurement(seed):
    values, model, records, posterior = drawn(seed)
    span = Span(-9.0, 9.0, low_given=True, high_given=True)
    found = Worth.of(model, posterior, records, Threat(total=0.5), span).guaranteed
    K, x = KERNEL(ROWS, ROWS), records.arms
    M = K[:, x] @ np.linalg.inv(K[np.ix_(x, x)] + model.lam * np.eye(7))
    changes = [sign * 0.5 * np.eye(7)[j] for j in range(7) for sign in (1, -1)]
    assert found == pytest.approx(np.min([0.3 + M @ (values + c - 0.3) for c in changes], axis=0), abs=1e-9)


def lower_without(values, model, records, gone):
    """Two deviations below the estimate of each point from the other measurements: dense, in units of the values."""
    left = np.setdiff1d(np.arange(len(values)), gone)
    x, K = records.arms[left], KERNEL(ROWS, ROWS)
    A = np.linalg.solve(K[np.ix_(x, x)] + model.lam * np.eye(len(x)), K[x])
    return 0.3 + A.T @ (values[left] - 0.3), UNIT * np.sqrt(np.diag(K - K[:, x] @ A))


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize(
    "threat",
    [{"lies": 1}, {"lies": 2}, {"lies": 4}, {"liars": 1}, {"liars": 2}, {"total": 0.4}, {"lies": 1, "liars": 1}],
    ids=str,
)
def test_what_is_supported_is_what_the_other_measurements_say(seed, threat):
    values, model, records, posterior = drawn(seed)
    span = Span(LOW, HIGH, low_given=False, high_given=False)
    K, x = KERNEL(ROWS, ROWS), records.arms
    z = K[:, x] @ np.linalg.inv(K[np.ix_(x, x)] + model.lam * np.eye(7))
    h = np.where(z > 0, z * (values - LOW), -z * (HIGH - values))  # what a false value can have added
    mean, deviation = lower_without(values, model, records, [])
    expected = np.zeros(4)
    for arm in range(4):

        def fall(gone, arm=arm):
            less, more = lower_without(values, model, records, list(gone))
            return mean[arm] - less[arm] + 2 * (more[arm] - deviation[arm])

        expected[arm] = mean[arm] - 2 * deviation[arm]
        groups = {
            "lies": [{j} for j in range(7)],
            "liars": [set(np.flatnonzero(records.sources == s)) for s in range(3)],
        }
        for kind, number in threat.items():
            if kind == "total":
                expected[arm] -= min(max(*(fall({j}) for j in range(7)), 0), 0.4 * np.abs(z[arm]).max())
                continue
            gone = set()
            for _ in range(number):  # one after the other: each time that without which least is left
                best = max((gone | group for group in groups[kind]), key=fall)
                gone = best if fall(best) > (fall(gone) if gone else 0) else gone
            most = max(sum(h[arm, list(one)].sum() for one in some) for some in combinations(groups[kind], number))
            expected[arm] -= min(fall(gone) if gone else 0, most)
    found = Worth.of(model, posterior, records, Threat(**threat, low=LOW, high=HIGH), span)
    assert found.supported == pytest.approx(expected, abs=1e-8)


def test_gains_are_what_is_lost_without_one_measurement():
    values, model, records, posterior = drawn(3)
    span = Span(LOW, HIGH, low_given=False, high_given=False)
    found = Worth.of(model, posterior, records, Threat(lies=1, low=LOW, high=HIGH), span)
    mean, _ = lower_without(values, model, records, [])
    lost = [mean - lower_without(values, model, records, [j])[0] for j in range(7)]
    assert found.gains == pytest.approx(np.transpose(lost), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_an_estimate_is_in_doubt_by_what_one_measurement_changes_or_by_what_the_others_do_not_predict(seed):
    """Where one is off by more than all others, it is the first; where none is, the noise of a typical one."""
    values, model, records, posterior = drawn(seed)
    span = Span(LOW, HIGH, low_given=False, high_given=False)
    found = Worth.of(model, posterior, records, Threat(lies=1, low=LOW, high=HIGH), span)
    K, x = KERNEL(ROWS, ROWS), records.arms
    z = K[:, x] @ np.linalg.inv(K[np.ix_(x, x)] + model.lam * np.eye(7))
    mean, _ = lower_without(values, model, records, [])
    others = [lower_without(values, model, records, [j])[0] for j in range(7)]
    unpredicted = [abs(values[j] - others[j][x[j]]) for j in range(7)]
    noise = np.median(unpredicted) / 0.6745 * np.linalg.norm(z, axis=1)
    changed = np.abs(mean - np.array(others)).max(axis=0)
    assert found.doubt == pytest.approx(np.maximum(noise, changed), rel=1e-4)


def test_a_liar_may_have_made_what_nobody_signed_too():
    """Without the source that is left out, nothing is left of unnamed measurements either; without any name, all."""
    values, model, records, posterior = drawn(2)
    span, threat = Span(LOW, HIGH, low_given=False, high_given=False), Threat(liars=1, low=LOW, high=HIGH)
    unnamed = replace(records, sources=np.array([0, 0, 1, -1, 1, 0, -1]))
    found = Worth.of(model, posterior, unnamed, threat, span).supported
    mean, deviation = lower_without(values, model, records, [])
    K, x = KERNEL(ROWS, ROWS), records.arms
    z = K[:, x] @ np.linalg.inv(K[np.ix_(x, x)] + model.lam * np.eye(7))
    h = np.where(z > 0, z * (values - LOW), -z * (HIGH - values))
    for arm in range(4):
        falls, most = [0.0], []
        for source in (0, 1):
            gone = np.flatnonzero((unnamed.sources == source) | (unnamed.sources < 0))
            less, more = lower_without(values, model, records, gone)
            falls.append(mean[arm] - less[arm] + 2 * (more[arm] - deviation[arm]))
            most.append(h[arm, gone].sum())
        expected = mean[arm] - 2 * deviation[arm] - min(max(falls), max(most))
        assert found[arm] == pytest.approx(expected, abs=1e-8)
    nameless = Worth.of(model, posterior, replace(records, sources=None), threat, span).supported
    assert nameless == pytest.approx(mean - 2 * deviation - h.sum(axis=1), abs=1e-8)  # all that v takes off


def test_what_is_doubted_is_left_out_together():
    values, model, records, posterior = drawn(4)
    span = Span(LOW, HIGH, low_given=False, high_given=False)
    trust = np.array([0, 1, 0, 2, 1, 0, 2])
    mean, deviation = lower_without(values, model, records, [])
    K, x = KERNEL(ROWS, ROWS), records.arms
    z = K[:, x] @ np.linalg.inv(K[np.ix_(x, x)] + model.lam * np.eye(7))
    h = np.where(z > 0, z * (values - LOW), -z * (HIGH - values))
    for doubt, rank in (("self-reported", 0), ("witnessed", 1)):
        threat = Threat(doubt=doubt, low=LOW, high=HIGH)
        found = Worth.of(model, posterior, replace(records, trust=trust), threat, span).supported
        gone = np.flatnonzero(trust <= rank)
        less, more = lower_without(values, model, records, gone)
        fall = np.minimum(mean - less + 2 * (more - deviation), h[:, gone].sum(axis=1))
        assert found == pytest.approx(mean - 2 * deviation - fall, abs=1e-8)
        believed = Worth.of(model, posterior, replace(records, trust=np.full(7, 2)), threat, span).supported
        assert believed == pytest.approx(mean - 2 * deviation)  # nothing is doubted


def believed(mean, supported, measured=True, plays=30, carried=0):
    """What arms are worth that are known exactly; measurement `carried` carries all of them."""
    mean = np.array(mean, dtype=np.float64)
    gains = np.zeros((len(mean), plays))
    gains[:, carried] = 1.0
    measured = np.broadcast_to(measured, mean.shape)
    return Worth(mean, np.zeros(len(mean)), mean, np.array(supported), measured, gains, np.zeros(len(mean)))


ONE_LIE = Threat(lies=1, low=0, high=2)


def test_of_the_arms_that_are_supported_the_best_is_recommended_and_another_may_challenge_it():
    """Supported are those within 5% of the range, here 0.1."""
    worth = believed([1.0, 1.2, 1.5], [1.0, 0.91, 0.89], carried=7)
    assert choose(worth, ONE_LIE) == Choice(1, 2, 7)
    assert choose(worth, ONE_LIE, tie=0.31) == Choice(1)  # the challenger is not much better
    assert choose(worth, ONE_LIE, without=[1]) == Choice(0, 2, 7)
    assert choose(worth, ONE_LIE, without=[2]) == Choice(1)
    assert choose(worth, Threat()) == Choice(2)


def test_among_few_measurements_one_moves_the_others_so_more_arms_are_supported():
    """Of seven, one can move the estimates by a sixth of the range: 0.33 here."""
    assert choose(believed([1.0, 1.5], [1.0, 0.68], plays=7), ONE_LIE) == Choice(1)
    assert choose(believed([1.0, 1.5], [1.0, 0.65], plays=7), ONE_LIE) == Choice(0, 1, 0)
    assert choose(believed([1.0, 1.5], [1.0, 0.1], plays=1), ONE_LIE) == Choice(1)


def test_what_was_not_measured_is_recommended_if_it_is_better_by_more_than_a_tie_and_never_challenges():
    worth = believed([1.0, 1.3], [1.0, 1.0], measured=[True, False])
    assert choose(worth, ONE_LIE, tie=0.2) == Choice(1)
    assert choose(worth, ONE_LIE, tie=0.4) == Choice(0)
    assert choose(believed([1.0, 1.3], [1.0, 0.5], measured=[True, False]), ONE_LIE) == Choice(0)


def test_a_point_is_left_out_unless_nothing_else_is_there():
    mean, deviation = np.array([3.0, 2.0, 1.0]), np.array([0.5, 0.0, 0.0])
    np.testing.assert_array_equal(cautious(mean, deviation), [2.5, 2.0, 1.0])
    np.testing.assert_array_equal(cautious(mean, deviation, [0, 2]), [-np.inf, 2.0, -np.inf])
    np.testing.assert_array_equal(cautious(mean, deviation, [0, 1, 2]), [2.5, 2.0, 1.0])


def test_two_lies_that_agree_hide_neither():
    """Either alone is confirmed by the other; without both, nothing of the estimate is left."""
    points = [0.05, 0.06, *np.linspace(0.5, 0.7, 12)]
    study = Optimizer(Box({"x": Real(0, 1)}), threat=Threat(lies=2, low=0, high=1), seed=0)
    study.add([({"x": float(x)}, 0.95 if x < 0.1 else 0.8 - (x - 0.6) ** 2) for x in points])
    answer = study.answer()
    assert 0.5 <= answer.point["x"] <= 0.7
    assert answer.challenger["x"] < 0.1
    assert answer.measure_again["x"] < 0.1


def test_without_tampering_the_guaranteed_value_is_the_estimate():
    _, model, records, posterior = drawn(1)
    span = Span(LOW, HIGH, low_given=False, high_given=False)
    worth = Worth.of(model, posterior, records, Threat(), span)
    assert worth.guaranteed == pytest.approx(worth.mean)
    choice = choose(worth, Threat())
    assert choice.arm == int(np.argmax(worth.mean - worth.deviation))
    assert (choice.challenger, choice.carrying) == (None, None)


def test_what_is_supposed_where_no_threat_is_stated():
    span = Span(0.0, 1.0, low_given=False, high_given=False)
    assert supposed(None, span, sources=0) == Threat(lies=1, low=0, high=1)
    assert supposed(None, span, sources=3) == Threat(liars=1, low=0, high=1)
    assert supposed(Threat(total=2), span, sources=3) == Threat(total=2, low=0, high=1)
    assert supposed(None, Span(1.0, 1.0, low_given=False, high_given=False), sources=0).none


def log(forged, seed=0, value=0.999):
    """25 values near the optimum of a parabola, five scattered; one of these reads almost 1."""
    rng = np.random.default_rng(seed)
    x = np.concatenate([0.6 + 0.05 * rng.standard_normal(25), [0.05, 0.2, 0.35, 0.85, 0.97]])
    y = 0.99 - 2 * (x - 0.6) ** 2 + 0.005 * rng.standard_normal(30)
    if forged is not None:
        y[25 + forged] = value
    return [({"x": float(a)}, float(b)) for a, b in zip(np.clip(x, 0, 1), y, strict=True)]


@pytest.mark.parametrize("threat", [None, Threat(lies=1, low=0, high=1), Threat(lies=2, low=0, high=1)])
@pytest.mark.parametrize("forged", range(5))
def test_an_isolated_lie_does_not_make_the_answer_but_is_named_as_what_to_measure_again(forged, threat):
    study = Optimizer(Box({"x": Real(0, 1)}), threat=threat, seed=0)
    study.add(log(forged))
    answer = study.answer()
    assert abs(answer.point["x"] - 0.6) < 0.1
    assert answer.guaranteed <= answer.estimate <= 1
    if answer.challenger is not None:
        assert answer.challenger_lead > 0
        assert abs(answer.measure_again["x"] - log(forged)[25 + forged][0]["x"]) < 1e-9


def test_what_is_found_again_at_the_challenger_becomes_the_answer():
    study = Optimizer(Box({"x": Real(0, 1)}), seed=0)
    study.add(log(2, value=1.2))
    before = study.answer()
    assert abs(before.point["x"] - 0.6) < 0.1
    assert before.challenger_lead > 0.1
    assert before.measure_again == {"x": 0.35}
    study.add([({"x": 0.35}, value) for value in (1.19, 1.2, 1.21, 1.2, 1.19)])
    after = study.answer()
    assert abs(after.point["x"] - 0.35) < 0.02
    assert after.challenger is None


def test_a_value_that_was_set_aside_is_a_challenger_until_it_is_measured_again():
    study = Optimizer(Box({"x": Real(0, 1)}), seed=0)
    study.add([*log(None), ({"x": 0.61}, 3.0)])
    before = study.answer()
    assert before.set_aside == (30,)
    assert before.measure_again == before.challenger == {"x": 0.61}
    assert before.challenger_lead == pytest.approx(3.0 - before.estimate)
    study.add([({"x": 0.61}, 0.985)])
    assert study.answer().challenger is None


def test_options_measured_once_are_chosen_by_their_values_and_one_that_was_not_measured_never():
    study = Optimizer(Options(list("abcdef")), seed=0)
    study.add(zip("abcd", [0.1, 0.5, 0.4, 0.2], strict=True))
    assert study.answer().point == "b"


def test_no_estimate_leaves_a_stated_range():
    study = Optimizer(Box({"x": Real(0, 1)}), threat=Threat(lies=1, low=0, high=1), seed=0)
    study.add([({"x": x}, x) for x in np.linspace(0, 0.9, 8)])
    answer = study.answer()
    assert 0 <= answer.guaranteed <= answer.estimate <= 1


@pytest.mark.parametrize("forged", range(5))
def test_the_last_plays_measure_again_what_the_answer_would_not_believe(forged):
    place = log(forged)[25 + forged][0]
    asked = {}
    for plays in (3, 80):
        study = Optimizer(Box({"x": Real(0, 1)}), plays=plays, seed=0)
        study.add(log(forged, value=1.04))
        asked[plays] = study.ask()[0]
    assert (asked[3].point, asked[3].why) == (place, Why.VERIFY)
    assert asked[80].why is not Why.VERIFY


@pytest.mark.parametrize("threat", [0.0, None])
def test_the_last_plays_go_on_as_before_where_nothing_is_in_doubt(threat):
    study = Optimizer(Box({"x": Real(0, 1)}), plays=3, seed=0, threat=threat)
    study.add(log(None))
    assert study.ask()[0].why is not Why.VERIFY


def answered(space, data, **about):
    study = Optimizer(space, seed=0, **about)
    study.add(list(data))
    return study.answer()


@pytest.mark.parametrize("values", [(0.2, 0.5, 0.9), (0.16, 0.0, 0.22), (0.37, 0.2, 0.09, 0.65, 0.46, 0.99)])
def test_of_a_few_options_measured_once_the_best_is_recommended(values):
    """Each of them may be false, so doubt does not tell them apart."""
    options = list("abcdef"[: len(values)])
    best = options[int(np.argmax(values))]
    assert answered(Options(options), zip(options, values, strict=True)).point == best
    turned = answered(Options(options), zip(options, [-v for v in values], strict=True), minimize=True)
    assert turned.point == best


def test_a_lie_among_few_values_moves_the_level():
    """The guaranteed value is what any other value in its place can leave of the estimate, also where all is noise."""
    told = [1.0, 1.1, 9.0]
    answer = answered(Options(["a", "b"]), zip("aaa", told, strict=True), threat=Threat(lies=1, low=0, high=10))
    least = answered(Options(["a", "b"]), zip("aaa", [1.0, 1.1, 0.0], strict=True), threat=0).estimate
    assert answer.estimate == pytest.approx(3.7, abs=0.01)
    assert answer.guaranteed <= least + 0.2


def test_values_without_a_range_promise_nothing():
    answer = answered(Options(list("abc")), [*zip("abc" * 4, [0.5] * 12, strict=True), ("b", 0.9)])
    assert (answer.estimate, answer.guaranteed) == (0.5, 0.5)
    assert "Nothing is left" not in str(answer)


def test_points_are_named_as_they_were_told():
    rng = np.random.default_rng(1)
    x = np.sort(rng.uniform(-3, 3, 40)).round(3)
    y = 1 - x**2 / 10 + 0.01 * rng.standard_normal(40)
    y[int(np.argmin(np.abs(x - 2.2)))] = 1.15
    answer = answered(Box({"x": Real(-3, 3)}), [({"x": float(u)}, float(v)) for u, v in zip(x, y, strict=True)])
    told = set(x.tolist())
    assert {answer.point["x"], answer.challenger["x"], answer.measure_again["x"]} <= told
    assert answer.point["x"] == pytest.approx(0, abs=0.3)


def test_beside_what_was_measured_is_recommended_only_if_it_is_better():
    steps = [({"x": float(x)}, 1 - abs(x - 0.4)) for x in np.linspace(0, 1, 21)]
    answer = answered(Box({"x": Real(0, 1)}), steps, noise_std=0.05)
    assert answer.point["x"] in {point["x"] for point, _ in steps}
    rows = [({"x": float(x)}, -((x - 0.42) ** 2)) for x in np.linspace(0, 1, 26)]
    found = answered(Box({"x": Real(0, 1)}), rows).point["x"]
    assert found == pytest.approx(0.42, abs=0.002)  # not measured, but within 2% of what was


def test_yes_and_no_keep_the_differences_of_their_options():
    rng = np.random.default_rng(0)
    y = (rng.random((20, 3)) < [0.2, 0.5, 0.8]).astype(float)
    answer = answered(Options(list("abc")), [(k, v) for row in y for k, v in zip("abc", row, strict=True)])
    assert answer.point == "c"
    assert answer.estimate == pytest.approx(y[:, 2].mean(), abs=0.15)
