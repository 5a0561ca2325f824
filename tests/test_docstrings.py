"""The examples in the docstrings of the lower floors run."""

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("name", ["text", "storage.journal", "programs.command"])
def test_examples(name):
    result = doctest.testmod(import_module(f"unswayed.{name}"))
    assert result.attempted > 0
    assert result.failed == 0
