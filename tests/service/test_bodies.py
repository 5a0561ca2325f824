"""What comes in: traps in every field of every route. No mistake of the server, and nothing is kept."""

import json
import socket
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.service.conftest import BOX
from tests.service.test_rules import RULES, filled
from tests.service.world import API, SECRET, World
from unswayed.service.host import Host
from unswayed.service.http import LARGEST_BODY
from unswayed.storage.database import Database

POINT = {"x": 0.5, "y": 0.5}
WRITES = {path: body for (method, path), (_, body, _) in RULES.items() if method == "POST" and path.startswith("/api/")}
FORMS = {path: body for (method, path), (_, body, _) in RULES.items() if method == "POST" and path.startswith("/s")}
FULL = {  # a good value for every field that a route knows
    API: {"name": "new", "space": BOX, "threat": 1, "plays": 9, "minimize": False, "seed": 1, "notes": "n", "level": 0,
          "kernel": {"name": "Matern", "nu": 2.5, "lengthscale": 0.3}, "noise_std": 0.1, "delta": 0.1,
          "parallel": 1, "quarantined": ["a"], "method": "auto", "output_scale": 1.0, "norm_bound": 2.0},
    f"{API}/{{name}}/ask": {"n": 1, "source": "a"},
    f"{API}/{{name}}/plays/{{number}}/tell": {"value": 0.5, "source": "a", "noise_std": 0.1, "trials": 2},
    f"{API}/{{name}}/plays/{{number}}/move": {"point": POINT, "nearest": True},
    f"{API}/{{name}}/plays/{{number}}/correct": {"value": 0.5, "reason": "r", "source": "a", "trials": 2},
    f"{API}/{{name}}/measurements": {"point": POINT, "value": 0.5, "source": "a", "noise_std": 0.1, "trials": 2,
                                     "measurements": [{"point": POINT, "value": 1}]},
    f"{API}/{{name}}/change": {"threat": 1, "plays": 300, "parallel": 2, "notes": "n", "quarantined": ["a"]},
    "/api/v1/tokens": {"name": "new", "role": "source", "study": "s"},
}  # fmt: skip
TEXTS = ["../../etc/passwd", "..%2f..%2f", "'; DROP TABLE records; --", '" OR 1=1 --', "<script>alert(1)</script>",
         '"><img src=x onerror=alert(1)>', "javascript:alert(1)", "{{7*7}}", "${7*7}", "%s%n", "\u202eabc", "\ud7ff",
         "x" * 100_000, "\r\nSet-Cookie: a=b", "=1+1", "NaN", "inf", "-Infinity", "1e999", "0x10", "\u0663"
         ]  # fmt: skip
WRONG = [None, True, False, [], [[]], {}, {"a": {}}, "", " ", 0, -1, 1.5, 1e308, -1e308, 5e-324, 10**15, *TEXTS[:6]]
JSON_TRAPS = {
    "NaN": b"NaN", "infinity": b"Infinity", "minus infinity": b"-Infinity", "1e999": b"1e999", "-1e999": b"-1e999",
    "huge integer": b"9" * 4000, "huger integer": b"1" + b"0" * 100_000, "10**16": b"1" + b"0" * 16,
    "deep list": b"[" * 100_000 + b"]" * 100_000, "nested 20": b"[" * 20 + b"]" * 20, "deep object": b'{"a":' * 50_000,
    "lone surrogate": b'"\\ud800"', "null character": b'"a\\u0000b"', "bad escape": b'"\\x"', "no end": b'"abc',
    "invalid UTF-8": b'"\xff\xfe"', "overlong": b'"\xc0\xaf"', "surrogate in UTF-8": b'"\xed\xa0\x80"',
    "duplicate": b'{"a": 1, "a": 2}', "comma": b"[1,]", "comment": b"1 /* x */", "control": b'"\x01"', "nothing": b"",
}  # fmt: skip


def refused(world, reply, before, what):
    assert 400 <= reply.status < 500, (what, reply.status, reply.text)
    assert set(json.loads(reply.body)) <= {"error", "stored"}
    assert world.stored() == before, what


@pytest.mark.parametrize("trap", JSON_TRAPS)
def test_traps_of_json_in_every_route(world, trap):
    before = world.stored()
    for path, body in WRITES.items():
        names = [*FULL.get(path, body), "unknown"]
        bodies = [b"{" + json.dumps(name).encode() + b": " + JSON_TRAPS[trap] + b"}" for name in names]
        if trap != "nothing":  # an empty body is an empty object
            bodies.append(JSON_TRAPS[trap])
        for sent in bodies:
            refused(world, world("POST", filled(path), "owner", sent), before, (path, sent[:60]))


def test_keys_are_checked_like_values(world):
    before = world.stored()
    for text in (b"\\ud800", b"\\u0000", b"value\\u0000"):
        refused(world, world("POST", f"{API}/s/change", "owner", b'{"' + text + b'": 1}'), before, text)
    twice = b'{"notes": "a", "note": "b"}'
    refused(world, world("POST", f"{API}/s/change", "owner", twice), before, twice)
    nested = b'{"measurements": [{"point": {"x": 0.5, "y": 0.5, "x": 0.1}, "value": 1}]}'
    refused(world, world("POST", f"{API}/s/measurements", "source", nested), before, nested)


@pytest.mark.parametrize(
    "shape", [b"[]", b"[{}]", b"1", b'"x"', b"null", b"true", b" ", b"\xef\xbb\xbf{}", b"{}{}", b"{"]
)
def test_a_body_is_one_object(world, shape):
    before = world.stored()
    for path in WRITES:
        refused(world, world("POST", filled(path), "owner", shape), before, (path, shape))


@pytest.mark.parametrize("code", ["utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_json_is_utf_8(world, code):
    before = world.stored()
    sent = json.dumps({"notes": "n\u00e9"}, ensure_ascii=False).encode(code)
    refused(world, world("POST", f"{API}/s/change", "owner", sent), before, code)


def test_wrong_kinds_in_every_field_are_no_mistake_of_the_server(world):
    """What is accepted is what was meant; the rest is refused and leaves no trace."""
    accepted, before = [], world.stored()
    for path, full in FULL.items():
        for field in full:
            for wrong in WRONG:
                minimal = {name: full[name] for name in WRITES[path] if name in full}
                reply = world("POST", filled(path), "owner", {**minimal, field: wrong})
                assert reply.status < 500, (path, field, wrong, reply.text)
                if reply.status >= 400:
                    assert world.stored() == before
                else:
                    accepted.append((field, wrong))
                    before = world.stored()
    for field, wrong in accepted:
        if field in ("value", "noise_std", "trials", "n", "plays", "parallel", "seed", "delta"):
            assert wrong is None or (isinstance(wrong, int | float) and not isinstance(wrong, bool)), (field, wrong)
        if field == "quarantined":
            assert isinstance(wrong, list)
        if field in ("name", "role", "study", "reason", "notes"):
            assert wrong is None or isinstance(wrong, str)
    world.host.study("s").answer()  # it can still be folded


def test_wrong_spaces_and_kernels(world):
    before, cells = world.stored(), [None, True, [], {}, "x", -1, 1e308, [[]], "<script>", 10**15, [1, "a"], {"a": []}]
    spaces = [{"x": one} for one in cells] + [{"options": one} for one in (None, True, {}, "x", 5, [[]], [None], ["a"])]
    good = {"low": 0, "high": 1}
    names = ("low", "high", "log", "type", "unit", "values", "choices", "levels", "step", "unknown")
    spaces += [{"x": {**good, name: one}} for name in names for one in cells]
    spaces += [{name: good} for name in ("", "x" * 100_000, "\u202e", "source", "value")]
    kernels = [{"name": one} for one in (*cells, "_Stationary", "__class__")]
    kernels += [{"name": "Matern", name: one} for name in ("nu", "lengthscale", "unknown", "self") for one in cells]
    for number, (space, kernel) in enumerate([(one, None) for one in spaces] + [(BOX, one) for one in kernels]):
        reply = world("POST", API, "owner", {"name": f"n{number}", "space": space, "kernel": kernel})
        assert reply.status in (201, 422), (space, kernel, reply.text)
        if reply.status == 422:
            assert world.stored() == before
        else:
            before = world.stored()
            again = Host(world.host.database).study(reply.json["name"])  # as after a start
            assert again.records() == world.host.study(reply.json["name"]).records()


def test_wrong_rows_and_unknown_entries_are_refused_as_a_whole(world):
    before, good = world.stored(), {"point": POINT, "value": 1.0}
    bad = [
        {},
        {"point": POINT},
        {"value": 1},
        {**good, "foo": 1},
        {**good, "value": "1"},
        {**good, "value": None},
        5,
        None,
    ]
    bad += [
        {**good, "point": one} for one in (None, 5, "x", [], {"x": 1}, {**POINT, "z": 1}, {"x": "1", "y": 1}, [0, 0])
    ]
    bad += [{**good, "point": {"x": one, "y": 0}} for one in (None, True, "0", [0], {}, 1e308, -0.5)]
    bad += [{**good, "measurements": []}, {**good, "trials": True}, {**good, "noise_std": "1"}, {**good, "source": []}]
    for row in bad:
        for rows in ({"measurements": [good, row]}, {"measurements": {"0": row}}, {"measurements": row}):
            refused(world, world("POST", f"{API}/s/measurements", "source", rows), before, row)
    for path, body in WRITES.items():
        unknown = {**body, "<script>": 1}
        refused(world, world("POST", filled(path), "owner", unknown), before, path)
    for threat in (
        {"foo": 1},
        {"lies": "3"},
        {"lies": True},
        {"total": None},
        {"lies": 1.5},
        "3",
        True,
        [],
        {"low": "a"},
    ):
        refused(world, world("POST", f"{API}/s/change", "owner", {"threat": threat}), before, threat)


def test_numbers_in_paths_and_behind_question_marks(world):
    before = world.stored()
    strange = ("-1", "1e3", "0x1", "%00", "%ff", "%2e%2e", "99999999999999", "1.0", "%D9%A1", "1%2F2", "%EF%BC%91", "7")
    for number in strange:
        reply = world("POST", f"{API}/s/plays/{number}/tell", "owner", {"value": 1})
        assert reply.status == 404, number
    for name in ("..", "%2e%2e", "..%2Fs", "%00", "%ff", "s%00", "S", "s%20", "'", "%3Cscript%3E", "x" * 5000, "s;a"):
        for path in ("", "/answer", "/log", "/events", "/export"):
            assert world("GET", f"{API}/{name}{path}", "owner").status == 404, name
        assert world("GET", f"/studies/{name}", "owner").status == 404
        assert world("GET", f"/static/{name}").status in (401, 404)
        assert world("DELETE", f"/api/v1/tokens/{name}", "owner").status == 404
    for after in ("-1", "x", "1e3", "9" * 30, "", "%00", "1.5"):
        for path in ("log", "events"):
            assert world("GET", f"{API}/s/{path}?after={after}", "owner").status == 422
    for form in ("xml", "", "../x", "%00"):
        assert world("GET", f"{API}/s/export?format={form}", "owner").status == 422
    pages = (
        "?threat=nan&kind=x",
        "?threat=1e999",
        "?threat=%00",
        "?kind=__class__",
        "?kind=lies&threat=-1",
        "/log?page=0",
        "/log?page=99999",
        "/log?source=%3Cscript%3E",
        "/log?number=x",
        "/sources?page=x",
        "/log?source=%00",
    )
    for page in pages:
        assert world("GET", f"/studies/s{page}", "owner").status in (200, 422), page
    assert world.stored() == before


def test_texts_come_back_as_texts(world):
    """What people write is kept as it is, and no page takes it for its own."""
    world.tell("source", 1, 0.5)
    for text in TEXTS:
        assert world("POST", f"{API}/s/plays/1/retract", "owner", {"reason": text}).status == 200
        assert world("POST", f"{API}/s/plays/1/restore", "owner", {}).status == 200
        assert world("POST", f"{API}/s/change", "owner", {"notes": text}).status == 200
        if len(text) <= 200:
            added = {"point": POINT, "value": 0.5, "source": text}
            assert world("POST", f"{API}/s/measurements", "owner", added).status == 201
        assert world("GET", f"{API}/s", "owner").json["settings"]["note"] == text
    world.host.study("s").answer()
    export = world("GET", f"{API}/s/export?format=html", "owner")
    for page in [world("GET", f"/studies/s{path}", "owner") for path in ("", "/sources", "/log")] + [export]:
        assert page.status == 200
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
    assert "set-cookie" not in export.headers


CHANGES = ("plays", "parallel", "total", "lies", "low", "doubt")


@pytest.mark.parametrize("path", FORMS)
def test_forms_refuse_what_they_cannot_read(world, path):
    cookie, token = world.log_in("owner")
    before = world.stored()
    broken = [
        b"\xff",
        b"a" * 100_000,
        b"&".join(b"a%d=1" % i for i in range(400)),
        b"a=1&a=2",
        b"a=%00",
        b"=;;&&&",
        b"a",
    ]
    for sent in broken:
        data = sent + b"&csrf=" + token.encode()
        assert 400 <= world("POST", filled(path), cookie=cookie, form=data).status < 500
    numbers = {
        "plays": ["inf", "nan", "1e999", "1.5", "-1", "x", "9" * 30, "\u0663"],
        "parallel": ["inf", "0"],
        "total": ["inf", "nan", "-1", "{", "1e101", "x"],
        "lies": ["inf", "nan", "-1", "1.5", "9" * 30, "x"],
        "low": ["inf", "x", "0"],
        "doubt": ["x"],
        "n": ["0", "1.5", "1e9", "x"],
        "set-0": ["x", "-1", "nan", "1e999"],
        "value": ["inf", "nan", "", "x"],
        "source": [""],
        "on": [],
    }
    for name, texts in numbers.items():
        for text in texts:
            if name in FORMS[path] or (path.endswith("change") and name in CHANGES):
                sent = {**FORMS[path], name: text, "csrf": token}
                assert world("POST", filled(path), cookie=cookie, form=sent).status in (400, 422), (name, text)
    assert world.stored() == before


def test_sizes(world):
    before = world.stored()
    large = b'{"notes": "' + b"x" * LARGEST_BODY + b'"}'
    assert world("POST", f"{API}/s/change", "owner", large).status == 413
    assert world("POST", f"{API}/s/change", "owner", b"{}", headers={"content-length": "10000000"}).status == 413
    assert world("POST", f"{API}/s/change", "owner", b"{}", headers={"content-length": "9" * 5000}).status == 413
    parts = [b" " * 1_000_000] * 6
    assert world("POST", f"{API}/s/change", "owner", b"", parts=parts).status == 413
    for key in ("", "x" * 201, "\u00e9", "a\0b", "a\tb"):
        reply = world("POST", f"{API}/s/change", "owner", {"notes": "x"}, headers={"idempotency-key": key})
        assert reply.status == 400
    assert world.stored() == before
    whole = json.dumps({"notes": "in parts"}).encode()
    parts = [whole[i : i + 3] for i in range(0, len(whole), 3)]
    assert world("POST", f"{API}/s/change", "owner", whole, parts=parts).status == 200


def test_every_reply_has_a_strict_policy(world):
    cookie, token = world.log_in("owner")
    sent = [
        ("GET", "/"),
        ("GET", "/login"),
        ("GET", "/static/style.css"),
        ("GET", "/static/live.js"),
        ("GET", "/static/x"),
        ("GET", "/api/v1/health"),
        ("GET", "/nothing"),
        ("TRACE", "/"),
        ("GET", f"{API}/s/log"),
        ("GET", f"{API}/x"),
        ("GET", f"{API}/s/export?format=html"),
        ("GET", "/api/v1/metrics"),
        ("POST", f"{API}/s/tell"),
    ]
    replies = [world(*one, role) for one in sent for role in (None, "owner", "source")]
    replies.append(world("GET", f"{API}/s/events", "owner", most=1))
    replies.append(world("POST", "/logout", cookie=cookie, form={"csrf": token}))
    replies.append(world("GET", "/", headers={"host": "evil.example"}))
    replies.append(world("POST", f"{API}/s/change", "owner", b" " * (LARGEST_BODY + 1)))
    for reply in replies:
        policy = reply.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert not [word for word in policy.split() if "//" in word or word in ("*", "data:", "https:")]
        assert reply.headers["x-content-type-options"] == "nosniff"
        static = reply.headers.get("content-type", "").startswith(("text/css", "text/javascript"))
        assert reply.headers["cache-control"] == ("max-age=300" if static else "no-store")


def test_pages_load_nothing_from_elsewhere_and_have_no_inline_script(world):
    for path in ("/", "/login", "/studies/s", "/studies/s/sources", "/studies/s/log", "/tokens"):
        text = world("GET", path, "owner").text
        assert "style=" not in text
        assert " onclick" not in text
        assert "<script>" not in text
        assert 'src="http' not in text
        assert 'href="http' not in text


def test_a_mistake_of_the_server_says_nothing(world, monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError(f"secret {SECRET}")

    monkeypatch.setattr(world.host.database, "tokens", broken)
    for path in ("/api/v1/tokens", "/tokens"):
        reply = world("GET", path, "owner")
        assert reply.status == 500
        assert str(SECRET) not in reply.text
        assert "content-security-policy" in reply.headers
    assert "secret" in caplog.text


def test_events_are_limited_and_end_with_the_browser(world, monkeypatch):
    for _ in range(3):
        reply = world("GET", f"{API}/s/events?after=0", "reader", most=1)
        assert (reply.status, world.direct.app._streams) == (200, 0)
    monkeypatch.setattr("unswayed.service.app.STREAMS", 0)
    assert world("GET", f"{API}/s/events", "reader").status == 429
    assert world("GET", f"{API}/s/log", "reader").status == 200  # the same without a stream


# made up

SCALARS = st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.floats() | st.text(max_size=20)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = sorted({name for body in (*FULL.values(), *WRITES.values()) for name in body})


def fuzzed(world, path, role, body, changes):
    before = world.stored()
    sent = json.dumps({**body, **changes}).encode()
    reply = world("POST", filled(path), role, sent)
    assert reply.status < 500, (path, sent, reply.text)
    if reply.status >= 400:
        assert world.stored() == before
    assert world("GET", "/api/v1/health").status == 200


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(sorted(WRITES)),
    st.sampled_from(["owner", "source"]),
    st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=4),
)
def test_made_up_bodies(world, path, role, changes):
    fuzzed(world, path, role, WRITES[path], changes)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted(WRITES)), st.binary(max_size=60))
def test_made_up_bytes(world, path, data):
    before = world.stored()
    reply = world("POST", filled(path), "owner", b"{" + data)
    assert reply.status < 500
    assert reply.status < 400 or world.stored() == before


def test_bodies_on_postgresql(postgres):
    """A sample: PostgreSQL refuses texts that SQLite takes."""
    database = Database(postgres)
    world = World(Host(database))
    before = world.stored()
    for trap in ("null character", "lone surrogate", "NaN", "duplicate", "invalid UTF-8"):
        for path, body in WRITES.items():
            for name in [*FULL.get(path, body), "unknown"]:
                sent = b"{" + json.dumps(name).encode() + b": " + JSON_TRAPS[trap] + b"}"
                refused(world, world("POST", filled(path), "owner", sent), before, (path, sent))
    cookie, token = world.log_in("owner")
    for path, body in {**FORMS, "/tokens": {"name": "new", "role": "reader", "study": "s"}}.items():
        for name in body:
            sent = {**body, name: "a\0b", "csrf": token}
            assert world("POST", filled(path), cookie=cookie, form=sent).status == 400, (path, name)
    for path in ("/tokens/a%00/revoke", "/tokens/x/revoke"):
        assert world("POST", path, cookie=cookie, form={"csrf": token}).status in (404, 422)
    strange = {"idempotency-key": "a\0b"}
    assert world("POST", f"{API}/s/change", "owner", {"notes": "x"}, headers=strange).status == 400
    assert world("GET", "/api/v1/tokens", headers={"authorization": "Bearer a\0b"}).status == 401
    assert world.stored() == before
    for wrong in WRONG:
        for field in ("name", "role", "study"):
            body = {"name": "new", "role": "source", field: wrong}
            assert world("POST", "/api/v1/tokens", "owner", body).status in (201, 422)
    for text in TEXTS:
        assert world("POST", f"{API}/s/change", "owner", {"notes": text}).status == 200
    database.close()


# bytes on a wire


def exchanged(server, data):
    """What a server answers to bytes, as far as it does before it hangs up."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=1) as wire:
        wire.sendall(data)
        answer = b""
        with suppress(OSError):
            while part := wire.recv(65536):
                answer += part
        return answer


def test_strange_bytes_on_the_wire(servers, tmp_path):
    server = servers(f"sqlite:///{tmp_path}/studies.db")
    server.begin()
    before = server.study().records()
    head = f"POST {API}/s/change HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {server.token}\r\n".encode()
    head += b"Content-Type: application/json\r\nConnection: close\r\n"
    body, chunk = b'{"notes": "smuggled"}', b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    strange = {
        "shorter than it says": head + b"Content-Length: 999\r\n\r\n" + body,
        "negative": head + b"Content-Length: -5\r\n\r\n" + body,
        "no number": head + b"Content-Length: x\r\n\r\n" + body,
        "two lengths": head + b"Content-Length: 5\r\nContent-Length: 21\r\n\r\n" + body,
        "length and chunks": head + b"Content-Length: 21\r\nTransfer-Encoding: gzip\r\n\r\n" + body,
        "broken chunk": head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + body,
        "chunks without end": head + b"Transfer-Encoding: chunked\r\n\r\n15\r\n" + body + b"\r\n",
        "ten megabytes": head + b"Content-Length: 10000000\r\n\r\n" + b" " * 10_000_000,
        "ten megabytes of chunks": head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 10,
        "two hosts": head + b"Host: evil.example\r\nContent-Length: 21\r\n\r\n" + body,
        "not HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20,
        "long header": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
        "half a request": head,
    }  # fmt: skip
    for name, data in strange.items():
        with suppress(ConnectionError):  # it hung up while we sent
            answer = exchanged(server, data)
            assert answer == b"" or answer.split()[1][:1] == b"4", name
        assert server.study().about()["name"] == "s", name
    assert server.study().records() == before
    chunked = head + b"Transfer-Encoding: chunked\r\n\r\n15\r\n" + body + b"\r\n0\r\n\r\n"
    assert b"200 OK" in exchanged(server, chunked)
    assert len(server.study().records()) == len(before) + 1
