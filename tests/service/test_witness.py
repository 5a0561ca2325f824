"""Adversarial scripts against a server that signs: what none of them can have is a witnessed measurement."""

import json
import sqlite3
import sys
from urllib.request import Request, urlopen
from zlib import crc32

import pytest

import unswayed as uw
from unswayed.cli import main
from unswayed.core.data.measurement import Measurement
from unswayed.core.tampering.threat import Threat
from unswayed.errors import CannotStart, InvalidInput, JournalError, UnswayedError
from unswayed.programs.command import Command
from unswayed.service.client import connect
from unswayed.service.host import Host
from unswayed.service.pages import render
from unswayed.service.pages.trust import gauges
from unswayed.service.pages.view import StudyView
from unswayed.service.tokens import Role
from unswayed.service.webhooks.verdict import Trust, trust
from unswayed.service.work import work
from unswayed.storage import read_journal
from unswayed.storage.database import Database
from unswayed.storage.journal import journal_bytes
from unswayed.study.state import plain
from unswayed.study.study import Study
from unswayed.witness.chain import START, hashed, signed
from unswayed.witness.keys import PublicKey, SigningKey
from unswayed.witness.running import command_digest
from unswayed.witness.verify import verify

LINE = {"x": {"low": 0, "high": 1}}
HONEST = "import sys\nx = float(sys.argv[1])\nprint(-(x - 0.3) ** 2)\n"


class Lab:
    """A server that signs, a study of 6 plays, the machine of a witness and an agent with a token of its own."""

    def __init__(self, quick, folder):
        self.folder = folder
        self.server = quick(f"sqlite:///{folder}/lab.db", "--key", f"{folder}/lab.key")
        self.server.begin(space=LINE, plays=6)
        self.script = folder / "measure.py"
        self.script.write_text(HONEST)
        self.tokens = {name: self.server.make_token(name, "witness", "s") for name in ("w1", "w2")}
        self.tokens["agent"] = self.server.make_token("agent", "source", "s")

    @property
    def command(self):
        return [sys.executable, str(self.script), "{x}"]

    def study(self, name="agent"):
        return connect(self.server.address, self.tokens[name], "s", patience=5)

    def work(self, name="w1", **how):
        """Measure until nothing is left."""
        with self.study(name) as remote:
            return work(remote, Command(self.command, timeout=20), idle=0.05, **how)

    def get(self, path):
        request = Request(self.server.address + path, headers={"Authorization": f"Bearer {self.server.token}"})
        with urlopen(request) as reply:
            return reply.read()

    @property
    def key(self):
        return PublicKey(json.loads(self.get("/api/v1/key"))["public_key"])

    def export(self, name="study.jsonl"):
        path = self.folder / name
        path.write_bytes(self.get("/api/v1/studies/s/export?format=jsonl"))
        return path

    def trust(self):
        """What the server believes, which is what a check of its export finds."""
        believed = self.server.study().about()["trust"]
        path = self.export()
        assert believed == {str(k): n for k, n in verify(read_journal(path), self.key, "export").levels.items()}
        return believed


@pytest.fixture
def lab(quick, tmp_path):
    return Lab(quick, tmp_path)


def test_what_a_witness_runs_is_witnessed_and_what_another_one_repeats_is_repeated(lab):
    agent = lab.study()
    (play,) = agent.ask()
    agent.tell(play, 5.0)
    lab.work("w1")
    assert lab.trust() == {"self-reported": 1, "witnessed": 5}
    (number,) = lab.server.study().add([(lab.server.study().log[1].point, 5.0)])
    assert number == 6
    assert lab.trust() == {"self-reported": 2, "witnessed": 5}  # what somebody says repeats nothing


def test_what_another_witness_repeats_is_repeated(lab):
    lab.server.begin("options", {"option": {"choices": ["0.25"]}}, plays=4)
    lab.tokens |= {name: lab.server.make_token(name, "witness") for name in ("one", "two")}
    for name in ("one", "two"):
        witness = connect(lab.server.address, lab.tokens[name], "options")
        for play in witness.ask(2):
            witness.tell(play, 0.5, witness=said(lab, play))
            if name == "one":
                assert lab.server.study("options").about()["trust"].keys() == {"witnessed"}
    assert lab.server.study("options").about()["trust"] == {"repeated": 4}


def said(lab, play, **other):
    return {"point": play.point, "command": command_digest(lab.command), "exit": 0, "seconds": 0.1, **other}


def test_an_ordinary_token_cannot_say_what_was_run(lab):
    agent = lab.study()
    (play,) = agent.ask()
    with pytest.raises(InvalidInput, match="only a witness"):
        agent.tell(play, 5.0, witness=said(lab, play))
    owner = lab.server.study()
    with pytest.raises(InvalidInput, match="only a witness"):
        owner.tell(play, 5.0, witness=said(lab, play))
    agent.tell(play, 5.0)
    assert lab.trust() == {"self-reported": 1}


def test_nobody_reports_the_play_of_a_witness_or_another_point(lab):
    witness, agent = lab.study("w1"), lab.study()
    first, second = witness.ask(2)
    with pytest.raises(InvalidInput, match="was not given to you"):
        agent.tell(first, 5.0)
    with pytest.raises(InvalidInput, match="another point"):
        witness.tell(first, 5.0, witness=said(lab, second))
    with pytest.raises(InvalidInput, match="a witness says what it ran"):
        witness.tell(first, 5.0)
    with pytest.raises(InvalidInput, match="may not do this"):
        witness.add([({"x": 0.5}, 5.0)])
    with pytest.raises(InvalidInput, match="may not do this"):
        witness.move(first, {"x": 0.5})
    assert lab.trust() == {}


@pytest.mark.parametrize(
    "other",
    [
        {"exit": 1},
        {"exit": True},
        {"seconds": -1},
        {"command": "x" * 64},
        {"command": None},
        {"more": 1},
        {"point": None},
    ],
)
def test_what_a_witness_says_is_checked(lab, other):
    witness = lab.study("w1")
    (play,) = witness.ask()
    with pytest.raises(InvalidInput):
        witness.tell(play, 5.0, witness=said(lab, play, **other))
    assert lab.trust() == {}


def test_another_command_than_the_first_is_refused(lab):
    lab.server.study().change(plays=8)
    with pytest.raises(CannotStart, match="changed while"):
        lab.work("w1", say=lambda line: lab.script.write_text("print(5)") if "play 2" in line else None)
    measured = [play.value for play in lab.server.study().log if play.measured]
    assert 5.0 not in measured
    with pytest.raises(InvalidInput, match="this study is measured by the command"):
        lab.work("w2")
    (play,) = lab.study("w2").ask()  # nobody else gets it before its lease ends
    lab.study("w2").fail(play, "another command")
    lab.script.write_text(HONEST)
    lab.work("w1")
    assert lab.trust() == {"witnessed": 7}


def test_a_process_that_outlives_the_command_adds_nothing(lab):
    late = "import time; time.sleep(0.2); print(9.0, flush=True); time.sleep(3); print(9.0, flush=True)"
    lab.script.write_text(f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {late!r}])\n" + HONEST)
    lab.work("w1", retries=0, give_up=0)
    log = lab.server.study().log
    assert not [play for play in log if play.value == 9.0]
    assert all("printed more than its measurement" in play.reason for play in log)
    assert lab.trust() == {}


def test_a_command_does_not_get_the_token_of_its_worker(lab, monkeypatch):
    monkeypatch.setenv("UNSWAYED_TOKEN", lab.tokens["w1"])
    lab.script.write_text("import os\nprint(9.0 if 'UNSWAYED_TOKEN' in os.environ else 0.5)\n")
    lab.work("w1")
    assert {play.value for play in lab.server.study().log} == {0.5}


def test_a_request_that_comes_again_adds_nothing_and_an_old_report_is_not_of_a_new_play(lab):
    witness = lab.study("w1")
    first, second = witness.ask(2)
    body = {"value": 0.5, "witness": said(lab, first)}
    send, path = witness.server.send, "/api/v1/studies/s/plays"
    assert send("POST", f"{path}/{first.number}/tell", body)["value"] == 0.5
    send("POST", f"{path}/{first.number}/tell", body)
    with pytest.raises(InvalidInput, match="another point"):
        send("POST", f"{path}/{second.number}/tell", body)
    with pytest.raises(JournalError, match="already told"):
        send("POST", f"{path}/{first.number}/tell", {**body, "value": 9.0})
    assert lab.trust() == {"witnessed": 1}


def test_a_value_that_somebody_corrects_is_self_reported(lab):
    lab.work("w1")
    lab.server.study().correct(2, 5.0, "misread")
    assert lab.trust() == {"self-reported": 1, "witnessed": 5}
    lab.server.study().move(3, {"x": 0.99})
    assert lab.trust() == {"self-reported": 2, "witnessed": 4}


def forged(records, lab):
    """What somebody with the file and the program could make of it."""
    told = [i for i, one in enumerate(records) if "witness" in one]
    first, last = told[0], told[-1]
    own = next(i for i, one in enumerate(records) if one["kind"] == "tell" and "witness" not in one)
    changed = {**records[first], "value": 9.0}
    claimed = {**records[own], **{name: records[first][name] for name in ("witness", "previous", "signature")}}
    copied = {**records[last], "play": records[own]["play"]}
    mine = SigningKey.open(lab.folder / "mine.key")
    yield [*records[:first], changed, *records[first + 1 :]]
    yield [*records[:own], claimed, *records[own + 1 :]]
    yield [*records[:own], copied, *records[own + 1 :]]
    yield [*records[:own], {**records[own], "value": 9.0}, *records[own + 1 :]]
    yield [*records[:first], *records[first + 1 :]]
    yield [*records[: last + 1], records[last], *records[last + 1 :]]
    yield [{**records[0], "settings": {**records[0]["settings"], "minimize": True}}, *records[1:]]
    yield [*records[:-1], {"kind": "retract", "play": records[last]["play"], "reason": "no"}, records[-1]]
    again, head = [], START
    for one in [*records[:first], changed, *records[first + 1 :]]:
        bare = {name: part for name, part in one.items() if name not in ("previous", "signature")}
        one = signed(bare, head, mine) if "signature" in one else one
        again.append(one)
        head = hashed(head, one)
    yield again


def test_an_edited_export_is_refused_and_proves_nothing_without_its_key(lab, capsys):
    agent = lab.study()
    (play,) = agent.ask()
    agent.tell(play, 5.0)
    lab.work("w1")
    path = lab.export()
    records, key = read_journal(path), lab.key
    tried = list(forged(records, lab))
    for number, other in enumerate(tried):
        with pytest.raises(JournalError, match="record"):
            verify(other, key, f"forged {number}")
        edited = lab.folder / "edited.jsonl"
        edited.write_bytes(journal_bytes(other))
        with pytest.raises(SystemExit) as ended:
            main(["verify", str(edited), "--key", key.text])
        assert ended.value.code == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert len(tried) == 9
    assert not any(one.witnessed for one in Study.read(path).log)  # a file alone is what somebody says
    cut = verify(records[:-1], key, "cut")
    assert cut.sealed is None
    assert verify(records, key, "whole").sealed is not None


def test_a_check_names_the_command_and_doubts(lab, capsys):
    agent = lab.study()
    for play in agent.ask(2):
        agent.tell(play, 5.0)
    lab.work("w1")
    words = ["verify", str(lab.export()), "--key", lab.key.text, "--json"]
    doubts = ["--doubt", "self-reported", "--low", "-1", "--high", "6"]
    with pytest.raises(SystemExit) as ended:
        main([*words, *doubts, "--", *lab.command])
    assert not ended.value.code
    found = json.loads(capsys.readouterr().out)
    assert found["trust"] == {"self-reported": 2, "witnessed": 4}
    assert found["answer"]["guaranteed"] < 0
    with pytest.raises(SystemExit) as ended:
        main([*words, "--", "other", "{x}"])
    assert ended.value.code == 2


def test_pages_and_status_say_who_was_a_witness(lab, capsys, monkeypatch):
    agent = lab.study()
    for play in agent.ask(2):
        agent.tell(play, 5.0)
    lab.work("w1")
    path = lab.export()
    study = verify(read_journal(path), lab.key, "export").study
    shown = render.study(StudyView.of("s", study, None), render.Who("boss", "owner", ""))
    assert "2 self-reported, 4 witnessed" in shown
    page = render.standalone(study, None, "s")
    assert page.count('<span class="soft">witnessed</span>') == 4
    monkeypatch.setenv("UNSWAYED_TOKEN", lab.server.token)
    for where, said in ((f"{lab.server.address}/studies/s", "4 witnessed"), (str(path), "4 measurements said to be")):
        with pytest.raises(SystemExit):
            main(["study", "status", where])
        assert said in capsys.readouterr().out
    page = render.standalone(Study.read(path), None, "s")  # nobody has checked this file
    assert "witnessed" not in page


def test_records_forged_in_the_database_take_all_trust_away(lab):
    lab.work("w1")
    key = lab.key
    lab.server.kill()
    with sqlite3.connect(f"{lab.folder}/lab.db") as connection:
        rows = connection.execute("SELECT seq, record, crc FROM records ORDER BY seq").fetchall()
        crc = 0
        for seq, text, _ in rows:
            record = json.loads(text)
            if record["kind"] == "tell" and record["play"] == 2:
                text = json.dumps({**record, "value": 9.0})
            crc = crc32(text.encode(), crc)
            connection.execute("UPDATE records SET record = ?, crc = ? WHERE seq = ?", (text, crc, seq))
    lab.server.start()
    assert lab.server.study().about()["trust"] == {"self-reported": 6}
    lab.server.study().change(plays=7)
    with pytest.raises(InvalidInput, match="cannot sign"):
        lab.work("w1")
    with pytest.raises(JournalError):
        verify(read_journal(lab.export()), key, "export")


def test_trust_outlives_a_restart_and_needs_the_key(lab):
    lab.work("w1")
    before = lab.trust()
    lab.server.kill()
    lab.server.start()
    assert lab.trust() == before == {"witnessed": 6}
    lab.server.kill()
    lab.server.options = ()
    lab.server.start()
    assert lab.server.study().about()["trust"] == {"self-reported": 6}
    assert json.loads(lab.get("/api/v1/key")) == {"public_key": None}
    lab.server.study().change(plays=7)
    with pytest.raises(InvalidInput, match="cannot sign"):
        lab.work("w1")


def test_two_servers_on_one_database_sign_one_chain(postgres, tmp_path):
    key = SigningKey.open(tmp_path / "lab.key")
    one, two = (Host(Database(postgres), key=key) for _ in range(2))
    one.begin("s", LINE, {"plays": 8, "seed": 1})
    told = {"command": "a" * 64, "exit": 0, "seconds": 1.0}
    for number in range(8):
        host = (one, two)[number % 2]
        study, who = host.study("s"), f"w{number % 2}"
        study.ask_as(who, 1, 300.0, who, None, "")
        point = plain(study.state.log[number].point)
        study.write(
            who,
            None,
            "",
            lambda w, s=study, n=number, who=who, p=point: s.tell_as(
                w, who, n, Measurement(n / 8), {**told, "point": p}
            ),
        )
    found = verify(two.study("s").sealed(), key.public, "export")
    assert found.signatures == 9
    assert sum(found.levels.values()) == 8
    assert one.study("s").state.checked
    assert two.study("s").state.checked
    other = Host(Database(postgres), key=SigningKey.open(tmp_path / "other.key"))
    assert not other.study("s").state.checked


def test_a_threat_may_doubt_a_trust_level(lab):
    agent = lab.study()
    for play in agent.ask(3):
        agent.tell(play, 5.0)
    lab.server.study().change(threat=Threat(doubt="self-reported", low=-1, high=6))
    lab.work("w1")
    answer = lab.server.study().answer()
    assert answer["estimate"] < 1
    assert lab.server.study().about()["settings"]["threat"]["doubt"] == "self-reported"
    with pytest.raises(UnswayedError, match="doubt"):
        lab.server.study().change(threat={"doubt": "repeated"})


@pytest.mark.parametrize(("doubt", "verdict"), [("self-reported", Trust.FALLS), (None, Trust.WITHSTANDS)])
def test_what_is_doubted_has_a_gauge_and_a_verdict(doubt, verdict):
    with uw.Optimizer(uw.Options(["a", "b"]), threat=Threat(0.01, doubt=doubt, low=0, high=3), seed=0) as study:
        for play in study.ask(12):
            study.tell(play, {"a": 1.0, "b": 2.0}[play.point] + play.number / 1000)
        answer = study.answer()
    shown = gauges(answer)
    assert [one.kind for one in shown] == (["total", "doubt"] if doubt else ["total"])
    assert trust(answer) is verdict
    assert answer.doubted_alone is (True if doubt else None)
    assert all(doubt in one.words for one in shown if one.kind == "doubt")


def test_a_witness_may_use_what_a_source_may_but_not_add(world):
    rules = {(route.method, route.path): route.roles for route in world.direct.app.routes}
    for (method, path), roles in rules.items():
        may = Role.SOURCE in roles and not path.endswith(("/measurements", "/move"))
        assert (Role.WITNESS in roles) is may, (method, path)
