"""Draw docs/one-forged-value.png, the first figure of the README: Optuna and Unswayed after one forged value."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import optuna
from matplotlib.figure import Figure

from unswayed.integrations.optuna import recommend
from unswayed.plots.style import BAD, GOOD, KEPT, NEUTRAL, save

TRIALS = 60


def truth(rate):
    return 0.9 - 0.06 * np.log10(rate / 0.01) ** 2


def forged_study():
    """60 trials by TPE. A faulty worker measures the first one at a high rate and reports 0.99."""
    noise, forged = np.random.default_rng(0), []

    def accuracy(trial):
        rate = trial.suggest_float("rate", 1e-4, 1.0, log=True)
        if rate > 0.3 and not forged:
            forged.append(trial.number)
            return 0.99
        return truth(rate) + noise.normal(0, 0.005)

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(accuracy, n_trials=TRIALS)
    return study, forged[0]


def draw(study, forged):
    fooled, found = study.best_params["rate"], recommend(study, threat=0.5).point["rate"]
    rates = np.array([trial.params["rate"] for trial in study.trials])
    values = np.array([trial.value for trial in study.trials])
    honest = np.arange(len(values)) != forged
    figure = Figure(figsize=(8.4, 3.6), layout="constrained")
    axes = figure.subplots()
    grid = np.geomspace(1e-4, 1, 300)
    axes.plot(grid, truth(grid), color=NEUTRAL, linewidth=1.2, label="true accuracy")
    axes.plot(rates[honest], values[honest], "o", color=KEPT, alpha=0.55, markersize=5, markeredgewidth=0,
              label=f"{honest.sum()} honest measurements")  # fmt: skip
    axes.plot(fooled, values[forged], "x", color=BAD, markersize=9, markeredgewidth=2.2, label="one forged measurement")
    axes.plot(fooled, truth(fooled), "s", color=BAD, markersize=9)
    axes.annotate("", (fooled, truth(fooled) + 0.01), (fooled, values[forged] - 0.01),
                  arrowprops={"arrowstyle": "->", "color": BAD, "linestyle": ":"})  # fmt: skip
    axes.plot(found, truth(found), "*", color=GOOD, markersize=17, markeredgecolor="white", zorder=4)
    axes.annotate(f"Optuna's best_params:\nrate {fooled:.2g}, in truth {truth(fooled):.2f}", (fooled, truth(fooled)),
                  (-12, -4), textcoords="offset points", ha="right", va="center", color=BAD)  # fmt: skip
    axes.annotate(f"Unswayed's recommend:\nrate {found:.2g}, in truth {truth(found):.2f}", (found, truth(found)),
                  (0, 14), textcoords="offset points", ha="center", color=GOOD)  # fmt: skip
    axes.set(xscale="log", xlabel="learning rate", ylabel="accuracy", ylim=(0.6, 1.02))
    axes.legend(frameon=False, loc="lower center", fontsize=9)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


if __name__ == "__main__":
    save(draw(*forged_study()), Path(__file__).parent.parent / "docs" / "one-forged-value.png")
