"""The lines of a journal file: JSON lines with a number and a checksum, so that damage is always found.

The first line says what the file is. Every other line is one call of `append`: its number, its records and a CRC-32
of everything before the checksum:

    {"unswayed": "journal", "version": 1}
    {"n": 1, "records": [{"ask": 7}, {"ask": 8}], "crc": "5f0d3a1c"}

One call is one line, so a crash keeps all of a call or nothing, and can damage the last line only.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any, NoReturn
from zlib import crc32

from unswayed.errors import InvalidInput, JournalError

Record = dict[str, Any]
"""One entry of a journal: a JSON object."""

HEADER = b'{"unswayed": "journal", "version": 1}\n'
NEWER = re.compile(rb'\{"unswayed": "journal", "version": ([2-9]|[1-9][0-9]{1,8})[,}]')


def encode(records: Sequence[Record]) -> str:
    """Return the records as JSON in ASCII; refuse records that would not be read back unchanged."""
    try:
        text = json.dumps(records, allow_nan=False)
        same = json.loads(text) == list(records) and all(isinstance(record, dict) for record in records)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"a record must be plain JSON, finite and not too deep: {error}") from None
    if not same:
        raise InvalidInput("a record must be a dict of plain JSON: text as keys, lists instead of tuples")
    return text


def line(number: int, text: str) -> bytes:
    """Return the line of call `number`, whose records are the JSON `text`."""
    body = f'{{"n": {number}, "records": {text}'.encode()
    return body + _seal(body) + b"\n"


def journal_bytes(records: Sequence[Record]) -> bytes:
    """Return the bytes of a journal file with these records."""
    return HEADER + b"".join(line(n, encode([record])) for n, record in enumerate(records, start=1))


def _seal(body: bytes) -> bytes:
    return b', "crc": "%08x"}' % crc32(body)


SEAL = len(_seal(b""))


def parse(data: bytes, path: str) -> tuple[list[Record], int, int]:
    """Return all records, the number of calls and the length of the undamaged part; the rest is one torn line."""
    *lines, rest = data[len(HEADER) :].split(b"\n")
    records: list[Record] = []
    end = len(HEADER)
    for calls, found in enumerate(lines):
        if _seal(found[:-SEAL]) != found[-SEAL:]:
            if calls == len(lines) - 1 and not rest:
                return records, calls, end
            raise _damage(path, calls, "its checksum is wrong")
        records += _records(found, path, calls)
        end += len(found) + 1
    return records, len(lines), end


def _records(line: bytes, path: str, calls: int) -> list[Record]:
    """Return the records of a line whose checksum is right: no crash explains a fault found here."""
    try:
        call = json.loads(line, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        raise _damage(path, calls, "it is not plain JSON") from None
    if not isinstance(call, dict) or list(call) != ["n", "records", "crc"] or call["n"] != calls + 1:
        raise _damage(path, calls, "it does not follow the line before it")
    records: Any = call["records"]
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise _damage(path, calls, "it holds no records")
    return records


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _damage(path: str, calls: int, reason: str) -> JournalError:
    return JournalError(f"{path} is damaged in line {calls + 2}: {reason}; restore the file from a copy")


def refuse(data: bytes, path: str) -> NoReturn:
    """Say why a file that begins with `data` instead of HEADER is not opened."""
    if newer := NEWER.match(data):
        raise JournalError(f"{path} is by a newer unswayed (journal version {int(newer[1])}); update unswayed")
    raise JournalError(f"{path} is not an unswayed journal; it was left as it is: choose another file")
