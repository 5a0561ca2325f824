"""Settings declared as a dataclass are shown by everything that forwards them."""

import inspect
from dataclasses import MISSING, dataclass

import pytest

from unswayed.errors import InvalidInput
from unswayed.forwarding import forwards, setting


@dataclass(frozen=True, kw_only=True)
class Settings:
    size: int = setting("How large it is.")
    colour: str = setting("Which colour it has.", "red")
    hidden: bool = setting("Not for everybody.", False)


@forwards(Settings, without=("hidden",), colour="Another sentence.")
def work(x, *, journal=None, **settings):
    """Do the work.

    Args:
        x: Where.
        {settings}
        journal: A file.
    """
    return x, journal, Settings(**settings)


@forwards(Settings, defaults={"colour": MISSING})
class Worker:
    """Does the work.

    Args:
        {settings}
    """

    def __init__(self, **settings):
        self.settings = Settings(**settings)


def test_the_signature_shows_the_fields_with_their_defaults():
    assert str(inspect.signature(work)) == "(x, *, size: int, colour: str = 'red', journal=None)"
    assert str(inspect.signature(Worker)) == "(*, size: int, colour: str, hidden: bool = False)"


def test_the_docstring_shows_their_sentences_where_they_belong():
    lines = [line.strip() for line in inspect.getdoc(work).splitlines()]
    assert lines[3:] == ["x: Where.", "size: How large it is.", "colour: Another sentence.", "journal: A file."]
    assert "hidden: Not for everybody." in inspect.getdoc(Worker)


def test_calls_are_as_before():
    assert work(1, size=2) == (1, None, Settings(size=2))
    assert Worker(size=2, colour="red", hidden=True).settings == Settings(size=2, hidden=True)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: work(1, size=2, shape=3), "work: got an unexpected keyword argument 'shape'"),
        (lambda: work(1), "work: missing a required .*argument: 'size'"),
        (lambda: Worker(size=2), "Worker: missing a required .*argument: 'colour'"),
    ],
)
def test_a_missing_or_unknown_setting_is_one_line_that_names_it(call, words):
    with pytest.raises(InvalidInput, match=words):
        call()
