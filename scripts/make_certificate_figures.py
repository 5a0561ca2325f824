"""The figure of docs/explanation/theory.md: three arms on which an index without confidence weights keeps paying."""

from dataclasses import replace
from pathlib import Path

from matplotlib.figure import Figure

from unswayed import simulate
from unswayed.adversaries import NoAttack
from unswayed.experiments.registry import make_policy
from unswayed.plots.style import BAD, colour, finish_axes, save
from unswayed.problems import three_arms

C = 10.0
HORIZONS = (10**4, 10**5, 10**6, 10**7)
regret = {"plain index": [], "influence-ucb": [], "influence-pe": []}
for T in HORIZONS:
    problem = three_arms(C, T)
    ucb = make_policy("influence-ucb", problem, C, T)
    policies = {
        "plain index": replace(ucb, weighted=False),
        "influence-ucb": ucb,
        "influence-pe": make_policy("influence-pe", problem, C, T),
    }
    for name, policy in policies.items():
        run = simulate(problem, policy, NoAttack(), budget=0, horizon=T, seed=0)
        regret[name].append(run.regret)
        print(f"T = {T:.0e}, {name}: {run.regret:.1f}")
figure = Figure(figsize=(5.2, 3.4), layout="constrained")
axes = figure.subplots()
for name, marker in zip(regret, "osD", strict=True):
    axes.plot(
        HORIZONS, regret[name], marker=marker, label=name, color=BAD if name == "plain index" else colour(name, 0)
    )
finish_axes(axes, xlabel="horizon T")
axes.set(xscale="log", yscale="log", ylabel="final regret", title="three arms, C = 10, no attack")
axes.legend(frameon=False)
save(figure, Path(__file__).parent.parent / "docs" / "three-arms.png")
