"""What an answer says in words."""

import re
import warnings
from random import Random

import numpy as np
import pytest

from unswayed import Box, Measurement, Optimizer, Options, Real, SquaredExponential, Threat, maximize

TRUE = {"a": 0.1, "b": 0.5, "c": 0.9}


def answered(space=None, plays=40, value=None, source=None, **settings):
    study, rng = Optimizer(space or Options(list(TRUE)), seed=0, **settings), np.random.default_rng(0)
    for number in range(plays):
        (play,) = study.ask()
        told = TRUE[play.point] if value is None else value(play)
        study.tell(play, told + 0.1 * rng.standard_normal(), source=source and source(number))
    return study.answer()


def test_in_a_continuum_counted_lies_are_about_points_that_are_worse_by_more_than_the_noise():
    found = answered(
        Box({"x": Real(0, 1)}), value=lambda play: np.sin(5 * play.point["x"]), source=lambda n: f"w{n % 4}"
    )
    (counts,) = [line for line in str(found).splitlines() if "the range observed" in line]
    worse = "what could have changed the recommendation to one that is worse by more than the noise"
    assert f"{worse} (estimated at " in counts
    assert "false measurement" in counts
    assert "lying source" in counts
    assert "worse by more than the noise" not in str(answered())


def test_equal_values_say_nothing_about_lies():
    study = Optimizer(Options(list(TRUE)), seed=0)
    for play in study.ask(10):
        study.tell(play, 1.0)
    found = study.answer()
    assert "false measurement" not in str(found)
    assert found.to_dict()["threats"] == []
    study = Optimizer(Options(list(TRUE)), seed=0, threat=Threat(lies=2, low=0, high=10))
    for play in study.ask(10):
        study.tell(play, 5.0)
    assert "Breakdown" not in str(study.answer())


def test_values_that_are_moved_into_the_range_are_counted():
    threat = Threat(lies=3, low=-1, high=2)
    lie = {7: 1e6, 11: -30.0}
    for minimize in (False, True):
        found = answered(value=lambda p: lie.get(p.number, TRUE[p.point]), threat=threat, minimize=minimize)
        assert "\nOutside the range of honest values that you gave: 2 measurements. Such a value is false" in str(found)
    assert "Outside" not in str(answered(threat=threat))


def test_a_bound_that_is_not_given_is_said_to_be_observed():
    assert " (the highest observed), " in str(answered(threat=Threat(lies=1, low=-1)))
    assert "observed" not in str(answered(threat=Threat(lies=1, low=-1, high=2)))


def test_faults_do_not_contradict_what_was_allowed():
    found = answered(value=lambda p: 1e6 if p.number == 7 else TRUE[p.point], threat=1.0)
    assert found.set_aside_total > 1
    allowed = (
        "you allowed tampering of 1 in all, not counting noise (two standard deviations of each) and gross faults."
    )
    assert allowed in str(found)


def test_faults_beyond_the_number_that_was_allowed_are_said_to_be_faults():
    found = answered(value=lambda p: 1e5 if p.number in (7, 9, 13) else TRUE[p.point], threat=Threat(lies=1))
    assert len(found.set_aside) > 1
    assert "you allowed 1 false measurement, not counting gross faults." in str(found)
    assert " (the range of those kept), " in str(found)
    assert "observed" not in str(found)


def test_counts_depend_on_what_is_set_aside():
    found = answered(value=lambda p: 3.0 if p.number == 7 else TRUE[p.point])
    assert found.set_aside == (7,)
    assert "With the model and what is set aside held fixed and values between" in str(found)


def test_lies_without_a_range_are_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = answered(threat=Threat(lies=3))
    assert found.sentence.startswith("Nothing can be said of how far this is from the best")
    assert found.to_dict()["credible"]["largest_gap"] is None


def test_sources_that_are_left_out_of_the_list_are_counted():
    found = answered(plays=100, value=lambda p: TRUE[p.point] + 3 * (p.number % 25 < 11), source=lambda n: f"w{n % 25}")
    off = sum(bool(one.offset) or one.set_aside for one in found.sources)
    assert off > 10
    assert str(found).endswith(f"{off - 10} more source{'s' if off > 11 else ''} like these: see answer.sources.")


def test_the_noise_of_rates_is_estimated_so_that_nothing_is_certified():
    known = {"kernel": SquaredExponential(0.2), "output_scale": 1.0, "level": 0.0, "norm_bound": 1.0, "noise_std": 0.1}
    study, rng = Optimizer(Options([[0.0], [0.5], [1.0]]), threat=0, seed=0, **known), np.random.default_rng(0)
    for play in study.ask(30):
        study.tell(play, rng.binomial(20, 0.2 + 0.5 * play.point[0]) / 20, trials=20)
    found = study.answer()
    assert found.certificate is None
    assert found.sentence.startswith("Under the fitted model (estimated: noise), with 95% probability")


def off_once(noise, lie, threat):
    """Every measurement states its precision; play 20 of 40 is off."""
    study, rng = Optimizer(Options(list(TRUE)), seed=0, threat=threat), np.random.default_rng(1)
    for number in range(40):
        (play,) = study.ask()
        std = noise if number == 20 else 0.1
        study.tell(play, TRUE[play.point] + std * rng.standard_normal() + lie * (number == 20), noise_std=std)
    return study.answer()


def test_what_is_set_aside_is_charged_by_its_change_and_not_by_its_precision():
    assert off_once(0.02, 0.6, threat=1.0).set_aside == (20,)
    assert off_once(2.0, 20.0, threat=1.0).set_aside == ()


def test_a_batch_of_outcomes_is_no_single_lie():
    study, rng = Optimizer(Options(["a", "b"]), seed=0, threat=Threat(lies=1)), np.random.default_rng(0)
    for play in study.ask(600):
        forged = 300 <= play.number < 400 and play.point == "a"
        study.tell(play, 1.0 if forged else float(rng.uniform() < 0.2))
    found = study.answer()
    assert len(found.set_aside) <= 1


def test_of_two_sources_nobody_can_tell_which_one_is_off():
    for number, told in ((2, True), (5, False)):
        found = answered(
            value=lambda p, k=number: TRUE[p.point] + (p.number // 3 % k == 0),
            source=lambda n, k=number: f"w{n // 3 % k}",
        )
        assert any(one.offset for one in found.sources)
        assert ("nobody can tell which one is off" in str(found)) is told


def test_sources_that_contradict_each_other_are_no_noise():
    found = answered(plays=60, value=lambda p: TRUE[p.point] + (p.number % 2 == 0), source=lambda n: f"w{n % 2}")
    assert 0.07 < found.assumptions.noise_std < 0.14
    assert not found.set_aside


def test_an_estimate_that_rests_on_a_correction_alone_says_so():
    """Every value is that of its point, lies too, so repeats agree and the function looks rough."""

    def frozen(point):
        drawn = Random(str(point["x"]))
        worker, honest = f"w{drawn.randrange(4)}", 1 - (point["x"] - 0.4) ** 2
        return Measurement(drawn.random() if worker == "w2" else honest + 0.01 * drawn.gauss(0, 1), source=worker)

    said = "This point was measured only by a source whose values were corrected"
    seen = set()
    for seed in (1, 6, 20):
        found = maximize(
            frozen, Box({"x": Real(0, 1)}), plays=40, threat=Threat(liars=1), seed=seed, progress=False
        ).answer
        here = {play.source for play in found.plays if play.point == found.point and play.number not in found.set_aside}
        alone = bool(here) and here <= {one.name for one in found.sources if one.offset and not one.set_aside}
        assert (said in str(found)) == alone
        seen.add(alone)
    assert seen == {True, False}


@pytest.mark.parametrize("threat", [None, 0.0, Threat(lies=1), Threat(liars=1)])
def test_equal_values_are_explained_whoever_measured_them(threat):
    study = Optimizer(Options(list(TRUE)), seed=0, threat=threat)
    for number, play in enumerate(study.ask(12)):
        study.tell(play, 1.0, source=f"lab-{number % 3}")
    found = study.answer()
    assert found.set_aside == ()
    assert not any(source.set_aside or source.offset for source in found.sources)


@pytest.mark.parametrize("minimize", [False, True])
def test_who_wins_without_a_source_is_what_a_study_without_it_recommends(minimize):
    rows = [[x / 4] for x in range(5)]
    known = {"kernel": SquaredExponential(0.3), "noise_std": 0.1, "output_scale": 1.0, "level": 0.0}
    rng, found = np.random.default_rng(1), set()
    for case in range(6):
        truth = rng.normal(0, 0.2, 5)
        told = []
        for number in range(24):
            arm, source = int(rng.integers(5)), f"lab {number % 4}"
            lie = 0.6 * (source == "lab 0" and arm == case % 5)
            value = float(truth[arm] + rng.normal(0, 0.1) + lie)
            told.append((tuple(rows[arm]), Measurement(-value if minimize else value, source=source)))

        def answer(some):
            study = Optimizer(Options(rows), threat=0, seed=0, minimize=minimize, **known)
            study.add(some)
            return study.answer()

        for seen in (whole := answer(told)).sources:
            assert seen.without == answer([one for one in told if one[1].source != seen.name]).point
            found.add(seen.without == whole.point)
    assert found == {True, False}


def test_without_the_only_source_nothing_is_left():
    study = Optimizer(Options(["a", "b"]), seed=0)
    study.add([("a", Measurement(1.0, source="lab")), ("b", Measurement(2.0, source="lab"))])
    assert [seen.without for seen in study.answer().sources] == [None]


@pytest.mark.parametrize("space", [Options(["a", "b", "c"]), Box({"x": Real(0, 1)})], ids=["list", "box"])
def test_numbers_far_from_zero_are_told_apart(space):
    study = Optimizer(space, threat=Threat(lies=1), seed=0, parallel=None)
    for play in study.ask(9):
        study.tell(play, 1e6 + ("abc".index(play.point) if space.names == ("option",) else play.point["x"]))
    answer, text = study.answer(), str(study.answer())
    (estimate,) = re.findall(r"estimated at (\S+?)\.?(?: ±|$)", text, re.MULTILINE)
    ((low, high),) = re.findall(r"values between (\S+) and (\S+) ", text)
    assert float(estimate) == pytest.approx(answer.estimate, abs=1e-2, rel=0)
    values = [play.value for play in study.log]
    assert (float(low), float(high)) == pytest.approx((min(values), max(values)), abs=1e-2, rel=0)


def test_the_range_observed_is_that_of_the_values_as_they_were_told():
    """Not what is left of them after a change of units and back."""
    told, rng = {"a": 0.2, "b": 0.7, "c": 0.4}, np.random.default_rng(5)
    how = {"plays": 60, "seed": 0, "threat": Threat(lies=2), "progress": False}
    found = maximize(lambda one: Measurement(float(rng.random() < told[one]), trials=1), Options(list(told)), **how)
    assert (found.answer.span.low, found.answer.span.high) == (0.0, 1.0)
    assert "values between 0 and 1 (the range observed)" in str(found)


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_of_a_single_option_nothing_is_said_about_the_best(noise):
    rng = np.random.default_rng(0)
    found = maximize(lambda _: 5 + noise * rng.normal(), Options(["only"]), plays=20, seed=0, progress=False).answer
    assert found.sentence == "There is no other point."
    assert "Too few" not in str(found)
    assert (found.deviation is None) == (noise == 0)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_deviation_holds_where_a_liar_makes_the_noise_too_large(seed):
    """The estimate with such a noise is drawn to the mean; what the other values say by themselves is not."""
    rng, space = np.random.default_rng(seed), Box({"x": Real(0, 1), "y": Real(0, 1)})
    study = Optimizer(space, plays=40, seed=seed)
    for number in range(40):
        (play,) = study.ask(source=("honest", "liar")[number % 2])
        truth = -((play.point["x"] - 0.3) ** 2) - (play.point["y"] - 0.6) ** 2
        study.tell(play, (-rng.random() if number % 2 else truth) + 0.01 * rng.normal())
    found = study.answer()
    truth = -((found.point["x"] - 0.3) ** 2) - (found.point["y"] - 0.6) ** 2
    assert abs(found.estimate - truth) < 3 * found.deviation
