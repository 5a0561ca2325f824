"""What a body may hold. JSON types are strict: no text and no booleans where a number is expected."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from unswayed.core.data.measurement import Measurement
from unswayed.core.tampering.threat import Threat
from unswayed.errors import InvalidInput
from unswayed.service.refused import Refused
from unswayed.text import printable
from unswayed.types import positive

Body = dict[str, Any]
TELL = ("value", "source", "noise_std", "trials")
SAID = ("point", "command", "exit", "seconds")
DIGEST = re.compile("[0-9a-f]{64}")
KINDS = {"lies": int, "liars": int, "doubt": str}  # of the entries of a threat that are not numbers
THREAT = tuple(one.name for one in fields(Threat))
NAMES = {int: "a whole number", float: "a number", str: "text"}


def require(value: object, kind: type, what: str) -> Any:
    """A value of a kind: text is no number, and neither is true."""
    kinds = (int, float) if kind is float else (kind,)
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise InvalidInput(f"{what} must be {NAMES[kind]}, not {printable(repr(value), limit=60)}")
    return value


def parse_int(text: str, what: str) -> int:
    """A whole number that somebody typed."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
        raise InvalidInput(f"{what} must be a whole number, not {text[:40]!r}")
    return int(digits)


def parse_float(text: str, what: str) -> float:
    """A number that somebody typed."""
    try:
        return float(text)
    except ValueError:
        raise InvalidInput(f"{what} must be a number, not {text[:40]!r}") from None


def measured(body: Body) -> Measurement:
    """The measurement of a body."""
    unknown = [name for name in body if name not in TELL]
    if unknown:
        raise InvalidInput(f"unknown entry {printable(unknown[0], limit=60)!r}: there may be {', '.join(TELL)}")
    given = {name: one for name, one in body.items() if one is not None}
    for name, one in given.items():
        if name != "source":
            require(one, int if name == "trials" else float, name)
    if "value" not in given:
        raise InvalidInput("value must be a number")
    return Measurement(**given)


def witnessed(said: object, witness: bool) -> Body | None:
    """What a witness says of a run; nobody else may say it.

    Args:
        said: The entry of the body.
        witness: Whether a witness sent it.
    """
    if not witness:
        if said is not None:
            raise Refused(403, "only a witness can say what was run: ask the owner for a token of that role")
        return None
    if not isinstance(said, dict) or set(said) != set(SAID):
        raise InvalidInput(f"a witness says what it ran, by `unswayed work`: {', '.join(SAID)}")
    if not isinstance(said["command"], str) or not DIGEST.fullmatch(said["command"]):
        raise InvalidInput("command must be the digest of a command, 64 hexadecimal digits")
    if require(said["exit"], int, "exit") != 0:
        raise InvalidInput("exit must be 0: a command that failed measures nothing")
    positive(require(said["seconds"], float, "seconds"), "seconds", zero=True)
    return said


def line(body: Body) -> str:
    """The reason of a body."""
    reason = body.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        raise InvalidInput("give a reason, one line of text")
    return reason


def settings(body: Body) -> Body:
    """Settings as the library names them, each of its own kind."""
    named = {("note" if name == "notes" else name): one for name, one in body.items()}
    if len(named) != len(body):
        raise InvalidInput("give notes or note, not both")
    for name in ("plays", "parallel", "seed"):
        if named.get(name) is not None:
            require(named[name], int, name)
    if named.get("note") is not None:
        require(named["note"], str, "notes")
    quarantined = named.get("quarantined", [])
    if not isinstance(quarantined, list):
        raise InvalidInput("quarantined must be a list of the names of sources")
    for one in quarantined:
        require(one, str, "a source")
    if named.get("kernel") is not None and not isinstance(named["kernel"], dict):
        raise InvalidInput('kernel must be an object such as {"name": "Matern", "nu": 2.5, "lengthscale": 0.3}')
    threat = named.get("threat")
    if isinstance(threat, dict):
        unknown = [name for name in threat if name not in THREAT]
        if unknown:
            raise InvalidInput(f"unknown threat {printable(unknown[0], limit=60)!r}: there may be {', '.join(THREAT)}")
        for name, one in threat.items():
            if one is not None or name not in ("low", "high", "doubt"):
                require(one, KINDS.get(name, float), name)
    elif threat is not None:
        require(threat, float, "threat")
    return named
