"""Single outcomes, 0 or 1, told one by one; and large batches."""

from functools import cache

import numpy as np
import pytest

from unswayed import Optimizer, Options
from unswayed.search.task import Data, Told

VARIANTS = [f"v{i}" for i in range(6)]


@cache
def visits(seed, batches=6, size=500):
    rng = np.random.default_rng(seed)
    rates = dict(zip(VARIANTS, rng.permutation(np.linspace(0.02, 0.12, 6)), strict=True))
    study = Optimizer(Options(VARIANTS), seed=seed)
    for _ in range(batches):
        for play in study.ask(size):
            study.tell(play, float(rng.uniform() < rates[play.point]))
    return study, rates


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_conversions_are_not_set_aside_and_a_good_variant_is_found(seed):
    study, rates = visits(seed)
    answer = study.answer()
    assert answer.set_aside == ()
    assert rates[answer.point] >= sorted(rates.values())[-2]
    assert answer.estimate == pytest.approx(rates[answer.point], abs=0.03)
    plays = np.bincount([VARIANTS.index(play.point) for play in study.log])
    assert plays[VARIANTS.index(answer.point)] > plays.mean()


def test_false_outcomes_are_counted_one_by_one():
    """An independent count: outcomes of one variant, turned round until the means are level."""
    study, _ = visits(0)
    answer = study.answer()
    assert (answer.span.low, answer.span.high) == (0, 1)
    assert answer.breakdown.lies >= 5
    assert answer.breakdown.lies >= answer.breakdown.budget  # an outcome changes by at most 1


def test_one_at_a_time_or_together_is_the_same():
    together, apart = Optimizer(Options(VARIANTS), seed=1), Optimizer(Options(VARIANTS), seed=1)
    rng = np.random.default_rng(0)
    for number in range(2):
        asked = together.ask(350)
        assert asked == [apart.ask()[0] for _ in asked]
        for play in asked if number == 0 else []:
            outcome = float(rng.uniform() < 0.1)
            together.tell(play, outcome)
            apart.tell(play, outcome)
    assert len({play.point for play in asked}) > 1


def test_batches_are_of_one_option_and_source():
    rng = np.random.default_rng(0)
    rows = np.eye(3)[rng.integers(3, size=4000)]
    told = [Told(row, float(rng.uniform() < 0.05), source=f"s{t % 2}") for t, row in enumerate(rows)]
    data = Data.empty(3).after_all(told)
    assert data.binary
    for block in np.unique(data.blocks):
        mine = data.blocks == block
        assert len(np.unique(data.arms[mine])) == len(np.unique(data.source[mine])) == 1
    judged = data.table(None)
    assert judged.weights.sum() == 4000
    assert judged.weights.max() <= 30 / data.values.mean() + 1
    np.testing.assert_allclose(judged.weights @ judged.values, data.values.sum())


def test_data_are_values_although_they_share_their_lists():
    one = Data.empty(1).after(Told(np.zeros(1), 1.0))
    left, right = one.after(Told(np.ones(1), 2.0)), one.after(Told(np.ones(1), 3.0))
    assert (one.values.tolist(), left.values.tolist(), right.values.tolist()) == ([1.0], [1.0, 2.0], [1.0, 3.0])
    assert left.after(Told(np.ones(1), 4.0)).values.tolist() == [1.0, 2.0, 4.0]
    assert left.values.tolist() == [1.0, 2.0]
