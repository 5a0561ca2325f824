"""A search as a value: its mode, and how an event changes it.

    Starting      the first plays, without a model
    Guided        the model chooses: expected improvement, doubts and quotas (schedule.py)
    Eliminating   influence-PE, epoch by epoch (`Phase`)

`step` is pure: the mode after some events follows from the task and the events alone. So a study that is read back
from its journal continues as if it had never stopped.

The plays of an epoch are handed out one by one, in the order of its design. When all of them are pending, further
repeats of its arms are handed out: they count in the final estimate, not in the elimination.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Self

import numpy as np

from unswayed.core.data.rows import numbered_rows
from unswayed.core.design.rare_switching import rare_switching_design
from unswayed.core.gp.kernels import gram
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.influence import influence_width
from unswayed.core.theory.bounds import sharp_nonadaptive_beta
from unswayed.policies.influence_phased_elimination import InfluencePhasedElimination
from unswayed.policies.protocol import Epoch
from unswayed.search.beliefs import Beliefs, estimate, modelled
from unswayed.search.candidates import EVERYWHERE
from unswayed.search.play import Why
from unswayed.search.surrogate import Surrogate
from unswayed.search.task import Data, Event, Failed, Task
from unswayed.types import Feedback, FloatArray, IntArray

GROWTH = 1.1  # fit again when plays have grown by this factor
FEWEST = 5  # a model needs at least this many values
LONG_BOX = 200  # from this many plays on a box uses the rules of long searches
NARROW = 0.5  # an epoch of half the plays must determine every arm up to this many output scales


@dataclass(frozen=True, eq=False)
class Phase:
    """The current epoch: how often each arm is to be played, and the rewards so far, in units of the output scale."""

    policy: InfluencePhasedElimination
    epoch: Epoch
    planned: Mapping[int, int]
    rewards: Mapping[int, tuple[float, ...]]

    @classmethod
    def begin(cls, policy: InfluencePhasedElimination, epoch: Epoch | None = None) -> Self:
        """The first epoch, or a later one, with nothing told yet."""
        epoch = policy.init() if epoch is None else epoch
        query = policy.ask(epoch, np.random.default_rng(0))
        planned = dict(zip(query.arms.tolist(), query.repeats.tolist(), strict=True))
        return cls(policy, epoch, planned, dict.fromkeys(planned, ()))

    @cached_property
    def _arm_of(self) -> dict[bytes, int]:
        return {row.tobytes(): arm for arm, row in enumerate(self.policy.domain)}

    @property
    def active(self) -> FloatArray:
        """The rows that may still be best."""
        rows: FloatArray = self.policy.domain[self.epoch.active]
        return rows

    def _wanted(self, row: FloatArray) -> int | None:
        """The arm at this row, if the epoch still needs plays of it."""
        arm = self._arm_of.get(row.tobytes())
        if arm is None or len(self.rewards.get(arm, ())) >= self.planned.get(arm, 0):
            return None
        return arm

    def tell(self, row: FloatArray, z: float) -> Self:
        """After a reward, in units of the output scale."""
        arm = self._wanted(row)
        if arm is None:
            return self
        return replace(self, rewards={**self.rewards, arm: (*self.rewards[arm], z)})._ended()

    def fail(self, row: FloatArray) -> Self:
        """After a play without a reward: the epoch continues without it."""
        arm = self._wanted(row)
        if arm is None:
            return self
        planned = {**self.planned, arm: self.planned[arm] - 1}
        planned = {arm: n for arm, n in planned.items() if n > 0}
        if not planned:  # nothing in this epoch can be measured; a longer one asks for other arms too
            return self.begin(self.policy, replace(self.epoch, h=self.epoch.h + 1))
        return replace(self, planned=planned, rewards={arm: self.rewards[arm] for arm in planned})._ended()

    def _ended(self) -> Self:
        """The next epoch, once all that was planned has been told; else this one."""
        if any(len(self.rewards[arm]) < planned for arm, planned in self.planned.items()):
            return self
        arms, repeats = np.array(list(self.planned)), np.array(list(self.planned.values()))
        means = np.array([float(np.mean(self.rewards[arm])) for arm in self.planned])
        return self.begin(self.policy, self.policy.tell(self.epoch, Feedback(arms, repeats, means)))

    def propose(self, pending: FloatArray) -> FloatArray:
        """The row to play next, while plays of `pending` rows are open."""
        open_plays = Counter(row.tobytes() for row in pending)
        done = {arm: len(told) + open_plays[self.policy.domain[arm].tobytes()] for arm, told in self.rewards.items()}
        wanted = [arm for arm, planned in self.planned.items() if done[arm] < planned]
        arm = wanted[0] if wanted else min(done, key=lambda a: (done[a] / self.planned[a], a))
        chosen: FloatArray = self.policy.domain[arm]
        return chosen


@dataclass(frozen=True, eq=False)
class Starting:
    """There is no model yet."""

    task: Task
    data: Data


@dataclass(frozen=True, eq=False)
class Guided:
    """The surrogate chooses. It is made when it is needed.

    Attributes:
        task: What the search is for.
        data: Everything told.
        beliefs: The model of the values.
        refit_at: The model holds until there are this many plays.
        improved: Whether the model is that of other data, improved in a few steps.
    """

    task: Task
    data: Data
    beliefs: Beliefs
    refit_at: int
    improved: bool = False

    @cached_property
    def surrogate(self) -> Surrogate:
        """The model of everything told, on the rows that were played."""
        return Surrogate.fit(self.task, self.beliefs, self.data)

    @cached_property
    def modelled(self) -> IntArray:
        """The plays that the surrogate is of."""
        return modelled(self.task, self.data.table(self.task.given.noise_std))

    @property
    def is_long_box(self) -> bool:
        """Whether it is a long search of a box: hills can be climbed there, and the model knows what to expect."""
        return self.task.all_rows is None and bool(self.task.space.numbers.any()) and self.data.plays >= LONG_BOX


@dataclass(frozen=True, eq=False)
class Eliminating:
    """An epoch of influence-PE is being played, in the `stage`-th set of arms; the surrogate is of its beginning."""

    task: Task
    data: Data
    surrogate: Surrogate
    phase: Phase
    stage: int


Mode = Starting | Guided | Eliminating


def begin(task: Task) -> Mode:
    """The search before the first play."""
    return Starting(task, Data.empty(task.space.columns))


def step(mode: Mode, event: Event) -> Mode:
    """The search after one more event."""
    data = mode.data.after(event)
    if isinstance(mode, Eliminating):
        return _eliminate(replace(mode, data=data), event)
    if isinstance(event, Failed):
        return replace(mode, data=data)
    if isinstance(mode, Guided):
        due = data.plays >= mode.refit_at
        return _decided(refit(mode.task, data, mode) if due else replace(mode, data=data))
    if not enough(mode.task, data):
        return replace(mode, data=data)
    return _decided(refit(mode.task, data, None))


def enough(task: Task, data: Data) -> bool:
    """Whether there are enough values for a model."""
    return data.plays >= task.first_fit_at or (data.plays >= FEWEST and data.plays + data.failures >= task.first_fit_at)


def _decided(guided: Guided) -> Mode:
    """Once enough is known: eliminate in epochs if that was asked for or can finish, else go on as before."""
    task, data = guided.task, guided.data
    if not task.may_eliminate or (task.method == "auto" and data.plays != task.decides_at):
        return guided
    arms = task.space.arms(EVERYWHERE, task.seed) if task.all_rows is None else task.all_rows
    policy = _eliminating_policy(task, guided.surrogate, arms, stage=1)
    if task.method == "influence-pe" or enough_plays(policy, task.planned or 0):
        return Eliminating(task, data, guided.surrogate, Phase.begin(policy), stage=1)
    return guided


def refit(task: Task, data: Data, before: Guided | None) -> Guided:
    """The model of all plays. A fit starts from the one before, and from a smoother one."""
    if before is None:
        return Guided(task, data, estimate(task, data), next_fit(data.plays))
    return Guided(task, data, estimate(task, data, before.beliefs, rounds=1), next_fit(data.plays))


def next_fit(plays: int) -> int:
    """Until how many plays a model of this many holds."""
    return max(int(plays * GROWTH), plays + 1)


def _eliminate(mode: Eliminating, event: Event) -> Eliminating:
    before = mode.phase
    if isinstance(event, Failed):
        phase = before.fail(event.row)
    elif event.why is Why.ADDED:  # it counts in the estimate, not in the elimination
        phase = before
    else:
        phase = before.tell(event.row, mode.surrogate.beliefs.prior.standardized(event.value))
    eliminated = len(phase.active) < len(before.active)
    mode = replace(mode, phase=phase)
    return _narrowed(mode) if eliminated and mode.task.all_rows is None else mode


def _narrowed(mode: Eliminating) -> Eliminating:
    """In a continuum: when few arms are left, continue with new arms around them."""
    task, data, left = mode.task, mode.data, mode.phase.active
    if len(left) > max(len(mode.phase.policy.domain) // 8, 4):
        return mode
    surrogate = Surrogate.fit(task, estimate(task, data, mode.surrogate.beliefs), data)
    rng = np.random.default_rng([task.seed, data.plays])
    new = task.space.around(left, 0.3 * 0.5**mode.stage, EVERYWHERE // 2, rng)
    stage = mode.stage + 1
    policy = _eliminating_policy(task, surrogate, numbered_rows(np.vstack([left, new]))[0], stage)
    return replace(mode, surrogate=surrogate, phase=Phase.begin(policy), stage=stage)


def _eliminating_policy(task: Task, surrogate: Surrogate, arms: FloatArray, stage: int) -> InfluencePhasedElimination:
    given, prior, kept = task.given, surrogate.beliefs.prior, surrogate.kept
    norm = prior.norm(given.level_width)
    return InfluencePhasedElimination(
        arms,
        prior.kernel,
        corruption_budget=(task.budget or 0.0) / prior.output_scale,
        norm_bound=2 * kept.posterior.mean_norm(kept.means) if norm is None else norm,  # a guess if none was given
        noise_std=prior.noise,
        delta=given.delta / 2**stage,  # the failures of all stages add up to less than delta
        lam=prior.lam,
    )


def enough_plays(policy: InfluencePhasedElimination, plays: int) -> bool:
    """Whether an epoch of half the plays would determine every arm up to NARROW output scales, tampering included.

    The widths of an epoch depend on its design alone, so this is known before anything is measured.
    """
    lam = policy.regularisation
    K = gram(policy.kernel, policy.domain)
    arms, counts = rare_switching_design(K, lam, policy.eta, max(plays // 2, 1))
    n = np.zeros(len(K))
    n[arms] = counts
    posterior = JointPosterior.fit(K, np.zeros(len(K)), n, lam)
    beta = sharp_nonadaptive_beta(1.0, sqrt(lam), lam, len(K), policy.delta)  # for a norm of one output scale
    width = beta * posterior.deviation + influence_width(posterior.covariance, n > 0, policy.corruption_budget, lam)
    return float(width.max()) <= NARROW
