"""What agents can do, as functions: each gives a short text and the same as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from unswayed.cli.audit import audited, own_point
from unswayed.cli.audit.columns import read_columns
from unswayed.cli.options import Known
from unswayed.cli.study.opening import connected, is_url, open_study, read_study
from unswayed.core.data.measurement import Measurement
from unswayed.core.tampering.threat import Threat
from unswayed.errors import InvalidInput
from unswayed.search.play import Play
from unswayed.spaces import Duels, Space
from unswayed.text import counted, listed, printable

FOUND = (
    "verdict", "luck", "evidence", "robustness", "next", "winner_label", "winner_point", "estimate", "lead",
    "breakdown_budget", "breakdown_lies", "breakdown_sources", "winner_without_suspects", "measurements", "notes",
)  # fmt: skip  # of an audit: what there is one of
MOST_SUSPECTS = 10
MOST_ASKED = 20


class Result(NamedTuple):
    """What a tool found: a text to read, and plain values."""

    text: str
    data: dict[str, Any]


class Tools:
    """What agents can do with the files of one folder, and with some studies.

    Args:
        studies: The studies that may be written to: journal files, or addresses.
        folder: Files in it may be read.
        source: Whose measurements are told to a journal file.

    Raises:
        InvalidInput: A study or the folder is not there, or the source has no name.
    """

    def __init__(self, studies: tuple[str, ...], folder: Path, source: str = "agent") -> None:
        self._studies, self._folder = studies, folder.resolve()
        self._source = str(Measurement(0.0, source).source)
        self._lock = Lock()  # a journal file has one writer at a time
        if not self._folder.is_dir():
            raise InvalidInput(f"there is no folder {folder}: give another --folder")
        for study in studies:
            connected(study) if is_url(study) else read_study(study)

    def audit(self, file: str, columns: dict[str, str | None], known: Known) -> Result:
        """Whether the winner of a table can be trusted.

        Args:
            file: The table.
            columns: `objective`, `parameters`, `option`, `source`, `noise`, `successes` and `trials`, by name.
            known: What is known of the measurements, and of who may falsify them.
        """
        data = read_columns(Path(self._readable(file)), decimal=None, **columns)
        found = audited(data, known)
        record = found.to_dict() | own_point(found, data)
        suspects = [{name: one.get(name) for name in ("line", "source", "value")} for one in record["suspects"]]
        chosen = {name: record[name] for name in FOUND if name in record}
        return Result(str(found), {**chosen, "suspects": suspects[:MOST_SUSPECTS], "suspected": len(suspects)})

    def ask(self, study: str | None, n: int) -> Result:
        """Where to measure next.

        Args:
            study: The study.
            n: How many plays.
        """
        if not 1 <= n <= MOST_ASKED:
            raise InvalidInput(f"n must be between 1 and {MOST_ASKED}, not {n}")
        with self._writing(study) as (name, opened):
            space = opened.space
            waiting = [] if is_url(name) else [play for play in opened.open_plays() if play.source == self._source][:n]
            plays = waiting + (opened.ask(n - len(waiting), **self._own(name)) if n > len(waiting) else [])
        lines = [f"play {play.number}: {space.describe(play.point)}" for play in plays]
        rows = [{"number": play.number, "point": _plain(space, play)} for play in plays]
        return Result("\n".join(lines) or "No play is left to ask for.", {"plays": rows})

    def tell(self, study: str | None, number: int, told: Measurement) -> Result:
        """Record a measurement.

        Args:
            study: The study.
            number: Of the play.
            told: What was measured.
        """
        with self._writing(study) as (name, opened):
            self._own_play(name, opened, number)
            opened.tell(number, told, **self._own(name))
        return Result(f"play {number}: {told.value!r} is recorded", {"number": number, "value": told.value})

    def fail(self, study: str | None, number: int, reason: str) -> Result:
        """Record that a play could not be measured.

        Args:
            study: The study.
            number: Of the play.
            reason: Why, in one line.
        """
        with self._writing(study) as (name, opened):
            self._own_play(name, opened, number)
            opened.fail(number, reason)
        return Result(f"play {number} is recorded as failed", {"number": number, "status": "failed"})

    def status(self, study: str | None) -> Result:
        """How far a study is.

        Args:
            study: The study.
        """
        name = self._named(study)
        about = self._about(name)
        threat = about["threat"]
        counts = ", ".join(f"{count:,} {what}" for what, count in about["counts"].items() if count)
        left = "no limit" if about["plays_left"] is None else f"{counted(about['plays_left'], 'play')} left to ask for"
        trust = ", ".join(f"{count:,} {level}" for level, count in about["trust"].items())
        goal = "minimize over" if about["minimize"] else "compare" if about["duels"] else "maximize over"
        lines = [f"{goal} {', '.join(about['parameters'])}; {left}"]
        lines += [f"plays: {counts}"] if counts else []
        lines += [f"trust: {trust}"] if trust else []
        lines.append(f"threat: {'not known' if threat is None else Threat.of(_threat(threat))}")
        return Result("\n".join(lines), about)

    def _about(self, name: str) -> dict[str, Any]:
        """What is known of a study; of one on a server, by that."""
        if is_url(name):
            found = connected(name).about()
            settings, counts, trust = found["settings"], found.get("counts", {}), found.get("trust", {})
            space, left = connected(name).space, found["plays_left"]
        else:
            study = read_study(name)
            settings, space, left = study.settings.record(), study.space, study.plays_left
            counts, trust = (
                _counted(str(play.status) for play in study.log),
                _counted(map(str, filter(None, study.trust()))),
            )
        return {
            "parameters": list(space.names),
            "duels": isinstance(space, Duels),
            "minimize": settings["minimize"],
            "threat": settings["threat"],
            "counts": counts,
            "trust": trust,
            "plays_left": left,
        }

    def answer(self, study: str | None) -> Result:
        """What a study recommends, and how far to trust it.

        Args:
            study: The study.
        """
        name = self._named(study)
        if is_url(name):
            found = connected(name).answer()
            if "settled" in found:  # duels
                said = (
                    f"Verdict: {found['verdict']}. {found['leader']} leads.",
                    found["luck"]["sentence"],
                    found["next"],
                )
                return Result("\n".join(said), found)
            return Result(
                f"Recommended: {found['point']}, estimated at {found['estimate']:.6g}. {found['sentence']}", found
            )
        answer = read_study(name).answer()
        return Result(str(answer), answer.to_dict())

    def _named(self, study: str | None) -> str:
        """The study that is meant: one that may be written to, or a journal file in the folder."""
        if study is None:
            if len(self._studies) != 1:
                raise InvalidInput(f"name the study: {listed(self._studies) if self._studies else 'a journal file'}")
            return self._studies[0]
        return study if study in self._studies else self._readable(study)

    @contextmanager
    def _writing(self, study: str | None) -> Iterator[tuple[str, Any]]:
        name = self._named(study) if study is None or study in self._studies else ""
        if not name:
            may = f"only to {listed(self._studies)}" if self._studies else "to none"
            raise InvalidInput(
                f"{printable(str(study), limit=100)} may be read; this server was started to write {may}"
            )
        with self._lock, open_study(name) as opened:
            yield name, opened

    def _readable(self, file: str) -> str:
        """A file in the folder."""
        try:
            path = (self._folder / file).resolve()
            inside = path.is_relative_to(self._folder) and path.is_file()
        except (OSError, ValueError):
            inside = False
        if not inside:
            raise InvalidInput(f"there is no file {printable(file, limit=100)} in {self._folder}")
        return str(path)

    def _own(self, name: str) -> dict[str, str]:
        """In whose name a journal file is told something; on a server that is the name of the token."""
        return {} if is_url(name) else {"source": self._source}

    def _own_play(self, name: str, opened: Any, number: int) -> None:
        """Refuse a play of a journal file that was given to another source; a server does so itself."""
        if not is_url(name):
            play = opened.log[number] if 0 <= number < len(opened.log) else None
            if play is None or play.source != self._source:
                raise InvalidInput(f"play {number} was not given to {self._source}: ask for plays first")


def _threat(recorded: Any) -> Any:
    return Threat(**recorded) if isinstance(recorded, dict) else recorded


def _counted(words: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in words:
        found[word] = found.get(word, 0) + 1
    return found


def _plain(space: Space, play: Play) -> Any:
    """A point as JSON."""
    return list(play.point) if isinstance(play.point, tuple) else play.point
