"""The report of an audit: plain values for scripts, printable lines for people, the same result in both."""

import json

import numpy as np
import pytest

from unswayed import SquaredExponential, Threat, audit
from unswayed.audits.report import details, record, sentence, summary
from unswayed.text import at_least

GIVEN = {"kernel": SquaredExponential(0.4), "noise_std": 0.1, "output_scale": 1.0, "level": 1.0, "norm_bound": 5.0}


def measured(rows=60, *, lie=0.0):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 8, (rows, 2)) / 8
    y = np.sin(5 * x[:, 0]) + x[:, 1] + 0.1 * rng.standard_normal(rows)
    y[3] += lie
    return x, y


AUDITS = {
    "estimated": lambda: audit(*measured(), threat=0.5),
    "given": lambda: audit(*measured(), **GIVEN),
    "minimized": lambda: audit(*measured(), minimize=True, names=("rate\x1b[31m", "b")),
    "with a lie": lambda: audit(*measured(lie=9.0)),
    "not certified": lambda: audit([[0.0], [1.0]], [0.0, 1.0]),
    "with sources": lambda: audit(
        *measured(), sources=[f"w\x1b{i % 5}" for i in range(60)], lines=range(2, 62), threat=Threat(lies=2, total=0.1)
    ),
    "with standard errors": lambda: audit(*measured(), noise_stds=[0.1, 0.2] * 30, low=-2.0, high=3.0),
}
COLUMNS = (
    "winner winner_label rival breakdown_budget breakdown_budget_refit breakdown_lies breakdown_sources pivot sources"
)
COLUMNS += " suspects winner_without_suspects certified sentence assumptions"


@pytest.fixture(params=AUDITS, scope="module")
def found(request):
    return AUDITS[request.param]()


def test_every_column_is_a_plain_value(found):
    columns = record(found)
    assert json.loads(json.dumps(columns, allow_nan=False)) == columns
    assert columns == found.to_dict()


def test_the_columns_that_scripts_rely_on(found):
    columns = record(found)
    assert set(COLUMNS.split()) <= set(columns)
    for one in columns["sources"]:
        assert {"source", "measurements", "alone_overturns", "winner_without"} <= set(one)
    for one in columns["suspects"]:
        assert {"row", "option", "source", "value", "expected", "score"} <= set(one)
    assert columns["winner_label"] == found.describe(found.winner)
    assert columns["breakdown_lies"] == found.breakdown.lies
    assert columns["breakdown_sources"] == found.breakdown.liars
    assert (columns["breakdown_sources"] is None) == (not columns["sources"])
    assert [one["kind"] for one in columns["threats"]][-1] == "total"
    assert len(columns["plan"]["changes"]) == columns["breakdown_lies"]


def test_the_range_is_named_in_words(found):
    if found.span.given:
        assert "values between -2 and 3:" in found.explain()
    else:
        assert "(the smallest and the largest measured); give low and high if you know them:" in found.explain()


def test_every_line_can_be_printed(found):
    lines = [*str(found).splitlines(), *summary(found), *details(found)]
    assert "\n".join(lines) == found.explain()
    assert all(line.isprintable() and line.strip() for line in lines)


def test_words_and_columns_agree(found):
    columns, text = record(found), found.explain()
    assert f"{columns['measurements']:,} measurements of {columns['options']:,} options." in text
    assert f"Winner: {columns['winner_label']}, estimated at {columns['estimate']:.6g}." in text
    assert f"held fixed: {at_least(columns['breakdown_budget'])}." in text
    assert sentence(found) in text
    for name in columns["assumptions"]["estimated"]:
        assert name in text


def test_certified_is_for_what_rests_on_no_estimate():
    assert record(AUDITS["given"]())["certified"]
    assert not record(AUDITS["estimated"]())["certified"]
    nothing = record(AUDITS["not certified"]())
    assert (nothing["certified"], nothing["certificate"], nothing["credible"]) == (False, None, None)
    assert (
        nothing["sentence"]
        == "Too few measurements, or too noisy ones, to say how far this is from the best: 2 so far."
    )
