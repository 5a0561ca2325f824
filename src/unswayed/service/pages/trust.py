"""How far a recommendation can be trusted: gauges against the threat, and what other threats would mean.

Everything here comes from `Answer.breakdown` and `Answer.lowest_leads`, which hold the model fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

import numpy as np

from unswayed.core.tampering.threat import LARGEST_VALUE, Threat
from unswayed.search.answer import Answer
from unswayed.search.report import doubted, what_if
from unswayed.service.pages.axes import Axis, Tick, numbers
from unswayed.service.pages.chart import HEIGHT, WIDTH
from unswayed.text import at_least, counted
from unswayed.types import FloatArray

NOUNS = {"lies": "false measurement", "liars": "lying source"}
TITLES = {"total": "Changes that add up to", "lies": "False measurements", "liars": "Lying sources"}
SLIDER_STEPS = 200  # of a slider for amounts
FEWEST = 5  # lies on a slider
LINE = 300  # points of a curve


@dataclass(frozen=True)
class Gauge:
    """How much tampering of one kind the recommendation withstands, beside what is feared.

    Attributes:
        kind: total, lies, liars or doubt.
        needed: The least that could have changed the recommendation; None if nothing could.
        feared: What the threat allows; None if no threat is named.
        several: Whether the threat allows other kinds as well.
        doubted: Of a trust level that is doubted: whether its measurements could have changed it, in words.
    """

    kind: str
    needed: float | None
    feared: float | None
    several: bool = False
    doubted: str = ""

    @property
    def withstands(self) -> bool | None:
        """Whether the threat is too small to change the recommendation; None if none is named."""
        if self.feared is None:
            return None
        return self.needed is None or self.feared < self.needed

    @property
    def verdict(self) -> str:
        """The same in words."""
        if self.feared is None:
            return "no threat named"
        if self.feared == 0:
            return "no tampering feared"
        alone = " of this kind alone" if self.several else ""
        return f"{'withstands' if self.withstands else 'does not withstand'} the threat{alone}"

    @property
    def words(self) -> str:
        """What is needed, and what is feared."""
        if self.doubted:
            return self.doubted
        if self.needed is None:
            needed = "no number is enough" if self.kind in NOUNS else "no tampering is enough"
        elif self.needed == 0:
            needed = "another point is as good already"
        else:
            needed = f"{self._amount(self.needed, at_least(self.needed))} needed to overturn it"
        if self.feared is None:
            return needed
        return f"{needed}; {self._amount(self.feared, f'{self.feared:.4g}')} feared"

    @property
    def fill(self) -> float:
        """How much of the gauge is filled, from 0 to 100."""
        return 100.0 if self.needed is None else round(100 * self.needed / self._top, 1)

    @property
    def mark(self) -> float | None:
        """Where the threat is on the gauge, from 0 to 100; None if none is named."""
        return None if self.feared is None else round(100 * self.feared / self._top, 1)

    @property
    def _top(self) -> float:
        return 1.25 * max(self.needed or 0.0, self.feared or 0.0) or 1.0

    def _amount(self, amount: float, shown: str) -> str:
        return counted(int(amount), NOUNS[self.kind]) if self.kind in NOUNS else f"changes of {shown} in all"


def gauges(answer: Answer) -> list[Gauge]:
    """A gauge for each kind of tampering that is feared; that of the total, if none is."""
    if not answer.weighed:
        return []
    b, threat = answer.breakdown, answer.threat
    feared = threat or Threat()
    kinds = [kind for kind in TITLES if getattr(feared, kind)] or ([] if feared.doubt else ["total"])
    several = len(kinds) + bool(feared.doubt) > 1
    liars = b.liars if answer.sources else b.lies and 1  # no source is named: one may have told everything
    needed = {"total": b.budget, "lies": b.lies, "liars": liars}
    known = {kind: getattr(threat, kind, None) for kind in kinds}
    found = [Gauge(kind, needed[kind], known[kind], several) for kind in kinds]
    if feared.doubt:  # all or nothing: either other values of what is doubted are enough, or no number is
        found.append(Gauge("doubt", 1.0 if answer.doubted_alone else None, 1.0, several, doubted(answer)))
    return found


@dataclass(frozen=True)
class WhatIf:
    """The lowest possible lead of the recommendation as a function of one kind of tampering.

    Attributes:
        kind: total, lies or liars.
        amount: The amount that the sentence is about.
        sentence: What that much could have done.
        top: The largest amount on the slider.
        y: The axis of the lead.
        step: Its step.
        line: The lowest possible lead, as the path of a curve; for a total, a lower bound of it.
        zero: The height at which it is 0.
        lost: From where on another point could have won; None if nowhere.
        mark: Where the amount is.
    """

    kind: str
    amount: float
    sentence: str
    top: float
    y: Axis
    step: float
    line: str
    zero: int
    lost: int | None
    mark: int

    @property
    def title(self) -> str:
        """What is varied."""
        return TITLES[self.kind]

    @property
    def x(self) -> Axis:
        """The axis of the amount."""
        return numbers(0.0, self.top, whole=self.kind in NOUNS)

    @property
    def unit(self) -> str:
        """What a number of them is called."""
        return "in units of the values" if self.kind == "total" else f"{NOUNS[self.kind]}s"


class Curve(NamedTuple):
    """The lowest possible lead for some amounts of one kind; from `needed` on another point could have won."""

    kind: str
    amounts: FloatArray
    leads: FloatArray
    needed: float | None


def what_ifs(answer: Answer, kind: str | None, amount: str | None) -> list[WhatIf]:
    """What each kind of tampering could have done. One amount may be chosen; the others are those of the threat, or, of
    what it leaves out, one lie or half of the budget.

    Args:
        answer: The answer.
        kind: The kind whose amount is chosen.
        amount: The amount, as typed text; None, or text that is no amount, chooses the usual one.
    """
    b = answer.breakdown
    if not answer.weighed:
        return []
    curves = [Curve("total", np.array([0.0, b.budget]), answer.lowest_leads[[0, 0]] * [1.0, 0.0], b.budget)]
    curves += [_counts("lies", answer.lowest_leads, b.lies)]
    if len(answer.sources) > 1:
        curves += [_counts("liars", answer.lowest_leads_sources, b.liars)]
    feared = answer.threat or Threat()
    chosen = {name: _typed_amount(amount, name) if name == kind else None for name in TITLES}
    return [_what_if(answer, curve, getattr(feared, curve.kind), chosen[curve.kind]) for curve in curves]


def _counts(kind: str, leads: FloatArray, needed: int | None) -> Curve:
    """The curve of a kind that is counted, up to twice what is needed, and not far below 0."""
    most = min(len(leads) - 1 if needed is None else max(FEWEST, 2 * needed), len(leads) - 1)
    some = np.unique(np.linspace(0, most, LINE).astype(np.int64))
    end = int(np.argmax(leads[some] <= -leads[0])) if leads[most] <= -leads[0] < 0 else len(some)
    return Curve(kind, some[: end + 1].astype(np.float64), leads[some[: end + 1]], needed)


def _what_if(answer: Answer, curve: Curve, feared: float, chosen: float | None) -> WhatIf:
    kind, amounts, leads, needed = curve
    usual = feared or (1.0 if kind in NOUNS else (needed or 0.0) / 2)
    amount = usual if chosen is None else chosen
    least = FEWEST if kind in NOUNS else 0.0
    top = float(max(2 * (needed or 0.0), 1.25 * feared, amount, amounts[-1], least)) or 1.0
    lead = float(leads[0])
    low = min(max(float(leads.min()), -lead), 0.0)
    unit = (lead - low) or 1.0
    x = np.rint(WIDTH * amounts / top).astype(int)
    y = np.rint(HEIGHT * (0.05 + 0.9 * np.clip((lead - leads) / unit, 0.0, 1.0))).astype(int)
    return WhatIf(
        kind,
        amount,
        what_if(answer, kind, amount),
        top,
        Axis((Tick(95.0, f"{lead:.3g}"), Tick(round(95 - 90 * lead / unit, 2), "0"))),
        step=1.0 if kind in NOUNS else top / SLIDER_STEPS,
        line="M" + "L".join(f"{a} {b}" for a, b in zip(x.tolist(), y.tolist(), strict=True)),
        zero=round(HEIGHT * (0.05 + 0.9 * lead / unit)),
        lost=None if needed is None else round(WIDTH * needed / top),
        mark=round(WIDTH * amount / top),
    )


def _typed_amount(text: str | None, kind: str) -> float | None:
    """The amount that somebody typed; None if the text is not an amount."""
    try:
        amount = float(text or "")
    except ValueError:
        return None
    if not (isfinite(amount) and 0 <= amount <= LARGEST_VALUE):
        return None
    return float(int(amount)) if kind in NOUNS else amount
