"""Can this winner be trusted? Three questions, and one verdict: the worst of their answers.

luck         if every measurement is honest, is the winner better than chance explains?
evidence     do the data look tampered with, where it matters for that?
robustness   how much tampering would change the winner, beside the threat and beside the evidence?
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

MOST_LINES, MOST_COLUMNS = 8, 100  # of what is printed first
LIKELY = 0.5  # probability above which chance gives a lead easily


class Verdict(StrEnum):
    """What to think of a winner, the best first."""

    YES = "yes"
    EARLY = "too early"
    WITHIN = "no: within the threat"
    TAMPERED = "no: tampered"


@dataclass(frozen=True)
class Luck:
    """If every measurement is honest, is the winner better than chance explains?

    Attributes:
        better: Whether it is, judged once at the end, allowing for having chosen the best of all options.
        any_time: Whether that also holds if somebody looked every day and stopped when it pleased; None if unknown.
        probability: Of a lead like this by chance, at most; None if it is not known.
        sentence: The answer in words.
    """

    better: bool
    any_time: bool | None
    probability: float | None
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Evidence:
    """Do the data look tampered with, where it matters?

    Attributes:
        tampered: Whether the verdict is another one without the suspects.
        suspects: How many measurements, or counts, the others do not explain.
        sentence: The answer in words.
    """

    tampered: bool
    suspects: int
    sentence: str

    @property
    def idle(self) -> str:
        """The sentence, if nothing was found: it can be spared."""
        return "" if self.suspects or self.tampered else self.sentence

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Robustness:
    """How much tampering would change the winner?

    Attributes:
        enough: Whether the threat that was stated is enough; False if none was stated.
        sentence: The answer in words, beside the threat, or beside the evidence that was found.
        single: Whether the winner rests on one measurement that the others do not confirm, and no threat was stated.
    """

    enough: bool
    sentence: str
    single: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def verdict_of(luck: Luck, evidence: Evidence, robustness: Robustness) -> Verdict:
    """The worst of three answers.

    Tampering comes first. A lead that may be chance is too early, whatever threat was stated: more measurements are
    needed in any case. So is a winner that rests on one measurement, if it is not known how many may be false.

    Args:
        luck: The answer to the first question.
        evidence: To the second.
        robustness: To the third.
    """
    if evidence.tampered:
        return Verdict.TAMPERED
    if not luck.better or robustness.single:
        return Verdict.EARLY
    return Verdict.WITHIN if robustness.enough else Verdict.YES


def short(paragraphs: Sequence[str], last: str = "", spare: str = "") -> list[str]:
    """Paragraphs as lines: at most MOST_LINES of at most MOST_COLUMNS characters.

    A paragraph that does not fit any more ends at a semicolon, or is left out, so the most important come first; a word
    that is longer than a line is cut.

    Args:
        paragraphs: What to say; empty ones are left out.
        last: What is said at the end, whatever else fits.
        spare: The paragraph that is left out first.
    """
    end, parts = _wrapped(last) if last else [], [text for text in paragraphs if text]
    if spare in parts and sum(map(len, map(_wrapped, parts))) + len(end) > MOST_LINES:
        parts.remove(spare)
    lines: list[str] = []
    for text in parts:
        lines += _fitting(text, MOST_LINES - len(lines) - len(end))
    return lines + end


def _fitting(text: str, most: int) -> list[str]:
    """A paragraph as lines, without its last clauses if it is too long, or nothing."""
    clauses = text.split("; ")
    for number in range(len(clauses), 0, -1):
        some = "; ".join(clauses[:number])
        lines = _wrapped(some if number == len(clauses) else f"{some}.")
        if len(lines) <= most:
            return lines
    return []


def _wrapped(text: str) -> list[str]:
    """A paragraph as lines; the end of one that is far too long is cut."""
    return textwrap.wrap(text, MOST_COLUMNS, break_on_hyphens=False, max_lines=MOST_LINES // 2, placeholder=" ...")
