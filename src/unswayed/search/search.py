"""The search of a study: a fold of the answers, in the order of their tickets.

`Search.tell` takes in one answer, `Search.ask` names the next row to play. Both depend on what was told before and on
the seed, on nothing else, so a study read back from its journal goes on as if it had never stopped.

    rows      points as rows of the unit cube (spaces/)          arms     rows that may be played or recommended
    start     rows played before there is a model                moves    leaders with one parameter moved
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np

from unswayed.core.rows import numbered_rows
from unswayed.errors import InvalidInput
from unswayed.policies.influence_phased_elimination import InfluencePhasedElimination
from unswayed.policies.vigilant_ucb import VigilantUCB
from unswayed.policies.watch import Watch
from unswayed.search.answer import Answer, answer_of
from unswayed.search.beliefs import Beliefs, Given, estimate
from unswayed.search.candidates import EVERYWHERE, all_rows, candidates, first_rows, near_failures, unguided
from unswayed.search.eliminating import Phases, enough_plays
from unswayed.spaces import Space
from unswayed.types import Feedback, FloatArray

LEADERS = 10  # rows of largest mean that new arms are sought around
GROWTH, REFINED = 1.2, 20  # refit when plays have grown by this factor, refine the arms after so many
FEWEST = 5  # answers that a model needs, where too many of the first plays fail
MOVES, CHANCES = 3, 10  # every how many plays a parameter of a leader is moved, and the best of how many moves


class Search:
    """A policy on a space: arms are refined around the leaders, beliefs refreshed as plays come in.

    Vigilant-UCB, or influence-PE where the space is finite and the plays are enough for it (or it was asked for).
    """

    def __init__(self, space: Space, given: Given, seed: int, **options: Any) -> None:
        self.space, self.given, self.seed, self._options = space, given, seed, options
        self._few = all_rows(space, seed)
        self._start = first_rows(space, seed)
        self.rows = np.empty((0, space.columns))  # of the answered plays, in order
        self.values = np.empty(0)
        self.beliefs: Beliefs | None = None
        self._watch: Watch | None = None
        self._refit_at = self._refine_at = len(self._start)
        self._number: dict[bytes, int] = {}  # of the arm at a row
        self._failed: list[FloatArray] = []
        self._moves = self.rows
        self._phases: Phases | None = None
        self._stage = 0
        self._imagined: tuple[FloatArray, Watch | None] = (self.rows, None)

    # -- the fold -------------------------------------------------------------------------------------------------

    def tell(self, row: FloatArray, value: float) -> None:
        """Take in the next answer."""
        self._imagined = (self.rows[:0], None)
        self.rows, self.values = np.vstack([self.rows, row]), np.append(self.values, value)
        plays = len(self.values)
        if self._phases is not None:
            if self._phases.tell(row, self._standard(value)):
                self._narrow(self._phases)
            return
        if plays < len(self._start) and (plays < FEWEST or plays + len(self._failed) < len(self._start)):
            return
        if plays >= self._refit_at or self.beliefs is None:
            self.beliefs = self._estimate()
            self._refit_at = max(int(plays * GROWTH), plays + 5)
            self._refine_at = plays
        if plays >= self._refine_at:
            self._refine(self._candidates())
            self._refine_at = plays + REFINED
            if self._stage == 0:
                self._begin_phases()
        elif row.tobytes() not in self._number:  # asked before the arms were last refined
            self._refine(self._policy.domain)
        else:
            self._watch = self._hear(self._state, self._number[row.tobytes()], self._standard(value))

    def _begin_phases(self) -> None:
        """After the first plays: eliminate in epochs, if that was asked for or can come to an end."""
        given, finite = self.given, self._few is not None
        self._stage = 1
        if given.method == "influence-pe" or (given.method == "auto" and finite and given.plays is not None):
            policy = self._eliminating(self._few if self._few is not None else self.space.arms(EVERYWHERE, self.seed))
            if given.method == "influence-pe" or enough_plays(policy, given.plays or 0):
                self._phases = Phases(policy)

    def _narrow(self, phases: Phases) -> None:
        """In a continuum, go on with new arms around those that are left, once few are."""
        left, arms = phases.active, phases.policy.domain
        if self._few is not None or len(left) > max(len(arms) // 8, 4):
            return
        self.beliefs = self._estimate()
        self._refine(left)
        rng = np.random.default_rng([self.seed, len(self.values)])
        radius = 0.3 * 0.5**self._stage
        self._stage += 1
        new = self.space.around(left, radius, EVERYWHERE // 2, rng)
        self._phases = Phases(self._eliminating(numbered_rows(np.vstack([left, new]))[0]))

    def _eliminating(self, arms: FloatArray) -> InfluencePhasedElimination:
        beliefs, given, watch = self.beliefs, self.given, self._state
        assert beliefs is not None
        unit = beliefs.output_scale
        norm = 2 * watch.posterior.mean_norm(watch.means) if given.norm_bound is None else given.norm_bound / unit
        return InfluencePhasedElimination(
            domain=arms,
            kernel=beliefs.kernel,
            corruption_budget=given.corruption_budget / unit,
            norm_bound=norm,
            noise_std=beliefs.noise_std / unit,
            delta=given.delta / 2**self._stage,  # the stages' failures add up to less than delta
            lam=beliefs.lam,
        )

    def fail(self, row: FloatArray) -> None:
        """Take in that a play gave no answer."""
        self._failed = [*self._failed, row]
        if self._phases is not None and self._phases.fail(row):
            self._narrow(self._phases)

    def _hear(self, watch: Watch, arm: int, z: float) -> Watch:
        return self._policy.tell(watch, Feedback(np.array([arm]), np.array([1]), np.array([z])))

    def _standard(self, values: float | FloatArray) -> Any:
        assert self.beliefs is not None
        return (values - self.beliefs.centre) / self.beliefs.output_scale

    def _refine(self, candidates: FloatArray) -> None:
        """Take the played rows and `candidates` as arms, and decide anew which plays to keep."""
        beliefs = self.beliefs
        assert beliefs is not None
        played, arms = numbered_rows(self.rows)
        domain = numbered_rows(np.vstack([played, candidates]))[0]
        self._policy = self._make_policy(domain)
        self._number = {row.tobytes(): arm for arm, row in enumerate(domain)}
        told = Watch.after(self._policy.init().K, beliefs.lam, arms, self._standard(self.values))
        self._watch = self._policy.watch(told)

    def _make_policy(self, domain: FloatArray) -> VigilantUCB:
        beliefs = self.beliefs
        assert beliefs is not None
        budget = self.given.corruption_budget / beliefs.output_scale
        return VigilantUCB(domain, beliefs.kernel, budget, beliefs.lam, **self._options)

    def _candidates(self) -> FloatArray:
        """Arms to consider besides those played."""
        if self._few is not None:
            return self._few
        rng = np.random.default_rng([self.seed, len(self.values)])
        rows, self._moves = candidates(self.space, self._leaders(), rng)
        return rows

    def _estimate(self) -> Beliefs:
        first, before = len(self._start), self.beliefs
        return estimate(
            self.given, self.space.groups, self.rows, self.values, first=first, before=before, seed=self.seed
        )

    def _leaders(self) -> FloatArray:
        """The rows of largest posterior mean."""
        if self._watch is None:
            return self.rows[np.argsort(-self.values, kind="stable")[:LEADERS]]
        best = np.argsort(-self._watch.posterior.mean, kind="stable")[:LEADERS]
        leaders: FloatArray = self._policy.domain[best]
        return leaders

    # -- asking ---------------------------------------------------------------------------------------------------

    def ask(self, number: int, pending: FloatArray) -> FloatArray:
        """The row of play `number`, when the plays of `pending` rows are still open.

        Open plays are taken to answer what is expected of them: that leaves the means alone, shrinks the
        deviations there, and so spreads the plays that are asked for at once. Failed plays are taken to answer
        with the average, where that is less: where all fails there is nothing to find. In a continuum a neighbour
        tells as much as the point itself: no point is open twice, none that failed comes again. Elsewhere a point
        that failed is tried once more.
        """
        if number < len(self._start) or self._watch is None:
            return unguided(self.space, self._start, self._failed, number, self.seed)
        if self._phases is not None:
            return self._phases.ask(pending)
        taken = np.vstack([*self._failed, pending]) if self._failed else pending
        watch = self._imagine(taken)
        query = self._policy.ask(watch, np.random.default_rng([self.seed, number]))
        arm = int(query.arms[0])
        if number % MOVES == 0 and len(self._moves):
            arm = self._best_move(watch, number)
        shut = self._failing() if self._few is not None else self._arms_at(taken)
        if arm in shut and len(shut) < len(self._policy.domain):
            upper = self._policy.view(watch).upper.copy()
            upper[shut] = -np.inf
            arm = int(np.argmax(upper))
        chosen: FloatArray = self._policy.domain[arm]
        return chosen

    def _arms_at(self, rows: Iterable[FloatArray]) -> list[int]:
        return sorted({self._number[row.tobytes()] for row in rows if row.tobytes() in self._number})

    def _failing(self) -> list[int]:
        """Arms that failed twice or more and never gave an answer."""
        told = {row.tobytes() for row in self.rows}
        times = Counter(row.tobytes() for row in self._failed if row.tobytes() not in told)
        return sorted(self._number[row] for row, failed in times.items() if failed >= 2 and row in self._number)

    def _best_move(self, watch: Watch, number: int) -> int:
        """The most promising of the leaders with one parameter moved: a way from one peak to the next."""
        some = np.random.default_rng([self.seed, number]).permutation(self._moves)[:CHANCES]
        arms = np.array([self._number[row.tobytes()] for row in some])
        mu, sd = watch.posterior.mean[arms], watch.posterior.deviation[arms]
        known = sd < np.median(watch.posterior.deviation) / 2
        return int(arms[int(np.argmax(np.where(known, -np.inf, mu + sd)))])

    def _imagine(self, rows: FloatArray) -> Watch:
        """The state after plays of `rows` that answer what is expected. Continues from the last call where it can."""
        done, ahead = self._imagined
        watch = self._state if ahead is None else ahead
        if len(done) > len(rows) or not np.array_equal(done, rows[: len(done)]):
            done, watch = rows[:0], self._state
        failed = {row.tobytes() for row in self._failed}
        for row in rows[len(done) :]:
            arm = self._nearest(row)
            expected = float(watch.posterior.mean[arm])
            # Not a measurement: however much it surprises, it makes no other one suspect, and is not set aside.
            watch = watch.then(arm, 1, min(expected, 0.0) if row.tobytes() in failed else expected)
        self._imagined = (rows, watch)
        return watch

    def _nearest(self, row: FloatArray) -> int:
        """The arm at this row, or the closest where the arms were refined since it was asked."""
        known = self._number.get(row.tobytes())
        return known if known is not None else int(np.argmin(np.square(self._policy.domain - row).sum(axis=1)))

    # -- what is known --------------------------------------------------------------------------------------------

    def answer(
        self, tickets: Sequence[int], *, minimize: bool, more: Sequence[tuple[FloatArray, float]] = ()
    ) -> Answer:
        """The point to use, sought on arms refined around the leaders once more, and how far to trust it.

        `more` are answers that have not entered the search yet; `tickets` are the numbers of all, in order.
        """
        polished = copy(self)
        for row, value in more:
            polished.rows, polished.values = np.vstack([polished.rows, row]), np.append(polished.values, value)
        if len(polished.values) == 0:
            raise InvalidInput("nothing has been measured yet: there is nothing to recommend")
        if self._phases is not None:
            polished._options = {**self._options, "threshold": np.inf}  # its certificate needs no trimming
        polished.beliefs = polished._estimate()
        for _ in range(3 if self._few is None else 1):
            polished._refine(polished._candidates())
        assert polished.beliefs is not None
        return answer_of(
            self.space,
            self.given,
            polished.beliefs,
            polished._policy,
            polished._state,
            without=near_failures(polished._policy.domain, polished.rows, self._failed),
            continuum=self._few is None,
            tickets=tickets,
            minimize=minimize,
        )

    @property
    def _state(self) -> Watch:
        assert self._watch is not None
        return self._watch
