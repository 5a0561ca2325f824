"""Whether the leader of a long search has been measured late enough.

Whoever lies at almost every early play makes a region agree with itself: no value there surprises the others, so none
is doubted. But nobody with a bounded budget can lie for ever. So in a long search under a threat, each fourth play
measures the leader again, until some plays of the later half, at it or beside it, are kept and do not fall short of it.
To stay, a false leader needs a lie for each of these plays, or that its true values are set aside as lies until the
threat is used up.
"""

from __future__ import annotations

import numpy as np

from unswayed.core.tampering.threat import Threat
from unswayed.search.modes import Guided
from unswayed.types import FloatArray

EACH = 4  # plays, of which one may verify
LATE = 3  # so many plays of the later half are enough
BESIDE = 0.95  # least correlation with the leader of what tells about it
SHORT = 2.0  # standard deviations by which their values may be lower


def unverified(mode: Guided, number: int, shut: set[bytes], source: str | None = None) -> FloatArray | None:
    """The row of the leader if this play measures it again; else None.

    Args:
        mode: The search so far.
        number: How many plays were asked for before this one.
        shut: Rows not to play.
        source: Who will measure, if that is known: the same source again tells nothing.
    """
    threat = Threat.of(mode.task.given.threat)
    if not mode.long or mode.data.binary or (threat is not None and threat.none):
        return None
    if not _turn(mode.task.seed, number, source):
        return None
    field = mode.surrogate.measured
    leader = int(np.argmax(field.means))
    row = field.X[leader]
    if row.tobytes() in shut or mode.surrogate.only_by(row[None], source)[0]:
        return None
    return None if _confirmed(mode, row, float(field.means[leader])) else row


def _turn(seed: int, number: int, source: str | None) -> bool:
    """Whether this play may verify: each fourth; of sources, which may take turns themselves, one of four by chance."""
    return number % EACH == 1 if source is None else not np.random.default_rng([seed, number]).integers(EACH)


def _confirmed(mode: Guided, row: FloatArray, mean: float) -> bool:
    """Whether enough late plays, at a row or beside it, are kept and do not fall short of its mean."""
    surrogate = mode.surrogate
    kept, kernel, lam = surrogate.kept, surrogate.beliefs.prior.shape, surrogate.beliefs.prior.lam
    late = kept.mask & (mode.modelled >= mode.data.plays // 2)
    rows, own = surrogate.rows[kept.records.arms[late]], kernel.diagonal(row[None])
    covariance = kernel(row[None], rows)[0]
    deviation = np.sqrt(own + kernel.diagonal(rows) - 2 * covariance + lam / kept.records.weights[late])
    enough = (covariance >= BESIDE * own) & (kept.corrected[late] >= mean - SHORT * deviation)
    return int(enough.sum()) >= LATE
