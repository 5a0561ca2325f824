"""The audit of scores on items: what it compares, whom it suspects, and what it refuses."""

import json
from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest
from tests.audits.score_tables import KINDS, table

import unswayed as uw
from unswayed.audits.scores.audit import audited
from unswayed.audits.scores.suspects import copies, suspected
from unswayed.errors import InvalidInput
from unswayed.judgement.verdict import MOST_COLUMNS, MOST_LINES

HONEST, SIMULATED = 20, 400  # tables that every run looks at, and all of them


def long(scores, sources=None):
    """A table of options by items as columns; with sources, it is sources by options by items."""
    place = [a.reshape(-1) for a in np.indices(scores.shape)]
    about = {"sources": [f"j{j}" for j in place[0]]} if sources else {}
    return {"items": place[-1], "options": [f"o{a}" for a in place[-2]], "scores": scores.reshape(-1), **about}


def judged(rng, judges=6, options=4, items=60, promoted=0.0):
    """Grades from 1 to 5; the last judge favours option 0, the worst one."""
    given = 3 + 0.3 * np.arange(options)[:, None] + rng.normal(0, 0.5, (judges, options, items))
    given += rng.normal(0, 0.5, items)
    given[-1, 0] += promoted
    return np.clip(np.round(given), 1, 5)


def frame(data):
    """The rows that count, for pandas."""
    return pd.DataFrame(
        {
            "item": data.unit_item[data.unit],
            "source": data.unit_source[data.unit],
            "option": data.option,
            "y": data.value,
        }
    )


def lead(rows, winner, rival):
    """The lead, by pandas: the mean over items of means over sources."""
    cells = rows.groupby(["option", "item", "source"]).y.mean().groupby(["option", "item"]).mean().unstack("option")
    return (cells[winner] - cells[rival]).mean()


@pytest.mark.parametrize("seed", range(12))
def test_every_plan_is_confirmed_by_a_recount_and_one_less_is_not_enough(seed):
    rng = np.random.default_rng(seed)
    data = table(rng, KINDS[seed % 3], sizes=(4, 60))
    found = audited(data, uw.Threat(), 0.05)
    rows, rival = frame(data), found.rivals[0]
    leader = rows.option == found.winner
    worst = np.where(leader, data.low, data.high)

    def forged(which):
        changed = rows.assign(y=np.where(which & (leader | (rows.option == rival.option)), worst, rows.y))
        return lead(changed, found.winner, rival.option)

    for number in range(2):  # all of the plan, and one less
        cut = slice(None, None if number == 0 else -1)
        level = (lambda x: x <= 1e-9) if number == 0 else (lambda x: x > 1e-9)
        assert level(forged(rows.item.isin(rival.regraded.which[cut])))
        assert level(forged(rows.index.isin(rival.scores.which[cut])))
        if rival.removed.most is not None:
            assert level(lead(rows[~rows.item.isin(rival.removed.which[cut])], found.winner, rival.option))
        if rival.lying is not None and rival.lying.most is not None:
            assert level(forged(rows.source.isin(rival.lying.which[cut])))


@pytest.mark.parametrize("seed", range(10))
def test_sources_are_left_out_as_by_trying_all_sets(seed):
    """Where every source scored every item, and where some did not."""
    rng = np.random.default_rng(seed)
    columns = long(judged(rng, judges=6, options=3, items=8), sources=True)
    if seed % 2:
        kept = rng.random(8 * 6)[np.arange(144) % 8 + 8 * (np.arange(144) // 24)] < 0.7
        columns = {name: np.asarray(column)[kept] for name, column in columns.items()}
    found = uw.audit_scores(**columns)
    rows, rival = frame(found.data), found.rivals[0]
    here = rows.source.unique()

    def level(out):
        return lead(rows[~rows.source.isin(out)], found.winner, rival.option) <= 1e-12

    sets = (k for k in range(len(here)) if any(level(out) for out in combinations(here, k)))
    assert rival.unheard.exact
    assert rival.unheard.most == next(sets, None)


@pytest.mark.parametrize("seed", range(5))
def test_who_leads_without_a_source_or_a_group_is_who_leads_in_the_rest(seed):
    rng = np.random.default_rng(seed)
    columns = long(judged(rng, judges=5, items=20), sources=True)
    kept = rng.random(5 * 20)[np.arange(400) % 20 + 20 * (np.arange(400) // 80)] < 0.6
    columns = {name: np.asarray(column)[kept] for name, column in columns.items()}
    found = uw.audit_scores(**columns, groups=columns["items"] % 4)
    for source, leader in found.leaders_without_source:
        rest = found.data.only(found.data.unit_source != source)
        assert leader == np.argmax(rest.cells.mean(axis=1))
    for group, leader in found.leaders_without_group:
        rest = found.data.only(found.data.group[found.data.unit_item] != group)
        assert leader == np.argmax(rest.cells.mean(axis=1))


@pytest.mark.parametrize("seed", range(10))
def test_tiers_withstand_what_they_say(seed):
    """No pair across tiers needs so few items, and every tier that could be cut would be."""
    found = audited(table(np.random.default_rng(seed), "binary", sizes=(8, 100)), uw.Threat(lies=4), 0.05)
    for tiers, width in ((found.tiers, found.data.width), (found.tiers_removed, 0.0)):
        order = list(chain(*tiers))
        assert sorted(order) == list(range(8))
        ends = set(np.cumsum([len(tier) for tier in tiers]).tolist())
        for cut in range(1, 8):
            gains = [np.sort(d + width)[::-1] for above in order[:cut] for below in order[cut:]
                     for d in [found.data.cells[above] - found.data.cells[below]]]  # fmt: skip
            safe = all(g.sum() - width * len(g) > g[:4].sum() + 1e-9 for g in gains)
            assert safe == (cut in ends)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [HONEST, pytest.param(SIMULATED, marks=pytest.mark.slow)])
def test_honest_tables_have_no_suspects(kind, number):
    alarms = sum(
        bool(suspected(data) or copies(data)) for data in (table(np.random.default_rng(s), kind) for s in range(number))
    )
    assert alarms <= 0.02 * number


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [2, 5])
def test_the_lead_of_one_of_two_equal_options_is_seldom_more_than_chance(kind, options):
    false = 0
    for seed in range(SIMULATED):
        rng = np.random.default_rng(seed)
        data = table(rng, kind, equal=True, sizes=(options, int(rng.integers(30, 400))))
        false += audited(data, uw.Threat(), 0.05).luck.better
    assert false <= 0.05 * SIMULATED + 2 * np.sqrt(0.05 * 0.95 * SIMULATED)


def test_a_judge_who_favours_one_option_is_named_and_the_verdict_is_that_without_it():
    rng = np.random.default_rng(0)
    honest, bought = (uw.audit_scores(**long(judged(rng, promoted=p), sources=True)) for p in (0, 4))
    assert not honest.suspects
    assert [bought.data.sources[one.source] for one in bought.suspects] == ["j5"]
    assert "Source j5 looks wrong" in str(bought)
    few = uw.audit_scores(**long(judged(np.random.default_rng(4), judges=4, promoted=4), sources=True))
    assert few.labels[few.winner_without_suspects] == "o3"
    if few.winner != few.winner_without_suspects:
        assert few.verdict == "no: tampered"


def test_items_that_are_copies_are_named():
    rng = np.random.default_rng(1)
    scores = np.round(rng.random((6, 80)), 3)
    scores[:, 70:] = scores[:, :10]
    found = uw.audit_scores(**long(scores))
    assert [(one.item, one.first) for one in found.copies] == [(70 + i, i) for i in range(10)]
    same = uw.audit_scores(**long((rng.random((6, 80)) < 0.5).astype(int)))
    assert not same.copies  # right and wrong are the same too often


def test_the_threat_decides():
    scores = np.zeros((2, 200))
    scores[0, :60], scores[1, 20:50] = 1, 1
    found = uw.audit_scores(**long(scores))
    assert (found.verdict, found.regraded_items, found.removed_items) == ("yes", 15, 30)
    assert found.rivals[0].scores.most == 30
    assert uw.audit_scores(**long(scores), threat=29).verdict == "yes"
    assert uw.audit_scores(**long(scores), threat=30).verdict == "no: within the threat"


def test_smaller_is_better_if_it_is_said():
    rng = np.random.default_rng(2)
    loss = np.abs(rng.normal(1, 0.1, (3, 50))) + np.array([[0.2], [0.0], [0.4]])
    found, turned = uw.audit_scores(**long(loss), minimize=True), uw.audit_scores(**long(5 - loss), low=5 - loss.max())
    assert found.labels[found.winner] == "o1"
    assert found.to_dict()["means"][1] == pytest.approx(loss[1].mean())
    assert "mean" not in str(found)[:8]
    assert found.rivals[0].lead.mean == pytest.approx(turned.rivals[0].lead.mean)


def test_options_are_compared_on_the_items_that_all_have():
    items = [*range(10), *range(5, 15), *range(10)]
    options = ["a"] * 10 + ["b"] * 10 + ["c"] * 10
    scores = ([1] * 5 + [0, 1, 0, 1, 0]) + [1] * 10 + [0] * 10
    found = uw.audit_scores(items, options, scores)
    assert len(found.data.items) == 5
    assert found.labels[found.winner] == "b"
    assert "compared on the 5 of 15 items that all 3 options have; without b it would be 10" in found.data.notes


def test_sources_that_scored_other_items_cost_items_and_that_is_said():
    items, options = [0, 1, 2, 3] * 2, ["a"] * 4 + ["b"] * 4
    found = uw.audit_scores(items, options, [1, 0, 1, 1, 0, 0, 1, 0], sources=["s", "s", "s", "t", "s", "s", "t", "s"])
    assert found.data.notes == (
        "compared on the 2 of 4 items, each by the same sources, that both options have; "
        "with the sources left out it would be 4",
    )


def test_a_score_far_from_all_others_is_asked_about():
    rng = np.random.default_rng(7)
    grades = rng.integers(1, 10, (3, 100)).astype(float)
    assert not uw.audit_scores(**long(grades)).data.notes
    grades[1, 5] = 34.2
    (note,) = uw.audit_scores(**long(grades)).data.notes
    assert "a score of 34.2 is far from the others" in note
    assert not uw.audit_scores(**long(grades), low=1, high=99).data.notes


def test_sources_that_differ_are_what_to_add():
    tastes = np.array([2.0, 0.2, -0.4, 1.5])[:, None, None] * np.array([1, 0])[:, None]
    grades = 3 + tastes + np.random.default_rng(8).normal(0, 0.3, (4, 2, 80))
    found = uw.audit_scores(**long(grades, sources=True))
    assert found.verdict == "too early"
    assert "Next: let more sources score o0 and o1" in str(found)


def test_repeats_are_averaged_and_copies_of_rows_are_not_counted():
    runs = np.repeat(np.arange(20), 3)
    rng = np.random.default_rng(3)
    scores = rng.random(120)
    found = uw.audit_scores(np.tile(runs, 2), ["a"] * 60 + ["b"] * 60, scores)
    assert found.data.cells[0] == pytest.approx(scores[:60].reshape(20, 3).mean(axis=1))
    again = uw.audit_scores([*range(9), 0, *range(9)], ["a"] * 10 + ["b"] * 9, [1, 0, 1] * 3 + [1] + [0] * 9)
    assert "left out: 1 row that stood there before" in again.data.notes


def test_level_options_are_said_to_be_level():
    found = uw.audit_scores(**long(np.array([[1, 0, 1, 0], [0, 1, 0, 1]])))
    assert (found.verdict, found.regraded_items) == ("too early", 0)
    assert str(found).startswith("Verdict: too early. o0 and o1 are level on 4 items, with 50.0% each.")


def test_what_is_said_first_is_short_whatever_the_names():
    rng = np.random.default_rng(4)
    columns = long(judged(rng, promoted=2), sources=True)
    columns["options"] = [f"a very long name of a model, number {o}, " * 5 for o in columns["options"]]
    columns["sources"] = [f"a very long name of a judge, number {s}, " * 5 for s in columns["sources"]]
    for threat in (None, uw.Threat(lies=1), uw.Threat(liars=3), uw.Threat(lies=1_000, liars=1)):
        lines = str(uw.audit_scores(**columns, threat=threat)).splitlines()
        assert len(lines) <= MOST_LINES
        assert max(map(len, lines)) <= MOST_COLUMNS
        assert lines[0].startswith("Verdict: ")
        assert any(line.startswith("Next: ") for line in lines)


def test_the_record_is_json_and_agrees_with_the_words():
    found = uw.audit_scores(
        **long(judged(np.random.default_rng(5), promoted=4), sources=True), threat=uw.Threat(liars=1)
    )
    record = json.loads(json.dumps(found.to_dict()))
    assert record["verdict"] == found.verdict
    assert record["regraded_items"] == found.regraded_items
    assert len(record["rivals"][0]["regraded_items"]["which"]) == found.regraded_items
    assert record["suspects"][0]["source"] == "j5"
    assert set(record["without_source"]) == {f"j{j}" for j in range(6)}


def test_a_million_rows_are_counted():
    rng = np.random.default_rng(6)
    scores = (rng.random((20, 50_000)) < np.linspace(0.5, 0.6, 20)[:, None]).astype(float)
    found = uw.audit_scores(**long(scores))
    assert found.labels[found.winner] == "o19"
    assert len(found.rivals) == 19


@pytest.mark.parametrize(
    ("items", "options", "scores", "message"),
    [
        ([], [], [], "there are no scores"),
        ([1, 2], ["a", "a"], [1, 0], "nothing to compare with one option, a"),
        ([1, 1], ["a", "b"], [1, 0], "one item only"),
        ([1, 2], ["a", "b"], [1, 0], "no item has a score of both: a has items such as 1, and b has items such as 2"),
        ([1, 2, 1], ["a", "a", "b"], [1, 0, 1], "only 1 item has a score of every option, and b"),
        ([1, 2, 1, 2], ["a", "a", "b", "b"], [1, 0, 1, np.nan], "row 4: the score is nan"),
        ([1, 2, 1, 2], ["a", "a", "b", "b"], [1, 0, 1, "good"], "not all numbers"),
        ([1, 2, 1, 2], ["a", "a", "b", "b"], [1, 1, 1, 1], "every score is 1"),
        (
            [1, 2, 1, 2, 1],
            ["a", "a", "b", "b", "a"],
            [1, 0, 1, 0, 0],
            "row 5: a has a score of 0 on item 1, and one of 1",
        ),
        ([1, 2], ["a", "b", "a"], [1, 0], "2 items, 3 options and 2 scores"),
    ],
)
def test_scores_that_cannot_be_compared_are_refused_in_one_line(items, options, scores, message):
    with pytest.raises(InvalidInput, match=message) as error:
        uw.audit_scores(items, options, scores)
    assert "\n" not in str(error.value)


FOUR = {"items": [1, 2, 1, 2], "options": ["a", "a", "b", "b"], "scores": [1, 0, 0, 0]}


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"groups": ["x", "y", "y", "y"]}, "row 1: item 1 is in two groups"),
        ({"sources": ["s", "s", "t", "t"]}, "no source scored every option on the same items"),
        ({"sources": ["s"]}, "1 sources for 4 scores"),
        ({"low": 0.5}, "row 2: the score of 0 is below 0.5"),
        ({"threat": uw.Threat(liars=1)}, "name who scored"),
        ({"threat": uw.Threat(total=1)}, "no total"),
        ({"threat": uw.Threat(doubt="witnessed")}, "witnesses"),
        ({"delta": 2}, "delta"),
    ],
)
def test_what_does_not_fit_the_scores_is_refused(about, message):
    with pytest.raises(InvalidInput, match=message):
        uw.audit_scores(**FOUR, **about)


def test_is_b_better_than_a():
    a, b = ({i: float(i < n) for i in range(100)} for n in (40, 60))
    found = uw.compare(a, b, names=("old", "new"))
    assert found.better is True
    assert found.difference[0] == pytest.approx(0.2)
    assert str(found).startswith("Verdict: yes. new is better than old, by 20.0 points (")
    assert "10 re-graded items, or 20 removed, would let old catch up." in str(found)
    assert "any 10 of 20 like them" in str(found)
    worse = uw.compare(b, a)
    assert (worse.better, worse.difference[0]) == (False, pytest.approx(-0.2))
    assert str(worse).startswith("Verdict: no. B is worse than A")
    assert worse.difference[1] <= worse.difference[0] <= worse.difference[2]
    costs = uw.compare(b, a, minimize=True)
    assert (costs.better, costs.difference[0]) == (True, pytest.approx(-0.2))


def test_a_small_difference_is_not_decided_and_says_how_many_items_would_tell():
    a = {i: float(i % 2) for i in range(100)}
    b = a | {0: 1.0, 2: 1.0, 1: 0.0}
    found = uw.compare(a, b)
    assert found.better is None
    assert str(found).startswith("Verdict: too early. B is ahead of A by 1.0 points")
    assert "Next: keep A, or score both on more items: about" in str(found)
    same = uw.compare(a, a)
    assert str(same).startswith("Verdict: too early. B and A have the same mean on 100 items.")
    json.dumps(found.to_dict())


def test_nothing_to_compare_is_refused():
    with pytest.raises(InvalidInput, match="B has no scores"):
        uw.compare({1: 0.0}, {})
    with pytest.raises(InvalidInput, match="both options are called A"):
        uw.compare({1: 0.0}, {1: 1.0}, names=("A", "A"))
