"""An answer in words: the recommendation, how far to trust it, what was set aside, and who was not believed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unswayed.search.surrogate import Surrogate
from unswayed.search.task import Data
from unswayed.text import at_least, counted, listed, printable

if TYPE_CHECKING:
    from unswayed.search.answer import Answer

LISTED = 10  # plays and sources that are named


@dataclass(frozen=True)
class SourceSeen:
    """What became of a named source.

    Attributes:
        source: Its name.
        plays: How many measurements it made.
        set_aside: Whether all of them are set aside, because the others do not explain them.
        offset: How far it reads above the others on average; 0 unless it is off. This was taken off its values.
        drift: How much more it reads above them at the end of the study than at its beginning.
    """

    source: str
    plays: int
    set_aside: bool
    offset: float
    drift: float = 0.0


@dataclass(frozen=True)
class ThreatLevel:
    """Up to where one kind of tampering leaves the recommendation as it is.

    Attributes:
        kind: total, lies or liars.
        harmless: The largest tampering of this kind that cannot have changed the recommendation; None if none can.
    """

    kind: str
    harmless: float | None


def sources_seen(data: Data, surrogate: Surrogate, sign: float) -> tuple[SourceSeen, ...]:
    """What became of each source."""
    watch, prior = surrogate.watch, surrogate.beliefs.prior
    counts = np.bincount(data.source[data.source >= 0], minlength=len(data.names))
    offsets = np.zeros((len(data.names), 2))
    if len(watch.offsets):
        when = np.linspace(-1, 1, len(data.source))
        for i in range(len(offsets)):
            a, b = prior.output_scale * watch.offsets[i]
            offsets[i] = a + b * when[data.source == i].mean(), 2 * b
    return tuple(
        SourceSeen(name, int(counts[i]), i in watch.aside, *(sign * offsets[i] + 0.0).tolist())
        for i, name in enumerate(data.names)
    )


def threat_levels(answer: Answer) -> tuple[ThreatLevel, ...]:
    """The answer as a function of the threat, for each kind that can be counted."""
    b = answer.breakdown
    levels = [ThreatLevel("total", b.budget if b.possible else None)]
    levels.append(ThreatLevel("lies", None if b.lies is None else max(b.lies - 1, 0)))
    if len(answer.sources) > 1:
        levels.append(ThreatLevel("liars", None if b.liars is None else max(b.liars - 1, 0)))
    return tuple(levels)


def report(answer: Answer) -> list[str]:
    """The answer, a line for each part."""
    lines = [f"Recommended: {answer.space.describe(answer.point)}, estimated at {answer.shown_estimate}."]
    return [*lines, answer.sentence, *_levels(answer), _aside(answer), *_sources(answer), *_warnings(answer)]


def _levels(answer: Answer) -> list[str]:
    """How much tampering the recommendation survives."""
    b, describe = answer.breakdown, answer.space.describe
    if not b.possible:
        return []
    again = " With the model estimated again, less may be enough." if answer.assumptions.estimated else ""
    noise = answer.assumptions.noise_std
    worse = f"one that is worse by more than the noise ({noise:.3g})" if answer.continuum else "another"
    lines = [] if answer.threat is not None else ["You named no threat; this is what each kind would mean:"]
    lines.append(
        f"Breakdown budget, with the model held fixed: {at_least(b.budget)}. Less tampering with the "
        f"measurements kept would not have changed the recommendation to {worse}; this much, on measurements "
        f"at {describe(b.pivot)}, could have made {describe(b.rival)} win.{again}"
    )
    return [*lines, _counts(answer)]


def _counts(answer: Answer) -> str:
    """From which numbers on lies could have changed the recommendation."""
    b, threat = answer.breakdown, answer.threat
    given = threat is not None and threat.low is not None and threat.high is not None
    values = f"values between {answer.low:.4g} and {answer.high:.4g}{'' if given else ' (the range observed)'}"
    kinds = [_count(b.lies, "false measurement")]
    kinds += [_count(b.liars, "lying source")] if len(answer.sources) > 1 else []
    return f"In numbers, with the model held fixed and {values}: {'; '.join(kinds)}."


def _count(least: int | None, noun: str) -> str:
    if least is None:
        return f"no number of {noun}s could have changed the recommendation"
    if least == 0:
        return f"another point is as good already, without any {noun}"
    if least == 1:
        return f"1 {noun} could have changed the recommendation"
    return f"up to {counted(least - 1, noun)} could not have changed the recommendation, {least:,} could"


def _aside(answer: Answer) -> str:
    """Which plays were set aside, what they add up to, and how that compares with the threat."""
    measured, aside = counted(answer.measured, "measurement"), answer.set_aside
    if not aside:
        return f"{measured}, none of them set aside."
    more = [f"{len(aside) - LISTED:,} more"] if len(aside) > LISTED else []
    which = f"play{'' if len(aside) == 1 else 's'} {listed([*map(str, aside[:LISTED]), *more])}"
    text = f"{measured}; set aside {len(aside):,} of them ({which}), {answer.set_aside_total:.3g} in all, because the "
    allowed = "" if answer.threat is None else f"; you allowed {answer.threat}"
    return f"{text}others do not explain them{allowed}."


def _warnings(answer: Answer) -> list[str]:
    """Where what was told contradicts the threat."""
    threat, lines = answer.threat, []
    if threat is not None and threat.liars and not answer.sources:
        lines.append(
            f"You allowed {counted(threat.liars, 'lying source')}, but no measurement names its source, so each may be "
            "false: tell who measured it."
        )
    outside = (
        0 if threat is None else sum(p.measured and threat.clipped(p.value or 0.0) != p.value for p in answer.plays)
    )
    if outside:
        lines.append(
            f"Outside the range of honest values that you gave: {counted(outside, 'measurement')}. Such a value is "
            "false, or the range is wrong; the nearest end is used instead."
        )
    return lines


def _sources(answer: Answer) -> list[str]:
    """The sources that are not believed, or off by a constant."""
    lines = [
        f"Source {printable(s.source, limit=60)} is set aside: the others do not explain its "
        f"{counted(s.plays, 'measurement')}."
        for s in answer.sources
        if s.set_aside
    ]
    for s in answer.sources:
        if s.offset and not s.set_aside:
            off = f"{abs(s.offset):.3g} {'above' if s.offset > 0 else 'below'} the others"
            drifts = f" on average and drifts by {s.drift:.3g} over the study" if s.drift else ""
            lines.append(f"Source {printable(s.source, limit=60)} reads {off}{drifts}; this was taken off.")
    return lines[:LISTED]
