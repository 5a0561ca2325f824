"""What a study recommends, and how far to trust it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unswayed.core.assumptions import Assumptions, certified
from unswayed.core.certificate import Breakdown, Certificate, breakdown, certificate
from unswayed.errors import InvalidInput
from unswayed.policies.vigilant_ucb import CAUTION
from unswayed.search.candidates import near_failures
from unswayed.search.modes import Eliminating, Mode, Starting, refined
from unswayed.search.play import Play, Status
from unswayed.search.surrogate import Surrogate
from unswayed.search.task import Data, Event
from unswayed.spaces import Point

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REFINEMENTS = 3  # of the candidates around the leaders, in a continuum


@dataclass(frozen=True, eq=False, repr=False)
class Answer:
    """The recommended point, its estimate, and how far to trust it, in units of the values.

    Attributes:
        point: The recommended point.
        estimate: The estimated value there.
        deviation: Standard deviation of the estimate.
        certificate: How far the point is from the best one, from all measurements. Its options are the points that
            were considered.
        breakdown: The least tampering with the kept measurements that would have made another point win. In a
            continuum another point counts as a rival if it is now estimated to be worse by more than the noise.
        assumptions: The model, and which parts of it were estimated.
        considered: How many points the recommendation was chosen from.
        set_aside: Numbers of the plays that the others do not explain.
        plays: All plays, also open, failed and retracted ones.
        space: Has the `names` of the parameters and describes points: the space of the study, or Optuna's.
        continuum: Whether points may be arbitrarily close to each other.
        minimize: Whether smaller values are better.

    Example:
        >>> import unswayed as uw
        >>> study = uw.Optimizer(uw.Options(["a", "b"]), threat=0.1, seed=0)
        >>> for play in study.ask(20):
        ...     study.tell(play, {"a": 1.0, "b": 2.0}[play.point])
        >>> study.answer().point
        'b'
    """

    point: Point
    estimate: float
    deviation: float
    certificate: Certificate
    breakdown: Breakdown
    assumptions: Assumptions
    considered: int
    set_aside: tuple[int, ...]
    plays: tuple[Play, ...]
    space: Any
    continuum: bool
    minimize: bool

    @property
    def measured(self) -> int:
        """How many measurements count."""
        return sum(play.measured for play in self.plays)

    @property
    def worse(self) -> str:
        """Where worse values lie: below the best, or above it."""
        return "above" if self.minimize else "below"

    @property
    def sentence(self) -> str:
        """What is certified, and on which estimates it rests."""
        c, estimated = self.certificate, self.assumptions.estimated
        promise = (
            f"with {100 * (1 - c.delta):.4g}% confidence this point is at most {c.largest_gap:.4g} {self.worse} the "
            f"best of the {self.considered:,} points considered, if tampering did not exceed {c.budget:.4g} in total"
        )
        return f"{certified(estimated)}: {promise}."

    def __repr__(self) -> str:
        return f"Answer({self.space.describe(self.point)}, estimate={self.estimate:.6g})"

    def __str__(self) -> str:
        describe, b = self.space.describe, self.breakdown
        lines = [f"Recommended: {describe(self.point)}, estimated at {self.estimate:.6g} ± {self.deviation:.2g}."]
        lines.append(self.sentence)
        if b.possible:
            noise = self.assumptions.noise_std
            worse = f"one that is worse by more than the noise ({noise:.3g})" if self.continuum else "another"
            lines.append(
                f"Breakdown budget, with the model held fixed: {b.budget:.4g}. Less tampering with the measurements "
                f"kept would not have changed the recommendation to {worse}; this much, on measurements at "
                f"{describe(b.pivot)}, could have made {describe(b.rival)} win."
            )
        lines.append(
            f"{self.measured:,} measurements, {len(self.set_aside):,} of them set aside because the others do not "
            "explain them."
        )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for scripts."""
        return {
            "point": self.point,
            "estimate": self.estimate,
            "deviation": self.deviation,
            "sentence": self.sentence,
            "certificate": {n: v for n, v in self.certificate.to_dict().items() if n not in ("winner", "candidates")},
            "breakdown": self.breakdown.to_dict(),
            "assumptions": self.assumptions.to_dict(),
            "considered": self.considered,
            "measured": self.measured,
            "set_aside": list(self.set_aside),
            "minimize": self.minimize,
        }

    def plot(self) -> Figure:
        """Every measurement, those set aside, and the recommendation, as a figure."""
        from unswayed.plots.study import plot_answer

        return plot_answer(self)


def answer(
    mode: Mode, plays: Sequence[Play], more: Sequence[Event] = (), *, space: Any = None, minimize: bool = False
) -> Answer:
    """The point to use, from all measurements. The candidates around the leaders are refined again.

    Args:
        mode: The search so far.
        plays: All plays of the study, in order; those told are in `mode`, then in `more`.
        more: Events that have not entered the mode yet.
        space: Describes the points; by default the space of the search.
        minimize: Whether the values of `plays` were negated for the search.

    Returns:
        The answer.

    Raises:
        InvalidInput: Nothing has been measured.
    """
    task, data = mode.task, mode.data.after_all(more)
    if len(data.values) == 0:
        raise InvalidInput("nothing has been measured yet: there is nothing to recommend")
    # The certificate of influence-PE needs no trimming.
    threshold = np.inf if isinstance(mode, Eliminating) else None
    surrogate = None if isinstance(mode, Starting) else mode.surrogate
    surrogate, _ = refined(task, data, surrogate, refit=True, threshold=threshold)
    for _ in range(REFINEMENTS - 1 if task.all_rows is None else 0):
        surrogate, _ = refined(task, data, surrogate, refit=False, threshold=threshold)
    return _answer_of(mode, data, surrogate, plays, task.space if space is None else space, minimize)


def _answer_of(
    mode: Mode, data: Data, surrogate: Surrogate, plays: Sequence[Play], space: Any, minimize: bool
) -> Answer:
    task, given, beliefs = mode.task, mode.task.given, surrogate.beliefs
    watch, policy, unit = surrogate.watch, surrogate.policy, beliefs.output_scale
    continuum = task.all_rows is None
    without = near_failures(policy.domain, data.rows, data.failed)
    arm = policy.recommend(watch, without=without)
    norm = given.norm(watch.posterior, watch.means, unit)
    certified = certificate(
        watch.everything(),
        budget=given.threat / unit,
        norm_bound=norm,
        noise_std=beliefs.noise_std / unit,
        delta=given.delta,
        winner=arm,
    )
    margin = beliefs.noise_std / unit if continuum else 0.0
    broken = breakdown(watch.posterior, winner=arm, margin=margin, caution=CAUTION, without=without)

    def point(number: int | None) -> Point:
        return None if number is None else task.space.decode(policy.domain[[number]])[0]

    told = [play.number for play in plays if play.status is Status.TOLD]
    level, sign = beliefs.level, -1.0 if minimize else 1.0
    return Answer(
        point=point(arm),
        estimate=sign * (level + unit * float(watch.posterior.mean[arm])),
        deviation=unit * float(watch.posterior.deviation[arm]),
        certificate=certified.scaled(unit),
        breakdown=Breakdown(unit * broken.budget, point(broken.rival), point(broken.pivot)),
        assumptions=Assumptions(
            kernel=beliefs.kernel,
            noise_std=beliefs.noise_std,
            output_scale=unit,
            level=sign * level,
            norm_bound=unit * norm,
            estimated=(*given.estimated, "level"),  # a study centres its values
        ),
        considered=len(policy.domain),
        set_aside=tuple(told[int(i)] for i in np.flatnonzero(~watch.kept)),
        plays=tuple(plays),
        space=space,
        continuum=continuum,
        minimize=minimize,
    )
