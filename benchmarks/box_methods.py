"""What `boxes.py` compares: one game of noise and attack, and the optimisers that play it.

Every optimiser gets an objective on points of the box and returns the point that it recommends.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.stats import qmc

from unswayed import GPUCB, Corrupted, Feedback, Matern, UnswayedError
from unswayed.core.gp.fitting import fit_lengthscale
from unswayed.policies.gp_ucb import SqrtLogBeta
from unswayed.problems import BoxProblem, ackley5, branin, hartmann6
from unswayed.types import FloatArray
from unswayed_gauntlet.liars.boxes import BoxAttack, Clipping, Flip, LevelSet, Promote

Objective = Callable[[FloatArray], float]
FUNCTIONS = {problem.name: problem for problem in (branin, hartmann6, ackley5)}
ATTACKS: dict[str, Callable[[BoxProblem], BoxAttack]] = {
    "none": lambda p: BoxAttack(p.function),
    "level-set": lambda p: LevelSet.over(p.function, p.bounds),
    "flip": lambda p: Flip.over(p.function, p.best, p.worst),
    "clipping": lambda p: Clipping.over(p.function, p.bounds, p.best, p.worst),
    "promote": lambda p: Promote.over(p.function, p.bounds, p.best, p.worst),
}
N_ARMS, BETA_SCALE, FIRST_PLAYS = 1000, 1.0, 10  # of gp-ucb: arms, beta_t = scale sqrt(ln t), plays for each dimension


@cache
def attack_on(function: str, attack: str) -> BoxAttack:
    """The attack, made once: it is the same for all seeds and methods."""
    return ATTACKS[attack](FUNCTIONS[function])


def game(problem: BoxProblem, attack: str, budget: float, plays: int, seed: int) -> Corrupted:
    """f + noise + corruption for at most `plays` plays. The noise of play t is draw t, whatever the attack."""
    stream = np.random.default_rng([zlib.crc32(problem.name.encode()), seed])
    noise = iter(problem.noise_std * stream.standard_normal(plays))

    def measure(x: FloatArray) -> float:
        drawn = next(noise, None)
        if drawn is None:
            raise UnswayedError(f"the optimiser wants more than its {plays} plays")
        return float(problem.function(np.asarray(x, dtype=np.float64)[None])[0] + drawn)

    return Corrupted(measure, attack_on(problem.name, attack), budget)


def names(problem: BoxProblem) -> list[str]:
    return [f"x{i + 1}" for i in range(problem.dimension)]


def unswayed(objective: Objective, problem: BoxProblem, plays: int, budget: float, seed: int) -> FloatArray:
    """unswayed.maximize as it is, told the budget."""
    try:
        from unswayed import Box, Real, maximize
    except ImportError:
        raise UnswayedError("this unswayed has no maximize; leave the method `unswayed` out") from None
    keys = names(problem)
    space = Box({key: Real(float(low), float(high)) for key, (low, high) in zip(keys, problem.bounds, strict=True)})

    def on_names(x: dict[str, float]) -> float:
        return objective(np.array([x[key] for key in keys]))

    result = maximize(on_names, space, plays=plays, threat=budget, seed=seed)
    return np.array([result.point[key] for key in keys])


def optuna_study(sampler: str) -> Callable[[Objective, BoxProblem, int, float, int], FloatArray]:
    """One of Optuna's samplers with its default settings; recommends the best trial, as study.best_params."""

    def run(objective: Objective, problem: BoxProblem, plays: int, budget: float, seed: int) -> FloatArray:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        keys = names(problem)

        def on_trial(trial: optuna.Trial) -> float:
            sides = zip(keys, problem.bounds, strict=True)
            return objective(np.array([trial.suggest_float(key, low, high) for key, (low, high) in sides]))

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that some samplers are experimental
            study = optuna.create_study(direction="maximize", sampler=getattr(optuna.samplers, sampler)(seed=seed))
            study.optimize(on_trial, n_trials=plays)
        return np.array([study.best_params[key] for key in keys])

    return run


def gp_ucb(objective: Objective, problem: BoxProblem, plays: int, budget: float, seed: int) -> FloatArray:
    """GP-UCB on scrambled Sobol points: one play each of the first 10 d fits a Matern 5/2 kernel, then the policy.

    Values are standardised by the mean and deviation of these first plays; the noise is known, as in the paper.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that 1,000 is not a power of 2
        unit = qmc.Sobol(problem.dimension, seed=seed).random(N_ARMS)
    arms = problem.scaled(unit)
    first = min(FIRST_PLAYS * problem.dimension, plays)
    seen = np.array([objective(x) for x in arms[:first]])
    centre, spread = seen.mean(), seen.std()
    values, lam = (seen - centre) / spread, (problem.noise_std / spread) ** 2
    kernel = fit_lengthscale(Matern(2.5), unit[:first], values, lam=lam)
    policy = GPUCB(unit, kernel, beta=SqrtLogBeta(BETA_SCALE), lam=lam)
    state = policy.tell(policy.init(), Feedback.from_rewards(np.arange(first), values))
    rng = np.random.default_rng(seed)
    for _ in range(plays - first):
        arm = int(policy.ask(state, rng).arms[0])
        reward = (objective(arms[arm]) - centre) / spread
        state = policy.tell(state, Feedback(np.array([arm]), np.array([1]), np.array([reward])))
    return arms[policy.recommend(state)]


METHODS = {"unswayed": unswayed, "tpe": optuna_study("TPESampler"), "gp-ucb": gp_ucb, "gp": optuna_study("GPSampler")}
