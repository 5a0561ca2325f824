"""One page for reviewers: figures, claims, tables and settings. It needs no network."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

from unswayed.core.theory.growth import TABLE_1, regret_orders
from unswayed.pages.render import Picture, Table, standalone
from unswayed.paper.checks import Evidence
from unswayed.paper.claims import CHOICES, CHOSEN, Claim
from unswayed.paper.grid import FIGURES, About, Scale

VERDICTS = ("holds", "holds partly", "does not hold")
MARKS = {"": "", "implied": " †", "made likely": " ‡", "made possible": " §"}


class DecidedClaim(NamedTuple):
    """A claim and what was measured; `elsewhere` says how often it holds on other draws."""

    claim: Claim
    evidence: Evidence
    elsewhere: str = ""


def page(about: About, pictures: Sequence[Picture], entries: Sequence[DecidedClaim], tables: Sequence[Table]) -> str:
    """The page as HTML."""
    verdicts = [entry.evidence.verdict for entry in entries]
    words: dict[str, Any] = {"MARKS": MARKS, "CHOSEN": CHOSEN, "CHOICES": CHOICES}
    return standalone(
        __package__,
        "report.html",
        about=about,
        counts=[verdicts.count(verdict) for verdict in VERDICTS],
        full=(about.scale.trials, about.scale.horizon) == (Scale.trials, Scale.horizon),
        pictures=pictures,
        entries=entries,
        tables=[rates_table(about.scale), *tables],
        settings=_settings(about),
        remarks=_remarks,
        shown=_number,
        **words,
    )


def _remarks(claim: Claim, evidence: Evidence, elsewhere: str) -> list[str]:
    """The lines below a claim: what does not hold, notes, other draws, and what the choice of a draw implies."""
    lost = [part for part, true in evidence.parts.items() if not true]
    wrong = [f"{part} ({_number(evidence.numbers[part])})" if part in evidence.numbers else part for part in lost]
    chosen = f"Parts about f1 are {claim.choice} by the choice of its draw." if claim.choice else ""
    remarks = (f"Not: {'; '.join(wrong)}." if wrong else "", evidence.note, elsewhere, chosen)
    return [remark for remark in remarks if remark]


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def rates_table(scale: Scale) -> Table:
    """Table 1: the rates, and their values at this horizon for the paper's two problems."""
    rows = []
    for kernel, name, nu in (("linear", "Linear", None), ("se", "SE", None), ("matern", "Matern, nu = 2.5", 2.5)):
        bounds = regret_orders(kernel)
        for bound in TABLE_1:
            terms = bounds[bound].terms
            sums = (
                " + ".join(f"{term.at(scale.horizon, C, d, nu):,.0f}" for term in terms)
                for C, d in ((50.0, 2), (100.0, 3))
            )
            rows.append((name, bound, str(bounds[bound]), *sums))
    return Table(
        "Table 1: rates",
        "Without constants and dimension-independent logarithms, so compare growth, not size. The numbers are the "
        "stochastic and the corrupted term; those of the linear kernel are far below the others because its "
        "dimension is.",
        ("kernel", "bound", "rate", f"T = {scale.horizon:,}, C = 50, d = 2", f"T = {scale.horizon:,}, C = 100, d = 3"),
        rows,
    )


def _settings(about: About) -> list[str]:
    scale = about.scale
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba", "pyarrow", "matplotlib"))
    return [
        f"T = {scale.horizon:,}, {scale.trials} trials with seeds 0 to {scale.trials - 1}; noise 0.02, lambda = 1, "
        "b = 0.1, psi = 0.5, eta = 2.",
        "f1: SE kernel, length-scale 0.5, draw 10 (the paper's draw is not published), beta_h = 4, "
        "beta_t = sqrt(ln t)/2, Delta = 0.5, h_max = 1, target region x_1 <= x_2.",
        "Robot3D: SE kernel, length-scale 2, draw 0, beta_h = 6, beta_t = 2 sqrt(ln t), Delta = 0.5, h_max = 3, "
        "target region r_x >= 0.",
        "; ".join(f"Figure {n}: {problem}, C = {C:g}" for n, (problem, C) in FIGURES.items()) + ".",
        f"Python {platform.python_version()}, {libraries}.",
        f"Executor: {about.executor}. Peak memory of this process: {_peak_memory()}.",
    ]


def _peak_memory() -> str:
    try:
        import resource
    except ImportError:  # Windows has no such module
        return "unknown"
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10  # macOS counts bytes, Linux kilobytes
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit} MB"
