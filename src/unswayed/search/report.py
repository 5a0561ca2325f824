"""An answer in words: the recommendation, how far to trust it, what was set aside, and who was not believed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unswayed.core.threat import Threat
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
        offset: How far it reads above the others; 0 unless it is off by a constant. This was taken off its values.
    """

    source: str
    plays: int
    set_aside: bool
    offset: float


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
    offsets = prior.output_scale * watch.offsets if len(watch.offsets) else np.zeros(len(data.names))
    return tuple(
        SourceSeen(name, int(counts[i]), i in watch.aside, sign * float(offsets[i]) + 0.0)
        for i, name in enumerate(data.names)
    )


def threat_levels(answer: Answer) -> tuple[ThreatLevel, ...]:
    """The answer as a function of the threat, for each kind that can be counted."""
    b = answer.breakdown
    levels = [ThreatLevel("total", b.budget if b.possible else None)]
    if not answer.low < answer.high:  # all values are equal, and no range is given: lies cannot be counted
        return tuple(levels)
    levels.append(ThreatLevel("lies", None if b.lies is None else max(b.lies - 1, 0)))
    if len(answer.sources) > 1:
        levels.append(ThreatLevel("liars", None if b.liars is None else max(b.liars - 1, 0)))
    return tuple(levels)


def report(answer: Answer) -> list[str]:
    """The answer, a line for each part."""
    lines = [f"Recommended: {answer.space.describe(answer.point)}, estimated at {answer.shown_estimate}."]
    return [*lines, answer.sentence, *_levels(answer), *_outside(answer), _aside(answer), *_sources(answer)]


def _levels(answer: Answer) -> list[str]:
    """How much tampering the recommendation survives."""
    b, describe = answer.breakdown, answer.space.describe
    if not b.possible:
        return []
    again = " With the model estimated again, less may be enough." if answer.assumptions.estimated else ""
    worse = _worse(answer) or "another"
    lines = [] if answer.threat is not None else ["You named no threat; this is what each kind would mean:"]
    lines.append(
        f"Breakdown budget, with the model held fixed: {at_least(b.budget)}. Less tampering with the "
        f"measurements kept would not have changed the recommendation to {worse}; this much, on measurements "
        f"at {describe(b.pivot)}, could have made {describe(b.rival)} win.{again}"
    )
    if not answer.low < answer.high:
        return lines
    fixed = "With the model and what is set aside held fixed" if answer.set_aside else "With the model held fixed"
    lines.append(f"{fixed}, {_count(answer, b.lies, 'false measurement')}.")
    if len(answer.sources) > 1:
        lines.append(f"{fixed}, {_count(answer, b.liars, 'lying source')}.")
    return lines


def _worse(answer: Answer) -> str:
    """Which other points count as a change: in a continuum not those that are as good up to the noise."""
    return f"one that is worse by more than the noise ({answer.assumptions.noise_std:.3g})" if answer.continuum else ""


def _count(answer: Answer, least: int | None, noun: str) -> str:
    """From which number on lies could have changed the recommendation."""
    threat = answer.threat or Threat()
    observed = [words for words, end in (("lowest", threat.low), ("highest", threat.high)) if end is None]
    seen = ", the range observed" if len(observed) == 2 else f", the {observed[0]} observed" if observed else ""
    values = f"(values between {answer.low:.4g} and {answer.high:.4g}{seen})"
    changed = f"changed the recommendation{f' to {_worse(answer)}' if answer.continuum else ''}"
    if least is None:
        return f"no number of {noun}s {values} could have {changed}"
    if least == 0:
        return f"another point is as good already, without any {noun}"
    if least == 1:
        return f"1 {noun} {values} could have {changed}"
    up_to = counted(least - 1, noun)
    return f"up to {up_to} {values} could not have {changed}; {least:,} could"


def _outside(answer: Answer) -> list[str]:
    """How many values were moved into the range."""
    threat = answer.threat or Threat()
    told = [play.value for play in answer.plays if play.measured and play.value is not None]
    outside = sum(threat.clipped(value) != value for value in told)
    ends = "counts as its nearer end" if outside == 1 else "count as its nearer end"
    return [f"{counted(outside, 'measurement')} outside the range you gave {ends}."] if outside else []


def _aside(answer: Answer) -> str:
    """Which plays were set aside, what they add up to, and how that compares with the threat."""
    measured, aside = counted(answer.measured, "measurement"), answer.set_aside
    if not aside:
        return f"{measured}, none of them set aside."
    numbers = [str(play) for play in aside]
    named = listed(numbers) if len(aside) <= LISTED else f"{', '.join(numbers[:3])}, ... {numbers[-1]}"
    which = f"play {named}" if len(aside) == 1 else f"plays {named}"
    text = f"{measured}; set aside {len(aside):,} of them ({which}), {answer.set_aside_total:.3g} in all, because the "
    threat, allowed = answer.threat, ""
    if threat is not None:
        faults = not (threat.lies or threat.liars) and answer.set_aside_total > threat.total
        allowed = f"; you allowed {threat}{', to which values that are off by far more do not count' if faults else ''}"
    return f"{text}others do not explain them{allowed}."


def _sources(answer: Answer) -> list[str]:
    """The sources that are not believed, or off by a constant."""
    lines = []
    for s in sorted(answer.sources, key=lambda one: not one.set_aside):
        name = f"Source {printable(s.source, limit=60)}"
        if s.set_aside:
            lines.append(f"{name} is set aside: the others do not explain its {counted(s.plays, 'measurement')}.")
        elif s.offset:
            where = "above" if s.offset > 0 else "below"
            lines.append(f"{name} reads {abs(s.offset):.3g} {where} the others; this was taken off.")
    if lines and len(answer.sources) == 2:
        lines.append("With two sources nobody can tell which one is off; the estimate may be off by as much.")
    more = len(lines) - LISTED
    return lines if more < 1 else [*lines[:LISTED], f"{counted(more, 'more source')} like these: see answer.sources."]
