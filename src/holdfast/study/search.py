"""The search of a study: a fold of the answers, in the order of their tickets.

`Search.tell` takes in one answer, `Search.ask` names the next row to play. Both depend on what was told before and on
the seed, on nothing else, so a study read back from its journal goes on as if it had never stopped.

    rows      points as rows of the unit cube (spaces/)          arms     rows that may be played or recommended
    centre    the values' median                                 model    length-scales, output scale, roughness
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.core.ard import Model, fit_model, fit_scale, spread
from holdfast.core.influence import breakdown, certificate
from holdfast.core.kernels import Kernel
from holdfast.core.noise import noise_from_repeats
from holdfast.core.rows import numbered_rows
from holdfast.policies.influence_phased_elimination import InfluencePhasedElimination
from holdfast.policies.vigilant_ucb import VigilantUCB
from holdfast.policies.watch import Watch
from holdfast.spaces import Space
from holdfast.study.answer import Answer
from holdfast.study.phases import Phases, enough_plays
from holdfast.types import Feedback, FloatArray, HoldfastError, IntArray

METHODS = ("auto", "vigilant-ucb", "influence-pe")
GLOBAL, LOCAL, LEADERS = 300, 400, 10  # new arms all over the space and around the leaders; and how many leaders
MOVES, SWEEP, CHANCES = 100, 3, 10  # leaders with one parameter moved, and every how many plays one of them is played
RADII = (0.3, 0.1, 0.03, 0.01, 0.003)
FITTED = 250  # points that length-scales are fitted to, at most
GROWTH, REFINED = 1.2, 20  # refit when plays have grown by this factor, refine the arms after so many
THRESHOLD = 4.0  # leave-one-out residual, in standard deviations, beyond which a play is set aside
REPEATS = 6  # repeats among the first plays, and as many that the noise is estimated from, at least


@dataclass(frozen=True)
class Given:
    """What the user states; None is estimated. `kernel` acts on rows of the unit cube, the rest has values' units."""

    corruption_budget: float
    noise_std: float | None = None
    kernel: Kernel | None = None
    output_scale: float | None = None
    norm_bound: float | None = None
    delta: float = 0.05
    plays: int | None = None  # in all
    method: str = "auto"  # or one of METHODS


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What a search holds true after `plays` plays: given or estimated, in units of the values."""

    plays: int
    centre: float
    output_scale: float
    tau: float  # roughness: noise and what the smooth part leaves
    noise_std: float
    kernel: Kernel
    model: Model | None  # None if the kernel was given

    @property
    def lam(self) -> float:
        """Regularisation, in units of the output scale."""
        return max((self.tau / self.output_scale) ** 2, 1e-8)


class Search:
    """A policy on a space: arms are refined around the leaders, beliefs refreshed as plays come in.

    Vigilant-UCB, or influence-PE where the space is finite and the plays are enough for it (or it was asked for).
    """

    def __init__(self, space: Space, given: Given, seed: int, **options: Any) -> None:
        self.space, self.given, self.seed, self._options = space, given, seed, options
        few = space.size is not None and space.size <= GLOBAL + LOCAL
        self._few = space.arms(GLOBAL + LOCAL, seed) if few else None
        self._start = _first_rows(space, seed)
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
        if plays < len(self._start):
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
            policy = self._eliminating(self._few if self._few is not None else self.space.arms(GLOBAL, self.seed))
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
        new = self.space.around(left, radius, GLOBAL // 2, rng)
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
        """Arms to consider besides those played: all there are, or some everywhere and some around the leaders."""
        if self._few is not None:
            return self._few
        rng = np.random.default_rng([self.seed, len(self.values)])
        leaders = self._leaders()
        near = [self.space.around(leaders, radius, LOCAL // len(RADII), rng) for radius in RADII]
        everywhere = self.space.arms(GLOBAL, int(rng.integers(2**31)))
        self._moves = self._one_parameter_moved(leaders, everywhere, rng)
        return np.vstack([everywhere, self._moves, *near])

    def _one_parameter_moved(self, leaders: FloatArray, everywhere: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Leaders with one parameter taken from anywhere."""
        groups = self.space.groups
        moved = leaders[rng.integers(len(leaders), size=MOVES)]
        donors = everywhere[rng.integers(len(everywhere), size=MOVES)]
        taken = groups == rng.integers(int(groups.max()) + 1, size=MOVES)[:, None]
        return np.where(taken, donors, moved)

    def _leaders(self) -> FloatArray:
        """The rows of largest posterior mean."""
        if self._watch is None:
            return self.rows[np.argsort(-self.values, kind="stable")[:LEADERS]]
        best = np.argsort(-self._watch.posterior.mean, kind="stable")[:LEADERS]
        leaders: FloatArray = self._policy.domain[best]
        return leaders

    # -- what is not known ----------------------------------------------------------------------------------------

    def _estimate(self) -> Beliefs:
        """Noise from repeats, kernel and scales by maximum posterior; what was given is taken as it is."""
        given, values = self.given, self.values
        kept = self._watch.kept if self._watch is not None and len(self._watch.kept) == len(values) else None
        centre = float(np.median(values if kept is None else values[kept]))
        noise = given.noise_std
        if noise is None:
            noise = noise_from_repeats(numbered_rows(self.rows)[1], values, least=REPEATS)
        some = self._fitted_plays()
        X, y = self.rows[some], values[some]
        if given.kernel is not None:
            tau = noise if noise is not None else 0.1 * float(np.std(y))
            scale = given.output_scale or fit_scale(given.kernel(X, X), y - centre, tau)
            return Beliefs(len(values), centre, scale, max(tau, 1e-4 * scale), tau, given.kernel, None)
        model = fit_model(
            X,
            y,
            self.space.groups,
            threshold=THRESHOLD,
            budget=given.corruption_budget,
            unit=spread(values[: len(self._start)]),  # of plays all over the space
            least_tau=noise or 0.0,
            start=self.beliefs.model if self.beliefs is not None else None,
        )
        scale = given.output_scale or model.scale
        kernel = model.kernel(self.space.groups)
        return Beliefs(len(values), model.centre, scale, model.tau, noise or model.tau, kernel, model)

    def _fitted_plays(self) -> IntArray:
        """The plays at no more than FITTED points: a quarter the best, and the others at random."""
        points, arms = numbered_rows(self.rows)
        if len(points) <= FITTED:
            return np.arange(len(arms))
        means = np.bincount(arms, weights=self.values) / np.bincount(arms)
        order = np.argsort(-means, kind="stable")
        others = np.random.default_rng([self.seed, len(arms)]).permutation(order[FITTED // 4 :])
        chosen = np.concatenate([order[: FITTED // 4], others[: FITTED - FITTED // 4]])
        return np.flatnonzero(np.isin(arms, chosen))

    # -- asking ---------------------------------------------------------------------------------------------------

    def ask(self, number: int, pending: FloatArray) -> FloatArray:
        """The row of play `number`, when the plays of `pending` rows are still open.

        Open plays are taken to answer what is expected of them: that leaves the means alone, shrinks the
        deviations there, and so spreads the plays that are asked for at once. Failed plays are treated alike. In a
        continuum a neighbour tells as much as the point itself: no point is open twice, none that failed comes again.
        """
        if number < len(self._start) or self._watch is None:
            first: FloatArray = self._start[number % len(self._start)]
            return first
        if self._phases is not None:
            return self._phases.ask(pending)
        taken = np.vstack([*self._failed, pending]) if self._failed else pending
        watch = self._imagine(taken)
        query = self._policy.ask(watch, np.random.default_rng([self.seed, number]))
        arm = int(query.arms[0])
        if number % SWEEP == 0 and len(self._moves):
            arm = self._best_move(watch, number)
        known = [self._number[row.tobytes()] for row in taken if row.tobytes() in self._number]
        if self._few is None and arm in known:
            upper = self._policy.view(watch).upper.copy()
            upper[known] = -np.inf
            arm = int(np.argmax(upper))
        chosen: FloatArray = self._policy.domain[arm]
        return chosen

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
        for row in rows[len(done) :]:
            arm = self._nearest(row)
            watch = self._hear(watch, arm, float(watch.posterior.mean[arm]))
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
            raise HoldfastError("nothing has been measured yet: there is nothing to recommend")
        if self._phases is not None:
            polished._options = {**self._options, "threshold": np.inf}  # its certificate needs no trimming
        polished.beliefs = polished._estimate()
        for _ in range(3 if self._few is None else 1):
            polished._refine(polished._candidates())
        return polished._answer(tickets, minimize=minimize)

    def _answer(self, tickets: Sequence[int], *, minimize: bool) -> Answer:
        watch, beliefs, given = self._state, self.beliefs, self.given
        assert beliefs is not None
        unit, sign = beliefs.output_scale, -1.0 if minimize else 1.0
        kept, arm = watch.posterior, self._policy.recommend(watch)
        norm = 2 * kept.mean_norm(watch.means) if given.norm_bound is None else given.norm_bound / unit
        certified = certificate(
            watch.everything(),
            budget=given.corruption_budget / unit,
            norm_bound=norm,
            noise_std=beliefs.noise_std / unit,
            delta=given.delta,
            winner=arm,
        )
        margin = 0.0 if self._few is not None else beliefs.noise_std / unit
        broken = breakdown(kept, winner=arm, margin=margin)
        rival, pivot = self.space.decode(self._policy.domain[[broken.rival, broken.pivot]])
        somewhere = np.isfinite(broken.budget)
        names = ("kernel", "output_scale", "noise_std", "norm_bound")
        return Answer(
            point=self.space.decode(self._policy.domain[[arm]])[0],
            estimate=sign * (beliefs.centre + unit * float(kept.mean[arm])),
            deviation=unit * float(kept.deviation[arm]),
            certificate=certified.scaled(unit),
            breakdown_budget=unit * broken.budget,
            rival=rival if somewhere else None,
            pivot=pivot if somewhere else None,
            considered=len(self._policy.domain),
            measured=len(self.values),
            set_aside=tuple(tickets[int(i)] for i in np.flatnonzero(~watch.kept)),
            noise_std=beliefs.noise_std,
            output_scale=unit,
            norm_bound=unit * norm,
            kernel=beliefs.kernel,
            estimated=tuple(
                name.replace("_std", "").replace("_", " ") for name in names if getattr(given, name) is None
            ),
            continuum=self._few is None,
            worse="above" if minimize else "below",
        )

    @property
    def _state(self) -> Watch:
        assert self._watch is not None
        return self._watch


def _first_rows(space: Space, seed: int) -> FloatArray:
    """What is played before there is a model: rows that cover the space, the first of them twice, for the noise."""
    parameters = int(space.groups.max()) + 1
    rows = space.arms(4 * parameters + 8, seed)
    rows = np.random.default_rng([seed]).permutation(rows)[: 4 * parameters + 8]
    return np.vstack([rows, rows[: min(REPEATS, len(rows))]])
