"""A study as a picture: every measurement in its order, and against each parameter.

The axis fits the plays that were kept, so that one lie of a million does not flatten all the rest. What lies beyond it
is drawn as a cross at the edge, with its value. A strip above the plays says what each was for, if that is known.
If two or more sources are named, each has a marker and a colour. What was taken off the values of a source stands in
the legend; a line leads from each of its values to what counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from unswayed.judgement.findings import Source
from unswayed.plots.lies import draw_lies
from unswayed.plots.style import BAD, GOOD, KEPT, MARKERS, NEUTRAL, PALETTE, light
from unswayed.search.answer import Answer
from unswayed.search.play import Play, Status, Why
from unswayed.spaces import Box, Categorical, Integer
from unswayed.spaces.space import named_values
from unswayed.text import printable
from unswayed.types import FloatArray

SHOWN_PARAMETERS = 6  # parameters
FIRST = 30  # the first plays cover the space: their spread says what a large value is
OFF_SCALE = 20.0  # times that spread: farther values do not widen the axis
WRITTEN = 4  # values off the scale that are written out
STYLES: dict[str, dict[str, Any]] = {
    "kept": {"marker": "o", "color": KEPT, "alpha": 0.6, "markeredgewidth": 0, "markersize": 5},
    "kept, off the scale": {"marker": "x", "color": KEPT, "markersize": 6.5, "markeredgewidth": 1.6},
    "set aside": {"marker": "x", "color": BAD, "markersize": 6.5, "markeredgewidth": 1.6},
    "retracted": {"marker": "o", "color": NEUTRAL, "markerfacecolor": "none", "markersize": 6},
}
SOURCES = tuple(zip(MARKERS[1:], ("orange", "pink", "indigo", "olive", "sky", "brown"), strict=True))  # at most
STAR: dict[str, Any] = {"color": GOOD, "markersize": 13, "markeredgecolor": "white", "markeredgewidth": 0.8}
LANE, INCHES = 0.055, 0.17  # height of one row of the strip: as a share of the axes below it, and of the figure
AXIS_STEPS = [1, 2, 5, 10]  # round numbers on the axes
TICKS, LONGEST = 10, 14  # names on an axis, and letters of a name


def plot_answer(answer: Answer) -> Figure:
    """Left: every play, those set aside crossed out, and the estimate; then the values against the parameters.

    If the threat is not known: at the right, what is left of the lead after each lie.
    """
    names = _shown_names(answer)
    columns = len(names) if len(names) <= 3 else ceil(len(names) / 2)
    rows = ceil(len(names) / columns)
    figure = Figure(layout="constrained")
    unknown = answer.threat is None and answer.weighed
    widths = [max(2.0, 0.8 * columns), *[1.0] * columns, *([1.3] if unknown else [])]
    whys = [why for why in Why if any(play.why is why for play in answer.plays)]
    top = 1 if whys else 0  # the row of the grid below the strip
    heights = [*[LANE * len(whys)] * top, *[1.0 / rows] * rows]
    grid = figure.add_gridspec(len(heights), len(widths), width_ratios=widths, height_ratios=heights)
    limits = _limits(answer)
    left = figure.add_subplot(grid[top:, 0])
    _over_time(left, answer, limits)
    left.set(xlabel="play", ylabel=f"value ({'smaller' if answer.minimize else 'larger'} is better)")
    for number, name in enumerate(names):
        axes = figure.add_subplot(grid[top + number // columns, 1 + number % columns], sharey=left)
        _against(axes, name, answer, limits)
        axes.tick_params(labelleft=False)
    if unknown:
        _withstands(figure.add_subplot(grid[top:, -1]), answer)
    figure.set_size_inches(5.2 + 2.5 * columns + 3.2 * unknown, (3.9 if rows == 1 else 4.9) + INCHES * len(whys))
    for axes in figure.axes:
        light(axes)
    left.set_ylim(*limits)
    if whys:
        _purposes(figure.add_subplot(grid[0, 0], sharex=left), whys, answer)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=6, frameon=False, fontsize=9)
    title = f"{answer.shown_estimate} at {answer.space.describe(answer.point)}"
    figure.suptitle(_short(title, 110), fontsize=11, parse_math=False)
    return figure


def _withstands(axes: Axes, answer: Answer) -> None:
    """How the recommendation depends on the number of lies."""
    draw_lies(axes, answer)
    axes.set_title(f"below 0 {'a worse' if answer.continuum else 'another'} point could have won", fontsize=9)


def _over_time(axes: Axes, answer: Answer, limits: tuple[float, float]) -> None:
    log = answer.plays
    middle, wide = answer.estimate, answer.deviation
    if wide is not None:
        axes.axhspan(middle - 2 * wide, middle + 2 * wide, color=GOOD, alpha=0.15, linewidth=0)
    label = "estimate" if wide is None else "estimate ± 2 deviations"
    axes.axhline(middle, color=GOOD, linewidth=1.6, label=label)
    if answer.guaranteed != middle and limits[0] <= answer.guaranteed <= limits[1]:
        axes.axhline(answer.guaranteed, color=GOOD, linewidth=1.2, linestyle=":", label="guaranteed")
    again = [p for p in log if p.measured and answer.measure_again is not None and p.point == answer.measure_again]
    if again:
        ring: dict[str, Any] = {"markersize": 12, "markerfacecolor": "none", "markeredgecolor": BAD}
        axes.plot([p.number for p in again], [_value(p) for p in again], "o", label="to measure again", **ring)
    _values(axes, {play.number: float(play.number) for play in log}, answer, limits)
    if failed := [play.number for play in log if play.status is Status.FAILED]:
        look: dict[str, Any] = {"color": BAD, "markersize": 10, "clip_on": False, "label": "failed"}
        axes.plot(failed, np.zeros(len(failed)), "|", transform=axes.get_xaxis_transform(), **look)
    last = log[-1].number + 1
    axes.set_xlim(-0.02 * last - 0.5, 1.02 * last - 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=AXIS_STEPS))
    off = [play for play in log if play.value is not None and not limits[0] <= play.value <= limits[1]]
    following = [*(play.number for play in off[1:]), np.inf]
    apart = [play for play, after in zip(off, following, strict=False) if after - play.number > 0.06 * last]
    for play in apart[:WRITTEN]:  # of values side by side, the last: their labels would overlap
        above, right = _value(play) > limits[1], play.number > 0.85 * last
        axes.annotate(
            f"{play.value:.3g}", (play.number, limits[above]), xytext=(-7 if right else 7, 0 if above else 3),
            textcoords="offset points", va="center" if above else "bottom", ha="right" if right else "left",
            fontsize=8, color=BAD,
        )  # fmt: skip


def _purposes(axes: Axes, whys: Sequence[Why], answer: Answer) -> None:
    """A row of ticks for each reason why plays were chosen; what was set aside or failed in red."""
    aside = set(answer.set_aside)
    for lane, why in enumerate(whys):
        plays = [play for play in answer.plays if play.why is why]
        colours = [BAD if play.number in aside or play.status is Status.FAILED else NEUTRAL for play in plays]
        axes.vlines([play.number for play in plays], lane - 0.35, lane + 0.35, colors=colours, linewidth=1, snap=False)
    axes.set_ylim(len(whys) - 0.4, -0.6)
    axes.set_yticks(range(len(whys)), whys, fontsize=8)
    axes.tick_params(left=False, bottom=False, labelbottom=False)
    axes.spines[:].set_visible(False)


def _against(axes: Axes, name: str, answer: Answer, limits: tuple[float, float]) -> None:
    """Values against one parameter, with the recommended one marked."""
    space, log = answer.space, answer.plays
    parameter = space.parameters[name] if isinstance(space, Box) else None
    every = [named_values(space.names, point) for point in [answer.point, *(play.point for play in log)]]
    having = [play for play, point in zip(log, every[1:], strict=True) if name in point]
    chosen = name in every[0]  # else the recommended point does not have this parameter
    points = [point[name] for point in every if name in point]
    if isinstance(parameter, Categorical):
        places = _categories(axes, list(parameter.choices), points)
    elif parameter is None and _is_label(answer.point, points):
        places = _categories(axes, list(dict.fromkeys(sorted(points, key=str))), points)
    else:
        places = [float(value) for value in points]
        if parameter is not None and parameter.log and parameter.low < parameter.high:
            axes.set_xscale("log")
        else:
            integer = isinstance(parameter, Integer) or all(isinstance(value, int) for value in points)
            axes.xaxis.set_major_locator(MaxNLocator(4, integer=integer, steps=AXIS_STEPS))
    if chosen:
        axes.axvline(places[0], color=GOOD, linewidth=1.2, alpha=0.7)
    others = places[1:] if chosen else places
    _values(axes, {play.number: place for play, place in zip(having, others, strict=True)}, answer, limits)
    if chosen:
        axes.plot(places[0], answer.estimate, "*", zorder=4, **STAR)
    unit = getattr(parameter, "unit", "")
    axes.set_xlabel(_short(f"{name} ({unit})" if unit else name, 28), parse_math=False)


def _values(axes: Axes, places: dict[int, float], answer: Answer, limits: tuple[float, float]) -> None:
    """Measurements at their `places`: kept as dots, or as sources look; set aside as crosses, retracted as rings."""
    kept, *others = (Look(label, style) for label, style in STYLES.items())
    sources = _of_sources(answer)
    looks = [replace(kept, label="others") if sources else kept, *sources, *others]
    groups: dict[Look, list[Play]] = {look: [] for look in looks}
    for play in answer.plays:
        if play.value is not None and play.number in places:
            groups[_look(play, answer, looks, limits)].append(play)
    for look, plays in groups.items():
        if plays:
            x = [places[play.number] for play in plays]
            y = np.clip([_value(play) for play in plays], *limits)
            axes.plot(x, y, linestyle="none", label=look.label, zorder=3, clip_on=False, **look.style)
        if plays and look.off:
            told = np.array([_value(play) for play in plays])
            begin, end = np.clip([told, told - look.off], *limits)
            axes.vlines([places[play.number] for play in plays], begin, end, colors=NEUTRAL, linewidth=0.9, zorder=2)


@dataclass(frozen=True, eq=False)
class Look:
    """How some measurements look, and what was taken off each of them.

    Attributes:
        label: What the legend says.
        style: What Matplotlib needs.
        source: Their source, if they are kept and told apart by it.
        off: What was taken off.
        aside: Whether the source is set aside as a whole.
    """

    label: str
    style: dict[str, Any]
    source: str | None = None
    off: float = 0.0
    aside: bool = False


def _look(play: Play, answer: Answer, looks: Sequence[Look], limits: tuple[float, float]) -> Look:
    """How a measurement looks."""
    by_name = {look.label: look for look in looks if look.source is None}
    own = next((look for look in looks if look.source is not None and look.source == play.source), looks[0])
    if not play.measured:
        return by_name["retracted"]
    if play.number in answer.set_aside:
        return own if own.aside else by_name["set aside"]
    if limits[0] <= _value(play) <= limits[1]:
        return own
    return by_name["kept, off the scale"]


def _of_sources(answer: Answer) -> list[Look]:
    """The look of each of the sources with the most measurements; nothing if fewer than two are named."""
    most = sorted(answer.sources, key=lambda one: -one.measurements) if len(answer.sources) > 1 else []
    looks = []
    for source, (marker, colour) in zip(most, SOURCES, strict=False):
        style = {"marker": marker, "color": PALETTE[colour], "alpha": 0.75, "markeredgewidth": 0, "markersize": 5.5}
        off = 0.0 if source.drift else source.offset or 0.0  # a drift takes off something else of each value
        style = STYLES["set aside"] if source.set_aside else style
        looks.append(Look(_legend_name(source), style, source.name, off, source.set_aside))
    return looks


def _legend_name(source: Source) -> str:
    """A source, and what was taken off its values."""
    name = _short(printable(source.name), 24).replace("$", r"\$")
    name = f" {name}" if name.startswith("_") else name  # Matplotlib hides names that begin so
    if source.set_aside:
        return f"{name} (set aside)"
    if not source.offset:
        return f"{name} ({source.noise_factor:.2g} times noisier)" if source.noisier else name
    what = "taken off" if source.offset > 0 else "added"
    return f"{name} ({abs(source.offset):.3g} {what}{' on average' if source.drift else ''})"


def _limits(answer: Answer) -> tuple[float, float]:
    """The range of the kept values and of the estimate, without what is far from all others."""
    aside, log = set(answer.set_aside), answer.plays
    told = np.array([_value(play) for play in log if play.measured])
    kept = np.array([_value(play) for play in log if play.measured and play.number not in aside])
    kept = kept if kept.size else told
    middle = float(np.median(kept))
    unit = max(_spread(told[:FIRST]), _spread(kept), answer.assumptions.noise_std)
    near = kept[np.abs(kept - middle) <= OFF_SCALE * unit]
    if abs(answer.estimate - middle) <= OFF_SCALE * unit:
        near = np.append(near, answer.estimate)
    room = 0.5 * np.ptp(near)  # for what was set aside and is not far
    every = np.array([*(play.value for play in log if play.value is not None), *near])
    shown = every[(every >= near.min() - room) & (every <= near.max() + room)]
    low, high = float(shown.min()), float(shown.max())
    margin = 0.07 * (high - low) or 0.1 * abs(high) or 1.0
    return low - margin, high + margin


def _spread(values: FloatArray) -> float:
    """The median distance from the median, which less than half of the values cannot move far."""
    return float(np.median(np.abs(values - np.median(values))))


def _value(play: Play) -> float:
    return float("nan") if play.value is None else play.value


def _shown_names(answer: Answer) -> list[str]:
    """All parameters, or those that matter most."""
    if not isinstance(answer.space, Box):
        return list(answer.space.names[:SHOWN_PARAMETERS])
    return answer.space.matter_most(getattr(answer.assumptions.kernel, "lengthscale", 1.0), SHOWN_PARAMETERS)


def _is_label(point: object, values: Sequence[object]) -> bool:
    """Whether a column has names rather than numbers."""
    return not isinstance(point, dict | tuple) or any(isinstance(value, str | bool | None) for value in values)


def _categories(axes: Axes, choices: list[Any], points: Sequence[Any]) -> list[float]:
    """Places of names on an axis. Each has a tick; of many names, that of the first point and some others."""
    step = ceil(len(choices) / TICKS)
    chosen = choices.index(points[0]) if points else 0
    ticks = sorted({chosen} | {place for place in range(0, len(choices), step) if abs(place - chosen) >= step})
    labels = [_short(str(choices[place]), LONGEST) for place in ticks]
    turned: Any = {"rotation": 40, "ha": "right"} if sum(map(len, labels)) > 18 else {"rotation": 0, "ha": "center"}
    axes.set_xticks(ticks, labels, **turned, fontsize=8, parse_math=False)
    axes.set_xlim(-0.6, len(choices) - 0.4)
    return [float(choices.index(point)) for point in points]


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
