"""Settings that are declared once, as a dataclass, and shown by everything that takes them as keywords.

    @dataclass(frozen=True, kw_only=True)
    class Settings:
        delta: float = setting("Probability of failure.", 0.05)

    @forwards(Settings)
    def work(x: float, **settings: Unpack[SettingsArgs]) -> None: ...

`help(work)` and `inspect.signature(work)` then show `delta` and what it means. Static tools read the TypedDict
`SettingsArgs`; a test compares it with the dataclass.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import MISSING, Field, field, fields
from typing import Any, TypeVar

T = TypeVar("T")
PLACE = "{settings}"


def setting(doc: str, default: Any = MISSING) -> Any:
    """A field of a dataclass of settings, with the sentence that `help()` shows for it."""
    return field(default=default, metadata={"doc": doc})


def forwards(
    settings: type, *, without: Collection[str] = (), required: Collection[str] = (), **docs: str
) -> Callable[[T], T]:
    """Show the fields of `settings` in place of **settings in the signature and the docstring.

    Args:
        settings: A dataclass whose fields were made by `setting`.
        without: Fields that are not to be shown.
        required: Fields that are shown without their default.
        **docs: Other sentences for some of the fields.

    Returns:
        A decorator for a function, or for a class whose `__init__` takes **settings. In the docstring, the line
        `{settings}` is replaced by the fields.
    """
    shown = [one for one in fields(settings) if one.name not in without]

    def decorate(target: T) -> T:
        function: Any = target.__init__ if inspect.isclass(target) else target
        function.__signature__ = _signature(function, shown, required)
        text = "\n        ".join(f"{one.name}: {docs.get(one.name, one.metadata['doc'])}" for one in shown)
        target.__doc__ = (target.__doc__ or "").replace(PLACE, text)
        return target

    return decorate


def _signature(function: Callable[..., Any], shown: list[Field[Any]], required: Collection[str]) -> inspect.Signature:
    signature = inspect.signature(function)
    plain = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    added = [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if one.default is MISSING or one.name in required else one.default,
            annotation=one.type,
        )
        for one in shown
    ]
    first = [one for one in plain if one.kind is not one.KEYWORD_ONLY]
    return signature.replace(parameters=[*first, *added, *(one for one in plain if one.kind is one.KEYWORD_ONLY)])
