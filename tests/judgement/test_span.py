"""The range of honest values: given, or that of the values; in the user's sign, and in words."""

import numpy as np
import pytest

from unswayed import InvalidInput, Threat
from unswayed.judgement.span import Span

VALUES = np.array([2.0, -1.0, 5.0])


@pytest.mark.parametrize(
    ("threat", "low", "high", "words"),
    [
        (Threat(low=-3, high=9), -3.0, 9.0, "between -3 and 9"),
        (Threat(low=-3), -3.0, 5.0, "between -3 and 5 (the largest measured)"),
        (Threat(high=9), -1.0, 9.0, "between -1 and 9 (the smallest measured)"),
        (Threat(), -1.0, 5.0, "between -1 and 5 (the smallest and the largest measured)"),
    ],
    ids=["both", "low", "high", "neither"],
)
def test_what_is_not_given_is_what_was_measured(threat, low, high, words):
    span = Span.of(VALUES, threat)
    assert (span.low, span.high, span.width) == (low, high, high - low)
    assert (span.low_given, span.high_given) == (threat.low is not None, threat.high is not None)
    assert span.given == (span.low_given and span.high_given)
    assert str(span) == words
    turned = span.flipped()
    assert (turned.low, turned.high, turned.low_given, turned.high_given) == (
        -high,
        -low,
        span.high_given,
        span.low_given,
    )
    assert turned.flipped() == span
    known = span.around(Threat(lies=2), observed=False)
    assert (known.lies, known.low, known.high) == (2, threat.low, threat.high)
    observed = span.around(Threat(lies=2), observed=True)
    assert (observed.low, observed.high) == (low, high)
    assert span.around(None, observed=True) is None


def test_an_end_may_be_given_twice_but_not_differently():
    assert Span.checked(VALUES, Threat(low=-3), -3.0, 9.0) == Span(-3.0, 9.0, True, True)
    assert Span.checked(VALUES, Threat(high=9), None, None) == Span(-1.0, 9.0, False, True)
    with pytest.raises(InvalidInput, match="low is -2, but that of the threat is -3: give it once"):
        Span.checked(VALUES, Threat(low=-3), -2.0, None)


@pytest.mark.parametrize(("low", "high", "row"), [(0.0, None, 2), (None, 4.0, 3), (None, 1.5, 1)])
def test_no_value_may_lie_outside(low, high, row):
    with pytest.raises(InvalidInput, match=f"measurement {row} is .* which is not between low"):
        Span.checked(VALUES, Threat(), low, high)
    Span.checked(VALUES, Threat(), -1.0, 5.0)  # the ends are inside
