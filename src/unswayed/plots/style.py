"""How every picture looks: one palette, one label and one colour for each registered name, and saving."""

from __future__ import annotations

import os
import warnings
from io import BytesIO
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from unswayed.errors import InvalidInput
from unswayed.experiments.own import attribute, is_own
from unswayed.experiments.registry import ENTRIES
from unswayed.storage import write_atomically
from unswayed.storage.files import explaining

FORMATS = (".png", ".pdf", ".svg")
SIGNED = "unswayed, with Matplotlib"  # in every picture: another file is not replaced without being asked
# Okabe and Ito's palette, which colour-blind readers can tell apart, a grey, and dark colours of Tol's and Brewer's.
PALETTE = {
    "black": "#000000", "orange": "#E69F00", "sky": "#56B4E9", "green": "#009E73", "yellow": "#F0E442",
    "blue": "#0072B2", "vermilion": "#D55E00", "pink": "#CC79A7", "grey": "#7F8C8D",
    "indigo": "#332288", "wine": "#882255", "olive": "#999933", "brown": "#8C510A",
}  # fmt: skip
GOOD, BAD, NEUTRAL, KEPT = PALETTE["green"], PALETTE["vermilion"], PALETTE["grey"], PALETTE["blue"]
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def label(name: str) -> str:
    """How figures and tables call a policy, an attack or a problem; any other name is shown as it is."""
    if name in ENTRIES:
        return ENTRIES[name].label
    return attribute(name) if is_own(name) else name


def colour(name: str, number: int) -> str:
    """The colour of a registered name; for any other one, colour `number` of matplotlib's cycle."""
    return PALETTE[ENTRIES[name].colour] if name in ENTRIES else f"C{number}"


def line_style(name: str, number: int) -> dict[str, Any]:
    """Label, colour and marker of line `number` of a figure."""
    return {"label": label(name), "color": colour(name, number), "marker": MARKERS[number % len(MARKERS)]}


def finish_axes(axes: Axes, *, xlabel: str = "round $t$") -> None:
    """Labels in thousands, a light grid, no box."""
    axes.set_xlabel(xlabel)
    axes.margins(x=0.02)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.yaxis.set_major_formatter(EngFormatter(sep=""))
    light(axes)


def light(axes: Axes) -> None:
    """A light grid, no box."""
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def check_writable(path: Path) -> None:
    """Refuse a picture that could not be written later, before the work is done."""
    if path.suffix.lower() not in FORMATS:
        raise InvalidInput(f"cannot draw {path}: the name must end in {', '.join(FORMATS)}")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise InvalidInput(f"cannot write {path}: {path.parent} is not a folder that can be written to")


def save(figure: Figure, path: Path) -> None:
    """Write a figure in the format of the file's name; the file is whole or not there."""
    check_writable(path)
    write_atomically(path, encoded(figure, path.suffix[1:].lower()))


def encoded(figure: Figure, kind: str = "png") -> bytes:
    """The file of a figure, without the time of writing: the same runs give the same file."""
    buffer = BytesIO()
    undated = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}
    signed = {"Software" if kind == "png" else "Creator": SIGNED}
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "Glyph .* missing from font"
        )  # no font has all of them: the missing ones are drawn as boxes
        figure.savefig(buffer, format=kind, dpi=160, metadata=undated.get(kind, {}) | signed)
    return buffer.getvalue()


def is_ours(path: Path) -> bool:
    """Whether a file is a picture that was saved here."""
    with explaining(f"cannot read {path}"):
        return SIGNED.encode() in path.read_bytes()
