"""placeholder, replaced on merge"""

import json
import math
from typing import Any

import typer


def _finite(x: Any) -> Any:
    if isinstance(x, float) and not math.isfinite(x):
        return None
    if isinstance(x, dict):
        return {k: _finite(v) for k, v in x.items()}
    return [_finite(v) for v in x] if isinstance(x, (list, tuple)) else x


def print_json(record: Any) -> None:
    """Print it."""
    typer.echo(json.dumps(_finite(record), allow_nan=False))
