"""The script behind the counts of f1's draws in docs/paper.md, against literal definitions on three draws."""

import importlib
from pathlib import Path

import numpy as np
import pytest

from unswayed import simulate
from unswayed.experiments.registry import make_attack, make_policy
from unswayed.problems import f1

ROOT = Path(__file__).parents[2]
ATTACKS = ("none", "clipping", "aggsub", "flip", "top-3", "top-5")
SOME = (37, 34, 10)  # the first property alone, the second alone, both; other seeds or budgets end differently


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("draws")


def literal(number):
    """The first property and the outcomes of GP-UCB, by their definitions, round by round."""
    problem, outcomes = f1(number), {}
    values = list(zip(problem.domain.tolist(), problem.f, strict=True))
    (x1, x2), best = max(values, key=lambda value: value[1])
    inside = max(f for (a, b), f in values if a <= b)
    for name in ATTACKS:
        policy, attack = make_policy("gp-ucb", problem, 50.0, 50_000), make_attack(name, problem)
        run = simulate(problem, policy, attack, budget=50.0, horizon=50_000, seed=0)
        rate = np.mean(best - problem.f[np.repeat(run.arms, run.repeats)[-1_000:]])
        settled = rate < 0.02 and problem.f[run.recommended_arm] == best
        outcomes[name] = "linear regret" if rate > 0.1 else "settled" if settled else "learning"
    return x1 > x2 and best - inside < 1, outcomes


def test_a_draw_has_its_properties_and_outcomes(script):
    found = {number: script.play(number) for number in SOME}
    assert found == {number: literal(number) for number in SOME}
    assert [(draw.first, draw.second) for draw in found.values()] == [(True, False), (False, True), (True, True)]


def test_the_counts(script):
    def draw(first, *outcomes):
        return script.Draw(first, dict(zip(ATTACKS, outcomes, strict=True)))

    linear = "linear regret"
    both = draw(True, "settled", "settled", linear, "learning", linear, linear)
    alone = draw(False, "settled", linear, "settled", "settled", linear, "learning")
    first = draw(True, "learning", linear, linear, "settled", linear, "settled")
    assert list(script.lines([first, first, alone, alone, alone, both])) == [
        "6 draws: 3 have the first property, 4 the second, 1 both",
        "Flip, settled: 3 of 4 with the second, 2 of 2 without",
        "Clipping, linear regret: 0 of 1 with both, 3 of 3 with the second alone",
        "AggSub, linear regret: 1 of 1 with both, 0 of 3 with the second alone",
        "Top-3, linear regret: 6 of 6",
        "Top-5, linear regret: 1 of 6",
        "No attack, linear regret: 0 of 6",
    ]


def test_the_pool_plays_the_draws_in_order(script, monkeypatch, capsys):
    monkeypatch.setattr(script, "DRAWS", 2)
    monkeypatch.setattr(script, "lines", lambda draws: map(repr, draws))
    script.main()
    assert capsys.readouterr().out.splitlines() == [repr(script.play(0)), repr(script.play(1))]
