"""Settings that are declared once, as a dataclass, and shown by everything that takes them as keywords.

    @dataclass(frozen=True, kw_only=True)
    class Settings:
        delta: float = setting("Probability of failure.", 0.05)

    @forwards(Settings)
    def work(x: float, **settings: Unpack[SettingsArgs]) -> None: ...

`help(work)` and `inspect.signature(work)` then show `delta` and what it means, and a misspelt setting is
refused. Static tools read the TypedDict `SettingsArgs`; a test compares it with the dataclass.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, Field, field, fields
from functools import wraps
from typing import Any, TypeVar

from unswayed.errors import InvalidInput

T = TypeVar("T")
PLACE = "{settings}"


def setting(doc: str, default: Any = MISSING) -> Any:
    """A field of a dataclass of settings, with the sentence that `help()` shows for it."""
    return field(default=default, metadata={"doc": doc})


def forwards(
    *settings: type, without: Collection[str] = (), defaults: Mapping[str, Any] | None = None, **docs: str
) -> Callable[[T], T]:
    """Show the fields of `settings` in place of **settings in the signature and the docstring.

    Args:
        *settings: Dataclasses whose fields were made by `setting`.
        without: Fields that are not to be shown.
        defaults: Other defaults for some of the fields; MISSING stands for none.
        **docs: Other sentences for some of the fields.

    Returns:
        A decorator for a function, or for a class whose `__init__` takes **settings. In the docstring, the line
        `{settings}` is replaced by the fields.
    """
    shown = [one for kind in settings for one in fields(kind) if one.name not in without]
    added = [_parameter(one, (defaults or {}).get(one.name, one.default)) for one in shown]
    lines = [f"{one.name}: {docs.get(one.name, one.metadata['doc'])}" for one in shown]

    def decorate(target: Any) -> Any:
        indent = re.search(r"^( *)\{settings\}", target.__doc__ or "", re.MULTILINE)
        target.__doc__ = (target.__doc__ or "").replace(PLACE, f"\n{indent[1] if indent else ''}".join(lines))
        of_class: Any = target if inspect.isclass(target) else None
        function: Any = of_class.__init__ if of_class else target
        signature = inspect.signature(function)
        own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        named = [one for one in own if one.kind is one.KEYWORD_ONLY]
        checked = _checked(
            function,
            signature.replace(parameters=[*own[: len(own) - len(named)], *added, *named]),
            of_class.__name__ if of_class else function.__name__,
        )
        if of_class:
            of_class.__init__ = checked
        return of_class or checked

    return decorate


def _parameter(one: Field[Any], default: Any) -> inspect.Parameter:
    kind: Any = one.type
    if isinstance(kind, str) and default in (MISSING, None):
        kind = kind.removesuffix(" | None") + (" | None" if default is None else "")
    shown = inspect.Parameter.empty if default is MISSING else default
    return inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=shown, annotation=kind)


def _checked(function: Callable[..., Any], signature: inspect.Signature, name: str) -> Any:
    """`function` with this signature; a missing or unknown argument is one clear line that names it."""

    @wraps(function)
    def checked(*arguments: Any, **settings: Any) -> Any:
        try:
            signature.bind(*arguments, **settings)
        except TypeError as error:
            raise InvalidInput(f"{name}: {error}") from None
        return function(*arguments, **settings)

    checked.__signature__ = signature  # type: ignore[attr-defined]
    return checked
