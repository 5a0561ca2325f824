"""The routes of `/api/v1` and who may use them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from starlette.responses import Response

from unswayed.core.data.measurement import Measurement
from unswayed.errors import InvalidInput
from unswayed.search.play import Status
from unswayed.service.bodies import TELL, Body, line, measured, require, settings
from unswayed.service.host import Host
from unswayed.service.http import Call
from unswayed.service.pages.render import standalone
from unswayed.service.refused import Refused
from unswayed.service.routes import Route, Wait
from unswayed.service.shared import SharedStudy
from unswayed.service.tokens import Role
from unswayed.storage.writing import Writing
from unswayed.study.optimizer import Optimizer
from unswayed.study.tables.export import FORMATS, exported
from unswayed.types import whole

ALL = frozenset(Role)
READ = frozenset({Role.OWNER, Role.READER})
SEND = frozenset({Role.OWNER, Role.SOURCE})
OWN = frozenset({Role.OWNER})
OPEN: frozenset[Role] = frozenset()  # no token needed
MOST_ASKED = 1000  # plays that one request asks for
HELD = 100  # plays that a source has at a time: nobody else is served while they are chosen


class Api:
    """What the routes do. Each takes a `Call` and returns a status and a body."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.counts: Counter[tuple[str, int]] = Counter()

    def routes(self) -> list[Route]:
        """Every route with its rule; what is not here is denied."""
        one = "/api/v1/studies/{name}"
        play = f"{one}/plays/{{number}}"
        return [
            Route("GET", "/api/v1/health", OPEN, self.health),
            Route("GET", "/api/v1/metrics", OWN, self.metrics),
            Route("POST", "/api/v1/studies", OWN, self.begin),
            Route("GET", "/api/v1/studies", READ, self.studies),
            Route("GET", one, ALL, self.study),
            Route("POST", f"{one}/ask", SEND, self.ask, Wait.SEARCH),
            Route("POST", f"{play}/tell", SEND, self.tell),
            Route("POST", f"{play}/fail", SEND, self.fail),
            Route("POST", f"{play}/move", SEND, self.move),
            Route("POST", f"{play}/heartbeat", SEND, self.heartbeat),
            Route("POST", f"{play}/retract", OWN, self.retract),
            Route("POST", f"{play}/restore", OWN, self.restore),
            Route("POST", f"{play}/correct", OWN, self.correct),
            Route("POST", f"{one}/measurements", SEND, self.add),
            Route("POST", f"{one}/change", OWN, self.change),
            Route("GET", f"{one}/answer", READ, self.answer, Wait.SEARCH),
            Route("GET", f"{one}/log", READ, self.log),
            Route("GET", f"{one}/events", READ, self.study, Wait.EVENTS),
            Route("GET", f"{one}/export", READ, self.export, Wait.SEARCH),
            Route("GET", "/api/v1/tokens", OWN, self.tokens),
            Route("POST", "/api/v1/tokens", OWN, self.make_token),
            Route("DELETE", "/api/v1/tokens/{token}", OWN, self.revoke),
        ]

    def health(self, call: Call) -> tuple[int, Body]:
        """Whether the database can be reached."""
        return 200, {"status": "ok", "studies": len(self.host.names())}

    def metrics(self, call: Call) -> Response:
        """Counts for Prometheus."""
        lines = ["# TYPE unswayed_requests_total counter"]
        lines += [f'unswayed_requests_total{{method="{m}",status="{s}"}} {n}' for (m, s), n in self.counts.items()]
        lines += ["# TYPE unswayed_plays gauge", "# TYPE unswayed_search_seconds_total counter"]
        for name in self.host.names():
            study = self.host.study(name)
            lines += [f'unswayed_plays{{study="{name}",status="{s}"}} {n}' for s, n in counts(study).items()]
            lines.append(f'unswayed_search_seconds_total{{study="{name}"}} {study.search_seconds:.6f}')
        return Response("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")

    def begin(self, call: Call) -> tuple[int, Body]:
        """Begin a study."""
        given = dict(call.body)
        new, study = self.host.begin(given.pop("name", None), given.pop("space", None), settings(given))
        return 201 if new else 200, about(study)

    def studies(self, call: Call) -> tuple[int, Body]:
        """All studies that the token is for."""
        names = [name for name in self.host.names() if call.token.reaches(name)]
        return 200, {"studies": [about(self.host.study(name)) for name in names]}

    def study(self, call: Call) -> tuple[int, Body]:
        """One study: settings, counts, state, lease. A source is not told whom the owner has quarantined."""
        found = about(self.host.study(call.path["name"])) | {"lease": self.host.lease}
        if call.token.role is Role.SOURCE:
            del found["settings"]["quarantined"], found["counts"]
        return 200, found

    def ask(self, call: Call) -> tuple[int, Body]:
        """Plays to measure."""
        body = call.take("n", "source")
        n = whole(require(body.get("n", 1), int, "n"), "n", least=1, most=MOST_ASKED)
        source = call.token.name
        n = min(n, HELD) if call.token.role is Role.SOURCE else n
        if call.token.role is Role.OWNER and body.get("source") is not None:
            source = str(Measurement(0.0, body["source"]).source)
        study = self.host.study(call.path["name"], fresh=False)
        return study.ask_as(source, n, self.host.lease, call.token.name, call.key, call.digest)

    def tell(self, call: Call) -> tuple[int, Body]:
        """Record a measurement."""
        told = measured(call.take(*TELL))
        return self._write(call, lambda study, writing: study.tell_as(writing, self._source(call), call.number, told))

    def fail(self, call: Call) -> tuple[int, Body]:
        """Record that a play could not be measured."""
        reason = line(call.take("reason"))
        return self._write(call, lambda study, writing: study.fail_as(writing, self._source(call), call.number, reason))

    def move(self, call: Call) -> tuple[int, Body]:
        """Say that a play is measured at another point than the proposed one."""
        body = call.take("point", "nearest")
        source, near = self._source(call), body.get("nearest", False)
        if not isinstance(near, bool):
            raise InvalidInput("nearest must be true or false")
        return self._write(call, lambda study, _: study.move_as(source, call.number, body.get("point"), nearest=near))

    def heartbeat(self, call: Call) -> tuple[int, Body]:
        """Keep a play."""
        call.take()
        lease = self.host.lease
        return self._write(call, lambda study, writing: study.beat(writing, self._source(call), call.number, lease))

    def retract(self, call: Call) -> tuple[int, Body]:
        """Leave a measurement out."""
        reason = line(call.take("reason"))
        return self._edit(call, lambda study: study.retract(call.number, reason))

    def restore(self, call: Call) -> tuple[int, Body]:
        """Undo a retraction."""
        call.take()
        return self._edit(call, lambda study: study.restore(call.number))

    def correct(self, call: Call) -> tuple[int, Body]:
        """Replace a value."""
        body = call.take(*TELL, "reason")
        reason = line(body)
        told = measured({key: one for key, one in body.items() if key != "reason"})
        return self._edit(call, lambda study: study.correct(call.number, told, reason))

    def add(self, call: Call) -> tuple[int, Body]:
        """Take one measurement that nobody asked for, or a list of them under `measurements`."""
        body = call.take("point", *TELL, "measurements")
        rows = body.get("measurements", [body])
        if not isinstance(rows, list) or not all(isinstance(row, dict) and "point" in row for row in rows):
            raise InvalidInput("measurements are objects with a point and a value")
        source = self._source(call)
        told = [(row["point"], measured({k: v for k, v in row.items() if k != "point"})) for row in rows]
        told = [(x, y if source is None else replace(y, source=source)) for x, y in told]

        def adding(study: SharedStudy, _: Writing) -> tuple[int, Body]:
            return 201, {"numbers": [play.number for play in study.study.add(told)]}

        return self._write(call, adding)

    def change(self, call: Call) -> tuple[int, Body]:
        """Change settings from here on."""
        changes = settings(call.take("threat", "plays", "parallel", "notes", "note", "quarantined"))
        return self._edit(call, lambda study: study.change(**changes))

    def answer(self, call: Call) -> tuple[int, Body]:
        """The recommended point, and how far to trust it."""
        study = self.host.study(call.path["name"])
        if not any(play.measured for play in study.log):
            raise Refused(409, "nothing has been measured so far")
        return 200, study.answer().to_dict()

    def log(self, call: Call) -> tuple[int, Body]:
        """The records after a number."""
        after = call.integer("after", 0)
        records = self.host.study(call.path["name"]).records(after)
        numbered = [{"seq": after + i, **record} for i, record in enumerate(records, start=1)]
        return 200, {"records": numbered, "seq": after + len(records)}

    def export(self, call: Call) -> Response:
        """Everything, as a file."""
        form = call.query.get("format", "jsonl")
        if form not in (*FORMATS, "html"):
            raise Refused(422, f"format must be one of {', '.join(FORMATS)}, html")
        study = self.host.study(call.path["name"])
        headers = {"Content-Disposition": f'attachment; filename="{study.name}.{form}"'}
        if form == "html":
            answer = study.answer() if any(play.measured for play in study.log) else None
            return Response(standalone(study.study, answer, study.name), media_type="text/html", headers=headers)
        return Response(exported(study.study, study.records(), form), media_type=FORMATS[form], headers=headers)

    def tokens(self, call: Call) -> tuple[int, Body]:
        """All tokens, without their secrets."""
        return 200, {"tokens": self.host.tokens.rows()}

    def make_token(self, call: Call) -> tuple[int, Body]:
        """A new token, shown once."""
        body = call.take("name", "role", "study")
        token = self.host.tokens.make(body.get("name", ""), body.get("role", ""), body.get("study"))
        return 201, {"name": body["name"], "token": token}

    def revoke(self, call: Call) -> tuple[int, Body]:
        """Revoke a token."""
        if call.path["token"] not in [row["name"] for row in self.host.tokens.rows()]:
            raise Refused(404, "there is no such token")
        self.host.tokens.revoke(call.path["token"])
        return 200, {"revoked": call.path["token"]}

    def _source(self, call: Call) -> str | None:
        """In whose name a source speaks, whatever it claims; None for the owner, who may name any."""
        return call.token.name if call.token.role is Role.SOURCE else None

    def _edit(self, call: Call, edit: Callable[[Optimizer], None]) -> tuple[int, Body]:
        def editing(study: SharedStudy, _: Writing) -> tuple[int, Body]:
            edit(study.study)
            return 200, {"seq": study.next_seq}

        return self._write(call, editing)

    def _write(self, call: Call, make: Callable[[SharedStudy, Writing], tuple[int, Body]]) -> tuple[int, Body]:
        study = self.host.study(call.path["name"], fresh=False)
        reply: tuple[int, Body] = study.write(
            call.token.name, call.key, call.digest, lambda writing: make(study, writing)
        )
        return reply


def about(study: SharedStudy) -> Body:
    """The settings and counts of a study."""
    known = study.study
    left = known.plays_left
    return {
        "name": study.name,
        "space": known.space.record(),
        "settings": known.settings.record(),
        "counts": counts(study),
        "plays_left": left,
        "state": "finished" if left == 0 and not known.open_plays() else "open",
        "seq": study.seq,
    }


def counts(study: SharedStudy) -> dict[str, int]:
    """How many plays have each status."""
    found = Counter(str(play.status) for play in study.log)
    return {str(status): found[str(status)] for status in Status}
