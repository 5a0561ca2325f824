"""What a study recommends, and how far to trust it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unswayed.core.assumptions import Assumptions
from unswayed.core.certificate import Breakdown, Certificate, breakdown
from unswayed.core.credible import Credible, Mixture, Shapes, credible, gap_sentence, share_unexplored
from unswayed.core.prior import assumptions, certified
from unswayed.errors import InvalidInput
from unswayed.policies.vigilant_ucb import CAUTION
from unswayed.search.candidates import EVERYWHERE, near_failures
from unswayed.search.modes import FEWEST, Eliminating, Mode, Starting, refined
from unswayed.search.play import Play, Status
from unswayed.search.surrogate import Surrogate
from unswayed.search.task import Data, Event, Task
from unswayed.spaces import Options, Point
from unswayed.text import at_least, counted, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REFINEMENTS = 3  # of the candidates around the leaders, in a continuum
HIDDEN = 0.05  # nothing is said if a narrow peak could hide in a larger share of a box


@dataclass(frozen=True, eq=False, repr=False)
class Answer:
    """The recommended point, its estimate, and how far to trust it, in units of the values.

    Attributes:
        point: The recommended point.
        estimate: The estimated value there.
        deviation: Standard deviation of the estimate, over all models that the measurements leave possible.
        certificate: How far the point is from the best one, proved from all measurements. Its options are the points
            that were considered. None unless kernel, noise, output scale, level and norm bound were given.
        credible: What the fitted model says of that distance, where nothing is proved. None where something is, or if
            there are too few measurements.
        breakdown: The least tampering with the kept measurements that would have made another point win. In a
            continuum another point counts as a rival if it is now estimated to be worse by more than the noise.
        assumptions: The model, and which parts of it were estimated.
        points: The points that the recommendation was chosen from.
        unexplored: The share of a box where a narrow peak would not have been noticed; 0 if a kernel was given.
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
    certificate: Certificate | None
    credible: Credible | None
    breakdown: Breakdown
    assumptions: Assumptions
    points: tuple[Point, ...]
    unexplored: float
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
    def shown_estimate(self) -> str:
        """The estimate with its deviation, as text; a handful of measurements says nothing about a deviation."""
        shown = number(self.estimate, self.deviation)
        return shown if self.measured < FEWEST else f"{shown} ± {self.deviation:.2g}"

    @property
    def considered(self) -> int:
        """How many points the recommendation was chosen from."""
        return len(self.points)

    @property
    def sentence(self) -> str:
        """How far the point is from the best: what is proved, or what the fitted model says, or that it cannot say."""
        best = f"the best of the {counted(self.considered, 'point')} considered"
        return gap_sentence(
            self.certificate,
            self.credible,
            self.assumptions,
            claim=f"this point is at most {{}} {self.worse} {best}",
            measured=self.measured,
            hint=f" A narrow peak could hide in {self.unexplored:.0%} of the space."
            if self.unexplored > HIDDEN
            else "",
        )

    def __repr__(self) -> str:
        return f"Answer({self.space.describe(self.point)}, estimate={self.estimate:.6g})"

    def __str__(self) -> str:
        describe, b = self.space.describe, self.breakdown
        lines = [f"Recommended: {describe(self.point)}, estimated at {self.shown_estimate}."]
        lines.append(self.sentence)
        if b.possible:
            noise = self.assumptions.noise_std
            again = " With the model estimated again, less may be enough." if self.assumptions.estimated else ""
            worse = f"one that is worse by more than the noise ({noise:.3g})" if self.continuum else "another"
            lines.append(
                f"Breakdown budget, with the model held fixed: {at_least(b.budget)}. Less tampering with the "
                f"measurements kept would not have changed the recommendation to {worse}; this much, on measurements "
                f"at {describe(b.pivot)}, could have made {describe(b.rival)} win.{again}"
            )
        lines.append(
            f"{counted(self.measured, 'measurement')}, {len(self.set_aside):,} of them set aside because the others do "
            "not explain them."
        )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for scripts."""
        return {
            "point": self.point,
            "estimate": self.estimate,
            "deviation": self.deviation,
            "sentence": self.sentence,
            "certificate": None if self.certificate is None else _without_options(self.certificate),
            "credible": None if self.credible is None else self.credible.to_dict(),
            "breakdown": self.breakdown.to_dict(),
            "assumptions": self.assumptions.to_dict(),
            "considered": self.considered,
            "unexplored": self.unexplored,
            "measured": self.measured,
            "set_aside": list(self.set_aside),
            "minimize": self.minimize,
        }

    def plot(self) -> Figure:
        """Every measurement, those set aside, and the recommendation, as a figure."""
        from unswayed.plots.study import plot_answer

        return plot_answer(self)


def _without_options(certificate: Certificate) -> dict[str, Any]:
    """A certificate without the numbers of options, which mean nothing outside the search."""
    return {name: value for name, value in certificate.to_dict().items() if name not in ("winner", "candidates")}


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
    task, given, prior = mode.task, mode.task.given, surrogate.beliefs.prior
    watch, policy, unit = surrogate.watch, surrogate.policy, prior.output_scale
    continuum = task.all_rows is None
    without = near_failures(policy.domain, data.rows, data.failed)
    arm = policy.recommend(watch, without=without)
    margin = prior.noise if continuum else 0.0
    broken = breakdown(watch.posterior, winner=arm, margin=margin, caution=CAUTION, without=without)

    points = task.space.decode(policy.domain)

    def point(number: int | None) -> Point:
        return None if number is None else points[number]

    told = [play.number for play in plays if play.status is Status.TOLD]
    mixture = None if given.complete else _mixture(task, data, surrogate)
    unexplored = _unexplored(task, data, surrogate)
    deviation = unit * float(watch.posterior.deviation[arm])
    proved = found = None
    if mixture is None:
        proved = certified(given, prior, watch.everything(), arm)  # the proof allows no choice of plays by their values
    else:
        deviation = max(deviation, mixture.deviation(policy.domain[arm]))
        if unexplored <= HIDDEN:
            found = credible(given, mixture, policy.domain, arm, prior.noise_std)
    sign = -1.0 if minimize else 1.0
    return Answer(
        point=point(arm),
        estimate=sign * prior.in_units(float(watch.posterior.mean[arm])),
        deviation=deviation,
        certificate=proved,
        credible=found,
        breakdown=Breakdown(unit * broken.budget, point(broken.rival), point(broken.pivot)),
        assumptions=assumptions(given, prior, prior.level(watch.posterior), minimize=minimize),
        points=tuple(points),
        unexplored=unexplored,
        set_aside=tuple(told[int(i)] for i in np.flatnonzero(~watch.kept)),
        plays=tuple(plays),
        space=space,
        continuum=continuum,
        minimize=minimize,
    )


def _mixture(task: Task, data: Data, surrogate: Surrogate) -> Mixture:
    """The models that the plays that are kept leave possible."""
    kept, model = surrogate.watch.kept, surrogate.beliefs.fitted
    shapes = Shapes.given(surrogate.beliefs.prior.shape) if model is None else Shapes.around(model, task.space.groups)
    return Mixture.of(task.given, shapes, data.rows[kept], data.values[kept])


def _unexplored(task: Task, data: Data, surrogate: Surrogate) -> float:
    """Where a narrow peak could hide: not in a table, nor if a kernel is given, which says how narrow peaks can be."""
    if task.given.kernel is not None or isinstance(task.space, Options):
        return 0.0
    everywhere, kept = task.all_rows, surrogate.watch.kept
    if everywhere is None:
        everywhere = task.space.arms(EVERYWHERE, task.seed)
    return share_unexplored(everywhere, data.rows[kept], data.values[kept], surrogate.beliefs.prior.noise_std)
