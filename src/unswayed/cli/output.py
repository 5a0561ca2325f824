"""What commands print for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import typer


def print_json(record: Mapping[str, Any]) -> None:
    """Print one JSON object; numbers that JSON does not have (NaN, infinities) become null."""
    typer.echo(json.dumps(_plain(record), allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
