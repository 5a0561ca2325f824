"""Influence-PE inside a search: it eliminates epoch by epoch, and never has nothing to ask."""

from dataclasses import replace

import numpy as np
import pytest

from tests.search.games import Game, task
from unswayed import Options, Why
from unswayed.search.modes import Eliminating, Guided
from unswayed.search.schedule import propose

TWELVE = Options(list(range(12)))


def value(row):
    return TWELVE.decode(row[None])[0] / 12


@pytest.fixture(scope="module")
def game():
    return Game(task(TWELVE, plays=3000, threat=0.02, noise_std=0.05)).play(600, value, sigma=0.05)


def test_it_eliminates_in_epochs_and_names_the_best(game):
    assert isinstance(game.mode, Eliminating)
    assert len(game.mode.phase.active) < 12
    assert game.answer().point == 11
    assert game.answer().set_aside == ()  # its certificate needs no trimming


def test_without_answers_it_asks_for_further_repeats(game):
    asked = np.empty((0, 12))
    for number in range(600, 1500):
        row, why, _ = propose(game.mode, number, asked)
        assert why is Why.ELIMINATE
        asked = np.vstack([asked, row])
    assert len(np.unique(asked, axis=0)) <= len(game.mode.phase.active)


def test_further_repeats_are_in_the_proportions_of_the_epoch(game):
    phase = replace(game.mode.phase, planned={10: 2, 11: 6}, rewards={10: (1.0,), 11: (1.0, 1.0)})
    pending = np.empty((0, 12))
    for _ in range(21):
        pending = np.vstack([pending, phase.propose(pending)])
    assert np.bincount(pending.argmax(axis=1), minlength=12)[10:].tolist() == [5, 16]  # with those told 6 and 18


def test_an_arm_that_always_fails_does_not_hold_up_its_epoch():
    def failing(row):
        return None if TWELVE.decode(row[None])[0] == 3 else value(row)

    game = Game(task(TWELVE, plays=3000, threat=0.02, noise_std=0.05)).play(400, failing, sigma=0.05)
    assert isinstance(game.mode, Eliminating)
    assert game.mode.phase.epoch.h > 0
    assert game.answer().point != 3


@pytest.mark.parametrize("options", [{"plays": 3000, "threat": 50.0}, {"plays": 30, "threat": 0.02}, {"threat": 0.02}])
def test_few_plays_or_a_large_threat_are_for_vigilant_ucb(options):
    assert isinstance(Game(task(TWELVE, noise_std=0.05, **options)).play(25, value).mode, Guided)
