"""Every public name explains itself: each parameter is documented, and the examples run."""

import doctest
import inspect
import re
from dataclasses import fields, is_dataclass
from enum import EnumType
from importlib import import_module

import pytest

import unswayed
from unswayed.adversaries.protocol import Adversary
from unswayed.core.gp.kernels import Kernel
from unswayed.policies.protocol import Policy
from unswayed.spaces.encoding import Encoding
from unswayed.spaces.space import Space

PROTOCOLS = (Policy, Kernel, Space, Encoding, Adversary)
OTHERS = ("text", "core.theory.cover", "storage.journal", "integrations.optuna", "experiments.settings")
MODULES = sorted({*unswayed._homes().values(), *(f"unswayed.{name}" for name in OTHERS)})
SECTION = re.compile(r"^(?:Args|Attributes):\n((?:[ \t]+.*\n|\n)*)", re.MULTILINE)


def documented(thing):
    """The names in the Args and Attributes sections of a docstring, and of what a class extends."""
    if inspect.isclass(thing) and len(bases := [base for base in thing.__mro__ if is_dataclass(base)]) > 1:
        return {name for base in bases for name in described(base)}
    return described(thing)


def described(thing):
    """The names in the Args and Attributes sections of a docstring."""
    text = inspect.cleandoc(thing.__doc__ or "") + "\n"
    return {name for section in SECTION.findall(text) for name in re.findall(r"^ {4}(\w+):", section, re.MULTILINE)}


def parameters(function):
    """The parameters that a caller gives: without self and cls, and without catch-alls."""
    names = list(inspect.signature(function).parameters.values())
    return [p.name for p in names if p.name not in ("self", "cls") and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def public_methods(cls):
    """Methods and class methods of our own classes, as plain functions."""
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("unswayed"):
            for name, member in vars(base).items():
                function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
                if inspect.isfunction(function) and not name.startswith("_"):
                    yield name, function


def in_a_protocol(cls, name, function):
    """Whether a protocol that the class follows documents this method: as many parameters, all of them."""
    for protocol in PROTOCOLS:
        method = vars(protocol).get(name)
        follows = all(hasattr(cls, member) for member, value in vars(protocol).items() if inspect.isfunction(value))
        if method is not None and follows and documented(method) == set(parameters(method)):
            return len(parameters(method)) == len(parameters(function))
    return False


def explained():
    """The public names that have parameters and examples: all but errors."""
    things = ((name, getattr(unswayed, name)) for name in unswayed.__all__)
    return [(name, thing) for name, thing in things if not (inspect.isclass(thing) and issubclass(thing, Exception))]


def undocumented(name, thing):
    """What a public name has and does not document, of itself and of its methods."""
    if is_dataclass(thing):
        wanted = {field.name for field in fields(thing) if not field.name.startswith("_")}
    elif isinstance(thing, EnumType):
        wanted = set(thing.__members__)
    else:
        wanted = set(parameters(thing))
    yield from (f"{name}: {one}" for one in sorted(wanted - documented(thing)))
    if inspect.isclass(thing):
        for method, function in public_methods(thing):
            if not in_a_protocol(thing, method, function):
                missing = set(parameters(function)) - documented(function)
                yield from (f"{name}.{method}: {one}" for one in sorted(missing))


def test_every_public_name_has_a_docstring():
    assert not [name for name in unswayed.__all__ if not getattr(unswayed, name).__doc__]


def test_every_parameter_is_documented():
    assert not [one for name, thing in explained() for one in undocumented(name, thing)]


def test_every_public_name_has_an_example():
    assert not [name for name, thing in explained() if ">>>" not in thing.__doc__]


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module):
    assert doctest.testmod(import_module(module)).failed == 0
