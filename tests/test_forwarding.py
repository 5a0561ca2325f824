"""Settings declared as a dataclass are shown by everything that forwards them."""

import inspect
from dataclasses import MISSING, dataclass

import pytest

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
    assert Worker(size=2, hidden=True).settings == Settings(size=2, hidden=True)
    with pytest.raises(TypeError, match="shape"):
        work(1, size=2, shape=3)
