"""Whom the fewest changes help: the sentences name the rival, and every source that would do."""

import numpy as np
import pytest
from tests.audits.test_scores import judged, long

import unswayed as uw
from unswayed.audits.scores.suspects import FALSE_ALARM

RUNS = 30  # tables


def clauses(text):
    return text.replace("\n", " ").split("; ")


def test_a_liar_who_helps_another_rival_is_said_to():
    first, second, third = np.full(30, 0.5), np.full(30, 0.5), np.full(30, 0.45)
    first[:2], second[:2], third[:2] = 1.0, 0.0, 0.95
    found = uw.audit_scores(**long(np.tile(np.stack([first, second, third]), (20, 1, 1)), sources=True))
    lying = {found.labels[one.option]: one.lying.most for one in found.rivals}
    assert lying == {"o1": 2, "o2": 1}
    assert found.robustness.sentence == (
        "1 re-graded item, or 2 removed, would let o1 catch up; any one of 20 sources would let o2."
    )


def test_so_would_is_said_of_the_rival_just_named():
    """Not of the one that fewer removed items help."""
    both = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        given = rng.integers(1, 6, (5, 4, 26)).astype(float)
        said = uw.audit_scores(**long(given, sources=True)).robustness.sentence
        both += [said] if "so would" in said else []
    late = [said for said in both if "removed item" in said.split("catch up")[1]]
    assert late
    assert all(said.index("so would") < said.index("removed item") for said in late)


@pytest.mark.parametrize("seed", range(20))
def test_the_removed_items_that_are_said_are_the_fewest_of_all_rivals(seed):
    rng = np.random.default_rng(seed)
    found = uw.audit_scores(**long(np.round(rng.random((4, 12)) ** 3, 2)))
    said = found.robustness.sentence
    if found.removed_items:
        assert f"or {found.removed_items} removed," in said or f"; {found.removed_items} removed item" in said
    for clause in clauses(said):
        if "removed item" in clause:
            (one,) = [one for one in found.rivals if clause.rstrip(".").endswith(found.labels[one.option])]
            assert one.removed.most == found.removed_items


def test_a_source_is_named_only_if_no_other_would_do():
    given = judged(np.random.default_rng(3), judges=5, options=2)
    found = uw.audit_scores(**long(given, sources=True))
    alone = found.rivals[0].lying.alone
    assert alone == 5
    assert "so would any one of 5 sources" in found.robustness.sentence


def test_a_tie_of_uneven_sources_needs_no_source_left_out():
    items, options = [0, 0, 1, 0, 0, 1], ["a"] * 3 + ["b"] * 3
    found = uw.audit_scores(items, options, [0.1, 0.5, 0.7, 0.5, 0.1, 0.7], sources=["s", "t", "t"] * 2)
    assert found.rivals[0].unheard.most == 0


@pytest.mark.parametrize(("options", "items", "noise"), [(20, 80, 0.0), (20, 80, 0.2), (40, 100, 0.1), (50, 200, 0.5)])
def test_items_that_resemble_each_other_are_no_copies(options, items, noise):
    """Partial credit for ability less difficulty: many items have the scores of another one."""
    alarms = 0
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        ability, hard = rng.normal(0, 1, (options, 1)), rng.normal(0, 1, items)
        x = ability - hard + noise * rng.normal(0, 1, (options, items))
        alarms += bool(uw.audit_scores(**long(np.where(x > 0.5, 1.0, np.where(x > -0.5, 0.5, 0.0)))).copies)
    assert alarms <= max(1, 2 * FALSE_ALARM * RUNS)
