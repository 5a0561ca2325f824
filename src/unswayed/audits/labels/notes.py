"""What is odd about counts and accuses nobody: sources that differ for all options, and values read in another way."""

from __future__ import annotations

from math import log, log1p

import numpy as np

from unswayed.audits.labels.data import LabelData, added, short_label

ODD = 1e-6  # probability, by the rate of the other sources, from which equal outcomes of a whole source are odd


def notes(data: LabelData) -> list[str]:
    """What is odd, a sentence for each; empty unless outcomes are counted."""
    if not data.counts or data.single or data.successes is None or data.trials is None:
        return []
    if bool(((data.successes == 0) | (data.successes == data.trials)).all()):
        return ["Every row is 0% or 100% of its trials: is that so? In Python, values beside trials are rates."]
    return _of_sources(data)


def _of_sources(data: LabelData) -> list[str]:
    """The sources with the same outcome in every trial of all their options, where the other sources say otherwise."""
    if data.sources is None:
        return []
    size = len(data.sources)
    s, n = added(data.source, data.successes, size), added(data.source, data.trials, size)
    several = np.bincount(data.cells.source, minlength=size) > 1
    said, all_s, all_n = dict[int, list[str]](), int(s.sum()), int(n.sum())
    for i in np.flatnonzero(several & ((s == 0) | (s == n)) & (n < all_n)).tolist():
        rest = (all_s - int(s[i])) / (all_n - int(n[i]))
        if not 0 < rest < 1:
            continue
        each = log(rest) if s[i] > 0 else log1p(-rest)
        if int(n[i]) * each < log(ODD):
            said.setdefault(round(100 * data.shown(float(s[i] / n[i]))), []).append(short_label(data.sources[i]))
    return [
        f"All counts of {_named(names)} are {rate}%, for every option; elsewhere not." for rate, names in said.items()
    ]


def _named(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} more"
