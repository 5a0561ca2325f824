"""What is worth measuring again, against refits without the play and integrals over the normal distribution."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from tests.search.games import task
from unswayed import Matern, SquaredExponential, Threat, Why
from unswayed.search.beliefs import estimate
from unswayed.search.doubt import MOST_LIES, PEAK, UNKNOWN, doubts, share_of_lies
from unswayed.search.modes import begin, step
from unswayed.search.schedule import propose
from unswayed.search.surrogate import Surrogate
from unswayed.search.task import Data, Failed, Told

PLAYS = 40
NONE = np.empty((0, 2))
GRID = np.stack(np.meshgrid(*[np.linspace(0.1, 0.9, 4)] * 2), axis=-1).reshape(-1, 2)


def hill(row):
    return float(np.exp(-8 * np.square(row - [0.35, 0.6]).sum()))


def model(values, *, rows=GRID, threat=2, threshold=np.inf, sources=None, kernel=None, noise_std=0.05):
    """A surrogate of these plays with a known kernel. By default no play is set aside."""
    threat = Threat(lies=threat) if isinstance(threat, int) else threat
    kernel = kernel or Matern(2.5, 0.5)
    given = task(threat=threat, kernel=kernel, noise_std=noise_std, output_scale=1.0, level=0.0)
    names = [None] * len(rows) if sources is None else sources
    told = [Told(row, value, name) for row, value, name in zip(rows, values, names, strict=True)]
    data = Data.empty(2).after_all(told)
    return Surrogate.of_all(given, estimate(given, data), data, threshold=threshold)


def found_in(surrogate, pending=NONE, source=None):
    return doubts(surrogate, PLAYS, pending, source)


def values(**changed):
    """The hill on the grid, with some values replaced."""
    y = np.array([hill(row) for row in GRID])
    for place, value in changed.items():
        y[int(place[1:])] = value
    return y


def dense(surrogate, plays, rows):
    """Mean and covariance at some rows, from some of the plays, one by one."""
    kernel, lam, kept = surrogate.beliefs.prior.kernel, surrogate.beliefs.prior.lam, surrogate.kept
    X, y = surrogate.rows[kept.records.arms[plays]], kept.records.values[plays]
    inverse, k = np.linalg.inv(kernel(X, X) + lam * np.eye(len(X))), kernel(rows, X)
    return k @ inverse @ y, kernel(rows, rows) - k @ inverse @ k.T


def lie_probability(off, variance, lie, span):
    honest = (1 - lie) * norm.pdf(off, scale=np.sqrt(variance))
    return (lie / span) / (lie / span + honest)


def gain(mean, variance):
    """E max(g, 0), as an integral."""
    sd = np.sqrt(variance)
    return quad(lambda g: g * norm.pdf(g, mean, sd), max(0.0, mean - 9 * sd), max(0.0, mean + 9 * sd), limit=200)[0]


def literal(surrogate):
    """The worth of every played arm, by refits without its plays: Why and number."""
    kept, rows, lam = surrogate.kept, surrogate.rows, surrogate.beliefs.prior.lam
    every = np.flatnonzero(kept.mask)
    arms = np.unique(kept.records.arms[every])
    means = dense(surrogate, every, rows)[0]
    leader = arms[np.argmax(means[arms])]
    y = {arm: kept.records.values[every][kept.records.arms[every] == arm] for arm in arms}
    span = np.ptp([one.mean() for one in y.values()])
    share = share_of_lies(surrogate.threat_left, PLAYS, 0, span)
    worth = {}
    for arm in arms:
        rest, n = every[kept.records.arms[every] != arm], len(y[arm])
        mean, covariance = dense(surrogate, rest, rows)
        m, v = mean[arm], covariance[arm, arm]
        p = lie_probability(y[arm].mean() - m, v + lam / n, share**n, span)
        others = max(mean[one] for one in arms if one != arm)
        worth[arm] = p * (gain(others - m, v) if arm == leader else gain(m - means[leader], v))
    return worth, leader, float(means[leader]), share, span


@pytest.mark.parametrize("seed", range(8))
def test_the_worth_of_played_points_is_that_of_refits(seed):
    rng = np.random.default_rng(seed)
    rows = GRID[rng.integers(len(GRID), size=20)]  # some more than once
    surrogate = model([hill(row) + 0.2 * rng.standard_normal() for row in rows], rows=rows, noise_std=0.2)
    worth, leader, *_ = literal(surrogate)
    found = found_in(surrogate)
    assert len(found) == 2
    best = sorted(worth, key=lambda arm: -worth[arm])[:2]
    for one, arm in zip(found, best, strict=True):
        np.testing.assert_array_equal(one.row, surrogate.rows[arm])
        np.testing.assert_allclose(one.worth, worth[arm], rtol=1e-5)
        assert one.why is (Why.VERIFY if arm == leader else Why.RECHECK)


def test_the_worth_of_a_value_that_was_set_aside():
    surrogate = model(values(_3=1.6), threshold=4.0)
    aside = np.flatnonzero(~surrogate.kept.mask)
    assert aside.tolist() == [3]
    _, _, best, share, span = literal(surrogate)
    mean, covariance = dense(surrogate, np.flatnonzero(surrogate.kept.mask), GRID[[3]])
    p = lie_probability(1.6 - mean[0], covariance[0, 0] + surrogate.beliefs.prior.lam, share, span)
    [one] = [one for one in found_in(surrogate) if np.array_equal(one.row, GRID[3])]
    np.testing.assert_allclose(one.worth, max(1 - p, PEAK) * min(1.6 - best, span), rtol=1e-6)
    assert one.why is Why.RECHECK


@pytest.mark.parametrize("noise_std", [0.05, 0.4])
def test_the_noise_of_a_value_that_was_set_aside_is_its_own(noise_std):
    """All values but one have a noise of 0.4."""
    given = task(threat=Threat(lies=2), kernel=Matern(2.5, 1.5), noise_std=0.4, output_scale=1.0, level=0.0)
    own = [noise_std if place == 3 else 0.4 for place in range(len(GRID))]
    told = [Told(row, y, None, noise) for row, y, noise in zip(GRID, values(_3=1.3), own, strict=True)]
    data = Data.empty(2).after_all(told)
    surrogate = Surrogate.of_all(given, estimate(given, data), data, threshold=1.5)
    assert np.flatnonzero(~surrogate.kept.mask).tolist() == [3]
    kept = GRID[np.arange(len(GRID)) != 3]
    kernel, y = given.given.kernel, np.delete(values(), 3)
    inverse, k = np.linalg.inv(kernel(kept, kept) + 0.16 * np.eye(15)), kernel(GRID[[3]], kept)
    mean, variance = float((k @ inverse @ y)[0]), float(1 - (k @ inverse @ k.T)[0, 0])
    best, span = float((kernel(kept, kept) @ inverse @ y).max()), float(np.ptp(y))
    p = lie_probability(1.3 - mean, variance + noise_std**2, (2 - 1) / PLAYS, span)  # it is one of the two
    [one] = [one for one in found_in(surrogate) if np.array_equal(one.row, GRID[3])]
    np.testing.assert_allclose(one.worth, max(1 - p, PEAK) * min(1.3 - best, span), rtol=1e-6)


def test_a_lone_false_leader_is_the_first_doubt():
    first = found_in(model(values(_3=1.2)))[0]
    np.testing.assert_array_equal(first.row, GRID[3])
    assert first.why is Why.VERIFY
    assert first.worth > 0.2


def test_a_lone_low_value_beside_the_leader_is_worth_measuring_again():
    peak = int(np.argmax(values()))
    first = found_in(model(values(**{f"_{peak}": 0.2})))[0]
    np.testing.assert_array_equal(first.row, GRID[peak])
    assert first.why is Why.RECHECK


def test_a_confirmed_value_is_worth_less():
    once = found_in(model(values(_3=1.2)))[0].worth
    twice = found_in(model(np.append(values(_3=1.2), 1.2), rows=np.vstack([GRID, GRID[3]])))
    assert all(one.worth < 0.5 * once for one in twice if np.array_equal(one.row, GRID[3]))


def test_a_high_value_that_was_set_aside_is_rechecked_until_it_is_contradicted():
    high = model(values(_3=1.6), threshold=4.0)
    assert not high.kept.mask[3]
    assert any(np.array_equal(one.row, GRID[3]) and one.why is Why.RECHECK for one in found_in(high))
    again = model(np.append(values(_3=1.6), hill(GRID[3])), rows=np.vstack([GRID, GRID[3]]), threshold=4.0)
    assert again.kept.mask.tolist() == [place != 3 for place in range(17)]
    assert all(one.worth < 0.01 for one in found_in(again) if np.array_equal(one.row, GRID[3]))


def test_a_value_far_outside_of_the_range_is_not_rechecked():
    surrogate = model(values(_3=50.0), threshold=4.0)
    assert not surrogate.kept.mask[3]
    assert not any(np.array_equal(one.row, GRID[3]) for one in found_in(surrogate))


@pytest.mark.parametrize("threat", [Threat(), Threat(total=0.0, low=-1, high=2)])
def test_without_a_threat_there_is_no_doubt(threat):
    assert found_in(model(values(_3=1.2), threat=threat)) == []
    assert found_in(model(values(_3=1.6), threat=threat, threshold=4.0)) == []


def test_if_nobody_knows_the_threat_there_are_doubts():
    assert found_in(model(values(_3=1.2), threat=None))


def test_equal_values_and_one_play_give_no_doubt():
    assert found_in(model(np.full(len(GRID), 0.3))) == []
    assert found_in(model([0.3], rows=GRID[:1])) == []


def test_open_plays_are_left_out():
    surrogate = model(values(_3=1.2))
    before = found_in(surrogate)
    assert np.array_equal(before[0].row, GRID[3])
    after = found_in(surrogate, pending=GRID[[3]])
    assert not any(np.array_equal(one.row, GRID[3]) for one in after)
    new = np.array([[0.5, 0.5]])
    assert not any(np.array_equal(one.row, new[0]) for one in found_in(surrogate, pending=new))
    aside = model(values(_3=1.6), threshold=4.0)
    assert not any(np.array_equal(one.row, GRID[3]) for one in found_in(aside, pending=GRID[[3]]))


def test_an_open_play_beside_a_false_leader_does_not_confirm_it():
    surrogate = model(values(_3=1.2))
    beside = GRID[3] + np.array([[0.02, 0.02], [-0.03, 0.0], [0.0, -0.03]])
    before, after = found_in(surrogate)[0], found_in(surrogate, pending=beside)[0]
    np.testing.assert_array_equal(after.row, GRID[3])
    assert (after.why, after.worth) == (Why.VERIFY, before.worth)


@pytest.mark.parametrize("threshold", [np.inf, 4.0], ids=["kept", "set aside"])
def test_the_same_source_is_not_asked_to_check_itself(threshold):
    high = 1.2 if threshold == np.inf else 1.6
    sources = ["web" if place in (3, 12) else "lab" for place in range(len(GRID))]
    surrogate = model(values(_3=high), sources=sources, threshold=threshold)
    assert surrogate.kept.mask[3] == (threshold == np.inf)

    def asks(source):
        return any(np.array_equal(one.row, GRID[3]) for one in found_in(surrogate, source=source))

    assert asks("lab")
    assert asks(None)
    assert asks("new")
    assert not asks("web")


def test_a_value_that_many_plays_confirm_against_a_sure_model():
    """Neither a lie so often nor an honest value is likely: both probabilities are below the smallest number."""
    rows = np.vstack([GRID, np.repeat(GRID[[5]], 300, axis=0)])
    y = np.append(np.zeros(len(GRID)), np.ones(300))
    surrogate = model(y, rows=rows, kernel=SquaredExponential(3.0), noise_std=0.01)
    assert all(np.isfinite(one.worth) for one in found_in(surrogate))


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_doubts_do_not_depend_on_the_units(unit):
    given = task(threat=1.5 * unit, noise_std=0.05 * unit)
    y = np.append(values(_3=1.2), values(_3=1.2)[:3] + 0.05)
    told = [Told(row, unit * one) for row, one in zip(np.vstack([GRID, GRID[:3]]), y, strict=True)]
    data = Data.empty(2).after_all(told)
    surrogate = Surrogate.of_all(given, estimate(given, data), data, threshold=np.inf)
    first = found_in(surrogate)[0]
    np.testing.assert_array_equal(first.row, GRID[3])
    assert first.why is Why.VERIFY


def test_the_share_of_lies():
    assert share_of_lies(None, 100, 0, 1.0) == UNKNOWN
    assert share_of_lies(Threat(), 100, 3, 1.0) == 0.0
    assert share_of_lies(Threat(total=4.0), 100, 0, 2.0) == pytest.approx(0.02)  # two lies as large as the range
    assert share_of_lies(Threat(total=4.0), 100, 0, 0.0) == 0.0
    assert share_of_lies(Threat(lies=5), 100, 0, 0.0) == pytest.approx(0.05)
    assert share_of_lies(Threat(liars=1), 100, 10, 1.0) == pytest.approx(0.1)
    assert share_of_lies(Threat(liars=2), 100, 0, 1.0) == MOST_LIES  # sources are not named
    assert share_of_lies(Threat(total=2.0, lies=1, liars=1), 100, 20, 2.0) == pytest.approx(0.07)
    assert share_of_lies(Threat(lies=90), 100, 0, 1.0) == MOST_LIES


def test_a_failure_beside_an_honest_leader_does_not_make_it_suspect():
    """The model takes a failed place for average. That says nothing about the values around it."""
    given = task(threat=Threat(lies=2), kernel=Matern(2.5, 0.5), noise_std=0.05, output_scale=1.0, level=0.0, plays=18)
    mode = begin(given)
    for row in GRID:
        mode = step(mode, Told(row, hill(row)))
    assert propose(mode, len(GRID), NONE).why is not Why.VERIFY
    mode = step(mode, Failed(GRID[int(np.argmax(values()))] + 0.05))
    assert propose(mode, len(GRID) + 1, NONE).why is not Why.VERIFY


@pytest.mark.parametrize(
    ("threat", "left"),
    [
        (Threat(lies=3), Threat(lies=2)),
        (Threat(total=9.0), Threat(total=9.0 - 1.6)),
        (Threat(total=9.0, lies=1), Threat(total=9.0)),  # what is set aside counts as the lie
    ],
)
def test_what_is_set_aside_is_taken_off_the_threat(threat, left):
    surrogate = model(values(_3=1.6), threat=threat, threshold=4.0)
    assert np.flatnonzero(~surrogate.kept.mask).tolist() == [3]
    found = surrogate.threat_left
    assert (found.lies, found.liars) == (left.lies, left.liars)
    assert found.total == pytest.approx(left.total, abs=1.0)
    assert (found.total == threat.total) == (left.total == threat.total)
