"""What the standard and the quick gauntlet are, and that the documentation says so."""

import re
from pathlib import Path

import pytest

from unswayed import InvalidInput
from unswayed_gauntlet.liars import CORRUPTIONS, LiarLimit
from unswayed_gauntlet.optimizers import OPTIMIZERS
from unswayed_gauntlet.problems import GROUPS, HELD_OUT, needs, problem
from unswayed_gauntlet.standard import HALF, QUICK, SLOW, STANDARD, MatchPlan


def test_the_standard():
    assert (len(STANDARD.optimizers), len(STANDARD.problems), STANDARD.seeds, STANDARD.plays) == (8, 12, 3, (60,))
    assert not set(STANDARD.problems) & set(HELD_OUT)
    assert len(set(STANDARD.corruptions) & set(CORRUPTIONS)) == 8
    matches = STANDARD.matches()
    games = len(STANDARD.corruptions) * STANDARD.seeds
    assert len(matches) == len(set(matches)) == (4 * 12 + 4 * 6) * games
    assert {match.problem for match in matches if match.optimizer in SLOW} == set(HALF)
    assert [match.seed for match in matches] == sorted(match.seed for match in matches)


def test_the_quick_one_needs_no_data():
    assert set(QUICK.optimizers) == {"unswayed", "random", "tpe"}
    assert (len(QUICK.corruptions), QUICK.seeds) == (4, 1)
    for name in QUICK.problems:
        assert needs(name) is None
        assert problem(name).range > 0
    assert len(QUICK.matches()) <= 48


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"optimizers": ("gut",)}, "unknown optimizer 'gut'"),
        ({"problems": ("moon",)}, "unknown problem 'moon': the nearest of the"),
        ({"corruptions": ("bribe",)}, "unknown corruption 'bribe': choose one of none"),
        ({"plays": (1,)}, "number of plays"),
        ({"plays": ()}, "at least one"),
        ({"seeds": 0}, "number of seeds"),
    ],
)
def test_nonsense_is_refused(change, reason):
    good = {"optimizers": ("random",), "problems": ("branin-2",), "corruptions": ("none",), "plays": (20,), "seeds": 1}
    assert len(MatchPlan(**good).matches()) == 1
    with pytest.raises(InvalidInput, match=reason):
        MatchPlan(**{**good, **change})


PAGE = (Path(__file__).parents[2] / "docs/howto/gauntlet.md").read_text()


def test_every_corruption_is_documented():
    rows = [f"| `{one.name}` | {one.about} | {one.bound.name.lower()} |" for one in CORRUPTIONS.values()]
    assert re.findall(r"^\| `[\w-]+` \| .* \| (?:nothing|total|lies|liars) \|$", PAGE, re.MULTILINE) == rows
    assert all(f"- {one.name.lower()}: {one.value}." in PAGE for one in LiarLimit if one is not LiarLimit.NOTHING)


def test_the_other_names_and_numbers_are_documented():
    assert not [name for name in [*OPTIMIZERS, *GROUPS] if f"`{name}`" not in PAGE]
    assert f"{len(STANDARD.matches()):,} matches" in PAGE
    assert all(f"`{name}`" in re.search(r"The slow optimisers\s+\((.*?)\)", PAGE, re.DOTALL)[1] for name in SLOW)
