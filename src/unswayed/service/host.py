"""All studies of a database, by name."""

from __future__ import annotations

from threading import Lock
from typing import Any

from unswayed.errors import InvalidInput, JournalError
from unswayed.service.refused import Refused
from unswayed.service.shared import SharedStudy
from unswayed.service.tokens import STUDY_NAME, Tokens
from unswayed.spaces import space_from_record, space_from_tables
from unswayed.storage import MemoryJournal
from unswayed.storage.database import Database
from unswayed.study.header import Header, begin_journal
from unswayed.study.settings import Settings
from unswayed.witness.keys import SigningKey

LEASE = 300.0


class Host:
    """The studies and the tokens of a database.

    Args:
        database: Where they are.
        lease: Seconds a play stays reserved without a heartbeat.
        key: Signs what witnesses say; None: nobody can be a witness here.
    """

    def __init__(self, database: Database, lease: float = LEASE, key: SigningKey | None = None) -> None:
        self.database, self.lease, self.key, self.tokens = database, lease, key, Tokens(database)
        self._studies: dict[str, SharedStudy] = {}
        self._lock = Lock()

    def study(self, name: str, *, fresh: bool = True) -> SharedStudy:
        """The study of that name.

        Args:
            name: The name.
            fresh: With all that other servers have written. Whoever writes need not ask: writing takes it in.

        Raises:
            Refused: There is none.
        """
        found = self._studies.get(name)
        if found is None:
            with self._lock:
                if name not in self.database.studies():
                    raise Refused(404, "there is no such study")
                found = self._studies.get(name) or SharedStudy(self.database, name, self.key)
                self._studies[name] = found
        if found.stale or (fresh and not self.database.sqlite):  # a SQLite file has one server
            found.refresh()
        return found

    def names(self) -> list[str]:
        """The names of all studies."""
        return sorted(self.database.studies())

    def begin(self, name: object, space: object, given: dict[str, Any]) -> tuple[bool, SharedStudy]:
        """Begin a study, or find the one that has the same name and settings.

        Args:
            name: Its name.
            space: As in space.toml, or as a journal records it.
            given: The settings that are not to be the defaults.

        Returns:
            Whether it is new; the study.

        Raises:
            InvalidInput: The name, the space or a setting is wrong.
            Refused: The name has other settings.
        """
        if not isinstance(name, str) or not STUDY_NAME.fullmatch(name):
            raise InvalidInput("a study has a name of 1 to 100 letters, digits, dots, dashes or underscores")
        if not isinstance(space, dict) or not space:
            raise InvalidInput('a study needs a space, such as {"x": {"low": 0, "high": 1}}')
        varied = space_from_record(space) if isinstance(space.get("space"), str) else space_from_tables(space)
        try:
            wanted = Settings.from_record({"kernel": None, "parallel": None, **given})
        except (TypeError, KeyError, AttributeError) as error:
            raise InvalidInput(f"a setting is wrong: {error}") from None
        wanted.check(varied)
        draft = MemoryJournal()
        begin_journal(draft, varied, wanted)
        if self.database.begin(name, draft.read()) is not None:
            return True, self.study(name)
        known = self.study(name)
        header = Header.read(known.records()[:1], name)
        try:
            header.check_space(varied, name)
            changes = header.continued(known.study.settings, wanted, name)
        except JournalError as error:
            raise Refused(409, f"there is a study {name} already: {error}") from None
        if changes:
            raise Refused(409, f"there is a study {name} already with other {', '.join(changes)}: change it")
        return False, known
