"""Numbers for Prometheus, in its text format: each with what it means and what kind it is, samples beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


Labels = tuple[tuple[str, str], ...]


class Metric(NamedTuple):
    """A metric: its name, its kind, what it means, and its samples, each by its labels."""

    name: str
    kind: str
    meaning: str
    samples: Mapping[Labels, float]


def of_requests(counts: Mapping[tuple[str, int], int]) -> Metric:
    """How many requests were answered, by method and status.

    Args:
        counts: Of each method and status.
    """
    samples: dict[Labels, float] = {
        (("method", method), ("status", str(status))): n for (method, status), n in counts.items()
    }
    return Metric("unswayed_requests_total", "counter", "Requests that this server has answered.", samples)


def of_studies(plays: Mapping[str, Mapping[str, int]], seconds: Mapping[str, float]) -> list[Metric]:
    """What is known of each study.

    Args:
        plays: How many plays have each status, by study.
        seconds: Processor time that this server has spent on each study.
    """
    counted: dict[Labels, float] = {
        (("study", name), ("status", status)): n for name, one in plays.items() for status, n in one.items()
    }
    spent: dict[Labels, float] = {(("study", name),): time for name, time in seconds.items()}
    return [
        Metric("unswayed_plays", "gauge", "Plays of a study, by status.", counted),
        Metric(
            "unswayed_search_seconds_total", "counter", "Processor time for choosing points and for answers.", spent
        ),
    ]


def text(metrics: Iterable[Metric]) -> str:
    """The metrics as Prometheus reads them.

    Args:
        metrics: In the order in which they are shown.
    """
    lines = []
    for name, kind, meaning, samples in metrics:
        lines += [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]
        for labels, value in samples.items():
            shown = ",".join(f'{label}="{one.translate(ESCAPES)}"' for label, one in labels)
            lines.append(f"{name}{{{shown}}} {value}")
    return "".join(f"{line}\n" for line in lines)
