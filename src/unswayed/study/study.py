"""A study as its records tell it: `unswayed.Study`, which reads and never writes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from threading import RLock
from typing import TYPE_CHECKING

import numpy as np

from unswayed.core.data.rows import numbered_rows
from unswayed.core.data.threads import one_thread
from unswayed.core.tampering.trust import TrustLevel, trust_ranks
from unswayed.errors import InvalidInput, JournalError
from unswayed.search.answer import Answer
from unswayed.search.play import Play, Status, history
from unswayed.spaces import Duels, Space
from unswayed.storage import read_journal
from unswayed.study.duel_answer import DuelAnswer
from unswayed.study.dueling import search_of
from unswayed.study.header import read_state
from unswayed.study.settings import Settings
from unswayed.study.state import State
from unswayed.text import notebook_html, printable
from unswayed.types import whole

if TYPE_CHECKING:
    import pyarrow as pa


NEWEST = 10  # plays that a notebook shows


class Study:
    """What is known of a study. `Study.read` needs no permission to write, and works while another process measures.

    Args:
        state: Its settings and plays, which `Study.read` takes from a journal.

    Example:
        >>> import os, tempfile
        >>> import unswayed as uw
        >>> path = os.path.join(tempfile.mkdtemp(), "study.jsonl")
        >>> with uw.Optimizer(uw.Options(["a", "b"]), journal=path, seed=0) as writing:
        ...     (play,) = writing.ask()
        ...     reading = uw.Study.read(path)
        >>> len(reading.log), len(reading.open_plays())
        (1, 1)
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._lock = RLock()
        self._search = search_of(state)

    @classmethod
    def read(cls, journal: str | os.PathLike[str], space: Space | None = None) -> Study:
        """The study of a journal, as it is now.

        Args:
            journal: The file.
            space: What may be varied, if the journal does not hold it: a table of very many options.

        Returns:
            The study as it is now; it does not follow the file.

        Raises:
            InvalidInput: `journal` is not the name of a file.
            JournalError: There is no such file, or it is no journal of a study.
        """
        name = journal_name(journal)
        return Study(read_state(read_journal(name), name, space))

    @property
    def space(self) -> Space:
        """What may be varied."""
        return self._state.space

    @property
    def settings(self) -> Settings:
        """The settings, as they are now."""
        return self._state.settings

    @property
    def seed(self) -> int:
        """The seed of the study, given or drawn."""
        return whole(self.settings.seed, "the seed", least=0)

    @property
    def log(self) -> tuple[Play, ...]:
        """Every play, in order. This does not wait for another thread that asks."""
        return self._state.shown

    @property
    def plays_left(self) -> int | None:
        """How many plays may still be asked for; None if there is no limit."""
        limit = self.settings.plays
        return None if limit is None else max(limit - self._state.asked, 0)

    def trust(self) -> list[TrustLevel | None]:
        """The trust level of the measurement of each play; None where none counts."""
        log = self.log
        counted = [play for play in log if play.measured]
        if not counted:
            return [None for _ in log]
        arms = numbered_rows(self.space.encode([play.point for play in counted]))[1]
        number: dict[str | None, int] = {}
        sources = np.array([number.setdefault(play.source, len(number)) for play in counted])
        ranks = iter(trust_ranks(np.array([play.witnessed for play in counted]), arms, sources))
        return [list(TrustLevel)[next(ranks)] if play.measured else None for play in log]

    def open_plays(self) -> list[Play]:
        """The plays that were asked for and not answered. After a crash, measure these first."""
        return [self._state.log[number] for number in sorted(self._state.waiting)]

    def answer(self) -> Answer | DuelAnswer:
        """The recommended point with estimate, certificate and breakdown, from all answers so far.

        Returns:
            The answer; of duels, a `DuelAnswer`. It depends on the log alone, not on past questions.

        Raises:
            InvalidInput: No measurement counts; the message says why.
        """
        with self._lock, one_thread():
            if not any(play.measured for play in self.log):
                raise InvalidInput(_no_answer(self.log))
            return self._search.answer()

    def _repr_html_(self) -> str:
        """What notebooks show: what is varied, how many plays there are of each status, and the newest of them."""
        log = self.log
        counts = Counter(str(play.status) for play in log)
        lines = [f"{type(self).__name__} over {printable(', '.join(self.space.names), limit=200)}"]
        lines.append(", ".join(f"{count:,} {status}" for status, count in counts.items()) or "no plays so far")
        rows = [
            (f"{play.number}", self.space.describe(play.point), str(play.status), _shown(play.value), play.source or "")
            for play in log[-NEWEST:]
        ]
        return notebook_html(lines, "The newest plays", ("play", "point", "status", "value", "source"), rows)

    def history(self) -> pa.Table:
        """Every play as a row of a table: number, parameters, value, status, reason, why, and what else was told.

        A vote that counts has a `winner`, as `unswayed audit` reads it.
        """
        plays, space = self.log, self.space
        table = history(plays, space.names)
        if not isinstance(space, Duels):
            return table
        winners = [space.winner(play.point, play.value or 0.0) if play.measured else None for play in plays]
        return table.append_column("winner", [winners])


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _no_answer(log: Sequence[Play]) -> str:
    reason = next((play.reason for play in reversed(log) if play.reason), None)
    if reason is None:
        return "nothing has been measured yet: there is nothing to recommend"
    lost = any(play.status in (Status.RETRACTED, Status.QUARANTINED) for play in log)
    said = "no measurement counts any more" if lost else "no play could be measured"
    return f"{said}; the last reason: {reason}"


def why_no_answer(log: Sequence[Play]) -> str:
    """Why there is no answer, in one line, where no measurement counts."""
    aside = Counter(str(play.status) for play in log if play.status is not Status.OPEN)
    if not aside:
        return "Nothing has been measured so far."
    return f"No measurement counts: {', '.join(f'{count:,} {status}' for status, count in aside.items())}."


def journal_name(journal: object) -> str:
    """The name of a file that is there."""
    if not isinstance(journal, str | os.PathLike) or not isinstance(os.fspath(journal), str):
        raise InvalidInput(f"journal must be the name of a file, not {type(journal).__name__}")
    name = str(os.fspath(journal))
    if not os.path.exists(name):
        raise JournalError(f"there is no journal {name}")
    return name
