"""Ask and tell over a journal: `unswayed.Optimizer`.

The journal is the truth; the state is a fold over it. Answers enter the search in the order of their plays, whichever
is finished first: play k is chosen from the answers of plays up to k - parallel and from the points of those after. So
what is asked does not depend on time, and a study that is read back continues as if it had never stopped.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import Any, Self, Unpack

from unswayed.core.data.measurement import Measurement
from unswayed.core.data.threads import one_thread
from unswayed.errors import InvalidInput
from unswayed.forwarding import forwards
from unswayed.programs.command import Command
from unswayed.progress import progress_bar
from unswayed.search.play import Play, Status
from unswayed.spaces import Box, Options, Space
from unswayed.storage import FileJournal, Journal
from unswayed.study.edited import Edited
from unswayed.study.header import Header, begin_journal, open_journal
from unswayed.study.reading import journal_name
from unswayed.study.result import Result
from unswayed.study.run import Advance, RunArgs, RunOptions, measure
from unswayed.study.settings import Settings, StudyArgs
from unswayed.study.state import State, plain
from unswayed.study.workers import Objective
from unswayed.types import whole


@forwards(Settings)
class Optimizer(Edited):
    """Finds the best point of a space by measurements, some of which may lie.

    Args:
        space: What may be varied: a `Box` or `Options`.
        journal: A file that keeps every record; an existing one is continued, and its settings must agree, except
            that `plays` may grow. A `Journal` of your own, or None to keep nothing.
        {settings}

    Raises:
        InvalidInput: An argument is wrong.
        JournalError: The journal is damaged, in use, or belongs to another study.

    Example:
        >>> import unswayed as uw
        >>> study = uw.Optimizer(uw.Box({"x": uw.Real(0, 1)}), threat=0.5, seed=0)
        >>> for play in study.ask(3):
        ...     study.tell(play, -((play.point["x"] - 0.3) ** 2))
        >>> len(study.log)
        3
    """

    def __init__(
        self, space: Space, *, journal: str | os.PathLike[str] | Journal | None = None, **settings: Unpack[StudyArgs]
    ) -> None:
        if not isinstance(space, Box | Options):
            raise InvalidInput(f"the space must be a Box or Options, not {type(space).__name__}")
        wanted = Settings(**settings)
        wanted.check(space)  # before a journal is made
        file = open_journal(journal)
        try:
            super().__init__(begin_journal(file, space, wanted), file)
        except BaseException:
            file.close()
            raise

    @classmethod
    def open(cls, journal: str | os.PathLike[str]) -> Self:
        """The study of an existing journal, with the settings it was begun with.

        Args:
            journal: The file.

        Returns:
            The study.

        Raises:
            InvalidInput: `journal` is not the name of a file.
            JournalError: There is no such file, it is no journal of a study, or it does not hold its space.
        """
        file = FileJournal(journal_name(journal))
        try:
            records = file.read()
            header = Header.read(records, file.path)
            space = header.own_space(file.path)
            settings: Any = vars(State.of(space, header.settings, records).settings)
            return cls(space, journal=file, **settings)
        except BaseException:
            file.close()
            raise

    def __repr__(self) -> str:
        journal = getattr(self._journal, "path", None)
        return f"Optimizer({self.space!r}, plays={len(self._state.log)}, journal={journal!r})"

    def ask(self, n: int = 1, *, source: str | None = None) -> list[Play]:
        """The next plays, recorded. They spread over the space while others are open.

        Args:
            n: How many; fewer are returned when the plays of the study are used up.
            source: Who will measure them, if that is known: doubtful values are measured again by another source.

        Returns:
            Open plays, to be measured and told.
        """
        with self._lock, one_thread():
            n = whole(n, "the number of plays", least=0, most=100_000)
            left = n if self.plays_left is None else min(n, self.plays_left)
            if left < 1:
                return []
            chosen = self._search.choose(left, source)
            fit = self._search.new_fit
            who = {} if source is None else {"source": Measurement(0.0, source).source}
            first = len(self._state.log)
            asked = ({"play": first + i, "point": plain(x), "why": str(why)} for i, (x, why) in enumerate(chosen))
            fits = () if fit is None else ({"kind": "fit", **fit},)
            self._record(*fits, *({"kind": "ask", **record, **who} for record in asked))
            return self._state.log[first:]

    @forwards(RunOptions)
    def run(self, objective: Objective | Command, **options: Unpack[RunArgs]) -> Result:
        """Measure until the plays of the study are used up. Open plays come first.

        Args:
            objective: A function of a point, or a `Command`.
            {settings}

        Returns:
            The answer and the plays.

        Raises:
            InvalidInput: The study has no limit of plays, or no play could be measured.
            SystemFault: The workers are gone.
        """
        how = RunOptions(**options)
        how.check(objective)
        if self.settings.plays is None:
            raise InvalidInput("a study that is run needs a number of plays: Optimizer(..., plays=)")
        bar = progress_bar("Measuring", self.settings.plays) if how.progress else nullcontext(lambda count: None)
        with bar as advance:
            advance(sum(play.status is not Status.OPEN for play in self.log))
            measure(self, objective, how, Advance(self, how.callback, advance))
        return self.result()
