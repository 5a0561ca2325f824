"""What pages say of measurements is so: which count, which are shown, what is new, and where the ticks are."""

import re

import numpy as np
import pytest

import unswayed as uw
from unswayed.search.play import Status
from unswayed.service.pages import render
from unswayed.service.pages.axes import of_parameter, order, ticks
from unswayed.service.pages.compare import Comparison
from unswayed.service.pages.plays import STATES, Filter
from unswayed.service.pages.view import StudyView

from .pages_data import OWNER, READER, box, options


@pytest.fixture(scope="module")
def plain():
    study = options(threat=uw.Threat(lies=2))
    study.add([("mould A", uw.Measurement(60.0, source="lab 0"))])  # the others do not explain it
    return StudyView.of("moulds", study, study.answer())


def numbers(view, **only):
    return [one.play.number for one in view.log_page(only=Filter(**only), rows=1000).entries]


def test_counts_add_up_and_those_that_count_are_those_of_the_answer(plain):
    counts = {label: n for n, label in plain.counts}
    assert sum(counts.values()) == len(plain.log)
    aside = set(plain.answer.set_aside)
    assert counts["count"] == sum(one.measured and one.number not in aside for one in plain.log)
    assert counts["set aside"] == len(aside) > 0
    for status in (Status.OPEN, Status.FAILED, Status.RETRACTED, Status.QUARANTINED):
        assert counts[str(status)] == sum(one.status is status for one in plain.log) > 0
    text = render.study(plain, READER)
    for label, n in counts.items():
        assert f"<b>{n}</b> {label}" in text


def test_every_measurement_is_in_one_state(plain):
    shown = [number for state in STATES for number in numbers(plain, state=state)]
    assert sorted(shown) == list(range(len(plain.log)))
    for state in STATES:
        assert {one.state for one in plain.log_page(only=Filter(state=state)).entries} == {state}
    assert numbers(plain, state="nothing of the kind") == numbers(plain)


def test_a_text_is_looked_for_in_point_source_and_reason(plain):
    assert numbers(plain, text="MOULD b") == [
        n for n, one in reversed(list(enumerate(plain.log))) if one.point == "mould B"
    ]
    assert numbers(plain, text="lab 3") == numbers(plain, source="lab 3")
    assert numbers(plain, text="wrong cable") == [5]
    assert numbers(plain, text="nowhere") == []
    both = numbers(plain, text="mould b", source="lab 3")
    assert both == [n for n in numbers(plain, text="mould b") if plain.log[n].source == "lab 3"]
    assert "There is no such measurement." in render.log(plain, OWNER, 1, Filter(text="nowhere"))


def test_pages_of_a_filter_keep_it(plain):
    text = render.log(plain, READER, 1, Filter(source="lab 3", state="counts", text="a", surprising=True))
    for field in ('value="lab 3" selected', "<option selected>counts", 'name="text" value="a"', 'value="1" checked'):
        assert field in text
    assert Filter(source="x", surprising=True).parts == {"source": "x", "state": "", "text": "", "surprising": "1"}


def changed(edit):
    """What the page says after an edit of a study that was answered before."""
    study = options(threat=0.5)
    before = study.answer()
    edit(study)
    return StudyView.of("moulds", study, before)


def test_an_edit_is_not_announced_as_new_measurements():
    assert changed(lambda study: None).state == ""
    said = "The study was changed since this answer was computed; a newer one is being computed."
    for edit in (
        lambda study: study.change(quarantined=["lab 6", "lab 2"]),
        lambda study: study.change(quarantined=[]),
        lambda study: study.retract(0, "dirty"),
        lambda study: study.correct(0, 3.0, "a typo"),
        lambda study: study.change(threat=uw.Threat(lies=1)),
    ):
        assert changed(edit).state == said
        assert changed(edit).pending
    for edit in (lambda study: study.ask(2), lambda study: study.change(plays=99, note="new")):
        assert not changed(edit).pending


def test_new_measurements_are_counted():
    def tell(study):
        study.tell(study.ask()[0], 1.0)
        study.add([("mould A", 1.0)])

    assert changed(tell).state.startswith("2 measurements have arrived since")
    assert changed(lambda study: (tell(study), study.retract(0, "x"))).news == (2, True)
    aside = changed(lambda study: study.add([("mould A", uw.Measurement(1.0, source="lab 6"))]))
    assert aside.news == (0, False)  # its source is quarantined: the answer is the same
    assert changed(lambda study: study.tell(49, 2.0)).news == (1, False)


@pytest.mark.parametrize(("low", "high"), [(0.27, 0.96), (-3e-7, 2e-7), (0, 63), (1e6, 1e6 + 1), (-1e9, 3e12), (5, 5)])
def test_ticks_are_few_round_numbers_inside(low, high):
    found = ticks(low, high)
    assert 1 <= len(found) <= 7
    assert all(low - 1e-9 * abs(low) <= one <= high + 1e-9 * abs(high) for one in found)
    steps = np.diff(found)
    assert len(steps) == 0 or np.allclose(steps, steps[0])
    assert all(float(one).is_integer() for one in ticks(low, high, whole=True)) or low == high


def test_axes_of_parameters():
    log = of_parameter(uw.Real(1e-5, 1, log=True))
    assert [tick.text for tick in log.ticks] == ["1e-05", "0.0001", "0.001", "0.01", "0.1", "1"]
    assert [tick.at for tick in log.ticks] == [0, 20, 40, 60, 80, 100]
    assert [tick.text for tick in of_parameter(uw.Integer(1, 8)).ticks] == ["2", "4", "6", "8"]
    assert of_parameter(uw.Categorical(["red", "blue"])).names == ("red", "blue")
    assert [tick.text for tick in order(2000).ticks] == ["0", "500", "1,000", "1,500"]


def test_two_studies_have_the_same_axes_and_what_differs_is_said(plain):
    other = box(threat=0.1)
    view = StudyView.of("rates", other, other.answer())
    found = Comparison.of([plain, view])
    one, two = found.charts
    assert (one.x, one.y) == (two.x, two.y)
    assert "what is varied" in found.warning
    assert Comparison.of([plain, plain]).warning == ""
    text = render.compare(["moulds", "rates"], ["moulds", "rates"], [plain, view], READER)
    for one in (plain, view):
        assert one.lines[0] in text
        assert one.gauges[0].words in text
    empty = StudyView.of("new", uw.Optimizer(uw.Options(["a", "b"]), seed=0), None)
    assert Comparison.of([empty, empty]).charts == [None, None]
    assert len(re.findall("<section", render.compare(["a"], ["a", "new"], [plain, empty], READER))) == 2


def test_an_empty_study_says_what_to_do():
    empty = StudyView.of("new", uw.Optimizer(uw.Options(["a", "b"]), seed=0), None)
    assert "Ask what to measure" in render.study(empty, OWNER)
    assert "Ask what to measure" not in render.study(empty, READER)
    assert "<details open>" in render.log(empty, OWNER)
    assert "<form" not in render.log(empty, READER).split("<main")[1]


def test_a_value_outside_the_honest_range_is_marked_where_it_can_be_corrected():
    study = uw.Optimizer(uw.Options(["a", "b"]), threat=uw.Threat(lies=1, low=0, high=100), seed=0)
    study.add([("a", 50.0), ("b", 105.8), ("a", 100.0), ("b", -1.0)])
    study.retract(3, "a typo")
    view = StudyView.of("rates", study, study.answer())
    entries = {entry.play.number: entry for entry in view.log_page().entries}
    assert [entries[number].outside for number in range(4)] == [False, True, False, False]
    assert render.log(view, OWNER).count("outside the honest values</span>") == 1
    assert 1 in [one.play.number for one in view.log_page(only=Filter(surprising=True)).entries]
