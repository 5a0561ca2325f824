"""An answer as it stands in the tests of words: nothing is played and nothing is fitted."""

from dataclasses import replace

import numpy as np

from unswayed import Matern, Options, Status, Threat
from unswayed.core.tampering.certificate import Breakdown
from unswayed.judgement.assumptions import Assumptions
from unswayed.judgement.credible import Credible
from unswayed.judgement.findings import Limit, Source
from unswayed.judgement.span import Span
from unswayed.search.answer import Answer
from unswayed.search.play import Play

POINTS = ("a", "b", "c")
VALUES = (0.1, 0.5, 0.9, 0.12, 0.52, 0.94)
ESTIMATED = Assumptions(
    kernel=Matern(2.5, 0.3),
    noise_std=0.0312,
    output_scale=0.4,
    level=0.5,
    norm_bound=None,
    estimated=("kernel", "output scale", "noise", "level"),
)


def told(values, sources=None, points=POINTS):
    """Plays with these values, at the points in turn, by the sources in turn."""
    return tuple(
        Play(
            number=n,
            point=points[n % len(points)],
            status=Status.TOLD,
            value=value,
            source=None if sources is None else sources[n % len(sources)],
        )
        for n, value in enumerate(values)
    )


def frozen(**changes):
    """The answer "c" of six measurements; `changes` are its fields."""
    fields = {
        "point": "c",
        "estimate": 0.921,
        "guaranteed": 0.71,
        "challenger": None,
        "challenger_lead": 0.0,
        "measure_again": None,
        "deviation": 0.02,
        "plays": told(VALUES),
        "points": POINTS,
        "space": Options(list(POINTS)),
        "continuum": False,
        "minimize": False,
        "flat": False,
        "unexplored": 0.0,
        "set_aside": (),
        "set_aside_total": 0.0,
        "threat": None,
        "span": Span(0.1, 0.94, low_given=False, high_given=False),
        "breakdown": Breakdown(0.8123, "b", "c", lies=2),
        "limits": (Limit("lies", 2, "b"), Limit("total", 0.8123, "b")),
        "sources": (),
        "certificate": None,
        "credible": Credible(0.1234, 0.95, Threat(), 0.98, 0.99),
        "assumptions": ESTIMATED,
        "lowest_leads": np.array([0.4, 0.1, -0.2]),
    }
    return Answer(**fields | changes)


def sourced(number, *, off=(), aside=(), drifting=(), **changes):
    """The same from as many sources; some are off by 0.4, some are set aside."""
    names = [f"w{n}" for n in range(number)]
    sources = tuple(
        Source(
            name=name,
            measurements=6 // number + 1,
            suspicious=n in (*off, *aside, *drifting),
            set_aside=n in aside,
            offset=-0.4 if n in off else 0.25 if n in drifting else 0.0,
            drift=0.7 if n in drifting else 0.0,
        )
        for n, name in enumerate(names)
    )
    broken = Breakdown(0.8123, "b", "c", lies=2, liars=1)
    return frozen(**{"sources": sources, "plays": told(VALUES, names), "breakdown": broken} | changes)


def estimated(**changes):
    """The assumptions with some changed."""
    return replace(ESTIMATED, **changes)
