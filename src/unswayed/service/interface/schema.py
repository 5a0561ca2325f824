"""JSON Schema, as far as it is needed here: how a schema is written, and how a value is checked against it.

The same schema is checked when a request comes and published in the description of the interface, so the two agree.
JSON types are strict: no text and no booleans where a number is expected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from unswayed.errors import InvalidInput
from unswayed.text import printable

Schema = dict[str, Any]
KINDS: dict[str, tuple[type, ...]] = {
    "number": (int, float), "integer": (int,), "string": (str,), "boolean": (bool,), "array": (list,),
    "object": (dict,), "null": (type(None),),
}  # fmt: skip
WORDS = {
    "number": "a number", "integer": "a whole number", "string": "text", "boolean": "true or false", "array": "a list",
    "object": "an object", "null": "null",
}  # fmt: skip
LIMITS: dict[
    str, tuple[Callable[[Any, Any], bool], str]
] = {  # of numbers, of the length of texts and lists: what is refused, and the words for it
    "minimum": (lambda one, limit: one < limit, "at least {}"),
    "exclusiveMinimum": (lambda one, limit: one <= limit, "above {}"),
    "maximum": (lambda one, limit: one > limit, "at most {}"),
    "exclusiveMaximum": (lambda one, limit: one >= limit, "below {}"),
    "minLength": (lambda one, limit: len(one) < limit, "at least {} characters long"),
    "maxLength": (lambda one, limit: len(one) > limit, "at most {} characters long"),
    "minItems": (lambda one, limit: len(one) < limit, "a list of at least {}"),
    "maxItems": (lambda one, limit: len(one) > limit, "a list of at most {}"),
}


def text(about: str = "", **limits: Any) -> Schema:
    """Text."""
    return _of("string", about, limits)


def number(about: str = "", **limits: Any) -> Schema:
    """A number."""
    return _of("number", about, limits)


def whole(about: str = "", **limits: Any) -> Schema:
    """A whole number."""
    return _of("integer", about, limits)


def flag(about: str = "") -> Schema:
    """True or false."""
    return _of("boolean", about, {})


def listing(items: Schema, about: str = "", **limits: Any) -> Schema:
    """A list of such items."""
    return _of("array", about, {"items": items, **limits})


def mapping(values: Schema, about: str = "", **limits: Any) -> Schema:
    """An object with any names and such values."""
    return _of("object", about, {"additionalProperties": values, **limits})


def record(
    required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None, about: str = "", *, more: bool = False
) -> Schema:
    """An object with these entries.

    Args:
        required: Entries that it must have.
        optional: Entries that it may have.
        about: What it is.
        more: Whether it may have others, as a reply of a later version.
    """
    parts: Schema = {"properties": {**required, **(optional or {})}}
    parts |= {"required": list(required)} if required else {}
    return _of("object", about, parts if more else {**parts, "additionalProperties": False})


def reply(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None, about: str = "") -> Schema:
    """An object that is given: a later version may have more entries."""
    return record(required, optional, about, more=True)


def maybe(schema: Schema) -> Schema:
    """The same, or null."""
    enum = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, "type": [*kinds(schema), "null"], **enum}


def either(*schemas: Schema, about: str = "") -> Schema:
    """One of these, which differ by their JSON types or by the entries that they need."""
    return {"anyOf": list(schemas), **({"description": about} if about else {})}


def _of(kind: str, about: str, parts: Mapping[str, Any]) -> Schema:
    return {"type": kind, **({"description": about} if about else {}), **parts}


def kinds(schema: Schema) -> list[str]:
    """Its JSON types; none if it may be of any.

    Args:
        schema: The schema.
    """
    known = schema.get("type", [])
    return [known] if isinstance(known, str) else known


def never_both(schema: Schema, one: str, other: str) -> Schema:
    """The same for an object that does not have these two entries, unless one of them is null."""
    given = {"not": {"type": "null"}}
    both = {"required": [one, other], "properties": {one: given, other: given}}
    return {**schema, "allOf": [*schema.get("allOf", []), {"not": both}]}


def checked(value: Any, schema: Schema, what: str = "the body") -> Any:
    """A value that is as its schema says; 3.0 becomes 3 where a whole number is expected.

    Args:
        value: As JSON was read.
        schema: Made by the functions of this module.
        what: What the value is called.

    Raises:
        InvalidInput: One line that says what is wrong.
    """
    schema = _fitting(value, schema, what)
    if value is None:
        return None
    if "integer" in kinds(schema):
        value = int(value)
    if value not in schema.get("enum", [value]):
        raise InvalidInput(f"{what} must be one of {', '.join(map(str, schema['enum']))}, not {_shown(value)}")
    for name, (beyond, words) in LIMITS.items():
        if name in schema and beyond(value, schema[name]):
            raise InvalidInput(f"{what} must be {words.format(schema[name])}, not {_shown(value)}")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        raise InvalidInput(f"{what} must be {schema['description']}, not {_shown(value)}")
    if isinstance(value, list) and "items" in schema:
        return [checked(one, schema["items"], f"an entry of {what}") for one in value]
    return _checked_entries(value, schema, what) if isinstance(value, dict) else value


def _fitting(value: object, schema: Schema, what: str) -> Schema:
    """The schema, or that of several whose JSON type, and whose required entries, the value has."""
    options = schema.get("anyOf", [schema])
    fitting = [one for one in options if not kinds(one) or any(_is(value, kind) for kind in kinds(one))]
    if not fitting:
        words = " or ".join(dict.fromkeys(WORDS[kind] for one in options for kind in kinds(one)))
        raise InvalidInput(f"{what} must be {words}, not {_shown(value)}")
    entries = value if isinstance(value, dict) else {}
    return next((one for one in fitting if entries.keys() >= set(one.get("required", ()))), fitting[0])


def _checked_entries(value: dict[str, Any], schema: Schema, what: str) -> dict[str, Any]:
    known, others = schema.get("properties", {}), schema.get("additionalProperties", {})
    for name in value:
        if name not in known and others is False:
            may = f"there may be {', '.join(known)}" if known else "there may be none"
            raise InvalidInput(f"unknown entry {printable(name, limit=60)!r} in {what}: {may}")
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        raise InvalidInput(f"{what} needs {' and '.join(missing)}")
    if len(value) < schema.get("minProperties", 0):
        raise InvalidInput(f"{what} must not be empty")
    for rule in schema.get("allOf", ()):
        one, other = rule["not"]["required"]
        if value.get(one) is not None and value.get(other) is not None:
            raise InvalidInput(f"give {one} or {other}, not both")
    return {name: checked(one, known.get(name, others), printable(name, limit=60)) for name, one in value.items()}


def _is(value: object, kind: str) -> bool:
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, KINDS[kind]) and (kind == "boolean") == isinstance(value, bool)


def _shown(value: object) -> str:
    return printable(repr(value), limit=60)
