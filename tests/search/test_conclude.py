"""What an answer says of sources and of single measurements, and how well it knows its best point."""

import numpy as np
import pytest

from tests.search.games import SQUARE, Game, bowl, task
from unswayed import Box, InvalidInput, Matern, Measurement, Optimizer, Options, Real, Threat
from unswayed.judgement.recommend import CAUTION
from unswayed.search.conclude import answer
from unswayed.search.modes import begin

TRUE = {"u": -2.0, "v": -1.5, "w": -1.0, "x": -0.5, "y": 0.0}


@pytest.fixture(scope="module", params=[1, -1], ids=["maximize", "minimize"])
def told(request):
    """Four sources: c reads 1 too high, d tells random numbers, and b alone has measured z. Values have a sign."""
    sign, rng = request.param, np.random.default_rng(0)
    told = [
        (option, sign * (value + 0.05 * rng.standard_normal() + (source == "c")), source)
        for _ in range(4)
        for option, value in TRUE.items()
        for source in "abc"
    ]
    told += [(option, sign * rng.uniform(-3, 2), "d") for _ in range(4) for option in TRUE]
    told += [("z", sign * (0.5 + 0.05 * rng.standard_normal()), "b") for _ in range(4)]
    study = Optimizer(Options([*TRUE, "z"]), seed=0, threat=Threat(liars=1), minimize=sign < 0)
    study.add([(option, Measurement(value, source=source)) for option, value, source in told])
    return sign, [source for _, _, source in told], study.answer()


def test_each_source_is_told_apart(told):
    sign, sources, found = told
    assert (found.point, found.challenger, found.measure_again) == ("y", "z", "z")  # b alone has measured z
    about = {source.name: source for source in found.sources}
    assert {name: one.measurements for name, one in about.items()} == {"a": 20, "b": 24, "c": 20, "d": 20}
    assert [name for name, one in about.items() if one.set_aside] == ["d"]
    assert [name for name, one in about.items() if one.suspicious] == ["c", "d"]
    assert about["c"].offset == pytest.approx(sign, abs=0.1)
    assert about["a"].offset == about["b"].offset == 0.0
    assert {one.without for one in about.values()} == {"y"}
    assert set(found.set_aside) == {number for number, source in enumerate(sources) if source == "d"}


def test_in_a_continuum_hardly_any_point_has_a_larger_mean_minus_deviation():
    """With a kernel, a level, a scale and a noise that are given: dense formulas on a fine grid."""
    given = {"kernel": Matern(2.5, 0.4), "noise_std": 0.02, "output_scale": 0.5, "level": 0.8}
    kernel, lost = given["kernel"], []
    grid = np.stack(np.meshgrid(*2 * [np.linspace(0, 1, 201)]), axis=-1).reshape(-1, 2)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.uniform(size=(40, 2))
        y = np.array([bowl(x) for x in X]) + 0.02 * rng.standard_normal(40)
        study = Optimizer(SQUARE, seed=seed, threat=0, **given)
        study.add(list(zip(SQUARE.decode(X), y.tolist(), strict=True)))
        point = SQUARE.encode([study.answer().point])
        k = kernel(np.vstack([point, grid]), X)
        inverse = np.linalg.inv(kernel(X, X) + (0.02 / 0.5) ** 2 * np.eye(40))
        deviation = 0.5 * np.sqrt(1 - np.einsum("ij,jk,ik->i", k, inverse, k))
        score = 0.8 + k @ inverse @ (y - 0.8) - CAUTION * deviation
        lost.append(score.max() - score[0])
    assert np.mean(lost) < 1e-3


def test_without_a_measurement_there_is_no_answer():
    with pytest.raises(InvalidInput, match="nothing has been measured yet"):
        answer(begin(task()), ())
    assert Game(task()).play(1).answer().measured == 1


def test_without_repeats_noise_is_not_taken_for_precision():
    """In four dimensions a model of 60 single values may explain their noise: what one of them adds is in doubt."""
    off = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        study, names = Optimizer(Box({name: Real(0, 1) for name in "abcd"}), seed=0), "abcd"
        x = rng.uniform(size=(60, 4))
        y = -((x - 0.5) ** 2).sum(axis=1) + 0.15 * rng.standard_normal(60)
        study.add([(dict(zip(names, map(float, row), strict=True)), float(v)) for row, v in zip(x, y, strict=True)])
        found = study.answer()
        truth = -sum((found.point[name] - 0.5) ** 2 for name in names)
        off.append(abs(found.estimate - truth) / found.deviation)
    assert max(off) < 3
