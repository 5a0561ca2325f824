"""What an answer says in words."""

import re
import warnings

import numpy as np
import pytest

from tests.search.frozen import VALUES, estimated, frozen, sourced, told
from unswayed import Box, Measurement, Optimizer, Options, Real, SquaredExponential, Threat, maximize
from unswayed.core.tampering.certificate import Breakdown
from unswayed.judgement.credible import Credible
from unswayed.judgement.span import Span
from unswayed.judgement.verdict import MOST_COLUMNS, MOST_LINES
from unswayed.search.answer import Answer

full = Answer.explain
TRUE = {"a": 0.1, "b": 0.5, "c": 0.9}


def added(plays=40, value=None, source=None, **settings):
    """The answer to values of three options in turn, with some noise."""
    study, rng = Optimizer(Options(list(TRUE)), seed=0, **settings), np.random.default_rng(0)
    rows = []
    for number in range(plays):
        point = "abc"[number % 3]
        told = TRUE[point] if value is None else value(number, point)
        about = {} if source is None else {"source": source(number)}
        rows.append((point, Measurement(told + 0.1 * rng.standard_normal(), **about)))
    study.add(rows)
    return study.answer()


# -- words of answers as they stand -----------------------------------------------------------------------------------


def test_an_answer_says_first_what_to_do():
    found = frozen(challenger="b", challenger_lead=0.0211, measure_again="b", set_aside=(1,), set_aside_total=0.3)
    assert str(found).splitlines() == [
        "Recommended: c, estimated at 0.921 ± 0.02.",
        "If every measurement is true, b is estimated 0.0211 better. Next: measure it again.",
        "If one measurement is false, the same model estimates it at 0.71 or more from the true values.",
        "With 95% (fitted model): at most 0.13 below the best of 3 points, if the others are honest.",
        "6 measurements; set aside play 1: the others do not explain it.",
    ]


@pytest.mark.parametrize(("high", "said"), [(1.04, False), (1.05, True)])
def test_a_bound_beyond_the_given_range_is_not_printed(high, said):
    """The estimate is 0.921, and the fitted model says that the best may be 0.1234 better."""
    found = frozen(span=Span(0.1, high, low_given=True, high_given=True))
    assert ("below the best" in str(found)) == said


def test_an_estimate_of_unknown_precision_is_a_guess():
    assert str(frozen(deviation=None)).startswith("Best so far: c, estimated at 0.921.\nHow far off that is cannot be")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"threat": Threat(lies=2)},
            "If at most 2 measurements are false, the same model estimates it at 0.71 or more from",
        ),
        (
            {"threat": Threat(total=3.5)},
            "If tampering is at most 3.5 in total, the same model estimates it at 0.71 or more from",
        ),
        (
            {"minimize": True, "guaranteed": 0.8},
            "If one measurement is false, the same model estimates it at 0.8 or less from",
        ),
        ({"guaranteed": 0.1}, "\nNothing is left of that if one measurement is false"),
        ({"minimize": True, "guaranteed": 0.94}, "\nNothing is left of that if one measurement is false"),
    ],
)
def test_what_a_point_is_worth_at_least_names_the_threat(changes, words):
    assert words in str(frozen(**changes))


@pytest.mark.parametrize(
    ("aside", "again"),
    [((), "false."), ((2,), "false: measure it once more before you use it."), ((2, 5), "false: measure it before")],
)
def test_where_nothing_would_be_left_the_point_is_to_be_measured_as_often_as_it_takes(aside, again):
    found = frozen(guaranteed=0.1, set_aside=aside, set_aside_total=0.3)
    assert f"Nothing is left of that if one measurement is {again}" in str(found)


def test_without_tampering_there_is_nothing_to_guarantee():
    assert "the same model" not in str(frozen(threat=Threat()))


def test_a_bound_wider_than_half_of_the_range_is_not_printed():
    assert "at most 0.4" in str(frozen(credible=Credible(0.4, 0.95, Threat(), 0.98, 0.99)))
    assert "at most 0.5" not in str(frozen(credible=Credible(0.5, 0.95, Threat(), 0.98, 0.99)))


@pytest.mark.parametrize("long", [1, 12, 60, 400])
def test_an_answer_is_never_longer_than_eight_lines(long):
    names = [f"parameter {i}" + "x" * (i % 30) for i in range(long)]
    space = Box({name: Real(0, 1) for name in names})
    point = dict.fromkeys(names, 1 / 3)
    plays = told(VALUES, points=(point, point, point))
    found = sourced(
        30,
        off=range(20),
        space=space,
        point=point,
        challenger=point,
        challenger_lead=0.1,
        measure_again=point,
        plays=plays,
    )
    lines = str(found).splitlines()
    assert 3 <= len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= MOST_COLUMNS
    assert lines[0].startswith("Recommended: parameter 0 = 0.333")
    assert "estimated at 0.921 ± 0.02." in str(found)


def test_all_that_is_known_is_explained():
    assert full(frozen()).splitlines() == [
        "Recommended: c, estimated at 0.921 ± 0.02.",
        "If one measurement is false, the same model estimates it at 0.71 or more from the true values.",
        "Under the fitted model (estimated: kernel, output scale, noise and level), with 95% probability this point is "
        "at most 0.1234 below the best of the 3 points considered, if nothing was tampered with.",
        "You named no threat; this is what each kind would mean:",
        "Breakdown budget, with the model held fixed: 0.8123. Less tampering with the measurements kept would not have "
        "put ahead another point; this much, on measurements at c, could have put b ahead. Estimates count less one "
        "standard deviation. With the model estimated again, less may be enough.",
        "With the model held fixed and values between 0.1 and 0.94 (the range observed), what could have put ahead "
        "another point: 2 false measurements, but not 1.",
        "6 measurements, none of them set aside.",
    ]


def test_in_a_continuum_counted_lies_are_about_points_that_are_worse_by_more_than_the_noise():
    worse = "what could have put ahead a point that is worse by more than the noise"
    found = full(sourced(4, continuum=True))
    assert f"{worse} (estimated at 0.0312): 2 false measurements, but not 1; 1 lying source." in found
    assert f"{worse} (0.1): " in full(frozen(continuum=True, assumptions=estimated(noise_std=0.1, estimated=())))
    assert "worse by more than the noise" not in full(frozen())


@pytest.mark.parametrize(
    ("least", "words"),
    [
        (None, "no number of false measurements."),
        (0, "no false measurement is needed, another point is as good already."),
        (1, "1 false measurement."),
        (3, "3 false measurements, but not 2."),
    ],
)
def test_how_many_lies_are_enough(least, words):
    found = frozen(breakdown=Breakdown(0.8, "b", "c", lies=least))
    assert full(found).splitlines()[-2].endswith(f"put ahead another point: {words}")


@pytest.mark.parametrize("minimize", [False, True])
def test_values_that_are_moved_into_the_range_are_named(minimize):
    threat, lies = Threat(lies=3, low=-1, high=2), told((*VALUES, 1e6, -30.0))
    which = f"plays {len(VALUES)} and {len(VALUES) + 1}"
    words = f"\nOutside the range of honest values that you gave: {which}. Such a value is false"
    assert words in full(frozen(threat=threat, plays=lies, minimize=minimize))
    assert "Outside" not in full(frozen(threat=threat, minimize=minimize))


def test_a_bound_that_is_not_given_is_said_to_be_observed():
    both, one = Span(-1, 2, low_given=True, high_given=True), Span(-1, 0.94, low_given=True, high_given=False)
    assert " (the highest observed), " in full(frozen(span=one))
    assert " (the lowest observed), " in full(frozen(span=one.flipped()))
    assert "observed" not in full(frozen(span=both))
    kept = full(frozen(set_aside=(1,), set_aside_total=3.0))
    assert "With the model and what is set aside held fixed and values between" in kept
    assert " (the range of those kept), " in kept
    assert "observed" not in kept


@pytest.mark.parametrize(
    ("threat", "total", "words"),
    [
        (None, 1e6, "because the others do not explain them."),
        (1.0, 0.9, "you allowed tampering of 1 in all."),
        (1.0, 1e6, "tampering of 1 in all, not counting noise (two standard deviations of each) and gross faults."),
        (Threat(lies=1), 1e5, "you allowed 1 false measurement, not counting gross faults."),
        (Threat(lies=2), 1e5, "you allowed 2 false measurements."),
        (Threat(lies=1, total=9), 1e5, "you allowed tampering of 9 in all and 1 false measurement."),
    ],
)
def test_what_was_set_aside_does_not_contradict_what_was_allowed(threat, total, words):
    found = frozen(threat=Threat.of(threat), set_aside=(1, 3), set_aside_total=total)
    assert "6 measurements; set aside 2 of them (plays 1 and 3), " in full(found)
    assert full(found).endswith(words)
    assert "(by the measurements kept)" in found.sentence


def test_what_a_lying_source_measured_is_no_gross_fault():
    found = sourced(3, aside=(1,), set_aside=(1, 4), threat=Threat(liars=1))
    assert "you allowed 1 lying source." in full(found)
    assert "not counting" not in full(found)
    assert "Source w1 is set aside: its 3 measurements contradict the others." in full(found)


def test_long_lists_are_cut():
    many = frozen(set_aside=tuple(range(12)), plays=told(VALUES * 3))
    assert "(plays 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more)" in full(many)
    assert full(sourced(30, off=range(11))).endswith("1 more source like these: see answer.sources.")
    assert full(sourced(30, off=range(14))).endswith("4 more sources like these: see answer.sources.")
    assert full(sourced(30, off=range(10))).endswith("Source w9 reads 0.4 below the others; this was taken off.")


def test_a_drift_is_told_with_its_amount():
    words = "Source w1 reads 0.25 above the others on average and drifts by 0.7 over the study; this was taken off."
    assert words in full(sourced(3, drifting=(1,)))


@pytest.mark.parametrize(("number", "said"), [(2, True), (5, False)])
def test_of_two_sources_nobody_can_tell_which_one_is_off(number, said):
    assert ("it cannot be told which one is off" in full(sourced(number, off=(1,)))) == said
    assert "cannot be told" not in full(sourced(number))


def test_an_estimate_that_rests_on_a_correction_alone_says_so():
    said = "This point was measured only by a source whose values were corrected"
    assert said in full(sourced(3, off=(2,)))  # each option has a source of its own
    assert said not in full(sourced(3, off=(1,)))
    assert said not in full(sourced(3, aside=(2,), set_aside=(2, 5)))
    assert said not in full(sourced(2, off=(0,)))


def test_lying_sources_that_nobody_named_are_a_warning():
    words = "You allowed 2 lying sources, but no measurement names its source, so each may be false"
    assert words in full(frozen(threat=Threat(liars=2, low=0, high=1)))
    assert words not in full(sourced(3, threat=Threat(liars=2, low=0, high=1)))


def test_a_bound_against_lies_names_the_range_that_it_supposes():
    span = Span(0.0, 1.0, low_given=True, high_given=True)
    lies, sum_ = Threat(lies=1, low=0, high=1), Threat(total=1.0)
    for threat, said in ((lies, True), (sum_, False), (Threat(), False)):
        found = frozen(threat=threat, span=span, credible=Credible(0.5, 0.95, threat, 0.9, 0.9))
        assert found.sentence.endswith("This supposes that every honest value lies between 0 and 1.") == said
    endless = frozen(threat=Threat(lies=1), credible=Credible(np.inf, 0.95, Threat(lies=1), 0.5, 0.9))
    assert endless.sentence.startswith("Nothing can be said of how far this is from the best, if there may be 1 false")
    assert endless.to_dict()["credible"]["largest_gap"] is None


# -- what is said of measurements -------------------------------------------------------------------------------------


def test_equal_values_say_nothing_about_lies():
    study = Optimizer(Options(list(TRUE)), seed=0)
    for play in study.ask(10):
        study.tell(play, 1.0)
    found = study.answer()
    assert "false measurement" not in full(found)
    assert found.to_dict()["threats"] == []
    study = Optimizer(Options(list(TRUE)), seed=0, threat=Threat(lies=2, low=0, high=10))
    for play in study.ask(10):
        study.tell(play, 5.0)
    assert "Breakdown" not in full(study.answer())


def test_lies_without_a_range_are_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = added(threat=Threat(lies=3))
    assert found.sentence.startswith("Nothing can be said of how far this is from the best")
    assert found.to_dict()["credible"]["largest_gap"] is None


def test_the_noise_of_rates_is_estimated_so_that_nothing_is_certified():
    known = {"kernel": SquaredExponential(0.2), "output_scale": 1.0, "level": 0.0, "norm_bound": 1.0, "noise_std": 0.1}
    study, rng = Optimizer(Options([[0.0], [0.5], [1.0]]), threat=0, seed=0, **known), np.random.default_rng(0)
    for play in study.ask(30):
        study.tell(play, rng.binomial(20, 0.2 + 0.5 * play.point[0]) / 20, trials=20)
    found = study.answer()
    assert found.certificate is None
    assert found.sentence.startswith("Under the fitted model (estimated: noise), with 95% probability")


def test_faults_are_set_aside_beyond_what_was_allowed():
    for threat in (1.0, Threat(lies=1)):
        found = added(value=lambda n, point: 1e5 if n in (7, 9, 13) else TRUE[point], threat=threat)
        assert {7, 9, 13} <= set(found.set_aside)
        assert found.set_aside_total > 1
        assert "gross faults" in full(found)


def test_values_beyond_a_stated_range_count_as_its_ends():
    lies = {7: 1e6, 11: -30.0}
    for minimize in (False, True):
        threat = Threat(lies=3, low=-1, high=2)
        found = added(value=lambda n, point: lies.get(n, TRUE[point]), threat=threat, minimize=minimize)
        assert "\nOutside the range of honest values that you gave: plays 7 and 11." in full(found)
        assert found.span == Span(-1, 2, low_given=True, high_given=True)


def test_of_two_sources_that_contradict_each_other_one_is_off():
    found = added(value=lambda n, point: TRUE[point] + (n // 3 % 2 == 0), source=lambda n: f"w{n // 3 % 2}")
    assert any(one.offset for one in found.sources)
    assert "it cannot be told which one is off" in full(found)


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


def test_sources_that_contradict_each_other_are_no_noise():
    found = added(plays=60, value=lambda n, point: TRUE[point] + (n % 2 == 0), source=lambda n: f"w{n % 2}")
    assert 0.07 < found.assumptions.noise_std < 0.14
    assert not found.set_aside


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
    answer, text = study.answer(), full(study.answer())
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
    assert "values between 0 and 1 (the range observed)" in full(found)


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_of_a_single_option_nothing_is_said_about_the_best(noise):
    rng = np.random.default_rng(0)
    found = maximize(lambda _: 5 + noise * rng.normal(), Options(["only"]), plays=20, seed=0, progress=False).answer
    assert found.sentence == "There is no other point."
    assert "Too few" not in full(found)
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


def test_an_estimate_of_unknown_precision_says_what_to_do():
    study = Optimizer(Box({"x": Real(0, 1)}), seed=0)
    for value in (0.1, -0.3, 0.29, 0.05):
        study.tell(study.ask()[0], value)
    answer = study.answer()
    assert answer.deviation is None
    assert "measure more, and some points twice" in str(answer)
