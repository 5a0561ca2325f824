"""Problems, policies and attacks by name, with the settings of Section 4 of the paper as defaults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from unswayed.adversaries import (
    Adversary,
    AggressiveSubtraction,
    Clipping,
    Flip,
    NoAttack,
    Start,
    Strongest,
    TopK,
    immediately,
    later,
)
from unswayed.core.bounds import guard_budget, theorem_psi
from unswayed.core.fitting import fit_lengthscale
from unswayed.core.information import gain_upper_bound
from unswayed.core.kernels import Kernel, Linear, Matern, gram, named_kernel
from unswayed.errors import InvalidInput, UnswayedError
from unswayed.policies import (
    GPUCB,
    InfluencePhasedElimination,
    InfluenceUCB,
    LinearPhasedElimination,
    Policy,
    RobustGPUCB,
    RobustPhasedElimination,
    VigilantUCB,
)
from unswayed.policies.gp_ucb import LogDetBeta, SqrtLogBeta
from unswayed.policies.influence_ucb import confidence_weight
from unswayed.policies.linear_phased_elimination import balanced_error, matern_error
from unswayed.policies.robust_phased_elimination import ExperimentsWidth, TheoryWidth
from unswayed.problems import Problem, f1, linear, read_table, robot3d, table
from unswayed.types import growth, positive, probability, whole

ATTACKS: dict[str, Callable[[Problem], Adversary]] = {
    "none": lambda problem: NoAttack(),
    "clipping": lambda problem: Clipping(problem.target, problem.margin),
    "aggsub": lambda problem: AggressiveSubtraction(problem.target, problem.h_max),
    "top-3": lambda problem: TopK(3),
    "top-5": lambda problem: TopK(5),
    "flip": lambda problem: Flip(),
    "strongest": lambda problem: Strongest(),
}
PAPER_ATTACKS = ("none", "clipping", "aggsub", "top-3", "top-5", "flip")
CERTIFIED = ("influence-ucb", "influence-pe")
NOISE_LAM = (*CERTIFIED, "vigilant-ucb")  # policies whose lam is the noise variance unless it is given
STARTS: dict[str, Start] = {"immediate": immediately, "later": later}
PROBLEMS: dict[str, Callable[..., Problem]] = {"f1": f1, "robot3d": robot3d, "linear": linear}


@dataclass(frozen=True)
class Settings:
    """What a policy may be told beyond its budget; None stands for the default of problem and paper."""

    beta: float | None = None  # beta_h of RGP-PE; for index policies the scale in scale * sqrt(ln t)
    b: float = 0.1
    lam: float | None = None  # None: 1, and the noise variance for the policies of NOISE_LAM
    eta: float = 2.0
    psi: float | Literal["theorem"] = 0.5
    delta: float = 0.05
    norm: float | None = None
    width: str = "experiments"
    error: str = "balanced"

    def __post_init__(self) -> None:
        if self.width not in ("experiments", "theory"):
            raise unknown("width", self.width, ("experiments", "theory"))
        if self.error not in ("balanced", "matern"):
            raise unknown("error", self.error, ("balanced", "matern"))
        probability(self.delta, "delta")
        growth(self.eta)
        if self.psi != "theorem" and not 0 <= self.psi <= 1:
            raise InvalidInput(f"psi must lie in [0, 1] or be 'theorem', not {self.psi:g}")
        if self.lam is not None:
            positive(self.lam, "lam")
        positive(self.b, "b", zero=True)
        if self.beta is not None:
            positive(self.beta, "beta", zero=True)
        if self.norm is not None:
            positive(self.norm, "norm")


def make_problem(
    name: str,
    draw: int | None = None,
    *,
    noise_std: float | None = None,
    kernel: str | None = None,
    lengthscale: float | None = None,
) -> Problem:
    """A problem of the paper by name, or a table from a CSV file.

    `kernel` (se, linear or matern-NU) and `lengthscale` replace what policies assume; where only the kernel
    is named, or a table comes without either, the most likely length-scale for the true values is taken.
    """
    if name in PROBLEMS:
        problem = PROBLEMS[name]() if draw is None else PROBLEMS[name](draw)
    elif name.lower().endswith(".csv"):
        if draw is not None:
            raise InvalidInput("a table has no draws")
        problem = table(*read_table(Path(name)), kernel=Linear(1e300), name=name)
        kernel = kernel or "se"
    else:
        raise unknown("problem", name, (*PROBLEMS, "FILE.csv"))
    if kernel is not None:
        problem = replace(problem, kernel=make_kernel(kernel, lengthscale, problem))
    elif lengthscale is not None:
        if isinstance(problem.kernel, Linear):
            raise InvalidInput("the linear kernel has no length-scale")
        problem = replace(problem, kernel=replace(problem.kernel, lengthscale=lengthscale))  # type: ignore[type-var]
    return problem if noise_std is None else replace(problem, noise_std=noise_std)


def make_kernel(name: str, lengthscale: float | None, problem: Problem) -> Kernel:
    """A kernel by name for the points of `problem`, fitted to its values without a length-scale."""
    kernel = named_kernel(name, lengthscale, problem.domain)
    if lengthscale is not None or isinstance(kernel, Linear):
        return kernel
    return fit_lengthscale(kernel, problem.domain, problem.f)


def make_attack(name: str, problem: Problem) -> Adversary:
    """An attack of Section 4 by name, aimed at `problem`."""
    if name not in ATTACKS:
        raise unknown("attack", name, ATTACKS)
    return ATTACKS[name](problem)


def guard(name: str, problem: Problem, horizon: int, settings: Settings | None = None) -> float:
    """The budget that a policy guards against when the true one is unknown: sqrt(T / gamma_T) at its own lam."""
    s = settings or Settings()
    lam = _lam(s, problem.noise_std**2 if name in NOISE_LAM else 1.0)
    return guard_budget(whole(horizon, "the horizon", least=1), gamma_bound(problem, lam, horizon)[0])


def make_policy(
    name: str, problem: Problem, budget: float, horizon: int, settings: Settings | None = None
) -> Policy[Any]:
    """A policy by name that believes in `budget`; the truth of `problem` is used for its norm only."""
    if name not in POLICIES:
        raise unknown("policy", name, POLICIES)
    positive(budget, "the budget", zero=True)
    whole(horizon, "the horizon", least=1)
    return POLICIES[name](problem, budget, horizon, settings or Settings())


def gamma_bound(problem: Problem, lam: float, horizon: int) -> tuple[float, str]:
    """An upper bound of gamma_T on the problem's domain, and the name of the bound."""
    return gain_upper_bound(gram(problem.kernel, problem.domain), lam, horizon)


def _norm(problem: Problem, s: Settings) -> float:
    return problem.norm if s.norm is None else s.norm


def _lam(s: Settings, default: float = 1.0) -> float:
    return default if s.lam is None else s.lam


def _index_beta(problem: Problem, s: Settings) -> SqrtLogBeta | LogDetBeta:
    if s.width == "theory":
        return LogDetBeta(_norm(problem, s), problem.noise_std, s.delta)
    return SqrtLogBeta(problem.beta_scale if s.beta is None else s.beta)


def _gp_ucb(problem: Problem, budget: float, horizon: int, s: Settings) -> Policy[Any]:
    return GPUCB(problem.domain, problem.kernel, _index_beta(problem, s), _lam(s))


def _rgp_ucb(problem: Problem, budget: float, horizon: int, s: Settings) -> Policy[Any]:
    b = 1.0 if s.width == "theory" else s.b
    beta = _index_beta(problem, s)
    return RobustGPUCB(problem.domain, problem.kernel, beta, _lam(s), corruption_budget=budget, b=b)


def _rgp_pe(problem: Problem, budget: float, horizon: int, s: Settings) -> Policy[Any]:
    width: TheoryWidth | ExperimentsWidth
    if s.width == "theory":
        width = TheoryWidth(_norm(problem, s), problem.noise_std, s.delta)
    else:
        width = ExperimentsWidth(problem.beta_phased if s.beta is None else s.beta, s.b)
    psi = theorem_psi(s.eta, gamma_bound(problem, _lam(s), horizon)[0]) if s.psi == "theorem" else s.psi
    return RobustPhasedElimination(problem.domain, problem.kernel, budget, width, _lam(s), s.eta, psi)


def _linear_pe(problem: Problem, budget: float, horizon: int, s: Settings) -> Policy[Any]:
    error = balanced_error(horizon)
    if s.error == "matern":
        if not isinstance(problem.kernel, Matern):
            raise InvalidInput("the error 'matern' is for problems with a Matern kernel")
        error = matern_error(horizon, problem.domain.shape[1], problem.kernel.nu)
    return LinearPhasedElimination(
        domain=problem.domain,
        kernel=problem.kernel,
        corruption_budget=budget,
        horizon=horizon,
        norm_bound=_norm(problem, s),
        noise_std=problem.noise_std,
        error=error,
        delta=s.delta,
    )


def _influence_ucb(problem: Problem, budget: float, horizon: int, s: Settings) -> Policy[Any]:
    B, sigma, lam = _norm(problem, s), problem.noise_std, _lam(s, problem.noise_std**2)
    gamma, _ = gamma_bound(problem, lam, horizon)
    alpha = confidence_weight(B, sigma, lam, s.delta, gamma, budget)
    return InfluenceUCB(problem.domain, problem.kernel, budget, B, sigma, s.delta, lam, alpha)


def _influence_pe(problem: Problem, budget: float, horizon: int, s: Settings) -> Policy[Any]:
    lam = _lam(s, problem.noise_std**2)
    return InfluencePhasedElimination(
        problem.domain, problem.kernel, budget, _norm(problem, s), problem.noise_std, s.delta, lam, s.eta
    )


def _vigilant_ucb(problem: Problem, budget: float, horizon: int, s: Settings) -> Policy[Any]:
    beta = 2.0 if s.beta is None else s.beta
    return VigilantUCB(problem.domain, problem.kernel, budget, _lam(s, problem.noise_std**2), beta)


POLICIES: dict[str, Callable[[Problem, float, int, Settings], Policy[Any]]] = {
    "rgp-pe": _rgp_pe,
    "gp-ucb": _gp_ucb,
    "rgp-ucb": _rgp_ucb,
    "linear-pe": _linear_pe,
    "influence-ucb": _influence_ucb,
    "influence-pe": _influence_pe,
    "vigilant-ucb": _vigilant_ucb,
}


def unknown(kind: str, name: str, known: Any) -> UnswayedError:
    """The error for a name that is not in the registry."""
    return UnswayedError(f"unknown {kind} {name!r}: choose one of {', '.join(known)}")
