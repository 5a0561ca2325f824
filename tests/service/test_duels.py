"""Studies of duels on a server: votes come from many judges, and words are as good as numbers."""

import json
import re

import numpy as np
import pytest

import unswayed as uw
from tests.service.world import API
from unswayed.service.webhooks.verdict import Trust, message, trust
from unswayed.study.duel_answer import DuelAnswer

DRINKS = {"tea": 2.0, "coffee": 0.5, "milk": 0.0}
SPACE = {"space": "duels", "options": list(DRINKS)}


@pytest.fixture
def taste(world):
    """A study of duels with the judges ann and ben; requests to it by who asks."""
    begun = world("POST", API, "owner", {"name": "taste", "space": SPACE, "seed": 1, "threat": {"lies": 2}})
    assert begun.status == 201
    for name in ("ann", "ben"):
        world.tokens[name] = world.host.tokens.make(name, "source", "taste")

    def send(method, path, role, body=None, **more):
        return world(method, f"{API}/taste{path}", role, body, **more)

    return send


def ask(taste, judge):
    (play,) = taste("POST", "/ask", judge, {}).json["plays"]
    return play["number"], play["point"]


def voted(taste, votes, seed=0):
    rng = np.random.default_rng(seed)
    for number in range(votes):
        judge = ("ann", "ben")[number % 2]
        play, pair = ask(taste, judge)
        likely = 1 / (1 + np.exp(DRINKS[pair["right"]] - DRINKS[pair["left"]]))
        winner = pair["left"] if rng.random() < likely else pair["right"]
        assert taste("POST", f"/plays/{play}/tell", judge, {"winner": winner}).status == 200


def test_judges_vote_until_the_leader_is_settled(taste, world):
    voted(taste, 10)
    early = taste("GET", "/answer", "owner").json
    assert (early["settled"], early["verdict"]) == (False, "too early")
    assert early["duel"]["judge"] in ("ann", "ben")
    voted(taste, 120, seed=1)
    answer = taste("GET", "/answer", "owner").json
    assert (answer["leader"], answer["settled"], answer["verdict"]) == ("tea", True, "yes")
    assert answer["forged_votes"]["least"] > 2
    csv = taste("GET", "/export?format=csv", "owner").text
    assert csv.splitlines()[0].startswith("number,left,right,winner,value,source,status")
    assert world.host.study("taste").answer().to_dict() == DuelAnswer.to_dict(
        uw.Study(world.host.study("taste").state).answer()
    )


def test_words_and_numbers_are_the_same_vote(taste):
    for said, value in (({"winner": "left"}, 1), ({"winner": "tie"}, 0.5), ({"value": 0}, 0)):
        play, _ = ask(taste, "ann")
        told = taste("POST", f"/plays/{play}/tell", "ann", said)
        assert (told.status, told.json["value"]) == (200, value)
        assert taste("POST", f"/plays/{play}/tell", "ann", said).status == 200  # again is harmless
    assert taste("POST", "/plays/0/correct", "owner", {"winner": "tie", "reason": "both"}).status == 200
    rows = [{"point": {"left": "milk", "right": "tea"}, "winner": name} for name in ("tea", "tea")]
    assert taste("POST", "/measurements", "owner", {"measurements": rows}).status == 201
    assert taste("GET", "/answer", "owner").json["votes"] == 5


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ({"winner": "gin"}, "the winner 'gin' is neither of"),
        ({"winner": 1}, "winner must be text, not 1"),
        ({"value": 0.3}, "the winner 0.3 is neither of"),
        ({"value": 1, "noise_std": 0.1}, "a vote has no standard error"),
        ({"winner": "tea", "value": 1}, "unknown entry 'winner' in the body"),
    ],
)
def test_a_wrong_vote_is_one_clear_line_and_keeps_nothing(taste, world, body, line):
    play, _ = ask(taste, "ann")
    before = world.stored()
    told = taste("POST", f"/plays/{play}/tell", "ann", body)
    assert told.status == 422
    assert line in told.json["error"]
    assert world.stored() == before


def test_a_winner_is_no_value_of_other_studies(world):
    told = world("POST", f"{API}/s/plays/1/tell", "source", {"winner": "left"})
    assert (told.status, told.json["error"]) == (422, "this study has values: give a value, not a winner")


def test_a_judge_cannot_vote_in_the_place_of_another(taste):
    play, _ = ask(taste, "ann")
    assert taste("POST", f"/plays/{play}/tell", "ben", {"winner": "left"}).status == 403
    assert taste("POST", "/plays/99/tell", "ann", {"winner": "left"}).status == 404


@pytest.mark.parametrize(
    ("space", "line"),
    [
        ({"space": "duels", "options": ["tea"]}, "nothing to compare with one option"),
        ({"space": "duels", "options": "tea"}, "the record of duels needs a list of options"),
        ({"space": "duels", "options": ["tea", "tea"]}, "choices must differ"),
    ],
)
def test_duels_that_make_no_sense_are_refused(world, space, line):
    begun = world("POST", API, "owner", {"name": "new", "space": space})
    assert begun.status == 422
    assert line in begun.json["error"]


def test_the_pages_show_the_verdict(taste, world):
    cookie, _ = world.log_in("owner")
    assert "Nothing has been measured so far." in world("GET", "/studies/taste", cookie=cookie).text
    voted(taste, 130, seed=2)
    world.host.study("taste").answer()
    page = world("GET", "/studies/taste", cookie=cookie).text
    assert "Verdict: yes. tea is first of 3" in page
    assert "Settled: rank tea first" in page
    assert "Tiers that 2 forged votes cannot change" in page
    studies = world("GET", "/", cookie=cookie).text
    assert re.search(r"<p>Leader: <b>(<[^>]*>)?tea(<[^>]*>)?</b></p>", studies)
    for path in ("/studies/taste/sources", "/studies/taste/log", "/studies/taste/log?number=3"):
        assert world("GET", path, cookie=cookie).status == 200
    alone = taste("GET", "/export?format=html", "owner").text
    assert "Verdict: yes. tea is first of 3" in alone


def test_the_verdict_of_a_webhook(taste, world):
    study = world.host.study("taste")
    voted(taste, 4)
    assert trust(study.answer()) is Trust.UNDECIDED
    voted(taste, 130, seed=3)
    said = json.loads(message("taste", study.answer(), study.seq, str(Trust.UNDECIDED), 0.0))
    assert (said["new"], said["leader"]) == (str(Trust.WITHSTANDS), "tea")
    assert said["sentence"].startswith("The leader is tea: withstands the threat. Settled: rank tea first")


def test_the_client_has_the_verbs_of_an_optimizer(quick, tmp_path):
    server = quick(f"sqlite:///{tmp_path}/studies.db")
    with uw.connect(server.address, server.token, "taste") as owner:
        owner.begin(uw.Options(list(DRINKS)), duels=True, threat=uw.Threat(lies=1), seed=0)
        assert owner.begin(uw.Options(list(DRINKS)), duels=True, threat=uw.Threat(lies=1), seed=0)
        for number in range(40):
            (play,) = owner.ask(source=f"judge {number % 3}")
            owner.tell(play, max(play.point.values()))
        owner.correct(0, "tie", "both")
        owner.add([({"left": "tea", "right": "milk"}, "tea")])
        assert owner.answer()["leader"] == "tea"
        assert isinstance(owner.read().answer(), DuelAnswer)
