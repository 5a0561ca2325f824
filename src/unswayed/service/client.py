"""`unswayed.connect`: a study on a server, with the verbs of `Optimizer`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack
from urllib.parse import quote, urlsplit

from unswayed.core.data.measurement import Measurement
from unswayed.core.tampering.threat import Threat
from unswayed.errors import InvalidInput
from unswayed.search.play import Play, Status
from unswayed.service.requests import PATIENCE, Server
from unswayed.spaces import Duels, Point, Space, space_from_record
from unswayed.storage import Record
from unswayed.study.header import Header
from unswayed.study.settings import Settings, StudyArgs
from unswayed.study.state import State, plain
from unswayed.study.study import Study
from unswayed.text import printable


def connect(url: str, token: str, study: str | None = None, *, patience: float = PATIENCE) -> Remote:
    """A study on a server. What could not be sent is sent again with the same key, so nothing is counted twice.

    Args:
        url: The server, such as `http://127.0.0.1:8711`, or the page of a study.
        token: What the owner made with `unswayed token`.
        study: The name of the study, if the address does not hold it.
        patience: For how many seconds the server may be away.

    Returns:
        The study.

    Raises:
        InvalidInput: The address is wrong.

    Example:
        >>> study = connect("http://127.0.0.1:8711", "a token", "alloy")  # nothing is sent before the first verb
        >>> study
        Remote(http://127.0.0.1:8711/studies/alloy)
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidInput(f"a server is http://HOST:PORT, not {printable(url, limit=100)}")
    words = [word for word in parts.path.split("/") if word]
    if study is None and len(words) == 2 and words[0] == "studies":
        study = words[1]
    if study is None:
        raise InvalidInput("name the study: connect(url, token, study=...), or give the address of its page")
    return Remote(Server(f"{parts.scheme}://{parts.netloc}", token, patience), study)


class Remote:
    """A study on a server, with the verbs of `Optimizer`. Several threads may use it.

    Args:
        server: Where it is.
        study: The name of the study.
    """

    def __init__(self, server: Server, study: str) -> None:
        self.server, self.study = server, study

    def __repr__(self) -> str:
        return f"Remote({self.server.address}/studies/{self.study})"

    def __enter__(self) -> Remote:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection of this thread. Closing twice is harmless."""
        self.server.close()

    # verbs

    def begin(self, space: Space, *, duels: bool = False, **settings: Unpack[StudyArgs]) -> dict[str, Any]:
        """Begin the study; harmless if there is one of the same name with the same settings. For owners.

        Args:
            space: What may be varied.
            duels: Whether options are compared in pairs, as in `Optimizer`.
            **settings: As in `Optimizer`; by default each play is chosen from all answers so far.

        Returns:
            Its settings, counts and state.
        """
        given = Settings(**{"parallel": None, **settings}).record()  # type: ignore[arg-type]
        varied = Duels.of(space) if duels else space
        body = {"name": self.study, "space": varied.record(), **given}
        found: dict[str, Any] = self.server.send("POST", "/api/v1/studies", body)
        return found

    def ask(self, n: int = 1, *, source: str | None = None) -> list[Play]:
        """The caller's open plays, then new ones, up to n; none when all are handed out.

        Args:
            n: How many.
            source: For whom; for owners.
        """
        body = {"n": n} if source is None else {"n": n, "source": source}
        plays = self._post("ask", body)["plays"]
        return [Play(play["number"], _point(play["point"])) for play in plays]

    def tell(self, play: Play | int, value: float | str | Measurement, **about: Any) -> None:
        """Record the measurement of a play. The same measurement again is harmless.

        Args:
            play: The play, or its number.
            value: A finite number, or a `Measurement`; of a duel, who is better.
            **about: `source` (for owners), `noise_std` and `trials`; `witness`, what a witness says of its run.
        """
        witness = about.pop("witness", None)
        said = {} if witness is None else {"witness": witness}
        self._post(f"plays/{_number(play)}/tell", {**_told(value, about), **said})

    def fail(self, play: Play | int, reason: str) -> None:
        """Record that a play could not be measured.

        Args:
            play: The play, or its number.
            reason: Why, in one line.
        """
        self._post(f"plays/{_number(play)}/fail", {"reason": reason})

    def heartbeat(self, play: Play | int) -> None:
        """Keep a play for another lease: it is still being measured.

        Args:
            play: The play, or its number.
        """
        self._post(f"plays/{_number(play)}/heartbeat", {})

    def retract(self, play: Play | int, reason: str) -> None:
        """Leave a measurement out from now on.

        Args:
            play: The play, or its number.
            reason: Why, in one line.
        """
        self._post(f"plays/{_number(play)}/retract", {"reason": reason})

    def restore(self, play: Play | int) -> None:
        """Undo a retraction; a play that has failed is open again.

        Args:
            play: The play, or its number.
        """
        self._post(f"plays/{_number(play)}/restore", {})

    def correct(self, play: Play | int, value: float | str | Measurement, reason: str, **about: Any) -> None:
        """Replace a value.

        Args:
            play: The play, or its number.
            value: The right value, or a `Measurement`.
            reason: Why, in one line.
            **about: `source`, `noise_std` and `trials`.
        """
        self._post(f"plays/{_number(play)}/correct", {**_told(value, about), "reason": reason})

    def move(self, play: Play | int, point: Any, *, nearest: bool = False) -> None:
        """Say that a play is measured at another point than the proposed one: for its source, while the play is open.

        Args:
            play: The play, or its number.
            point: What was set otherwise, as in `Optimizer.move`.
            nearest: Whether a number between two steps counts at the nearest one.
        """
        self._post(f"plays/{_number(play)}/move", {"point": plain(point), "nearest": nearest})

    def add(self, measurements: Iterable[tuple[Point, float | str | Measurement]]) -> list[int]:
        """Take measurements that nobody asked for: all, or none.

        Args:
            measurements: Points, each with its value or a `Measurement`; duels, each with who is better.

        Returns:
            The numbers of the new plays.
        """
        rows = [{"point": plain(x), **_told(y, {})} for x, y in measurements]
        numbers: list[int] = self._post("measurements", {"measurements": rows})["numbers"]
        return numbers

    def change(self, **changes: Any) -> None:
        """Change `threat`, `plays`, `parallel`, `note` or `quarantined` from here on.

        Args:
            **changes: The settings that change.
        """
        threat = changes.get("threat")
        sent = {**changes, "threat": threat.to_dict()} if isinstance(threat, Threat) else changes
        self._post("change", sent)

    def set_webhook(self, url: str) -> str:
        """Have a message sent when the verdict changes; for owners.

        Args:
            url: Where it is sent.

        Returns:
            The secret that signs the messages; it is shown now and never again.
        """
        return str(self._send("PUT", "/webhook", {"url": url})["secret"])

    def webhook(self) -> dict[str, Any]:
        """Where messages are sent, the verdict, how many wait, and how the last one fared; for owners."""
        found: dict[str, Any] = self._get("/webhook")
        return found

    def remove_webhook(self) -> str:
        """Send no messages any more; where they were sent. For owners."""
        return str(self._send("DELETE", "/webhook", None)["removed"])

    def about(self) -> dict[str, Any]:
        """The settings, counts and state."""
        found: dict[str, Any] = self._get("")
        return found

    def answer(self) -> dict[str, Any]:
        """The recommended point and how far to trust it, as plain values."""
        found: dict[str, Any] = self._get("/answer")
        return found

    def records(self, after: int = 0) -> list[Record]:
        """The records of the study after a number.

        Args:
            after: The number.
        """
        records = self._get(f"/log?after={after}")["records"]
        return [{key: one for key, one in record.items() if key != "seq"} for record in records]

    def given(self) -> list[Play]:
        """The plays that the caller was given; those that were handed on to another source have no source here."""
        return [_given(record) for record in self._get("/plays")["plays"]]

    def read(self) -> Study:
        """The study as it is now, folded here."""
        records = self.records()
        header = Header.read(records, self.study)
        return Study(State.of(header.own_space(self.study), header.settings, records))

    @property
    def space(self) -> Space:
        """What may be varied."""
        return space_from_record(self.about()["space"])

    @property
    def settings(self) -> Settings:
        """The settings, as they are now."""
        return Settings.from_record({"quarantined": [], **self.about()["settings"]})

    @property
    def log(self) -> tuple[Play, ...]:
        """Every play, in order; not for sources."""
        return self.read().log

    def _get(self, path: str) -> Any:
        return self._send("GET", path, None)

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        return self._send("POST", f"/{path}", body)

    def _send(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        return self.server.send(method, f"/api/v1/studies/{quote(self.study, safe='')}{path}", body)


def _told(value: float | str | Measurement, about: dict[str, Any]) -> dict[str, Any]:
    """What is sent of a measurement; the server knows what the words of a vote mean."""
    if isinstance(value, str):
        return {"winner": value, **{name: one for name, one in about.items() if one is not None}}
    return Measurement.of(value, **about).to_dict()


def _given(record: dict[str, Any]) -> Play:
    """A play that was given to the caller."""
    proposed = None if record["proposed"] is None else _point(record["proposed"])
    changed = {"point": _point(record["point"]), "proposed": proposed, "before": tuple(record["before"])}
    return Play(**{**record, **changed, "status": Status(record["status"])})


def _point(point: Any) -> Point:
    return tuple(point) if isinstance(point, list) else point


def _number(play: Play | int) -> int:
    return play.number if isinstance(play, Play) else play
