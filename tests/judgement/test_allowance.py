"""What a threat allows to set aside: sources, then counted lies, then the total."""

from dataclasses import replace

import numpy as np
import pytest

from unswayed import Threat
from unswayed.judgement.allowance import Allowance

everything = Allowance.of(Threat(10.0, lies=3, liars=1))


def test_it_is_all_of_the_threat_and_without_limit_if_that_is_unknown():
    assert everything == Allowance(10.0, 3, 1)
    unknown = Allowance.of(None)
    assert unknown == Allowance(np.inf, 0, 0, accidents=True)
    assert unknown.charged(1e9, 1000) == unknown
    assert everything.mapped(0.5) == Allowance(5.0, 3, 1)


def test_a_source_is_charged_as_one_and_plays_by_their_number_while_the_counts_suffice():
    assert everything.charged(99.0, 50, source=True) == Allowance(10.0, 3, 0)
    assert everything.charged(99.0, 3) == Allowance(10.0, 0, 1)
    assert everything.charged(99.0, 2) == Allowance(10.0, 1, 1)
    without = replace(everything, liars=0)
    assert without.charged(99.0, 3, source=True) == Allowance(10.0, 0, 0)


def test_what_the_counts_do_not_cover_is_charged_to_the_total():
    assert everything.charged(4.0, 4) == Allowance(6.0, 3, 1)
    assert everything.charged(10.0, 4) == Allowance(0.0, 3, 1)
    assert everything.charged(10.1, 4) is None
    assert Allowance.of(Threat()).charged(0.1, 1) is None


@pytest.mark.parametrize(("z", "left"), [(np.inf, 4.0), (8.0, 5.5), (4.0, 7.0), (2.0, 10.0), (1.0, 10.0), (0.0, 10.0)])
def test_the_part_of_a_change_that_noise_explains_is_free(z, left):
    """Two deviations are free: of a change of 6 that is 4 deviations, a half."""
    assert Allowance(10.0, 0, 0, free=2.0).charged(6.0, 1, z=z).total == pytest.approx(left)
