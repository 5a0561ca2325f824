"""What a study says when it is asked for its result: the point, and how far to trust it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unswayed.core.influence import Certificate, breakdown, certificate
from unswayed.core.kernels import Kernel
from unswayed.policies.vigilant_ucb import CAUTION, VigilantUCB
from unswayed.policies.watch import Watch
from unswayed.search.beliefs import Beliefs, Given
from unswayed.spaces import Point, Space


@dataclass(frozen=True, eq=False)
class Answer:
    """The recommended point with its estimate, its certificate and its breakdown budget, in units of the values.

    The `certificate` counts every measurement. Its options are numbered as the points that were considered; only
    its amounts matter here. The `breakdown_budget` is of the recommendation itself: the least tampering with the
    measurements that were kept, all of it at `pivot`, which would have made `rival` win instead. In a continuum a rival
    is a point now estimated to be worse by more than the noise. Rival and pivot are None where nothing could.
    """

    point: Point
    estimate: float
    deviation: float
    certificate: Certificate
    breakdown_budget: float
    rival: Point | None
    pivot: Point | None
    considered: int  # points that the recommendation was chosen from
    measured: int
    set_aside: tuple[int, ...]  # tickets of measurements that the others do not explain
    noise_std: float
    output_scale: float
    norm_bound: float
    kernel: Kernel
    estimated: tuple[str, ...]  # what was not given
    continuum: bool  # points may be as close to each other as they like
    worse: str = "below"  # where worse values lie

    def describe(self, space: Space) -> str:
        """A few sentences for people."""
        lines = [f"Recommended: {space.describe(self.point)}, estimated at {self.estimate:.6g} ± {self.deviation:.2g}."]
        lines.append(self.certified())
        if self.rival is not None:
            worse = f"one that is worse by more than the noise ({self.noise_std:.3g})" if self.continuum else "another"
            lines.append(
                f"Breakdown budget: {self.breakdown_budget:.4g}. Less tampering with the measurements kept would not "
                f"have changed the recommendation to {worse}; this much, on measurements at "
                f"{space.describe(self.pivot)}, could have made {space.describe(self.rival)} win."
            )
        lines.append(
            f"{self.measured:,} measurements, {len(self.set_aside):,} of them set aside because the others do not "
            "explain them."
        )
        return "\n".join(lines)

    def certified(self) -> str:
        """The certified sentence; it names the assumptions that were estimated."""
        c = self.certificate
        sentence = (
            f"with {100 * (1 - c.delta):.4g}% confidence this point is at most {c.largest_gap:.4g} {self.worse} the "
            f"best of the {self.considered:,} points considered, if tampering did not exceed {c.budget:.4g} in total"
        )
        if not self.estimated:
            return f"Certified: {sentence}."
        return f"Certified, as far as the estimated {_listed(self.estimated)} can be relied on: {sentence}."

    def record(self) -> dict[str, Any]:
        """As plain values, for scripts."""
        return {
            "point": self.point,
            "estimate": self.estimate,
            "deviation": self.deviation,
            "largest_gap": self.certificate.largest_gap,
            "corruption_budget": self.certificate.budget,
            "delta": self.certificate.delta,
            "breakdown_budget": None if self.rival is None else self.breakdown_budget,
            "rival": self.rival,
            "pivot": self.pivot,
            "considered": self.considered,
            "measured": self.measured,
            "set_aside": list(self.set_aside),
            "noise_std": self.noise_std,
            "output_scale": self.output_scale,
            "norm_bound": self.norm_bound,
            "kernel": repr(self.kernel),
            "estimated": list(self.estimated),
            "sentence": self.certified(),
        }


def answer_of(
    space: Space,
    given: Given,
    beliefs: Beliefs,
    policy: VigilantUCB,
    watch: Watch,
    *,
    without: Sequence[int],
    continuum: bool,
    tickets: Sequence[int],
    minimize: bool,
) -> Answer:
    """The recommendation of a policy and how far to trust it, in units of the values; `without` are arms left out."""
    unit, sign = beliefs.output_scale, -1.0 if minimize else 1.0
    kept, arm = watch.posterior, policy.recommend(watch, without=without)
    norm = 2 * kept.mean_norm(watch.means) if given.norm_bound is None else given.norm_bound / unit
    certified = certificate(
        watch.everything(),
        budget=given.corruption_budget / unit,
        norm_bound=norm,
        noise_std=beliefs.noise_std / unit,
        delta=given.delta,
        winner=arm,
    )
    margin = beliefs.noise_std / unit if continuum else 0.0
    broken = breakdown(kept, winner=arm, margin=margin, caution=CAUTION, without=without)
    point, rival, pivot = space.decode(policy.domain[[arm, broken.rival, broken.pivot]])
    somewhere = np.isfinite(broken.budget)
    return Answer(
        point=point,
        estimate=sign * (beliefs.centre + unit * float(kept.mean[arm])),
        deviation=unit * float(kept.deviation[arm]),
        certificate=certified.scaled(unit),
        breakdown_budget=unit * broken.budget,
        rival=rival if somewhere else None,
        pivot=pivot if somewhere else None,
        considered=len(policy.domain),
        measured=len(watch.arms),
        set_aside=tuple(tickets[int(i)] for i in np.flatnonzero(~watch.kept)),
        noise_std=beliefs.noise_std,
        output_scale=unit,
        norm_bound=unit * norm,
        kernel=beliefs.kernel,
        estimated=given.estimated,
        continuum=continuum,
        worse="above" if minimize else "below",
    )


def _listed(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
