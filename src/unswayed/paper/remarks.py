"""The rules that decide the paper's empirical remarks outside Section 4.5, from finished runs and the functions.

    X_h   arms active in epoch h           l_h   its nominal length, 2^(h+1)
    u_h   its plays                        psi   least share of an arm in its design, 0.5 in Section 4
    f~    values as an attack shows them   C     corruption budget

Words: a subset is *small* if it is less than half; *much smaller* is at most a quarter; lengths are *similar* within a
factor of two; a regret grows *significantly* if it more than doubles; a constant is *large* above ten; a regret that
degrades *minimally* grows by at most 25%. With half or twice these numbers the verdicts at the paper's size are the
same. The other words are those of `checks.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from math import sqrt

import numpy as np

from unswayed.core.gp.fitting import fit_lengthscale
from unswayed.core.gp.kernels import SquaredExponential
from unswayed.core.theory import bounds
from unswayed.core.theory.regret_bounds import number_of_epochs, regret_bound
from unswayed.experiments.registry import gamma_bound, make_attack
from unswayed.experiments.settings import PolicySettings
from unswayed.paper.checks import FIVE, LED_ASTRAY, Draws, Evidence, Lines, Row, cells, evidence, mostly, named, similar
from unswayed.paper.grid import ATTACKED, FIGURES, PROBLEMS, PSI, ROBUST, Results, side_lines
from unswayed.problems import Problem
from unswayed.types import FloatArray, View

DELTA = PolicySettings().delta


def small_subset(results: Results, draws: Draws) -> Evidence:
    """Parts: function and budget; true if every completed epoch plays fewer than half of its active arms, where more
    than two are active.

    Each arm of a design is played at least l_h/2 times (psi = 0.5), and all but one exactly so often if there are two
    or more. So 2 u_h/l_h, rounded down, is their number (or 2 where it is 1).
    """
    found, notes = {}, []
    for figure in FIGURES:
        epochs = _epochs(Lines(results, draws).all_rows(figure, ("rgp-pe",)))
        shares = _ratios((min(2 * u // l_h, active), active) for l_h, u, active in epochs if active > 2)
        found[named(figure)] = shares.max() < 0.5, shares.max()
        notes.append(f"{np.mean(shares >= 0.5):.0%}")
    note = f"Numbers: largest share of the active arms. Half or more in {', '.join(notes)} of the epochs."
    return evidence(found, note)


def degrades_minimally(results: Results, draws: Draws) -> Evidence:
    """Parts: function, budget and attack; true if the regret of RGP-PE is at most 25% above that without attack, or,
    without an attack, at most 25% above that of GP-UCB, which takes no precautions.
    """
    found = {}
    lines = Lines(results, draws)
    for part, cell in cells(FIGURES, ("rgp-pe",), FIVE):
        ratio = lines.regret(*cell) / lines.regret(cell[0], "rgp-pe", "none")
        found[part] = ratio <= 1.25, ratio
    for figure in FIGURES:
        ratio = lines.regret(figure, "rgp-pe", "none") / lines.regret(figure, "gp-ucb", "none")
        found[f"{named(figure)}, no attack, against GP-UCB"] = ratio <= 1.25, ratio
    return evidence(found, "Numbers: regret over that without the attack, or over that of GP-UCB.")


def figure_1_trend(results: Results, draws: Draws) -> Evidence:
    """Parts: policy and attack. GP-UCB: true if the distance from its curve without attack grows in every quarter of
    the run and its regret more than doubles. RGP-PE: true if its regret is similar to that without attack.
    """
    found = {}
    lines = Lines(results, draws)
    for policy in ("gp-ucb", "rgp-pe"):
        honest, *attacked = (
            np.mean([row["curve"] for row in lines.rows(4, policy, attack)], axis=0)
            for attack in ("none", "top-3", "top-5")
        )
        for attack, curve in zip(("top-3", "top-5"), attacked, strict=True):
            ratio = curve[-1] / honest[-1]
            growth = np.diff((curve - honest)[:: len(curve) // 4])
            worse = bool(ratio > 2 and np.all(growth > 0))
            found[f"{policy}, {attack}"] = worse if policy == "gp-ucb" else similar(ratio, 1), float(ratio)
    return evidence(found, "Numbers: final regret over that without attack.")


def two_regrets(results: Results, draws: Draws) -> Evidence:
    """Parts: function and budget, for two readings; true if the two regrets never differ by more than 2 C.

    If the rewards of the plays count as corrupted, the regrets differ by the corruption that the plays met. If the
    best arm is sought among the corrupted values too, max f becomes max f~ in every round of an attack: this is
    computed for GP-UCB under attacks that only lower values and last for the whole run.
    """
    found = {}
    T = results.scale.horizon
    for figure, (name, C) in FIGURES.items():
        lines = Lines(results, draws)
        problem = draws.instance(name)
        met = max(row["corruption_spent"] for row in lines.all_rows(figure, ("gp-ucb", *ROBUST), attacked=True))
        found[f"{named(figure)}, values of the plays"] = met <= 2 * C, met
        apart = [
            abs(T * (problem.f.max() - shown.max()) - row["corruption_spent"])
            for attack in LED_ASTRAY["f1"]
            for shown in [_shown(problem, attack)]
            for row in lines.rows(figure, "gp-ucb", attack)
            if row["corruption_spent"] < C
        ]
        if apart:
            found[f"{named(figure)}, values of all arms"] = max(apart) <= 2 * C, max(apart)
    note = "Numbers: largest difference. The budget of the paper is charged for the plays only; the remark holds for "
    return evidence(found, f"{note}values of all arms if the largest corruption of any arm is charged in each round.")


def _shown(problem: Problem, attack: str) -> FloatArray:
    """f~: all values as an attack shows them to an index policy."""
    view = View(np.arange(problem.n_arms), problem.f, problem.f, problem.f)
    return problem.f + make_attack(attack, problem).corrupt(problem.f, view, np.random.default_rng(0))


def narrower_width(results: Results, draws: Draws) -> Evidence:
    """Parts: function and budget; true if sqrt(u_h)/u_min is at most a quarter in more than half of the epochs."""
    found = {}
    psi = PolicySettings().psi
    for figure in FIGURES:
        epochs = _epochs(Lines(results, draws).all_rows(figure, ("rgp-pe",)))
        ratios = _ratios((sqrt(u), l_h * float(psi)) for l_h, u, _ in epochs)
        found[named(figure)] = np.mean(ratios <= 0.25) > 0.5, float(np.median(ratios))
    return evidence(found, "Numbers: median of sqrt(u_h)/(l_h psi) over all completed epochs.")


def psi_costs(results: Results, draws: Draws) -> Evidence:
    """Parts: function and step of psi; true if at least nine of ten trials have a larger regret after the step."""
    found, notes = {}, []
    for name in PROBLEMS:
        lines = side_lines("psi", name, results.scale.horizon, draws.of(name))
        regrets = [results.column(one, "regret", draws.trials) for one in lines]
        for n, (less, more) in enumerate(pairwise(PSI)):
            part = f"{name}, psi {less:g} to {more:g}"
            found[part] = mostly(list(regrets[n + 1] > regrets[n])), float(regrets[n + 1].mean() / regrets[n].mean())
        notes.append(f"{name}: " + ", ".join(f"{r.mean():,.0f} ± {r.std():,.0f}" for r in regrets))
    values = ", ".join(f"{psi:g}" for psi in PSI)
    return evidence(found, f"Numbers: ratio of the regrets. Regret at psi = {values}: {'; '.join(notes)}.")


def theory_gap(results: Results, draws: Draws) -> Evidence:
    """Parts: function and budget; true if Theorem 1 allows more than ten times the largest regret of RGP-PE."""
    found = {}
    T = results.scale.horizon
    settings = PolicySettings()
    lam = settings.regularisation()
    eta = settings.eta
    last = int(number_of_epochs(results.scale.horizon))
    for figure, (name, C) in FIGURES.items():
        problem = draws.instance(name)
        gamma = gamma_bound(problem, lam, T)[0]
        beta = _beta(problem, last)
        bound = regret_bound(problem.norm, C, beta, lam, eta, bounds.theorem_psi(eta, gamma), gamma, T)
        largest = max(row["regret"] for row in Lines(results, draws).all_rows(figure, ("rgp-pe",)))
        found[named(figure)] = bound > 10 * largest, bound / largest
    return evidence(found, "Numbers: bound over largest regret.")


def _beta(problem: Problem, h: int) -> float:
    """The beta of Corollary 1 in epoch h, with the true norm."""
    delta_h = bounds.epoch_delta(DELTA, h)
    return bounds.nonadaptive_beta(problem.norm, problem.noise_std, 1.0, problem.n_arms, delta_h)


def few_epochs(results: Results, draws: Draws) -> Evidence:
    """Parts: function and budget; true if the number of epochs H is the same in all runs up to one, and so small that
    the beta of Corollary 1 grows by less than 10% over them.
    """
    found = {}
    for figure, (name, _) in FIGURES.items():
        counts = [len(row["epoch_plays"]) for row in Lines(results, draws).all_rows(figure, ("rgp-pe",))]
        growth = _beta(draws.instance(name), max(counts) - 1) / _beta(draws.instance(name), 0)
        found[named(figure)] = max(counts) - min(counts) <= 1 and growth < 1.1, float(max(counts))
    limit = number_of_epochs(results.scale.horizon)
    return evidence(
        found, f"Numbers: largest H, the epoch that the horizon cuts included. H <= {limit:.1f} for any run."
    )


def too_wide(results: Results, draws: Draws) -> Evidence:
    """Parts: policy and function; true if without attack no trial settles with all of C in the width, and at least
    nine of ten do with the width of Section 4.
    """
    found = {}
    for figure in (3, 4):
        name = FIGURES[figure][0]
        for wider in side_lines("width", name, results.scale.horizon, draws.of(name)):
            wide = results.trials(wider, draws.trials)
            narrow = Lines(results, draws).rows(figure, wider.policy, "none")
            settled = mostly([row["outcome"] == "settled" for row in narrow])
            stuck = all(row["outcome"] != "settled" for row in wide)
            ratio = np.mean([row["regret"] for row in wide]) / np.mean([row["regret"] for row in narrow])
            found[f"{wider.policy}, {named(figure)}"] = settled and stuck, float(ratio)
    return evidence(found, "Numbers: regret with all of C over that with b = 0.1.")


def u_like_l(results: Results, draws: Draws) -> Evidence:
    """Parts: function and budget; true if u_h and l_h are within a factor of two in every completed epoch."""
    found, notes = {}, []
    for figure in FIGURES:
        epochs = _epochs(Lines(results, draws).all_rows(figure, ("rgp-pe",)))
        ratios = _ratios((u, l_h) for l_h, u, _ in epochs)
        found[named(figure)] = ratios.max() <= 2 and ratios.min() >= 0.5, ratios.max()
        notes.append(f"{np.mean(ratios > 2):.0%}")
    note = f"Numbers: largest u_h/l_h. Above 2 in {', '.join(notes)} of the epochs. sqrt(u_h)/l_h is larger than the "
    return evidence(found, f"{note}1/sqrt(u_h) that replaces it by the same factor.")


def _epochs(rows: list[Row]) -> Iterator[tuple[int, int, int]]:
    """l_h, u_h and the number of active arms of all completed epochs."""
    for row in rows:
        for h in range(row["epochs"]):
            yield 2 ** (h + 1), row["epoch_plays"][h], row["epoch_active"][h]


def _ratios(pairs: Iterable[tuple[float, float]]) -> FloatArray:
    """One number for each pair. Without a pair: NaN, for which every comparison is false."""
    return np.array([a / b for a, b in pairs] or [np.nan])


def more_exploration(results: Results, draws: Draws) -> Evidence:
    """Parts: policy and attack on Robot3D; true if at least nine of ten trials have a lower regret with the larger
    beta than with that of f1.
    """
    found = {}
    for one in side_lines("beta", "robot3d", results.scale.horizon, draws.robot3d):
        pair = (one, replace(one, settings=PolicySettings()))
        less, more = (results.column(experiment, "regret", draws.trials) for experiment in pair)
        found[f"{one.policy}, {one.attack}"] = mostly(list(more < less)), float(more.mean() / less.mean())
    return evidence(found, "Numbers: regret with the larger beta over that with the smaller one.")


def attacks_as_defined(results: Results, draws: Draws) -> Evidence:
    """Parts: function and attack; true if the best arm lies outside the target region and the largest value that the
    attack shows lies inside; for Aggressive Subtraction also if h_max exceeds what the target region loses.
    """
    found = {}
    for name in PROBLEMS:
        problem = draws.instance(name)
        loss = float(problem.f.max() - problem.f[problem.target].max())
        for attack in ATTACKED[:2]:
            moved = not problem.target[problem.best_arm] and problem.target[np.argmax(_shown(problem, attack))]
            found[f"{name}, {attack}"] = bool(moved and (attack == "clipping" or loss < problem.h_max)), loss
    return evidence(found, "Numbers: f(best arm) - f(best arm of the target region).")


def lengthscale(results: Results, draws: Draws) -> Evidence:
    """True if the most likely length-scale rounds to 2."""
    problem = draws.instance("robot3d")
    fitted = float(np.squeeze(fit_lengthscale(SquaredExponential(), problem.domain, problem.f).lengthscale))
    note = "The paper finds 1.94 on its own, unpublished points."
    return Evidence({"robot3d": round(fitted) == 2}, {"length-scale": fitted}, note)
