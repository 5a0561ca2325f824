import unicodedata

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unswayed.text import at_least, at_most, counted, digits, number, printable, short_names

OBEYED = ["\x1b[2J", "\x9b31m", "\a", "\r\n", "\u2028", "\u202e", "\u2066", "\u200b", "\x7f", "\ud800", "\x00"]


@given(st.text() | st.binary(), st.none() | st.integers(0, 50))
@example("\u202e\x1b]0;title\x07", None)
def test_nothing_is_left_that_a_terminal_obeys(text, limit):
    line = printable(text, limit=limit)
    assert line.isprintable()
    assert not {unicodedata.category(c) for c in line} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert printable(line) == line
    assert limit is None or len(line) <= limit


@given(st.text().filter(str.isprintable))
def test_ordinary_text_stays_as_it_is(text):
    assert printable(text) == text
    assert printable(text.encode()) == text
    assert printable(text, limit=len(text)) == text


@given(st.text(), st.integers(0, 20))
def test_the_limit_cuts_and_says_so(text, limit):
    whole, line = printable(text), printable(text, limit=limit)
    assert line == whole if len(whole) <= limit else line == whole[: max(limit - 3, 0)] + "..."[:limit]
    if "\ud800" not in text and not any("\ud800" <= c <= "\udfff" for c in text):
        assert printable(text.encode(), limit=limit) == line


@pytest.mark.parametrize("text", OBEYED)
def test_what_is_obeyed_is_shown(text):
    assert printable(f"a{text}b").startswith("a\\")


@pytest.mark.parametrize(
    ("value", "error", "shown"),
    [
        (1e6 + 0.25, 0.01, "1000000.25"),
        (0.0, 1.0, "0"),
        (2.0, 0.0, "2"),
        (1e300, 1e-300, "1e+300"),
        (3.1415926, 1, "3.14159"),
    ],
)
def test_numbers_have_the_digits_that_matter(value, error, shown):
    assert number(value, error) == shown


def test_digits_tell_numbers_apart():
    assert digits([1.0, 2.0, 1.0]) == 6
    assert digits([1e6, 1e6 + 1]) == 7
    assert digits([0.1, 0.1 + 1e-18]) == 6  # the same number
    assert digits([1.0, 1.0 + 2**-52]) == 17


@given(st.floats(-1e100, 1e100))
def test_promises_are_rounded_outward(value):
    tiny = 1e-11 * abs(value)
    assert float(at_least(value)) <= value + tiny
    assert float(at_most(value)) >= value - tiny
    assert abs(float(at_most(value)) - value) <= 1e-3 * abs(value)


def test_rounding_errors_decide_nothing():
    assert at_least(1 - 2**-53) == at_most(1 + 2**-52) == "1"
    assert at_most(1.00043) == "1.001"
    assert at_most(np.inf) == "inf"
    assert counted(1, "play") == "1 play"


def test_short_names_are_short_and_stay_apart():
    assert short_names(["opal", "a name that is far too long for a sentence"], 20) == ("opal", "a name th...sentence")
    alike = [f"meta-llama/Llama-3.1-{size}B-Instruct-Turbo" for size in (8, 70, 405)]
    assert len(set(short_names(alike, 20))) == 3
    assert short_names([*alike, "b" * 50], 20)[3] == "b" * 9 + "..." + "b" * 8
    assert short_names([]) == ()
