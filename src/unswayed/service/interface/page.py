"""The description of the interface as a page shows it: an entry for each operation, with tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from unswayed.service.interface.schema import WORDS, Schema, kinds


class Row(NamedTuple):
    """One thing that is sent or given: its name, of what kind it is, whether it must be there, what it means."""

    name: str
    kind: str
    needed: bool
    about: str


class Operation(NamedTuple):
    """One operation, as tables."""

    method: str
    path: str
    summary: str
    who: str
    parameters: list[Row]
    body: list[Row]
    replies: list[tuple[str, str, list[Row]]]
    refusals: list[str]


def operations(document: Mapping[str, Any]) -> list[Operation]:
    """The operations of a description of the interface, in its order.

    Args:
        document: As `described` makes it.
    """
    return [
        _operation(method.upper(), path, one)
        for path, methods in document["paths"].items()
        for method, one in methods.items()
    ]


def _operation(method: str, path: str, one: Mapping[str, Any]) -> Operation:
    parameters = [
        Row(part["name"], _words(part["schema"]), part["required"], part["schema"].get("description", ""))
        for part in one["parameters"]
    ]
    body = _rows(_content(one["requestBody"])) if "requestBody" in one else []
    replies, refusals = [], []
    for status, given in one["responses"].items():
        if "$ref" in given:
            refusals.append(status)
        else:
            media = [media for media in given["content"] if media != "application/json"]
            replies.append((status, " ".join([given["description"], ", ".join(media)]), _rows(_content(given))))
    return Operation(method, path, one["summary"], one["description"], parameters, body, replies, refusals)


def _content(part: Mapping[str, Any]) -> Schema:
    schema: Schema = part["content"].get("application/json", {}).get("schema", {})
    return schema


def _rows(schema: Schema) -> list[Row]:
    """The entries of an object; of several, in turn."""
    if "anyOf" in schema:
        return [row for one in schema["anyOf"] for row in _rows(one)]
    needed = schema.get("required", ())
    known: Iterable[tuple[str, Schema]] = schema.get("properties", {}).items()
    return [Row(name, _words(one), name in needed, one.get("description", "")) for name, one in known]


def _words(schema: Schema) -> str:
    """Of what kind a value is, in a few words."""
    if "anyOf" in schema:
        return " or ".join(_words(one) for one in schema["anyOf"])
    named = [kind for kind in kinds(schema) if kind != "null"]
    words = " or ".join(WORDS[kind] for kind in named) or ("null" if kinds(schema) else "any")
    if "enum" in schema:
        words = f"{words}: {', '.join(one for one in schema['enum'] if one is not None)}"
    elif "properties" in schema:
        words = f"{words} of {', '.join(schema['properties'])}"
    elif "items" in schema:
        words = f"{words}, each {_words(schema['items'])}"
    return f"{words} or null" if named and "null" in kinds(schema) else words
