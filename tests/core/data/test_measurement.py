"""Measurements as people have them."""

import numpy as np
import pytest

from unswayed import InvalidInput, Measurement
from unswayed.core.data.measurement import own_noise, relative_weights


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"value": np.nan}, "finite"),
        ({"value": "much"}, "a number"),
        ({"value": 1j}, "a number"),
        ({"value": 1e200}, "larger units"),
        ({"value": 1.0, "noise_std": 0}, "standard error"),
        ({"value": 1.0, "noise_std": 1e-200}, "other units"),
        ({"value": 1.0, "noise_std": 1e200}, "other units"),
        ({"value": 1.5, "trials": 10}, "between 0 and 1"),
        ({"value": -0.5, "trials": 10}, "between 0 and 1"),
        ({"value": 0.25, "trials": 10}, "successes in 10"),
        ({"value": 0.5, "trials": 0}, "trials"),
        ({"value": 0.5, "trials": 2.5}, "trials"),
        ({"value": 0.5, "trials": 10, "noise_std": 0.1}, "not both"),
        ({"value": 0.5, "source": " "}, "a name"),
        ({"value": 0.5, "source": True}, "a name"),
        ({"value": 0.5, "source": "x" * 1000}, "at most 200"),
    ],
)
def test_what_makes_no_sense_is_one_line(wrong, words):
    with pytest.raises(InvalidInput, match=words) as raised:
        Measurement(**wrong)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("noise", [1e-99, 0.3, 1e99])
def test_a_standard_error_is_kept(noise):
    assert Measurement(1.0, noise_std=noise).noise_std == noise


def test_a_number_or_a_measurement():
    assert Measurement.of(0.5, source="a").to_dict() == {"value": 0.5, "source": "a"}
    assert Measurement.of(Measurement(0.5, source="a", trials=4), source="b").source == "b"
    assert Measurement(1, source=7).source == "7"
    assert Measurement(1 / 3, trials=3).trials == 3  # rounding errors are no fractions of a success


def test_weights_are_relative_to_the_noise_of_weight_one():
    own = np.array([0.1, 0.2, np.nan])
    weights, one = relative_weights(own, 0.4)
    np.testing.assert_allclose(weights, [16, 4, 1])
    assert one == 0.4
    weights, one = relative_weights(own[:2], 0.4)  # all of them state their own
    assert one == pytest.approx(0.15)
    np.testing.assert_allclose(weights * own[:2] ** 2, one**2)
    assert relative_weights(np.full(3, np.nan), None)[1] is None


def test_rates_share_their_probability():
    values, trials = np.array([0.0, 0.5, 7.0]), np.array([10.0, 30.0, 0.0])
    own = own_noise(values, np.array([np.nan, np.nan, 0.25]), trials)
    p = 15.5 / 41
    np.testing.assert_allclose(own, [np.sqrt(p * (1 - p) / 10), np.sqrt(p * (1 - p) / 30), 0.25])
    np.testing.assert_allclose(own_noise(-values[:2], np.full(2, np.nan), trials[:2]), own[:2])  # negated rates
