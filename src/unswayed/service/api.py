"""The routes of `/api/v1` and who may use them."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from starlette.responses import Response

from unswayed.core.data.measurement import Measurement
from unswayed.search.play import Status
from unswayed.service.host import Host
from unswayed.service.http import Call
from unswayed.service.interface import bodies, metrics, replies
from unswayed.service.interface.bodies import Body, line, measured, settings
from unswayed.service.interface.openapi import described
from unswayed.service.interface.schema import mapping, text, whole
from unswayed.service.pages.render import standalone
from unswayed.service.refused import Refused
from unswayed.service.routes import Route, Wait
from unswayed.service.shared import SharedStudy
from unswayed.service.tokens import Role
from unswayed.service.webhooks.sending import checked_url
from unswayed.storage.webhooks import Webhook, Webhooks
from unswayed.storage.writing import Writing
from unswayed.study.optimizer import Optimizer
from unswayed.study.tables.export import FORMATS, exported

ALL = frozenset(Role)
READ = frozenset({Role.OWNER, Role.READER})
SEND = frozenset({Role.OWNER, Role.SOURCE, Role.WITNESS})
NAME_POINTS = frozenset({Role.OWNER, Role.SOURCE})
OWN = frozenset({Role.OWNER})
OPEN: frozenset[Role] = frozenset()  # no token needed
EVENTS = "text/event-stream"
HELD = 100  # plays that a source has at a time: nobody else is served while they are chosen
AFTER = {"after": whole("The number of a record: those after it are given.", minimum=0, maximum=10**12 - 1, default=0)}
FORMAT = {"format": text("Of the file.", enum=[*FORMATS, "html"], default="jsonl")}


class Api:
    """What the routes do. Each takes a `Call` and returns a status and a body."""

    def __init__(self, host: Host) -> None:
        self.host, self.webhooks = host, Webhooks(host.database)
        self.counts: Counter[tuple[str, int]] = Counter()

    def routes(self) -> list[Route]:
        """Every route with its rule; what is not here is denied."""
        api, one = "/api/v1", "/api/v1/studies/{name}"
        files = tuple(dict.fromkeys([*FORMATS.values(), "text/html"]))
        begun = {201: replies.STUDY, 200: replies.STUDY}
        return [
            Route("GET", f"{api}/health", OPEN, self.health, gives={200: replies.HEALTH}),
            Route("GET", f"{api}/openapi.json", OPEN, self.openapi, gives={200: mapping({})}),
            Route("GET", f"{api}/metrics", READ, self.metrics, gives={200: ("text/plain",)}),
            Route("POST", f"{api}/studies", OWN, self.begin, takes=bodies.BEGIN, gives=begun, conflicts=True),
            Route("GET", f"{api}/studies", READ, self.studies, gives={200: replies.STUDIES}),
            Route("GET", one, ALL, self.study, gives={200: replies.STUDY}),
            Route("POST", f"{one}/ask", SEND, self.ask, Wait.SEARCH, takes=bodies.ASK, gives={200: replies.PLAYS}),
            Route("GET", f"{one}/plays", SEND, self.given, gives={200: replies.ALL_GIVEN}),
            *self._of_plays(f"{one}/plays/{{number}}"),
            Route("POST", f"{one}/measurements", NAME_POINTS, self.add, takes=bodies.ADD, gives={201: replies.ADDED}),
            Route("POST", f"{one}/change", OWN, self.change, takes=bodies.CHANGE, gives={200: replies.EDITED}),
            Route("GET", f"{one}/answer", READ, self.answer, Wait.SEARCH, gives={200: replies.ANSWER}, conflicts=True),
            Route("GET", f"{one}/log", READ, self.log, query=AFTER, gives={200: replies.RECORDS}),
            Route("GET", f"{one}/events", READ, self.events, Wait.EVENTS, query=AFTER, gives={200: (EVENTS,)}),
            Route("GET", f"{one}/export", READ, self.export, Wait.SEARCH, query=FORMAT, gives={200: files}),
            *self._of_webhook(f"{one}/webhook"),
            Route("GET", f"{api}/key", ALL, self.key, gives={200: replies.KEY}),
            Route("GET", f"{api}/tokens", OWN, self.tokens, gives={200: replies.TOKENS}),
            Route(
                "POST",
                f"{api}/tokens",
                OWN,
                self.make_token,
                takes=bodies.TOKEN,
                gives={201: replies.MADE},
                conflicts=True,
            ),
            Route(
                "DELETE", f"{api}/tokens/{{token_name}}", OWN, self.revoke, gives={200: replies.REVOKED}, conflicts=True
            ),
        ]

    def _of_plays(self, play: str) -> list[Route]:
        """What is done with one play."""
        told, edited = {200: replies.TOLD}, {200: replies.EDITED}
        return [
            Route("POST", f"{play}/tell", SEND, self.tell, takes=bodies.TELL, gives=told),
            Route("POST", f"{play}/fail", SEND, self.fail, takes=bodies.FAIL, gives={200: replies.FAILED}),
            Route("POST", f"{play}/move", NAME_POINTS, self.move, takes=bodies.MOVE, gives={200: replies.MOVED}),
            Route("POST", f"{play}/heartbeat", SEND, self.heartbeat, takes=bodies.NOTHING, gives={200: replies.KEPT}),
            Route("POST", f"{play}/retract", OWN, self.retract, takes=bodies.RETRACT, gives=edited),
            Route("POST", f"{play}/restore", OWN, self.restore, takes=bodies.NOTHING, gives=edited),
            Route("POST", f"{play}/correct", OWN, self.correct, takes=bodies.CORRECT, gives=edited),
        ]

    def _of_webhook(self, hook: str) -> list[Route]:
        """Who is told when the verdict changes."""
        return [
            Route("PUT", hook, OWN, self.set_webhook, takes=bodies.WEBHOOK, gives={201: replies.WEBHOOK_SET}),
            Route("GET", hook, OWN, self.webhook, gives={200: replies.WEBHOOK}),
            Route("DELETE", hook, OWN, self.remove_webhook, gives={200: replies.WEBHOOK_REMOVED}),
        ]

    def health(self, call: Call) -> tuple[int, Body]:
        """Whether the database can be reached."""
        return 200, {"status": "ok", "studies": len(self.host.names())}

    def openapi(self, call: Call) -> tuple[int, Body]:
        """This description of the interface."""
        return 200, described(self.routes())

    def metrics(self, call: Call) -> Response:
        """Counts for Prometheus."""
        names = [name for name in self.host.names() if call.token.reaches(name)]
        studies = {name: self.host.study(name) for name in names}
        plays = {name: counts(study) for name, study in studies.items()}
        seconds = {name: study.search_seconds for name, study in studies.items()}
        shown = metrics.of_studies(plays, seconds)
        if call.token.study is None:
            shown = [metrics.of_requests(dict(self.counts)), *shown]
        return Response(metrics.text(shown), media_type=metrics.MEDIA_TYPE)

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
        """One study: settings, counts, state, lease, trust. A source is not told whom the owner has quarantined."""
        study = self.host.study(call.path["name"])
        found = about(study) | {"lease": self.host.lease, "role": str(call.token.role)}
        if call.token.measures:
            del found["settings"]["quarantined"], found["counts"]
        else:
            found["trust"] = Counter(str(level) for level in study.study.trust() if level is not None)
        return 200, found

    def ask(self, call: Call) -> tuple[int, Body]:
        """Plays to measure."""
        body, source = call.body, call.token.name
        n = body.get("n", 1)
        n = min(n, HELD) if call.token.measures else n
        if call.token.role is Role.OWNER and body.get("source") is not None:
            source = str(Measurement(0.0, body["source"]).source)
        study = self.host.study(call.path["name"], fresh=False)
        return study.ask_as(source, n, self.host.lease, call.token.name, call.key, call.digest)

    def given(self, call: Call) -> tuple[int, Body]:
        """The plays that the caller was given; of those that were handed on, only what was asked."""
        return 200, {"plays": self.host.study(call.path["name"]).given(call.token.name)}

    def tell(self, call: Call) -> tuple[int, Body]:
        """Record a measurement. A witness says what it ran, and nobody else can."""
        told, said = self._measured(call), call.body.get("witness")
        if said is not None and call.token.role is not Role.WITNESS:
            raise Refused(403, "only a witness can say what was run: ask the owner for a token of that role")
        if said is None and call.token.role is Role.WITNESS:
            raise Refused(422, "a witness says what it ran: use `unswayed work`")
        source = self._source(call)
        return self._write(call, lambda study, writing: study.tell_as(writing, source, call.number, told, said))

    def fail(self, call: Call) -> tuple[int, Body]:
        """Record that a play could not be measured."""
        reason = line(call.body)
        return self._write(call, lambda study, writing: study.fail_as(writing, self._source(call), call.number, reason))

    def move(self, call: Call) -> tuple[int, Body]:
        """Say that a play is measured at another point than the proposed one."""
        point, near, source = call.body["point"], call.body.get("nearest", False), self._source(call)
        return self._write(call, lambda study, _: study.move_as(source, call.number, point, nearest=near))

    def heartbeat(self, call: Call) -> tuple[int, Body]:
        """Keep a play."""
        lease = self.host.lease
        return self._write(call, lambda study, writing: study.beat(writing, self._source(call), call.number, lease))

    def retract(self, call: Call) -> tuple[int, Body]:
        """Leave a measurement out."""
        reason = line(call.body)
        return self._edit(call, lambda study: study.retract(call.number, reason))

    def restore(self, call: Call) -> tuple[int, Body]:
        """Undo a retraction."""
        return self._edit(call, lambda study: study.restore(call.number))

    def correct(self, call: Call) -> tuple[int, Body]:
        """Replace a value."""
        told, reason = self._measured(call), line(call.body)
        return self._edit(call, lambda study: study.correct(call.number, told, reason))

    def add(self, call: Call) -> tuple[int, Body]:
        """Take one measurement that nobody asked for, or a list of them under `measurements`."""
        rows = call.body.get("measurements", [call.body])
        source = self._source(call)
        space = self.host.study(call.path["name"], fresh=False).study.space
        told = [(row["point"], _in_own_name(call, measured(row, space, row["point"]))) for row in rows]
        told = [(x, y if source is None else replace(y, source=source)) for x, y in told]

        def adding(study: SharedStudy, _: Writing) -> tuple[int, Body]:
            return 201, {"numbers": [play.number for play in study.study.add(told)]}

        return self._write(call, adding)

    def _measured(self, call: Call) -> Measurement:
        """What is told of a play."""
        study = self.host.study(call.path["name"], fresh=False)
        if not 0 <= call.number < len(study.log):
            study.refresh()
        if not 0 <= call.number < len(study.log):
            raise Refused(404, f"there is no play {call.number}")
        return _in_own_name(call, measured(call.body, study.study.space, study.log[call.number].point))

    def change(self, call: Call) -> tuple[int, Body]:
        """Change settings from here on."""
        changes = settings(call.body)
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

    def events(self, call: Call) -> SharedStudy:
        """The records after a number as they come, as server-sent events."""
        return self.host.study(call.path["name"])

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
        records = study.sealed() if form == "jsonl" else []
        return Response(exported(study.study, records, form), media_type=FORMATS[form], headers=headers)

    def key(self, call: Call) -> tuple[int, Body]:
        """The public key that checks the signatures of this server; null if it signs nothing."""
        return 200, {"public_key": None if self.host.key is None else self.host.key.public.text}

    def set_webhook(self, call: Call) -> tuple[int, Body]:
        """Say where messages about a new verdict are sent; the secret that signs them is shown once."""
        study, url = self.host.study(call.path["name"]), checked_url(call.body["url"])
        secret = secrets.token_urlsafe(32)
        self.webhooks.put(study.number, url, secret)
        return 201, {"url": url, "secret": secret}

    def webhook(self, call: Call) -> tuple[int, Body]:
        """Where messages are sent, the verdict that was noticed last, and how the last message fared."""
        found = self._webhook(call)
        known = {name: getattr(found, name) for name in ("url", "verdict", "tried", "error")}
        return 200, known | {"waiting": self.webhooks.waiting(found.study)}

    def remove_webhook(self, call: Call) -> tuple[int, Body]:
        """Send nothing any more."""
        found = self._webhook(call)
        self.webhooks.drop(found.study)
        return 200, {"removed": found.url}

    def _webhook(self, call: Call) -> Webhook:
        found = self.webhooks.of(self.host.study(call.path["name"]).name)
        if found is None:
            raise Refused(404, "this study has no webhook")
        return found

    def tokens(self, call: Call) -> tuple[int, Body]:
        """All tokens, without their secrets."""
        return 200, {"tokens": self.host.tokens.rows()}

    def make_token(self, call: Call) -> tuple[int, Body]:
        """A new token, shown once."""
        body = call.body
        token = self.host.tokens.make(body["name"], body["role"], body.get("study"))
        return 201, {"name": body["name"], "token": token}

    def revoke(self, call: Call) -> tuple[int, Body]:
        """Revoke a token."""
        if call.path["token_name"] not in [row["name"] for row in self.host.tokens.rows()]:
            raise Refused(404, "there is no such token")
        self.host.tokens.revoke(call.path["token_name"])
        return 200, {"revoked": call.path["token_name"]}

    def _source(self, call: Call) -> str | None:
        """In whose name a source speaks; None for the owner, who may name any."""
        return call.token.name if call.token.measures else None

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


def _in_own_name(call: Call, told: Measurement) -> Measurement:
    """Refuse what a source tells in the name of another."""
    if call.token.measures and told.source not in (None, call.token.name):
        raise Refused(403, f"you tell in your own name alone: leave the source out, or say {call.token.name}")
    return told


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
