"""What a play was chosen for is true, whatever is measured: random studies, with faults, lies, failures and batches."""

import numpy as np
import pytest

from tests.search.test_families import MODELS
from unswayed import Box, Categorical, Integer, Optimizer, Options, Real, Status, Threat, Why

SPACES = {
    "box": Box({"x": Real(0, 1), "y": Real(0, 1), "z": Real(0, 1)}),
    "mixed": Box({"x": Real(1e-3, 1, log=True), "n": Integer(1, 9), "kind": Categorical(["a", "b", "c"])}),
    "families": MODELS,
    "options": Options([float(x) for x in range(12)]),
}
AGAIN = (Why.VERIFY, Why.RECHECK)


def studied(name, threat, seed, plays=22, width=1, sources=(None,)):
    """A random smooth function; of ten plays one fails, one is forged, and one is a fault of many ranges."""
    space, rng = SPACES[name], np.random.default_rng([seed, 9])
    slopes, bend = rng.normal(size=space.columns), rng.random(space.columns)
    study = Optimizer(space, threat=threat, seed=seed, plays=plays, method="guided")
    while (number := len(study.log)) < plays:
        for play in study.ask(min(width, plays - number), source=sources[number % len(sources)]):
            row = space.encode([play.point])[0]
            value = slopes @ row - 3 * np.square(row - bend).sum() + 0.02 * rng.standard_normal()
            accident = rng.random()
            if accident < 0.1:
                study.fail(play, "no value")
            else:
                wrong = 3.0 if accident < 0.2 else 1e4 if accident < 0.3 else 0.0
                study.tell(play, value + wrong * rng.choice([-1, 1]), source=sources[number % len(sources)])
    return study


def measured_before(study, play, width):
    """The points with a value when this play was chosen."""
    batch = play.number - play.number % width
    return [before.point for before in study.log[:batch] if before.status is Status.TOLD]


@pytest.mark.parametrize("name", SPACES)
def test_without_a_threat_nothing_is_doubted(name):
    assert not [play for play in studied(name, 0.0, 0).log if play.why in AGAIN]


@pytest.mark.parametrize(("threat", "again"), [(0.0, False), (Threat(lies=0), False), (None, True)])
def test_a_fault_that_leads_its_family_is_rechecked_only_under_a_threat(threat, again):
    study, rng = Optimizer(MODELS, threat=threat, seed=0, plays=30), np.random.default_rng(0)
    for number in range(14):
        (play,) = study.ask()
        value = -float(np.square(MODELS.encode([play.point])[0] - 0.4).sum()) + 0.01 * rng.standard_normal()
        study.tell(play, value + (50.0 if number == 11 else 0.0))
    assert study.answer().set_aside
    assert any(play.why in AGAIN for play in study.log) == again


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("threat", [3.0, None, Threat(lies=2), Threat(liars=1)], ids=str)
def test_only_what_was_measured_is_measured_again(name, threat):
    width = 3 if threat is None else 1
    sources = ("ann", "bob", "eve") if threat == Threat(liars=1) else (None,)
    study = studied(name, threat, 5, width=width, sources=sources)
    assert [play for play in study.log if play.why in (Why.EXPLORE, Why.EXPLOIT)]
    for play in study.log:
        assert play.why not in AGAIN or play.point in measured_before(study, play, width)


@pytest.mark.parametrize("name", SPACES)
def test_the_first_plays_are_at_most_two_for_each_parameter(name):
    study = studied(name, 1.0, 3)
    start = [play.number for play in study.log if play.why is Why.START]
    failed = sum(play.status is Status.FAILED for play in study.log[: len(start)])
    assert start == list(range(len(start)))
    assert len(start) - failed <= max(2 * len(SPACES[name].names), 5)
