"""Every claim can hold, and every claim can fail: on made-up results whose answers are known."""

import numpy as np
import pytest

from unswayed.experiments.store import schema
from unswayed.paper.checks import LED_ASTRAY, Evidence
from unswayed.paper.claims import CLAIMS, decide
from unswayed.paper.grid import FIGURES, Results, Scale, figure_lines
from unswayed.paper.reproduce import trials_for

SCALE = Scale(trials=10, horizon=50_000)
BY_NAME = {claim.name: claim for claim in CLAIMS}


def as_reported(setting, seed):
    """A run as the paper describes it."""
    astray = setting.policy == "gp-ucb" and setting.attack in LED_ASTRAY[setting.problem]
    regret = {"gp-ucb": 500.0, "rgp-ucb": 3000.0, "rgp-pe": 20_000.0}[setting.policy]
    regret = 40_000.0 if astray else regret + 10 * seed
    return {
        "outcome": "linear regret" if astray else "settled",
        "regret": regret,
        "recommended_gap": 0.5 if astray else 0.0,
        "corruption_spent": setting.budget,
        "curve": np.linspace(0, regret, 501).tolist(),
        "epoch_active": [100] * 6 + [5] * 7 + [1] if setting.policy == "rgp-pe" else [],
        "active_arms": 1,
        "epochs": 13,
    }


def results(change=lambda setting, seed, row: row):
    rows = []
    for figure in FIGURES:
        for experiment in figure_lines(figure, SCALE.horizon):
            for seed in range(SCALE.trials):
                row = change(experiment, seed, as_reported(experiment, seed))
                rows.append({**row, **experiment.identity(seed)})
    import pyarrow as pa

    return Results(pa.Table.from_pylist(rows, schema=schema()), SCALE)


@pytest.mark.parametrize("name", BY_NAME)
def test_every_claim_holds_in_the_world_of_the_paper(name):
    assert decide(BY_NAME[name], results()).verdict == "holds"


def spoil(**changes):
    return lambda setting, seed, row: {**row, **changes}


def spoil_if(condition, **changes):
    return lambda setting, seed, row: {**row, **changes} if condition(setting, seed) else row


@pytest.mark.parametrize(
    ("name", "change", "verdict"),
    [
        ("gp-ucb-alone", spoil(outcome="learning"), "does not hold"),
        ("gp-ucb-alone", spoil_if(lambda s, k: s.problem == "f1", outcome="learning"), "holds partly"),
        ("gp-ucb-alone", spoil_if(lambda s, k: k == 0, outcome="learning"), "holds"),  # nine of ten
        ("gp-ucb-alone", spoil_if(lambda s, k: k <= 1, outcome="learning"), "does not hold"),
        ("gp-ucb-f1", spoil(outcome="settled"), "does not hold"),
        ("gp-ucb-robot", spoil_if(lambda s, k: s.attack == "top-3", outcome="settled"), "holds partly"),
        ("gp-ucb-others", spoil(outcome="linear regret"), "does not hold"),
        ("two-most-effective", spoil(regret=1.0), "does not hold"),
        ("rgp-pe-one-arm", spoil(epoch_active=[100] * 13 + [2]), "does not hold"),
        ("rgp-pe-one-arm", spoil(epoch_active=[100] * 9, epochs=9), "does not hold"),
        ("rgp-pe-one-arm", spoil(epoch_active=[100] * 13, epochs=13, active_arms=1), "holds"),
        ("rgp-pe-robust", spoil(outcome="linear regret"), "does not hold"),
        ("rgp-ucb-robust", spoil_if(lambda s, k: s.attack == "flip", outcome="linear regret"), "holds partly"),
        ("rgp-ucb-below", spoil_if(lambda s, k: s.policy == "rgp-ucb", regret=1e9), "does not hold"),
        ("later-robust", spoil_if(lambda s, k: s.attack_start == "later", outcome="linear regret"), "does not hold"),
        ("later-similar", spoil_if(lambda s, k: s.attack_start == "later", regret=1e9), "does not hold"),
        ("later-exceptions", spoil_if(lambda s, k: k < 2, recommended_gap=0.1), "does not hold"),
        ("later-exceptions", spoil_if(lambda s, k: k < 2 and s.attack == "top-5", recommended_gap=0.1), "holds"),
        (
            "f1-100-indistinguishable",
            spoil_if(lambda s, k: s.attack == "top-3", curve=np.linspace(0, 39_000, 501).tolist()),
            "does not hold",
        ),
        ("appendix-gp-ucb", spoil_if(lambda s, k: s.budget == 50, outcome="settled"), "holds partly"),
        ("appendix-robust", spoil(outcome="linear regret"), "does not hold"),
    ],
)
def test_every_claim_can_fail(name, change, verdict):
    assert decide(BY_NAME[name], results(change)).verdict == verdict


def test_a_claim_without_its_runs_is_not_decided():
    empty = Results(schema().empty_table(), SCALE)
    for claim in CLAIMS:
        assert (decide(claim, empty) is None) == bool(claim.figures)


def test_verdicts():
    assert Evidence({"a": True, "b": True}).verdict == "holds"
    assert Evidence({"a": True, "b": False}).verdict == "holds partly"
    assert Evidence({"a": False}).verdict == "does not hold"


def test_the_grid_is_the_papers():
    trials = trials_for(SCALE)
    assert len({trial.fingerprint() for trial in trials}) == len(trials)
    # two functions, two budgets; GP-UCB: 6 lines; RGP-UCB and RGP-PE: 6 immediate and 5 later ones
    assert len(trials) == 2 * 2 * (6 + 2 * 11) * 10
