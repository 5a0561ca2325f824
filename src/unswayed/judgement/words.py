"""How far a recommendation is from the best, in one sentence."""

from __future__ import annotations

import numpy as np

from unswayed.core.tampering.certificate import Certificate
from unswayed.judgement.assumptions import Assumptions
from unswayed.judgement.credible import Credible
from unswayed.text import at_most, listed

NOTHING_ELSE = "nothing else was tampered with"


def gap_sentence(
    proved: Certificate | None,
    fitted: Credible | None,
    model: Assumptions,
    *,
    claim: str,
    measured: int,
    hint: str = "",
    kept: bool = False,
    flat: bool = False,
) -> str:
    """How far a recommendation is from the best, in words: proved, fitted, or that it cannot be said.

    Args:
        proved: The certificate, if everything was given.
        fitted: The credible bound, else, if there is one.
        model: What either rests on.
        claim: What is said of the recommendation, with a place for the distance.
        measured: How many measurements there are.
        hint: What to add if there are too few.
        kept: Whether it rests on a part of the measurements, because others were set aside.
        flat: Whether most points that were measured have the same value.
    """
    if proved is not None:
        begin, percent = "Certified: with", f"{100 * (1 - proved.delta):.4g}% confidence"
        gap, threat = proved.largest_gap, proved.threat
    elif fitted is not None:
        what = f"fitted model (estimated: {listed(model.estimated)})" if model.estimated else "given model"
        begin, percent = f"Under the {what}, with", f"{100 * fitted.probability:.4g}% probability"
        gap, threat = fitted.largest_gap, fitted.threat
    elif flat:
        return f"Most points that were measured have the same value: nothing can be said of how far the best is.{hint}"
    else:
        return f"Too few measurements to say how far this is from the best: {measured:,} so far.{hint}"
    if not np.isfinite(gap):
        return f"Nothing can be said of how far this is from the best, if there may be {threat} without a known range."
    condition = threat.condition if proved is not None or not (kept and threat.none) else NOTHING_ELSE
    rounded = "" if proved is None or proved.resolved else f" {proved.rounding_note}"
    return f"{begin} {percent} {claim.format(at_most(gap))}, if {condition}.{rounded}"
