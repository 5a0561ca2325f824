"""Studies of duels: what is asked, what is told, and when a leader is certain."""

import itertools
import json
import re

import numpy as np
import pytest

import unswayed as uw
from unswayed.audits.votes.audit import audited
from unswayed.core.votes import lead
from unswayed.core.votes.bradley_terry import RIDGE
from unswayed.errors import InvalidInput, JournalError
from unswayed.judgement.verdict import MOST_COLUMNS, MOST_LINES, Verdict
from unswayed.search.play import Status, Why
from unswayed.study.duel_answer import DuelAnswer
from unswayed.study.tables.export import exported

DRINKS = {"tea": 1.2, "coffee": 0.6, "milk": 0.0, "cola": -0.6}


def prefer(rng, pair, strengths=DRINKS):
    """An honest vote."""
    left, right = pair["left"], pair["right"]
    return left if rng.random() < 1 / (1 + np.exp(strengths[right] - strengths[left])) else right


def begun(journal=None, options=tuple(DRINKS), **settings):
    return uw.Optimizer(uw.Options(list(options)), duels=True, journal=journal, **settings)


def voted(study, votes, rng, judges=("ann", "ben", "cat", "dan"), until=lambda answer: answer.settled):
    """Ask and tell; the answer when it is settled, or after so many votes."""
    for number in range(votes):
        (play,) = study.ask(source=judges[number % len(judges)] if judges else None)
        study.tell(play, prefer(rng, play.point))
        if number % 10 == 9 and until(study.answer()):
            break
    return study.answer()


def test_the_leader_is_settled_and_the_answer_says_so_in_eight_lines():
    answer = voted(begun(threat=uw.Threat(lies=5)), 2_000, np.random.default_rng(0))
    assert (answer.leader, answer.settled, answer.verdict) == ("tea", True, Verdict.YES)
    assert answer.audit.rivals[0].flipped.least > 5
    lines = str(answer).splitlines()
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= MOST_COLUMNS
    assert lines[0].startswith("Verdict: yes. tea is first of 4 (from ")
    assert "even if you looked after every vote" in str(answer).replace("\n", " ")
    assert lines[-1] == "Settled: rank tea first; no more votes are needed."
    assert answer.tiers[0] == ["tea"]
    ((shown,),) = [re.findall(r"with probability at most ([0-9.]+), even", str(answer).replace("\n", " "))]
    assert answer.luck.probability <= float(shown) <= 0.05  # that of many looks is what is printed
    assert json.loads(json.dumps(answer.to_dict()))["settled"] is True


def test_before_that_it_says_whom_to_compare():
    study = begun(threat=uw.Threat(lies=5))
    answer = voted(study, 12, np.random.default_rng(1))
    assert (answer.settled, answer.verdict) == (False, Verdict.EARLY)
    last = str(answer).splitlines()[-1]
    assert last.startswith("Next: let ann compare ")
    assert last.endswith("votes settle it, if all is as it seems.")
    (play,) = study.ask()
    assert {play.point["left"], play.point["right"]} == {answer.next.left, answer.next.right}
    assert play.source == answer.next.judge == "ann"


def test_every_option_is_compared_first_and_sides_alternate():
    study = begun()
    asked = study.ask(30)
    assert {name for play in asked[:3] for name in play.point.values()} == set(DRINKS)
    assert [play.why for play in asked[:4]] == [Why.START, Why.START, Why.START, Why.EXPLOIT]
    for a, b in itertools.combinations(DRINKS, 2):
        shown = [play.point["left"] for play in asked if set(play.point.values()) == {a, b}]
        assert abs(shown.count(a) - shown.count(b)) <= 1


def test_the_next_duel_is_with_the_rival_that_needs_most():
    """More votes against a rival that is far behind do not help; those against the second do."""
    study = begun(threat=uw.Threat(lies=3))
    voted(study, 200, np.random.default_rng(2), until=lambda answer: False)
    rivals = [play.point for play in study.ask(40)]
    met = [name for pair in rivals for name in pair.values() if name != study.answer().leader]
    assert max(set(met), key=met.count) == "coffee"
    assert met.count("coffee") > 20


def test_judges_take_turns_so_that_none_decides_alone():
    study = begun(threat=uw.Threat(liars=1))
    for name in ("ann", "ben", "cat"):
        (play,) = study.ask(source=name)
        study.tell(play, "left")
    asked = study.ask(30)
    assert {name: sum(play.source == name for play in asked) for name in ("ann", "ben", "cat")} == {
        "ann": 10,
        "ben": 10,
        "cat": 10,
    }
    study.change(quarantined=["ben"])
    assert {play.source for play in study.ask(6)} == {"ann", "cat"}


def test_with_lying_judges_no_single_one_could_have_decided():
    judges = [f"judge {number}" for number in range(12)]
    study = begun(threat=uw.Threat(liars=1))
    answer = voted(study, 4_000, np.random.default_rng(3), judges)
    assert answer.settled
    assert answer.leader == "tea"
    data, rivals = answer.audit.data, answer.audit.rivals
    assert all(rival.voters.least > 1 for rival in rivals)
    for name in judges:  # every plan of one judge: all that it said of a rival and the leader, turned around
        mine = np.array([data.voters[voter] == name for voter in data.voter])
        for rival in rivals:
            wins = np.zeros((4, 4))
            for left, right, said, liar in zip(data.left, data.right, data.said, mine, strict=True):
                over, under = (left, right) if said == 0 else (right, left)
                if liar and (over == answer.audit.winner or under == rival.option):
                    over, under = under, over
                wins[over, under] += 1
            assert lead(wins, answer.audit.winner, rival.option).votes > 0


def test_too_few_judges_never_settle_it_and_the_answer_says_so():
    """Of three judges one can always turn a lead of 60% around, however many votes there are."""
    study, pair = begun(options=("tea", "coffee"), threat=uw.Threat(liars=1)), {"left": "tea", "right": "coffee"}
    for judge in ("ann", "ben", "cat"):
        study.add((pair, uw.Measurement(said, source=judge)) for said in [1] * 60 + [0] * 40)
    answer = study.answer()
    assert answer.verdict is Verdict.WITHIN
    assert answer.next_step.endswith("; about 7 judges have to vote where 1 may lie, not 3.")


def test_no_judge_is_known_who_could_lie():
    study = begun(threat=uw.Threat(liars=1))
    answer = voted(study, 60, np.random.default_rng(4), judges=())
    assert not answer.settled
    assert answer.audit.rivals[0].voters.least == 1


def test_the_audit_of_the_exported_votes_says_the_same(tmp_path, unswayed):
    study, judges = begun(threat=uw.Threat(lies=5)), [f"judge {number}" for number in range(12)]
    for stop in (30, 3_000):
        answer = voted(study, stop, np.random.default_rng(5), judges)
        file = tmp_path / f"votes-{stop}.csv"
        file.write_bytes(exported(study, [], "csv"))
        columns = ("--left", "left", "--right", "right", "--winner", "winner", "--voter", "source")
        code, out, err = unswayed("audit", file, *columns, "--lies", 5, "--json")
        assert code == 0, err
        found, mine = json.loads(out), answer.to_dict()
        for name in ("verdict", "winner_label", "robustness", "evidence", "votes", "voters"):
            assert found[name] == mine[name], name
        assert [found["forged_votes"][end] for end in ("least", "most")] == [
            mine["forged_votes"][end] for end in ("least", "most")
        ]
        assert {rival["option_label"]: rival["lead"] for rival in found["rivals"]} == pytest.approx(
            {rival["option_label"]: rival["lead"] for rival in mine["rivals"]}
        )
    assert answer.settled


def test_a_lead_that_is_clear_for_one_look_only_is_too_early():
    """The audit of a table may say yes; a study, which looks after every vote, asks for more."""
    study = begun(options=("tea", "coffee"))
    study.add(({"left": "tea", "right": "coffee"}, "tea") for _ in range(9))
    study.add([({"left": "tea", "right": "coffee"}, "coffee")] * 1)
    answer = study.answer()
    assert answer.audit.verdict is Verdict.YES
    assert not answer.audit.luck.any_time
    assert answer.verdict is Verdict.EARLY
    assert "clearer lead" in str(answer).replace("\n", " ")


def test_a_study_goes_on_from_its_journal_as_if_it_had_not_stopped(tmp_path):
    whole, parts = begun(tmp_path / "whole.jsonl", seed=0), tmp_path / "parts.jsonl"
    one, two = np.random.default_rng(6), np.random.default_rng(6)
    for number in range(40):
        (play,) = whole.ask()
        whole.tell(play, prefer(one, play.point))
        study = begun(parts, seed=0) if number % 2 else None
        with study or (uw.Optimizer.open(parts) if parts.exists() else begun(parts, seed=0)) as study:
            (same,) = study.ask()
            study.tell(same, prefer(two, same.point))
    with uw.Optimizer.open(parts) as study:
        assert [play.point for play in study.log] == [play.point for play in whole.log]
        assert study.answer().to_dict() == whole.answer().to_dict()
    assert isinstance(uw.Study.read(parts).answer(), DuelAnswer)


def test_a_vote_that_is_retracted_does_not_count_and_can_be_restored():
    study = begun()
    voted(study, 40, np.random.default_rng(7), until=lambda answer: False)
    before = study.answer().to_dict()
    (play,) = study.ask()
    study.tell(play, "left", source="mallory")
    changed = study.answer()
    assert changed.measured == 41
    study.retract(play, "she had not tasted it")
    assert study.answer().measured == 40
    assert study.history()["winner"].to_pylist()[-1] is None
    assert study.answer().to_dict()["scores"] == before["scores"]
    study.restore(play)
    study.correct(play, "tie", "both, she says")
    assert study.log[play.number].value == 0.5
    assert study.history()["winner"].to_pylist()[-1] == "tie"
    study.change(quarantined=["mallory"])
    assert study.answer().measured == 40


def test_open_duels_count_as_if_they_were_told():
    """Many judges at once are not all asked about the same pair, and it is the same whether they come one by one."""
    studies = [begun(threat=uw.Threat(lies=10), seed=0) for _ in range(2)]
    for study in studies:
        study.add(({"left": "tea", "right": name}, "tea") for name in ("coffee", "milk", "cola") for _ in range(3))
    one_by_one, together = [studies[0].ask()[0] for _ in range(12)], studies[1].ask(12)
    assert [play.point for play in one_by_one] == [play.point for play in together]
    met = [frozenset(play.point.values()) - {"tea"} for play in together]
    assert {sum(name in pair for pair in met) for name in ("coffee", "milk", "cola")} == {4}


@pytest.mark.parametrize(
    ("said", "value"),
    [("tea", 1.0), ("coffee", 0.0), (" tea ", 1.0), ("Left", 1.0), ("right", 0.0), ("tie", 0.5), (1, 1.0), ("0", 0.0)],
)
def test_a_winner_is_a_name_or_a_side(said, value):
    study = begun(options=("tea", "coffee"))
    (play,) = study.ask()
    assert play.point == {"left": "tea", "right": "coffee"}
    study.tell(play, said)
    assert study.log[0].value == value


@pytest.mark.parametrize("said", ["milk", "", "2", 0.3, True, None, float("nan"), "the left one", ["tea"]])
def test_another_winner_is_one_clear_line(said):
    study = begun(options=("tea", "coffee", "milk", "2"))
    (play,) = study.ask()
    with pytest.raises(InvalidInput, match=r"^the winner .* is neither of .*, nor left, right, tie, 1, 0 or 0.5$"):
        study.tell(play, said)
    assert study.log[0].status is Status.OPEN


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (lambda study: study.add([({"left": "tea", "right": "tea"}, "tea")]), "'tea' cannot be compared with itself"),
        (lambda study: study.add([({"left": "tea", "right": "gin"}, "tea")]), "right = 'gin' is not one of"),
        (lambda study: study.move(0, {"right": "tea"}), "'tea' cannot be compared with itself"),
        (lambda study: study.tell(0, uw.Measurement(1, noise_std=0.1)), "a vote has no standard error and no trials"),
        (lambda study: study.tell(0, "tea", trials=10), "a vote has no standard error and no trials"),
        (lambda study: study.change(threat=3), "of votes, a number may be false"),
        (lambda study: study.run(lambda pair: 1.0), "duels are not run"),
    ],
)
def test_what_makes_no_sense_of_duels_is_refused(wrong, line):
    study = begun(plays=10)
    study.ask()
    with pytest.raises(InvalidInput, match=line):
        wrong(study)
    assert len(study.log) == 1
    assert study.log[0].status is Status.OPEN


@pytest.mark.parametrize(
    ("options", "settings", "line"),
    [
        (uw.Options(["tea"]), {}, "nothing to compare with one option"),
        (uw.Options(["tea", "tie"]), {}, "cannot be called 'tie'"),
        (uw.Options(["tea", "Left"]), {}, "cannot be called 'Left'"),
        (uw.Options([1, 2]), {}, "options that are compared need names"),
        (uw.Options(np.eye(3)), {}, "duels are between options that have names"),
        (uw.Box({"x": uw.Real(0, 1)}), {}, "duels are between options that have names"),
        (uw.Options(["tea", "milk"]), {"noise_std": 0.1}, "duels have no noise std"),
        (uw.Options(["tea", "milk"]), {"minimize": True}, "duels have no minimize"),
        (uw.Options(["tea", "milk"]), {"threat": uw.Threat(lies=1, low=0, high=1)}, "of votes, a number may be false"),
    ],
)
def test_a_study_that_makes_no_sense_is_refused(options, settings, line):
    with pytest.raises(InvalidInput, match=line):
        uw.Optimizer(options, duels=True, **settings)


def test_a_journal_that_holds_no_votes_is_refused(tmp_path):
    study = begun(tmp_path / "votes.jsonl")
    study.ask()
    study._journal.append({"kind": "tell", "play": 0, "value": 0.3})
    study.close()
    with pytest.raises(JournalError, match=r"record 3 of the journal is invalid: the winner 0\.3"):
        uw.Optimizer.open(tmp_path / "votes.jsonl")


def test_an_answer_needs_a_vote_and_one_vote_is_an_answer():
    study = begun()
    with pytest.raises(InvalidInput, match="nothing has been measured yet"):
        study.answer()
    (play,) = study.ask()
    study.tell(play, "right")
    answer = study.answer()
    assert answer.leader == play.point["right"]
    assert not answer.settled
    assert str(answer).splitlines()[0].startswith("Verdict: too early. ")


def test_the_plays_may_be_used_up():
    study = begun(plays=3)
    for play in study.ask(5):
        study.tell(play, "left")
    assert study.ask() == []
    assert "no play is left to ask for" in study.answer().next_step


def test_k_forged_votes_cannot_change_a_leader_that_withstands_them():
    """All that k votes could have said, on small studies: the leader is never another one."""
    for seed in range(6):
        rng, options = np.random.default_rng(seed), ("a1", "b1", "c1")
        strengths = dict(zip(options, (1.5, 0.3, 0.0), strict=True))
        study = begun(options=options, threat=uw.Threat(lies=2), delta=0.3)
        for _ in range(400):
            (play,) = study.ask()
            study.tell(play, prefer(rng, play.point, strengths))
            if study.answer().settled:
                break
        answer = study.answer()
        assert answer.settled
        wins, leader = answer.audit.data.votes.wins, answer.audit.winner
        cells = [(i, j) for i in range(3) for j in range(3) if wins[i, j] > 0]
        for first, second in itertools.product(cells, repeat=2):
            forged = wins.copy()
            for i, j in (first, second):
                if forged[i, j] > 0:
                    forged[i, j] -= 1
                    forged[j, i] += 1
            rivals = [lead(forged, leader, other, ridge=RIDGE).votes for other in range(3) if other != leader]
            assert min(rivals) > 0


def test_the_answer_is_that_of_the_audit_of_its_votes():
    study = begun(threat=uw.Threat(lies=1))
    answer = voted(study, 80, np.random.default_rng(9))
    again = audited(answer.audit.data, uw.Threat(lies=1), 0.05, RIDGE)
    assert again.to_dict() == answer.audit.to_dict()
