"""The report of an audit: plain values for scripts, printable lines for people, the same result in both."""

import json

import numpy as np
import pytest

from unswayed import SquaredExponential, audit
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
}


@pytest.fixture(params=AUDITS, scope="module")
def found(request):
    return AUDITS[request.param]()


def test_every_column_is_a_plain_value(found):
    columns = record(found)
    assert json.loads(json.dumps(columns, allow_nan=False)) == columns
    assert columns == found.to_dict()


def test_every_line_can_be_printed(found):
    lines = [*summary(found), *details(found)]
    assert "\n".join(lines) == str(found)
    assert all(line.isprintable() and line.strip() for line in lines)


def test_words_and_columns_agree(found):
    columns, text = record(found), str(found)
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
    assert nothing["sentence"] == "Too few measurements to say how far this is from the best: 2 so far."
