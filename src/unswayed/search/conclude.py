"""From the plays of a search to its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unswayed.core.data.rows import numbered_rows
from unswayed.core.tampering.certificate import Breakdown, breakdown
from unswayed.core.tampering.overturn import overturns
from unswayed.core.tampering.threat import Records, Threat
from unswayed.errors import InvalidInput
from unswayed.judgement.assumptions import Given
from unswayed.judgement.credible import Mixture, Shapes, credible, share_unexplored
from unswayed.judgement.prior import assumptions, certified
from unswayed.judgement.span import Span
from unswayed.policies.vigilant_ucb import CAUTION
from unswayed.search.answer import HIDDEN, Answer
from unswayed.search.beliefs import estimate
from unswayed.search.candidates import EVERYWHERE, LEADERS, candidates, near_failures
from unswayed.search.judged import Judged
from unswayed.search.modes import FEWEST, Eliminating, Mode, Starting
from unswayed.search.play import Play
from unswayed.search.report import sources_seen
from unswayed.search.surrogate import Surrogate, kept_field
from unswayed.search.task import Data, Event, Task
from unswayed.spaces import Options, Point
from unswayed.types import BoolArray, FloatArray

REFINEMENTS = 3  # of the candidates around the leaders, in a continuum
MOST = 3e10  # multiplications to find out who wins without each source: less than the answer costs
LEVEL = 1e-9  # of the output scale: a lead this small is a rounding error
MANY = 8  # measurements for each parameter, from which on they say how precise an estimate is


def answer(
    mode: Mode,
    plays: Sequence[Play],
    more: Sequence[Event] = (),
    *,
    numbers: Sequence[int] | None = None,
    space: Any = None,
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
    beliefs = estimate(task, data, None if before is None else before.beliefs)
    judged = Judged.of(task, data, beliefs, threshold)
    surrogate = judged.beside(_considered(task, data, before, judged))
    told = [play.number for play in plays if play.measured] if numbers is None else numbers
    shown = {"space": task.space if space is None else space, "minimize": minimize, "plays": tuple(plays)}
    return _answer_of(mode, data, surrogate, _aside(data, surrogate, told) | shown)


def _considered(task: Task, data: Data, before: Surrogate | None, judged: Judged) -> FloatArray:
    """All rows of a small space, else candidates around the leaders: at first those of the search, or the best values.

    Candidates are no reason to keep a play or not. So that is decided without them.
    """
    if task.all_rows is not None:
        return task.all_rows
    rows = data.rows[np.argsort(-data.values, kind="stable")[:LEADERS]]
    leaders = rows if before is None else before.leaders(LEADERS)
    for _ in range(REFINEMENTS):
        rows = candidates(task.space, leaders, np.random.default_rng([task.seed, data.plays]))
        leaders = judged.leaders(LEADERS, rows)
    return rows


def _answer_of(mode: Mode, data: Data, surrogate: Surrogate, shown: dict[str, Any]) -> Answer:
    task, prior, watch = mode.task, surrogate.beliefs.prior, surrogate.watch
    policy, continuum = surrogate.policy, task.all_rows is None
    given, minimize = _noise_given(task.given, data), shown["minimize"]
    sign = -1.0 if minimize else 1.0
    guided = continuum and not isinstance(mode, Eliminating)
    without = near_failures(policy.domain, data.rows, data.failed, measured_only=guided)
    arm = policy.recommend(watch, without=without)
    broken, counted, alone = _broken(task, data, surrogate, arm, without)
    points = task.space.decode(policy.domain)

    def point(number: int | None) -> Point:
        return None if number is None else points[number]

    flat = _mostly_equal(data, surrogate)
    mixture = None if given.complete else _mixture(task, data, surrogate)
    unexplored = _unexplored(task, data, surrogate)
    estimated = prior.in_units(float(watch.posterior.mean[arm]))
    deviation = prior.output_scale * float(watch.posterior.deviation[arm])
    proved = found = None
    feared = given.flipped().feared if minimize else given.feared  # as the user states it
    if mixture is None:  # the proof allows no choice of plays by their values
        proved = replace(certified(given, prior, watch.everything(), arm, _records(data, surrogate)), threat=feared)
    else:
        deviation = max(deviation, mixture.deviation(policy.domain[arm], estimated))
        if unexplored <= HIDDEN and not flat:
            found = credible(given, mixture, policy.domain, arm, prior.noise_std)
            found = None if found is None else replace(found, threat=feared)
    return Answer(
        point=point(arm),
        estimate=sign * estimated,
        deviation=deviation if given.complete or (not flat and _precise(task, data)) else None,
        certificate=proved,
        credible=found,
        breakdown=replace(broken, rival=point(broken.rival), pivot=point(broken.pivot)),
        assumptions=assumptions(given, prior, prior.level(watch.posterior), minimize=minimize),
        points=tuple(points),
        unexplored=unexplored,
        sources=sources_seen(
            data, surrogate, sign, alone, list(map(point, _without_each(task, data, surrogate, arm, without)))
        ),
        threat=Threat.of(given.flipped().threat if minimize else given.threat),
        continuum=continuum,
        flat=flat,
        **counted | {"span": counted["span"].flipped() if minimize else counted["span"]},
        **shown,
    )


def _mostly_equal(data: Data, surrogate: Surrogate) -> bool:
    """Whether most points that were measured have the same value: no model of smooth functions can weigh that.

    Of one or two points that is so only if all values are equal.
    """
    kept = _kept(data, surrogate)
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


def _kept(data: Data, surrogate: Surrogate) -> BoolArray:
    """Which plays are kept; single outcomes go with their batch."""
    kept = surrogate.watch.kept
    return kept[data.blocks] if surrogate.binary else kept


def _records(data: Data, surrogate: Surrogate) -> Records:
    """All plays, one by one, standardised."""
    values = surrogate.beliefs.prior.standard(data.values)
    weights = np.ones(len(values)) if surrogate.binary else surrogate.watch.repeats
    arms = np.array(surrogate.arms_of(data.rows), dtype=np.int64)
    return Records(arms, values, weights, data.sources)


def _broken(
    task: Task, data: Data, surrogate: Surrogate, arm: int, without: Sequence[int]
) -> tuple[Breakdown, dict[str, Any], BoolArray]:
    """The breakdown of the recommendation in units of the values, what lies were counted with, and who suffices."""
    posterior, prior, threat = surrogate.watch.posterior, surrogate.beliefs.prior, task.given.feared
    some, records, margin = _kept(data, surrogate), _records(data, surrogate), prior.noise * (task.all_rows is None)
    kept = records.only(some)
    found = breakdown(posterior, winner=arm, margin=margin, caution=CAUTION, without=without, records=kept)
    span = Span.of(data.values[some], threat)
    score = posterior.mean - CAUTION * posterior.deviation
    leads = score[arm] - score
    leads[posterior.mean[arm] - posterior.mean < margin] = np.inf
    leads[list(without)] = np.inf
    effect, S = posterior.effect()
    lies, liars = overturns(
        leads,
        lambda rows: kept.effects(effect[arm] - effect[rows], S),
        kept,
        prior.standard(span.low),
        prior.standard(span.high),
        arm,
    )
    counted = {"lies": lies.number, "liars": liars.number if data.names else None}
    about: dict[str, Any] = {"span": span, "lowest_leads": prior.output_scale * lies.lowest}
    if data.names:
        about["lowest_leads_sources"] = prior.output_scale * liars.lowest
    return replace(found, budget=prior.output_scale * found.budget, **counted), about, liars.alone


def _without_each(task: Task, data: Data, surrogate: Surrogate, arm: int, without: Sequence[int]) -> list[int | None]:
    """For each source, the arm that would be recommended without it; None if nothing is left, or it costs too much."""
    watch, policy, names = surrogate.watch, surrogate.policy, range(len(data.names))
    n = len(np.unique(watch.arms))
    if len(names) * n**2 * (n + len(policy.domain)) > MOST:
        return [None for _ in names]
    margin = surrogate.beliefs.prior.noise if task.all_rows is None else LEVEL
    found: list[int | None] = []
    for source in names:
        left = watch.kept & (watch.sources != source)
        if not left.any():
            found.append(None)
            continue
        mean, deviation = kept_field(policy, policy.domain, replace(watch, kept=left)).at(policy.domain)
        lower = mean - CAUTION * deviation
        lower[list(without) if len(without) < len(lower) else []] = -np.inf
        best = int(np.argmax(lower))
        found.append(arm if lower[best] - lower[arm] <= margin else best)
    return found


def _aside(data: Data, surrogate: Surrogate, numbers: Sequence[int]) -> dict[str, Any]:
    """The plays that are set aside, and how far they are off in all: a batch of outcomes by its sum."""
    aside = np.flatnonzero(~_kept(data, surrogate))
    expected = surrogate.watch.posterior.mean[surrogate.arms_of(data.rows[aside])]
    off = data.values[aside] - surrogate.beliefs.prior.in_units(expected)
    together = data.blocks[aside] if surrogate.binary else aside
    total = float(np.abs(np.bincount(together, weights=off)).sum()) if len(aside) else 0.0
    return {"set_aside": tuple(sorted(numbers[int(i)] for i in aside)), "set_aside_total": total}


def _mixture(task: Task, data: Data, surrogate: Surrogate) -> Mixture:
    """The models that the plays that are kept leave possible."""
    kept, model, prior = surrogate.watch.kept, surrogate.beliefs.fitted, surrogate.beliefs.prior
    shapes = Shapes.given(prior.shape) if model is None else Shapes.around(model, task.space.groups)
    plays, values = data.table(task.given.noise_std), prior.in_units(surrogate.watch.corrected)
    sources = None if plays.sources is None else plays.sources[kept]
    noise = plays.noise if surrogate.binary or (plays.weights != 1).any() else None
    return Mixture.of(
        task.given, shapes, plays.rows[kept], values[kept], weights=plays.weights[kept], sources=sources, noise=noise
    )


def _unexplored(task: Task, data: Data, surrogate: Surrogate) -> float:
    """Where a narrow peak could hide: not in a table, nor if a kernel is given, which says how narrow peaks can be."""
    if task.given.kernel is not None or isinstance(task.space, Options):
        return 0.0
    everywhere, kept = task.all_rows, surrogate.watch.kept
    if everywhere is None:
        everywhere = task.space.arms(EVERYWHERE, task.seed)
    plays = data.table(task.given.noise_std)
    return share_unexplored(everywhere, plays.rows[kept], plays.values[kept], surrogate.beliefs.prior.noise_std)
