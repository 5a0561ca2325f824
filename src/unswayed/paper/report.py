"""One page that a reviewer can read: figures, claims, tables and settings, without a network."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import NamedTuple

from unswayed.core.theory.growth import TABLE_1, regret_orders
from unswayed.paper.beyond import Table
from unswayed.paper.checks import Evidence
from unswayed.paper.claims import CHOICES, CHOSEN, Claim
from unswayed.paper.grid import FIGURES, About, Scale
from unswayed.plots.page import document, escaped, picture, table

CLASSES = {"holds": "holds", "holds partly": "partly", "does not hold": "not"}
MARKS = {"": "", "implied": " †", "made likely": " ‡", "made possible": " §"}
ANSWERS = {True: "yes", False: "no", None: ""}  # None: a number that is no part of the claim


class Picture(NamedTuple):
    """A figure of the page: a title, a caption, and the bytes of a PNG."""

    title: str
    caption: str
    png: bytes


class Entry(NamedTuple):
    """A decided claim; `elsewhere` says how often it holds on other draws."""

    claim: Claim
    evidence: Evidence
    elsewhere: str = ""


def page(about: About, pictures: Sequence[Picture], entries: Sequence[Entry], tables: Sequence[Table]) -> str:
    """The page as HTML."""
    parts = [
        _head(about, entries),
        *(picture(*shown) for shown in pictures),
        _ledger(entries),
        *(table(*shown) for shown in (rates_table(about.scale), *tables)),
        _settings(about),
    ]
    return document("Unswayed: the paper, reproduced", parts)


def _head(about: About, entries: Sequence[Entry]) -> str:
    scale, verdicts = about.scale, [entry.evidence.verdict for entry in entries]
    hold, partly, fail = map(verdicts.count, CLASSES)
    full = scale.trials == 10 and scale.horizon == 50_000
    size = "at the paper's size" if full else "at a reduced size: verdicts are those of the reduced size"
    failed = _listed("Runs that failed", about.failures, " class='not'") if about.failures else ""
    return (
        "<h1>A Robust Phased Elimination Algorithm for Corruption-Tolerant Gaussian Process Bandits</h1>"
        "<p class='soft'>Bogunovic, Li, Krause, Scarlett, arXiv 2202.01850: its experiments, run again by Unswayed "
        f"{escaped(about.unswayed)}.</p>"
        f"<p><b>{len(entries)} claims: {hold} hold, {partly} hold partly, {fail} do not hold.</b> "
        f"{escaped(about.runs)} runs; the paper's have {scale.trials} trials of {scale.horizon:,} plays, {size}. "
        f"Computing took {escaped(about.seconds)} s with {escaped(about.jobs)} process(es).</p>{failed}"
    )


def _ledger(entries: Sequence[Entry]) -> str:
    rows = []
    for claim, evidence, elsewhere in entries:
        numbers = "".join(
            f"<tr><td>{escaped(part)}</td><td>{ANSWERS[evidence.parts.get(part)]}</td><td>{_number(value)}</td></tr>"
            for part, value in evidence.numbers.items()
        )
        lost = [part for part, true in evidence.parts.items() if not true]
        wrong = [f"{part} ({_number(evidence.numbers[part])})" if part in evidence.numbers else part for part in lost]
        chosen = f"Parts about f1 are {claim.choice} by the choice of its draw." if claim.choice else ""
        remarks = (f"Not: {'; '.join(wrong)}." if wrong else "", evidence.note, elsewhere, chosen)
        below = "".join(f"<br>{escaped(remark)}" for remark in remarks if remark)
        rows.append(
            f"<tr id='{escaped(claim.name)}'><td>{escaped(claim.section)}</td><td>{escaped(claim.sentence)}"
            f"<div class='soft'>Rule: {escaped(claim.rule)}{below}</div>"
            f"<details><summary>numbers</summary><table>{numbers}</table></details></td>"
            f"<td class='{CLASSES[evidence.verdict]}'>{escaped(evidence.verdict)}{MARKS[claim.choice]}</td></tr>"
        )
    choices = [f"{MARKS[choice].strip()} {escaped(text)}" for choice, text in CHOICES.items()]
    return (
        "<h2>The ledger of claims</h2><p>Each empirical sentence of Section 4 and Appendix F, and the empirical remarks"
        " elsewhere, in our words. A run <i>settles</i> if it recommends a best arm and its mean regret over the last "
        "1,000 rounds is below 0.02; it has <i>linear regret</i> if that mean exceeds 0.1. A statement about trials "
        "holds if it does in at least nine of ten. An arm is <i>slightly suboptimal</i> if its gap is at most "
        "f(best) - f(second best). A claim of several parts holds partly if some hold.</p>"
        f"<p>{escaped(CHOSEN)} {' '.join(choices)}</p>"
        "<div class='scroll'><table class='ledger'>"
        "<thead><tr><th>section</th><th>claim</th><th>verdict</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


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


def _settings(about: About) -> str:
    scale = about.scale
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba", "pyarrow", "matplotlib"))
    lines = [
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
    return _listed("Settings", lines)


def _listed(title: str, lines: Sequence[str], look: str = "") -> str:
    return f"<h2>{title}</h2><ul{look}>{''.join(f'<li>{escaped(line)}</li>' for line in lines)}</ul>"


def _peak_memory() -> str:
    try:
        import resource
    except ImportError:  # Windows does not say
        return "unknown"
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10  # macOS counts bytes, Linux kilobytes
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit} MB"
