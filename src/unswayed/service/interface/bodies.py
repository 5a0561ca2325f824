"""What may be sent, as schemas; and how what was sent becomes what the library takes."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from unswayed.core.data.measurement import LONGEST_SOURCE, Measurement
from unswayed.core.tampering.threat import DOUBTED, LARGEST_VALUE
from unswayed.errors import InvalidInput
from unswayed.search.task import METHODS
from unswayed.service.interface.schema import (
    Schema,
    either,
    flag,
    listing,
    mapping,
    maybe,
    never_both,
    number,
    record,
    text,
    whole,
)
from unswayed.service.tokens import STUDY_NAME, Role
from unswayed.service.webhooks.sending import LONGEST_URL, URL
from unswayed.spaces import Duels, Space
from unswayed.study.settings import KERNELS, OLD_METHODS, Settings

Body = dict[str, Any]
LONGEST_NAME = 1000  # characters of an option
LARGEST_INTEGER = 10**15
MOST_ASKED = 1000  # plays that one request asks for

COUNT: dict[str, Any] = {"maximum": LARGEST_INTEGER}
POSITIVE: dict[str, Any] = {"exclusiveMinimum": 0, "maximum": LARGEST_VALUE}
VALUE = number("a value", minimum=-LARGEST_VALUE, maximum=LARGEST_VALUE)
POINT: Schema = {
    "description": "A point of the space: an object of parameters, a label, or a list of numbers.",
    "examples": [{"x": 0.5}, "a"],
}
NAME = text(
    "the name of a study: 1 to 100 letters, digits, dots, dashes or underscores", pattern=f"^{STUDY_NAME.pattern}$"
)
REASON = text("one line of text", pattern=r"\S")
SOURCE = either(
    text("a name", pattern=r"\S", maxLength=LONGEST_SOURCE),
    whole(**COUNT),
    {"type": "null"},
    about="Who or what measured it. An owner may name any; what a source tells carries the name of its token.",
)
MEASURED = {
    "source": SOURCE,
    "noise_std": maybe(
        number("Its standard error.", exclusiveMinimum=1 / LARGEST_VALUE, exclusiveMaximum=LARGEST_VALUE)
    ),
    "trials": maybe(whole("How many yes-or-no outcomes the value is the mean of.", minimum=1, **COUNT)),
}
PRECISION = ("noise_std", "trials")
NOTHING = record({}, about="Nothing: {}.")
SAID = record(
    {
        "point": POINT,
        "command": text("64 hexadecimal digits", pattern="^[0-9a-f]{64}$"),
        "exit": whole(minimum=0, maximum=0),
        "seconds": number(minimum=0, maximum=LARGEST_VALUE),
    },
    about="For witnesses: what was run, as `unswayed work` says it.",
)
TOLD = record({"value": VALUE}, {**MEASURED, "witness": SAID}, "A measurement.") | {"examples": [{"value": 0.1}]}
WINNER = text("Of a duel: the option that is better, or left, right, tie.", maxLength=LONGEST_NAME)
SAYS = {"source": SOURCE}
TELL = either(never_both(TOLD, *PRECISION), record({"winner": WINNER}, SAYS, "A vote."))
FAIL = record({"reason": REASON}, about="Why it could not be measured.")
MOVE = record(
    {"point": POINT | {"description": "What was set otherwise: parameters with their values, or another option."}},
    {"nearest": flag("Whether a number between two steps counts at the nearest one.")},
    "Where it is measured, if that is not the proposed point.",
)
RETRACT = record({"reason": REASON}, about="Why it does not count.")
CORRECT = either(
    never_both(record({"value": VALUE, "reason": REASON}, MEASURED, "The right value, and why."), *PRECISION),
    record({"winner": WINNER, "reason": REASON}, SAYS, "The right vote, and why."),
)
ROW = never_both(record({"point": POINT, "value": VALUE}, MEASURED, "A measurement that nobody asked for."), *PRECISION)
VOTE = record({"point": POINT, "winner": WINNER}, SAYS, "A vote that nobody asked for.")
ADD = either(
    ROW,
    VOTE,
    record({"measurements": listing(either(ROW, VOTE), "All are taken, or none.")}),
    about="One measurement, or several under `measurements`.",
)
ASK = record(
    {},
    {
        "n": whole("How many plays to hold.", minimum=1, maximum=MOST_ASKED, default=1),
        "source": either(*SOURCE["anyOf"], about="For whom; for owners."),
    },
)
THREAT = either(
    number("The largest sum of all changes of values.", minimum=0, maximum=LARGEST_VALUE),
    record(
        {},
        {
            "total": number("The largest sum of all changes of values.", minimum=0, maximum=LARGEST_VALUE),
            "lies": whole("How many measurements may be false.", minimum=0, **COUNT),
            "liars": whole("How many sources may lie, as often as they like.", minimum=0, **COUNT),
            "low": maybe(number("No honest measurement is smaller.")),
            "high": maybe(number("No honest measurement is larger.")),
            "doubt": maybe(text("Measurements up to this trust level may be false.", enum=list(DOUBTED))),
        },
    ),
    {"type": "null"},
)
LENGTHSCALE = either(number(exclusiveMinimum=0), listing(number(exclusiveMinimum=0)))
KERNEL = maybe(
    record(
        {"name": {"type": "string", "enum": list(KERNELS)}},
        {
            "lengthscale": LENGTHSCALE,
            **{name: number(exclusiveMinimum=0) for name in ("nu", "radius", "share", "ratio")},
        },
    )
    | {"examples": [{"name": "Matern", "nu": 2.5, "lengthscale": 0.3}]}
)
KINDS: dict[str, Schema] = {  # of the settings of a study; what they mean is said where they are declared
    "threat": THREAT,
    "kernel": KERNEL,
    "noise_std": maybe(number(**POSITIVE)),
    "output_scale": maybe(number(**POSITIVE)),
    "level": either(number(), listing(number(), minItems=2, maxItems=2), {"type": "null"}),
    "norm_bound": maybe(number(**POSITIVE)),
    "delta": number(exclusiveMinimum=0, exclusiveMaximum=1),
    "plays": maybe(whole(minimum=1, **COUNT)),
    "method": text(enum=[*METHODS, *OLD_METHODS]),
    "minimize": flag(),
    "parallel": maybe(whole(minimum=1, **COUNT)),
    "seed": maybe(whole(minimum=0, **COUNT)),
    "note": maybe(text()),
    "quarantined": listing(text("a name", pattern=r"\S", maxLength=LONGEST_SOURCE)),
}
OF_SERVICE = {"parallel": None}  # defaults that differ from those of the library


def _setting(name: str) -> Schema:
    """A setting with its description and its default, from where it is declared."""
    (declared,) = (one for one in fields(Settings) if one.name == name)
    default = OF_SERVICE.get(name, declared.default)
    known = {} if default is MISSING or isinstance(default, tuple) else {"default": default}
    return {**KINDS[name], "description": declared.metadata["doc"].replace("None", "null"), **known}


SETTINGS = {name: _setting(name) for name in KINDS} | {
    "notes": {**_setting("note"), "description": "The same as note."}
}
SPACE = mapping(
    {},
    "What may be varied: a table for each parameter as in space.toml, or `options`; or as a study gives it.",
    minProperties=1,
    examples=[{"x": {"low": 0, "high": 1}}, {"options": ["a", "b"]}],
)
NOTES = ("note", "notes")
BEGIN = never_both(
    record({"name": NAME, "space": SPACE}, SETTINGS, "A new study: its name, what may be varied, its settings."), *NOTES
)
CHANGEABLE = ("threat", "plays", "parallel", *NOTES, "quarantined")
CHANGE = never_both(record({}, {name: SETTINGS[name] for name in CHANGEABLE}), *NOTES)
TOKEN = record(
    {
        "name": text("printable text without spaces around it", minLength=1, maxLength=LONGEST_SOURCE),
        "role": text(enum=list(Role)),
    },
    {"study": maybe({**NAME, "description": "the only study that it is for; null: all"})},
    "A new token.",
)
WEBHOOK_URL = text("http://HOST/PATH or https://HOST/PATH", maxLength=LONGEST_URL, pattern=f"^{URL.pattern}$")
WEBHOOK = record({"url": WEBHOOK_URL | {"examples": ["https://127.0.0.1/hook"]}}, about="Where messages are sent.")


def measured(body: Body, space: Space, point: Any) -> Measurement:
    """The measurement of a body, without its other entries.

    Args:
        body: What was sent.
        space: What the study is about.
        point: What was measured, or compared.
    """
    given = {name: body[name] for name in ("value", *MEASURED) if body.get(name) is not None}
    if "winner" not in body:
        return Measurement(**given)
    if not isinstance(space, Duels):
        raise InvalidInput("this study has values: give a value, not a winner")
    return Measurement(**given, value=space.value(space.check(point), body["winner"]))


def line(body: Body) -> str:
    """The reason of a body."""
    reason = body.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        raise InvalidInput("give a reason, one line of text")
    return reason


def settings(body: Body) -> Body:
    """Settings as the library names them: notes are a note."""
    given = dict(body)
    notes = given.pop("notes", None)
    return {**given, "note": notes} if "notes" in body and given.get("note") is None else given
