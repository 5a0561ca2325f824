"""What people type into forms: read as they mean it, said beside the field if it is wrong, and kept."""

import re
from contextlib import suppress
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unswayed as uw
from tests.service.pages_data import HARM
from unswayed.core.tampering.threat import Threat
from unswayed.search.play import Status
from unswayed.service.forms.begin import MOST_ROWS, options_of, read_study, rows
from unswayed.service.forms.fields import Fields
from unswayed.service.forms.point import entries, read_move, read_point, shown_point
from unswayed.service.forms.threat import read_threat, shown_threat
from unswayed.spaces import space_from_tables

BEGIN = {"name": "alloy", "kind": "parameters", "goal": "smaller", "plays": "40", "note": "yield in %", "rows": "3"}
BEGIN |= {"name-0": "T", "type-0": "number", "low-0": "60", "high-0": "120", "step-0": "0.5", "unit-0": "°C"}
BEGIN |= {"name-1": "n", "type-1": "whole", "low-1": "1", "high-1": "8", "log-1": "yes", "step-1": "ignored"}
BEGIN |= {"name-2": "s", "type-2": "choices", "choices-2": "water, 16, 0.50, ethanol", "low-2": "ignored"}


def read(**changes):
    fields = Fields({**BEGIN, **changes}, "begin")
    return read_study(fields), fields.errors


def test_a_study_is_what_was_typed():
    body, errors = read(lies="1", low="0", high="100")
    assert not errors
    assert body == {
        "name": "alloy", "minimize": True, "plays": 40, "note": "yield in %",
        "threat": {"lies": 1, "low": 0, "high": 100},
        "space": {
            "T": {"low": 60, "high": 120, "step": 0.5, "unit": "°C"},
            "n": {"type": "integer", "low": 1, "high": 8, "log": True},
            "s": {"choices": ["water", 16, "0.50", "ethanol"]},
        },
    }  # fmt: skip
    assert space_from_tables(body["space"]).names == ("T", "n", "s")
    assert read(kind="options", options="a\n\n b \nc")[0]["space"] == {"options": ["a", "b", "c"]}
    table = read(kind="table", table="x\ts\r\n1,5\tred\r\n2,5\tblue\r\n")[0]["space"]
    assert table == {"options": [{"x": 1.5, "s": "red"}, {"x": 2.5, "s": "blue"}]}


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"name": "two words"}, "name"), ({"name": ""}, "name"), ({"plays": "many"}, "plays"),
        ({"plays": "0"}, "plays"), ({"plays": "1.5"}, "plays"), ({"low-0": ""}, "low-0"),
        ({"high-0": "1,500"}, "high-0"),
        ({"low-0": "200"}, "name-0"),
        ({"name-1": "T"}, "name-1"), ({"name-1": ""}, "name-1"), ({"choices-2": ""}, "name-2"),
        ({"low-1": "1.5"}, "name-1"), ({"kind": "options"}, "options"), ({"kind": "table"}, "table"),
        ({"kind": "table", "table": "a\nb\nc"}, "table"), ({"kind": "table", "table": "x,y\n1,2\n3"}, "table"),
        ({"kind": "options", "options": "a\na"}, "options"), ({"kind": "nothing"}, "kind"), ({"lies": "-1"}, "lies"),
        ({"total": "nan"}, "total"), ({"low": "1"}, "low"), ({"lies": "1", "low": "2", "high": "1"}, "low"),
        ({"doubt": "all"}, "doubt"), ({"seed": "x"}, "seed"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_wrong_is_said_beside_its_field(changes, where):
    _, errors = read(**changes)
    assert list(errors) == [where]


@pytest.mark.parametrize("text", ["0,5", "0,500", ",5", "+0,5"])
def test_a_comma_that_can_only_be_a_decimal_one_is_a_point(text):
    body, errors = read(**{"step-0": text})
    assert not errors
    assert body["space"]["T"]["step"] == 0.5
    box = uw.Box({"T": uw.Real(0, 80, unit="°C")})
    assert read_point(box, Fields({"set-0": text})) == {"T": 0.5}
    assert read_move(box, {"T": 1.0}, Fields({"set-0": f"{text} °C"})) == {"T": 0.5}


@pytest.mark.parametrize("text", ["1,234", "1,2,3", "1.2,3", "1,5x"])
def test_a_comma_that_may_be_something_else_is_asked_about(text):
    assert "write a point, not a comma" in read(**{"step-0": text})[1]["step-0"]


@pytest.mark.parametrize("ends", [{"low": "0"}, {"high": "1"}, {"low": "0", "high": "1"}])
def test_an_honest_range_alone_is_refused_with_both_ways_out(ends):
    _, errors = read(**ends)
    assert list(errors) == [next(iter(ends))]
    assert "say also how many may be false, or leave both ends empty" in errors[next(iter(ends))]


def test_a_form_has_room_for_more_parameters():
    assert [rows(Fields({"rows": text})) for text in ("", "x", "5", "1000", "-1", "9" * 50)] == [
        3,
        3,
        5,
        MOST_ROWS,
        3,
        3,
    ]
    assert rows(Fields({"rows": "5", "more": "yes"})) == 6


@pytest.mark.parametrize(
    "threat",
    [None, Threat(), Threat(0.25), Threat(lies=2), Threat(1e-17, 1, 2, -0.1, 1 / 3), Threat(doubt="witnessed", low=0)],
    ids=str,
)
def test_a_threat_comes_back_from_its_fields(threat):
    fields = Fields(shown_threat(threat))
    body = read_threat(fields)
    assert not fields.errors
    assert (None if body is None else Threat(**body)) == threat


@given(st.dictionaries(st.sampled_from([*BEGIN, "options", "table", "lies", "low"]), st.text(max_size=30)))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_said_to_be_wrong(changes):
    body, errors = read(**changes)
    assert errors or space_from_tables(body["space"]).names


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_table_is_read_or_refused(text):
    with suppress(uw.InvalidInput):
        assert all(isinstance(one, dict) for one in options_of(text))


@pytest.mark.parametrize(
    ("space", "point", "typed", "set_to"),
    [
        (uw.Box({"T": uw.Real(20, 80, step=0.5, unit="°C"), "s": uw.Categorical(["a", "b"])}), {"T": 70.5, "s": "a"},
         {"set-0": "71 °C"}, {"T": 71.0}),
        (uw.Options(["a", HARM]), "a", {"set-0": HARM}, HARM),
        (uw.Options([{"x": 1, "k": "u"}, {"x": 2, "k": "v"}]), {"x": 1, "k": "u"}, {"set-0": "2", "set-1": "v"},
         {"x": 2, "k": "v"}),
        (uw.Options([[1.0, 2.0], [3.0, 4.0]]), (1.0, 2.0), {"set-0": "3", "set-1": "4"}, (3.0, 4.0)),
    ],
    ids=["box", "labels", "table", "numbers"],
)  # fmt: skip
def test_what_was_really_set(space, point, typed, set_to):
    before = shown_point(space, point)
    assert [one.name for one in entries(space)] == list(before)
    assert read_point(space, Fields(before)) == point
    same, other = Fields(before), Fields({**before, **typed})
    assert read_move(space, point, same) is None
    assert "nothing differs" in same.errors["point"]
    assert read_move(space, point, other) == set_to
    assert not other.errors


# the same through the application


@pytest.fixture
def owner(world):
    """Sends a form as the owner."""
    cookie, token = world.log_in("owner")
    return lambda path, **form: world("POST", path, cookie=cookie, form={"csrf": token, **form})


def kept(reply, typed):
    """Whether every text that was typed stands in a field of the page."""
    fields = re.findall(
        r'<(?:input|textarea)[^>]* name="([^"]*)"[^>]*?(?: value="([^"]*)"[^>]*|>\n([^<]*)</textarea)>', reply.text
    )
    shown = {name: unescape(value or text) for name, value, text in fields}
    return {name: shown.get(name) for name in typed} == typed


def test_nothing_typed_is_lost(world, owner):
    typed = {"name": f"alloy{HARM}", "note": HARM, "plays": "-3", "name-0": HARM, "low-0": HARM, "high-0": "1",
             "options": HARM, "table": HARM, "lies": HARM, "low": "0", "high": HARM, "seed": "7"}  # fmt: skip
    before = world.stored()
    reply = owner("/begin", kind="parameters", goal="larger", rows="3", **typed)
    assert reply.status == 422
    assert kept(reply, typed)
    assert reply.text.count('class="wrong"') == 5  # name, plays, low-0, lies, high
    more = owner("/begin", kind="parameters", rows="3", more="yes", **typed)
    assert more.status == 200
    assert kept(more, typed)
    assert 'name="name-3"' in more.text
    assert "PWNED" not in reply.text
    changed = owner("/studies/s/change", lies="two", low="0", high="x", note=HARM, plays="5")
    assert changed.status == 422
    assert kept(changed, {"lies": "two", "low": "0", "high": "x", "note": HARM, "plays": "5"})
    assert world.stored() == before


def test_a_study_from_its_form_is_measured_by_forms_alone(world, owner):
    assert owner("/begin", **BEGIN).headers["location"] == "/studies/alloy"
    study = world.host.study("alloy")
    assert study.study.settings.minimize
    assert study.study.settings.plays == 40
    again = owner("/begin", **{**BEGIN, "goal": "larger"})
    assert again.status == 422
    assert "there is a study alloy already" in unescape(again.text)
    play = "/studies/alloy/plays"
    assert owner("/studies/alloy/ask", n="3", source="bench 1").headers["location"] == "/studies/alloy/log?state=open"
    assert [one.source for one in study.log] == ["bench 1"] * 3
    assert owner(f"{play}/0/tell", value="0.5", noise_std="0.01").status == 303
    assert owner(f"{play}/1/tell", value="much").status == 422
    assert owner(f"{play}/1/fail", reason="the flask broke").status == 303
    assert owner(f"{play}/2/move", **{"set-0": "71.2"}).status == 422
    assert owner(f"{play}/2/move", nearest="yes", **{"set-0": "71.2"}).status == 303
    assert study.log[2].point["T"] == 71.0
    assert study.log[2].proposed is not None
    assert owner(f"{play}/2/tell", value="0.7", source="bench 2").status == 303
    assert (
        owner(
            "/studies/alloy/measurements", value="0.6", source="old", **{"set-0": "90", "set-1": "2", "set-2": "water"}
        ).status
        == 303
    )
    told = [(one.status, one.value, one.source) for one in study.log]
    assert told == [
        (Status.TOLD, 0.5, "bench 1"),
        (Status.FAILED, None, "bench 1"),
        (Status.TOLD, 0.7, "bench 2"),
        (Status.TOLD, 0.6, "old"),
    ]
    assert study.log[0].noise_std == 0.01
    assert owner("/studies/alloy/change", lies="1", low="0", high="1", plays="", parallel="", note="").status == 303
    assert study.study.settings.threat == Threat(lies=1, low=0, high=1)
    assert study.study.settings.plays is None
    assert owner("/studies/alloy/change", lies="", liars="", total="", low="", high="", doubt="").status == 303
    assert study.study.settings.threat is None


@pytest.mark.parametrize(
    ("verb", "form", "where"),
    [
        ("tell", {"value": ""}, "a number is missing"), ("tell", {"value": "1", "noise_std": "-1"}, "must be above"),
        ("tell", {"value": "1e200"}, "too large"), ("fail", {"reason": " "}, "give a reason"),
        ("move", {"set-0": "9"}, "lies outside"), ("move", {"set-0": HARM}, "is not a number"),
        ("retract", {"reason": "x"}, "only a measurement can be retracted"), ("restore", {}, "restored"),
        ("correct", {"value": "1", "reason": "x"}, "only a measurement can be corrected"),
    ],
    ids=str,
)  # fmt: skip
def test_a_verb_that_is_refused_says_why_beside_the_form(world, owner, verb, form, where):
    before = world.stored()
    reply = owner(f"/studies/s/plays/1/{verb}", **form)
    assert reply.status == 422
    assert world.stored() == before
    assert owner(f"/studies/s/plays/99/{verb}", **form).status in (404, 422)
    if verb in ("tell", "fail", "move"):  # play 1 is open: the other verbs have no form
        assert where in unescape(reply.text)
        assert kept(reply, form)
