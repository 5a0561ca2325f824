"""The verdict of a study in a few words: whether what it recommends withstands the threat."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from unswayed.search.answer import Answer
from unswayed.service.pages.trust import gauges
from unswayed.study.duel_answer import DuelAnswer
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


def sentence(answer: Answer | DuelAnswer, old: str | None) -> str:
    """The verdict in words, beside what it was before.

    Args:
        answer: The answer.
        old: The verdict before; None if there was none.
    """
    if isinstance(answer, DuelAnswer):
        return f"The leader is {printable(answer.leader, limit=200)}: {trust(answer)}. {answer.next_step}"
    leader, new = printable(answer.space.describe(answer.point), limit=200), trust(answer)
    if new not in (Trust.WITHSTANDS, Trust.FALLS):
        return f"The leader is {leader}: {new}."
    words = "; ".join(one.words for one in gauges(answer))
    says: str = new
    if new is Trust.FALLS and old == Trust.WITHSTANDS:
        says = "no longer withstands the threat"
    return f"The leader, {leader}, {says}: {words}."


def message(study: str, answer: Answer | DuelAnswer, seq: int, old: str | None, at: float) -> str:
    """What is sent: JSON.

    Args:
        study: The name of the study.
        answer: The answer.
        seq: The last record that it is about.
        old: The verdict before; None if there was none.
        at: When it was noticed, in seconds since 1970.
    """
    about: dict[str, Any] = {
        "study": study,
        "old": old,
        "new": str(trust(answer)),
        "sentence": sentence(answer, old),
        "leader": answer.point,
        "measured": answer.measured,
        "seq": seq,
        "at": at,
    }
    return json_text(about)
