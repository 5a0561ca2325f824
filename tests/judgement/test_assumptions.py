"""What a user states: which of it is complete, what is refused, and the same for negated values."""

import pytest

from unswayed import InvalidInput, Matern, Threat
from unswayed.core.tampering.threat import LARGEST_VALUE
from unswayed.judgement.assumptions import Assumptions, Given

ALL = {"kernel": Matern(2.5, 0.3), "noise_std": 0.1, "output_scale": 2.0, "level": 1.0, "norm_bound": 3.0}
WORDS = {"kernel": "kernel", "output_scale": "output scale", "noise_std": "noise", "level": "level"}


def test_a_certificate_needs_everything():
    assert Given(**ALL).complete
    assert Given(**ALL).estimated == ()
    for name in ALL:
        given = Given(**{other: value for other, value in ALL.items() if other != name})
        assert not given.complete
        assert given.estimated == ((WORDS[name],) if name in WORDS else ())
    assert Given().estimated == tuple(WORDS.values())


@pytest.mark.parametrize(("level", "centre", "width"), [(None, 0.0, 0.0), (-2.0, -2.0, 0.0), ((1.0, 4.0), 2.5, 3.0)])
def test_a_level_has_a_centre_and_a_width(level, centre, width):
    given = Given(level=level)
    assert (given.level_centre, given.level_width) == (centre, width)
    assert given.level_known == (level is not None and width == 0)
    assert (given.flipped().level_centre, given.flipped().level_width) == (-centre, width)


def test_a_threat_may_be_unknown_a_number_or_a_threat():
    assert Given().threat is None
    assert Given().threat_or_nothing == Threat()
    assert Given(threat=2.5).threat == Threat(2.5)
    threat = Threat(5.0, 2, low=-1, high=3)
    assert Given(threat=threat).flipped().threat == Threat(5.0, 2, low=-3, high=1)
    assert Given(threat=threat, **ALL).flipped().flipped() == Given(threat=threat, **ALL)


@pytest.mark.parametrize("name", ["noise_std", "output_scale", "norm_bound"])
def test_amounts_are_positive_and_not_too_large_to_compute_with(name):
    assert getattr(Given(**{name: LARGEST_VALUE}), name) == LARGEST_VALUE
    for value in (0, -1, float("nan"), float("inf"), "high", 1.01 * LARGEST_VALUE):
        with pytest.raises(InvalidInput, match=name.replace("noise_std", "noise").replace("_", " ")):
            Given(**{name: value})


def test_a_level_is_not_too_large_to_compute_with():
    assert Given(level=-LARGEST_VALUE).level == -LARGEST_VALUE
    assert Given(level=(-LARGEST_VALUE, LARGEST_VALUE)).level_width == 2 * LARGEST_VALUE
    with pytest.raises(InvalidInput, match="the level must be a number"):
        Given(level=(0, 1.01 * LARGEST_VALUE))
    with pytest.raises(InvalidInput, match="lie between its two numbers, but 2 is larger than 1"):
        Given(level=(2, 1))


@pytest.mark.parametrize("kernel", [Matern, "matern", 0.3], ids=str)
def test_a_kernel_is_an_object_that_can_be_called(kernel):
    with pytest.raises(InvalidInput, match=r"kernel must be a kernel such as Matern\(2.5, 0.3\), not "):
        Given(kernel=kernel)


def test_assumptions_as_plain_values():
    found = Assumptions(**ALL, estimated=("noise",))
    assert found.to_dict() == {**ALL, "kernel": repr(ALL["kernel"]), "estimated": ["noise"]}
    assert repr(found) == "Assumptions(Matern, noise_std=0.1, estimated=('noise',))"
