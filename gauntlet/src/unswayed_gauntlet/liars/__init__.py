"""Who lies in the gauntlet, and how: a file for each kind of liar; all liars by name."""

from __future__ import annotations

from collections.abc import Mapping

from unswayed_gauntlet.liars import outliers, paper, places, workers
from unswayed_gauntlet.liars.protocol import Corruption, LiarLimit
from unswayed_gauntlet.liars.strongest import strongest

TOTAL = LiarLimit.TOTAL
LIES = LiarLimit.LIES
LIARS = LiarLimit.LIARS

_ALL = (
    Corruption("none", "nobody lies", LiarLimit.NOTHING, lambda problem, plays, rng: lambda play: 0.0),
    Corruption("spikes", "random plays are raised by half to one range", TOTAL, outliers.outliers(1.0)),
    Corruption("dips", "random plays are lowered by half to one range", TOTAL, outliers.outliers(-1.0)),
    Corruption("promote", "the ball of a fifth of the space with the lowest mean looks as if the best point were in it",
        TOTAL, places.promote),
    Corruption("hide", "plays near the best, by value, are lowered to the lower quartile", TOTAL, places.hide),
    Corruption("worker", "one of eight workers reports random numbers between worst and best", LIARS, workers.worker),
    Corruption("clipping",
        "outside a half of the space that lacks the best point, nothing looks as good as the best in that half",
        TOTAL, paper.clipping),
    Corruption("aggsub",
        "outside a half of the space that lacks the best point, all values are lowered until that half looks best",
        TOTAL, paper.aggsub),
    Corruption("top-3", "the best 3% of the space is lowered to the 16% quantile", TOTAL, paper.top(3)),
    Corruption("top-5", "the best 5% of the space is lowered to the 16% quantile", TOTAL, paper.top(5)),
    Corruption("flip", "the best looks like the worst and the worst like the best, everywhere", TOTAL, paper.flip),
    Corruption("strongest", "reports are changed by the least that keeps a bad point in the lead", TOTAL, strongest),
    Corruption("spikes-huge", "random plays are raised by a million ranges", LIES, outliers.huge(1.0)),
    Corruption("dips-huge", "random plays are lowered by a million ranges", LIES, outliers.huge(-1.0)),
    Corruption("spikes-in-range", "random plays report the best value", LIES, outliers.best, in_range=True),
    Corruption("constant", "random plays report a constant one range above the best", LIES, outliers.constant),
    Corruption("uniform", "random plays report random numbers between worst and best",
        LIES, outliers.uniform, in_range=True),
    Corruption("asymmetric", "random plays move by 3 to 9 standard deviations of the truth, all up or all down",
        LIES, outliers.asymmetric),
    Corruption("focused",
        "plays in the tenth of the space around its median point report its median less three standard deviations",
        LIES, places.focused),
    Corruption("clairvoyant-near",
        "after five true plays, those in the fifth of the space nearest to the best point look worse than the worst",
        LIES, places.clairvoyant_near),
    Corruption("clairvoyant-far",
        "after five true plays, those in the half of the space farthest from the best point look better than the best",
        LIES, places.clairvoyant_far),
    Corruption("drift", "one of eight workers drifts away, up or down, to one range in the end", LIARS, workers.drift),
)  # fmt: skip
CORRUPTIONS: Mapping[str, Corruption] = {one.name: one for one in _ALL}
