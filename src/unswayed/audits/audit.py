"""Can I trust this winner? How much tampering with existing measurements would have overturned the result.

    x, y   measurements: one row of parameters and one value each; repeats are allowed
    C*     breakdown budget: the least total change of recorded values that could have made another option win
    pivot  the option where changing values is cheapest

The same is counted in false measurements and in lying sources (judgement/findings.py).

What is given is used exactly: with kernel, noise, output scale and level given, the model is GP(level, scale^2 k) with
lam = noise^2. What is not given is estimated, and the audit says so.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from unswayed.audits.case import AuditCase
from unswayed.audits.labels.audit import LabelAudit, audit_labels
from unswayed.audits.measurements import collect, stated_noise
from unswayed.audits.refit import influential_rows, refit_budget
from unswayed.audits.result import Audit, coordinates
from unswayed.audits.sources import decisive_sources, find_sources, source_shift, winner_without
from unswayed.audits.verdict import answered
from unswayed.audits.weak_points import Rival, find_plan, find_rivals, find_sensitive, find_suspects
from unswayed.core.data.threads import one_thread
from unswayed.core.tampering.certificate import Certificate
from unswayed.core.tampering.threat import NO_WITNESS, Threat
from unswayed.errors import InvalidInput
from unswayed.forwarding import forwards
from unswayed.judgement.assumptions import Given, GivenArgs
from unswayed.judgement.credible import Mixture
from unswayed.judgement.findings import Counted, findings, lowest_lead
from unswayed.judgement.prior import assumptions, certified
from unswayed.judgement.recommend import Left
from unswayed.judgement.span import Span
from unswayed.judgement.table import Table
from unswayed.text import printable
from unswayed.types import EPS, BoolArray, FloatArray, floats


@forwards(Given)
def audit(
    x: ArrayLike,
    y: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    minimize: bool = False,
    lines: Sequence[int] | None = None,
    sources: Sequence[Hashable] | None = None,
    noise_stds: ArrayLike | None = None,
    trials: ArrayLike | None = None,
    low: float | None = None,
    high: float | None = None,
    tie: float | None = None,
    **given: Unpack[GivenArgs],
) -> Audit | LabelAudit:
    """Who wins, and how much tampering would it take to overturn that?

    Args:
        x: A row of parameters for each measurement; or its label, if options have names: then there is no model.
        y: The measured values.
        {settings}
        names: The names of the parameters; by default x1, x2, ...
        minimize: Whether smaller values are better.
        lines: The line of a file that each measurement comes from, to name it in words.
        sources: Who or what made each measurement.
        noise_stds: The standard error of each measurement; None or NaN for those that have `noise_std`.
        trials: Of how many yes-or-no outcomes each value is the mean; only for options that have names.
        low: No honest measurement is smaller; by default the smallest one.
        high: No honest measurement is larger; by default the largest one.
        tie: Options whose values differ by no more than this count as the same winner; by default the standard
            error of the mean of one that was measured as often as most. Only for options that are rows of parameters.

    Returns:
        An `Audit`, or a `LabelAudit` if options have names. Print it, plot it, or take its parts.

    Raises:
        InvalidInput: The measurements are not finite, do not fit each other, or leave nothing to compare.

    Example:
        >>> import unswayed
        >>> unswayed.audit([[0.0], [0.0], [1.0], [1.0]], [0.1, 0.2, 1.0, 1.1], noise_std=0.1).winner
        1
        >>> print(unswayed.audit(["old", "new"], [0.10, 0.14], trials=[1000, 1000]).breakdown_lies)
        40
    """
    about: dict[str, Any] = {"minimize": minimize, "lines": lines, "sources": sources, "low": low, "high": high}
    if trials is not None or _are_labels(x):
        return _audit_labels(x, y, Given(**given), noise_stds, trials, about, {"tie": tie, "names": names})
    return audit_points(x, y, names=names, noise_stds=noise_stds, tie=tie, **about, **given)


def _are_labels(x: ArrayLike) -> bool:
    """Whether there is one name for each measurement in place of a row of numbers."""
    array = np.asarray(x, dtype=object) if not isinstance(x, np.ndarray) else x
    return array.ndim == 1 and len(array) > 0 and any(isinstance(label, str) for label in array[:1000])


def _audit_labels(
    x: Any,
    y: ArrayLike,
    given: Given,
    noise_stds: ArrayLike | None,
    trials: ArrayLike | None,
    about: dict[str, Any],
    of_points: dict[str, Any],
) -> LabelAudit:
    for name, setting in of_points.items():
        if setting is not None:
            raise InvalidInput(f"{name} is for options that are rows of parameters: leave it out")
    for name in ("kernel", "output_scale", "level", "norm_bound"):
        if getattr(given, name) is not None:
            raise InvalidInput(f"options that have names have no model: leave out {name}")
    values = y if trials is None else _successes(y, trials)
    noise = given.noise_std if noise_stds is None else noise_stds
    threat: dict[str, Any] = {"threat": given.threat, "delta": given.delta, "noise_std": noise}
    return audit_labels(x, values, trials=trials, **threat, **about)


def _successes(rates: ArrayLike, trials: ArrayLike) -> FloatArray:
    """The number of successes of each row."""
    p, n = floats(rates, "the rates", ndim=1), floats(trials, "the trials", ndim=1)
    if p.shape != n.shape:
        raise InvalidInput(f"{len(n)} trials for {len(p)} rates")
    successes: FloatArray = np.round(p * n)
    wrong = np.flatnonzero((p < 0) | (p > 1) | (np.abs(p * n - successes) > 1e-6 * np.abs(n)))
    if len(wrong):
        row = int(wrong[0])
        raise InvalidInput(
            f"row {row + 1}: with trials, a value is a rate, but {p[row]:g} of {n[row]:g} trials is not one"
        )
    return successes


def audit_points(
    x: ArrayLike,
    y: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    minimize: bool = False,
    lines: Sequence[int] | None = None,
    sources: Sequence[Hashable] | None = None,
    noise_stds: ArrayLike | None = None,
    low: float | None = None,
    high: float | None = None,
    tie: float | None = None,
    describe: Callable[[int], str] | None = None,
    called: str = "line",
    notes: Sequence[str] = (),
    **given: Unpack[GivenArgs],
) -> Audit:
    """`audit` of options that are rows of parameters.

    `describe` gives the point of a measurement in words, by its row; `called` is what `lines` number, and `notes` say
    what was left out.
    """
    stated, weights = _stated(Given(**given), noise_stds, known=sources is not None)
    data = collect(x, y, minimize=minimize, weights=weights, sources=sources)
    titles, numbers = _titles(names, data.points.shape[1]), _checked_lines(lines, len(data.values))
    stated, span = _ranged(stated, -data.values if minimize else data.values, low, high)
    with one_thread():
        case = AuditCase.of(data, stated, span, minimize=minimize, tie=tie)
        about: dict[str, Any] = {"names": titles, "labels": _labels(data, titles, describe), "lines": numbers}
        return _audited(case, noise_stated=noise_stds is not None, called=called, notes=tuple(notes), **about)


def _labels(data: Table, names: Sequence[str], describe: Callable[[int], str] | None) -> tuple[str, ...]:
    """Each option in words, safe to print."""
    if describe is not None:
        first = np.unique(data.arms, return_index=True)[1].tolist()
        return tuple(printable(describe(row), limit=1000) for row in first)
    titles = [printable(name, limit=200) for name in names]
    return tuple(", ".join(map(" = ".join, zip(titles, one, strict=True))) for one in coordinates(data.points))


def _stated(given: Given, noise_stds: ArrayLike | None, *, known: bool) -> tuple[Given, FloatArray | None]:
    """What the user states, with the noise of weight 1; and the weight of each measurement."""
    if given.threat_or_nothing.liars and not known:
        raise InvalidInput("lying sources can be counted only if the source of each measurement is given")
    if given.threat_or_nothing.doubt:
        raise InvalidInput(NO_WITNESS)
    weights, noise = stated_noise(noise_stds, given.noise_std)
    return replace(given, noise_std=noise), weights


def _ranged(given: Given, values: FloatArray, low: float | None, high: float | None) -> tuple[Given, Span]:
    """What the user states, with the range of honest values in the threat; and that range, also if it is not given."""
    span = Span.checked(values, given.threat_or_nothing, low, high)
    return replace(given, threat=span.around(Threat.of(given.threat), observed=False)), span


def _titles(names: Sequence[str] | None, columns: int) -> tuple[str, ...]:
    titles = tuple(f"x{i + 1}" for i in range(columns)) if names is None else tuple(str(name) for name in names)
    if len(titles) != columns:
        raise InvalidInput(f"{len(titles)} names for {columns} parameters")
    return titles


def _checked_lines(lines: Sequence[int] | None, measurements: int) -> tuple[int, ...] | None:
    if lines is not None and len(lines) != measurements:
        raise InvalidInput(f"{len(lines)} lines for {measurements} measurements")
    return None if lines is None else tuple(int(line) for line in lines)


def _audited(case: AuditCase, **told: Any) -> Audit:
    data, given, model, posterior = case.data, case.given, case.model, case.posterior
    counted = Counted.of(case)
    sources = find_sources(case, counted.liars.alone)
    decisive, without_decisive = decisive_sources(case, sources)
    binary = case.fit.binary(data.values)
    suspects = () if binary else find_suspects(case)
    kept = ~np.isin(np.arange(len(data.values)), [row for suspect in suspects for row in suspect.rows])
    found = findings(
        case,
        counted,
        everything=case,
        mixture=_mixture(case, kept),
        points=data.points,
        sources=sources,
        minimize=case.minimize,
        observed=True,
        tie=case.tie,
    )
    rivals = find_rivals(case, counted)
    refitted, single_change = _refitted(case, rivals[0])
    audit = Audit.extending(
        found,
        winner=case.winner,
        assumptions=assumptions(given, model, model.level(posterior), minimize=case.minimize),
        breakdown_budget_refit=refitted,
        single_change_found=single_change,
        lowest_lead=lowest_lead(case, case.span.around(Threat.of(given.threat), observed=True)),
        plan=find_plan(case, counted),
        rivals=rivals,
        sensitive_options=find_sensitive(case, rivals[0]),
        decisive_sources=decisive,
        winner_without_decisive=without_decisive,
        suspects=suspects,
        winner_without_suspects=winner_without(given, data, case.winner, kept, case.tie),
        binary=binary,
        unequal_noise=given.noise_std is None and not binary and case.fit.unequal_noise(data, kept),
        points=data.points,
        counts=data.counts,
        means=case.sign * data.means,
        estimate=np.clip(case.sign * model.unstandardized(posterior.mean), *_stated_ends(found.span)),
        deviation=_deviation(case),
        fitted_on=len(case.fit.fitting_points) if given.kernel is None else 0,
        precision=EPS * len(data.points) * posterior.condition,
        jitter=posterior.jitter,
        source_shift=source_shift(case, counted),
        tie=case.tie,
        **told,
    )
    return answered(audit, case, _honest(case))


def _deviation(case: AuditCase) -> FloatArray:
    """The deviation of each estimate, also where the noise is a guess."""
    deviation = case.posterior.deviation
    if not case.fit.noise_known:
        deviation = np.maximum(deviation, Left.of(case.posterior, case.records).doubt)
    return np.asarray(case.model.output_scale * deviation)


def _stated_ends(span: Span) -> tuple[float, float]:
    """The ends of the range that were stated; infinite where none was."""
    return span.low if span.low_given else -np.inf, span.high if span.high_given else np.inf


def _honest(case: AuditCase) -> Certificate | None:
    """What is proved if nothing was tampered with; None unless everything was given."""
    if not case.given.complete:
        return None
    return certified(replace(case.given, threat=None), case.model, case.posterior, case.winner, case.records)


def _refitted(case: AuditCase, rival: Rival) -> tuple[float, bool]:
    """The breakdown budget with the model estimated again, and whether a single change was found."""
    if not case.given.estimated:
        return rival.budget, True
    mean = case.posterior.mean
    rows = influential_rows(case.posterior, case.data, case.winner, rival.option)
    rivals = mean <= mean[case.winner] - case.margin
    rivals[case.winner] = False
    return refit_budget(case.fit, case.data, rivals, rows, rival.budget)


def _mixture(case: AuditCase, kept: BoolArray) -> Mixture | None:
    """The models that fit the measurements that are not suspects."""
    if case.given.complete:
        return None
    rows, left = case.data.rows[kept], case.data.only(kept)
    return Mixture.of(case.given, case.fit.shapes, rows, left.values, weights=left.weights, sources=left.sources)
