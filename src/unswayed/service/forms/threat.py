"""The threat as fields: what may be false, and between which values honest measurements lie."""

from __future__ import annotations

from typing import Any

from unswayed.core.tampering.threat import DOUBTED, Threat
from unswayed.service.forms.fields import Fields
from unswayed.service.interface.bodies import THREAT

KINDS = ("lies", "liars", "total", "doubt")
ENDS = ("low", "high")
RANGE_ALONE = "honest values limit what a lie can be: say also how many may be false, or leave both ends empty"
SCHEMAS: dict[str, Any] = THREAT["anyOf"][1]["properties"]


def shown_threat(threat: Threat | None) -> dict[str, str]:
    """The fields of a threat; all are empty if it is unknown, and a sum of 0 says that nothing is false.

    Args:
        threat: The threat.

    Example:
        >>> shown_threat(Threat(lies=2, low=0))
        {'lies': '2', 'low': '0'}
    """
    if threat is None:
        return {}
    known = {name: getattr(threat, name) for name in (*KINDS, *ENDS)}
    some = {name: one for name, one in known.items() if one or (name in ENDS and one is not None)}
    shown = {name: str(one) if isinstance(one, str) else f"{one:.17g}" for name, one in some.items()}
    return {"total": "0", **shown} if threat.none else shown


def read_threat(fields: Fields) -> dict[str, Any] | None:
    """The threat that was typed, as the interface takes it; None if nothing was.

    Args:
        fields: The fields; what is wrong is said beside them.
    """
    found: dict[str, Any] = {}
    for name in ("lies", "liars"):
        found[name] = fields.whole(name, SCHEMAS[name])
    for name in ("total", *ENDS):
        found[name] = fields.number(name, SCHEMAS[name])
    doubt = fields.text("doubt")
    if doubt and doubt not in DOUBTED:
        fields.errors["doubt"] = "choose one of the list"
    found = {name: one for name, one in {**found, "doubt": doubt or None}.items() if one is not None}
    named = [name for name in (*KINDS, *ENDS) if fields.text(name)]
    if named and not set(named) & set(KINDS):
        fields.errors.setdefault(named[0], RANGE_ALONE)
    if not fields.wrong:
        with fields.beside("low"):
            Threat(**found)
    return found or None
