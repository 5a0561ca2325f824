"""Policies, attacks and problems by name: label, colour, flags and how each is made, in one place.

A new one is one function here. The defaults are those of Section 4 of the paper. Heavy modules are imported when
something is made, so that `unswayed --help` can list the names at no cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from unswayed.errors import InvalidInput
from unswayed.experiments.own import attribute, is_own, make_own
from unswayed.experiments.settings import PolicySettings, unknown

if TYPE_CHECKING:
    from unswayed.adversaries import Adversary, Start
    from unswayed.policies.gp_ucb import LogDetBeta, SqrtLogBeta
    from unswayed.policies.protocol import Policy
    from unswayed.problems import Problem

Maker = Callable[..., Any]
STARTS = ("immediate", "later")
LIES = "for --lies"


@dataclass(frozen=True)
class Entry:
    """One registered name. `colour` is a word of the palette of `plots/style.py`."""

    name: str
    label: str
    colour: str
    make: Maker
    note: str = ""  # a remark for the help of the command line
    certified: bool = False  # a policy whose guarantee holds for every attack within its budget, or of counted lies
    trims: bool = False  # a policy that takes numbers of lies and of liars in place of a budget
    weighs: bool = False  # a policy that judges single rewards itself: they are not clipped for it
    noise_lam: bool = False  # a policy whose lam is the noise variance unless it is given
    paper: bool = False  # an attack of Section 4 of the paper


def _table(*entries: Entry) -> dict[str, Entry]:
    return {entry.name: entry for entry in entries}


def _problem(name: str, draw: int | None) -> Problem:
    """One of ours; its default draw if none is given."""
    made: Problem = getattr(import_module("unswayed.problems"), name)(*([] if draw is None else [draw]))
    return made


_adversaries = partial(import_module, "unswayed.adversaries")
PROBLEMS = _table(
    Entry("f1", "f1", "blue", partial(_problem, "f1")),
    Entry("robot3d", "Robot3D", "vermilion", partial(_problem, "robot3d")),
    Entry("linear", "linear", "green", partial(_problem, "linear")),
)
ATTACKS = _table(
    Entry("none", "no attack", "black", lambda problem: _adversaries().NoAttack(), paper=True),
    Entry("clipping", "Clipping", "orange", lambda p: _adversaries().Clipping(p.target, p.margin), paper=True),
    Entry("aggsub", "AggSub", "sky", lambda p: _adversaries().AggressiveSubtraction(p.target, p.h_max), paper=True),
    Entry("top-3", "Top-3", "green", lambda problem: _adversaries().TopK(3), paper=True),
    Entry("top-5", "Top-5", "vermilion", lambda problem: _adversaries().TopK(5), paper=True),
    Entry("flip", "Flip", "blue", lambda problem: _adversaries().Flip(), paper=True),
    Entry("strongest", "strongest", "pink", lambda problem: _adversaries().Strongest(), "knows the posterior"),
    Entry("spikes-hide", "hiding spikes", "wine", lambda p: _adversaries().SpikesHide(), LIES),
    Entry("spikes-hide-in-range", "hiding", "indigo", lambda p: _adversaries().SpikesHide(shown=p.bounds()[0]), LIES),
    Entry("spikes-promote", "promoting spikes", "olive", lambda p: _adversaries().SpikesPromote(), LIES),
    Entry(
        "spikes-promote-in-range", "promoting", "brown",
        lambda p: _adversaries().SpikesPromote(shown=p.bounds()[1]), LIES,
    ),
    Entry("liar", "liars", "grey", lambda p: _adversaries().Liar(), "for --sources and --liars"),
)  # fmt: skip
POLICIES: dict[str, Entry] = {}


def _policy(name: str, label: str, colour: str, note: str = "", **flags: bool) -> Callable[[Maker], Maker]:
    """Register the function below as the maker of a policy."""

    def register(make: Maker) -> Maker:
        POLICIES[name] = Entry(name, label, colour, make, note, **flags)
        return make

    return register


@_policy("rgp-pe", "RGP-PE", "green")
def _rgp_pe(problem: Problem, budget: float, horizon: int, s: PolicySettings) -> Policy[Any]:
    from unswayed.core.theory.bounds import theorem_psi
    from unswayed.policies import widths
    from unswayed.policies.robust_phased_elimination import RobustPhasedElimination

    lam = s.regularisation()
    psi = s.psi
    width: widths.TheoryWidth | widths.ExperimentsWidth
    if s.width == "experiments":
        width = widths.ExperimentsWidth(problem.beta_phased if s.beta is None else s.beta, s.b)
    elif s.width == "theory":
        width = widths.TheoryWidth(_norm(problem, s), problem.noise_std, s.delta)
    else:
        gamma = gamma_bound(problem, lam, horizon)[0] if s.width == "gain" else None  # as u_h <= T
        width = widths.InformationWidth(_norm(problem, s), problem.noise_std, s.delta, gamma)
    if psi == "theorem":
        psi = theorem_psi(s.eta, gamma_bound(problem, lam, horizon)[0])
    told = {"corruption_budget": budget, "lam": lam, "eta": s.eta, "truncation": psi}
    return RobustPhasedElimination(problem.domain, problem.kernel, width=width, **told)


@_policy("gp-ucb", "GP-UCB", "vermilion")
def _gp_ucb(problem: Problem, budget: float, horizon: int, s: PolicySettings) -> Policy[Any]:
    from unswayed.policies.gp_ucb import GPUCB

    return GPUCB(problem.domain, problem.kernel, beta=_index_beta(problem, s), lam=s.regularisation())


@_policy("rgp-ucb", "RGP-UCB", "blue")
def _rgp_ucb(problem: Problem, budget: float, horizon: int, s: PolicySettings) -> Policy[Any]:
    from unswayed.policies.robust_gp_ucb import RobustGPUCB

    told = {"lam": s.regularisation(), "corruption_budget": budget, "b": s.b if s.width == "experiments" else 1.0}
    return RobustGPUCB(problem.domain, problem.kernel, beta=_index_beta(problem, s), **told)


@_policy("linear-pe", "linear PE", "pink")
def _linear_pe(problem: Problem, budget: float, horizon: int, s: PolicySettings) -> Policy[Any]:
    from unswayed.core.gp.kernels import Matern
    from unswayed.policies.linear_phased_elimination import LinearPhasedElimination, balanced_error, matern_error

    error = balanced_error(horizon)
    if s.error == "matern":
        if not isinstance(problem.kernel, Matern):
            raise InvalidInput("the error 'matern' is for problems with a Matern kernel")
        error = matern_error(horizon, problem.domain.shape[1], problem.kernel.nu)
    told = {**_guarantee(problem, budget, s), "horizon": horizon, "error": error, "alpha": s.alpha}
    return LinearPhasedElimination(problem.domain, problem.kernel, **told)


@_policy("influence-ucb", "influence-UCB", "sky", "certified", certified=True, noise_lam=True)
def _influence_ucb(problem: Problem, budget: float, horizon: int, s: PolicySettings) -> Policy[Any]:
    from unswayed.policies.influence_ucb import InfluenceUCB, confidence_weight

    told = _guarantee(problem, budget, s)
    lam = s.regularisation()
    gamma, _ = gamma_bound(problem, lam, horizon)
    alpha = confidence_weight(told["norm_bound"], problem.noise_std, lam, s.delta, gamma, budget)
    return InfluenceUCB(problem.domain, problem.kernel, lam=lam, alpha=alpha, **told)


@_policy("influence-pe", "influence-PE", "orange", "certified", certified=True, noise_lam=True)
def _influence_pe(problem: Problem, budget: float, horizon: int, s: PolicySettings) -> Policy[Any]:
    from unswayed.policies.influence_phased_elimination import InfluencePhasedElimination

    told = _guarantee(problem, budget, s)
    return InfluencePhasedElimination(problem.domain, problem.kernel, lam=s.regularisation(), eta=s.eta, **told)


@_policy(
    "trimmed-pe", "trimmed-PE", "indigo", "certified, for --lies and --liars",
    certified=True, noise_lam=True, trims=True,
)  # fmt: skip
def _trimmed_pe(problem: Problem, budget: float, horizon: int, s: PolicySettings, **counts: int) -> Policy[Any]:
    from unswayed.policies.trimmed_phased_elimination import TrimmedPhasedElimination

    told = {"lam": s.regularisation(), "eta": s.eta, **_known(problem, s), **counts}
    return TrimmedPhasedElimination(problem.domain, problem.kernel, **told)


@_policy("vigilant-ucb", "vigilant-UCB", "black", "for few plays", noise_lam=True)
def _vigilant_ucb(problem: Problem, budget: float, horizon: int, s: PolicySettings) -> Policy[Any]:
    from unswayed.policies.vigilant_ucb import VigilantUCB

    lam = s.regularisation()
    beta = 2.0 if s.beta is None else s.beta
    return VigilantUCB(problem.domain, problem.kernel, corruption_budget=budget, lam=lam, beta=beta)


def _rcgp_ucb(problem: Problem, budget: float, horizon: int, s: PolicySettings, adaptive: bool = False) -> Policy[Any]:
    from unswayed.core.tampering.clipping import radius
    from unswayed.policies.gp_ucb import LogDetBeta
    from unswayed.policies.robust_conjugate_ucb import RobustConjugateUCB

    lam = s.regularisation()
    deviation = problem.deviation
    third = s.delta / 3
    (low, high) = problem.bounds(s.norm)
    r = radius(problem.noise_std, horizon, third)
    told: dict[str, Any] = {"centre": (low + high) / 2, "softness": deviation, "lam": lam}
    told["plateau"] = s.plateau or (high - low) / 2 + r
    if adaptive:
        band = LogDetBeta(_norm(problem, s), problem.noise_std, third)
        told["recentred"] = s.plateau or deviation * band(horizon, 2 * gamma_bound(problem, lam, horizon)[0], lam) + r
    return RobustConjugateUCB(problem.domain, problem.kernel, beta=_index_beta(problem, s), **told)


_policy("rcgp-ucb", "RCGP-UCB", "wine", "weighs lies", weighs=True)(_rcgp_ucb)
_policy("a2-rcgp-ucb", "A2-RCGP-UCB", "olive", "its adaptive form", weighs=True)(partial(_rcgp_ucb, adaptive=True))


_KINDS: Mapping[str, tuple[dict[str, Entry], str]] = {  # and what a user's object of this kind must have
    "policy": (POLICIES, "phased init ask tell recommend view posterior"),
    "attack": (ATTACKS, "corrupt reads_estimates"),
    "problem": (PROBLEMS, "domain f kernel noise_std"),
}
ENTRIES: Mapping[str, Entry] = POLICIES | ATTACKS | PROBLEMS
PAPER_ATTACKS = tuple(entry.name for entry in ATTACKS.values() if entry.paper)
CERTIFIED = tuple(entry.name for entry in POLICIES.values() if entry.certified and not entry.trims)  # for a budget


def entry(kind: str, name: str) -> Entry:
    """The entry of a policy, an attack or a problem; one of its own for a name of the form module:attribute."""
    entries, needs = _KINDS[kind]
    if name in entries:
        return entries[name]
    if is_own(name):
        return Entry(name, attribute(name), "", partial(make_own, name, needs=needs))
    raise unknown(kind, name, (*entries, *(["FILE.csv"] if kind == "problem" else []), "module:attribute"))


def listed(kind: str) -> str:
    """All names of a kind with their remarks, for a line of help."""
    return ", ".join(f"{e.name} ({e.note})" if e.note else e.name for e in _KINDS[kind][0].values())


def make_attack(name: str, problem: Problem) -> Adversary:
    """An attack by name, aimed at `problem`."""
    adversary: Adversary = entry("attack", name).make(problem)
    return adversary


def make_start(name: str) -> Start:
    """When an attack starts, by name: immediate or later."""
    from unswayed.adversaries import immediately, later

    if name not in STARTS:
        raise unknown("attack start", name, STARTS)
    return immediately if name == "immediate" else later


def make_policy(
    name: str, problem: Problem, budget: float, horizon: int, settings: PolicySettings | None = None, **counts: int
) -> Policy[Any]:
    """A policy by name that believes in `budget`; the truth of `problem` is used for its norm only.

    A policy that trims ignores the budget and takes `counts`: lies, sources, liars.
    """
    from unswayed.types import positive, whole

    registered = entry("policy", name)
    positive(budget, "the budget", zero=True)
    whole(horizon, "the horizon", least=1)
    told = counts if registered.trims else {}
    policy: Policy[Any] = registered.make(problem, budget, horizon, _decided(registered, problem, settings), **told)
    return policy


def guard(name: str, problem: Problem, horizon: int, settings: PolicySettings | None = None) -> float:
    """The budget that a policy guards against when the true one is unknown: sqrt(T / gamma_T) at its own lam."""
    from unswayed.core.theory.bounds import guard_budget
    from unswayed.types import whole

    lam = _decided(entry("policy", name), problem, settings).regularisation()
    return guard_budget(whole(horizon, "the horizon", least=1), gamma_bound(problem, lam, horizon)[0])


@lru_cache(maxsize=64)  # the same for all trials of an experiment
def gamma_bound(problem: Problem, lam: float, horizon: int) -> tuple[float, str]:
    """An upper bound of gamma_T on the problem's domain, and the name of the bound."""
    from unswayed.core.design.information import gain_upper_bound
    from unswayed.core.gp.kernels import gram

    return gain_upper_bound(gram(problem.kernel, problem.domain), lam, horizon)


def _decided(registered: Entry, problem: Problem, settings: PolicySettings | None) -> PolicySettings:
    """The settings with lam as a number, so that a policy and its guard use the same one."""
    given = settings or PolicySettings()
    return replace(given, lam=given.regularisation(problem.noise_std**2 if registered.noise_lam else 1.0))


def _norm(problem: Problem, s: PolicySettings) -> float:
    return problem.norm if s.norm is None else s.norm


def _guarantee(problem: Problem, budget: float, s: PolicySettings) -> dict[str, Any]:
    """The settings of a policy with a guarantee."""
    return {"corruption_budget": budget, **_known(problem, s)}


def _known(problem: Problem, s: PolicySettings) -> dict[str, Any]:
    """What every confidence band needs to know."""
    return {"norm_bound": _norm(problem, s), "noise_std": problem.noise_std, "delta": s.delta}


def _index_beta(problem: Problem, s: PolicySettings) -> SqrtLogBeta | LogDetBeta:
    from unswayed.policies.gp_ucb import LogDetBeta, SqrtLogBeta

    if s.width == "gain":
        raise InvalidInput("the width 'gain' is for rgp-pe; gp-ucb and rgp-ucb have log-det")
    if s.width == "experiments":
        return SqrtLogBeta(problem.beta_scale if s.beta is None else s.beta)
    return LogDetBeta(_norm(problem, s), problem.noise_std, s.delta)
