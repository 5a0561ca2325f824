"""What was told, as arrays: it is a value, and single outcomes are judged in batches."""

import numpy as np
import pytest

from unswayed.search.task import BATCH, Data, Failed, Told

ROWS = np.array([[0.0, 0.5], [1.0, 0.5], [0.5, 0.0]])


def events(seed=0, plays=30, values=None):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(plays) if values is None else values
    return [Told(ROWS[rng.integers(3)], float(value), [None, "a", "b"][rng.integers(3)]) for value in values]


def test_what_comes_later_does_not_change_what_was_told_before():
    told = events()
    early = Data.empty(2).after_all(told[:10])
    one, other = early.after(told[10]), early.after(Failed(ROWS[2])).after(told[11])
    assert (early.plays, early.failures, one.plays, other.plays, other.failures) == (10, 0, 11, 11, 1)
    np.testing.assert_array_equal(one.values, [event.value for event in told[:11]])
    np.testing.assert_array_equal(other.values, [event.value for event in (*told[:10], told[11])])
    np.testing.assert_array_equal(other.failed, ROWS[2:])
    np.testing.assert_array_equal(early.rows, [event.row for event in told[:10]])
    some = np.array([7, 2])
    np.testing.assert_array_equal(other.only(some).values, other.values[some])
    assert other.only(some).failures == 1


def test_sources_are_numbered_by_their_first_appearance():
    names = ["b", None, "a", "b"]
    data = Data.empty(2).after_all([Told(ROWS[0], 0.0, name) for name in names])
    assert (data.names, data.source.tolist(), data.sources.tolist()) == (("b", "a"), [0, -1, 1, 0], [0, -1, 1, 0])
    assert Data.empty(2).after(Told(ROWS[0], 0.0)).sources is None


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("rate", [0.5, 0.1])
def test_single_outcomes_are_judged_in_batches_of_one_row_and_one_source(sign, rate):
    outcomes = sign * (np.random.default_rng(1).random(2000) < rate)
    data = Data.empty(2).after_all(events(values=outcomes))
    assert data.binary
    found, p = data.table(None), np.mean(np.abs(outcomes))
    assert found.noise == pytest.approx(np.sqrt(p * (1 - p)))
    assert data.table(0.3).noise == 0.3
    assert found.weights.sum() == found.sizes.sum() == 2000
    assert found.weights @ found.values == pytest.approx(outcomes.sum())
    least = int(np.ceil(BATCH / min(p, 1 - p)))  # so many hold thirty of the rarer outcome on average
    for batch in range(len(found.values)):
        mine = np.flatnonzero(data.blocks == batch)
        assert found.sizes[batch] == len(mine) <= least
        assert found.values[batch] == pytest.approx(outcomes[mine].mean())
        assert (data.rows[mine] == found.rows[batch]).all()
        assert (data.source[mine] == found.sources[batch]).all()
    same = [(row.tobytes(), source) for row, source in zip(found.rows, found.sources, strict=True)]
    short = found.sizes < least  # at most the last batch of each row and source
    assert len({one for one, few in zip(same, short, strict=True) if few}) == short.sum() <= 9


@pytest.mark.parametrize(
    "other",
    [Told(ROWS[0], 0.5), Told(ROWS[0], 1.0, trials=3), Told(ROWS[0], 1.0, noise_std=0.1)],
    ids=["value", "trials", "noise"],
)
def test_other_values_are_judged_one_by_one(other):
    data = Data.empty(2).after_all([*events(values=np.tile([0.0, 1.0], 20)), other])
    assert not data.binary
    assert data.blocks.tolist() == list(range(41))
    assert data.table(0.2).sizes is None
    assert not Data.empty(2).binary
    assert not Data.empty(2).after_all([Told(ROWS[0], 0.0), Told(ROWS[1], 1.0)]).binary  # no row gave both


def test_a_play_that_states_its_noise_has_the_weight_of_that():
    data = Data.empty(2).after_all(
        [Told(ROWS[0], 1.0), Told(ROWS[1], 2.0, noise_std=0.1), Told(ROWS[2], 3.0, noise_std=0.4)]
    )
    found = data.table(0.2)
    np.testing.assert_allclose(found.noise / np.sqrt(found.weights), [0.2, 0.1, 0.4])
    np.testing.assert_allclose(found.when, [-1, 0, 1])


@pytest.mark.parametrize("liar", ["d", None])
def test_half_of_the_repeats_of_four_sources_are_with_one_that_lies_and_the_noise_is_that_of_the_others(liar):
    rng, found = np.random.default_rng(0), []
    for row in rng.uniform(size=(12, 2)):  # each row once by every source
        found += [Told(row, rng.normal(0, 1.0 if name == liar else 0.01), source=name) for name in "abcd"]
    noise = Data.empty(2).after_all(found).table(None).noise
    assert noise == pytest.approx(0.01, rel=0.35)
