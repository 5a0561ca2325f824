"""The tables of the gauntlet, against counts by hand."""

from dataclasses import replace

import numpy as np
import pytest

from unswayed_gauntlet.report.scores import difference, finished
from unswayed_gauntlet.report.summary import Section, markdown, ranks, sections

from . import page_data

HALFWAY, END, HIDDEN = Section("none", 40, 20), Section("none", 40, 40), Section("hide", 40, 40)


def row(optimizer, problem, seed, gaps, corruption="none", plays=40):
    seconds = [0.02 * (i + 1) * (2 if optimizer == "tpe" else 1) for i in range(len(gaps))]
    places = [plays] if len(gaps) == 1 else [20, 40]
    return page_data.row(optimizer, problem, corruption, seed, plays=plays) | {
        "checkpoints": places,
        "gaps": gaps,
        "seconds": seconds,
    }


def run(problem, seed, gap):
    return finished(row("x", problem, seed, [gap]))


ROWS = [
    row("tpe", "a", 0, [0.5, 0.2]), row("tpe", "a", 1, [0.5, 0.05]), row("tpe", "b", 0, [0.5, 0.3]),
    row("random", "a", 0, [0.5, 0.2]), row("random", "a", 1, [0.6, 0.15]), row("random", "b", 0, [0.4, 0.4]),
    row("botorch", "a", 0, [0.3, 0.0]), row("botorch", "a", 1, [0.3, 0.0]),
    row("tpe", "a", 0, [0.5, 0.7], "hide"),
]  # fmt: skip


def test_honest_runs_are_read_on_the_way_and_attacked_ones_at_the_end():
    found = sections(ROWS)
    assert list(found) == [HALFWAY, END, HIDDEN]
    ((_, early), *_), ((_, late), *_) = (found[one]["tpe"].items() for one in (HALFWAY, END))
    assert (early.gap, early.milliseconds) == (0.5, pytest.approx(2.0))
    assert (late.gap, late.milliseconds) == (0.2, pytest.approx(2.0))


def test_ranks_are_over_shared_games_and_ties_are_averaged():
    place, shared = ranks(sections(ROWS)[END])
    assert shared == 2  # b was not played by botorch
    assert place == {"tpe": pytest.approx((2.5 + 2) / 2), "random": pytest.approx((2.5 + 3) / 2), "botorch": 1.0}
    assert ranks({"x": {"game": run("a", 0, 0.1)}, "y": {}})[1] == 0


def test_differences_are_paired_with_an_interval_over_problems():
    found = sections(ROWS)[END]
    mean, low, high = difference(list(found["random"].values()), list(found["tpe"].values()))
    assert mean == pytest.approx((0.0 + 0.1 + 0.1) / 3)
    off = [0.1 - 2 * mean, 0.1 - mean]  # of the sums of problems a and b, which have two seeds and one
    half = 12.7062 * (2 * (off[0] ** 2 + off[1] ** 2)) ** 0.5 / 3  # Student's t with one degree of freedom
    assert (low, high) == (pytest.approx(mean - half, rel=1e-4), pytest.approx(mean + half, rel=1e-4))
    assert difference(list(found["tpe"].values()), []) is None
    rng = np.random.default_rng(0)
    many = [run(f"p{i}", 0, float(x)) for i, x in enumerate(rng.standard_normal(400))]
    mean, low, high = difference(many, [run(one.game.problem, 0, 0.0) for one in many])
    assert (high - low) / 2 == pytest.approx(1.96 / 20, rel=0.15)


@pytest.mark.parametrize("problems", [2, 4, 12])
def test_an_interval_of_95_percent_holds_the_truth_in_95_percent(problems):
    rng, runs, missed = np.random.default_rng(problems), 2000, 0
    zeros = [run(f"p{i}", s, 0.0) for i in range(problems) for s in range(3)]
    for _ in range(runs):
        level = np.repeat(rng.standard_normal(problems), 3)  # of a problem: its three seeds are alike
        gaps = level + 0.3 * rng.standard_normal(3 * problems)
        some = [replace(one, gap=float(gap)) for one, gap in zip(zeros, gaps, strict=True)]
        _, low, high = difference(some, zeros)
        missed += not low <= 0 <= high
    assert 0.03 * runs < missed < 0.07 * runs


def test_the_table_says_what_was_counted():
    text = markdown(ROWS)
    assert text.index("### none, 20 of 40 plays") < text.index("### none, 40 plays") < text.index("### hide, 40 plays")
    honest = text[text.index("### none, 40 plays") : text.index("### hide")]
    lines = {line.split("|")[1].strip(): line.split("|")[2:-1] for line in honest.splitlines() if line.startswith("| ")}
    runs, lost, gap, rank, _, over_tpe, ms, _, ratio = (cell.strip() for cell in lines["random"])
    assert (runs, lost, gap, rank) == ("3", "100%", "20.00% (17.50..30.00)", "2.75")
    assert over_tpe == "+6.67% (-21.57..+34.90)"
    assert (ms, ratio) == ("1.0", "0.50")
    assert lines["tpe"][1].strip() == "67%"
    assert lines["tpe"][5].strip() == ""  # not compared with itself
    assert markdown([]) == "No finished runs."
