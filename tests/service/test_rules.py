"""Who may do what: every route, every method, every role; and what a source can find out about the others."""

import json
import re
import threading
import time
from urllib.parse import urlencode

import pytest

from tests.service.asgi import HOST
from tests.service.conftest import BOX
from tests.service.world import API, ROLES, SECRET, World
from unswayed.errors import SystemFault
from unswayed.service.tokens import SESSION, csrf

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND")
OPEN = {("GET", "/api/v1/health"), ("GET", "/api/v1/openapi.json"), ("GET", "/interface"), ("GET", "/login"),
        ("POST", "/login"), ("GET", "/static/{file}")}  # fmt: skip
ONE, PLAY = API + "/{name}", API + "/{name}/plays/{number}"
PAGE, FORM = "/studies/{name}", "/studies/{name}/plays/{number}"
# Who may, in the order of ROLES (+ may, - is refused with 403), what the request carries, and what a success is.
RULES = {
    ("GET", "/api/v1/metrics"): ("+--++", None, 200),
    ("POST", API): ("+----", {"name": "new", "space": BOX}, 201),
    ("GET", API): ("+--++", None, 200),
    ("GET", ONE): ("++-+-", None, 200),
    ("POST", f"{ONE}/ask"): ("++---", {"n": 1}, 200),
    ("POST", f"{PLAY}/tell"): ("++---", {"value": 0.25}, 200),
    ("GET", f"{ONE}/plays"): ("++---", None, 200),
    ("POST", f"{PLAY}/fail"): ("++---", {"reason": "broken"}, 200),
    ("POST", f"{PLAY}/move"): ("++---", {"point": {"x": 1}}, 200),
    ("POST", f"{PLAY}/heartbeat"): ("++---", {}, 200),
    ("POST", f"{PLAY}/retract"): ("+----", {"reason": "spoilt"}, 422),  # an open play has no value yet
    ("POST", f"{PLAY}/restore"): ("+----", {}, 422),
    ("POST", f"{PLAY}/correct"): ("+----", {"value": 0.5, "reason": "misread"}, 422),
    ("POST", f"{ONE}/measurements"): ("++---", {"point": {"x": 0, "y": 0}, "value": 1}, 201),
    ("POST", f"{ONE}/change"): ("+----", {"notes": "new"}, 200),
    ("GET", f"{ONE}/answer"): ("+--+-", None, 200),
    ("GET", f"{ONE}/log"): ("+--+-", None, 200),
    ("GET", f"{ONE}/events"): ("+--+-", None, 200),
    ("GET", f"{ONE}/export"): ("+--+-", None, 200),
    ("GET", "/api/v1/key"): ("+++++", None, 200),
    ("PUT", f"{ONE}/webhook"): ("+----", {"url": "http://127.0.0.1:9/"}, 201),
    ("GET", f"{ONE}/webhook"): ("+----", None, 404),  # there is none
    ("DELETE", f"{ONE}/webhook"): ("+----", None, 404),
    ("GET", "/api/v1/tokens"): ("+----", None, 200),
    ("POST", "/api/v1/tokens"): ("+----", {"name": "new", "role": "source"}, 201),
    ("DELETE", "/api/v1/tokens/{token_name}"): ("+----", None, 200),
    ("GET", "/"): ("+--++", None, 200),
    ("GET", PAGE): ("+--+-", None, 200),
    ("GET", f"{PAGE}/sources"): ("+--+-", None, 200),
    ("GET", f"{PAGE}/log"): ("+--+-", None, 200),
    ("GET", "/begin"): ("+----", None, 200),
    ("POST", "/begin"): ("+----", {"name": "new", "kind": "options", "options": "a\nb"}, 303),
    ("GET", "/compare"): ("+--++", None, 200),
    ("POST", f"{PAGE}/ask"): ("+----", {"n": "1"}, 303),
    ("POST", f"{PAGE}/measurements"): ("+----", {"set-0": "0", "set-1": "1", "value": "0.5"}, 303),
    ("POST", f"{FORM}/tell"): ("+----", {"value": "0.25"}, 303),
    ("POST", f"{FORM}/fail"): ("+----", {"reason": "broken"}, 303),
    ("POST", f"{FORM}/move"): ("+----", {"set-0": "1"}, 303),
    ("POST", f"{FORM}/retract"): ("+----", {"reason": "spoilt"}, 422),
    ("POST", f"{FORM}/restore"): ("+----", {}, 422),
    ("POST", f"{FORM}/correct"): ("+----", {"value": "0.5", "reason": "misread"}, 422),
    ("POST", f"{PAGE}/quarantine"): ("+----", {"source": "lab", "on": "yes"}, 303),
    ("POST", f"{PAGE}/change"): ("+----", {"note": "new"}, 303),
    ("GET", "/tokens"): ("+----", None, 200),
    ("POST", "/tokens"): ("+----", {"name": "new", "role": "reader"}, 200),
    ("POST", "/tokens/{token}/revoke"): ("+----", {}, 303),
    ("POST", "/logout"): ("+--++", {}, 303),
}


def filled(path):
    return path.format(name="s", number=1, token="rival", token_name="rival", file="style.css")


def test_every_route_has_a_written_rule(world):
    assert {(route.method, route.path) for route in world.direct.app.routes} == {*RULES, *OPEN}


def test_nothing_but_the_open_routes_answers_without_a_valid_token(world):
    world.tokens["revoked"] = world.host.tokens.make("gone", "owner")
    cookie, _ = world.log_in("revoked")
    assert world("GET", "/", cookie=cookie).status == 200
    world.host.tokens.revoke("gone")
    before = world.stored()
    paths = {path for _, path in (*RULES, *OPEN)} | {"/nothing", "/api/v1/nothing", "/static", "/.git/config", "*"}
    for path in paths:
        for method in METHODS:
            if (method, path) in OPEN:
                continue
            where = filled(path)
            wrong = ("", " ", "wrong", "Bearer", world.tokens["owner"][:-1], world.tokens["owner"] + "x", "\u00e9")
            replies = [
                world(method, where, body={}),
                world(method, where, cookie="wrong", form={"csrf": csrf("wrong")}),
            ]
            replies += [world(method, where, "revoked", {}), world(method, where, cookie=cookie, form={})]
            replies += [world(method, where, body={}, headers={"authorization": f"Bearer {text}"}) for text in wrong]
            basic = {"authorization": f"Basic {world.tokens['owner']}"}
            replies += [world(method, f"{where}?token={world.tokens['owner']}", body={}, headers=basic)]
            assert {reply.status for reply in replies} == {401}, (method, path)
    assert world.stored() == before
    assert [world(*route).status for route in (("GET", "/api/v1/health"), ("GET", "/login"))] == [200, 200]


def sent_by(world, method, path, role, body):
    """What somebody gets who asks for this."""
    more = {"most": 1} if path.endswith("/events") else {}
    if path.startswith("/api/"):
        return world(method, filled(path), role, body, **more)
    cookie, form = world.log_in(role)
    assert (cookie is None) == ("source" in role)  # a source has no session
    if cookie is None:
        more = {"headers": {"authorization": f"Bearer {world.tokens[role]}"}, "form": body or {}}
    else:
        more = {"cookie": cookie, **({} if body is None else {"form": {"csrf": form, **body}})}
    return world(method, filled(path), **more)


@pytest.mark.parametrize("rule", RULES, ids=" ".join)
def test_every_route_and_role(worlds, rule):
    (method, path), (may, body, success) = rule, RULES[rule]
    denied, before = worlds(), None
    for role, allowed in zip(ROLES, may, strict=True):
        if allowed == "+":
            assert sent_by(worlds(), method, path, role, body).status == success, role
            continue
        before = before or denied.stored()
        reply = sent_by(denied, method, path, role, body)
        assert reply.status == 403, role
        assert denied.stored() == before, role
        assert str(SECRET) not in reply.text, role


def test_other_methods_and_unknown_routes_are_denied_to_the_owner_too(world):
    known = {*RULES, *OPEN}
    for path in {path for _, path in known}:
        for method in METHODS:
            if (method, path) not in known:
                reply = world(method, filled(path), "owner", {})
                others = sorted(other for other, one in known if one == path)
                assert (reply.status, reply.headers["allow"]) == (405, ", ".join(others)), (method, path)
    for path in (
        "/api/v1/nothing",
        "/api/v2/studies",
        "//api/v1/studies",
        "/%61pi/v1/studies",
        "/api/v1/studies/",
        "*",
    ):
        assert world("GET", path, "owner").status == 404


def test_a_reader_or_source_of_one_study_does_not_see_that_others_exist(world):
    assert [one["name"] for one in world("GET", API, "reader").json["studies"]] == ["s"]
    assert "elsewhere" not in world("GET", "/", "reader").text
    compared = world("GET", "/compare?one=s&other=elsewhere", "reader").text
    assert "<section" not in compared
    assert "elsewhere" not in compared
    assert compared == world("GET", "/compare?one=s&other=nothing", "reader").text
    assert world("GET", "/compare?one=s&other=elsewhere", "owner").text.count("<section") == 2
    replies = [world("GET", f"{API}/{name}", "source") for name in ("elsewhere", "nothing")]
    assert replies[0].status == replies[1].status == 403
    assert replies[0].body == replies[1].body


# other sites and names of hosts


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8711", "", None, "127.0.0.1.evil.example", "localhost@evil.example", "[", "[::",
     "a b", "127.0.0.1/api/v1/health?", "evil.example#127.0.0.1", "127.0.0.1:8711, evil.example", "0.0.0.0",
     "[zz]", "[1:2]"],
)  # fmt: skip
def test_a_name_that_is_not_the_server_s_is_refused(world, host):
    """A page on evil.example whose name suddenly means 127.0.0.1 (DNS rebinding) has its own name as Host."""
    for method, path in (("GET", "/api/v1/health"), ("GET", f"{API}/s/answer"), ("POST", f"{API}/s/change")):
        reply = world(method, path, "owner", {"notes": "x"}, headers={"host": host})
        assert reply.status == 403
        assert "Content-Security-Policy" in {name.title() for name in reply.headers}


def test_the_names_of_the_server_are_accepted(world):
    for host in ("127.0.0.1", "127.0.0.1:8711", "localhost:1", "LOCALHOST", "[::1]:8711"):
        assert world("GET", "/api/v1/health", headers={"host": host}).status == 200
    more = World.__new__(World)
    more.direct = type(world.direct)(world.host, hosts=frozenset({"Lab.Example"}))
    assert more.direct("GET", "/api/v1/health", headers={"host": "lab.example"}).status == 200
    assert more.direct("GET", "/api/v1/health").status == 403


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "", "http://127.0.0.1", "http://127.0.0.1:8711.evil.example", "http://[",
     f"http://{HOST}@evil.example", f"http://{HOST}/", f"ftp://{HOST}", f"http://evil.example http://{HOST}"],
)  # fmt: skip
def test_pages_of_other_sites_are_refused(world, origin):
    before = world.stored()
    cookie, token = world.log_in("owner")
    sent = [("GET", f"{API}/s/answer", {}), ("POST", "/studies/s/change", {"form": {"note": "x", "csrf": token}})]
    sent += [("POST", "/login", {"form": {"token": world.tokens["reader"]}})]
    for method, path, more in sent:
        assert world(method, path, cookie=cookie, headers={"origin": origin}, **more).status == 403
    assert world("POST", f"{API}/s/change", "owner", {"notes": "x"}, headers={"origin": origin}).status == 403
    assert world.stored() == before
    assert world("GET", f"{API}/s/answer", cookie=cookie, headers={"origin": f"http://{HOST}"}).status == 200


@pytest.mark.parametrize("kind", [None, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_writes_need_json(world, kind):
    before = world.stored()
    for (method, path), (_, body, _) in RULES.items():
        if method in ("POST", "PUT") and path.startswith("/api/"):
            reply = world(method, filled(path), "owner", json.dumps(body).encode(), headers={"content-type": kind})
            assert reply.status == 403, path
    assert world.stored() == before


# browsers


def test_a_cookie_never_writes_to_the_api(world):
    cookie, token = world.log_in("owner")
    before = world.stored()
    for (method, path), (_, body, _) in RULES.items():
        if method != "GET" and path.startswith("/api/"):
            sent = None if body is None else {**body, "csrf": token}
            assert world(method, filled(path), body=sent, cookie=cookie).status == 401
    assert world.stored() == before


def test_every_form_needs_the_token_of_the_session(world):
    cookie, token = world.log_in("owner")
    other = world.log_in("reader")[1]
    before = world.stored()
    for (method, path), (_, body, _) in RULES.items():
        if method == "POST" and not path.startswith("/api/"):
            for wrong in ({}, {"csrf": ""}, {"csrf": other}, {"csrf": token.upper()}, {"csrf": csrf("")}):
                assert world(method, filled(path), cookie=cookie, form={**body, **wrong}).status == 403, path
            assert world(method, filled(path), "owner", form={**body, "csrf": csrf("")}).status == 403
            twice = f"csrf={token}&csrf={other}".encode()
            assert world(method, filled(path), cookie=cookie, form=twice).status == 400
    assert world.stored() == before
    assert world("GET", "/", cookie=cookie).status == 200  # not logged out either


def test_the_cookie_of_a_session(world):
    def flags(**more):
        reply = world("POST", "/login", form={"token": world.tokens["owner"]}, **more)
        return {word.strip().lower() for word in reply.headers["set-cookie"].split(";")[1:]}

    assert flags() == {"httponly", "samesite=strict", "path=/", f"max-age={int(SESSION)}"}
    assert flags(tls=True) == {*flags(), "secure"}  # behind a proxy
    cookie, _ = world.log_in("owner")
    assert world.tokens["owner"] not in cookie
    assert world.log_in("owner", cookie="chosen-by-somebody-else")[0] != "chosen-by-somebody-else"
    assert world("GET", "/", cookie="chosen-by-somebody-else").status == 401
    changed, _ = world.log_in("reader", cookie=cookie)  # logging in as somebody else ends the session before
    assert world("GET", "/", cookie=cookie).status == 401
    assert world("GET", "/tokens", cookie=changed).status == 403


def test_logging_out_and_revoking_end_a_session_at_once(world):
    (first, token), (second, _) = world.log_in("owner"), world.log_in("owner")
    assert world("POST", "/logout", cookie=first, form={"csrf": token}).status == 303
    assert [world("GET", "/", cookie=one).status for one in (first, second)] == [401, 200]
    reader, _ = world.log_in("reader")
    assert world("DELETE", "/api/v1/tokens/eye", "owner").status == 200
    assert [world("GET", "/studies/s", cookie=reader).status, world("GET", "/studies/s", "reader").status] == [401, 401]
    world.tokens["reader"] = world.host.tokens.make("eye", "reader")
    assert world("GET", "/studies/s", cookie=reader).status == 401  # a new token does not revive it


def test_a_session_ends(world, monkeypatch):
    cookie, _ = world.log_in("owner")
    later = time.time() + SESSION + 1
    monkeypatch.setattr("unswayed.storage.database.time", lambda: later)
    assert world("GET", "/", cookie=cookie).status == 401


@pytest.mark.parametrize(
    "where",
    ["https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example",
     "javascript:1", "/\r\nSet-Cookie: a=b", "", " //evil.example", "http:evil.example", "/\x00/evil.example"],
)  # fmt: skip
def test_login_leads_nowhere_else(world, where):
    reply = world("POST", "/login", form={"token": world.tokens["reader"], "next": where})
    if "\0" in where:
        assert reply.status == 400
        return
    assert reply.headers["location"] == "/"
    shown = world("GET", "/login?" + urlencode({"next": where}))
    (kept,) = re.findall(r'name="next" value="([^"]*)"', shown.text)
    assert kept == "/" or not kept.isprintable()  # which is refused when it comes back
    good = world("POST", "/login", form={"token": world.tokens["reader"], "next": "/studies/s/log?page=1"})
    assert good.headers["location"] == "/studies/s/log?page=1"


def test_login_says_the_same_to_whoever_has_no_token(world):
    texts = ("", "x", "gone", "\u00e9" * 5000, "' OR 1=1 --", world.tokens["owner"][:-1])
    replies = [world("POST", "/login", form={"token": text}) for text in texts]
    assert {reply.status for reply in replies} == {401}
    assert len({reply.body for reply in replies}) == 1
    assert world("POST", "/login", form={"token": world.tokens["source"]}).status == 403


def test_events_end_when_the_token_is_revoked(world):
    study, shown = world.host.study("s"), threading.Event()

    def seen(part):
        if str(SECRET).encode() in part:
            shown.set()

    def revoke():
        shown.wait(60)
        world.host.tokens.revoke("eye")
        study.edit("boss", lambda known: known.change(note="after the revocation"))

    thread = threading.Thread(target=revoke)
    thread.start()
    reply = world("GET", f"{API}/s/events?after=0", "reader", seen=seen)  # it ends by itself
    thread.join()
    assert reply.status == 200
    assert str(SECRET) in reply.text  # what it was allowed to see
    assert "after the revocation" not in reply.text


def test_a_stranger_is_not_told_where_the_database_is(world, monkeypatch, caplog):
    def refuse(*_):
        raise SystemFault("the database /secret/place refuses: disk full")

    monkeypatch.setattr(world.host.database, "token", refuse)
    monkeypatch.setattr(world.host.database, "studies", refuse)
    for method, path in (("GET", "/api/v1/health"), ("GET", API), ("POST", "/login")):
        headers = {"authorization": "Bearer guess"} if path == API else {}
        reply = world(method, path, headers=headers, **({"form": {"token": "x"}} if method == "POST" else {}))
        assert (reply.status, "secret" in reply.text) == (503, False)
    assert "/secret/place" in caplog.text


def test_the_last_owner_cannot_lock_everybody_out(world):
    cookie, key = world.log_in("owner")
    line = "is the last owner: make another one first"
    reply = world("DELETE", "/api/v1/tokens/boss", "owner")
    assert (reply.status, line in reply.json["error"]) == (409, True)
    reply = world("POST", "/tokens/boss/revoke", cookie=cookie, form={"csrf": key})
    assert (reply.status, line in reply.text, "<h1>Tokens</h1>" in reply.text) == (409, True, True)
    assert world("GET", "/tokens", cookie=cookie).status == 200
    world.host.tokens.make("second", "owner")
    assert world("DELETE", "/api/v1/tokens/boss", "owner").status == 200


def test_a_token_that_is_refused_is_still_in_its_form(world):
    cookie, key = world.log_in("owner")
    reply = world("POST", "/tokens", cookie=cookie, form={"csrf": key, "name": "LAB", "role": "reader", "study": "s"})
    assert (reply.status, "looks like the token" in reply.text) == (409, True)
    assert 'value="LAB"' in reply.text
    assert "<option selected>reader</option>" in reply.text
    assert 'name="study" value="s"' in reply.text
