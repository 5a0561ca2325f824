"""One run: the protocol of Section 2 of the paper.

In each round the policy names a play, the adversary sees it and names a corruption, and the policy receives
f(x) + noise + corruption. Regret is counted on f.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, TypeVar

import numpy as np

from unswayed.adversaries.protocol import Adversary, Start, immediately, later
from unswayed.errors import InvalidInput
from unswayed.policies.gp_ucb import GPUCB, LogDetBeta, SqrtLogBeta
from unswayed.policies.influence_ucb import InfluenceUCB
from unswayed.policies.protocol import Policy
from unswayed.policies.robust_gp_ucb import RobustGPUCB
from unswayed.problems.problem import Problem
from unswayed.simulation.game import Game, Progress
from unswayed.simulation.ledger import Ledger
from unswayed.simulation.rewards import draw
from unswayed.simulation.run import EpochRecord, Run
from unswayed.types import Feedback

S = TypeVar("S")


def simulate(
    problem: Problem,
    policy: Policy[Any],
    adversary: Adversary,
    *,
    budget: float | None = None,
    horizon: int,
    seed: int,
    lies: int | None = None,
    sources: int = 1,
    liars: int = 0,
    clip: tuple[float, float] = (-inf, inf),
    start: Start = immediately,
    fast: bool = True,
    progress: Progress | None = None,
) -> Run:
    """Let a policy play on a problem against an adversary.

    Args:
        problem: The truth.
        policy: The learner, made for the same arms.
        adversary: The attack.
        budget: Largest total corruption; None where lies or liars are counted.
        horizon: Number of plays.
        seed: Seed of all random numbers. The same seed gives the same noise under every attack.
        lies: Number of plays that the adversary may change by anything.
        sources: Number of sources. They make the plays in turn; if a policy asks for groups, a source makes each.
        liars: How many of the sources lie, in all their plays and by anything.
        clip: The policy sees every reward moved into this range. It needs counted lies.
        start: When the attack starts: `immediately`, `later`, or a function of your own.
        fast: Use a compiled loop for index policies that have one. The plain loop makes the same plays, more slowly.
        progress: Called from time to time with the number of plays since the last call.

    Returns:
        The finished run.

    Raises:
        InvalidInput: A number is out of its range, or policy and problem have different arms.

    Example:
        >>> from unswayed import GPUCB, adversaries, problems, simulate
        >>> f1 = problems.f1()
        >>> policy = GPUCB(f1.domain, f1.kernel)
        >>> simulate(f1, policy, adversaries.TopK(3), budget=50, horizon=5_000, seed=0).outcome
        'linear regret'
    """
    allowed = Ledger(budget, lies=lies, sources=sources, liars=liars)
    game = Game(problem, adversary, start, allowed, horizon, seed, progress or (lambda plays: None), clip)
    loop = compiled_loop(policy, game) if fast else None
    return _record(game, policy, (loop or play)(game, policy))


def _record(game: Game, policy: Policy[S], state: S) -> Run:
    """The finished run, for the policy's last state."""
    ledger = game.ledger
    epochs = tuple(game.epochs) if policy.phased else None
    done = *game.blocks(), ledger.spent, policy.view(state).active, policy.recommend(state), epochs
    return Run(game.horizon, game.seed, game.problem.gaps, *done, ledger.lies_spent)


def compiled_loop(policy: Policy[Any], game: Game) -> Callable[[Game, Any], Any] | None:
    """The compiled loop that makes the same plays as `play`; None if there is none for this policy and attack.

    A compiled loop is imported here and not above: numba takes longer to import than everything else together.
    """
    if game.start not in (immediately, later) or game.adversary.reads_estimates:
        return None
    if type(policy) in (GPUCB, RobustGPUCB) and type(policy.beta) in (SqrtLogBeta, LogDetBeta):  # type: ignore[attr-defined]
        from unswayed.simulation import compiled

        return compiled.play
    if type(policy) is InfluenceUCB:
        from unswayed.simulation import compiled_influence

        return compiled_influence.play
    return None


def play(game: Game, policy: Policy[S]) -> S:
    """Play any policy, query by query; return its final state."""
    state = policy.init()
    N = game.problem.n_arms
    attacking = False
    game.check(policy.view(state))
    while game.done < game.horizon:
        view, asked = policy.view(state), policy.ask(state, game.policy_rng)
        if not policy.phased and asked.plays != 1:
            raise InvalidInput(f"a policy that is not phased must ask for one play at a time, not {asked.plays}")
        if asked.arms.max() >= N:
            raise InvalidInput(f"the policy asks for arm {asked.arms.max()}, but the arms are 0 to {N - 1}")
        query = asked.first(game.horizon - game.done)
        arms, n = query.arms, query.repeats
        attacking = attacking or game.start(view, N)
        wanted = game.wanted(view) if attacking and game.ledger.left > 0 else np.zeros(N)
        groups, spent = draw(game, query, wanted, phased=policy.phased)
        means = groups.mean(axis=0)
        game.record(arms, n, means * n, spent)
        completed = query.plays == asked.plays
        if policy.phased:
            game.epochs.append(EpochRecord(view.active, arms, n, completed))
        if completed:
            state = policy.tell(state, Feedback(arms, n, means, groups if query.groups > 1 else None))
    return state
