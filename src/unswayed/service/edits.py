"""What the forms of the pages do. Whatever is refused is said on the page of the form, with what was typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol
from urllib.parse import quote, urlencode

from starlette.responses import RedirectResponse, Response

from unswayed.core.data.measurement import Measurement
from unswayed.errors import InvalidInput, UnswayedError
from unswayed.service.api import OWN
from unswayed.service.forms.begin import read_study
from unswayed.service.forms.fields import Fields
from unswayed.service.forms.point import read_move, read_point
from unswayed.service.forms.threat import ENDS, KINDS, read_threat
from unswayed.service.host import Host
from unswayed.service.http import Call, refusal
from unswayed.service.interface.bodies import CHANGE, MEASURED, MOST_ASKED, line, settings
from unswayed.service.interface.schema import checked, whole
from unswayed.service.refused import Refused
from unswayed.service.routes import Route, Wait
from unswayed.service.shared import SharedStudy
from unswayed.storage.writing import Writing
from unswayed.study.moved import NEAREST
from unswayed.study.optimizer import Optimizer

ASKED = whole(minimum=1, maximum=MOST_ASKED)


class Shown(Protocol):
    """The pages that have forms. Each is shown again with what was typed, if something of it is refused."""

    def new_study(self, call: Call, fields: Fields | None = None) -> Response:
        """The form of a new study."""

    def study(self, call: Call, fields: Fields | None = None) -> Response:
        """A study, with its settings."""

    def log(self, call: Call, fields: Fields | None = None) -> Response:
        """Its measurements, or one of them if the path has its number."""


class Edits:
    """The forms of a host's pages, for owners.

    Args:
        host: The studies.
        pages: Where the forms are.
    """

    def __init__(self, host: Host, pages: Shown) -> None:
        self._host, self._pages = host, pages

    def routes(self) -> list[Route]:
        """Every form about a study with its rule."""
        one = "/studies/{name}"
        play = f"{one}/plays/{{number}}"
        verbs = (self.tell, self.fail, self.move, self.retract, self.restore, self.correct)
        return [
            Route("POST", "/begin", OWN, self.begin, form=True),
            Route("POST", f"{one}/ask", OWN, self.ask, Wait.SEARCH, form=True),
            Route("POST", f"{one}/measurements", OWN, self.add, form=True),
            *(Route("POST", f"{play}/{verb.__name__}", OWN, verb, form=True) for verb in verbs),
            Route("POST", f"{one}/quarantine", OWN, self.quarantine, form=True),
            Route("POST", f"{one}/change", OWN, self.change, form=True),
        ]

    # one measurement

    def tell(self, call: Call) -> Response:
        """Give the value of an open play."""
        fields, study = self._form(call, "tell")
        told = _measured(fields)
        return self._write(call, fields, lambda writing: study.tell_as(writing, None, call.number, told), "value")

    def fail(self, call: Call) -> Response:
        """Say that it could not be measured."""
        fields, study = self._form(call, "fail")
        reason = _reason(fields)
        return self._write(call, fields, lambda writing: study.fail_as(writing, None, call.number, reason), "reason")

    def move(self, call: Call) -> Response:
        """Say where it was really measured."""
        fields, study = self._form(call, "move")
        if call.number >= len(study.log):
            raise Refused(404, f"there is no play {call.number}")
        point, near = read_move(study.study.space, study.log[call.number].point, fields), bool(fields.text("nearest"))

        def move(_: Writing) -> tuple[int, dict[str, Any]]:
            try:
                return study.move_as(None, call.number, point, nearest=near)
            except InvalidInput as error:
                raise InvalidInput(str(error).replace(NEAREST, ": tick below that it counts there")) from None

        return self._write(call, fields, move, "point")

    def retract(self, call: Call) -> Response:
        """Leave a measurement out."""
        fields, _ = self._form(call, "retract")
        reason = _reason(fields)
        return self._edit(call, fields, lambda study: study.retract(call.number, reason), "reason")

    def restore(self, call: Call) -> Response:
        """Undo that."""
        fields, _ = self._form(call, "restore")
        return self._edit(call, fields, lambda study: study.restore(call.number), "restore")

    def correct(self, call: Call) -> Response:
        """Replace a value."""
        fields, _ = self._form(call, "correct")
        value, reason = fields.needed("value"), _reason(fields)
        return self._edit(call, fields, lambda study: study.correct(call.number, value, reason), "value")

    def _edit(self, call: Call, fields: Fields, edit: Callable[[Optimizer], object], name: str) -> Response:
        study = self._host.study(call.path["name"])

        def make(_: Writing) -> tuple[int, dict[str, Any]]:
            edit(study.study)
            return 200, {}

        return self._write(call, fields, make, name)

    def _write(self, call: Call, fields: Fields, make: Callable[[Writing], tuple[int, Any]], name: str) -> Response:
        """Carry out a verb for one measurement, unless something is wrong with its form."""
        study = self._host.study(call.path["name"])
        if not fields.wrong:
            with _beside(fields, name):
                study.write(call.token.name, None, "", make)
        return self._pages.log(call, fields) if fields.wrong else back(call, "log", number=call.number)

    # a study

    def ask(self, call: Call) -> Response:
        """Plays for somebody to measure."""
        fields, study = self._form(call, "ask")
        n = fields.whole("n", ASKED) or 1
        source = fields.text("source") or call.token.name
        if not fields.wrong:
            with _beside(fields, "source"):
                source = str(Measurement(0.0, source).source)
                study.ask_as(source, n, self._host.lease, call.token.name, None, "")
        return self._pages.log(call, fields) if fields.wrong else back(call, "log", state="open")

    def add(self, call: Call) -> Response:
        """Take a measurement that nobody asked for."""
        fields, study = self._form(call, "add")
        point, told = read_point(study.study.space, fields), _measured(fields)
        if not fields.wrong:
            with _beside(fields, "point"):
                study.edit(call.token.name, lambda known: known.add([(point, told)]))
        return self._pages.log(call, fields) if fields.wrong else back(call, "log")

    def begin(self, call: Call) -> Response:
        """Begin a study; or give the form room for one more parameter."""
        fields = Fields(call.body, "begin")
        if fields.text("more"):
            return self._pages.new_study(call, fields)
        body = read_study(fields)
        if not fields.wrong:
            with _beside(fields, "name"):
                self._host.begin(body.pop("name"), body.pop("space"), settings(body))
                return RedirectResponse(f"/studies/{quote(fields.text('name'), safe='')}", 303)
        return self._pages.new_study(call, fields)

    def quarantine(self, call: Call) -> Response:
        """Do not count a source for now, or count it again."""
        study = self._host.study(call.path["name"])
        source, aside = call.body.get("source", ""), call.body.get("on") == "yes"

        def change(known: Optimizer) -> None:
            others = [name for name in known.settings.quarantined if name != source]
            known.change(quarantined=[*others, source] if aside else others)

        study.edit(call.token.name, change)
        return back(call, "sources")

    def change(self, call: Call) -> Response:
        """Change settings; an empty field means not known, or no limit."""
        fields, study = self._form(call, "change")
        changes: dict[str, Any] = {}
        if call.body.keys() & {*KINDS, *ENDS}:
            changes["threat"] = read_threat(fields)
        for name in ("plays", "parallel"):
            if name in call.body:
                changes[name] = fields.whole(name, CHANGE["properties"][name])
        if "note" in call.body:
            changes["note"] = fields.text("note") or None
        if not fields.wrong:
            with _beside(fields, "low"):
                changes = settings(checked(changes, CHANGE, "the form"))
                study.edit(call.token.name, lambda known: known.change(**changes))
        return self._pages.study(call, fields) if fields.wrong else back(call)

    def _form(self, call: Call, form: str) -> tuple[Fields, SharedStudy]:
        return Fields(call.body, form), self._host.study(call.path["name"])


def back(call: Call, *part: str, **query: Any) -> Response:
    """To the page where the change can be seen."""
    path = "/".join(["/studies", quote(call.path["name"], safe=""), *part])
    return RedirectResponse(f"{path}?{urlencode(query)}" if query else path, 303)


@contextmanager
def _beside(fields: Fields, name: str) -> Iterator[None]:
    """What is refused because of what was typed is said beside a field; other faults end the request."""
    try:
        yield
    except UnswayedError as error:
        status, body = refusal(error)
        if status not in (409, 422):
            raise
        fields.errors[name] = body["error"]


def _reason(fields: Fields) -> str:
    """Why; it must be said."""
    with fields.beside("reason"):
        return line({"reason": fields.text("reason")})
    return ""


def _measured(fields: Fields) -> Measurement:
    """The measurement that was typed."""
    value, noise_std = fields.needed("value"), fields.number("noise_std", MEASURED["noise_std"])
    trials = fields.whole("trials", MEASURED["trials"])
    with fields.beside("value"):
        return Measurement(value, fields.text("source") or None, noise_std, trials)
    return Measurement(0.0)
