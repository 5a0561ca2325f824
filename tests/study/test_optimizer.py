"""A study is the fold of its journal: after a crash, a failure or a lie it continues as if there had been none."""

import math
import os
import random
import subprocess
import sys
import textwrap
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from unswayed import (
    Box,
    Categorical,
    Integer,
    InvalidInput,
    JournalError,
    Optimizer,
    Options,
    Play,
    Real,
    SquaredExponential,
    UnswayedError,
    Why,
)
from unswayed.storage import FileJournal, JournalWarning, MemoryJournal

SPACE = Box({"x": Real(-1, 1)})
MIXED = Box({"rate": Real(1e-4, 1e-1, log=True), "n": Integer(1, 5), "kind": Categorical(["a", "b"])})
START = 18  # plays before there is a model, in one dimension


def value(point):
    return -((point["x"] - 0.3) ** 2)


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch):
    """Thousands of journals are opened here; tests/storage has a test that `append` waits for the disk."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.jsonl"


def study(journal=None, *, space=SPACE, seed=5, **options):
    return Optimizer(space, **{"threat": 0.5, "seed": seed, "journal": journal, **options})


def asked(optimizer):
    return [play.point for play in optimizer.log]


def played(plays, parallel=1, journal=None, change=lambda number, value: value):
    """A study that always has `parallel` plays open, the oldest answered first, until `plays` were asked."""
    optimizer = study(journal, parallel=parallel)
    waiting = optimizer.ask(parallel)
    while len(optimizer.log) < plays:
        play = waiting.pop(0)
        optimizer.tell(play, change(play.number, value(play.point)))
        waiting += optimizer.ask()
    return optimizer


# -- the journal is the truth -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("parallel", [1, 3])
def test_reopening_after_every_answer_asks_the_same(path, parallel):
    expected = asked(played(START + 14, parallel))
    study(path, parallel=parallel).close()
    for _ in range(START + 14):
        with study(path, parallel=parallel) as optimizer:
            while len(optimizer.open_plays()) < parallel and len(optimizer.log) < START + 14:
                optimizer.ask()
            play = optimizer.open_plays()[0]
            optimizer.tell(play, value(play.point))
    with study(path, parallel=parallel) as optimizer:
        assert asked(optimizer) == expected
        assert [play.value for play in optimizer.log] == [value(point) for point in expected]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_the_order_of_answers_does_not_matter(seed):
    """Whatever comes back first, play k waits for play k - 4 and sees the answers up to there."""
    rng = random.Random(seed)
    optimizer = study(parallel=4)
    waiting = optimizer.ask(4)
    while len(optimizer.log) < START + 16:
        optimizer.tell(play := waiting.pop(rng.randrange(len(waiting))), value(play.point))
        oldest = min((one.number for one in waiting), default=len(optimizer.log))
        waiting += optimizer.ask(oldest + 4 - len(optimizer.log))
    assert asked(optimizer)[: START + 16] == asked(played(START + 16, 4))


def test_it_finds_the_maximum_and_the_minimum():
    optimizer = played(40)
    optimizer.tell(39, value(optimizer.log[39].point))
    assert abs(optimizer.answer().point["x"] - 0.3) < 0.05
    mirrored = study(minimize=True)
    for _ in range(40):
        (play,) = mirrored.ask()
        mirrored.tell(play, -value(play.point))
    assert asked(mirrored) == asked(optimizer)
    assert mirrored.answer().point == optimizer.answer().point
    assert mirrored.answer().estimate == -optimizer.answer().estimate
    assert mirrored.answer().worse == "above"
    assert optimizer.answer().certificate is None
    assert optimizer.answer().credible is None or optimizer.answer().credible.budget == 0.5


def test_open_reads_back_everything(path):
    kernel = SquaredExponential((0.3, 0.2, 0.5, 0.5))
    optimizer = study(path, space=MIXED, plays=30, kernel=kernel, noise_std=0.1, parallel=2, note="a test")
    plays = optimizer.ask(6)
    optimizer.tell(plays[1], 0.25)
    optimizer.fail(plays[0], "broken")
    optimizer.tell(plays[4], 7)
    optimizer.retract(4, "a typing error")
    optimizer.close()
    with Optimizer.open(path) as again:
        assert again.log == optimizer.log
        assert again.settings == optimizer.settings
        assert (again.settings.plays, again.settings.parallel, again.seed) == (30, 2, 5)
        assert (again.settings.kernel, again.settings.note) == (kernel, "a test")
        assert [play.number for play in again.open_plays()] == [2, 3, 5]
        table = again.history().to_pydict()
    assert table["status"] == ["failed", "told", "open", "open", "retracted", "open"]
    assert table["value"] == [None, 0.25, None, None, 7.0, None]
    assert table["reason"] == ["broken", None, None, None, "a typing error", None]
    assert table["why"] == ["start"] * 6
    assert [dict(zip(MIXED.names, row, strict=True)) for row in zip(*(table[n] for n in MIXED.names), strict=True)] == [
        play.point for play in plays
    ]


def test_the_journal_keeps_what_each_play_is_for(path):
    optimizer = study(path)
    for _ in range(40):
        (play,) = optimizer.ask()
        optimizer.tell(play, value(play.point))
    optimizer.close()
    whys = [play.why for play in optimizer.log]
    assert {Why.START, Why.EXPLORE, Why.EXPLOIT} <= set(whys)
    assert whys == sorted(whys, key=lambda why: why is not Why.START)  # what has no model comes first
    with Optimizer.open(path) as again:
        assert [play.why for play in again.log] == whys


@pytest.mark.parametrize("word", [{}, {"why": "a word of a later version"}, {"why": None}, {"why": ["start"]}], ids=str)
def test_journals_without_known_reasons_open_and_ask_the_same(word):
    kept, other = MemoryJournal(), MemoryJournal()
    optimizer = study(kept)
    for play in optimizer.ask(3):
        optimizer.tell(play, value(play.point))
    for record in kept.read():
        changed = {name: cell for name, cell in record.items() if name != "why"}
        other.append({**changed, **word} if record["kind"] == "ask" else changed)
    again = study(other)
    assert [play.why for play in again.log] == [None] * 3
    assert again.history().to_pydict()["why"] == [None] * 3
    assert again.answer().plot().axes
    assert again.ask(3) == optimizer.ask(3)
    assert again.answer().point == optimizer.answer().point


@pytest.mark.parametrize(
    "options",
    [["A", "B", "C"], [{"T": 60, "acid": "HCl"}, {"T": 70, "acid": "HCl"}], [[1.0, 2.0], [3.0, 4.0]]],
    ids=["labels", "dicts", "table"],
)
def test_options_come_back_as_they_were_given(path, options):
    with study(path, space=Options(options)) as optimizer:
        points = [play.point for play in optimizer.ask(4)]
        for play in optimizer.open_plays():
            optimizer.tell(play, float(play.number))
    with Optimizer.open(path) as again:
        assert asked(again) == points
        assert again.answer().point in points
        assert again.history().num_rows == 4
        assert set(again.history().column_names) >= {"number", "value", "status", "reason", *again.space.names}


def test_what_is_begun_with_other_settings_is_not_continued(path):
    with study(path, plays=20, parallel=2, note="./a") as begun:
        begun.tell(*begun.ask(), 0.5)
    for changed, word in [
        ({"threat": 1.0}, r"threat \(budget\) was 0.5, not 1"),
        ({"seed": 6}, "seed was 5, not 6"),
        ({"minimize": True}, "minimize"),
        ({"noise_std": 0.1}, "noise was not given, not 0.1"),
        ({"note": "./b"}, "what is measured was ./a, not ./b"),
        ({"space": MIXED}, "another space"),
        ({"plays": 19}, "20 plays: give as many or more"),
    ]:
        with pytest.raises(JournalError, match=word) as error:
            study(path, **{"plays": 20, "parallel": 2, "note": "./a", **changed})
        assert "another journal" in str(error.value)
        assert str(path) in str(error.value)
    with study(path, plays=20, parallel=2, note="./a", seed=None) as optimizer:  # the journal knows the seed
        assert optimizer.seed == 5


def test_more_plays_go_on_as_if_they_had_been_planned(path):
    with study(threat=0.0) as optimizer:  # without a threat the number of plays changes nothing
        for _ in range(START + 8):
            (play,) = optimizer.ask()
            optimizer.tell(play, value(play.point))
        expected = asked(optimizer)
    for plays in (START + 2, START + 2, START + 8, None):
        with study(path, plays=plays, threat=0.0) as optimizer:
            while asked_now := optimizer.ask():
                optimizer.tell(asked_now[0], value(asked_now[0].point))
                if plays is None:
                    break
    with Optimizer.open(path) as optimizer:
        assert optimizer.settings.plays is None
        assert asked(optimizer)[: START + 8] == expected
        assert len(optimizer.log) == START + 9
    with pytest.raises(UnswayedError, match="no limit of plays"):
        study(path, plays=50, threat=0.0)
    kinds = [record["kind"] for record in FileJournal(path).read()]
    assert kinds.count("change") == 2


def test_more_plays_do_not_change_the_method(path):
    """With so many plays planned from the beginning, options would be eliminated in epochs."""

    def asks(**limits):
        points = []
        for plays, count in limits.values():
            with study(path, space=Options(["a", "b", "c", "d"]), noise_std=0.1, plays=plays, threat=0.0) as optimizer:
                for _ in range(count):
                    (play,) = optimizer.ask()
                    optimizer.tell(play, 1.0 if play.point == "b" else 0.0)
                    points.append(play.point)
        path.unlink()
        return points

    never_limited = asks(all=(None, 40))
    assert asks(first=(14, 14), extended=(100_000, 26)) == never_limited
    assert asks(all=(100_000, 40)) != never_limited


@pytest.mark.parametrize(("cuts", "share"), [(150, 0.6), pytest.param(1000, 0.9, marks=pytest.mark.slow)])
def test_a_journal_cut_anywhere_is_a_prefix_or_an_error(path, tmp_path, cuts, share):
    with played(30, 3, path) as optimizer:
        optimizer.fail(29, "broken")
        optimizer.retract(3, "wrong unit")
    whole = path.read_bytes()
    with FileJournal(path) as journal:
        records = journal.read()
    states = [folded(records[1:count]) for count in range(1, len(records) + 1)]
    cut, seen = tmp_path / "cut.jsonl", set()
    for end in [*sorted(random.Random(0).sample(range(len(whole)), cuts)), len(whole)]:
        cut.write_bytes(whole[:end])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", JournalWarning)
            try:
                opened = study(cut, parallel=3)
            except UnswayedError:
                continue
        with opened:
            state = [(play.number, play.point, play.status, play.value) for play in opened.log]
        assert state in states
        seen.add(states.index(state))
        whole_lines = whole[:end].count(b"\n") - 2  # without the journal's own header and the study's
        assert states.index(state) >= min(whole_lines, 1)
    assert max(seen) == len(states) - 1
    assert len(seen) > share * len(set(map(str, states)))


def folded(records):
    """The same fold, written as plainly as can be."""
    state = {}
    for record in records:
        if record["kind"] == "fit":
            continue
        number = record["play"]
        if record["kind"] == "ask":
            state[number] = (number, record["point"], "open", None)
        elif record["kind"] == "tell":
            state[number] = (*state[number][:2], "told", record["value"])
        elif record["kind"] == "fail":
            state[number] = (*state[number][:2], "failed", None)
        else:
            state[number] = (*state[number][:2], "retracted", state[number][3])
    return [state[number] for number in sorted(state)]


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "tell", "play": 9, "value": 1.0},
        {"kind": "tell", "play": 0, "value": "much"},
        {"kind": "tell", "play": 0},
        {"kind": "retract", "play": 0, "reason": "x"},
        {"kind": "ask", "play": 7, "point": {"x": 0.0}},
        {"kind": "ask", "play": 1, "point": {"x": 9.0}},
        {"kind": "dance", "play": 0},
        {"play": 0},
    ],
    ids=str,
)
def test_records_that_cannot_follow_are_refused(path, record):
    with study(path) as optimizer:
        optimizer.ask()
    with FileJournal(path) as journal:
        journal.append(record)
    with pytest.raises(UnswayedError, match="record 3 of the journal is invalid"):
        study(path)
    with FileJournal(path):  # and it is let go
        pass


def test_what_is_no_study_is_refused(path, tmp_path):
    with FileJournal(path) as journal:
        journal.append({"kind": "letter"})
    for opening in (study, Optimizer.open):
        with pytest.raises(UnswayedError, match="does not begin with a study"):
            opening(path)
    with pytest.raises(UnswayedError, match="there is no journal"):
        Optimizer.open(tmp_path / "absent.jsonl")
    assert not (tmp_path / "absent.jsonl").exists()


def test_two_processes_cannot_share_a_journal(path):
    code = (
        "import sys; from unswayed.storage import FileJournal as J; j = J(sys.argv[1]); print(1, flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"1\n"
        with pytest.raises(UnswayedError, match="another Unswayed process has"):
            study(path)
        other.stdin.close()
    study(path).close()


def test_a_full_disk_is_a_clear_error_and_loses_nothing(path):
    """In a process of its own, whose files may not grow beyond 8,000 bytes."""
    code = textwrap.dedent("""
        import resource, sys
        from unswayed import Box, UnswayedError, Optimizer, Real
        resource.setrlimit(resource.RLIMIT_FSIZE, (8000, resource.RLIM_INFINITY))
        with Optimizer(Box({"x": Real(-1, 1)}), threat=0.5, seed=5, journal=sys.argv[1]) as optimizer:
            try:
                while True:
                    (play,) = optimizer.ask()
                    optimizer.tell(play, float(play.number))
            except UnswayedError as error:
                first = str(error)
            before = optimizer.log
            try:
                optimizer.ask(50)
            except UnswayedError as error:
                second = str(error)
            assert optimizer.log == before
        print(first, second, len(before), sum(play.status == "told" for play in before), sep="\\n")
    """)
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, second, plays, told = done.stdout.splitlines()
    assert "cannot write to" in first
    assert "make room and try again" in second
    with study(path) as optimizer:  # not even a warning of a torn line
        assert len(optimizer.log) == int(plays) > 10
        assert [play.value for play in optimizer.log if play.value is not None] == list(map(float, range(int(told))))
        optimizer.ask()


class Interrupting(MemoryJournal):
    """A journal in which Ctrl-C is pressed just after a record was written."""

    armed = False

    def append(self, *records):
        super().append(*records)
        if self.armed:
            self.armed = False
            raise KeyboardInterrupt


def test_an_interrupt_between_writing_and_taking_in_changes_nothing():
    journal = Interrupting()
    optimizer = study(journal)
    for act in (lambda: optimizer.ask(2), lambda: optimizer.tell(0, 1.5), lambda: optimizer.retract(0, "no")):
        journal.armed = True
        with pytest.raises(KeyboardInterrupt):
            act()
    assert [(play.status, play.value) for play in optimizer.log] == [("retracted", 1.5), ("open", None)]
    optimizer.tell(1, 0.5)
    assert study(journal).log == optimizer.log


# -- answers ----------------------------------------------------------------------------------------------------------


def test_answering_twice():
    optimizer = study()
    first, second, third = optimizer.ask(3)
    optimizer.tell(first, 1.0)
    optimizer.tell(first, 1.0)
    optimizer.tell(0, 1)
    with pytest.raises(UnswayedError, match=r"play 0 was already told 1\.0"):
        optimizer.tell(first, 2.0)
    with pytest.raises(UnswayedError, match="already told"):
        optimizer.fail(first, "no")
    optimizer.fail(second, "power cut")
    optimizer.fail(second, "power cut, again")
    with pytest.raises(UnswayedError, match="already failed: power cut"):
        optimizer.tell(second, 1.0)
    with pytest.raises(UnswayedError, match="only a measurement"):
        optimizer.retract(second, "no")
    with pytest.raises(UnswayedError, match="only a measurement"):
        optimizer.retract(third, "no")
    optimizer.retract(first, "bad sensor")
    optimizer.retract(first, "bad sensor")
    optimizer.tell(first, 1.0)  # it was told before
    with pytest.raises(UnswayedError, match="already retracted: bad sensor"):
        optimizer.tell(first, 3.0)
    assert [play.status for play in optimizer.log] == ["retracted", "failed", "open"]


@pytest.mark.parametrize(
    "bad", [math.nan, math.inf, -math.inf, "1e400", 10**400, "much", None, [1.0], 1e101, 1j, np.complex128(1)], ids=repr
)
def test_what_is_no_measurement_is_refused_and_not_recorded(path, bad):
    with study(path) as optimizer:
        (play,) = optimizer.ask()
        before = path.read_bytes()
        with pytest.raises(UnswayedError, match="measurement"):
            optimizer.tell(play, bad)
        assert path.read_bytes() == before
        assert optimizer.open_plays() == [play]


def test_plays_that_are_not_ours():
    optimizer, other = study(), study(seed=6)
    optimizer.ask()
    (foreign,) = other.ask()
    for play, word in [
        (foreign, "another study"),
        (Play(5, {"x": 0.0}), "never asked"),
        (1, "never asked"),
        (-1, "at least 0"),
        ("0", "whole number"),
        ([foreign], "a list of plays"),
    ]:
        with pytest.raises(UnswayedError, match=word):
            optimizer.tell(play, 1.0)
    assert optimizer.log[0].status == "open"


def test_nothing_is_known_before_the_first_answer():
    optimizer = study()
    play, failed = optimizer.ask(2)
    optimizer.fail(failed, "broken")
    with pytest.raises(InvalidInput, match="nothing has been measured yet"):
        study().answer()
    with pytest.raises(InvalidInput, match="no play could be measured; the last reason: broken"):
        optimizer.answer()
    optimizer.tell(play, 2.0)
    assert optimizer.answer().measured == 1


def test_plays_are_a_limit():
    optimizer = study(plays=3)
    assert len(optimizer.ask(2)) == 2
    assert len(optimizer.ask(5)) == 1
    assert optimizer.ask() == []
    assert len(optimizer.log) == 3


def test_asking_for_many_at_once_spreads_them():
    optimizer = played(START + 6)
    for play in optimizer.open_plays():
        optimizer.tell(play, value(play.point))
    points = [play.point["x"] for play in optimizer.ask(8)]
    assert len(set(points)) == 8


@pytest.mark.parametrize("lie", [1e6, 1e90, -1e90])
def test_one_huge_lie_does_not_hijack_the_recommendation(lie):
    optimizer = played(START + 20, change=lambda number, honest: lie if number == START + 3 else honest)
    assert abs(optimizer.answer().point["x"] - 0.3) < 0.1
    assert START + 3 in optimizer.answer().set_aside


def test_a_retracted_value_counts_as_never_told():
    """Same asks, and the play still open instead: then all that is known is the same."""
    lied = played(START + 12, change=lambda number, honest: 5.0 if number == 9 else honest)
    lied.retract(9, "the sensor was off")
    journal = MemoryJournal()
    journal.append(
        *(r for r in lied._journal.read() if (r["kind"], r.get("play")) not in {("tell", 9), ("retract", 9)})
    )
    never = study(journal)
    assert asked(never) == asked(lied)
    assert never.log[9].status == "open"
    assert never.answer().point["x"] == pytest.approx(lied.answer().point["x"], abs=1e-3)
    assert never.answer().estimate == pytest.approx(lied.answer().estimate, abs=1e-4)
    assert never.answer().measured == lied.answer().measured == START + 10
    assert all(play.value != 5.0 for play in lied.log if play.measured)
    reopened = study(lied._journal)
    assert reopened.answer().to_dict() == lied.answer().to_dict()
    assert reopened.ask() == lied.ask()


def test_failed_plays_are_used_up_and_others_come_first():
    optimizer = played(START + 6)
    (open_play,) = optimizer.open_plays()
    optimizer.fail(open_play, "broken")
    tried = [open_play.point["x"]]
    for _ in range(5):
        (play,) = optimizer.ask()
        optimizer.fail(play, "broken")
        tried.append(play.point["x"])
    assert len(set(tried)) == 6


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"threat": -1}, "threat"),
        ({"threat": math.nan}, "threat"),
        ({"noise_std": 0}, "noise"),
        ({"delta": 1}, "delta"),
        ({"plays": 0}, "plays"),
        ({"plays": 1.5}, "plays"),
        ({"parallel": 0}, "parallel"),
        ({"seed": -1}, "seed"),
        ({"norm_bound": -1}, "norm"),
        ({"kernel": lambda X, Z: X @ Z.T}, "kernel"),
    ],
    ids=lambda one: one if isinstance(one, str) else "".join(one),
)
def test_bad_settings_are_one_clear_line_and_leave_no_journal(path, options, word):
    with pytest.raises(UnswayedError, match=word):
        study(path, **options)
    assert not path.exists()


# -- any order of everything ------------------------------------------------------------------------------------------


@settings(max_examples=40, stateful_step_count=30)
class Study(RuleBasedStateMachine):
    """Against a model that is a list of statuses and values."""

    @initialize(parallel=st.integers(1, 3))
    def begin(self, parallel):
        self.journal, self.parallel = MemoryJournal(), parallel
        self.optimizer = study(self.journal, parallel=parallel, plays=12)
        self.points, self.model = [], []

    @rule(n=st.integers(0, 4))
    def ask(self, n):
        plays = self.optimizer.ask(n)
        assert len(plays) == min(n, 12 - len(self.model))
        assert [play.number for play in plays] == list(range(len(self.model), len(self.model) + len(plays)))
        self.points += [play.point for play in plays]
        self.model += [("open", None)] * len(plays)

    @precondition(lambda self: self.model)
    @rule(data=st.data(), number=st.sampled_from([0.0, 1.0, -2.5]), act=st.sampled_from(["tell", "fail", "retract"]))
    def answer(self, data, number, act):
        play = data.draw(st.integers(0, len(self.model) - 1))
        status, known = self.model[play]
        legal = {
            "tell": status == "open" or (status in ("told", "retracted") and known == number),
            "fail": status in ("open", "failed"),
            "retract": status in ("told", "retracted"),
        }[act]
        call = {
            "tell": lambda: self.optimizer.tell(play, number),
            "fail": lambda: self.optimizer.fail(play, "no"),
            "retract": lambda: self.optimizer.retract(play, "no"),
        }[act]
        if not legal:
            with pytest.raises(UnswayedError):
                call()
            return
        call()
        if status == "open" or act == "retract":
            after = {"tell": ("told", number), "fail": ("failed", None), "retract": ("retracted", known)}
            self.model[play] = after[act]

    @rule()
    def reopen(self):
        self.optimizer = study(self.journal, parallel=self.parallel, plays=12, seed=None)

    @invariant()
    def the_log_is_the_model(self):
        if hasattr(self, "model"):
            assert [(play.status, play.value) for play in self.optimizer.log] == self.model
            assert [play.point for play in self.optimizer.log] == self.points


TestStudy = Study.TestCase


def test_the_points_lie_in_the_space():
    optimizer = study(space=MIXED)
    rng = np.random.default_rng(0)
    for _ in range(34):
        (play,) = optimizer.ask()
        assert MIXED.check(play.point) == play.point
        optimizer.tell(play, float(rng.normal()))


def test_the_log_can_be_read_while_another_thread_asks(monkeypatch):
    choosing, go_on = threading.Event(), threading.Event()
    study = Optimizer(Box({"x": Real(0, 1)}), threat=1.0, seed=0)
    study.ask(2)
    choose = study._search.choose

    def slow(*arguments):
        choosing.set()
        go_on.wait(60)
        return choose(*arguments)

    monkeypatch.setattr(study._search, "choose", slow)
    with ThreadPoolExecutor(2) as threads:
        asked = threads.submit(study.ask)
        try:
            assert choosing.wait(60)
            assert threads.submit(lambda: (len(study.log), len(study.open_plays()))).result(20) == (2, 2)
            assert not asked.done()
        finally:
            go_on.set()
        assert len(asked.result(60)) == 1
