"""Long studies: some plays judge the others, and what is said is still about all plays."""

import numpy as np
import pytest

from tests.search.games import SQUARE, Game, bowl, task
from unswayed import Options, Threat
from unswayed.core.gp.posterior import JointPosterior
from unswayed.search import beliefs
from unswayed.search.beliefs import estimate, fitted_plays
from unswayed.search.surrogate import Surrogate
from unswayed.search.task import Data, Told

PLAYS, LIES = 160, (3, 20, 41, 77, 90, 118, 150)


def told(lies=LIES, size=1.0, source=lambda number: None, off=lambda number: 0.0):
    """Plays all over the square; the lies are too low by `size`."""
    rng = np.random.default_rng(0)
    rows, noise = rng.random((PLAYS, 2)), 0.01 * rng.standard_normal(PLAYS)
    values = [bowl(row) + noise[i] - size * (i in lies) + off(i) for i, row in enumerate(rows)]
    return Data.empty(2).after_all([Told(rows[i], values[i], source(i)) for i in range(PLAYS)])


@pytest.fixture
def few(monkeypatch):
    """A quarter of the plays judge."""
    monkeypatch.setattr(beliefs, "FITTED", PLAYS // 4)


def judge(data, **given):
    search = task(**given)
    return Surrogate.of_all(search, estimate(search, data), data)


def aside(found):
    return set(np.flatnonzero(~found.kept.mask).tolist())


def test_plays_that_do_not_judge_are_set_aside_too(few):
    data = told()
    judges = set(fitted_plays(data.rows, data.values, 0).tolist())
    assert len(judges) == PLAYS // 4
    assert set(LIES) - judges
    assert aside(judge(data, threat=10.0)) == set(LIES)


def test_the_decision_is_that_of_all_plays_together(few, monkeypatch):
    data = told()
    alone = judge(data, threat=10.0)
    monkeypatch.setattr(beliefs, "FITTED", PLAYS)
    together = judge(data, threat=10.0)
    assert aside(alone) == aside(together)


@pytest.mark.parametrize(
    ("threat", "most"), [(0.0, 0), (0.7, 2), (Threat(lies=3, low=-2, high=2), 3), (None, len(LIES))]
)
def test_what_is_set_aside_stays_within_the_threat(few, threat, most):
    """The lies are so small that none of them is a fault, which is not charged."""
    found = aside(judge(told(size=0.3), threat=threat))
    assert found <= set(LIES)
    assert len(found) == most


def test_the_model_is_of_all_plays_that_are_kept_and_the_proof_of_all(few):
    data = told()
    found = judge(data, threat=10.0)
    corner = np.array([[0.123, 0.456]])
    surrogate = found.beside(corner)
    assert surrogate.kept.posterior.counts.sum() == PLAYS - len(LIES)
    assert surrogate.everything().counts.sum() == PLAYS
    prior, rows = surrogate.beliefs.prior, np.vstack([data.rows, corner])
    z, counts = prior.standardized(data.values), np.append(found.kept.mask, False).astype(float)
    dense = JointPosterior.fit(prior.kernel(rows, rows), np.append(z, 0.0), counts, prior.lam)
    np.testing.assert_allclose(surrogate.kept.posterior.mean, dense.mean, atol=1e-7)


def test_leaders_are_the_rows_of_largest_mean(few):
    found, more = judge(told(), threat=10.0), np.random.default_rng(1).random((30, 2))
    np.testing.assert_array_equal(found.leaders(5, more), found.beside(more).leaders(5, more[:0]))


def test_a_source_that_lies_is_set_aside_with_the_plays_that_do_not_judge(few):
    rng = np.random.default_rng(2)
    data = told((), source=lambda i: "abc"[i % 3], off=lambda i: rng.uniform(-2, 2) if i % 3 == 1 else 0.0)
    found = judge(data, threat=Threat(liars=1, low=-2, high=2))
    assert [data.names[i] for i in found.kept.aside] == ["b"]
    assert aside(found) >= set(range(1, PLAYS, 3))


def test_offsets_and_drifts_are_taken_off_all_plays_whoever_is_named_first(few):
    names = ["late", *"abc" * PLAYS]  # the first source makes one play, which need not be a judge
    data = told((), source=lambda i: names[i], off=lambda i: (i % 3 == 2) * (0.5 + 0.6 * (2 * i / (PLAYS - 1) - 1)))
    found = judge(data, threat=None)
    kept = found.kept
    np.testing.assert_allclose(
        kept.offsets[data.names.index("b")] * found.beliefs.prior.output_scale, [0.5, 0.6], atol=0.05
    )
    assert not np.delete(kept.offsets, data.names.index("b"), axis=0).any()
    truth = np.array([bowl(row) for row in data.rows])
    corrected = found.beliefs.prior.unstandardized(kept.corrected)
    assert np.abs(corrected - truth).max() < 0.12


GRID = Options([[i / 4, j / 4] for i in range(5) for j in range(5)])


@pytest.mark.parametrize(("space", "plays"), [(SQUARE, 30), (GRID, 31), (GRID, 40)])
def test_the_answer_sets_aside_what_the_search_does_not_believe(space, plays):
    rng = np.random.default_rng(1)
    game = Game(task(space, threat=Threat(lies=4, low=-2, high=2)))
    for number in range(plays):
        row = game.ask()
        game.tell(row, -1.5 if number in (4, 9, plays - 2) else bowl(row) + 0.01 * rng.standard_normal())
    distrusted = np.flatnonzero(~game.mode.surrogate.kept.mask)
    assert len(distrusted)
    assert game.answer().set_aside == tuple(distrusted)
