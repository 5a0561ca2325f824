"""What an audit is about: all measurements, how the model follows from them, and the winner."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from unswayed.audits.fit import Fit
from unswayed.core.gp.kernels import gram
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.threat import LARGEST_VALUE
from unswayed.errors import InvalidInput
from unswayed.judgement.allowance import Allowance
from unswayed.judgement.assumptions import Given
from unswayed.judgement.findings import Case
from unswayed.judgement.prior import Prior
from unswayed.judgement.sources import Weighed, weigh_sources
from unswayed.judgement.span import Span
from unswayed.judgement.table import Table
from unswayed.types import FloatArray, positive

PASSES = 2  # times that the model is estimated again because a source is noisier than the others


@dataclass(frozen=True, eq=False, kw_only=True)
class AuditCase(Case):
    """The case of an audit.

    Attributes:
        data: The measurements in their units.
        fit: How the model follows from the values.
        K: Kernel matrix of the options.
        minimize: Whether the user wants small values, so that all of these are negated.
        tie: Options whose values differ by no more count as the same winner, in units of the values.
        weighed: What the sources are worth. Measurements of noisier ones have less weight, unless the noise was given.
    """

    data: Table
    fit: Fit
    K: FloatArray
    minimize: bool
    tie: float
    weighed: Weighed

    @classmethod
    def of(cls, data: Table, stated: Given, span: Span, *, minimize: bool, tie: float | None = None) -> Self:
        """From the measurements and what the user states, in the user's own sign.

        By default a tie is the standard error of the mean of an option that was measured as often as most.
        """
        given = stated.flipped() if minimize else stated
        case = cls._fitted(data, given, span.flipped() if minimize else span, minimize, tie)
        for _ in range(PASSES):
            weighed = case._weighed(data)
            if given.noise_std is not None or (weighed.factors == case.weighed.factors).all():
                return replace(case, weighed=weighed)
            left = _reduced(data, weighed.factors)
            case = replace(cls._fitted(left, given, case.span, minimize, tie), weighed=weighed)
        return case

    @classmethod
    def _fitted(cls, data: Table, given: Given, span: Span, minimize: bool, tie: float | None) -> Self:
        """All sources are believed."""
        fit = Fit.of(given, data)
        model = fit.prior(data)
        records = data.with_values(model.standardized(data.values))
        largest = float(np.abs(records.values).max())
        if largest > LARGEST_VALUE:
            raise InvalidInput(f"a value is {largest:.3g} times the output scale: leave it out, or give a larger scale")
        K = gram(model.kernel, data.points)
        posterior = JointPosterior.of_plays(K, data.arms, records.values, data.weights, model.lam)
        tie = _typical_error(model, data) if tie is None else positive(tie, "the tie", zero=True)
        margin, behind = tie / model.output_scale, float(np.ptp(posterior.mean))
        return cls(
            given=given,
            span=span,
            model=model,
            records=records,
            posterior=posterior,
            winner=int(np.argmax(posterior.mean)),
            data=data,
            fit=fit,
            K=K,
            minimize=minimize,
            tie=tie,
            margin=margin if behind >= margin else 0.0,
            weighed=Weighed.all_honest(records, len(data.names), Allowance.of(None), posterior),
        )

    def _weighed(self, data: Table) -> Weighed:
        """What the sources are worth by this model, given the measurements with the weights that were stated."""
        plays, lam = data.with_values(self.model.standardized(data.values)), self.model.lam
        posterior = JointPosterior.of_plays(self.K, plays.arms, plays.values, plays.weights, lam)
        return weigh_sources(posterior, plays, K=self.K, allowance=Allowance.of(None), named=len(data.names))

    @property
    def equal(self) -> bool:
        """Whether all options count as the same winner."""
        return self.tie > 0 and self.margin == 0

    @property
    def sign(self) -> float:
        """What values are multiplied by to be those of the user."""
        return -1.0 if self.minimize else 1.0


def _typical_error(model: Prior, data: Table) -> float:
    """The standard error of the mean of an option that was measured as often as most."""
    return model.noise_std / float(np.sqrt(np.median(np.bincount(data.arms, weights=data.weights))))


def _reduced(data: Table, factors: FloatArray) -> Table:
    """The measurements, where those of noisier sources have less weight."""
    return data if data.sources is None else replace(data, weights=data.weights / factors[data.sources] ** 2)
