"""From the plays of a search to its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unswayed.core.data.rows import numbered_rows
from unswayed.core.tampering.threat import Threat
from unswayed.core.tampering.trust import TrustLevel
from unswayed.errors import InvalidInput
from unswayed.judgement.assumptions import Given
from unswayed.judgement.credible import Mixture, Shapes, share_unexplored
from unswayed.judgement.findings import Case, Counted, Source, findings, lowest_lead
from unswayed.judgement.prior import assumptions
from unswayed.judgement.recommend import CAUTION, Choice, Worth, cautious, supposed
from unswayed.judgement.span import Span
from unswayed.search.answer import HIDDEN, Answer
from unswayed.search.beliefs import estimate
from unswayed.search.candidates import EVERYWHERE, LEADERS, candidates, near_failures
from unswayed.search.modes import FEWEST, Eliminating, Guided, Mode, Starting
from unswayed.search.play import Play
from unswayed.search.surrogate import Surrogate
from unswayed.search.task import Data, Event, Task
from unswayed.spaces import Options, Point
from unswayed.types import BoolArray, FloatArray

REFINEMENTS = 3  # times that candidates around the leaders are drawn, in a continuum
MOST_WORK = 3e10  # multiplications, to find out who wins without each source: less than the rest of the answer
ROUNDING = 1e-9  # of the output scale: a smaller lead may be a rounding error
MANY = 8  # measurements for each parameter: with fewer the precision of an estimate is not known


def answer(
    mode: Mode,
    plays: Sequence[Play],
    more: Sequence[Event] = (),
    *,
    numbers: Sequence[int] | None = None,
    space: Any = None,
    named: Callable[[Point], Point] = lambda point: point,
    minimize: bool = False,
) -> Answer:
    """The point to use, from all measurements. The candidates around the leaders are refined again.

    Args:
        mode: The search so far.
        plays: All plays of the study, in order.
        more: Events that have not entered the mode yet.
        numbers: The number of each play that was told, first those in `mode`, then those in `more`; by default all that
            were told, in order.
        space: Describes the points; by default the space of the search.
        named: What the user calls a point of the search; those of `plays` are the user's.
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
    before = None if isinstance(mode, Starting) else mode.surrogate
    if isinstance(mode, Guided) and not mode.improved and not more:
        beliefs = mode.beliefs  # so what is set aside is what the search does not believe
    else:
        beliefs = estimate(task, data, None if before is None else before.beliefs)
    judged = Surrogate.of_all(task, beliefs, data, threshold=threshold)
    surrogate = judged.beside(_considered(task, data, before, judged))
    told = [play.number for play in plays if play.measured] if numbers is None else numbers
    shown = {"space": task.space if space is None else space, "minimize": minimize, "plays": tuple(plays)}
    mine = {play.number: play.point for play in plays}
    points = [named(point) for point in task.space.decode(surrogate.rows)]
    for arm, number in zip(surrogate.arms_of(data.rows), told, strict=False):  # plays told since are in no data
        points[arm] = mine[number]  # exactly as it was told, so that it can be found again
    return _answer_of(mode, data, surrogate, points, _aside(data, surrogate, told) | shown)


def _considered(task: Task, data: Data, before: Surrogate | None, judged: Surrogate) -> FloatArray:
    """All rows of a small space, else candidates around the leaders: at first those of the search, or the best values.

    Nothing is known of an option that was not measured, unless a kernel is given. Decide which plays to keep before
    adding candidates.
    """
    if isinstance(task.space, Options) and task.given.kernel is None:
        return data.rows[:0]
    if task.all_rows is not None:
        return task.all_rows
    rows = data.rows[np.argsort(-data.values, kind="stable")[:LEADERS]]
    leaders = rows if before is None else before.leaders(LEADERS, rows[:0])
    for _ in range(REFINEMENTS):
        rows = candidates(task.space, leaders, np.random.default_rng([task.seed, data.plays]))
        leaders = judged.leaders(LEADERS, rows)
    return rows


def _answer_of(mode: Mode, data: Data, surrogate: Surrogate, points: Sequence[Point], shown: dict[str, Any]) -> Answer:
    task, prior, kept = mode.task, surrogate.beliefs.prior, surrogate.kept
    given, minimize = _noise_given(task.given, data), shown["minimize"]
    sign = -1.0 if minimize else 1.0
    case, worth, choice = _case(mode, data, surrogate, given)
    arm = case.winner
    counted, everything, mixture = Counted.of(case), case, None
    deviation = prior.output_scale * float(kept.posterior.deviation[arm])
    estimate = float(worth.mean[arm])
    if given.complete:
        records = surrogate.records(data)
        everything = replace(
            case, posterior=surrogate.everything(), records=records, caution=0.0, margin=0.0, without=()
        )
    else:
        mixture = _mixture(task, data, surrogate)
        deviation = max(deviation, mixture.deviation(surrogate.rows[arm], estimate))
        if data.table(given.noise_std).noise is None:  # what looks like the function may be noise
            deviation = max(deviation, float(worth.doubt[arm]))
    flat, unexplored = _mostly_equal(data, surrogate), _unexplored(task, data, surrogate)
    covered = _covered(task, surrogate, case)
    found = findings(
        case,
        counted,
        everything=everything,
        mixture=None if flat or unexplored > HIDDEN else mixture,
        points=surrogate.rows,
        covered=covered,
        sources=_sources(task, data, surrogate, case, counted, points, sign),
        minimize=minimize,
        name=points.__getitem__,
    )
    return Answer.extending(
        found,
        point=points[arm],
        estimate=sign * estimate,
        guaranteed=sign * float(worth.guaranteed[arm]),
        **_challenged(data, surrogate, case, worth, choice, points),
        deviation=deviation if given.complete or (not flat and _precise(task, data)) else None,
        assumptions=assumptions(given, prior, prior.level(kept.posterior), minimize=minimize),
        points=tuple(point for point, known in zip(points, covered, strict=True) if known),
        unexplored=unexplored,
        continuum=task.all_rows is None,
        flat=flat,
        doubted_alone=_doubted_alone(case),
        surface=surrogate.surface(sign),
        **{name: value for name, value in shown.items() if name != "minimize"},
    )


def _case(mode: Mode, data: Data, surrogate: Surrogate, given: Given) -> tuple[Case, Worth, Choice]:
    """The plays that are kept, what each point is worth, and which to recommend; none near failures."""
    task, prior, posterior = mode.task, surrogate.beliefs.prior, surrogate.kept.posterior
    continuum, kept = task.all_rows is None, surrogate.plays_kept(data)
    guided = continuum and not isinstance(mode, Eliminating)
    without = near_failures(surrogate.rows, data.rows, data.failed, measured_only=guided)
    span, records = Span.of(data.values[kept], given.threat_or_nothing), surrogate.told(data)
    threat = Threat() if isinstance(mode, Eliminating) else surrogate.against(span)  # a certificate allows for it
    worth, choice = surrogate.chosen(data, threat, span, without)
    stated = supposed(Threat.of(given.threat), span, sources=len(data.names))
    guaranteed = Worth.of(prior, posterior, records, stated, span).guaranteed
    score = cautious(posterior.mean, posterior.deviation, without)
    better = np.flatnonzero(score > score[choice.arm])  # they rest on too little
    case = Case(
        given=given,
        span=span,
        model=prior,
        records=records,
        posterior=posterior,
        winner=choice.arm,
        caution=CAUTION,
        margin=prior.noise if continuum else 0.0,
        without=np.union1d(np.array(without, dtype=np.int64), better).tolist(),
    )
    return case, replace(worth, guaranteed=guaranteed), choice


def _doubted_alone(case: Case) -> bool | None:
    """Whether what the threat doubts, or else all that is self-reported, could have changed the winner.

    None if nothing is doubted and nobody is a witness.
    """
    doubt = case.given.threat_or_nothing.doubt
    if case.span.width <= 0 or (doubt is None and case.records.trust is None):
        return None
    threat = Threat(doubt=doubt or TrustLevel.SELF_REPORTED, low=case.span.low, high=case.span.high)
    lead = lowest_lead(case, threat)
    return lead is not None and lead <= 0


def _mostly_equal(data: Data, surrogate: Surrogate) -> bool:
    """Whether most points that were measured have the same value: no model of smooth functions can weigh that.

    Of one or two points that is so only if all values are equal.
    """
    kept = surrogate.plays_kept(data)
    points, arms = numbered_rows(data.rows[kept])
    means = np.bincount(arms, weights=data.values[kept]) / np.bincount(arms)
    if len(points) <= 2:
        return float(np.ptp(data.values[kept])) == 0 and len(data.values) > len(points)
    return 2 * int(np.unique(means, return_counts=True)[1].max()) > len(points)


def _precise(task: Task, data: Data) -> bool:
    """Whether the measurements say how precise an estimate is: that takes repeats, a known noise, or many of them."""
    if data.plays < FEWEST:
        return False
    known = data.table(task.given.noise_std).noise is not None
    return known or task.all_rows is not None or data.plays >= MANY * len(task.space.names)


def _noise_given(given: Given, data: Data) -> Given:
    """With the noise given, if every measurement states its own. That of rates is estimated, from all of them."""
    if data.trials.any():
        return replace(given, noise_std=None)
    known = len(data.values) > 0 and bool(np.isfinite(data.noise_std).all())
    return replace(given, noise_std=data.table(given.noise_std).noise) if known else given


def _sources(
    task: Task, data: Data, surrogate: Surrogate, case: Case, counted: Counted, points: Sequence[Point], sign: float
) -> tuple[Source, ...]:
    """What became of each source. A drift is a line in the times of all plays, from -1 to 1."""
    kept, unit, when = surrogate.kept, surrogate.beliefs.prior.output_scale, np.linspace(-1, 1, data.plays)
    without = _winners_without(task, data, surrogate, case)
    found = []
    for i, name in enumerate(data.names):
        mine = data.source == i
        level, slope = unit * kept.offsets[i] if len(kept.offsets) else (0.0, 0.0)
        offset = float(sign * (level + slope * when[mine].mean())) + 0.0
        source = Source(
            name=name,
            measurements=int(mine.sum()),
            suspicious=i in kept.aside or bool(offset),
            set_aside=i in kept.aside,
            offset=offset,
            drift=float(sign * 2 * slope) + 0.0,
            noise_factor=float(kept.factors[i]) if len(kept.factors) else 1.0,
            alone=bool(counted.liars.alone[i : i + 1].any()),
            without=None if without[i] is None else points[without[i]],
        )
        found.append(source)
    return tuple(found)


def _winners_without(task: Task, data: Data, surrogate: Surrogate, case: Case) -> list[Any]:
    """For each source, the arm that would be recommended without it; None if nothing is left, or it costs too much."""
    kept, arm = surrogate.kept, case.winner
    n = len(np.unique(kept.records.arms))
    if len(data.names) * n**2 * (n + len(surrogate.rows)) > MOST_WORK:
        return [None for _ in data.names]
    margin = surrogate.beliefs.prior.noise if task.all_rows is None else ROUNDING
    found: list[int | None] = []
    for source in range(len(data.names)):
        left = kept.mask & (kept.records.sources != source)
        if not left.any():
            found.append(None)
            continue
        lower = cautious(*surrogate.posterior_of(left).at(surrogate.rows), case.without)
        best = int(np.argmax(lower))
        found.append(arm if lower[best] - lower[arm] <= margin else best)
    return found


def _challenged(
    data: Data, surrogate: Surrogate, case: Case, worth: Worth, choice: Choice, points: Sequence[Point]
) -> dict[str, Any]:
    """What would be best if every measurement were true, by how much, and where to measure again to find out.

    If no measurement that is kept says so, one that was set aside may, unless its point was measured again.
    """
    best, arm = float(worth.mean[choice.arm]), choice.challenger
    if arm is not None and choice.carrying is not None:
        lead, again = float(worth.mean[arm]) - best, int(case.records.arms[choice.carrying])
    else:
        kept, told = surrogate.kept, surrogate.kept.records
        claimed = case.model.unstandardized(told.values)
        once = ~kept.mask & ~np.isin(told.arms, told.arms[kept.mask])
        once &= claimed > best + case.model.noise_std
        if surrogate.binary or not once.any():
            return {"challenger": None, "challenger_lead": 0.0, "measure_again": None}
        play = int(np.argmax(np.where(once, claimed, -np.inf)))
        lead, arm = float(claimed[play]) - best, int(told.arms[play])
        again = arm
    return {"challenger": points[arm], "challenger_lead": lead, "measure_again": points[again]}


def _aside(data: Data, surrogate: Surrogate, numbers: Sequence[int]) -> dict[str, Any]:
    """The plays that are set aside, and how far they are off in all: a batch of outcomes by its sum."""
    aside = np.flatnonzero(~surrogate.plays_kept(data))
    expected = surrogate.kept.posterior.mean[surrogate.arms_of(data.rows[aside])]
    off = data.values[aside] - surrogate.beliefs.prior.unstandardized(expected)
    together = data.blocks[aside] if surrogate.binary else aside
    total = float(np.abs(np.bincount(together, weights=off)).sum()) if len(aside) else 0.0
    return {"set_aside": tuple(sorted(numbers[int(i)] for i in aside)), "set_aside_total": total}


def _mixture(task: Task, data: Data, surrogate: Surrogate) -> Mixture:
    """The models that the plays that are kept leave possible."""
    kept, model, prior = surrogate.kept.mask, surrogate.beliefs.fitted, surrogate.beliefs.prior
    shapes = Shapes.given(prior.shape) if model is None else Shapes.around(model, task.space.groups)
    plays, told = data.table(task.given.noise_std), surrogate.kept.believed
    sources = None if plays.sources is None else plays.sources[kept]
    noise = plays.noise if surrogate.binary or (plays.weights != 1).any() else None
    return Mixture.of(
        task.given,
        shapes,
        plays.rows[kept],
        prior.unstandardized(told.values[kept]),
        weights=told.weights[kept],
        sources=sources,
        trust=None if plays.trust is None else plays.trust[kept],
        noise=noise,
    )


def _covered(task: Task, surrogate: Surrogate, case: Case) -> BoolArray:
    """Which points a fitted bound is about: of options without a given kernel, those with a measurement kept."""
    covered = np.ones(len(surrogate.rows), dtype=np.bool_)
    if isinstance(task.space, Options) and task.given.kernel is None:
        covered &= np.isin(np.arange(len(covered)), case.records.arms)
    return covered


def _unexplored(task: Task, data: Data, surrogate: Surrogate) -> float:
    """Where a narrow peak could hide: not in a table, nor if a kernel is given, which says how narrow peaks can be."""
    if task.given.kernel is not None or isinstance(task.space, Options):
        return 0.0
    everywhere, kept = task.all_rows, surrogate.kept.mask
    if everywhere is None:
        everywhere = task.space.arms(EVERYWHERE, task.seed)
    plays = data.table(task.given.noise_std)
    return share_unexplored(everywhere, plays.rows[kept], plays.values[kept], surrogate.beliefs.prior.noise_std)
