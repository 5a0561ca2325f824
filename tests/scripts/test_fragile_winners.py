"""The script behind docs/evidence/fragile-winners.md, by brute force: on small tables, and real ones if installed."""

import importlib
import json
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from unswayed import InvalidInput
from unswayed_gauntlet.problems.recorded_runs import RecordedRuns, hpo_runs

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("fragile_winners")


@pytest.fixture
def page(script):
    return importlib.import_module("make_fragile_winners")


def recorded(name):
    try:
        return hpo_runs(name)
    except InvalidInput as error:
        pytest.skip(str(error))


def drawn(seed, *, minimize=False):
    """A table of 30 options with 2 to 4 runs each."""
    rng = np.random.default_rng(seed)
    option = np.repeat(np.arange(30), rng.integers(2, 5, 30))
    values = rng.normal(0.02 * option, 0.2)
    return RecordedRuns(("x",), [(i,) for i in range(30)], option, -values if minimize else values, minimize, "loss")


def leader(runs, values):
    """The options with the best mean after a change of values."""
    means = (-1 if runs.minimize else 1) * runs._replace(values=values).means
    return set(np.flatnonzero(means >= means.max() - 1e-12).tolist())


def planned(runs, found):
    """The values after the changes of the plan of an audit."""
    values = runs.values.copy()
    for change in found.plan.changes:
        values[change.row] = change.instead
    return values


@pytest.mark.parametrize("minimize", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_the_lies_of_small_tables_by_trying_all(script, seed, minimize):
    """With one forged run each: who could be first. With fewer lies than found, between the two best: nobody else."""
    runs = drawn(seed, minimize=minimize)
    found = script.examined(runs, best=10)
    ends, firsts = (runs.values.min(), runs.values.max()), set()
    for row, end in product(range(len(runs.values)), ends):
        values = runs.values.copy()
        values[row] = end
        firsts |= leader(runs, values)
    firsts -= {found.winner}
    assert found.firsts == len(firsts)
    worst = max if minimize else min
    assert found.worst == pytest.approx(worst(runs.means[list(firsts)]))
    assert (found.lies == 1) == bool(firsts)
    assert_withstands_fewer(script, runs, found, found.between - 1)


def assert_withstands_fewer(script, runs, found, lies):
    """The plan changes the winner of the two best; with fewer lies, nothing that was tried does."""
    two = np.isin(runs.option, script.best_first(runs)[:2])
    option = (runs.option[two] != found.winner).astype(int)  # the winner is option 0
    small = runs._replace(points=runs.points[:2], option=option, values=runs.values[two])
    audit = script.audited(small)
    assert audit.breakdown_lies == lies + 1
    assert leader(small, planned(small, audit)) != {0}
    low, high = small.values.min(), small.values.max()
    rng, rows = np.random.default_rng(0), range(len(option))
    for chosen in combinations(rows, lies):  # every lie at an end of the range: the most that it can do
        for ends in product((low, high), repeat=lies):
            values = small.values.copy()
            values[list(chosen)] = ends
            assert leader(small, values) == {0}
    for _ in range(2000):
        values = small.values.copy()
        values[rng.choice(len(option), lies, replace=False)] = rng.uniform(low, high, lies)
        assert leader(small, values) == {0}


def assert_budget(script, runs, found):
    """The budget on one run changes the winner; 99.9% of it, spread in 2,000 ways or put on any one run, does not."""
    sign, few = (-1 if runs.minimize else 1), np.bincount(runs.option)
    pivot = min((found.winner, found.rival), key=lambda option: few[option])
    values = runs.values.copy()
    values[np.flatnonzero(runs.option == pivot)[0]] += (
        sign * found.budget * (1 + 1e-6) * (-1 if pivot == found.winner else 1)
    )
    assert leader(runs, values) != {found.winner}
    rng, near = np.random.default_rng(1), np.flatnonzero(np.isin(runs.option, script.best_first(runs)[:50]))
    means, less = runs.means, 0.999 * found.budget
    changes = [
        (np.array([row]), np.array([less * sign * (-1 if runs.option[row] == found.winner else 1)])) for row in near
    ]
    for _ in range(2000):
        rows = rng.choice(near, size=rng.integers(1, 8), replace=False)
        amounts = rng.dirichlet(np.ones(len(rows))) * less * rng.choice([-1, 1], len(rows))
        changes.append((rows, amounts))
    for rows, amounts in changes:
        moved = means.copy()
        np.add.at(moved, runs.option[rows], amounts / few[runs.option[rows]])
        assert np.argmax(sign * moved) == found.winner
        assert (sign * moved == (sign * moved).max()).sum() == 1


@pytest.mark.parametrize("minimize", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_budget_of_small_tables(script, seed, minimize):
    runs = drawn(seed, minimize=minimize)
    assert_budget(script, runs, script.examined(runs, best=10))


@pytest.mark.parametrize("name", [pytest.param("mlp-blood", marks=pytest.mark.slow), "nas-cifar100"])
def test_the_numbers_of_real_tables(script, page, name):
    """And they are those of the page."""
    runs = recorded(name)
    found = script.examined(runs)
    assert leader(runs, runs.values) == {found.winner}
    assert leader(runs, planned(runs, script.audited(runs))) != {found.winner}
    assert_withstands_fewer(script, runs, found, found.between - 1)
    assert_budget(script, runs, found)
    stored = json.loads((ROOT / "benchmarks" / "results" / "fragile_winners.json").read_text(encoding="utf-8"))
    columns, (row,) = page.hpo_table({name: found})
    assert columns == stored["tables"]["tables"]["columns"]
    assert row in stored["tables"]["tables"]["rows"]


def test_a_loss_that_needs_two_lies(script):
    runs = recorded("net-protein")
    winner = int(script.best_first(runs)[0])
    assert_withstands_fewer(script, runs, script.Found(runs, winner, *[0] * 10), 1)


def test_copies_count_once(script):
    runs = drawn(0)
    twice = runs._replace(option=np.repeat(runs.option, 2), values=np.repeat(runs.values, 2))
    assert len(script.without_copies(twice).values) == len(twice.values)  # other runs differ: these are repeats
    single = runs._replace(option=np.repeat(np.arange(30), 2), values=np.repeat(runs.means, 2))
    found = script.without_copies(single)
    assert found.option.tolist() == list(range(30))
    assert (found.values == runs.means).all()


def test_tables_are_stored_as_they_are_read(script, monkeypatch, tmp_path):
    evidence = importlib.import_module("evidence")
    monkeypatch.setattr(evidence, "RESULTS", tmp_path)
    table = (["name", "value"], [["a", "1"], ["ü", "2"]])
    evidence.store("some", "python some.py", {"one": table, "two": (["only"], [["x"]])})
    assert evidence.stored("some", "one") == table
    assert evidence.stored("some", "two") == (["only"], [["x"]])


def test_a_verdict_in_short(page):
    assert page.short("No: 66 options of 100 may be the best; with 95% confidence no more can be said.") == (
        "No: 66 options of 100 may be the best"
    )
    assert page.short("No: option 3 (x1 = 0.5, x2 = 1) wins. Its lead is 2.") == "No: option 3 wins"
