"""A study as a picture: what is drawn, on which scale, for every kind of space."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_hex

from unswayed import Box, Categorical, Integer, Optimizer, Options, Real, Why
from unswayed.plots.study import plot_answer
from unswayed.plots.style import BAD, NEUTRAL, save

NUMBERS = Box({"rate": Real(1e-4, 1e-1, log=True, unit="1/s"), "n": Integer(1, 5), "kind": Categorical(["a", "$b_"])})


def study(space, plays=24, change=lambda number, value: value, **options):
    """Honest values between -1 and 0, unless changed; None is a failure."""
    rng = np.random.default_rng(0)
    optimizer = Optimizer(space, threat=1.0, seed=1, **options)
    for _ in range(plays):
        (play,) = optimizer.ask()
        value = change(play.number, float(-rng.random()))
        if value is None:
            optimizer.fail(play, "broken")
        else:
            optimizer.tell(play, value)
    return optimizer


def drawn(optimizer):
    figure = optimizer.answer().plot()
    figure.draw_without_rendering()
    left, *others, _ = figure.axes  # the last one is the strip
    lines = {line.get_label(): line for line in left.lines}
    return figure, left, others, lines


def test_every_play_is_drawn_as_what_it_is():
    optimizer = study(NUMBERS, change=lambda number, value: None if number in (3, 20) else value)
    optimizer.retract(5, "a typing error")
    _, _, others, lines = drawn(optimizer)
    aside = set(optimizer.answer().set_aside)
    kept = [play for play in optimizer.log if play.measured and play.number not in aside]
    assert list(lines["kept"].get_xdata()) == [play.number for play in kept]
    assert list(lines["kept"].get_ydata()) == [play.value for play in kept]
    assert list(lines["failed"].get_xdata()) == [3, 20]
    assert list(lines["retracted"].get_xdata()) == [5]
    assert lines["retracted"].get_markerfacecolor() == "none"
    assert lines["estimate ± 2 deviations"].get_ydata()[0] == optimizer.answer().estimate
    rate, n, kind = others
    assert [axes.get_xlabel() for axes in others] == ["rate (1/s)", "n", "kind"]
    assert (rate.get_xscale(), n.get_xscale()) == ("log", "linear")
    dots = next(line for line in rate.lines if line.get_label() == "kept")
    assert list(dots.get_xdata()) == [play.point["rate"] for play in kept]
    assert [label.get_text() for label in kind.get_xticklabels()] == ["a", "$b_"]
    stars = next(line for line in kind.lines if line.get_marker() == "*")
    assert stars.get_xdata()[0] == ["a", "$b_"].index(optimizer.answer().point["kind"])


@pytest.mark.parametrize("lie", [1e6, -1e6, 1e90])
def test_a_huge_lie_is_a_cross_at_the_edge_and_the_others_keep_their_scale(lie):
    optimizer = study(NUMBERS, 30, lambda number, value: lie if number == 4 else value)
    assert optimizer.answer().set_aside == (4,)
    _, left, others, lines = drawn(optimizer)
    low, high = left.get_ylim()
    assert -1.5 < low < -0.8
    assert -0.2 < high < 1.5
    cross = lines["set aside"]
    assert (list(cross.get_xdata()), cross.get_marker()) == ([4], "x")
    assert cross.get_ydata()[0] == (high if lie > 0 else low)
    assert [text.get_text() for text in left.texts] == [f"{lie:.3g}"]
    assert all(axes.get_ylim() == (low, high) for axes in others)


def test_a_huge_value_that_was_kept_is_not_called_set_aside():
    optimizer = study(NUMBERS, 30, lambda number, value: 1e6 if number == 4 else value)
    believing = replace(optimizer.answer(), set_aside=())
    left = plot_answer(believing).axes[0]
    lines = {line.get_label(): line for line in left.lines}
    assert left.get_ylim()[1] < 1.5
    assert list(lines["kept, off the scale"].get_xdata()) == [4]
    assert "set aside" not in lines


def test_values_set_aside_that_are_not_far_are_on_the_scale():
    optimizer = study(NUMBERS, 24)
    optimizer.retract(7, "no")
    value = optimizer.log[7].value
    _, left, _, lines = drawn(optimizer)
    assert left.get_ylim()[0] < value < left.get_ylim()[1]
    assert lines["retracted"].get_ydata()[0] == value


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        (["mould A", "mould B", "mould C"], [["mould A", "mould B", "mould C"]]),
        ([{"T": 60, "acid": "HCl"}, {"T": 70, "acid": "HCl"}, {"T": 70, "acid": "HNO3"}], [None, ["HCl", "HNO3"]]),
        ([[1.0, 2.0], [3.0, 4.0], [2.0, 2.0]], [None, None]),
        ([3, 1, 2], [["1", "2", "3"]]),
        ([True, False], [["False", "True"]]),
    ],
    ids=str,
)
def test_options(options, labels):
    _, _, others, _ = drawn(study(Options(options), 14))
    assert len(others) == len(labels)
    for axes, names in zip(others, labels, strict=True):
        if names is not None:
            assert [label.get_text() for label in axes.get_xticklabels()] == names


def test_many_names_have_few_ticks_and_the_recommended_one_is_among_them():
    optimizer = study(Options([f"a very long name of option {number}" for number in range(60)]), 30)
    _, _, (axes,), _ = drawn(optimizer)
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert len(labels) <= 11
    assert all(len(label) <= 14 for label in labels)


def test_of_many_parameters_the_six_that_matter_are_shown():
    space = Box({f"p{number}": Real(0, 1) for number in range(9)})
    optimizer = Optimizer(space, threat=0.1, seed=1)
    for play in optimizer.ask(60):
        optimizer.tell(play, -((play.point["p7"] - 0.5) ** 2) - (play.point["p8"] - 0.2) ** 2)
    _, _, others, _ = drawn(optimizer)
    names = [axes.get_xlabel() for axes in others]
    assert len(names) == 6
    assert names == sorted(names)
    assert {"p7", "p8"} <= set(names)


@pytest.mark.parametrize("plays", [1, 2])
def test_hardly_any_plays(plays, tmp_path):
    figure, *_ = drawn(study(Box({"x": Real(0, 1)}), plays, lambda number, value: 3.0))
    save(figure, tmp_path / "study.png")
    assert (tmp_path / "study.png").stat().st_size > 5000


def test_the_direction_is_written():
    optimizer = study(Box({"x": Real(0, 1)}), 5, minimize=True)
    assert "smaller is better" in drawn(optimizer)[1].get_ylabel()
    assert "larger is better" in drawn(study(Box({"x": Real(0, 1)}), 5))[1].get_ylabel()


def test_a_strip_says_what_each_play_was_for():
    lies = {4: 1e6, 30: None}
    optimizer = study(Box({"x": Real(0, 1)}), 40, lambda number, value: lies.get(number, value))
    answer = optimizer.answer()
    figure = answer.plot()
    figure.draw_without_rendering()
    left, strip = figure.axes[0], figure.axes[-1]
    words = [label.get_text() for label in strip.get_yticklabels()]
    assert words == [why for why in Why if any(play.why is why for play in optimizer.log)]
    assert len(words) > 2
    red = {*answer.set_aside, 30}
    assert 4 in red
    for lane, (why, ticks) in enumerate(zip(words, strip.collections, strict=True)):
        plays = [play.number for play in optimizer.log if play.why == why]
        places = [segment[:, 0].tolist() for segment in ticks.get_segments()]
        assert places == [[number, number] for number in plays]
        assert all(abs(segment[:, 1].mean() - lane) < 1e-9 for segment in ticks.get_segments())
        assert [to_hex(c).upper() for c in ticks.get_colors()] == [BAD if n in red else NEUTRAL for n in plays]
    assert strip.get_xlim() == left.get_xlim()
    assert strip.get_position().y0 > left.get_position().y1


def test_the_strip_has_the_words_that_occur_and_is_left_out_if_there_are_none():
    answer = study(Box({"x": Real(0, 1)}), 12).answer()

    def strip(*whys):
        plays = tuple(replace(play, why=whys[play.number % len(whys)]) for play in answer.plays)
        return plot_answer(replace(answer, plays=plays)).axes[2:]

    (axes,) = strip(*reversed(Why), None)
    assert [label.get_text() for label in axes.get_yticklabels()] == [str(why) for why in Why]
    assert sum(len(ticks.get_segments()) for ticks in axes.collections) == 11
    assert strip(None) == []


def with_sources(names, off=0.0, plays=32):
    """A bowl that these sources measure in turn; the last one reads too high by `off`."""
    rng = np.random.default_rng(1)
    optimizer = Optimizer(Box({"x": Real(0, 1), "y": Real(0, 1)}), seed=2, parallel=None)
    for number in range(plays):
        (play,) = optimizer.ask()
        name = names[number % len(names)]
        value = -((play.point["x"] - 0.4) ** 2) - (play.point["y"] - 0.6) ** 2 + 0.01 * rng.standard_normal()
        optimizer.tell(play, value + off * (name == names[-1]), source=name)
    return optimizer


def test_sources_are_told_apart_and_what_was_taken_off_is_shown():
    optimizer = with_sources(["north", "_süd $1", "west"], off=2.0)
    answer = optimizer.answer()
    west = answer.sources[-1]
    assert west.offset == pytest.approx(2.0, abs=0.1)
    figure, left, _, lines = drawn(optimizer)
    assert "kept" not in lines
    names = ["north", r" _süd \$1", f"west ({west.offset:.3g} taken off)"]
    assert len({lines[name].get_marker() for name in names}) == 3
    assert len({to_hex(lines[name].get_color()) for name in names} - {to_hex(BAD)}) == 3
    for name, source in zip(names, ("north", "_süd $1", "west"), strict=True):
        mine = [play for play in optimizer.log if play.source == source and play.number not in answer.set_aside]
        assert list(lines[name].get_xdata()) == [play.number for play in mine]
        assert list(lines[name].get_ydata()) == [play.value for play in mine]  # as they were told
    [stems] = left.collections[-1:]
    for (x, low), (_, high) in stems.get_segments():
        assert low == optimizer.log[int(x)].value
        assert high == pytest.approx(max(low - west.offset, left.get_ylim()[0]))
    assert set(names) <= {text.get_text() for text in figure.legends[0].get_texts()}


def test_a_source_that_is_set_aside_is_named():
    optimizer = with_sources(["ana", "ben", "cleo"])
    for play in optimizer.log:
        if play.source == "ben":
            optimizer.correct(play, float(np.sin(99 * play.number)), "anything")
    answer = optimizer.answer()
    assert [source.name for source in answer.sources if source.set_aside] == ["ben"]
    _, _, _, lines = drawn(optimizer)
    mine = lines["ben (set aside)"]
    assert mine.get_marker() == "x"
    assert list(mine.get_xdata()) == [play.number for play in optimizer.log if play.source == "ben"]


def test_of_many_sources_those_with_few_values_look_alike_and_one_source_is_no_legend():
    optimizer = with_sources([f"lab {number}" for number in range(9)], plays=27)
    _, _, _, lines = drawn(optimizer)
    assert sum(name.startswith("lab ") for name in lines) == 6
    assert {optimizer.log[int(x)].source for x in lines["others"].get_xdata()} == {"lab 6", "lab 7", "lab 8"}
    _, _, _, lines = drawn(with_sources(["lab"], plays=12))
    assert len(lines["kept"].get_xdata()) == 12
