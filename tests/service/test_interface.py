"""The published description of the interface, and whether the server keeps to it; metrics as Prometheus reads them.

Every reply in the tests of this folder that do without a network is held against the description, by `Conforming`.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.service.world import API
from unswayed import __version__
from unswayed.errors import InvalidInput
from unswayed.pages.render import ICON
from unswayed.service.interface import metrics
from unswayed.service.interface.bodies import ADD, ASK, BEGIN, CHANGE, KINDS, TELL, settings
from unswayed.service.interface.schema import checked
from unswayed.study.settings import Settings

FOLDER = Path(__file__).parent
DOCUMENT = "/api/v1/openapi.json"


@pytest.mark.parametrize(
    "more", [["-n", "3"], pytest.param(["-n", "300", "--max-time", "600"], marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_schemathesis_finds_no_failure(quick, tmp_path, more):
    server = quick(f"sqlite:///{tmp_path}/studies.db")
    server.begin(space={"options": ["a", "b", "c"]}, threat=1, plays=100_000)
    server.begin("empty")  # has no verdict: no message of a webhook is sent
    server.study("empty").set_webhook("http://127.0.0.1:9/")
    study = server.study()
    for value in (0.1, 0.2, 0.3, 0.1, 0.2, 0.3):
        study.tell(study.ask()[0], value)
    study.retract(5, "spoilt")
    assert [play.number for play in study.ask(3)] == [6, 7, 8]
    words = [
        "run",
        server.address + DOCUMENT,
        "--header",
        f"Authorization: Bearer {server.token}",
        "--seed",
        "1",
        *more,
    ]
    words += ["--exclude-path", "/api/v1/studies/{name}/events"]  # which ends with whoever reads it
    words += ["--report", "json", "--report-json-path", str(tmp_path / "report.json")]
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(FOLDER / "schemathesis.toml"), *words]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": str(FOLDER / "schemathesis_hooks.py"), "PYTHONWARNINGS": ""}
    ran = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-10_000:] + ran.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["failures"], report["errors"], report["complete"]) == ([], [], True)
    accepted = {name: sum(one["accepted"] for one in rates.values()) for name, rates in report["valid_rates"].items()}
    assert len(accepted) == report["operations"]["total"] - 1
    accepted.pop("DELETE /api/v1/studies/{name}/webhook")  # it works once, for whichever request comes first
    assert not [name for name, count in accepted.items() if not count]  # each other one has done what it is for


def test_the_description_has_every_route_and_nothing_else(world):
    document = world("GET", DOCUMENT).json
    assert (document["openapi"], document["info"]["version"]) == ("3.1.0", __version__)
    known = {(method.upper(), path) for path, one in document["paths"].items() for method in one}
    routes = [route for route in world.direct.app.routes if not route.form]
    assert known == {(route.method, route.path) for route in routes}
    operations = [one for methods in document["paths"].values() for one in methods.values()]
    assert len({one["operationId"] for one in operations}) == len(operations)
    for route in routes:
        one = document["paths"][route.path][route.method.lower()]
        assert bool(one["security"]) == bool(route.roles)
        assert all(str(role) in one["description"] for role in route.roles)
        assert {part["name"] for part in one["parameters"] if part["in"] == "path"} == set(
            re.findall(r"{(\w+)}", route.path)
        )
        assert ("requestBody" in one) == (route.method in ("POST", "PUT"))
        assert one["summary"].endswith(".")


def test_every_setting_can_be_sent_and_is_described():
    assert {one.name for one in fields(Settings)} == set(KINDS)
    for one in fields(Settings):
        assert BEGIN["properties"][one.name]["description"] == one.metadata["doc"].replace("None", "null")


def test_what_is_described_is_what_is_checked():
    assert checked({"n": 3.0}, ASK) == {"n": 3}
    assert isinstance(checked({"n": 3.0}, ASK)["n"], int)
    assert checked({"value": 1, "trials": None, "noise_std": 0.5}, TELL)["noise_std"] == 0.5
    assert settings(checked({"notes": "n", "note": None}, CHANGE)) == {"note": "n"}
    wrong = {
        "n must be a whole number, not 1.5": ({"n": 1.5}, ASK),
        "n must be a whole number, not True": ({"n": True}, ASK),
        "n must be at least 1, not 0": ({"n": 0}, ASK),
        "unknown entry 'm' in the body: there may be n, source": ({"m": 1}, ASK),
        "the body needs value": ({}, TELL),
        "value must be a number, not '1'": ({"value": "1"}, TELL),
        "give noise_std or trials, not both": ({"value": 1, "trials": 2, "noise_std": 0.5}, TELL),
        "give note or notes, not both": ({"note": "a", "notes": "b"}, CHANGE),
        "source must be a name, not ' '": ({"value": 1, "source": " "}, TELL),
        "lies must be a whole number, not '3'": ({"threat": {"lies": "3"}}, CHANGE),
        "threat must be a number or an object or null, not '3'": ({"threat": "3"}, CHANGE),
        "an entry of measurements needs value": ({"measurements": [{"point": 1}]}, ADD),
        "unknown entry 'point' in the body: there may be measurements": ({"measurements": [], "point": 1}, ADD),
    }
    for line, (body, schema) in wrong.items():
        with pytest.raises(InvalidInput) as refused:
            checked(body, schema)
        assert str(refused.value) == line


def test_what_stands_behind_the_question_mark_is_known_and_stands_there_once(world):
    for query in ("afte=1", "after=1&after=2", "after=1&x=", "x"):
        reply = world("GET", f"{API}/s/log?{query}", "owner")
        assert (reply.status, "behind the question mark" in reply.json["error"]) == (422, True), query
    assert world("GET", f"{API}/s/log?after=1", "owner").status == 200
    assert world("GET", f"{API}?name=s", "owner").status == 422


def test_the_page_of_the_interface_shows_every_operation_and_loads_nothing(world):
    reply = world("GET", "/interface")
    assert reply.status == 200
    shown = reply.text.replace("<wbr>", "")
    for route in world.direct.app.routes:
        one = f"<b>{route.method}</b> <code>{route.path}</code>"
        assert (one in shown) == (not route.form), route.path
    assert set(re.findall(r'(?:src|href)="([^"]*)"', reply.text)) <= {
        ICON, "/static/style.css", "/static/live.js", "/", "#main", DOCUMENT
    }  # fmt: skip
    assert "<script>" not in reply.text
    assert " style=" not in reply.text


def families(text):
    return {one.name: one for one in text_string_to_metric_families(text)}


def test_prometheus_reads_every_metric(world):
    world("GET", "/api/v1/health")
    reply = world("GET", "/api/v1/metrics", "owner")
    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = families(reply.text)
    kinds = {"unswayed_requests": "counter", "unswayed_plays": "gauge", "unswayed_search_seconds": "counter"}
    assert {name: one.type for name, one in found.items()} == kinds
    assert all(one.documentation for one in found.values())
    samples = [(one.labels, one.value) for one in found["unswayed_plays"].samples]
    assert ({"study": "s", "status": "told"}, 1.0) in samples
    assert ({"study": "elsewhere", "status": "open"}, 0.0) in samples
    counted = {(one.labels["method"], one.labels["status"]): one.value for one in found["unswayed_requests"].samples}
    assert counted["GET", "200"] >= 1
    lines = reply.text.splitlines()
    for number, line in enumerate(lines):  # the kind stands beside the samples
        if line.startswith("# TYPE"):
            assert lines[number - 1].startswith(f"# HELP {line.split()[2]} ")
            assert lines[number + 1].startswith(line.split()[2])


def test_a_reader_of_one_study_sees_its_metrics_only(world):
    found = families(world("GET", "/api/v1/metrics", "reader").text)
    assert {one.labels["study"] for one in found["unswayed_plays"].samples} == {"s"}
    assert set(found) == {"unswayed_plays", "unswayed_search_seconds"}


def test_labels_are_escaped():
    odd = 'a"b\\c\nd'
    (found,) = text_string_to_metric_families(
        metrics.text([metrics.Metric("m", "gauge", "Anything.", {(("study", odd),): 1.5})])
    )
    assert [(one.labels, one.value) for one in found.samples] == [({"study": odd}, 1.5)]
