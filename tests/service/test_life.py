"""Two hours of a study in a minute: sources come, lie, die and return, the server is killed, the owner intervenes."""

import csv
import html
import io
import json
import math
import threading
import time
import urllib.request
from contextlib import suppress

import pytest

from unswayed import Measurement, Optimizer, Study
from unswayed.errors import JournalError, UnswayedError
from unswayed.text import json_text

PLAYS = 56
SOURCES = [f"lab-{i}" for i in range(1, 8)] + ["liar"]
LEASE = 5.0
OLD = 30


def truth(point):
    return math.exp(-8 * ((point["x"] - 0.3) ** 2 + (point["y"] - 0.7) ** 2))


def told_by(source, point):
    """Honest sources have a little noise of their own; the liar praises a corner and runs the best point down."""
    if source == "liar":
        return 1.2 if point["x"] > 0.7 else 0.1
    return truth(point) + 0.01 * math.sin(1000 * point["x"] + 100 * point["y"] + len(source))


def fetched(server, path, token=None):
    """The bytes of a reply, as they are."""
    headers = {"Authorization": f"Bearer {token or server.token}"}
    with urllib.request.urlopen(urllib.request.Request(server.address + path, headers=headers), timeout=60) as reply:
        return reply.read()


class Life:
    """The sources at work, until the plays of the study are used up."""

    def __init__(self, server):
        self.server, self.problems = server, []
        self.tokens = {name: server.make_token(name, "source", "life") for name in SOURCES}
        self.threads = [threading.Thread(target=self.work, args=(name,), daemon=True) for name in SOURCES]

    def work(self, name):
        try:
            self.measure(name)
        except Exception as error:
            self.problems.append((name, error))

    def measure(self, name):
        study, done = self.server.study("life", self.tokens[name], patience=30), 0
        while True:
            plays = study.ask(2 if name == "lab-2" else 1)
            if not plays and study.about()["state"] == "finished":
                return
            for play in plays:
                time.sleep(0.02)
                with suppress(JournalError):  # while the server was away, the play was handed on to another
                    if name == "lab-5" and done == 1:
                        study.fail(play, "the sample broke")
                    else:
                        study.tell(play, told_by(name, play.point))
                done += 1
            if name == "lab-3" and done == 1:  # its program is restarted in the middle of a play
                (lost,) = study.ask()
                study = self.server.study("life", self.tokens[name], patience=30)
                assert study.ask()[0] == lost or self.handed_on(lost)
            if name == "lab-4":  # it takes more plays and never comes back
                study.ask(2)
                return
            time.sleep(0.02)

    def handed_on(self, play):
        """Whether the log says that another source got it: a killed server may take longer to start than a lease."""
        records = self.server.study("life", patience=30).records()
        return any(record["kind"] == "hand" and record["play"] == play.number for record in records)

    def until(self, answered):
        """Wait until so many plays are answered."""
        end = time.monotonic() + 120
        while self.problems == [] and time.monotonic() < end:
            with suppress(UnswayedError, OSError):
                counts = self.server.study("life").about()["counts"]
                if sum(counts.values()) - counts["open"] >= answered:
                    return
            time.sleep(0.1)
        raise AssertionError(f"it came to a stop: {self.problems}")


def edited(owner):
    """What the owner does in the course of the study; the numbers of the plays that were corrected and retracted."""
    plays = [play for play in owner.read().log if play.measured and play.source.startswith("lab-")]
    corrected, retracted = plays[0], plays[1]
    owner.correct(corrected, corrected.value - 0.005, "the scale was read wrongly")
    owner.retract(retracted, "the wrong sample")
    owner.change(quarantined=["liar"])
    owner.change(threat={"lies": 3, "low": -0.5, "high": 1.5})
    grid = [{"x": i / (OLD - 1), "y": 1 - i / (OLD - 1)} for i in range(OLD)]
    owner.add((point, Measurement(truth(point), source="archive", noise_std=0.02)) for point in grid)
    return corrected.number, retracted.number


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)], indirect=True)
def test_two_hours_of_life(url, quick, tmp_path):
    server = quick(url, "--lease", str(LEASE))
    server.begin("life", plays=PLAYS, threat={"liars": 1, "low": -0.5, "high": 1.5})
    life, owner = Life(server), server.study("life", patience=30)
    for thread in life.threads:
        thread.start()
    life.until(PLAYS // 4)
    server.kill()
    time.sleep(0.3)  # longer than the first pauses of those who call it
    server.start()
    life.until(PLAYS // 2)
    corrected, retracted = edited(owner)
    for thread in life.threads:
        thread.join(120)
    assert life.problems == []
    assert not any(thread.is_alive() for thread in life.threads)

    answer = fetched(server, "/api/v1/studies/life/answer")
    check_log(owner, corrected, retracted)
    check_folds(server, answer, tmp_path / "life.jsonl")
    check_page(server, json.loads(answer))
    server.kill()
    server.start()
    assert fetched(server, "/api/v1/studies/life/answer") == answer


def check_log(owner, corrected, retracted):
    """Every play counts once and has the name of who told it; nothing has disappeared."""
    records = owner.records()
    study = owner.read()
    asked = [play for play in study.log if str(play.why) != "added"]
    assert len(asked) == PLAYS
    assert len(study.log) == PLAYS + OLD
    assert {play.source for play in study.log} == {*SOURCES, "archive"}
    tells = [record for record in records if record["kind"] == "tell"]
    assert len({record["play"] for record in tells}) == len(tells)
    assert any(record["kind"] == "hand" for record in records)  # the plays of lab-4 went to others
    for play in asked:
        if play.number != corrected and play.value is not None:
            assert play.value == told_by(play.source, play.point)
    kinds = {str(play.status) for play in study.log if play.source == "liar"}
    assert kinds == {"quarantined"}
    assert str(study.log[retracted].status) == "retracted"
    assert study.log[corrected].before == (told_by(study.log[corrected].source, study.log[corrected].point),)


def check_folds(server, answer, path):
    """The answer is that of the exported log, byte for byte, whoever folds it."""
    path.write_bytes(fetched(server, "/api/v1/studies/life/export?format=jsonl"))
    study = Study.read(path)
    assert json_text(study.answer().to_dict()).encode() == answer
    with Optimizer.open(path) as opened:
        assert json_text(opened.answer().to_dict()).encode() == answer
    assert json_text(server.study("life").read().answer().to_dict()).encode() == answer
    rows = list(csv.DictReader(io.StringIO(fetched(server, "/api/v1/studies/life/export?format=csv").decode())))
    told = [(int(row["number"]), float(row["value"])) for row in rows if row["value"]]
    assert told == [(play.number, play.value) for play in study.log if play.value is not None]
    found = json.loads(answer)
    assert truth(found["point"]) > 0.9  # the liar has not led it away
    assert found["threat"]["lies"] == 3


def check_page(server, answer):
    """The page shows the answer as soon as it is computed; that of a source does not exist."""
    sentence = html.escape(answer["sentence"], quote=True).replace("&#x27;", "&#39;").replace("&quot;", "&#34;")
    reader = server.make_token("eye", "reader", "life")
    end = time.monotonic() + 60
    while sentence not in (page := fetched(server, "/studies/life", reader).decode()) and time.monotonic() < end:
        time.sleep(0.1)
    assert sentence in page
    assert html.escape(server.study("life").space.describe(answer["point"])) in page
    assert "liar" in fetched(server, "/studies/life/sources", reader).decode()
    log = fetched(server, "/studies/life/log", reader).decode()
    assert "archive" in log
