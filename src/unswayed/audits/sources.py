"""What each source of an audit could have done, who wins without it, and whether the others explain it.

    offset   how far a source reads above the others: 1^T P r / 1^T P 1, with the deviation 1/sqrt(1^T P 1)

r and P are those of judgement/sources.py: P r = w (y - mu)/lam and P = diag(w)/lam - w k_t w/lam^2, over its
measurements.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unswayed.audits.case import AuditCase
from unswayed.audits.fit import Fit
from unswayed.core.gp.posterior import JointPosterior
from unswayed.judgement.assumptions import Given
from unswayed.judgement.findings import Counted, Source
from unswayed.judgement.table import Table
from unswayed.types import BoolArray, IntArray

REFITTED = 20  # sources without which the model is estimated again, those with most measurements first


def find_sources(case: AuditCase, alone: BoolArray) -> tuple[Source, ...]:
    """Every source, in order of first appearance.

    Args:
        case: What the audit is about.
        alone: Whether each source alone could have overturned the winner.
    """
    data, model, given = case.data, case.model, case.given
    if data.sources is None:
        return ()
    counts, suspicious, found = np.bincount(data.sources), _suspicious(case), []
    refitted = set(np.argsort(-counts, kind="stable")[:REFITTED].tolist())
    fixed = replace(given, kernel=model.shape, noise_std=model.noise_std, output_scale=model.output_scale)
    for s, name in enumerate(data.names):
        kept = data.sources != s
        without = winner_without(given if s in refitted else fixed, data, case.winner, kept, case.tie)
        offset, deviation = _offset(case, data.sources, s, suspicious)
        found.append(
            Source(
                name=name,
                measurements=int(counts[s]),
                suspicious=s in suspicious,
                offset=offset,
                deviation=deviation,
                noise_factor=float(case.weighed.factors[s]),
                alone=bool(alone[s]),
                without=without,
            )
        )
    return tuple(found)


def _suspicious(case: AuditCase) -> set[int]:
    """The sources that the others do not explain. If there are only two, both: either may be the one that is off."""
    found = {int(s) for s in (*np.flatnonzero(case.weighed.offsets.any(axis=1)), *case.weighed.aside)}
    return {0, 1} if found and len(case.data.names) == 2 else found


def _offset(case: AuditCase, sources: IntArray, s: int, suspicious: set[int]) -> tuple[float | None, float | None]:
    """How far a source reads above the others that are not suspicious, and the deviation; None if unknown."""
    records, posterior = case.records, case.posterior
    mine, others = sources == s, ~np.isin(sources, list(suspicious - {s}))
    if suspicious - {s}:
        plays = records.arms[others], records.values[others], records.weights[others]
        posterior = JointPosterior.of_plays(case.K, *plays, posterior.lam)
    arms, w, lam = records.arms[mine], records.weights[mine], posterior.lam
    by_arm = np.bincount(arms, weights=w, minlength=len(posterior.mean))
    information = (float(w.sum()) - float(by_arm @ posterior.covariance @ by_arm) / lam) / lam
    if (others == mine).all() or information <= 1e-9 * float(w.sum()) / lam:
        return None, None
    read = float(w @ (records.values[mine] - posterior.mean[arms])) / lam
    scale = case.model.output_scale
    return case.sign * scale * read / information, scale * float(information**-0.5)


def winner_without(given: Given, data: Table, winner: int, kept: BoolArray, tie: float) -> int | None:
    """The option that wins with some of the measurements, as it is numbered with all of them.

    That is the winner itself unless another option is better by more than a tie.

    Args:
        given: What the user states. The rest is estimated again.
        data: The measurements.
        winner: The option that wins with all of them.
        kept: Which of them are left.
        tie: What counts as the same.
    """
    if kept.all():
        return winner
    left = data.part(kept)
    if len(left.points) < 2 or np.ptp(left.values) == 0:
        return None
    found = Fit.of(given, left).estimates(left, data.points[[winner]])
    if found is None:
        return None
    best = int(np.argmax(found[:-1]))
    return winner if found[best] - found[-1] <= tie else int(data.arms[kept][np.argmax(left.arms == best)])


def source_shift(case: AuditCase, counted: Counted) -> tuple[str, float] | None:
    """The source that needs least to change the winner alone: by how much each of its values would have to be wrong.

    None if no source could, or only with more than the range of the values.
    """
    records, names = case.records, case.data.names
    if records.sources is None or not counted.liars.alone.any():
        return None
    effect, played = case.posterior.effect()
    lead = case.posterior.mean[case.winner] - case.posterior.mean
    rivals = np.flatnonzero(np.isfinite(counted.budgets) & (lead > 0))
    power = records.by_source(np.abs(records.effects(effect[case.winner] - effect[rivals], played)))
    with np.errstate(divide="ignore"):
        sizes = (lead[rivals, None] / power).min(axis=0, initial=np.inf)
    s = int(np.argmin(np.where(counted.liars.alone[: len(sizes)], sizes, np.inf)))
    size = case.model.output_scale * float(sizes[s])
    return (names[s], size) if size < case.span.width else None


def decisive_sources(case: AuditCase, sources: tuple[Source, ...]) -> tuple[tuple[str, ...], int | None]:
    """Suspicious sources without which another option wins, and that option; () and the winner if there are none.

    Each is left out alone; several also together, as long as others remain.
    """
    suspicious = [s for s, one in enumerate(sources) if one.suspicious]
    for s in suspicious:
        if sources[s].without != case.winner:
            return (sources[s].name,), sources[s].without
    if 1 < len(suspicious) < len(sources) and case.data.sources is not None:
        kept = ~np.isin(case.data.sources, suspicious)
        found = winner_without(case.given, case.data, case.winner, kept, case.tie)
        if found != case.winner:
            return tuple(sources[s].name for s in suspicious), found
    return (), case.winner
