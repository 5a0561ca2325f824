"""The ledger of claims: every empirical sentence of Section 4 and Appendix F, decided by a stated rule."""

from __future__ import annotations

from dataclasses import dataclass

from unswayed.paper import checks
from unswayed.paper.grid import FIGURES, ROBUST, Results, figure_lines


@dataclass(frozen=True)
class Claim:
    """One sentence of the paper, in our words, with the rule that decides it."""

    name: str
    section: str
    sentence: str
    rule: str
    check: checks.Check
    figures: tuple[int, ...] = ()  # the figures whose runs it needs


CLAIMS = (
    Claim(
        "length-scale", "4.2.2",
        "The most likely SE length-scale on the noiseless robot data is about 2.",
        "The maximum-likelihood length-scale rounds to 2.", checks.lengthscale,
    ),
    Claim(
        "gp-ucb-alone", "4.5.1", "GP-UCB succeeds when there is no attack.",
        "It settles, on both functions.", checks.outcomes((3, 4), "gp-ucb", checks.HONEST, "settled"), (3, 4),
    ),
    Claim(
        "gp-ucb-f1", "4.5.1", "On f1, Clipping, AggSub, Top-3 and Top-5 give GP-UCB linear regret.",
        "Linear regret under each of the four, C = 50.",
        checks.outcomes((3,), "gp-ucb", checks.LED_ASTRAY, "linear regret"), (3,),
    ),
    Claim(
        "gp-ucb-robot", "4.5.1", "On Robot3D, Top-3 and Top-5 give GP-UCB linear regret.",
        "Linear regret under both, C = 100.",
        checks.outcomes((4,), "gp-ucb", checks.LED_ASTRAY, "linear regret"), (4,),
    ),
    Claim(
        "gp-ucb-others", "4.5.1",
        "The other attacks do not: Flip on f1; Clipping, AggSub and Flip on Robot3D.",
        "GP-UCB settles under each of them.",
        checks.outcomes((3, 4), "gp-ucb", checks.NOT_ASTRAY, "settled"), (3, 4),
    ),
    Claim(
        "two-most-effective", "Figure 1",
        "The two most effective attacks on GP-UCB on Robot3D are Top-3 and Top-5.",
        "They cause the largest mean regret of the five, C = 100.", checks.most_effective, (4,),
    ),
    Claim(
        "rgp-pe-one-arm", "4.5.1", "RGP-PE has one action left at the end of the 13th epoch.",
        "Exactly one active arm after 13 epochs, with every attack and none.", checks.one_arm_left, (3, 4),
    ),
    Claim(
        "rgp-pe-robust", "4.5.1", "RGP-PE defends against all five attacks on both functions.",
        "No linear regret (f1, C = 50; Robot3D, C = 100).", checks.resists((3, 4), ("rgp-pe",), "immediate"), (3, 4),
    ),
    Claim(
        "rgp-ucb-robust", "4.5.1", "RGP-UCB defends against all five attacks on both functions.",
        "No linear regret (f1, C = 50; Robot3D, C = 100).", checks.resists((3, 4), ("rgp-ucb",), "immediate"), (3, 4),
    ),
    Claim(
        "rgp-ucb-below", "4.5.1", "RGP-UCB generally has lower regret than RGP-PE.",
        "Lower mean regret, for each function, budget and attack.", checks.ucb_below_pe, (3, 4, 5, 6),
    ),
    Claim(
        "later-robust", "4.5.2", "RGP-PE and RGP-UCB also defend against the later attack.",
        "No linear regret (f1, C = 50; Robot3D, C = 100).", checks.resists((3, 4), ROBUST, "later"), (3, 4),
    ),
    Claim(
        "later-similar", "4.5.2", "Under later attacks they perform much as under immediate ones.",
        "Mean regrets within 25% of each other.", checks.later_is_similar, (3, 4),
    ),
    Claim(
        "later-exceptions", "4.5.2",
        "Only two trials with a later attack leave RGP-PE on a slightly suboptimal action.",
        "At most two trials of RGP-PE on each function end on another arm.", checks.later_exceptions, (3, 4),
    ),
    Claim(
        "f1-100-indistinguishable", "Appendix F, Figure 5",
        "For GP-UCB on f1 with C = 100 the curves of Top-3 and Top-5 cannot be told apart.",
        "The mean curves differ by at most 2% of the final regret.", checks.top_3_is_top_5, (5,),
    ),
    Claim(
        "appendix-gp-ucb", "Appendix F", "With C = 100 on f1 and C = 50 on Robot3D, GP-UCB fares as before.",
        "Linear regret under the same attacks as in Figures 3 and 4.",
        checks.outcomes((5, 6), "gp-ucb", checks.LED_ASTRAY, "linear regret"), (5, 6),
    ),
    Claim(
        "appendix-robust", "Appendix F",
        "With C = 100 on f1 and C = 50 on Robot3D, the robust policies fare as before.",
        "No linear regret under any attack.", checks.resists((5, 6), ROBUST, "immediate"), (5, 6),
    ),
)  # fmt: skip


def decide(claim: Claim, results: Results, draws: checks.Draws | None = None) -> checks.Evidence | None:
    """The evidence for a claim; None if runs that it needs are missing."""
    draws = draws or checks.Draws()
    lines = (e for n in claim.figures for e in figure_lines(n, results.scale.horizon, draws.of(FIGURES[n][0])))
    return claim.check(results, draws) if all(results.has(e, draws.trials) for e in lines) else None
