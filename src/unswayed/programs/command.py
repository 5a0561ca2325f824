"""A program as an objective: parameters in its command line, the measurement in the last line of its output."""

from __future__ import annotations

import errno
import json
import math
import numbers
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from signal import Signals
from typing import Any

import numpy as np

from unswayed.core.data.measurement import Measurement
from unswayed.errors import CannotStart, CommandFailed, CommandStopped, InvalidInput, SystemFault
from unswayed.programs.children import Children, Finished
from unswayed.text import printable
from unswayed.types import positive

BRACES = re.compile(r"(\{\{)|(\}\})|\{([^{}]+)\}|[{}]")
NUMBER = re.compile(rb"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")  # linear in the length of any line
NOT_FINITE = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)
ESCAPES = "write {{ and }} for braces themselves"
SHOWN_CHARACTERS = 200  # of foreign text in a message


@dataclass(frozen=True)
class Command:
    """A program and its arguments, with `{name}` where the value of a parameter goes.

    Write `{{` and `}}` for braces themselves; nothing else is special, and no shell is involved. Calling the command
    with a point runs the program without input and returns the number in the last line that it prints. When the
    program ends, all processes that it started are killed. Several threads may call the command at once.

    A word with a parameter that a point does not have is left out: `--C={C}` is gone if only some points have C. So
    write such a parameter and its option as one word, without other parameters in it.

    Args:
        template: The program and its arguments, a list of words.
        timeout: Kill the program after this many seconds; None for no limit.
        when: The condition of each parameter that only some points have.
        alone: Whether the measurement must be the only line that the program prints.

    Raises:
        InvalidInput: The template or the time limit is wrong, or it is not clear what to leave out.
        SystemFault: The system has no process groups (Windows).

    Example:
        >>> command = Command(["expr", "{x}", "*", "{y}"], timeout=10)
        >>> command.placeholders()
        ('x', 'y')
        >>> command({"x": 6, "y": 7})
        42.0
    """

    template: Sequence[str]
    timeout: float | None = field(default=None, kw_only=True)
    when: Mapping[str, object] = field(default_factory=dict, kw_only=True)
    alone: bool = field(default=False, kw_only=True)
    _children: Children = field(default_factory=Children, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not hasattr(os, "killpg"):
            raise SystemFault("running programs needs POSIX process groups, which this system lacks; use a function")
        words = tuple(self.template) if isinstance(self.template, Iterable) else (self.template,)
        if isinstance(self.template, str) or not all(isinstance(word, str) for word in words):
            raise InvalidInput("a command is a list of words: the program and its arguments")
        if not words or not words[0]:
            raise InvalidInput("a command needs at least the name of a program")
        object.__setattr__(self, "template", words)
        if self.timeout is not None:
            object.__setattr__(self, "timeout", positive(self.timeout, "the time limit"))
        for before, word in zip(("", *words), words, strict=False):
            self._check_word(before, word)

    def placeholders(self) -> tuple[str, ...]:
        """Return the names in braces, each once, in the order of the command line."""
        return tuple(dict.fromkeys(name for word in self.template for name in _names(word)))

    def _check_word(self, before: str, word: str) -> None:
        """Refuse a word if it is not clear what to do with it at a point without its parameter."""
        names = _names(word)
        some = [name for name in names if name in self.when]
        if not some:
            return
        gone = f"{_braced(some[:1])} is left out where a point does not have it"
        if not before:
            raise InvalidInput(f"{gone}, so it cannot be the program")
        if any(self.when.get(name) != self.when[some[0]] for name in names):
            raise InvalidInput(f"{gone}, with all of {_shown(word)}: put {_braced(names)} into words of their own")
        if before.startswith("-") and "=" not in before and not _names(before):
            joined = f"{before}={word}"
            raise InvalidInput(f"{gone}, but {_shown(before)} would stay: write {_shown(joined)} as one word")

    def check(self, names: Iterable[str]) -> None:
        """Check that the command uses every parameter and nothing else.

        Args:
            names: The names of the parameters.

        Raises:
            InvalidInput: A placeholder is not a parameter, or a parameter has no placeholder.
        """
        known, asked = list(names), self.placeholders()
        if unknown := [name for name in asked if name not in known]:
            given = f"the command asks for {_braced(unknown)}, but the parameters are {_braced(known)}"
            raise InvalidInput(f"{given}; {ESCAPES}")
        if unused := [name for name in known if name not in asked]:
            raise InvalidInput(f"the command does not use {_braced(unused)}; put every parameter into it")

    def arguments(self, point: Mapping[str, Any]) -> list[str]:
        """Return the command line for a point.

        Args:
            point: The value of each parameter, by name. Words with a parameter that it does not have are left out, if
                that is in `when`.

        Raises:
            InvalidInput: A value is missing, or is not a number, a bool or text.
        """
        gone = {name for name in self.when if name not in point}
        words = [word for word in self.template if gone.isdisjoint(_names(word))]
        values = {name: _text(point, name) for name in self.placeholders() if name not in gone}
        return [BRACES.sub(lambda match: values.get(match[3], match[0][0]), word) for word in words]

    def __call__(self, point: Mapping[str, Any]) -> float | Measurement:
        """Run the program for a point and return its measurement.

        Args:
            point: The value of each parameter, by name.

        Returns:
            The number in the last line of the output; a `Measurement` if that line is an object such as
            {"value": 0.031, "trials": 2000, "source": "lab-2"}.

        Raises:
            CommandFailed: The program failed, ran too long or printed no finite number.
            CannotStart: The program could not be started, whatever the point.
            CommandStopped: `stop` was called.
            InvalidInput: A value is missing, or is not a number, a bool or text.
        """
        arguments = self.arguments(point)
        try:
            finished = self._children.run(arguments, self.timeout)
        except CommandStopped:
            raise
        except TimeoutError:
            raise CommandFailed(f"the command ran over its time limit of {self.timeout:g} s and was killed") from None
        except OSError as error:
            hosts = error.errno != errno.E2BIG and not BRACES.search(self.template[0])
            kind = CannotStart if hosts else CommandFailed
            raise kind(f"cannot start {_shown(arguments[0])}: {error.strerror}") from None
        except ValueError as error:  # a null byte or half a character in an argument
            raise CommandFailed(f"cannot start {_shown(arguments[0])}: {error}") from None
        if self.alone and not finished.code and finished.stdout.more_lines:
            raise CommandFailed("the command printed more than its measurement: print the rest to standard error")
        return _measurement(finished)

    def wait(self, seconds: float) -> None:
        """Wait, but no longer than until `stop` is called.

        Args:
            seconds: How long.

        Raises:
            CommandStopped: `stop` was called.
        """
        self._children.wait(seconds)

    def stop(self) -> None:
        """Kill all running programs and start no more; all calls raise CommandStopped. Any thread may call this."""
        self._children.stop()


def _names(word: str) -> list[str]:
    """The names in braces in a word."""
    names = []
    for match in BRACES.finditer(word):
        if match[0] in ("{", "}"):
            raise InvalidInput(f"an unmatched {match[0]} in {_shown(word)}: {ESCAPES}")
        if match[3]:
            names.append(match[3])
    return names


def _text(point: Mapping[str, Any], name: str) -> str:
    """Return the value of a parameter as text: floats with all their digits, true and false in lower case."""
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
        return str.__str__(value)  # str() of an enumeration of texts would give its name
    raise InvalidInput(f"{_braced([name])} must be a number, true, false or text, not {type(value).__name__}")


def _measurement(finished: Finished) -> float | Measurement:
    """Return the number or the object in the last line of the output, if the program ended without an error."""
    complaint = f": {printable(line, limit=SHOWN_CHARACTERS)}" if (line := finished.stderr.last_line()) else ""
    if code := finished.code:
        end = f"was killed by {_signal(-code)}" if code < 0 else f"ended with exit code {code}"
        raise CommandFailed(f"the command {end}", complaint)
    line = finished.stdout.last_line()
    if not line:
        reason = "ended its output with a line that is too long" if finished.stdout.cut else "printed nothing"
        raise CommandFailed(f"the command {reason}; its last line must be one number", complaint)
    if line.lstrip().startswith(b"{"):
        return _object(line)
    number = float(line) if NUMBER.fullmatch(line) else math.nan
    if math.isfinite(number):
        return number
    finite = "finite " if math.isinf(number) or NOT_FINITE.fullmatch(line) else ""
    raise CommandFailed(f"the last line of the command's output must be one {finite}number", f", not {_shown(line)}")


def _object(line: bytes) -> Measurement:
    """Return the measurement that an object of JSON describes."""
    try:
        told = json.loads(line)
        if isinstance(told.get("value"), bool | str):
            raise TypeError
        return Measurement(**told)
    except InvalidInput as error:
        raise CommandFailed("the command printed no measurement", f": {_shown(line)}: {error}") from None
    except (ValueError, TypeError, AttributeError, RecursionError):
        keys = "an object may have value, source, noise_std and trials, and needs a value that is a number"
        raise CommandFailed(f"the command printed no measurement; {keys}", f": {_shown(line)}") from None


def _signal(number: int) -> str:
    try:
        return f"signal {number} ({Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def _braced(names: Sequence[str]) -> str:
    return printable(", ".join(f"{{{name}}}" for name in names), limit=SHOWN_CHARACTERS) or "none"


def _shown(text: str | bytes) -> str:
    return f"'{printable(text, limit=SHOWN_CHARACTERS)}'"
