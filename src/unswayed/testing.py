"""Conformance checks for policies, adversaries and journals of your own: call them from your tests.

They raise AssertionError with a reason, and check what the rest of the package relies on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from unswayed.adversaries.protocol import Adversary
from unswayed.errors import UnswayedError
from unswayed.policies.protocol import Policy
from unswayed.problems.problem import Problem
from unswayed.simulation.simulate import simulate
from unswayed.storage.journal import Journal
from unswayed.types import Feedback, FloatArray, View


def check_policy(policy: Policy[Any], f: FloatArray, *, plays: int = 200) -> None:
    """`ask` changes nothing, `tell` is deterministic, the view is consistent, the recommendation active."""
    f = np.asarray(f, dtype=np.float64)
    state = policy.init()
    done = 0
    while done < plays:
        view = policy.view(state)
        assert len(view.active) > 0, "no arm is active"
        assert (np.diff(view.active) > 0).all(), "active arms must be sorted and distinct"
        assert np.isin(view.active, np.arange(len(f))).all(), "an active arm is not in the domain"
        assert len(view.mean) == len(view.lower) == len(view.upper) == len(view.active), "view of unequal lengths"
        assert (view.lower <= view.upper).all(), "a lower bound exceeds the upper bound"
        assert policy.recommend(state) in view.active, "the recommended arm is not active"
        query, again = (policy.ask(state, np.random.default_rng(1)) for _ in range(2))
        assert np.array_equal(query.arms, again.arms), "asking twice gives different arms"
        assert np.array_equal(query.repeats, again.repeats), "asking twice gives different repeats"
        assert np.isin(query.arms, view.active).all(), "an arm is asked that is not active"
        assert len(np.unique(query.arms)) == len(query.arms), "an arm is asked twice in one query"
        assert policy.phased or query.plays == 1, "a policy that is not phased asks for one play at a time"
        feedback = Feedback(query.arms, query.repeats, f[query.arms])
        following, twin = policy.tell(state, feedback), policy.tell(state, feedback)
        after, same = policy.view(following), policy.view(twin)
        assert np.array_equal(after.active, same.active), "telling twice gives different active arms"
        assert np.array_equal(after.mean, same.mean), "telling twice gives different means"
        assert np.isin(after.active, view.active).all(), "an eliminated arm came back"
        state, done = following, done + query.plays


def check_adversary(adversary: Adversary, problem: Problem, policy: Policy[Any], *, budget: float = 5.0) -> None:
    """Names one corruption for each arm, keeps its promise about the view, stays within its budget."""
    active = np.arange(problem.n_arms)
    zeros = np.zeros(problem.n_arms)
    view = View(active, zeros, zeros - 1, zeros + 1)
    c = adversary.corrupt(problem.f, view, np.random.default_rng(1))
    assert c.shape == problem.f.shape, "one corruption for each arm is needed"
    assert not np.isnan(c).any(), "a corruption is NaN"
    if not adversary.reads_estimates:
        other = View(active.copy(), problem.f.copy(), problem.f - 2, problem.f + 3)
        again = adversary.corrupt(problem.f, other, np.random.default_rng(1))
        assert np.array_equal(c, again), "it reads estimates but says that it does not"
    run = simulate(problem, policy, adversary, budget=budget, horizon=300, seed=1)
    assert run.corruption_spent <= budget + 1e-9, "the budget was exceeded"
    assert abs(run.spent.sum() - run.corruption_spent) <= 1e-9, "the ledger does not add up"


def check_journal(make: Callable[[], Journal], *, durable: bool = True) -> None:
    """Keeps records in order and unchanged, refuses what is not plain JSON, and still has all when opened again.

    `make` opens the journal, empty at first; called after `close` it opens the same one again. A journal that is
    not `durable` may then be empty.
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
            _check_refused(journal, {"bad": bad})
        _check_refused(journal, "text")
        assert journal.read() == records, "a refused call has left something"
    with make() as journal:
        kept = records if durable else []
        assert journal.read() == kept, "opened again, it does not have the same records"
        journal.append({"last": 1})
        assert journal.read() == [*kept, {"last": 1}], "it cannot be appended to after it was opened again"
    journal.close()
    for use in (journal.read, journal.append):
        try:
            use()
        except UnswayedError:
            continue
        raise AssertionError("it can be used after it was closed")


def _check_refused(journal: Journal, bad: Any) -> None:
    try:
        journal.append({"good": 1}, bad)
    except UnswayedError:
        return
    raise AssertionError(f"it takes {bad!r}, which is not plain JSON")
