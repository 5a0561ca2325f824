"""What a search holds true: given by the user, or estimated from the measurements.

centre    the value far from all plays        tau     roughness: noise, and what the smooth part leaves
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unswayed.core.ard import Model, fit_model, fit_scale, spread
from unswayed.core.kernels import Kernel
from unswayed.core.noise import noise_from_repeats
from unswayed.core.rows import numbered_rows
from unswayed.errors import InvalidInput
from unswayed.study.plays import amount
from unswayed.types import FloatArray, IntArray, positive, whole

METHODS = ("auto", "vigilant-ucb", "influence-pe")
FITTED = 250  # points that length-scales are fitted to, at most
THRESHOLD = 4.0  # leave-one-out residual, in standard deviations, beyond which a play is set aside
REPEATS = 6  # that the noise is estimated from, at least


@dataclass(frozen=True)
class Given:
    """What the user states; None is estimated. `kernel` acts on rows of the unit cube, the rest has values' units."""

    corruption_budget: float
    noise_std: float | None = None
    kernel: Kernel | None = None
    output_scale: float | None = None
    norm_bound: float | None = None
    delta: float = 0.05
    plays: int | None = None  # in all
    method: str = "auto"  # or another of METHODS

    def __post_init__(self) -> None:
        checked = {
            "corruption_budget": amount(self.corruption_budget, "the corruption budget", zero=True),
            "noise_std": None if self.noise_std is None else amount(self.noise_std, "the noise"),
            "output_scale": None if self.output_scale is None else amount(self.output_scale, "the output scale"),
            "norm_bound": None if self.norm_bound is None else amount(self.norm_bound, "the norm bound"),
            "plays": None if self.plays is None else whole(self.plays, "plays", least=1),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if self.method not in METHODS:
            raise InvalidInput(f"unknown method {self.method!r}: choose one of {', '.join(METHODS)}")
        if not 0 < positive(self.delta, "delta", zero=True) < 1:
            raise InvalidInput(f"delta must lie between 0 and 1, not {self.delta:g}")

    @property
    def estimated(self) -> tuple[str, ...]:
        """What is not given, in words."""
        names = ("kernel", "output_scale", "noise_std", "norm_bound")
        return tuple(name.removesuffix("_std").replace("_", " ") for name in names if getattr(self, name) is None)


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What a search holds true after `plays` plays, in units of the values."""

    plays: int
    centre: float
    output_scale: float
    tau: float
    noise_std: float
    kernel: Kernel
    model: Model | None  # None if the kernel was given

    @property
    def lam(self) -> float:
        """Regularisation, in units of the output scale."""
        return max((self.tau / self.output_scale) ** 2, 1e-8)


def estimate(
    given: Given,
    groups: IntArray,
    rows: FloatArray,
    values: FloatArray,
    *,
    first: int,
    before: Beliefs | None,
    seed: int,
) -> Beliefs:
    """Noise from repeats, kernel and scales by maximum posterior; what was given is taken as it is.

    The `first` plays were made all over the space; `before` are the beliefs so far, to start from.
    """
    plays = len(values)
    noise = given.noise_std
    if noise is None:
        noise = noise_from_repeats(numbered_rows(rows)[1], values, least=REPEATS)
    some = _fitted_plays(rows, values, seed)
    X, y = rows[some], values[some]
    if given.kernel is not None:
        centre = float(np.median(values))
        tau = noise if noise is not None else 0.1 * float(np.std(y))
        scale = given.output_scale or fit_scale(given.kernel(X, X), y - centre, tau)
        return Beliefs(plays, centre, scale, max(tau, 1e-4 * scale), tau, given.kernel, None)
    model = fit_model(
        X,
        y,
        groups,
        threshold=THRESHOLD,
        budget=given.corruption_budget,
        unit=spread(values[:first]),
        least_tau=noise or 0.0,
        start=None if before is None else before.model,
    )
    scale = given.output_scale or model.scale
    return Beliefs(plays, model.centre, scale, model.tau, noise or model.tau, model.kernel(groups), model)


def _fitted_plays(rows: FloatArray, values: FloatArray, seed: int) -> IntArray:
    """The plays at no more than FITTED points: a quarter the best, and the others at random."""
    points, arms = numbered_rows(rows)
    if len(points) <= FITTED:
        return np.arange(len(arms))
    means = np.bincount(arms, weights=values) / np.bincount(arms)
    order = np.argsort(-means, kind="stable")
    others = np.random.default_rng([seed, len(arms)]).permutation(order[FITTED // 4 :])
    chosen = np.concatenate([order[: FITTED // 4], others[: FITTED - FITTED // 4]])
    return np.flatnonzero(np.isin(arms, chosen))
