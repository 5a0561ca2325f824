"""The ledger of claims: every empirical sentence of Section 4 and Appendix F, decided by a stated rule."""

from __future__ import annotations

from dataclasses import dataclass

from unswayed.paper.checks import (
    LED_ASTRAY,
    ROBUST,
    Check,
    Draws,
    Evidence,
    later_exceptions,
    later_is_similar,
    lengthscale,
    most_effective,
    one_arm_left,
    outcomes,
    resists,
    top_3_is_top_5,
    ucb_below_pe,
)
from unswayed.paper.grid import ATTACKED, FIGURES, Results, figure_lines


@dataclass(frozen=True)
class Claim:
    """One sentence of the paper, in our words, with the rule that decides it."""

    name: str
    section: str
    sentence: str
    rule: str
    check: Check
    figures: tuple[int, ...] = ()  # the figures whose runs it needs


CLAIMS = (
    Claim(
        "length-scale", "4.2.2",
        "The most likely SE length-scale on the noiseless robot data is about 2.",
        "The maximum-likelihood length-scale rounds to 2.", lengthscale,
    ),
    Claim(
        "gp-ucb-alone", "4.5.1", "GP-UCB succeeds when there is no attack.",
        "It settles, on both functions.", outcomes((3, 4), "gp-ucb", lambda p: ("none",), "settled"), (3, 4),
    ),
    Claim(
        "gp-ucb-f1", "4.5.1", "On f1, Clipping, AggSub, Top-3 and Top-5 give GP-UCB linear regret.",
        "Linear regret under each of the four, C = 50.",
        outcomes((3,), "gp-ucb", LED_ASTRAY.__getitem__, "linear regret"), (3,),
    ),
    Claim(
        "gp-ucb-robot", "4.5.1", "On Robot3D, Top-3 and Top-5 give GP-UCB linear regret.",
        "Linear regret under both, C = 100.",
        outcomes((4,), "gp-ucb", LED_ASTRAY.__getitem__, "linear regret"), (4,),
    ),
    Claim(
        "gp-ucb-others", "4.5.1",
        "The other attacks do not: Flip on f1; Clipping, AggSub and Flip on Robot3D.",
        "GP-UCB settles under each of them.",
        outcomes((3, 4), "gp-ucb", lambda p: tuple(a for a in ATTACKED if a not in LED_ASTRAY[p]), "settled"),
        (3, 4),
    ),
    Claim(
        "two-most-effective", "Figure 1",
        "The two most effective attacks on GP-UCB on Robot3D are Top-3 and Top-5.",
        "They cause the largest mean regret of the five, C = 100.", most_effective, (4,),
    ),
    Claim(
        "rgp-pe-one-arm", "4.5.1", "RGP-PE has one action left at the end of the 13th epoch.",
        "Exactly one active arm after 13 epochs, with every attack and none.", one_arm_left, (3, 4),
    ),
    Claim(
        "rgp-pe-robust", "4.5.1", "RGP-PE defends against all five attacks on both functions.",
        "No linear regret (f1, C = 50; Robot3D, C = 100).",
        resists((3, 4), ("rgp-pe",), "immediate"), (3, 4),
    ),
    Claim(
        "rgp-ucb-robust", "4.5.1", "RGP-UCB defends against all five attacks on both functions.",
        "No linear regret (f1, C = 50; Robot3D, C = 100).",
        resists((3, 4), ("rgp-ucb",), "immediate"), (3, 4),
    ),
    Claim(
        "rgp-ucb-below", "4.5.1", "RGP-UCB generally has lower regret than RGP-PE.",
        "Lower mean regret, for each function, budget and attack.", ucb_below_pe, (3, 4, 5, 6),
    ),
    Claim(
        "later-robust", "4.5.2", "RGP-PE and RGP-UCB also defend against the later attack.",
        "No linear regret (f1, C = 50; Robot3D, C = 100).", resists((3, 4), ROBUST, "later"), (3, 4),
    ),
    Claim(
        "later-similar", "4.5.2", "Under later attacks they perform much as under immediate ones.",
        "Mean regrets within 25% of each other.", later_is_similar, (3, 4),
    ),
    Claim(
        "later-exceptions", "4.5.2",
        "Only two trials with a later attack leave RGP-PE on a slightly suboptimal action.",
        "At most two trials of RGP-PE on each function end on another arm.", later_exceptions, (3, 4),
    ),
    Claim(
        "f1-100-indistinguishable", "Appendix F, Figure 5",
        "For GP-UCB on f1 with C = 100 the curves of Top-3 and Top-5 cannot be told apart.",
        "The mean curves differ by at most 2% of the final regret.", top_3_is_top_5, (5,),
    ),
    Claim(
        "appendix-gp-ucb", "Appendix F", "With C = 100 on f1 and C = 50 on Robot3D, GP-UCB fares as before.",
        "Linear regret under the same attacks as in Figures 3 and 4.",
        outcomes((5, 6), "gp-ucb", LED_ASTRAY.__getitem__, "linear regret"), (5, 6),
    ),
    Claim(
        "appendix-robust", "Appendix F",
        "With C = 100 on f1 and C = 50 on Robot3D, the robust policies fare as before.",
        "No linear regret under any attack.", resists((5, 6), ROBUST, "immediate"), (5, 6),
    ),
)  # fmt: skip


def decide(claim: Claim, results: Results, draws: Draws | None = None) -> Evidence | None:
    """The evidence for a claim; None if runs that it needs are missing."""
    draws = draws or Draws()
    for figure in claim.figures:
        draw = draws.of(FIGURES[figure][0])
        lines = figure_lines(figure, results.scale.horizon, draw)
        if not all(results.has(experiment, draws.trials) for experiment in lines):
            return None
    return claim.check(results, draws)
