"""COCO's functions: the values of the installed package, its best values, and the noise of its definition."""

import numpy as np
import pytest
from scipy.stats import cauchy, kstest

from unswayed_gauntlet.problems import coco, problem

cocoex = pytest.importorskip("cocoex", reason="coco-experiment is not installed")


@pytest.mark.parametrize("d", coco.DIMENSIONS)
def test_the_best_value_is_that_of_the_package(d):
    """Of all 24 functions: nothing is above 0, and 0 is reached where the package says."""
    for number in range(1, 25):
        box, truth, known, _ = coco.bbob(number, d)
        bare = cocoex.BareProblem("bbob", number, d, 1)
        best = bare.best_parameter()
        assert truth((best[None] + 5) / 10) == pytest.approx(known, abs=1e-9)
        X = box.legal(np.random.default_rng(number).random((200, d)))
        values = truth(X)
        assert (values < 0).all()
        points = np.array([list(point.values()) for point in box.decode(X[:5])])
        heights = np.array([bare(x) for x in points]) - bare.best_value()
        assert np.expm1(-values[:5]) == pytest.approx(heights, rel=1e-6)


@pytest.mark.parametrize("number", coco.CAUCHY)
def test_a_noisy_function_reports_as_the_package_does(number):
    """Most reports are the truth exactly; the others differ by Cauchy numbers times alpha, cut at 1,000."""
    suite = cocoex.Suite("bbob-noisy", "", "")
    (alpha, p), rng = coco.CAUCHY[number][1], np.random.default_rng(number)
    noise = {"ours": [], "theirs": []}
    for d in coco.DIMENSIONS:
        theirs = suite.get_problem_by_function_dimension_instance(number, d, 1)
        box, truth, _, honest = coco.cauchy(number, d)
        row = box.legal(rng.random((1, d)))
        x, value = np.array(list(box.decode(row)[0].values())), truth(row).item()
        noise["theirs"] += [(-theirs(x) - value) / alpha for _ in range(4000)]
        noise["ours"] += [(honest(row[0], value, rng) - value) / alpha for _ in range(4000)]
    for whose, told in noise.items():
        drawn = np.array([one for one in told if abs(one) > 1e-4])  # the rest is rounding
        assert len(drawn) / len(told) == pytest.approx(p, abs=0.04 if whose == "theirs" else 0.01)
        assert drawn.max() <= 1000 * (1 + 1e-6)
        assert kstest(drawn, cauchy.cdf).statistic < 3 / np.sqrt(len(drawn))


def test_the_best_of_a_noisy_function_is_exact():
    one = problem("cauchy-f109-5")
    bare = cocoex.BareProblem("bbob", 1, 5, 1)
    assert one.best == -(bare.best_value() + 1000 + 1.01e-8)
    row = (bare.best_parameter()[None] + 5) / 10
    assert one.truth(row) == pytest.approx(one.best, abs=1e-9)
