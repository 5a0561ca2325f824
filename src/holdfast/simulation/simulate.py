"""One run: the protocol of Section 2 of the paper.

In each round the policy names a play, the adversary sees it and names a corruption, and the policy
receives f(x) + noise + corruption. Regret is counted on f.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from holdfast.adversaries.protocol import Adversary
from holdfast.adversaries.trigger import Start, immediately
from holdfast.policies.protocol import Policy
from holdfast.problems.problem import Problem
from holdfast.simulation import compiled
from holdfast.simulation.ledger import Ledger
from holdfast.simulation.log import Log
from holdfast.simulation.run import EpochRecord, Run
from holdfast.types import Feedback, HoldfastError

Progress = Callable[[int], None]


def simulate(
    problem: Problem,
    policy: Policy[Any],
    adversary: Adversary,
    *,
    budget: float,
    horizon: int,
    seed: int,
    start: Start = immediately,
    compile: bool = True,
    progress: Progress | None = None,
) -> Run:
    """Play `policy` on `problem` for `horizon` plays, against `adversary` with `budget`.

    The same seed gives the same noise whatever the attack. Index policies run in a compiled loop where
    there is one (`compile=False` takes the plain loop: the same plays, slower). `progress` is called
    with the number of plays done, now and then.
    """
    if horizon != int(horizon) or horizon < 1:
        raise HoldfastError(f"the horizon must be a whole number of at least 1, not {horizon}")
    if seed < 0:
        raise HoldfastError(f"the seed must be at least 0, not {seed}")
    streams = [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3)]
    ledger, log = Ledger(budget), Log()
    report = progress or (lambda plays: None)
    if compile and compiled.supports(policy, adversary, start):
        state = compiled.play(problem, policy, adversary, start, ledger, log, horizon, streams, report)
    else:
        state = _play(problem, policy, adversary, start, ledger, log, horizon, streams, report)
    arms, repeats, rewards, spent = log.blocks()
    return Run(
        horizon=int(horizon),
        seed=seed,
        gaps=problem.gaps,
        arms=arms,
        repeats=repeats,
        rewards=rewards,
        spent=spent,
        corruption_spent=ledger.spent,
        active=policy.view(state).active,
        recommended_arm=policy.recommend(state),
        epochs=tuple(log.epochs) if policy.phased else None,
    )


def _play(
    problem: Problem,
    policy: Policy[Any],
    adversary: Adversary,
    start: Start,
    ledger: Ledger,
    log: Log,
    horizon: int,
    streams: list[np.random.Generator],
    report: Progress,
) -> Any:
    """Any policy, query by query; returns its final state."""
    policy_rng, noise_rng, adversary_rng = streams
    f, sigma, N = problem.f, problem.noise_std, problem.n_arms
    state, left, attacking = policy.init(), horizon, False
    while left > 0:
        view, asked = policy.view(state), policy.ask(state, policy_rng)
        query = asked.first(left)
        arms, n = query.arms, query.repeats
        attacking = attacking or start(view, N)
        wanted = np.zeros(N)
        if attacking and ledger.left > 0:
            wanted = np.asarray(adversary.corrupt(f, view, adversary_rng), dtype=np.float64)
            if wanted.shape != (N,):
                raise HoldfastError(f"the attack named {wanted.size} corruptions for {N} arms")
        c = np.array([ledger.spend(w, int(k)) for w, k in zip(wanted[arms], n, strict=True)])
        # A block needs one draw: the mean of n noises is a normal over sqrt(n). Phased policies draw one for
        # each arm, index policies one for each round, so that the noise does not depend on the attack.
        noise = noise_rng.standard_normal(N)[arms] if policy.phased else noise_rng.standard_normal(len(arms))
        means = f[arms] + sigma * noise / np.sqrt(n) + c / n
        log.plays(arms, n, means * n, np.abs(c))
        completed = query.plays == asked.plays
        if policy.phased:
            log.epochs.append(EpochRecord(view.active, arms, n, completed))
        if completed:
            state = policy.tell(state, Feedback(arms, n, means))
        left -= query.plays
        report(query.plays)
    return state
