"""What a study recommends, and how far to trust it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from unswayed.core.gp.surface import Surface
from unswayed.core.tampering.certificate import Certificate
from unswayed.judgement.assumptions import Assumptions
from unswayed.judgement.findings import Findings
from unswayed.judgement.words import gap_sentence
from unswayed.search.play import Play, Status, history
from unswayed.search.report import brief, explanation
from unswayed.spaces import Point
from unswayed.text import at_most, counted, plus_minus, resolved

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

TELLING = 0.5  # of the range: a larger distance from the best says little
HIDDEN = 0.05  # nothing is said if a narrow peak could hide in a larger share of a box


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Answer(Findings):
    """The recommended point, its estimate, and how far to trust it, in units of the values.

    Rivals, pivots and the winners without a source are points. In a continuum another point counts as a rival if it is
    now estimated to be worse by more than the noise. Tampering is counted in the measurements that are kept.

    Attributes:
        point: The recommended point.
        estimate: The estimated value there.
        guaranteed: The least that the estimate would be, with the model held fixed, if the threat holds: all that false
            values within it can have added is taken off. If no threat was stated: one false measurement, or one lying
            source.
        deviation: Standard deviation of the estimate, over all models that the measurements leave possible. Where no
            repeats tell the noise, what the others do not predict of a measurement may be noise. It is None if the
            measurements are too few, or nearly all of them equal.
        assumptions: The model, and which parts of it were estimated.
        points: The points that the recommendation was chosen from.
        unexplored: The share of a box where a narrow peak would not have been noticed; 0 if a kernel was given.
        set_aside: Numbers of the plays that the others do not explain.
        set_aside_total: How far they are off, in all; a value beyond a range that was stated counts as its nearer end.
        plays: All plays, also open, failed and retracted ones.
        space: Has the `names` of the parameters and describes points: the space of the study, or Optuna's.
        continuum: Whether points may be arbitrarily close to each other.
        flat: Whether most points that were measured have the same value. No model says how far the best may be then.
        challenger: What would be recommended if every measurement were true; None if that is the same point.
        challenger_lead: How much better the challenger is estimated to be then.
        measure_again: Where to measure again to decide between the two: the challenger rests on this point.
        doubted_alone: Whether other values of all kept measurements whose trust level the threat doubts, within the
            range, could have changed the recommendation; of those that are self-reported, if it doubts none. None if
            it doubts none and no measurement is witnessed.
        surface: What the fitted model says of any row of the space, from the measurements kept.

    Example:
        >>> import unswayed as uw
        >>> study = uw.Optimizer(uw.Options(["a", "b"]), threat=0.1, seed=0)
        >>> for play in study.ask(20):
        ...     study.tell(play, {"a": 1.0, "b": 2.0}[play.point])
        >>> study.answer().point
        'b'
    """

    certificate: Certificate | None
    point: Point
    estimate: float
    guaranteed: float
    deviation: float | None
    assumptions: Assumptions
    points: tuple[Point, ...]
    unexplored: float
    set_aside: tuple[int, ...]
    set_aside_total: float
    plays: tuple[Play, ...]
    space: Any
    continuum: bool
    flat: bool
    challenger: Point | None
    challenger_lead: float
    measure_again: Point | None
    doubted_alone: bool | None = None
    surface: Surface | None = None

    @property
    def answer(self) -> Answer:
        """The answer itself: what `maximize` returns has a `point` and an `answer`."""
        return self

    @property
    def failures(self) -> tuple[Play, ...]:
        """The plays that could not be measured, with their reasons."""
        return tuple(play for play in self.plays if play.status is Status.FAILED)

    @cached_property
    def measured(self) -> int:
        """How many measurements count."""
        return sum(play.measured for play in self.plays)

    @cached_property
    def weighed(self) -> bool:
        """Whether amounts of tampering mean something: the kept measurements differ, and there is a rival."""
        aside = set(self.set_aside)
        values = {play.value for play in self.plays if play.measured and play.number not in aside}
        return len(values) > 1 and self.breakdown.possible

    @property
    def shown_estimate(self) -> str:
        """The estimate with its deviation, if that is known, as text."""
        if self.deviation is None:
            return resolved(self.estimate, self.span.width)
        return plus_minus(self.estimate, self.deviation)

    @property
    def shown_range(self) -> str:
        """Which values false measurements were counted with, as text."""
        return " and ".join(resolved(end, self.span.width) for end in (self.span.low, self.span.high))

    @property
    def considered(self) -> int:
        """How many points the recommendation was chosen from."""
        return len(self.points)

    @property
    def sentence(self) -> str:
        """How far the point is from the best: what is proved, or what the fitted model says, or that it cannot say."""
        if self.considered == 1 and not self.continuum:
            return "There is no other point."
        best = f"the best of the {counted(self.considered, 'point')} considered"
        best += " (by the measurements kept)" if self.set_aside and self.certificate is None else ""
        return gap_sentence(
            self.certificate,
            self.credible,
            self.assumptions,
            claim=f"this point is at most {{}} {self.worse} {best}",
            measured=self.measured,
            kept=bool(self.set_aside),
            flat=self.flat,
            span=f"between {self.shown_range}",
            hint=f" A narrow peak could hide in {self.unexplored:.0%} of the space."
            if self.unexplored > HIDDEN
            else "",
        )

    @property
    def room(self) -> float:
        """How much better than the estimate any point could be, by a range that was given."""
        if not (self.span.low_given if self.minimize else self.span.high_given):
            return float("inf")
        return self.estimate - self.span.low if self.minimize else self.span.high - self.estimate

    @property
    def bound(self) -> str:
        """How far the point is from the best, in a short sentence; nothing where it says nothing."""
        proved, fitted = self.certificate, self.credible
        found = proved or fitted
        alone = self.considered == 1 and not self.continuum
        if found is None or alone or not found.largest_gap < min(TELLING * self.span.width, self.room):
            return ""
        sure = f"Certified, with {100 * (1 - proved.delta):.4g}%" if proved is not None else ""
        sure = f"With {100 * fitted.probability:.4g}% (fitted model)" if fitted is not None else sure
        gap = f"{at_most(found.largest_gap, 2)} {self.worse} the best of {counted(self.considered, 'point')}"
        honest = "the others are honest" if self.set_aside and proved is None else "all is honest"
        return f"{sure}: at most {gap}, if {honest if found.threat.none else found.threat.condition}."

    def __repr__(self) -> str:
        return f"Answer({self.space.describe(self.point)}, estimate={self.estimate:.6g})"

    def __str__(self) -> str:
        return "\n".join(brief(self))

    def explain(self) -> str:
        """Everything that is known, line by line: what the recommendation rests on, and who could have changed it."""
        return "\n".join(explanation(self))

    def history(self) -> pa.Table:
        """Every play as a row of a table: number, parameters, value, status, reason, why, and what else was told."""
        return history(self.plays, self.space.names)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for scripts."""
        shown = ("number", "point", "why", "reason")
        failures = [{name: play.to_dict()[name] for name in shown} for play in self.failures]
        return {
            "point": self.point,
            "estimate": self.estimate,
            "guaranteed": self.guaranteed,
            "challenger": self.challenger,
            "challenger_lead": self.challenger_lead,
            "measure_again": self.measure_again,
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
            "set_aside_total": self.set_aside_total,
            "sources": [source.to_dict() for source in self.sources],
            "doubted_alone_overturn": self.doubted_alone,
            "threat": None if self.threat is None else self.threat.to_dict(),
            "threats": [limit.to_dict() for limit in self.limits] if self.weighed else [],
            "minimize": self.minimize,
            "plays": len(self.plays),
            "failed": len(failures),
            "failures": failures,
        }

    def plot(self) -> Figure:
        """Every measurement, those set aside, and the recommendation, as a figure."""
        from unswayed.plots.study import plot_answer

        return plot_answer(self)


def _without_options(certificate: Certificate) -> dict[str, Any]:
    """A certificate without the numbers of options, which mean nothing outside the search."""
    return {name: value for name, value in certificate.to_dict().items() if name not in ("winner", "candidates")}
