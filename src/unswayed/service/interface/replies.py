"""What is given back, as schemas. The tests hold every reply of the service against them."""

from __future__ import annotations

from unswayed.core.tampering.threat import DOUBTED
from unswayed.core.tampering.trust import TrustLevel
from unswayed.judgement.verdict import Verdict
from unswayed.search.play import Status
from unswayed.service.interface.bodies import KINDS, NAME, POINT
from unswayed.service.interface.schema import Schema, either, flag, listing, mapping, maybe, number, reply, text, whole
from unswayed.service.tokens import Role
from unswayed.service.webhooks.verdict import Trust

ERROR = reply(
    {"error": text("What is wrong and what to do, in one line.")},
    {"stored": maybe(number("With status 409: the value that is kept, if it is the caller's."))},
)
HEALTH = reply({"status": text(enum=["ok"]), "studies": whole("How many there are.")})
COUNTS = reply({str(status): whole() for status in Status}, about="How many plays have each status; not for sources.")
STUDY = reply(
    {
        "name": NAME,
        "space": mapping({}, "What may be varied, as POST /studies takes it."),
        "settings": reply({}, KINDS, "As they are now; a source does not see who is in quarantine."),
        "plays_left": maybe(whole("How many more will be handed out; null: any number.")),
        "state": text(enum=["open", "finished"]),
        "seq": whole("The number of the last record."),
    },
    {
        "counts": COUNTS,
        "lease": number("Seconds for which a play is reserved without a heartbeat."),
        "role": text("Of the token that asks.", enum=list(Role)),
        "trust": reply(
            {}, {str(level): whole() for level in TrustLevel}, "How many measurements have each trust level."
        ),
    },
)
STUDIES = reply({"studies": listing(STUDY)})
PLAY = reply(
    {"number": whole(), "point": POINT, "lease_until": number("The time of the database, in seconds since 1970.")}
)
PLAYS = reply({"plays": listing(PLAY, "Own open plays first; empty if all are handed out.")})
GIVEN = reply(
    {
        "number": whole(),
        "point": POINT,
        "proposed": {**POINT, "description": "Where it was asked for, if it was moved; else null."},
        "source": maybe(text("The caller; null: it was handed on to another source.")),
        "status": text(enum=["open", "told", "failed"]),
        "value": maybe(number("What you told.")),
        "noise_std": maybe(number()),
        "trials": maybe(whole()),
        "before": listing(number(), "Your values before corrections."),
    }
)
ALL_GIVEN = reply({"plays": listing(GIVEN, "In their order.")})
TOLD = reply({"number": whole(), "status": text(enum=list(Status)), "value": number()})
FAILED = reply({"number": whole(), "status": text(enum=[str(Status.FAILED)])})
MOVED = reply({"number": whole(), "point": POINT})
KEPT = reply({"number": whole(), "lease_until": number()})
EDITED = reply({"seq": whole("The number of the last record.")})
ADDED = reply({"numbers": listing(whole(), "Of the new plays.")})
RECORD = mapping({}, "One record of the log; what else it has depends on its kind.") | {
    "properties": {"seq": whole(), "kind": text()},
    "required": ["seq", "kind"],
}
RECORDS = reply({"records": listing(RECORD), "seq": whole("The number of the last one.")})
TOKENS = reply(
    {
        "tokens": listing(
            reply(
                {
                    "name": text(),
                    "role": text(enum=list(Role)),
                    "study": maybe(text("The only one that it is for.")),
                    "made": number("Seconds since 1970."),
                    "seen": maybe(number("When it was last used.")),
                }
            )
        )
    }
)
MADE = reply({"name": text(), "token": text("Shown now and never again.")})
KEY = reply({"public_key": maybe(text("It checks the signatures of this server; null: it signs nothing."))})
REVOKED = reply({"revoked": text()})
WEBHOOK_SET = reply({"url": text(), "secret": text("By which messages are signed; shown now and never again.")})
WEBHOOK = reply(
    {
        "url": text(),
        "verdict": maybe(text("The last one that was noticed.", enum=list(Trust))),
        "waiting": whole("Messages that are still to be sent."),
        "tried": maybe(number("When one was last sent, in seconds since 1970.")),
        "error": maybe(text("Why that failed.")),
    }
)
WEBHOOK_REMOVED = reply({"removed": text()})
THREAT = reply(
    {"total": number(), "lies": whole(), "liars": whole(), "low": maybe(number()), "high": maybe(number())},
    {"doubt": maybe(text(enum=list(DOUBTED)))},
)
SURE = {
    "threat": THREAT,
    "largest_gap": maybe(number("How far the point is from the best, at most.")),
    "budget": number(),
}
CERTIFICATE = reply(
    {
        **SURE,
        "budget": maybe(number()),
        "delta": number(),
        "certified_budget": maybe(number()),
        "beta": number(),
        "rounding": number(),
    }
)
CREDIBLE = reply({**SURE, "probability": number(), "best": number(), "best_untampered": number()})
BREAKDOWN = reply(
    {
        "budget": maybe(number("The sum of changes that another point needs to win; null: none is enough.")),
        "rival": {**POINT, "description": "That point."},
        "pivot": {**POINT, "description": "Where the measurements would have to change."},
        "lies": maybe(whole("False measurements that are needed.")),
        "liars": maybe(whole("Lying sources that are needed.")),
    }
)
ASSUMPTIONS = reply(
    {
        "kernel": text(),
        "noise_std": number(),
        "output_scale": number(),
        "level": KINDS["level"],
        "norm_bound": maybe(number()),
        "estimated": listing(text(), "What was not given."),
    }
)
SOURCE = reply(
    {
        "source": text(),
        "measurements": whole(),
        "suspicious": flag("Whether the others do not explain what it told."),
        "set_aside": flag("Whether all of it is left out for that."),
        "offset": maybe(number("How far it reads above the others.")),
        "deviation": maybe(number()),
        "drift": number(),
        "noise_factor": number("How many times noisier than the others it is."),
        "alone_overturns": flag("Whether it alone could have changed the recommendation."),
        "winner_without": POINT,
    }
)
LIMIT = reply(
    {
        "kind": text(enum=["total", "lies", "liars"]),
        "overturned": maybe(number()),
        "rival": POINT,
        "certified": maybe(number()),
        "stays": maybe(number()),
    }
)
FAILURE = reply({"number": whole(), "point": POINT, "why": maybe(text()), "reason": maybe(text())})
OF_VALUES: Schema = reply(
    {
        "point": {**POINT, "description": "The recommended point."},
        "estimate": number(),
        "deviation": maybe(number("Of the estimate.")),
        "guaranteed": number("What it is still estimated at if the threat was used to the full."),
        "challenger": {**POINT, "description": "What would be best if every measurement were true."},
        "challenger_lead": number(),
        "measure_again": {**POINT, "description": "Where to measure to find out."},
        "sentence": text("How far the point is from the best, in words."),
        "certificate": maybe(CERTIFICATE),
        "credible": maybe(CREDIBLE),
        "breakdown": BREAKDOWN,
        "assumptions": ASSUMPTIONS,
        "considered": whole("How many points it was chosen from."),
        "unexplored": number(),
        "measured": whole("How many measurements count."),
        "set_aside": listing(whole(), "Plays that the others do not explain."),
        "set_aside_total": number(),
        "sources": listing(SOURCE),
        "threat": maybe(THREAT),
        "threats": listing(LIMIT, "How much of each kind the recommendation withstands."),
        "doubted_alone_overturn": maybe(flag("Whether all that is doubted, or self-reported, could have changed it.")),
        "minimize": flag(),
        "plays": whole(),
        "failed": whole(),
        "failures": listing(FAILURE),
    }
)
ANY = mapping({})
PLAN = listing(ANY, "Which votes that are, by the numbers of the options.")
OF_DUELS: Schema = reply(
    {
        "leader": text("The option that leads."),
        "settled": flag("Whether no more votes are needed."),
        "verdict": text(enum=list(Verdict)),
        "luck": ANY | {"description": "Whether the lead is more than chance."},
        "evidence": ANY | {"description": "Whether the votes look tampered with."},
        "robustness": ANY | {"description": "How many false votes would change the leader."},
        "next": text("What to do now."),
        "duel": reply(
            {
                "left": text(),
                "right": text(),
                "judge": maybe(text("Whom to ask.")),
                "votes": number("About how many settle it."),
                "plays": maybe(whole("How many may still be asked for.")),
                "judges": maybe(whole("About how many have to vote, if those who did are too few.")),
            },
            about="What to ask next.",
        ),
        "labels": listing(text(), "The options, in the order of all lists."),
        "winner": whole("The number of the leader."),
        "winner_label": text(),
        "scores": listing(number()),
        "intervals": listing(listing(number())),
        "ranks": listing(listing(whole()), "The first and the last rank that each may have."),
        "forged_votes": reply(
            {
                "least": whole("Fewer are not enough."),
                "most": maybe(whole("So many are; null: no plan is known.")),
                "plan": PLAN,
            },
            about="How many votes have to be false so that another option is level.",
        ),
        "rivals": listing(ANY, "What would bring each other option level, the easiest first."),
        "tiers": reply({"forged_votes": whole(), "labels": listing(listing(text()))}),
        "suspects": listing(ANY, "Judges whose votes the others do not explain."),
        "often": listing(text(), "Judges with far more votes than nearly all others."),
        "winner_without_suspects": text(),
        "left_wins": maybe(ANY),
        "votes": whole("How many count."),
        "voters": maybe(whole()),
        "threat": ANY,
        "assumptions": ANY,
        "plays": whole(),
    },
    about="Of a study of duels: who leads, and whether that is settled.",
)
ANSWER = either(OF_VALUES, OF_DUELS)
