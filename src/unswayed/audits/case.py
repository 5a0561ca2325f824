"""What an audit is about: measurements, the model of them, and the winner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from unswayed.audits.fit import Fit
from unswayed.core.gp.kernels import gram
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.threat import LARGEST_VALUE, Records
from unswayed.errors import InvalidInput
from unswayed.judgement.assumptions import Given
from unswayed.judgement.prior import Prior
from unswayed.judgement.span import Span
from unswayed.judgement.table import Table


@dataclass(frozen=True, eq=False)
class Case:
    """Values of which larger ones are better, and who wins.

    Attributes:
        data: The measurements.
        given: What the user states.
        span: Between which numbers the values lie.
        sign: -1 if the user wants small values, so that all of these are negated; else 1.
        fit: How the model follows from the values.
        model: The model.
        records: The standardised measurements.
        posterior: Of these.
        winner: The option with the best estimate.
    """

    data: Table
    given: Given
    span: Span
    sign: float
    fit: Fit
    model: Prior
    records: Records
    posterior: JointPosterior
    winner: int

    @classmethod
    def of(cls, data: Table, stated: Given, span: Span, *, minimize: bool) -> Self:
        """From the measurements and what the user states, in the user's own sign."""
        given, span = (stated.flipped(), span.flipped()) if minimize else (stated, span)
        fit = Fit.of(given, data)
        model = fit.prior(data)
        largest = float(np.abs(model.standard(data.values)).max())
        if largest > LARGEST_VALUE:
            raise InvalidInput(f"a value is {largest:.3g} times the output scale: leave it out, or give a larger scale")
        records, K = data.with_values(model.standard(data.values)), gram(model.kernel, data.points)
        posterior = JointPosterior.of_plays(K, data.arms, records.values, data.weights, model.lam)
        sign, winner = -1.0 if minimize else 1.0, int(np.argmax(posterior.mean))
        return cls(data, given, span, sign, fit, model, records, posterior, winner)
