"""What pairwise elimination saves: influence-PE beside the same policy with one width for each arm.

    python scripts/pairwise.py

f1, draws 10 to 14, T = 50,000, C = 50, true B, delta = 0.05; no attack and Top-5.
The theorem is in docs/explanation/theory.md.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from unswayed import InfluencePhasedElimination, simulate
from unswayed.core.gp.epoch_posterior import EpochPosterior
from unswayed.core.theory import bounds
from unswayed.experiments.registry import make_attack, make_policy
from unswayed.policies.protocol import Epoch
from unswayed.problems import f1
from unswayed.types import Feedback

T, C = 50_000, 50.0


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OneWidth(InfluencePhasedElimination):
    """The rule of the theorem: keep x if mu~ + w >= max(mu~ - w), w = beta sigma + I."""

    def tell(self, epoch: Epoch, feedback: Feedback) -> Epoch:
        delta_h, sigma, lam = bounds.epoch_delta(self.delta, epoch.h), self.noise_std, self.regularisation
        beta = bounds.sharp_nonadaptive_beta(self.norm_bound, sigma, lam, len(self.domain), delta_h)
        X_h, S_h = self.domain[epoch.active], epoch.rows(feedback.arms)
        estimate = EpochPosterior.fit(self.kernel, X_h, S_h, feedback.means, feedback.repeats, lam)
        mu, width = estimate.mean, beta * estimate.deviation + self.corruption_budget * estimate.influence()
        return epoch.next(mu + width >= np.max(mu - width), mu, width, feedback)


def main() -> None:
    for attack in ("none", "top-5"):
        regrets = []
        for draw in range(10, 15):
            problem = f1(draw)
            pairs = make_policy("influence-pe", problem, C, T)
            alone = OneWidth(**{field.name: getattr(pairs, field.name) for field in fields(pairs)})
            adversary = make_attack(attack, problem)
            runs = [simulate(problem, policy, adversary, budget=C, horizon=T, seed=0) for policy in (pairs, alone)]
            regrets.append([run.regret for run in runs])
        means, ratios = np.mean(regrets, axis=0), np.divide(*np.transpose(regrets))
        print(f"{attack}: pairwise {means[0]:,.0f}, one width {means[1]:,.0f}; "
              f"ratio {ratios.min():.2f} to {ratios.max():.2f} over {len(ratios)} draws")  # fmt: skip


if __name__ == "__main__":
    main()
