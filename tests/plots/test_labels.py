"""An audit of named options as a picture and as a page."""

import numpy as np
import pytest

from unswayed.audits.labels.audit import audit_labels
from unswayed.plots.labels import labels_page, lead_left, plot_sources


@pytest.fixture(params=["counts", "values", "minimised", "tie"])
def found(request):
    rng = np.random.default_rng(0)
    o = np.repeat(["a", "b", "$c<", "d"], 5)
    if request.param == "values":
        return audit_labels(o, rng.integers(1, 6, 20), low=1, high=5, sources=np.tile(np.arange(5), 4))
    if request.param == "tie":
        return audit_labels("ab", [1, 2], trials=[2, 4])
    s = rng.binomial(40, 0.3, 20)
    return audit_labels(o, s, trials=np.full(20, 40), minimize=request.param == "minimised", sources=["x\ny"] * 20)


def test_a_line_meets_zero_where_the_lies_are_enough(found):
    for rival in found.rivals:
        k, lead = lead_left(found, rival.option)
        assert lead[0] == pytest.approx(rival.lead)
        assert (np.diff(lead) <= 0).all()
        left = np.interp([rival.lies - 1, rival.lies], k, lead)
        assert left[1] <= 1e-12
        assert rival.lies == 0 or left[0] > -1e-12


def test_the_picture_names_every_rival(found):
    (axes,) = found.plot().axes
    names = [text.get_text().replace("\\$", "$") for text in axes.get_legend().get_texts()]
    assert names == [found.describe(rival.option) for rival in found.rivals]
    assert axes.get_xlim()[1] >= found.breakdown_lies


def test_the_page_answers_first_and_needs_no_network(found):
    page = labels_page(found, "results <of> today.csv")
    assert page.index("<strong>") < page.index("data:image/png") < page.index("Who could have won")
    assert "results &lt;of&gt; today.csv" in page
    assert "$c<" not in page
    assert ("<h2>Sources" in page) == bool(found.sources)
    assert "http" not in page.replace("http-equiv", "")


@pytest.mark.parametrize("minimize", [False, True])
def test_the_picture_of_the_sources_shows_rates_in_order_and_rings_what_looks_wrong(minimize):
    rng = np.random.default_rng(1)
    days = [f"2026-03-{day:02}" for day in rng.permutation(np.arange(1, 15))]
    n = np.full((3, 14), 1000)
    s = rng.binomial(n, 0.05)
    s[1, 4] = 200
    option, day = np.indices(s.shape)
    names = [days[d] for d in day.ravel()]
    found = audit_labels(option.ravel(), s.ravel(), trials=n.ravel(), sources=names, minimize=minimize)
    (axes,) = plot_sources(found).axes
    lines = {line.get_label(): line for line in axes.get_lines()}
    order = np.argsort(days)
    for label in "012":
        assert lines[label].get_ydata() == pytest.approx(s[int(label), order] / 10)
    rings = [line.get_xydata() for line in axes.get_lines() if line.get_marker() == "o" and len(line.get_xdata())]
    assert np.concatenate(rings) == pytest.approx(np.array([[sorted(days).index(days[4]), 20.0]]))
    assert "Source by source" in labels_page(found, "test.csv")
