"""The numbers of the page, against literal loops."""

from itertools import combinations
from math import inf, nan
from statistics import median, quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from unswayed.errors import InvalidInput
from unswayed_gauntlet.report.scores import Comparison, Share, comparisons, played, runs_of, score, scores

from .page_data import gauntlet, row


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_shares_have_the_interval_of_wilson(pair):
    count, of = pair
    mine, theirs = Share(count, of), binomtest(count, of).proportion_ci(method="wilson")
    assert mine.share == count / of
    assert (mine.low, mine.high) == (pytest.approx(theirs.low, abs=1e-12), pytest.approx(theirs.high, abs=1e-12))
    assert 0 <= mine.low <= mine.share <= mine.high <= 1


def test_what_older_rows_do_not_have_is_none():
    old, nothing, some = runs_of(
        [
            row("a"), row("b", gap_ours=nan, claim_low=nan, claim_high=nan, liars=None),
            row("c", gap_ours=0.2, claim_low=0.5, claim_high=1.0, liars=1),
        ]
    )  # fmt: skip
    for run in (old, nothing):
        assert (run.ours, run.claim, run.kept_claim, run.liars) == (None, None, None, None)
    assert (some.ours, some.claim, some.kept_claim, some.liars) == (0.2, (0.5, 1.0), True, 1)
    assert old.gap == 0.05
    assert old.milliseconds == pytest.approx(10.0)


@pytest.mark.parametrize(
    ("low", "high", "kept"),
    [(0.95, 1.0, True), (0.9, 0.95, True), (0.951, 1.0, False), (0.0, 0.949, False), (-inf, inf, None)],
)
def test_a_claim_is_about_the_value_of_the_recommendation(low, high, kept):
    assert runs_of([row("a", gap=0.05, claim_low=low, claim_high=high)])[0].kept_claim is kept


def test_rows_that_would_mislead_are_refused():
    with pytest.raises(InvalidInput, match="two runs of a on branin-2, none, 60, 0: keep one"):
        runs_of([row("a"), row("a", gap=0.1)])
    with pytest.raises(InvalidInput, match="the gap of a on branin-2, none, 60, 0 is nan"):
        runs_of([row("a", gap=nan)])


def literal_score(rows, usual):
    """All numbers of an optimiser by loops; `usual` has the rows of TPE in the same games."""
    gaps = [one["gaps"][-1] for one in rows]
    lost = ours = lost_ours = saved = spoilt = claims = kept = 0
    for one in rows:
        gap, mine = one["gaps"][-1], one.get("gap_ours")
        lost += gap > 0.1
        if mine is not None:
            ours += 1
            lost_ours += mine > 0.1
            saved += gap > 0.1 and not mine > 0.1
            spoilt += mine > 0.1 and not gap > 0.1
        if one.get("claim_low") is not None:
            claims += 1
            kept += one["claim_low"] <= 1 - gap <= one["claim_high"]
    times = [1000 * one["seconds"][-1] / one["plays"] for one in rows]
    others = [1000 * one["seconds"][-1] / one["plays"] for one in usual]
    less = sum(a["gaps"][-1] - b["gaps"][-1] for a, b in zip(rows, usual, strict=True)) / len(rows)
    middle = median(gaps), quantiles(gaps, n=4, method="inclusive")
    counts = (lost, len(rows)), (lost_ours, ours), (saved, spoilt), (kept, claims)
    return middle, counts, median(times), sum(times) / sum(others), less


def test_scores_are_those_of_literal_loops():
    rows = gauntlet()
    found = played(runs_of(rows))
    [everybody, *_] = comparisons(found)
    games = sorted(everybody.games)
    table, usual = scores(found, everybody)
    assert usual == "tpe"
    assert [one.optimizer for one in table] == sorted(
        everybody.optimizers,
        key=lambda name: (
            sum(one["gaps"][-1] > 0.1 for one in rows if one["optimizer"] == name and of(one) in games),
            median(one["gaps"][-1] for one in rows if one["optimizer"] == name and of(one) in games),
        ),
    )
    for one in table:
        mine, theirs = (
            sorted((r for r in rows if r["optimizer"] == name and of(r) in games), key=of)
            for name in (one.optimizer, "tpe")
        )
        (middle, (low, _, high)), (lost, ours, changed, claims), time, ratio, less = literal_score(mine, theirs)
        assert one.gap == (pytest.approx(low), pytest.approx(middle), pytest.approx(high))
        assert (one.lost.count, one.lost.of) == lost
        assert ((one.lost_ours.count, one.lost_ours.of) if one.lost_ours else (0, 0)) == ours
        assert (one.lost_ours is None) == (ours[1] == 0)
        assert (one.saved, one.spoilt) == changed
        assert ((one.claims.count, one.claims.of) if one.claims else (0, 0)) == claims
        assert one.width is None or one.width.middle == pytest.approx(0.08)
        assert one.milliseconds.middle == pytest.approx(time)
        assert one.times == pytest.approx(ratio)
        if one.optimizer == "tpe":
            assert one.less is None
        else:
            assert one.less[0] == pytest.approx(less)
            assert one.less[1] <= one.less[0] <= one.less[2]


def of(one):
    """The game of a row."""
    return one["problem"], one["corruption"], one["plays"], one["seed"]


def test_a_score_without_a_reference_compares_nothing():
    one = score("a", runs_of([row("a"), row("a", seed=1)]))
    assert (one.times, one.less) == (None, None)


def test_without_tpe_the_fastest_is_the_reference():
    found = played(runs_of([row("a", seconds=2.0), row("b", seconds=1.0), row("c", seconds=3.0)]))
    table, usual = scores(found, comparisons(found)[0])
    assert usual == "b"
    assert {one.optimizer: one.times for one in table} == pytest.approx({"a": 2.0, "b": 1.0, "c": 3.0})


def test_a_slow_optimizer_is_compared_where_it_played_and_then_left_out():
    rows = gauntlet()
    found = comparisons(played(runs_of(rows)))
    assert [(one.optimizers, len(one.games)) for one in found] == [
        (("botorch", "random", "tpe", "unswayed"), 2 * 4 * 3),
        (("random", "tpe", "unswayed"), 4 * 4 * 3),
    ]
    assert {game.problem for game in found[0].games} == {"branin-2", "hplc"}


def test_one_optimizer_alone_and_two_that_share_nothing():
    alone = played(runs_of([row("a"), row("a", seed=1)]))
    assert comparisons(alone) == [Comparison(("a",), tuple(alone["a"]))]
    assert comparisons(played(runs_of([row("a"), row("b", seed=1)]))) == []
    assert comparisons({}) == []


@given(st.lists(st.sets(st.integers(0, 7)), min_size=1, max_size=6))
def test_comparisons_are_fair_and_grow(sets):
    """Every comparison is over exactly the games that all its optimisers have; the greatest pair is never missed."""
    rows = [row(f"o{number}", seed=seed) for number, seeds in enumerate(sets) for seed in sorted(seeds)]
    found = played(runs_of(rows))
    steps = comparisons(found)
    for one in steps:
        for seed in range(8):
            everyone = all(seed in sets[int(name[1:])] for name in one.optimizers)
            assert everyone == any(game.seed == seed for game in one.games)
    for fewer, more in zip(steps[1:], steps, strict=False):
        assert set(fewer.optimizers) < set(more.optimizers)
        assert len(fewer.games) > len(more.games)
    shared = [one for one in sets if one]
    if shared and set.intersection(*shared):
        assert steps[0].optimizers == tuple(sorted(found))
    if len(shared) == 3:
        best = max(len(a & b) for a, b in combinations(shared, 2))
        assert max((len(one.games) for one in steps), default=0) == best
