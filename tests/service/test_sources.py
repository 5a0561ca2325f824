"""What a source can find out about the others, and whether it can act as one of them: no value of another, ever."""

from urllib.parse import quote

import openpyxl
import pandas as pd
import pytest

from tests.service.conftest import BOX
from tests.service.world import API, SECRET, World
from unswayed.cli import main
from unswayed.errors import InvalidInput


def heard(world, role, *requests):
    """All that the replies to some requests say."""
    replies = [world(method, path, role, body, **more) for method, path, body, more in requests]
    assert all(reply.status < 500 for reply in replies)
    return "".join(str(reply.headers) + reply.text for reply in replies)


def test_no_reply_to_a_source_holds_a_value_of_another(host):
    world = World(host)
    key = {"headers": {"idempotency-key": "k"}}
    assert world("POST", f"{API}/s/plays/0/tell", "rival", {"value": SECRET}, **key).status == 200  # the key of a rival
    plays = [f"{API}/s/plays/{number}" for number in (0, 1, 7)]
    verbs = [
        ("tell", {"value": 0.5}), ("tell", {"value": SECRET, "source": "rival"}), ("fail", {"reason": "x"}),
        ("heartbeat", {}), ("move", {"point": {"x": 1}}), ("retract", {"reason": "x"}), ("restore", {}),
        ("correct", {"value": 1, "reason": "x"}),
    ]  # fmt: skip
    sent = [("POST", f"{play}/{verb}", body, more) for play in plays for verb, body in verbs for more in ({}, key)]
    reads = (
        "",
        "/plays",
        "/answer",
        "/log",
        "/log?after=0",
        "/events",
        "/export",
        "/export?format=csv",
        "/export?format=html",
    )
    sent += [("GET", f"{API}/s{path}", None, {}) for path in reads]
    sent += [("GET", path, None, {}) for path in ("/", "/studies/s", "/studies/s/log", "/api/v1/metrics", API)]
    sent += [("POST", f"{API}/s/measurements", {"point": {"x": 2, "y": 0}, "value": 1}, {})]
    sent += [("POST", f"{API}/s/ask", {"n": 3, "source": "rival"}, {})]
    text = heard(world, "source", *sent)
    assert str(SECRET) not in text.replace(f"not {SECRET}", "")
    assert "rival" not in text


def test_a_source_is_refused_the_plays_of_others(world):
    before = world.stored()
    for verb, body in (
        ("tell", {"value": SECRET}), ("fail", {"reason": "x"}), ("heartbeat", {}), ("move", {"point": {"x": 1}}),
    ):  # fmt: skip
        reply = world("POST", f"{API}/s/plays/0/{verb}", "source", body)
        assert (reply.status, reply.json) == (
            403,
            {"error": "play 0 was not given to you"},
        )  # not even whether it is right
    assert world.stored() == before


def handed_on(world):
    """A play that "lab" had and "rival" has now."""
    study = world.host.study("s")
    with study._database.writing(study.number) as writing:
        writing.lease([1], 0.0)
    assert world.ask("rival") == [1]


def test_a_late_answer_learns_nothing(world):
    handed_on(world)
    assert world.tell("rival", 1, 0.987654321).status == 200
    for value in (0.5, 0.987654321):  # not even whether the guess is right
        reply = world.tell("source", 1, value)
        assert reply.status == 409
        assert reply.json["stored"] is None
        assert "0.98" not in reply.text
    assert "0.98" not in heard(world, "source", ("POST", f"{API}/s/plays/1/fail", {"reason": "x"}, {}))
    assert [play.value for play in world.host.study("s").log][:2] == [SECRET, 0.987654321]


def test_a_source_cannot_fail_a_play_that_another_measures_now(world):
    handed_on(world)
    reply = world("POST", f"{API}/s/plays/1/fail", "source", {"reason": "sabotage"})
    assert (reply.status, reply.json["stored"]) == (409, None)
    assert world.tell("rival", 1, 0.75).status == 200
    assert world.host.study("s").log[1].value == 0.75


def test_the_reason_of_another_is_not_shown(world):
    handed_on(world)
    assert world("POST", f"{API}/s/plays/1/fail", "rival", {"reason": "our furnace broke"}).status == 200
    assert "furnace" not in world.tell("source", 1, 0.5).text
    assert "furnace" not in world("POST", f"{API}/s/plays/1/fail", "source", {"reason": "x"}).text


def test_a_source_has_a_limited_number_of_plays(world, monkeypatch):
    monkeypatch.setattr("unswayed.service.api.HELD", 3)
    assert len(world.ask("source", 1000)) == 3
    assert world.ask("source", 1000) == world.ask("source", 3)
    assert len(world.ask("owner", 5)) == 5


def test_keys_belong_to_their_source(world):
    key = {"headers": {"idempotency-key": "the same"}}
    body = {"point": {"x": 0.5, "y": 0.5}, "value": 0.111}
    first = world("POST", f"{API}/s/measurements", "rival", body, **key)
    second = world("POST", f"{API}/s/measurements", "source", body, **key)
    assert (first.status, second.status) == (201, 201)
    assert first.json != second.json
    assert world("POST", f"{API}/s/measurements", "rival", body, **key).json == first.json
    elsewhere = world.host.tokens.make("both", "source")
    world.tokens["both"] = elsewhere
    there = [world("POST", f"{API}/{name}/measurements", "both", body, **key) for name in ("s", "elsewhere")]
    assert [reply.status for reply in there] == [201, 201]


def test_a_source_tells_in_its_own_name_alone(host):
    world = World(host)
    refused = world.tell("source", 1, 0.5, source="rival")
    assert (refused.status, refused.json["error"]) == (
        403,
        "you tell in your own name alone: leave the source out, or say lab",
    )
    body = {"point": {"x": 0.5, "y": 0.5}, "value": 0.25}
    false = {**body, "source": "rival"}
    for wrong in (false, {"measurements": [body, false]}):
        assert world("POST", f"{API}/s/measurements", "source", wrong).status == 403
    assert world("POST", f"{API}/s/measurements", "source", {"measurements": [body, body]}).status == 201
    assert world.tell("source", 1, 0.5, source="lab").status == 200
    assert world("POST", f"{API}/s/ask", "source", {"source": "rival"}).status == 200
    log = world.host.study("s").log
    assert [play.source for play in log] == ["rival", *["lab"] * 4]


def given(world):
    return world("GET", f"{API}/s/plays", "source").json["plays"]


def test_a_source_reads_the_plays_that_it_was_given_and_no_others(world):
    (play,) = given(world)
    assert (play["number"], play["status"], play["source"], play["value"]) == (1, "open", "lab", None)
    world.tell("source", 1, 0.5)
    world("POST", f"{API}/s/plays/1/retract", "owner", {"reason": "a lie"})
    (play,) = given(world)
    assert (play["status"], play["value"]) == ("told", 0.5)
    assert set(play) == {"number", "point", "proposed", "source", "status", "value", "noise_std", "trials", "before"}


def test_of_a_play_that_was_handed_on_a_source_reads_only_what_was_asked(world):
    asked = given(world)[0]["point"]
    handed_on(world)
    world("POST", f"{API}/s/plays/1/move", "rival", {"point": {"x": 0.25}})
    world.tell("rival", 1, SECRET)
    (play,) = given(world)
    assert (play["point"], play["source"], play["status"], play["value"]) == (asked, None, "open", None)


@pytest.mark.parametrize("form", ["xlsx", "csv"])
def test_a_source_gives_back_the_sheet_that_ask_wrote(form, tmp_path, quick, monkeypatch, capsys):
    server = quick(f"sqlite:///{tmp_path}/studies.db")
    server.begin()
    monkeypatch.setenv("UNSWAYED_TOKEN", server.make_token("lab"))
    address, path = f"{server.address}/studies/s", tmp_path / f"batch.{form}"

    def run(*words):
        with pytest.raises(SystemExit) as stop:
            main(["study", *words])
        assert stop.value.code == 0, capsys.readouterr().err
        return capsys.readouterr()

    run("ask", address, "2", "--out", str(path))
    assert [line.split()[0] for line in run("ask", address, "--open").out.splitlines()] == ["play", "0", "1"]
    fill(path)
    assert f"told 2 plays\n{address}: your plays: 2 told" in run("tell", address, "--sheet", str(path)).out
    assert "told 0 plays; 2 rows told before" in run("tell", address, "--sheet", str(path)).out
    assert [(play.value, play.source) for play in server.study().log] == [(0.5, "lab")] * 2


def fill(path):
    """Write 0.5 into the column of the values."""
    if path.suffix == ".xlsx":
        book = openpyxl.load_workbook(path)
        column = next(cell.column for cell in book.active[1] if cell.value == "value")
        for row in (2, 3):
            book.active.cell(row, column, 0.5)
        book.save(path)
        return
    table = pd.read_csv(path)
    table["value"] = 0.5
    table.to_csv(path, index=False)


def test_a_source_is_not_told_that_it_is_quarantined_or_retracted(world):
    assert world.tell("source", 1, 0.5).status == 200
    seen = [world.tell("source", 1, 0.5).json, set(world("GET", f"{API}/s", "source").json)]
    assert world("POST", f"{API}/s/change", "owner", {"quarantined": ["lab"]}).status == 200
    assert world("POST", f"{API}/s/plays/1/retract", "owner", {"reason": "a lie"}).status == 200
    assert [world.tell("source", 1, 0.5).json, set(world("GET", f"{API}/s", "source").json)] == seen
    settings = world("GET", f"{API}/s", "source")
    assert "lab" not in settings.text
    assert "a lie" not in world.tell("source", 1, 0.6).text
    assert world("GET", f"{API}/s", "owner").json["settings"]["quarantined"] == ["lab"]


@pytest.mark.parametrize(
    "name",
    [
        "LAB",
        "Lab",
        "\uff4c\uff41\uff42",
        "lab ",
        " lab",
        "la\u200bb",
        "lab\u202e",
        "lab\n",
        "lab\0",
        "lab\ufe0f",
        "lab\u3164",
        "Boss",
    ],
)
def test_no_token_can_be_taken_for_another(world, name):
    for role in ("source", "reader", "owner"):
        with pytest.raises(InvalidInput):
            world.host.tokens.make(name, role)
        if "\0" not in name:
            assert world("POST", "/api/v1/tokens", "owner", {"name": name, "role": role}).status in (409, 422)


def test_accents_that_are_composed_differently_are_the_same_name(world):
    world.host.tokens.make("caf\u00e9 2", "source")
    with pytest.raises(InvalidInput, match="looks like"):
        world.host.tokens.make("cafe\u0301  2", "source")
    world.host.tokens.make("cafe 2", "source")  # another name


def test_names_with_signs_reach_their_own_token(world):
    for name in ("a", "a/b", "a?b", "a#b", "a%2Fb", "..", "a;b", "a&b=c", "\u03b1 \u03b2"):
        world.host.tokens.make(name, "reader")
    left = {row["name"] for row in world.host.tokens.rows()}
    for name in ("a/b", "a?b", "a#b", "a%2Fb", "..", "a;b", "a&b=c", "\u03b1 \u03b2"):
        assert world("DELETE", f"/api/v1/tokens/{quote(name, safe='')}", "owner").status == 200
        left.discard(name)
        assert {row["name"] for row in world.host.tokens.rows()} == left


def test_a_source_begins_nothing_and_changes_nothing(world):
    before = world.stored()
    for path, body in (
        (API, {"name": "mine", "space": BOX}),
        (API, {"name": "s", "space": BOX}),
        (f"{API}/s/change", {"quarantined": ["rival"]}),
        ("/api/v1/tokens", {"name": "me2", "role": "owner"}),
    ):
        assert world("POST", path, "source", body).status == 403
    assert world("DELETE", "/api/v1/tokens/rival", "source").status == 403
    assert world.stored() == before


def test_a_source_says_where_it_really_measures_while_the_play_is_open_and_its_own(world):
    move, log = f"{API}/s/plays/1/move", world.host.study("s").log
    x = 0.25 if log[1].point["x"] != 0.25 else 0.5
    assert world("POST", move, "rival", {"point": {"x": x}}).status == 403
    reply = world("POST", move, "source", {"point": {"x": x}})
    assert (reply.status, reply.json) == (200, {"number": 1, "point": log[1].point | {"x": x}})
    assert world("POST", move, "source", {"point": {"x": 99}}).status == 422
    assert world("POST", move, "source", {"point": {"x": x}, "nearest": 1}).status == 422
    assert world.tell("source", 1, 0.5).status == 200
    assert world("POST", move, "source", {"point": {"x": 0.75}}).status == 409
    assert world("POST", move, "owner", {"point": {"x": 0.75}}).status == 200
    play = world.host.study("s").log[1]
    assert (play.point["x"], play.proposed, play.value) == (0.75, log[1].point, 0.5)


def test_a_play_that_was_handed_on_is_moved_by_its_new_source_only(world):
    handed_on(world)
    assert world("POST", f"{API}/s/plays/1/move", "source", {"point": {"x": 0.5}}).status == 409
    assert world("POST", f"{API}/s/plays/1/move", "rival", {"point": {"x": 0.5}}).status == 200
