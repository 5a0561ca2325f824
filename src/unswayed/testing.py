"""Conformance checks for your own policies, adversaries, journals and optimisers: call them from your tests.

They check what the rest of the package relies on, and raise AssertionError with a reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np

from unswayed.adversaries.protocol import Adversary
from unswayed.core.tampering.threat import Threat
from unswayed.errors import UnswayedError
from unswayed.experiments.player import Maker, OwnPlayer, Player, claimed_interval
from unswayed.policies.protocol import Policy
from unswayed.problems.problem import Problem
from unswayed.simulation.simulate import simulate
from unswayed.spaces import Box, Categorical, Integer, Options, Point, Real, Space
from unswayed.storage.journal import Journal
from unswayed.types import Feedback, FloatArray, View

Values = Callable[[int, Point], float]


def check_policy(policy: Policy[Any], f: FloatArray, *, plays: int = 200) -> None:
    """Check that `ask` changes nothing, `tell` is deterministic, the view is consistent and the recommendation active.

    Args:
        policy: The policy to check.
        f: True values of its arms; rewards are these values without noise.
        plays: How many plays to make.
    """
    f = np.asarray(f, dtype=np.float64)
    state, done = policy.init(), 0
    while done < plays:
        view = policy.view(state)
        assert len(view.active) > 0, "no arm is active"
        assert (np.diff(view.active) > 0).all(), "active arms must be sorted and distinct"
        assert np.isin(view.active, np.arange(len(f))).all(), "an active arm is not in the domain"
        assert len(view.mean) == len(view.lower) == len(view.upper) == len(view.active), "view of unequal lengths"
        assert (view.lower <= view.upper).all(), "a lower bound exceeds the upper bound"
        assert policy.recommend(state) in view.active, "the recommended arm is not active"
        query, again = (policy.ask(state, np.random.default_rng(1)) for _ in range(2))
        assert np.array_equal((query.arms, query.repeats), (again.arms, again.repeats)), "asking twice differs"
        assert query.groups == again.groups, "asking twice differs"
        assert np.isin(query.arms, view.active).all(), "an arm is asked that is not active"
        assert len(np.unique(query.arms)) == len(query.arms), "an arm is asked twice in one query"
        assert policy.phased or query.plays == 1, "a policy that is not phased asks for one play at a time"
        groups = None if query.groups == 1 else np.tile(f[query.arms], (query.groups, 1))
        feedback = Feedback(query.arms, query.repeats, f[query.arms], groups)
        following, twin = policy.tell(state, feedback), policy.tell(state, feedback)
        after, same = policy.view(following), policy.view(twin)
        assert np.array_equal((after.active, after.mean), (same.active, same.mean)), "telling twice differs"
        assert np.isin(after.active, view.active).all(), "an eliminated arm came back"
        state, done = following, done + query.plays


def check_adversary(adversary: Adversary, problem: Problem, policy: Policy[Any], *, budget: float = 5.0) -> None:
    """Check that an adversary names one corruption for each arm, reads only what it says, and keeps its budget.

    Args:
        adversary: The adversary to check.
        problem: A problem to attack.
        policy: A policy to attack.
        budget: Largest total corruption.
    """
    active, zeros = np.arange(problem.n_arms), np.zeros(problem.n_arms)
    view = View(active, zeros, zeros - 1, zeros + 1)
    c = adversary.corrupt(problem.f, view, np.random.default_rng(1))
    assert c.shape == problem.f.shape, "one corruption for each arm is needed"
    assert not np.isnan(c).any(), "a corruption is NaN"
    if not adversary.reads_estimates:
        other = View(active.copy(), problem.f.copy(), problem.f - 2, problem.f + 3)
        again = adversary.corrupt(problem.f, other, np.random.default_rng(1))
        assert np.array_equal(c, again), "it reads estimates, but reads_estimates is False"
    run = simulate(problem, policy, adversary, budget=budget, horizon=300, seed=1)
    assert run.corruption_spent <= budget + 1e-9, "the budget was exceeded"
    assert abs(run.spent.sum() - run.corruption_spent) <= 1e-9, "the ledger does not add up"


def check_journal(make: Callable[[], Journal], *, durable: bool = True) -> None:
    """Check that a journal keeps records in order and unchanged, also after reopening, and refuses all but plain JSON.

    Args:
        make: Opens the journal. It is empty at first; after `close`, `make` opens the same journal again.
        durable: Whether the records must still be there when it is opened again.
    """
    values = [0.1, 5e-324, -1.7e308, 2**63, "caf\u00e9 \U0001f980\n\x00\u2028", None, True, [], {"a": [{"": 0}]}]
    records: list[dict[str, Any]] = [{"key": i, "value": value} for i, value in enumerate(values)]
    with make() as journal:
        assert journal.read() == [], "a new journal is not empty"
        journal.append(records[0])
        journal.append()
        journal.append(*records[1:])
        assert journal.read() == records, "what is read is not what was appended"
        journal.read()[0]["value"] = "changed"
        mine = {"list": [1]}
        journal.append(mine)
        mine["list"].append(2)
        records.append({"list": [1]})
        assert journal.read() == records, "changing a record afterwards changes the journal"
        for bad in (math.nan, math.inf, -math.inf, (1,), {1: 2}, {"set"}, b"bytes"):
            _check_refused(f"it accepts {bad!r}, which is not plain JSON", journal.append, {"good": 1}, {"bad": bad})
        _check_refused("it accepts a text as a record", journal.append, {"good": 1}, "text")
        assert journal.read() == records, "a refused call has changed the journal"
    with make() as journal:
        kept = records if durable else []
        assert journal.read() == kept, "opened again, it does not have the same records"
        journal.append({"last": 1})
        assert journal.read() == [*kept, {"last": 1}], "appending fails after it was opened again"
    journal.close()
    for use in (journal.read, journal.append):
        _check_refused("it can be used after it was closed", use)


def _check_refused(reason: str, use: Callable[..., object], *arguments: object) -> None:
    try:
        use(*arguments)
    except UnswayedError:
        return
    raise AssertionError(reason)


def check_optimizer(optimizer: str | Maker, *, plays: int = 12, spaces: Sequence[Space] | None = None) -> None:
    """Check that an optimiser can play the gauntlet.

    It asks for points of the space until all plays are made, the same ones with the same seed; `recommend` returns a
    point of the space and changes nothing; `claim`, if there is one, returns two numbers or None; and it survives equal
    values, values of a million, lies of a million, and measurements whose source is not named.

    Args:
        optimizer: `module:factory`, or the factory itself. It takes what it likes of `space`, `plays`, `threat` and
            `seed`.
        plays: How many each run makes.
        spaces: Where it must play; by default boxes of numbers and choices, a table of numbers and a list of labels.

    Example:
        >>> class First:
        ...     def __init__(self, space):
        ...         self.first = space.decode(space.arms(1, 0)[:1])[0]
        ...     def ask(self):
        ...         return self.first
        ...     def tell(self, point, value):
        ...         pass
        ...     recommend = ask
        >>> check_optimizer(First, spaces=[Options(["a", "b"])])
    """
    for space in spaces if spaces is not None else _spaces():

        def honest(number: int, point: Point, space: Space = space) -> float:
            return -float(((space.encode([point]) - 0.3) ** 2).sum())

        once = _asked(optimizer, space, plays, honest)
        assert once == _asked(optimizer, space, plays, honest), "the same seed gives another run"
        assert once == _asked(optimizer, space, plays, honest, watched=True), "recommend changes what is asked next"
        for told in (
            lambda number, point: 1.0,
            lambda number, point: 1e6 * honest(number, point),
            lambda number, point: (-1e6) ** (number % 2) if number % 3 == 0 else honest(number, point),
        ):
            _asked(optimizer, space, plays, told)
        _asked(optimizer, space, plays, honest, anonymous=True)


def _spaces() -> list[Space]:
    table = np.random.default_rng(0).random((40, 2))
    mixed = Box({"rate": Real(1e-4, 1, log=True), "size": Integer(1, 9), "kind": Categorical(["a", "b", "c"])})
    return [Box({"x": Real(-1, 2), "y": Real(0, 1)}), mixed, Options(table), Options(["a", "b", "c", "d"])]


def _asked(
    optimizer: str | Maker, space: Space, plays: int, values: Values, *, watched: bool = False, anonymous: bool = False
) -> list[Point]:
    """All points of a run, the recommended one last.

    If it is watched, recommendations are asked for on the way; if it is anonymous, no source is named.
    """
    points: list[Point] = []
    own = OwnPlayer(space, plays, Threat(liars=1), 1, factory=optimizer)
    for number in range(plays):
        source = None if anonymous else f"worker {number % 4}"
        points.append(copy(_legal(space, own.ask(source), "ask")))
        own.tell(points[-1], values(number, points[-1]), source)
        if watched and number % 4 == 3:
            _recommended(own, space)
    _check_claim(own)
    return [*points, _recommended(own, space)]


def _check_claim(own: OwnPlayer) -> None:
    try:
        claimed_interval(own.claim())
    except UnswayedError as error:
        raise AssertionError(str(error)) from None


def _recommended(own: Player, space: Space) -> Point:
    first, second = own.recommend(), own.recommend()
    assert first == second, "recommending twice differs"
    return _legal(space, first, "recommend")


def _legal(space: Space, point: Point, verb: str) -> Point:
    try:
        space.check(point)
    except UnswayedError as error:
        raise AssertionError(f"{verb} returns {point!r}, which is not in the space: {error}") from None
    return point
