"""What measurements support, and who could have changed it: the same for the answer of a study and for an audit.

    a      the winner: of largest score mu - caution sd      b      a rival
    d_j    effect of measurement j on the lead of a over b   h_j    the most that a false value in its place takes of it

The estimate is linear in the values and sd does not depend on them. So with the model held fixed the least sum of
changes, the fewest false measurements and the fewest lying sources that let b draw level are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self

import numpy as np

from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.certificate import Breakdown, breakdown_budgets, reach_of_leads
from unswayed.core.tampering.influence import pairwise_deviation
from unswayed.core.tampering.overturn import Overturn, overturns
from unswayed.core.tampering.threat import Records, Threat
from unswayed.judgement.assumptions import Given
from unswayed.judgement.credible import Credible, Mixture, credible
from unswayed.judgement.prior import Prior, certified
from unswayed.judgement.span import Span
from unswayed.text import at_least, notebook_html
from unswayed.types import BoolArray, FloatArray, IntArray, read_only

LEVEL = 1e-12  # of the output scale, or of the largest value: tampering by less is a rounding error
NOISIER = 2.0  # times the noise of the others: less is not said
NOTHING: FloatArray = read_only(np.zeros(0))


@dataclass(frozen=True, kw_only=True)
class Source:
    """A source of measurements: whether the others explain it, and what it could have done.

    Attributes:
        name: Its name.
        measurements: How many measurements it made.
        suspicious: Whether the others do not explain its measurements.
        set_aside: Whether all of them are left out for that. A study does so; an audit only says it.
        offset: How far it reads above the others on average; None if that cannot be told. A study takes it off the
            values, and says 0 of a source that is not off.
        deviation: The standard deviation of the offset; None if it is not known.
        drift: How much more it reads above the others at the end than at the beginning.
        noise_factor: How many times noisier than the others it is. Its measurements count so many times less, squared,
            unless the noise was given for an audit.
        alone: Whether other values of its measurements alone, within the range of honest values, could have changed
            the winner.
        without: The winner without its measurements: the number of an option, or a point. None if too little is left,
            or if it costs too much to find out.
    """

    name: str
    measurements: int
    suspicious: bool = False
    set_aside: bool = False
    offset: float | None = None
    deviation: float | None = None
    drift: float = 0.0
    noise_factor: float = 1.0
    alone: bool = False
    without: Any = None

    @property
    def noisier(self) -> bool:
        """Whether it is so much noisier than the others that this is said."""
        return self.noise_factor >= NOISIER

    def to_dict(self, label: Callable[[Any], Any] = lambda winner: winner) -> dict[str, Any]:
        """As plain values.

        Args:
            label: How a winner is called.
        """
        return {
            "source": self.name,
            "measurements": self.measurements,
            "suspicious": self.suspicious,
            "set_aside": self.set_aside,
            "offset": self.offset,
            "deviation": self.deviation,
            "drift": self.drift,
            "noise_factor": self.noise_factor,
            "alone_overturns": self.alone,
            "winner_without": None if self.without is None else label(self.without),
        }


@dataclass(frozen=True)
class Limit:
    """How much of one kind of tampering the winner withstands, with the model held fixed.

    Attributes:
        kind: "lies" (false measurements), "liars" (lying sources) or "total" (the sum of all changes).
        overturned: The least that can overturn the winner; None if nothing within the range can.
        rival: The option that is then level with the winner or ahead; None if none can be.
        certified: Up to how much the winner is certified to be the best; None if nothing is certified.
    """

    kind: str
    overturned: float | None
    rival: Any
    certified: float | None = None

    @property
    def stays(self) -> float | None:
        """Up to how much the winner stays the winner; None if whatever happens within the range."""
        if self.overturned is None or self.kind == "total":
            return self.overturned
        return max(self.overturned - 1, 0)

    @property
    def words(self) -> tuple[str, str]:
        """From how much on it can change the winner, and up to how much that is certified not to be."""
        shown = at_least if self.kind == "total" else "{:,}".format
        least = "no number is enough" if self.overturned is None else f"from {shown(self.overturned)}"
        return least, "" if not self.certified else shown(self.certified)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {**vars(self), "stays": self.stays}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Findings:
    """What measurements support, and who could have changed it, in units of the values.

    Attributes:
        threat: What tampering to be safe against; None if that is not known.
        span: The range of honest values: given, or that of the values that were measured and kept.
        breakdown: The least tampering that makes another option win, with that rival and the pivot; and the fewest
            false measurements, and lying sources, that take away the sole win.
        limits: How much of each kind of tampering the winner withstands.
        sources: What each source could have done, and whether the others explain it.
        certificate: What is proved, with confidence 1 - delta; None unless everything was given.
        credible: What the fitted models say where nothing is proved; None where something is, or if the measurements
            do not suffice.
        minimize: Whether smaller values are better.
        lowest_leads: The lowest possible lead of the winner over its best rival, with 0, 1, 2, ... false measurements.
        lowest_leads_sources: The same for lying sources; empty if no source is known.
    """

    threat: Threat | None
    span: Span
    breakdown: Breakdown
    limits: tuple[Limit, ...]
    sources: tuple[Source, ...]
    certificate: Any
    credible: Credible | None
    minimize: bool
    lowest_leads: FloatArray = field(default_factory=lambda: NOTHING)
    lowest_leads_sources: FloatArray = field(default_factory=lambda: NOTHING)

    @classmethod
    def extending(cls, found: Findings, **more: Any) -> Self:
        """Findings with the fields of a subclass.

        Args:
            found: The findings.
            more: The other fields.
        """
        return cls(**vars(found), **more)

    @property
    def breakdown_budget(self) -> float:
        """The least total change of recorded values that makes another option win, with the model held fixed."""
        return self.breakdown.budget

    @property
    def breakdown_lies(self) -> int | None:
        """The fewest false measurements within the range that take away the sole win; None if no number is enough."""
        return self.breakdown.lies

    @property
    def breakdown_sources(self) -> int | None:
        """The fewest lying sources that take away the sole win; None if no number is enough, or none is known."""
        return self.breakdown.liars

    @property
    def weighed(self) -> bool:
        """Whether amounts of tampering mean something: there is a rival."""
        return self.breakdown.possible

    @property
    def lie(self) -> str:
        """What one lie is called."""
        return "false measurement"

    def _repr_html_(self) -> str:
        """What notebooks show: the words, and a table of what the winner withstands."""
        names = {"lies": f"{self.lie}s", "liars": "lying sources", "total": "changes, in all"}
        rows = [(names[limit.kind], *limit.words) for limit in self.limits if self.weighed]
        head = ("tampering", "could have changed the winner", "certified up to")
        return notebook_html(str(self).splitlines(), "What it withstands, with the model held fixed", head, rows)

    @property
    def worse(self) -> str:
        """Where worse values lie: below the best, or above it."""
        return "above" if self.minimize else "below"


@dataclass(frozen=True, eq=False, kw_only=True)
class Case:
    """Measurements, the model of them, and who wins by it. Larger values are better.

    Attributes:
        given: What the user states.
        span: The range of honest values.
        model: The model.
        records: The standardized measurements.
        posterior: Of these.
        winner: The arm that wins.
        caution: How many standard deviations are taken off the mean to choose the winner.
        margin: By how much the mean of a rival is below that of the winner: nearer points count as the same winner.
        without: Arms that cannot win.
    """

    given: Given
    span: Span
    model: Prior
    records: Records
    posterior: JointPosterior
    winner: int
    caution: float = 0.0
    margin: float = 0.0
    without: Sequence[int] = ()


@dataclass(frozen=True, eq=False)
class Counted:
    """How little tampering lets each rival draw level, in units of the posterior.

    Attributes:
        budgets: The least sum of changes, for each arm; infinite for what is no rival.
        pivots: The arm whose measurements have to change for that.
        lies: The fewest false measurements.
        liars: The fewest lying sources.
    """

    budgets: FloatArray
    pivots: IntArray
    lies: Overturn
    liars: Overturn

    @classmethod
    def of(cls, case: Case, beta: float = 0.0) -> Self:
        """Count, for the estimate; or with a valid beta for what is certified.

        Args:
            case: What was measured, and who wins.
            beta: The confidence parameter of a certificate.
        """
        posterior, records, winner, caution = case.posterior, case.records, case.winner, case.caution
        effect, played = posterior.effect()
        score = posterior.mean - caution * posterior.deviation
        lead, error = score[winner] - score, None
        if beta > 0:
            errors = posterior.errors
            sd = pairwise_deviation(posterior.covariance, winner, errors.variances(winner))
            lead, error = lead - errors.means(winner) - beta * sd, errors.effects(winner)
        budgets, pivots = breakdown_budgets(posterior, winner, beta=beta, caution=caution, records=records)
        # A lead that no change of a measured arm can move, or that a rounding error can take away, is none.
        rounding = LEVEL * max(1.0, float(np.abs(records.values).max(initial=0.0)))
        level = (
            (budgets <= LEVEL)
            | (np.abs(lead) <= rounding)
            | (np.isinf(budgets) & np.isin(np.arange(len(budgets)), records.arms))
        )
        none = (posterior.mean[winner] - posterior.mean < case.margin) & (case.margin > 0)
        none[[winner, *case.without]] = True
        budgets, lead = (np.where(none, np.inf, np.where(level, 0.0, one)) for one in (budgets, lead))
        low, high = case.model.standardized(case.span.low), case.model.standardized(case.span.high)
        effects = partial(_effects, effect, played, records, winner)
        return cls(budgets, pivots, *overturns(lead, effects, records, low, high, winner, error))


def _effects(effect: FloatArray, played: IntArray, records: Records, winner: int, rivals: slice) -> FloatArray:
    """Effects of all records on the leads over some rivals."""
    return records.effects(effect[winner] - effect[rivals], played)


def findings(
    case: Case,
    counted: Counted,
    *,
    everything: Case,
    mixture: Mixture | None,
    points: FloatArray,
    sources: tuple[Source, ...],
    minimize: bool,
    covered: BoolArray | None = None,
    observed: bool = False,
    tie: float = 0.0,
    name: Callable[[int], Any] = int,
) -> Findings:
    """Put together what is found, in the user's own sign and units.

    `everything` are all measurements: a proof allows no choice of measurements by their values. `mixture` are the
    models that the kept ones leave possible, None if nothing is to be said by them; `points` is the point of each arm,
    and `covered` which of them a fitted bound is about. With `minimize` the values of the case are those of the
    user, negated. With `observed` the range of the values may stand in for one that was not given. Points that are
    better by no more than `tie` count as the same. `name` is what the user calls an arm.
    """
    unit, named = case.model.output_scale, case.records.sources is not None and len(sources) > 0
    stated = case.given.flipped() if minimize else case.given
    proved = sure = fitted = None
    if case.given.complete:
        found = certified(case.given, case.model, everything.posterior, case.winner, everything.records)
        proved = replace(found, threat=stated.threat_or_nothing)
        sure = Counted.of(everything, proved.beta) if case.span.given else None
    elif mixture is not None:
        supposed = replace(case.given, threat=case.span.around(Threat.of(case.given.threat), observed=observed))
        bound = _fitted(case, supposed, mixture, points, covered, tie)
        fitted = bound and replace(bound, threat=stated.threat_or_nothing)
    broken = _breakdown(unit, counted, name)
    kinds = ("lies", "liars") if named else ("lies",)
    total = Limit("total", broken.budget if broken.possible else None, broken.rival)
    if proved is not None:
        total = replace(total, certified=proved.certified_budget)
    return Findings(
        threat=Threat.of(stated.threat),
        span=case.span.flipped() if minimize else case.span,
        breakdown=replace(broken, lies=counted.lies.number, liars=counted.liars.number if named else None),
        limits=(*(_limit(kind, counted, sure, name) for kind in kinds), total),
        sources=sources,
        certificate=proved,
        credible=fitted,
        minimize=minimize,
        lowest_leads=unit * counted.lies.lowest,
        lowest_leads_sources=unit * counted.liars.lowest if named else NOTHING,
    )


def _fitted(
    case: Case, supposed: Given, mixture: Mixture, points: FloatArray, covered: BoolArray | None, tie: float
) -> Credible | None:
    """How far the winner is from the best of the points that are covered, by the models that are possible.

    None if the winner is not one of them: nothing that was measured there is believed.
    """
    some = np.ones(len(points), dtype=np.bool_) if covered is None else covered
    if not some[case.winner]:
        return None
    arm = int(some[: case.winner].sum())
    return credible(supposed, mixture, points[some], arm, case.model.noise_std, tie)


def _breakdown(unit: float, counted: Counted, name: Callable[[int], Any]) -> Breakdown:
    """The least total change that makes another arm win."""
    rival = int(np.argmin(counted.budgets))
    if np.isinf(counted.budgets[rival]):
        return Breakdown(np.inf, None, None)
    return Breakdown(unit * float(counted.budgets[rival]), name(rival), name(int(counted.pivots[rival])))


def _limit(kind: str, counted: Counted, proved: Counted | None, name: Callable[[int], Any]) -> Limit:
    """What the winner withstands of one kind of lies."""
    one: Overturn = getattr(counted, kind)
    rival = None if one.rival is None else name(one.rival)
    if proved is None:
        return Limit(kind, one.number, rival)
    sure: Overturn = getattr(proved, kind)
    certified_up_to = len(sure.alone) if sure.number is None else sure.number - 1
    return Limit(kind, one.number, rival, None if certified_up_to == -1 else certified_up_to)


def lowest_lead(case: Case, threat: Threat | None) -> float | None:
    """The lowest possible lead of the winner over its best rival under a threat; None if it is not known.

    Args:
        case: What was measured, and who wins.
        threat: The threat, in the sign and units of the case.
    """
    if threat is None:
        return None
    mean, winner = case.posterior.mean, case.winner
    standard = threat.mapped(1 / case.model.output_scale, case.model.standardized)
    reach = reach_of_leads(case.posterior, winner, standard, case.records)
    lead = mean[winner] - mean
    rivals = (np.arange(len(lead)) != winner) & ((lead >= case.margin) | (case.margin == 0))
    return float(case.model.output_scale * (lead - reach)[rivals].min(initial=np.inf))
