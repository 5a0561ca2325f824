"""Who may do what: a token is a name with a role, and only its hash is kept."""

from __future__ import annotations

import re
import secrets
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from hmac import compare_digest
from time import time
from typing import Any

from unswayed.core.data.measurement import Measurement
from unswayed.errors import InvalidInput, SystemFault
from unswayed.storage.database import Database

STUDY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
SEEN = 60.0  # seconds between two notes that a token was used
SESSION = 12 * 3600.0  # how long a browser stays logged in


class NameTaken(InvalidInput):
    """There is a token of this name, or of one that looks like it.

    Args:
        message: One line that says what to do.
    """


class LastOwner(InvalidInput):
    """The only token of an owner is not revoked.

    Args:
        message: One line that says what to do.
    """


class Role(StrEnum):
    """What a token may do.

    Attributes:
        OWNER: Everything.
        SOURCE: Ask, tell, fail and add in its own name, and read the settings; nothing else.
        READER: Read.
        WITNESS: Ask, tell and fail in its own name; what it tells is the result of a command that it ran, and signed.
    """

    OWNER = "owner"
    SOURCE = "source"
    READER = "reader"
    WITNESS = "witness"


@dataclass(frozen=True)
class Token:
    """A token that is valid.

    Attributes:
        name: Its name; what a source tells carries it.
        role: What it may do.
        study: The only study that it is for; None: all.
        hash: By which it is found.
    """

    name: str
    role: Role
    study: str | None
    hash: str

    @property
    def measures(self) -> bool:
        """Whether it measures, and speaks in its own name alone."""
        return self.role in (Role.SOURCE, Role.WITNESS)

    def reaches(self, study: str) -> bool:
        """Whether it is for a study."""
        return self.study is None or self.study == study


class Tokens:
    """The tokens of a database, and the browsers that have logged in with one."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seen: dict[str, float] = {}

    def make(self, name: str, role: str, study: str | None = None) -> str:
        """Make a token; it is shown now and never again.

        Args:
            name: Its name, which no other token has.
            role: owner, source, reader or witness.
            study: The only study that it is for; None: all.

        Raises:
            NameTaken: The name is taken, or looks like one that is.
            InvalidInput: The name is wrong, or there is no such role.
        """
        if role not in list(Role):
            raise InvalidInput(f"a role is one of {', '.join(Role)}, not {role!r}")
        if role == Role.OWNER and study is not None:
            raise InvalidInput("an owner owns all studies: leave the study out")
        if not isinstance(name, str) or not name.isprintable() or name != name.strip() or INVISIBLE.search(name):
            raise InvalidInput("the name of a token must be printable text without spaces around it")
        if study is not None and not (isinstance(study, str) and STUDY_NAME.fullmatch(study)):
            raise InvalidInput("the study of a token must be the name of a study, or left out")
        Measurement(0.0, name)  # it can be the name of a source
        alike = [row["name"] for row in self.rows() if alike_name(row["name"]) == alike_name(name)]
        if alike and alike != [name]:
            raise NameTaken(f"{name!r} looks like the token {alike[0]!r}: take another name")
        token = secrets.token_urlsafe(32)
        row = {"name": name, "role": str(role), "study": study, "hash": digest(token), "made": time()}
        if not self._database.put_token(row):
            raise NameTaken(f"there is a token {name!r} already: revoke it first, or take another name")
        return token

    def check(self, token: str) -> Token | None:
        """The token with this text; None if there is none."""
        return self._find(digest(token))

    def _find(self, hashed: str) -> Token | None:
        row = self._database.token(hashed)
        if row is None or not compare_digest(row["hash"], hashed):
            return None
        now = time()
        if now - self._seen.get(hashed, 0.0) > SEEN:
            self._seen[hashed] = now
            with suppress(SystemFault):  # only a note: reading works where nothing can be written
                self._database.token_seen(hashed, now)
        return Token(row["name"], Role(row["role"]), row["study"], hashed)

    def revoke(self, name: str) -> None:
        """Revoke a token.

        Raises:
            InvalidInput: There is none of that name.
            LastOwner: Nobody could make tokens afterwards.
        """
        if not self._database.drop_token(name, keep=Role.OWNER):
            if name in [row["name"] for row in self.rows()]:
                raise LastOwner(f"{name!r} is the last owner: make another one first")
            raise InvalidInput(f"there is no token {name!r}")

    def rows(self) -> list[dict[str, Any]]:
        """Name, role, study, and when each was made and last seen."""
        return [{key: one for key, one in row.items() if key != "hash"} for row in self._database.tokens()]

    def log_in(self, token: Token) -> str:
        """A cookie for a browser."""
        cookie = secrets.token_urlsafe(32)
        self._database.put_session(digest(cookie), token.hash, time() + SESSION)
        return cookie

    def logged_in(self, cookie: str) -> Token | None:
        """Who has this cookie."""
        hashed = self._database.session(digest(cookie))
        return None if hashed is None else self._find(hashed)

    def still_valid(self, token: Token, cookie: str | None) -> bool:
        """Whether a token that was valid, or the cookie that came in its place, is so now."""
        return (self._find(token.hash) if cookie is None else self.logged_in(cookie)) is not None

    def log_out(self, cookie: str) -> None:
        """Forget a cookie."""
        self._database.drop_session(digest(cookie))


def digest(secret: str) -> str:
    """What is kept of a secret: 32 random bytes cannot be guessed from it."""
    return sha256(secret.encode(errors="replace")).hexdigest()


def alike_name(name: str) -> str:
    """Equal for names that people cannot tell apart by case, width, accents composed in another way, or spaces."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())


def csrf(cookie: str) -> str:
    """What a form must carry: it can be computed from the cookie, which other sites do not know."""
    return digest(f"csrf {cookie}")
