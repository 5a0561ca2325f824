"""One evaluation of any program: parameters in its command line, the measurement in its last line of output."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from signal import Signals
from typing import Any

import numpy as np

from unswayed.errors import CommandFailed, CommandStopped, InvalidInput
from unswayed.programs.children import Children, Finished, Stopped
from unswayed.types import positive

BRACES = re.compile(r"(\{\{)|(\}\})|\{([^{}]+)\}|[{}]")
NUMBER = re.compile(rb"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")  # linear in the length of any line
NOT_FINITE = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)
SHOWN = 200


@dataclass(frozen=True)
class Command:
    """A program and its arguments, with `{name}` where the value of a parameter goes.

    Doubled braces stand for single ones; nothing else is special, and no shell is involved. Calling it with a point
    runs the program, in a session of its own and without input, for at most `timeout` seconds, and returns the
    number in the last line that it prints. Several threads may call it at once.
    """

    template: Sequence[str]
    timeout: float | None = field(default=None, kw_only=True)
    _children: Children = field(default_factory=Children, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.template, str) or not all(isinstance(word, str) for word in self.template):
            raise InvalidInput("a command is a list of words: the program and its arguments")
        if not self.template or not self.template[0]:
            raise InvalidInput("a command needs at least the name of a program")
        object.__setattr__(self, "template", tuple(self.template))
        if self.timeout is not None:
            object.__setattr__(self, "timeout", positive(self.timeout, "the time limit"))
        self.placeholders()

    def placeholders(self) -> tuple[str, ...]:
        """The names in braces, each once, in the order of the command line."""
        found: dict[str, None] = {}
        for word in self.template:
            for match in BRACES.finditer(word):
                if match[0] in ("{", "}"):
                    raise InvalidInput(
                        f"a lone {match[0]} in {_shown(word)}: write {{{{ and }}}} for braces themselves"
                    )
                if match[3]:
                    found[match[3]] = None
        return tuple(found)

    def check(self, names: Iterable[str]) -> None:
        """Refuse a command that asks for something that is no parameter, or leaves a parameter out."""
        known, asked = list(names), self.placeholders()
        if unknown := [name for name in asked if name not in known]:
            raise InvalidInput(
                f"the command asks for {_braced(unknown)}, but the parameters are {_braced(known)}; "
                "write {{ and }} for braces themselves"
            )
        if unused := [name for name in known if name not in asked]:
            raise InvalidInput(f"the command does not use {_braced(unused)}; put every parameter into it")

    def arguments(self, point: Mapping[str, Any]) -> list[str]:
        """The command line for `point`."""
        values = {name: _text(point, name) for name in self.placeholders()}

        def fill(match: re.Match[str]) -> str:
            return values[match[3]] if match[3] else match[0][0]

        return [BRACES.sub(fill, word) for word in self.template]

    def __call__(self, point: Mapping[str, Any]) -> float:
        """Run the program for `point` and return its measurement; raises CommandFailed or CommandStopped."""
        arguments = self.arguments(point)
        try:
            finished = self._children.run(arguments, self.timeout)
        except Stopped:
            raise CommandStopped("the command was stopped") from None
        except TimeoutError:
            raise CommandFailed(f"the command ran over its time limit of {self.timeout:g} s and was killed") from None
        except OSError as error:
            raise CommandFailed(f"cannot start {_shown(arguments[0])}: {error.strerror}") from None
        except ValueError as error:  # a NUL or half a character in an argument
            raise CommandFailed(f"cannot start {_shown(arguments[0])}: {error}") from None
        return _measurement(finished)

    def stop(self) -> None:
        """Kill every program under way and start no more; all calls raise CommandStopped. For any thread."""
        self._children.stop()


def _text(point: Mapping[str, Any], name: str) -> str:
    """The value of a parameter as a program reads it: floats with all their digits, true and false in lower case."""
    if name not in point:
        raise InvalidInput(f"the command asks for {_braced([name])}, which the point does not have")
    value = point[name]
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, str):
        return str.__str__(value)  # an enumeration of texts would print its name
    raise InvalidInput(f"{_braced([name])} must be a number, true, false or text, not {type(value).__name__}")


def _measurement(finished: Finished) -> float:
    """The number in the last line of the output of a program that has ended well."""
    if finished.code < 0:
        raise CommandFailed(f"the command was killed by {_signal(-finished.code)}{_complaint(finished)}")
    if finished.code > 0:
        raise CommandFailed(f"the command ended with exit code {finished.code}{_complaint(finished)}")
    line = finished.stdout.last_line()
    if not line:
        reason = "ended its output with a line too long" if finished.stdout.cut else "printed nothing"
        raise CommandFailed(f"the command {reason}; its last line must be one number{_complaint(finished)}")
    number = float(line) if NUMBER.fullmatch(line) else math.nan
    if math.isfinite(number):
        return number
    if math.isinf(number) or NOT_FINITE.fullmatch(line):
        raise CommandFailed(f"the command printed {_shown(line)}; the measurement must be a finite number")
    raise CommandFailed(f"the last line of the command's output must be one number, not {_shown(line)}")


def _complaint(finished: Finished) -> str:
    line = finished.stderr.last_line()
    return f": {_shown(line, quote=False)}" if line else ""


def _signal(number: int) -> str:
    try:
        return f"signal {number} ({Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def _braced(names: Sequence[str]) -> str:
    return _shown(", ".join(f"{{{name}}}" for name in names), quote=False) or "none"


def _shown(text: str | bytes, *, quote: bool = True) -> str:
    """Foreign text for a message: one line, not too long, and nothing in it that a terminal would obey."""
    if isinstance(text, bytes):
        text = text[: 4 * SHOWN].decode("utf-8", "backslashreplace")
    plain = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: SHOWN + 1])
    plain = plain if len(plain) <= SHOWN else plain[:SHOWN] + "..."
    return f"'{plain}'" if quote else plain
