"""The ledger of claims: every empirical sentence of Section 4 and Appendix F, and the empirical remarks elsewhere.

What the abstract, the introduction, captions and Section 4.5 say alike is one claim.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

from unswayed.paper import checks, remarks
from unswayed.paper.grid import FIGURES, PROBLEMS, ROBUST, Results, figure_lines, side_lines

Choice = Literal["", "implied", "made likely", "made possible"]
CHOSEN = (
    "The paper's f1 is not published. Ours is draw 10, the first whose best arm lies outside the target region and "
    "less than h_max above the best arm inside it, and on which GP-UCB settles without an attack."
)
CHOICES: dict[Choice, str] = {  # what this choice does to the parts of a claim that are about f1
    "implied": "This choice implies the parts about f1.",
    "made likely": "It makes them likely: on other draws they hold more often, by a quarter of all parts or more, "
    "where GP-UCB settles without an attack.",
    "made possible": "It makes them possible: Clipping and AggSub can lead away only from a best arm outside the "
    "target region.",
}


@dataclass(frozen=True)
class Claim:
    """One sentence of the paper, in our words, with the rule that decides it."""

    name: str
    section: str
    sentence: str
    rule: str
    check: checks.Check
    figures: tuple[int, ...] = ()  # the figures whose runs it needs
    sides: tuple[str, ...] = ()  # the runs beside the figures that it needs
    choice: Choice = ""  # what the choice of the draw of f1 does to it


CLAIMS = (
    Claim(
        "small-subset", "Abstract", "Infrequent switching selects a small subset of the actions.",
        "Every completed epoch with more than two active arms plays fewer than half of them.",
        remarks.small_subset, (3, 4, 5, 6),
    ),
    Claim(
        "degrades-minimally", "Abstract",
        "The performance of RGP-PE degrades minimally in the presence (or absence) of corruptions.",
        "Mean regret under each attack at most 25% above that without; without attack, at most 25% above GP-UCB's.",
        remarks.degrades_minimally, (3, 4, 5, 6),
    ),
    Claim(
        "two-most-effective", "Figure 1",
        "The two most effective attacks on GP-UCB on Robot3D are Top-3 and Top-5.",
        "They cause the largest mean regret of the five, C = 100.", checks.most_effective, (4,),
    ),
    Claim(
        "figure-1-trend", "Figure 1",
        "Under both, GP-UCB deteriorates significantly as t increases, while RGP-PE remains robust.",
        "GP-UCB: the distance from the curve without attack grows in every quarter of the run, and regret more than "
        "doubles. RGP-PE: regret within 25% of that without attack.", remarks.figure_1_trend, (4,),
    ),
    Claim(
        "two-regrets", "2",
        "Regret on the corrupted values and regret on f coincide to within 2C.",
        "They never differ by more than 2C: where only the rewards of the plays count as corrupted, and where the "
        "values of all arms do (GP-UCB, under attacks that last for the whole run).", remarks.two_regrets, (3, 4, 5, 6),
    ),
    Claim(
        "narrower-width", "3.1",
        "Typically sqrt(u_h)/u_min is far below 1, so that RGP-PE is widened much less than RGP-UCB.",
        "At most a quarter in more than half of the completed epochs, with u_min = l_h psi.",
        remarks.narrower_width, (3, 4, 5, 6),
    ),
    Claim(
        "psi-costs", "3.1", "With C = 0, playing the same actions again (a larger psi) increases the regret.",
        "Larger regret in at least nine of ten trials, at each step of psi from 0 to 1.",
        remarks.psi_costs, sides=("psi",),
    ),
    Claim(
        "theory-gap", "4", "There is a gap between theory and practice: the bounds have large constants.",
        "The explicit bound of Theorem 1 (true norm, delta = 0.05) exceeds ten times the largest regret of RGP-PE.",
        remarks.theory_gap, (3, 4, 5, 6),
    ),
    Claim(
        "few-epochs", "4.1", "The number of epochs H is a small constant, so that beta_h can be constant.",
        "H differs by at most one between runs, and the beta_h of Corollary 1 grows by less than 10% over its epochs.",
        remarks.few_epochs, (3, 4, 5, 6),
    ),
    Claim(
        "too-wide", "4.1", "The theory's width is overly conservative, that of RGP-UCB too.",
        "Without attack no trial settles with all of C in the width, and at least nine of ten do with b = 0.1.",
        remarks.too_wide, (3, 4), ("width",),
    ),
    Claim(
        "u-like-l", "4.1", "l_h and u_h are similar.",
        "Within a factor of two of each other in every completed epoch.", remarks.u_like_l, (3, 4, 5, 6),
    ),
    Claim(
        "length-scale", "4.2.2",
        "The most likely SE length-scale on the noiseless robot data is about 2.",
        "The maximum-likelihood length-scale rounds to 2.", remarks.lengthscale,
    ),
    Claim(
        "more-exploration", "4.2.2", "On Robot3D it is beneficial for all algorithms to explore slightly more.",
        "Lower regret in at least nine of ten trials with the beta of Robot3D than with that of f1, C = 100.",
        remarks.more_exploration, (4,), ("beta",),
    ),
    Claim(
        "attacks-as-defined", "4.3",
        "The best arm lies outside the target region, h_max makes up for it, and the attacks move the optimum inside.",
        "As said, for Clipping and AggSub on both functions.", remarks.attacks_as_defined, choice="implied",
    ),
    Claim(
        "gp-ucb-alone", "4.5.1", "GP-UCB succeeds when there is no attack.",
        "It settles, on both functions.", partial(checks.outcomes, (3, 4), "gp-ucb", checks.HONEST, "settled"), (3, 4),
        choice="implied",
    ),
    Claim(
        "gp-ucb-f1", "4.5.1", "On f1, Clipping, AggSub, Top-3 and Top-5 give GP-UCB linear regret.",
        "Linear regret under each of the four, C = 50.",
        partial(checks.outcomes, (3,), "gp-ucb", checks.LED_ASTRAY, "linear regret"), (3,), choice="made possible",
    ),
    Claim(
        "gp-ucb-driven", "4.5.1", "These four attacks drive GP-UCB towards a suboptimal action.",
        "At least nine of ten trials end on a suboptimal arm, C = 50.",
        partial(checks.ends_elsewhere, 3, "gp-ucb", checks.LED_ASTRAY), (3,), choice="made possible",
    ),
    Claim(
        "gp-ucb-robot", "4.5.1", "On Robot3D, Top-3 and Top-5 give GP-UCB linear regret.",
        "Linear regret under both, C = 100.",
        partial(checks.outcomes, (4,), "gp-ucb", checks.LED_ASTRAY, "linear regret"), (4,),
    ),
    Claim(
        "gp-ucb-others", "4.5.1",
        "The other attacks do not: Flip on f1; Clipping, AggSub and Flip on Robot3D.",
        "GP-UCB settles under each of them.",
        partial(checks.outcomes, (3, 4), "gp-ucb", checks.NOT_ASTRAY, "settled"), (3, 4), choice="made likely",
    ),
    Claim(
        "rgp-pe-one-arm", "4.5.1", "RGP-PE has one action left at the end of the 13th epoch.",
        "Exactly one active arm after 13 epochs, with every attack and none.",
        partial(checks.one_arm_left, (3, 4), "immediate"), (3, 4), choice="made likely",
    ),
    Claim(
        "rgp-pe-robust", "4.5.1", "RGP-PE defends against all five attacks on both functions.",
        "No linear regret (f1, C = 50; Robot3D, C = 100).",
        partial(checks.resists, (3, 4), ("rgp-pe",), "immediate"), (3, 4),
    ),
    Claim(
        "rgp-ucb-robust", "4.5.1", "RGP-UCB defends against all five attacks on both functions.",
        "No linear regret (f1, C = 50; Robot3D, C = 100).",
        partial(checks.resists, (3, 4), ("rgp-ucb",), "immediate"), (3, 4),
    ),
    Claim(
        "rgp-ucb-below", "4.5.1", "RGP-UCB generally has lower regret than RGP-PE.",
        "Lower mean regret, for each function, budget and attack.", checks.ucb_below_pe, (3, 4, 5, 6),
    ),
    Claim(
        "later-robust", "4.5.2", "RGP-PE and RGP-UCB also defend against the later attack.",
        "No linear regret (f1, C = 50; Robot3D, C = 100).", partial(checks.resists, (3, 4), ROBUST, "later"), (3, 4),
    ),
    Claim(
        "later-similar", "4.5.2", "Under later attacks they perform much as under immediate ones.",
        "Mean regrets within 25% of each other.", partial(checks.later_is_similar, (3, 4)), (3, 4),
    ),
    Claim(
        "later-one-arm", "4.5.2", "Under later attacks too, RGP-PE has one action left at the end of the 13th epoch.",
        "Exactly one active arm after 13 epochs.",
        partial(checks.one_arm_left, (3, 4), "later"), (3, 4), choice="made likely",
    ),
    Claim(
        "later-exceptions", "4.5.2",
        "Only two trials with a later attack leave RGP-PE on a slightly suboptimal action.",
        "At most two trials of RGP-PE on each function end on another arm.",
        partial(checks.later_exceptions, (3, 4)), (3, 4),
    ),
    Claim(
        "slightly-suboptimal", "4.5.2", "Where RGP-PE ends on another action, it is slightly suboptimal.",
        "Every trial of Figures 3 to 6 that ends on another arm ends next to the best: its gap is at most "
        "f(best) - f(second best).", checks.slightly_suboptimal, (3, 4, 5, 6),
    ),
    Claim(
        "f1-100-indistinguishable", "Appendix F, Figure 5",
        "For GP-UCB on f1 with C = 100 the curves of Top-3 and Top-5 cannot be told apart.",
        "The mean curves differ by at most 2% of the final regret.", checks.top_3_is_top_5, (5,),
    ),
    Claim(
        "appendix-gp-ucb-alone", "Appendix F", "The same without an attack: GP-UCB succeeds.",
        "It settles. GP-UCB does not know C, so these runs are those of Figures 3 and 4.",
        partial(checks.outcomes, (5, 6), "gp-ucb", checks.HONEST, "settled"), (5, 6), choice="implied",
    ),
    Claim(
        "appendix-gp-ucb", "Appendix F", "With C = 100 on f1 and C = 50 on Robot3D, GP-UCB fares as before.",
        "Linear regret under the same attacks as in Figures 3 and 4.",
        partial(checks.outcomes, (5, 6), "gp-ucb", checks.LED_ASTRAY, "linear regret"), (5, 6), choice="made possible",
    ),
    Claim(
        "appendix-gp-ucb-others", "Appendix F", "The attacks that were harmless to GP-UCB still are.",
        "GP-UCB settles under each of them.",
        partial(checks.outcomes, (5, 6), "gp-ucb", checks.NOT_ASTRAY, "settled"), (5, 6), choice="made likely",
    ),
    Claim(
        "appendix-one-arm", "Appendix F", "RGP-PE has one action left after the 13th epoch with these budgets too.",
        "Exactly one active arm after 13 epochs, with every attack and none.",
        partial(checks.one_arm_left, (5, 6), "immediate"), (5, 6), choice="made likely",
    ),
    Claim(
        "appendix-robust", "Appendix F",
        "With C = 100 on f1 and C = 50 on Robot3D, the robust policies fare as before.",
        "No linear regret under any attack.", partial(checks.resists, (5, 6), ROBUST, "immediate"), (5, 6),
    ),
    Claim(
        "appendix-later-robust", "Appendix F", "With these budgets they also defend against the later attack.",
        "No linear regret under any attack.", partial(checks.resists, (5, 6), ROBUST, "later"), (5, 6),
    ),
    Claim(
        "appendix-later-similar", "Appendix F", "With these budgets too, later attacks hurt about as much.",
        "Mean regrets within 25% of each other.", partial(checks.later_is_similar, (5, 6)), (5, 6),
    ),
    Claim(
        "appendix-later-one-arm", "Appendix F", "So it is under later attacks: one action left after the 13th epoch.",
        "Exactly one active arm after 13 epochs.",
        partial(checks.one_arm_left, (5, 6), "later"), (5, 6), choice="made likely",
    ),
    Claim(
        "appendix-later-exceptions", "Appendix F",
        "With these budgets too, at most two trials with a later attack leave RGP-PE on another action.",
        "At most two trials of RGP-PE on each function end on another arm.",
        partial(checks.later_exceptions, (5, 6)), (5, 6),
    ),
)  # fmt: skip


def decide(claim: Claim, results: Results, draws: checks.Draws | None = None) -> checks.Evidence | None:
    """The evidence for a claim; None if runs that it needs are missing."""
    draws = draws or checks.Draws()
    horizon = results.scale.horizon
    lines = [e for n in claim.figures for e in figure_lines(n, horizon, draws.of(FIGURES[n][0]))]
    lines += [e for side in claim.sides for name in PROBLEMS for e in side_lines(side, name, horizon, draws.of(name))]
    return claim.check(results, draws) if all(results.has(e, draws.trials) for e in lines) else None
