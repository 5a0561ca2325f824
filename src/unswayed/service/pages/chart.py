"""Charts as path data, which a template draws: no text in a picture, so that it can be stretched to any screen.

Pictures are WIDTH x HEIGHT units, with y downwards. Dots are lines of length 0 with round ends, crosses are two short
lines, so a thousand marks take about ten kilobytes. Above MANY plays, marks are means over a stretch of plays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unswayed.search.answer import Answer
from unswayed.search.play import Status
from unswayed.service.pages.axes import Axis, numbers, of_parameter, order
from unswayed.service.pages.columns import Columns
from unswayed.service.pages.slices import Slice, shares, slice_of
from unswayed.spaces import Box, Categorical, Space
from unswayed.spaces.parameters import Parameter
from unswayed.text import counted
from unswayed.types import BoolArray, FloatArray, IntArray

WIDTH = 1000  # units of a picture
HEIGHT = 300
MANY = 1000  # plays: above this number, marks are means over stretches of plays
TIME_BINS = 100  # stretches of plays over time
PARAMETER_BINS = 40  # stretches along a parameter
COLOURED = 8  # sources with their own colour
PARAMETERS = 6  # that are drawn, those with the shortest length-scales
LATEST = 10_000  # plays that are drawn against parameters: more take seconds
BAR = 30  # units: half of the width of a choice
OFF_SCALE = 20.0  # times the median distance from the median: values farther away are drawn at the edge


@dataclass(frozen=True)
class Marks:
    """Some marks of one look.

    Attributes:
        look: The class of the style: s0 to s7, other, aside, retracted or quarantined.
        label: What they are.
        path: Where they are.
    """

    look: str
    label: str
    path: str


@dataclass(frozen=True)
class Chart:
    """Values against something.

    Attributes:
        title: Against what.
        y: The axis of the values, from the bottom.
        x: The other axis.
        dots: Measurements that count.
        crosses: Measurements that do not count.
        band: The range of the kept values in each stretch; empty if every play is drawn.
        estimate: The height of the estimate; None if there is none, or if it is off the scale.
        chosen: The place of the recommended point, if it has one.
        caption: How to read it.
        curve: The estimates of the model along the axis, all else as recommended; empty if there is none.
        share: The share of the variation of the estimates that goes with the parameter; None if it is not known.
    """

    title: str
    y: Axis
    x: Axis
    dots: Sequence[Marks]
    crosses: Sequence[Marks]
    band: str = ""
    estimate: int | None = None
    chosen: int | None = None
    caption: str = ""
    curve: str = ""
    share: float | None = None


def over_time(
    columns: Columns, answer: Answer | None, ends: tuple[float, float] | None = None, room: int = 0
) -> Chart | None:
    """Every value in the order of the plays, coloured by source; None if there is none.

    Args:
        columns: The plays.
        answer: The answer, for its estimate.
        ends: The range of values to draw; by default that of these plays.
        room: For how many plays there is room at least, where studies are compared.
    """
    ends = ends or limits(columns, answer)
    if ends is None:
        return None
    n = max(len(columns.value), room)
    x = (np.arange(len(columns.value)) + 0.5) / n
    y = _height(columns.value, *ends)
    bins = None
    caption = "Each dot is a measurement."
    if int(np.isfinite(columns.value).sum()) > MANY:
        bins = TIME_BINS
        caption = (
            f"Each mark is a mean over a stretch of about {-(-n // bins):,} measurements: dots for each source, of "
            "what is kept; crosses for each reason not to count. The band reaches from the lowest to the highest kept "
            "value."
        )
    dots, crosses = coloured(columns, x, y, bins), _crosses(columns, x, y, bins, 12)
    middle = None if answer is None else _line(answer.estimate, ends)
    band = _band(x, y, columns.kept, bins)
    return Chart("number of the measurement", numbers(*ends), order(n), dots, crosses, band, middle, None, caption)


def parameters(space: Space, columns: Columns, answer: Answer | None) -> list[Chart]:
    """Values against each parameter of a box, at most PARAMETERS of them and at most the LATEST plays.

    With an answer the model is shown, too: its estimates if one parameter is varied and the others are as recommended.
    """
    ends = limits(columns, answer)
    if not isinstance(space, Box) or ends is None:
        return []
    columns = columns.latest(LATEST)
    charts = []
    middle = None if answer is None else _line(answer.estimate, ends)
    surface = None if answer is None or answer.surface is None else answer.surface.thinned()
    known = {} if surface is None else shares(space, surface)
    for name in _first_parameters(space, answer, known):
        parameter = space.parameters[name]
        some = columns.having(name)
        x = _places(space, name, [play.point[name] for play in some.log])
        y = _height(some.value, *ends)
        bins = None if len(some.log) <= MANY else _bins(parameter)
        dots, crosses = coloured(some, x, y, bins), _crosses(some, x, y, bins, 28)
        best = [] if answer is None or name not in answer.point else [answer.point[name]]
        chosen = round(WIDTH * float(_places(space, name, best)[0])) if best else None
        unit = getattr(parameter, "unit", "")
        title, axes = f"{name} ({unit})" if unit else name, (numbers(*ends), of_parameter(parameter))
        cut = None if answer is None or surface is None else slice_of(space, answer, surface, name)
        bars = isinstance(parameter, Categorical)
        band, curve = _drawn(cut, ends) if cut is not None else (_band(x, y, some.kept, bins, bars=bars), "")
        one = Chart(title, *axes, dots, crosses, band, middle, chosen)
        charts.append(replace(one, curve=curve, share=known.get(name)))
    return charts


def _first_parameters(space: Box, answer: Answer | None, known: Mapping[str, float]) -> list[str]:
    """Those that matter most, first; where that is not known, those of the shortest length-scales."""
    if known:
        return sorted(known, key=lambda name: -known[name])[:PARAMETERS]
    scale = 1.0 if answer is None else getattr(answer.assumptions.kernel, "lengthscale", 1.0)
    return space.matter_most(scale, PARAMETERS)


def _drawn(cut: Slice, ends: tuple[float, float]) -> tuple[str, str]:
    """A slice as the outline of its band, and as its curve; choices get a bar each."""
    low, high = (_pixels(cut.places, _height(end, *ends))[1] for end in (cut.low, cut.high))
    x, y = _pixels(cut.places, _height(cut.mean, *ends))
    if cut.choices:
        return _bars(x, high, low), "".join(f"M{i - BAR} {j}H{i + BAR}" for i, j in zip(x, y, strict=True))
    outline = [*zip(x, high, strict=True), *reversed(list(zip(x, low, strict=True)))]
    path = "L".join(f"{i} {j}" for i, j in zip(x, y, strict=True))
    return "M" + "L".join(f"{i} {j}" for i, j in outline) + "Z", f"M{path}"


def coloured(columns: Columns, x: FloatArray, y: FloatArray, bins: int | None) -> list[Marks]:
    """What counts, with a colour for each of the first sources."""
    look = np.minimum(np.where(columns.source < 0, COLOURED, columns.source), COLOURED)
    dots = []
    for one in range(COLOURED + 1):
        mine = columns.kept & (look == one)
        if mine.any():
            path = _dots(*_gathered(x, y, mine, bins))
            dots.append(Marks(f"s{one}" if one < COLOURED else "other", _name(columns, one), path))
    return dots


def limits(columns: Columns, answer: Answer | None) -> tuple[float, float] | None:
    """The range of values to draw: the range of the kept values without outliers."""
    every = columns.value[np.isfinite(columns.value)]
    if not len(every):
        return None
    kept = columns.value[columns.kept] if columns.kept.any() else every
    middle = float(np.median(kept))
    unit = max(float(np.median(np.abs(kept - middle))), columns.noise)
    near = kept[np.abs(kept - middle) <= OFF_SCALE * unit] if unit > 0 else kept
    if answer is not None and abs(answer.estimate - middle) <= OFF_SCALE * unit:
        near = np.append(near, answer.estimate)
    room = 0.5 * float(np.ptp(near))  # for values that do not count and are not far away
    shown = every[(every >= near.min() - room) & (every <= near.max() + room)]
    low, high = float(min(shown.min(), near.min())), float(max(shown.max(), near.max()))
    margin = 0.07 * (high - low) or 0.1 * abs(high) or 1.0
    return low - margin, high + margin


def share(value: float, low: float, high: float) -> float:
    """Where a value is between two others, from 0 to 100."""
    return round(100 * min(max((value - low) / (high - low), 0.0), 1.0), 1)


def _height(values: FloatArray, low: float, high: float) -> FloatArray:
    return 1 - np.clip((values - low) / (high - low), 0.0, 1.0)


def _line(value: float, ends: tuple[float, float]) -> int | None:
    return round(HEIGHT * (1 - (value - ends[0]) / (ends[1] - ends[0]))) if ends[0] <= value <= ends[1] else None


def _name(columns: Columns, look: int) -> str:
    if look < COLOURED:
        return columns.sources[look]
    more = len(columns.sources) - COLOURED
    unnamed = bool((columns.source < 0).any())
    kinds = [counted(more, "more source")] if more > 0 else []
    return " and ".join([*kinds, *(["no source named"] if unnamed else [])])


def _crosses(columns: Columns, x: FloatArray, y: FloatArray, bins: int | None, wide: int) -> list[Marks]:
    """Values that do not count, by reason, as crosses of this width."""
    kinds = {
        "set aside": columns.aside,
        "retracted": columns.at(Status.RETRACTED),
        "quarantined": columns.at(Status.QUARANTINED),
    }
    found = []
    for label, which in kinds.items():
        if which.any():
            a, b = _pixels(*_gathered(x, y, which, bins))
            lines = f"l{wide} 12m0-12l-{wide} 12"
            path = "".join(f"M{i - wide // 2} {j - 6}{lines}" for i, j in zip(a, b, strict=True))
            found.append(Marks(label.replace("set ", ""), label, path))
    return found


def _gathered(x: FloatArray, y: FloatArray, which: BoolArray, bins: int | None) -> tuple[FloatArray, FloatArray]:
    """Some marks; with bins, their mean in each bin of x that is not empty."""
    x, y = x[which], y[which]
    if bins is None:
        return x, y
    place = _bin(x, bins)
    count = np.bincount(place)
    some = count > 0
    return np.bincount(place, x)[some] / count[some], np.bincount(place, y)[some] / count[some]


def _band(x: FloatArray, y: FloatArray, which: BoolArray, bins: int | None, *, bars: bool = False) -> str:
    """The outline of some marks, bin by bin, or a bar for each bin; nothing without bins."""
    if bins is None or not which.any():
        return ""
    top = np.full(bins, np.inf)
    bottom = np.full(bins, -np.inf)
    place = _bin(x[which], bins)
    np.minimum.at(top, place, y[which])
    np.maximum.at(bottom, place, y[which])
    some = np.flatnonzero(np.isfinite(top))
    centre = (some + 0.5) / bins
    if bars:
        i, high = _pixels(centre, top[some])
        return _bars(i, high, _pixels(centre, bottom[some])[1])
    a, b = _pixels(np.concatenate([centre, centre[::-1]]), np.concatenate([top[some], bottom[some][::-1]]))
    return "M" + "L".join(f"{i} {j}" for i, j in zip(a, b, strict=True)) + "Z"


def _bars(x: Sequence[int], top: Sequence[int], bottom: Sequence[int]) -> str:
    """Bars from one height to another."""
    ends = zip(x, top, bottom, strict=True)
    return "".join(f"M{i - BAR} {a}H{i + BAR}V{b}H{i - BAR}Z" for i, a, b in ends)


def _bin(x: FloatArray, bins: int) -> IntArray:
    return np.minimum((x * bins).astype(np.int64), bins - 1)


def _dots(x: FloatArray, y: FloatArray) -> str:
    return "".join(f"M{i} {j}h0" for i, j in zip(*_pixels(x, y), strict=True))


def _pixels(x: FloatArray, y: FloatArray) -> tuple[list[int], list[int]]:
    return np.rint(WIDTH * x).astype(int).tolist(), np.rint(HEIGHT * y).astype(int).tolist()


def _bins(parameter: Parameter) -> int:
    """The number of bins of a parameter."""
    return parameter.size if isinstance(parameter, Categorical) else PARAMETER_BINS


def _places(space: Box, name: str, values: Sequence[object]) -> FloatArray:
    """Values of a parameter as places from 0 to 1; choices lie side by side."""
    parameter = space.parameters[name]
    encoded = parameter.encode(values)  # type: ignore[arg-type]
    if isinstance(parameter, Categorical):
        return np.asarray((encoded.argmax(axis=1) + 0.5) / parameter.size)
    return np.asarray(encoded[:, 0])
