"""The verdict of a study in a few words: whether what it recommends withstands the threat."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any

from unswayed.search.answer import Answer
from unswayed.service.pages.trust import gauges
from unswayed.spaces import Point
from unswayed.study.duel_answer import DuelAnswer
from unswayed.study.state import plain
from unswayed.text import json_text, printable


class Trust(StrEnum):
    """What the measurements say about the leader.

    Attributes:
        WITHSTANDS: The threat is too small to change the recommendation; each kind of it alone, if it has several.
        FALLS: It is not.
        UNSTATED: No threat is stated.
        UNFEARED: The threat that is stated is no tampering.
        UNDECIDED: There is nothing to compare the leader with, or nothing that tells them apart.
    """

    WITHSTANDS = "withstands the threat"
    FALLS = "does not withstand the threat"
    UNSTATED = "no threat is stated"
    UNFEARED = "no tampering is feared"
    UNDECIDED = "undecided"


def trust(answer: Answer | DuelAnswer) -> Trust:
    """The verdict on an answer.

    Args:
        answer: The answer.
    """
    if isinstance(answer, DuelAnswer):
        return _of_duels(answer)
    if not answer.weighed:
        return Trust.UNDECIDED
    if answer.threat is None:
        return Trust.UNSTATED
    if answer.threat.none:
        return Trust.UNFEARED
    return Trust.WITHSTANDS if all(one.withstands for one in gauges(answer)) else Trust.FALLS


def _of_duels(answer: DuelAnswer) -> Trust:
    if answer.audit.evidence.tampered:
        return Trust.FALLS
    if not answer.luck.better:
        return Trust.UNDECIDED
    if answer.threat is None:
        return Trust.UNSTATED
    if answer.threat.none:
        return Trust.UNFEARED
    return Trust.WITHSTANDS if answer.settled else Trust.FALLS


def leader(answer: Answer | DuelAnswer) -> str:
    """The point that leads, as it is kept until the next look.

    Args:
        answer: The answer.
    """
    return json_text(plain(answer.point))


def another(answer: Answer | DuelAnswer, before: str) -> bool:
    """Whether another point leads than before: in a continuum, one that is better by more than the noise.

    There the best estimate moves a little with almost every measurement. In duels, one that leads by more than chance.

    Args:
        answer: The answer.
        before: The leader before.
    """
    if leader(answer) == before:
        return False
    if isinstance(answer, DuelAnswer):
        return answer.luck.better
    if not answer.continuum or answer.surface is None:
        return True
    (estimate,), _ = answer.surface.thinned().at(answer.space.encode([json.loads(before)]))
    return abs(answer.estimate - float(estimate)) > answer.assumptions.noise_std


def sentence(answer: Answer | DuelAnswer, old: str | None, before: str | None = None) -> str:
    """The verdict in words, beside what it was before.

    Args:
        answer: The answer.
        old: The verdict before; None if there was none.
        before: The leader before, if another one leads now.
    """
    name, new = _named(answer, answer.point), trust(answer)
    instead = "" if before is None else f", no longer {_named(answer, json.loads(before))}"
    if isinstance(answer, DuelAnswer):
        return f"The leader is {name}{instead}: {new}. {answer.next_step}"
    if new not in (Trust.WITHSTANDS, Trust.FALLS):
        return f"The leader is {name}{instead}: {new}."
    words = "; ".join(one.words for one in gauges(answer))
    if before is not None:
        return f"The leader is now {name}{instead}. It {new}: {words}."
    again = new is Trust.FALLS and old == Trust.WITHSTANDS
    return f"The leader, {name}, {'no longer withstands the threat' if again else new}: {words}."


def _named(answer: Answer | DuelAnswer, point: Point) -> str:
    return printable(point if isinstance(answer, DuelAnswer) else answer.space.describe(point), limit=200)


def message(
    study: str, answer: Answer | DuelAnswer, seq: int, old: str | None, at: float, before: str | None = None
) -> str:
    """What is sent: JSON.

    Args:
        study: The name of the study.
        answer: The answer.
        seq: The last record that it is about.
        old: The verdict before; None if there was none.
        at: When it was noticed, in seconds since 1970.
        before: The leader before, if another one leads now.
    """
    about: dict[str, Any] = {
        "study": study,
        "old": old,
        "new": str(trust(answer)),
        "sentence": sentence(answer, old, before),
        "leader": answer.point,
        "leader_before": None if before is None else json.loads(before),
        "measured": answer.measured,
        "seq": seq,
        "at": at,
    }
    return json_text(about)
