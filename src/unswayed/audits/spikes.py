"""Measurements that a model is better fitted without: one lie would make the whole function look rough.

    y_j, y_-j    measurement j, and all others          w_m    probability of model m by all measurements

A narrow peak that one measurement shows can be explained by a short length-scale, or by a false value. Without j the
models are the sum over m of w_m / p_m(y_j | y_-j) times as probable as with it; a false value could have been anything
in the range. Where the false value is more probable, even if only SUSPECTED of all honest audits had one, j is left
out, and the next is looked for. The predictive densities of all j, for all models, follow from one decomposition of
each kernel's matrix: with P the inverse of A = K + r^2 I on all vectors orthogonal to the constants,

    y_j given y_-j  is normal, with the residual  (P y)_j / P_jj  and the variance  1 / P_jj.

Only the model is fitted without these measurements. They stay in the audit, and it says of them what it finds.
"""

from __future__ import annotations

from math import log, pi

import numpy as np
from scipy.special import logsumexp

from unswayed.core.gp.evidence import Evidence
from unswayed.judgement.credible import Shapes
from unswayed.judgement.table import Table
from unswayed.types import BoolArray, FloatArray

SUSPECTED = 0.01  # share of honest audits in which some measurement is suspected
MOST = 250  # measurements; with more, the noise is known well enough
LEAST = 8  # measurements that are left
SHARE = 10  # at most one of so many measurements is left out


def explained(table: Table, shapes: Shapes, *, scale: float, noise: float | None, centre: float | None) -> BoolArray:
    """The measurements to fit a model to.

    Args:
        table: The measurements.
        shapes: The kernels that are possible.
        scale: The output scale.
        noise: The noise, if it is known.
        centre: The level, if it is known.
    """
    number = len(table.values)
    kept = np.ones(number, dtype=np.bool_)
    if number > MOST:
        return kept
    width = float(np.ptp(np.quantile(table.values, (0.02, 0.98)))) / scale
    price = log(number / SUSPECTED) + log(max(width, 1.0))
    for _ in range(number // SHARE):
        rows = np.flatnonzero(kept)
        if len(rows) <= LEAST:
            break
        surprise = _surprises(table.part(rows), shapes, scale, noise, centre)
        worst = int(np.argmax(surprise))
        if surprise[worst] <= price:
            break
        kept[rows[worst]] = False
    return kept


def _surprises(table: Table, shapes: Shapes, scale: float, noise: float | None, centre: float | None) -> FloatArray:
    """By how much the log probability of the measurements grows without each of them, in units of the scale."""
    rows, root = table.rows, np.sqrt(table.weights)
    plays, known = float(len(root)), centre is not None
    evidence = Evidence.of(shapes.kernels, shapes.odds, rows, table.weights, level_known=known, plays=plays)
    y = table.values - (float(np.median(table.values)) if centre is None else centre)
    models = evidence.explained(y, 0.0, unit=scale, noise=noise, scale=scale)
    z = root * y / scale
    found = []
    for e, vectors, weights in zip(evidence.eigenvalues, evidence.vectors, models.log_weights, strict=True):
        B = _unreflected(vectors, evidence.reflection)
        inverse = 1 / (e[:, None] + np.square(models.ratios))
        P = np.square(B) @ inverse
        with np.errstate(over="ignore"):  # a value so far away is infinitely surprising
            own = 0.5 * np.log(2 * pi / P) + 0.5 * np.square(B @ ((z @ B)[:, None] * inverse)) / P
        found.append(own + weights)
    return np.asarray(logsumexp(np.hstack(found), axis=1) - np.log(root))


def _unreflected(vectors: FloatArray, reflection: FloatArray | None) -> FloatArray:
    """The eigenvectors as vectors of the measurements themselves."""
    if reflection is None:
        return vectors
    whole = np.vstack([np.zeros(vectors.shape[1]), vectors])
    return np.asarray(whole - 2 * np.multiply.outer(reflection, reflection @ whole))
