"""The options of a list, by the mean of their measurements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unswayed.search.answer import Answer
from unswayed.service.pages.chart import limits, share
from unswayed.service.pages.columns import Columns
from unswayed.spaces import Options

OPTIONS = 50  # rows of the table


@dataclass(frozen=True)
class OptionRow:
    """One option.

    Attributes:
        option: The option in words.
        kept: How many of its measurements are kept.
        mean: Their mean; None without any.
        spread: Their standard deviation; None for fewer than two.
        role: What it is in the answer; empty for other options.
        left: Where the bar of mean and spread begins, from 0 to 100.
        middle: Where the mean is.
        right: Where the bar ends.
    """

    option: str
    kept: int
    mean: float | None
    spread: float | None
    role: str
    left: float = 0.0
    middle: float = 0.0
    right: float = 0.0


def option_rows(space: Options, columns: Columns, answer: Answer | None, minimize: bool) -> list[OptionRow]:
    """The best options that were measured, and those that the answer is about."""
    n = len(columns.points)
    place = columns.place[columns.kept]
    values = columns.value[columns.kept]
    count = np.bincount(place, minlength=n)
    mean = np.bincount(place, values, minlength=n) / np.maximum(count, 1)
    square = np.bincount(place, np.square(values - mean[place]), minlength=n)
    spread = np.sqrt(square / np.maximum(count - 1, 1))
    rank = np.where(count > 0, mean if minimize else -mean, np.inf)
    order = np.argsort(rank, kind="stable").tolist()
    best = [number for number in order if count[number] > 0]
    roles = _roles(columns, answer)
    shown = [*best[:OPTIONS], *(number for number in roles if number not in best[:OPTIONS])]
    ends = limits(columns, answer)
    rows = []
    for number in shown:
        m, s, k = float(mean[number]), float(spread[number]), int(count[number])
        bar = [share(value, *ends) for value in (m - s, m, m + s)] if ends is not None and k else []
        about = (m if k else None, s if k > 1 else None, roles.get(number, ""))
        rows.append(OptionRow(space.describe(columns.points[number]), k, *about, *bar))
    return rows


def _roles(columns: Columns, answer: Answer | None) -> dict[int, str]:
    """The roles of options in the answer."""
    if answer is None:
        return {}
    roles: dict[int, str] = {}
    about = {"recommended": answer.point}
    if answer.weighed:
        about |= {"would win next": answer.breakdown.rival, "weighs most": answer.breakdown.pivot}
    for role, point in about.items():
        if point is not None and point in columns.points:
            number = columns.points.index(point)
            roles[number] = f"{roles[number]}, {role}" if number in roles else role
    return roles
