"""An audit as a picture and as a page."""

from html import unescape

import numpy as np
import pytest
from matplotlib.colors import to_hex

from unswayed import Linear, SquaredExponential, audit
from unswayed.plots.audit import audit_page, plot_audit
from unswayed.plots.style import BAD, GOOD


@pytest.fixture(params=[False, True], ids=["maximise", "minimise"])
def found(request):
    rng = np.random.default_rng(0)
    x = np.repeat(np.arange(20.0)[:, None], 3, axis=0)
    y = np.sin(x[:, 0] / 4) + 0.05 * rng.standard_normal(60)
    y[30] += 2.0
    return audit(x, -y if request.param else y, names=["time"], minimize=request.param)


def test_the_leaders_come_best_first_and_the_winner_is_green(found):
    left, right = found.plot().axes
    labels = [int(label.get_text()) for label in left.get_xticklabels()]
    order = found.estimate[labels]
    assert labels[0] == found.winner
    assert list(order) == sorted(order, reverse=not found.minimize)
    colours = {int(line.get_xdata()[0]): to_hex(line.get_color()) for line in left.lines if len(line.get_xdata()) == 1}
    assert colours[0] == GOOD.lower()
    assert colours[labels.index(found.rival)] == BAD.lower()
    (curve,) = (line for line in right.lines if line.get_label() == "false measurements")
    number = found.breakdown_lies
    np.testing.assert_array_equal(curve.get_ydata(), found.lowest_leads[: len(curve.get_ydata())])
    assert curve.get_ydata()[number] <= 1e-9 < curve.get_ydata()[number - 1]
    assert [text.get_text() for text in right.texts] == [f"from {number} on"]


def test_the_page_says_it_all_and_needs_no_network(found):
    page = audit_page(found, "results <of> today.csv")
    for words in ("Can this winner be trusted?", "results &lt;of&gt; today.csv", "Breakdown budget", "Closest rivals"):
        assert words in page
    for part in found.paragraphs:  # whole, not in the lines of a terminal
        assert f">{part}</" in unescape(page)
    assert "Measurements that the others do not explain" in page
    assert "http" not in page.replace("http-equiv", "")


def test_sources_are_a_line_and_a_table():
    rng = np.random.default_rng(1)
    x, names = np.tile(np.arange(5.0), 12)[:, None], np.repeat([f"<w{i}>" for i in range(6)], 10)
    y = x[:, 0] + 0.1 * rng.standard_normal(60)
    y[names == "<w2>"] += 4.0
    found = audit(x, y, sources=names)
    labels = [line.get_label() for line in found.plot().axes[1].lines]
    assert {"false measurements", "lying sources"} <= set(labels)
    page = audit_page(found, "r.csv")
    assert page.index("trusted?") < page.index("How many lies it takes") < page.index("<h2>Sources")
    assert page.index("<td>&lt;w2&gt; (SUSPICIOUS)") < page.index("<td>&lt;w0&gt;")


def test_a_picture_is_a_figure_without_a_screen(found):
    assert type(plot_audit(found)).__module__ == "matplotlib.figure"


@pytest.mark.parametrize(
    ("kernel", "y", "low", "number"),
    [(Linear(), [1, 1, 5, 5], 1, None), (SquaredExponential(0.1), [1, 5, 1, 5], 0, 0), (Linear(), [1, 1, 5, 5], -9, 1)],
    ids=["impossible", "a tie", "one is enough"],
)
def test_any_count_can_be_drawn(kernel, y, low, number):
    x, given = [[0.2], [0.2], [1.0], [1.0]], {"noise_std": 0.1, "output_scale": 1.0, "level": 0.0, "tie": 0}
    found = audit(x, y, low=low, high=5, kernel=kernel, **given)
    assert found.breakdown_lies == number
    right = plot_audit(found).axes[1]
    assert [text.get_text() for text in right.texts] == ([] if number is None else [f"from {number} on"])
    assert audit_page(found, "r.csv").startswith("<!doctype html>")
    if number is None:
        assert "false measurements: no number of them within the range makes another option win." in found.explain()
