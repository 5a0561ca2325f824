"""The adapters: short, and they keep what the gauntlet relies on; strangers' optimisers too."""

import ast
import re
import sys
from pathlib import Path
from subprocess import run

import pytest

from tests.gauntlet.strangers import Fragile, Lazy, Outside, Peeking, Unseeded
from unswayed import Box, InvalidInput, Options, Real, Threat
from unswayed.testing import check_optimizer
from unswayed_gauntlet import optimizers
from unswayed_gauntlet.game import MatchGame
from unswayed_gauntlet.match import Match
from unswayed_gauntlet.optimizers import OPTIMIZERS, lacking, make, player
from unswayed_gauntlet.optimizers.boxed import boxed, snapped
from unswayed_gauntlet.problems import problem

HERE = "tests.gauntlet.strangers"
FOLDER = Path(optimizers.__file__).parent
HOMES = sorted({entry.home.split(":")[0] for entry in OPTIMIZERS.values()})
SLOW = ("botorch", "botorch-rp", "smac")
TWIN = "unswayed-wary"  # the adapter of unswayed: the gauntlet tells it another threat
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in OPTIMIZERS if name != TWIN]


@pytest.mark.parametrize("home", HOMES)
def test_adapters_are_short(home):
    """At most 40 lines, without the text on top and empty ones."""
    text = (FOLDER / f"{home}.py").read_text()
    top = ast.parse(text).body[0].end_lineno
    assert sum(bool(line.strip()) for line in text.splitlines()[top:]) <= 40


@pytest.mark.parametrize("name", NAMES)
def test_every_adapter_conforms(name):
    if lost := lacking(name, OPTIMIZERS[name].packages):
        pytest.skip(lost)

    def made(space, plays, threat, seed):
        return player(name, space, plays, threat, seed)

    check_optimizer(made, plays=8 if name == "unswayed" else 12)  # each of its answers takes a quarter of a second


def test_the_stranger_of_the_documentation_conforms(tmp_path):
    """In a process of its own, as its author would run it: a module of its name may be loaded here from elsewhere."""
    page = (Path(__file__).parents[2] / "docs/howto/gauntlet.md").read_text()
    files = dict(re.findall(r"^```python\n# (\w+)\.py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    assert sum(bool(line.strip()) for line in files["climber"].splitlines()) <= 11  # ten, and an import
    ran = run([sys.executable, "-m", "pytest", "test_climber.py"], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
    assert "1 passed" in ran.stdout


@pytest.mark.parametrize("name", ["Uniform", "Sourced", "Loud"])
def test_a_stranger_conforms(name):
    check_optimizer(f"{HERE}:{name}")


@pytest.mark.parametrize(
    ("factory", "reason"),
    [
        (Outside, "ask returns .* which is not in the space"),
        (Peeking, "recommend changes what is asked next"),
        (Unseeded, "the same seed gives another run"),
    ],
)
def test_the_suite_sees_what_is_wrong(factory, reason):
    with pytest.raises(AssertionError, match=reason):
        check_optimizer(factory, spaces=[Box({"x": Real(0, 1)})], plays=16)


@pytest.mark.parametrize(("factory", "error"), [(Lazy, StopIteration), (Fragile, OverflowError)])
def test_what_an_optimiser_raises_is_shown(factory, error):
    with pytest.raises(error):
        check_optimizer(factory)


def test_a_stranger_is_told_what_it_asks_for():
    game = MatchGame(problem("branin-2"), "worker", 20, 0)
    one = make(f"{HERE}:Sourced", game, 3)
    assert one._own.threat == Threat(liars=1)
    assert one._own.rest == {}
    one.tell(one.ask("worker 5"), 1.0, "worker 5")
    assert one._own.sources == ["worker 5"]
    assert one.claim() == (-1e3, 1e3)
    assert player(f"{HERE}:Uniform", game.problem.space, 20, Threat(), 0).claim() is None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (f"{HERE}:with_bounds", "may have the parameters space, plays, threat and seed: .*'bounds'"),
        (f"{HERE}:silent", "made a object, which has no method ask"),
        (f"{HERE}:nobody", "cannot import"),
        ("no_such_module_here:make", "cannot import"),
        ("gut feeling", "unknown optimizer 'gut feeling': choose one of unswayed, .* or module:factory"),
    ],
)
def test_a_stranger_that_cannot_play_is_one_clear_line(name, reason):
    with pytest.raises(InvalidInput, match=reason) as error:
        make(name, MatchGame(problem("branin-2"), "none", 20, 0), 0)
    assert "\n" not in str(error.value)


def test_the_run_of_a_stranger_changes_with_its_file(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("one", "two"):
        (tmp_path / f"own_{name}.py").write_text(f"from {HERE} import Uniform  # {name}\n")
    prints = {Match(f"own_{name}:Uniform", "branin-2", "none", 20, 0).fingerprint() for name in ("one", "two")}
    assert len(prints) == 2


def test_lists_become_boxes_for_those_who_know_only_boxes():
    table, labels = Options([[0.0, 5.0], [2.0, 1.0]]), Options(["a", "b"])
    assert boxed(table).parameters["x1"].high == 2.0
    assert snapped(table, boxed(table), {"x1": 1.9, "x2": 2.0}) == (2.0, 1.0)
    assert snapped(labels, boxed(labels), {"option": "b"}) == "b"
