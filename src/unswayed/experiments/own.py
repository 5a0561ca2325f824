"""A user's own policies, attacks, problems and kernels: any name of the form module:attribute.

    policy    a function (problem, budget, horizon, settings) -> Policy
    attack    a function (problem) -> Adversary
    problem   a function (draw: int | None) -> Problem
    kernel    an object called as k(X, Z)

The module is imported, here and in the workers of a sweep. Its file is part of the fingerprint of a run, so a run is
repeated when the file changes; files that it imports in turn are not.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from unswayed.errors import InvalidInput

FORM = re.compile(r"[^\W\d][\w.]*:[^\W\d][\w.]*")


class Own(NamedTuple):
    """What a name of the form module:attribute stands for, and a digest of the module's file."""

    value: Any
    digest: str


def is_own(name: str) -> bool:
    """Whether a name has the form module:attribute."""
    return FORM.fullmatch(name) is not None and not name.lower().endswith(".csv")


def attribute(name: str) -> str:
    """The part behind the colon: what figures show."""
    return name.partition(":")[2]


@cache  # the digest must be that of the file as it was imported
def load_own(name: str) -> Own:
    """Import what `name` stands for.

    Args:
        name: module:attribute; the module must be importable from `sys.path`.

    Raises:
        InvalidInput: It cannot be imported, or cannot be called.
    """
    module = name.partition(":")[0]
    try:
        imported = import_module(module)
        value = attrgetter(attribute(name))(imported)
        source = Path(imported.__file__ or "").read_bytes()
    except (Exception, SystemExit) as error:  # importing runs any code, so anything may happen
        reason = " ".join(str(error).split())
        raise InvalidInput(f"cannot import {name}: {type(error).__name__}: {reason}") from None
    if not callable(value):
        raise InvalidInput(f"{name} must be a function or another object that can be called")
    return Own(value, hashlib.sha256(source).hexdigest())


def make_own(name: str, *arguments: Any, needs: str) -> Any:
    """Call the user's function and check that its result has all attributes that `needs` names."""
    try:
        made = load_own(name).value(*arguments)
    except Exception as error:  # the cause stays attached, for those who call this from Python
        raise InvalidInput(f"{name} raised {type(error).__name__}: {' '.join(str(error).split())}") from error
    if missing := [one for one in needs.split() if not hasattr(made, one)]:
        raise InvalidInput(f"{name} returned {type(made).__name__}, which has no attribute {missing[0]!r}")
    return made
