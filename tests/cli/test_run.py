"""`unswayed run` with real programs: broken ones, slow ones, and a process that is killed again and again."""

import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from unswayed import Box, Optimizer, Options, Real
from unswayed.cli import main
from unswayed.cli.run_display import Display
from unswayed.storage import FileJournal
from unswayed.storage.journal import parse

BOWL = ("awk", "BEGIN {{ print -({x} - 0.3) ^ 2 }}")
UNSWAYED = [sys.executable, "-c", "from unswayed.cli import main; main()"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in, with a space of one parameter in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "space.toml").write_text("x = {low = -1, high = 1}\n")
    return tmp_path


def run(unswayed, *options, plays=6, command=BOWL, space="space.toml"):
    return unswayed("run", space, "--plays", plays, "--budget", 0.5, "--seed", 4, *options, "--", *command)


def records(path):
    with FileJournal(path) as journal:
        return journal.read()


def by_play(path):
    """What was asked and answered, by play; each at most once."""
    found = {}
    for record in records(path)[1:]:
        if record["kind"] == "fit":  # of several plays, and of none
            continue
        key = ("ask" if record["kind"] == "ask" else "answer", record["play"])
        assert key not in found, f"{key} twice"
        found[key] = {name: value for name, value in record.items() if name not in ("play", "at")}
    return found


# -- what it prints ---------------------------------------------------------------------------------------------------


def test_it_finds_the_best_argument_and_says_where_everything_is(unswayed, folder):
    code, out, err = run(unswayed, "--plot", "study.png", plays=30)
    assert (code, err) == (0, "")
    assert out.startswith("Recommended: x = 0.")
    assert "30 measurements" in out
    assert out.splitlines()[-2:] == ["journal: space.jsonl", "picture: study.png"]
    assert (folder / "study.png").read_bytes().startswith(b"\x89PNG")
    with Optimizer.open("space.jsonl") as study:
        assert abs(study.answer().point["x"] - 0.3) < 0.05
        assert re.fullmatch(r"awk \.\.\. \([0-9a-f]{8}\)", study.settings.note)  # arguments may be secret


def test_json_is_one_object(unswayed, folder):
    code, out, err = run(unswayed, "--json", "--journal", "none", "--noise", 0.1, "--norm", 3, plays=8)
    assert (code, err) == (0, "")
    answer = json.loads(out)
    parts = ("point", "estimate", "certificate", "breakdown", "assumptions", "set_aside", "sentence", "failures")
    assert answer.keys() >= set(parts)
    assert answer["breakdown"].keys() == {"budget", "rival", "pivot", "lies", "liars"}
    assert (answer["journal"], answer["plays"], answer["failed"], answer["seed"]) == (None, 8, 0, 4)
    assumed = answer["assumptions"]
    assert (assumed["noise_std"], assumed["norm_bound"]) == (0.1, pytest.approx(3))
    assert assumed["estimated"] == ["kernel", "output scale", "level"]
    assert os.listdir(folder) == ["space.toml"]


@pytest.mark.parametrize(
    ("space", "printed"),
    [
        ("x = {low = 2, high = 2}", "1"),  # nothing can make another point win
        ('options = ["only", "two"]', "1"),
        ("x = {low = -1, high = 1}", "1e100"),
        ("x = {low = -1, high = 1}", "-1e100"),
        ("x = {low = -1, high = 1}", "$(echo {x} | tr -d .0-9)1e100"),
        ("x = {low = -1, high = 1}", "1e-300"),
    ],
    ids=str,
)
@pytest.mark.parametrize("options", [(), ("--noise", 1e-9), ("--norm", 1e90)], ids=str)
def test_json_has_no_infinity_and_no_nan(unswayed, folder, space, printed, options):
    def refuse(constant):
        raise AssertionError(constant)

    (folder / "space.toml").write_text(space)
    name = "{option}" if "options" in space else "{x}"
    command = ("sh", "-c", f"echo {printed}", name)
    code, out, err = run(unswayed, "--json", "--journal", "none", *options, plays=8, command=command)
    assert (code, err) == (0, "")
    answer = json.loads(out, parse_constant=refuse)
    if space == "x = {low = 2, high = 2}":
        assert answer["breakdown"] == dict.fromkeys(("budget", "rival", "pivot", "lies", "liars"))


def test_minimize_mirrors(unswayed, folder):
    up = json.loads(run(unswayed, "--json", "--journal", "up.jsonl", plays=22)[1])
    down_command = ("awk", "BEGIN {{ print ({x} - 0.3) ^ 2 }}")
    down = json.loads(
        run(unswayed, "--json", "--journal", "down.jsonl", "--minimize", plays=22, command=down_command)[1]
    )
    assert down["minimize"]
    assert down["point"] == up["point"]
    assert down["estimate"] == -up["estimate"]
    assert "above the best" in down["sentence"]


def test_tables_and_labels_are_options_too(unswayed, folder):
    (folder / "table.csv").write_text("T,p\n60,1\n70,1.5\n80,2\n")
    (folder / "rows.toml").write_text('options = "table.csv"\n')
    (folder / "labels.toml").write_text('options = ["1", "7", "$(3)"]\n')
    larger = ("sh", "-c", "echo $1", "{p}", "{T}")
    assert json.loads(run(unswayed, "--json", "--jobs", 3, command=larger, space="rows.toml")[1])["point"] == [
        80.0,
        2.0,
    ]
    longer = ("sh", "-c", "echo ${{#1}}", "-", "{option}")
    assert json.loads(run(unswayed, "--json", command=longer, space="labels.toml")[1])["point"] == "$(3)"
    assert sorted(os.listdir(folder)) == [
        "labels.jsonl",
        "labels.png",
        "labels.toml",
        "rows.jsonl",
        "rows.png",
        "rows.toml",
        "space.toml",
        "table.csv",
    ]


# -- programs that misbehave ------------------------------------------------------------------------------------------

BROKEN = {
    "nothing": (":", "the command printed nothing; its last line must be one number"),
    "nan": ("echo nan", "the last line of the command's output must be one finite number, not 'nan'"),
    "two": ("echo 1 2", "the last line of the command's output must be one number, not '1 2'"),
    "huge": ("echo 1e400", "the last line of the command's output must be one finite number, not '1e400'"),
    "large": ("echo 1e200", "a measurement of 1e+200 is too large to compute with: use larger units"),
    "bytes": (r"printf '\377\376\n'", r"the last line of the command's output must be one number, not '\xff\xfe'"),
    "hang": ("sleep 1000", "the command ran over its time limit of 0.5 s and was killed"),
    "exit": ("echo [red]cannot open it >&2; exit 3", "the command ended with exit code 3: [red]cannot open it"),
    "killed": ("kill -9 $$", "the command was killed by signal 9 (SIGKILL)"),
}


def test_each_broken_run_is_one_clear_line_and_the_study_goes_on(unswayed, folder):
    labels = [*BROKEN, "fine"]
    (folder / "space.toml").write_text(f"options = {json.dumps(labels)}\n")
    script = "".join(f"{name}) {does};;\n" for name, (does, _) in BROKEN.items())
    (folder / "program").write_text(f'case "$1" in\n{script}fine) echo 0.5;;\nesac\n')
    options = ("--timeout", 0.5, "--retries", 0, "--jobs", 3)
    code, out, err = run(unswayed, *options, plays=10, command=("sh", "program", "{option}"))
    assert code == 1
    assert "Best so far: fine" in out
    assert "9 plays failed" in out
    with Optimizer.open("space.jsonl") as study:
        log = study.log
    said = dict(line.removeprefix("play ").split(" failed: ", 1) for line in err.splitlines())
    assert len(said) == err.count("\n") == 9
    for play in log:
        if play.point == "fine":
            assert (play.status, play.value) == ("told", 0.5)
        else:
            assert play.status == "failed"
            assert said[str(play.number)] == BROKEN[play.point][1]
            assert said[str(play.number)].startswith(play.reason)
            for printed in ("nan", "loss", "xff", "cannot open it"):
                assert printed not in play.reason


def test_a_failed_run_is_tried_again_at_the_same_point(unswayed, folder):
    script = "echo {x} >> tried; [ $(grep -c -e {x} tried) -gt 2 ] && echo 1"
    code, _, err = run(unswayed, "--retries", 2, command=("sh", "-c", script), plays=4)
    assert code == 0
    assert err.splitlines()[0] == "play 0 is tried again: the command ended with exit code 1"
    assert err.count("\n") == 8
    tried = (folder / "tried").read_text().split()
    assert len(tried) == 12
    assert len(set(tried)) == 4


def test_if_every_run_fails_there_is_nothing_to_recommend(unswayed, folder):
    code, out, err = run(unswayed, "--retries", 0, command=("sh", "-c", "exit {x}0"), plays=3)
    assert (code, out) == (1, "")
    assert err.splitlines()[0].startswith("play 0 failed: the command ended with exit code")
    assert err.splitlines()[-1] == "unswayed: none of 3 plays could be measured"


# -- going on ---------------------------------------------------------------------------------------------------------


def test_the_same_command_continues_and_a_finished_one_says_it_again(unswayed, folder):
    code, first, err = run(unswayed, plays=20)
    assert (code, err) == (0, "")
    code, again, err = run(unswayed, plays=20)
    assert (code, again, err) == (0, first, "")
    asked = points("space.jsonl")
    code, _, err = run(unswayed, plays=24)
    assert (code, err) == (0, "continuing with 20 of 24 plays\n")
    assert len(points("space.jsonl")) == 24
    assert asked.items() <= points("space.jsonl").items()
    code, out, err = run(unswayed, plays=23)
    assert (code, out) == (2, "")
    assert "space.jsonl is of a study with 24 plays: give as many or more" in err


def points(path):
    return {record["play"]: record["point"] for record in records(path) if record["kind"] == "ask"}


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--budget", 2), "threat (budget) was 0.5, not 2"),
        (("--noise", 1), "noise was not given, not 1"),
        (("--minimize",), "minimize"),
        (("--seed", 5), "seed was 4, not 5"),
        (("--delta", 0.1), "delta was 0.05, not 0.1"),
    ],
)
def test_other_settings_need_another_journal(unswayed, folder, options, word):
    run(unswayed, plays=3)
    before = (folder / "space.jsonl").read_bytes()
    code, out, err = run(unswayed, *options, plays=3)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("unswayed: space.jsonl has other settings")
    assert word in err
    assert "another journal" in err
    assert (folder / "space.jsonl").read_bytes() == before


def test_another_command_or_space_is_another_study_but_not_another_time_limit(unswayed, folder):
    run(unswayed, plays=3)
    assert "what is measured was awk" in run(unswayed, plays=3, command=("echo", "{x}"))[2]
    assert run(unswayed, "--timeout", 9, "--retries", 5, plays=3)[0] == 0
    (folder / "space.toml").write_text("x = {low = -2, high = 1}\n")
    assert "another space" in run(unswayed, plays=3)[2]


def test_a_torn_journal_is_mended_in_one_line(unswayed, folder):
    run(unswayed, plays=4)
    with open("space.jsonl", "r+b") as file:
        file.truncate(os.path.getsize("space.jsonl") - 5)
    code, _, err = run(unswayed, plays=4)
    assert code == 0
    torn, going_on = err.splitlines()
    assert torn.startswith("space.jsonl: the last line was torn by a crash")
    assert going_on == "continuing with 3 of 4 plays"


def test_a_journal_in_use_is_refused(unswayed, folder):
    with FileJournal("space.jsonl"):
        code, out, err = run(unswayed)
    assert (code, out) == (2, "")
    assert err == "unswayed: another Unswayed process has space.jsonl open; wait for it to end\n"


# -- wrong use --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "command", "word"),
    [
        ((), ("echo", "1"), "the command does not use {x}; put every parameter into it"),
        ((), ("echo", "{x}{y}"), "the command asks for {y}, but the parameters are {x}"),
        ((), ("echo", "{x}", "}"), "an unmatched }"),
        ((), (), "COMMAND"),
        (("--plays", 0), BOWL, "plays"),
        (("--budget", -1), BOWL, "threat"),
        (("--budget", "nan"), BOWL, "threat"),
        (("--jobs", 0), BOWL, "parallel"),
        (("--retries", -1), BOWL, "--retries"),
        (("--timeout", 0), BOWL, "time limit"),
        (("--noise", 0), BOWL, "noise"),
        (("--delta", 2), BOWL, "delta"),
        (("--seed", -1), BOWL, "seed"),
        (("--plot", "study.docx"), BOWL, ".png"),
        (("--journal", "no/such/folder/s.jsonl"), BOWL, "cannot open no/such/folder/s.jsonl"),
        (("--journal", "space.toml"), BOWL, "space.toml is not an unswayed journal"),
    ],
    ids=str,
)
def test_wrong_use_is_one_clear_line_and_nothing_is_run(unswayed, folder, options, command, word):
    before = (folder / "space.toml").read_bytes()
    code, out, err = run(unswayed, *options, command=command)
    assert (code, out) == (2, "")
    assert err.startswith("unswayed: ")
    assert err.count("\n") == 1
    assert word in err
    assert os.listdir(folder) == ["space.toml"]
    assert (folder / "space.toml").read_bytes() == before


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("x = {low = -1", "not valid TOML"),
        ("x = {low = 1, high = 0}", "must not exceed"),
        ("", "at least one name"),
        ("x = 3", "a parameter needs a table"),
    ],
)
def test_a_bad_space_is_one_clear_line(unswayed, folder, text, word):
    (folder / "space.toml").write_text(text)
    code, out, err = run(unswayed)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert word in err
    assert "space.toml" in err
    assert os.listdir(folder) == ["space.toml"]


def test_words_of_parameters_that_a_point_does_not_have_are_left_out(unswayed, folder):
    """The program fails if it gets a word of the other kind, or a number between two steps."""
    (folder / "space.toml").write_text(
        'kind = {choices = ["a", "b"]}\nx = {low = 0, high = 1, step = 0.25, when = {kind = "a"}}\n'
        'n = {type = "integer", low = 1, high = 3, when = {kind = "b"}}\n'
    )
    script = 'case "$*" in "a x="0.[05]|"a x="0.[27]5|"a x=1.0") echo 1;; "b n="[123]) echo 2;; *) exit 7; esac'
    words = ("sh", "-c", script, "sh", "{kind}", "x={x}", "n={n}")
    code, out, err = run(unswayed, plays=12, command=words)
    assert (code, err) == (0, "")
    assert out.startswith("Recommended: kind = b, n = ")
    code, _, err = run(unswayed, "--journal", "none", command=("echo", "{kind}", "-x", "{x}", "n={n}"))
    assert code == 2
    assert err.strip().endswith("'-x' would stay: write '-x={x}' as one word")


def test_help_teaches(unswayed):
    code, out, _ = unswayed("run", "--help")
    assert code == 0
    for words in (
        "unswayed run space.toml --plays 100",
        'kind = {choices = ["rbf", "poly"]}',
        "continues where it stopped",
        "is left out",
    ):
        assert words in " ".join(out.split()), words


# -- the display ------------------------------------------------------------------------------------------------------


def test_the_display_shows_the_leader_now_and_then(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("unswayed.cli.run_display.monotonic", lambda: clock[0])
    screen = StringIO()
    console = Console(file=screen, force_terminal=True, width=100, highlight=False)
    study = Optimizer(Box({"x": Real(-1, 1)}), plays=20, threat=0.5, seed=1)
    looks = []
    monkeypatch.setattr(study, "answer", lambda: (looks.append(clock[0]), Optimizer.answer(study))[1])
    display = Display(study, tries=2, console=console)
    with display.live():
        for _ in range(20):
            (play,) = study.ask()
            if play.number == 3:
                study.fail(play, "no power")
            else:
                study.tell(play, -(play.point["x"] ** 2))
            display.answered(study.log[play.number], "[b]no[/b] power" if play.number == 3 else None)
            clock[0] += 1.0
    assert 4 <= len(looks) <= 20 / 3
    shown = screen.getvalue()
    for words in ("20 of 20", "1 failed", "leader", "x = ", "at most", "play 3 failed after 2 tries: [b]no[/b] power"):
        assert words in shown, words


def test_without_a_terminal_the_leader_is_not_even_computed(monkeypatch):
    study = Optimizer(Options(["a", "b"]), plays=4, threat=0.5, seed=1)
    monkeypatch.setattr(study, "answer", lambda: pytest.fail("computed"))
    monkeypatch.setattr("unswayed.cli.run_display.PAUSE", 0.0)
    screen = StringIO()
    display = Display(study, tries=1, console=Console(file=screen, force_terminal=False))
    with display.live():
        for play in study.ask(4):
            study.tell(play, 1.0)
            display.answered(study.log[play.number], None)
    assert screen.getvalue() == ""


# -- interrupted and killed -------------------------------------------------------------------------------------------


def grown(path, size, process):
    """Wait until the file is larger than `size`, or the process has ended."""
    end = time.monotonic() + 60
    while (not path.exists() or path.stat().st_size <= size) and process.is_alive() and time.monotonic() < end:
        time.sleep(0.002)


def test_ctrl_c_ends_promptly_leaves_nothing_behind_and_says_how_to_continue(folder):
    first_three = "mkdir a 2>&- || mkdir b 2>&- || mkdir c 2>&-"
    script = f"{first_three} && echo 1 && exit; echo $$ >> running; exec sleep 1000"
    process = subprocess.Popen(
        [*UNSWAYED, "run", "space.toml", "--plays", "20", "--budget", "1", "--jobs", "2", "--",
         "sh", "-c", script, "{x}"],
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    end = time.monotonic() + 60
    running = Path("running")
    while time.monotonic() < end and not (
        running.exists() and sum(record["kind"] == "tell" for record in whole_lines(Path("space.jsonl"))) == 3
    ):
        time.sleep(0.01)
    time.sleep(0.2)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert time.monotonic() - sent < 60  # its programs would run for 1,000 s
    assert (process.returncode, out) == (130, "")
    assert err.splitlines() == [
        "3 of 20 plays are done: they are in space.jsonl, and the same command continues from there",
        "unswayed: interrupted",
    ]
    for pid in map(int, running.read_text().split()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    with Optimizer.open("space.jsonl") as study:
        assert sum(play.measured for play in study.log) == 3
        assert 1 <= len(study.open_plays()) <= 2


def whole_lines(path):
    """The records on disk now, read as the format says, whoever has the file open."""
    data = path.read_bytes() if path.exists() else b""
    return parse(data, str(path))[0] if data.count(b"\n") > 1 else []


@pytest.mark.parametrize(("lives", "plays"), [(5, 40), pytest.param(30, 240, marks=pytest.mark.slow)])
def test_killed_again_and_again_it_ends_as_if_it_had_never_been(folder, lives, plays):
    """kill -9 at random moments: no recorded value is lost, none asked or told twice, and the plays are the same.

    The processes are forked from one that has imported everything, or starting them would take most of the time.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["unswayed.cli.run", "unswayed.cli.run_display", "unswayed.study.optimizer"])
    rng = random.Random(1)
    path, kills = folder / "killed.jsonl", 0  # more plays than any machine gets done in so many lives

    def start(journal):
        arguments = ["run", str(folder / "space.toml"), "--plays", str(plays), "--budget", "0.5", "--jobs", "4"]
        process = context.Process(
            target=main, args=([*arguments, "--seed", "4", "--journal", str(journal), "--", *BOWL],)
        )
        process.start()
        return process

    known = []
    while kills < lives:
        process = start(path)
        size = path.stat().st_size if path.exists() else 0
        grown(path, size + rng.choice([0, 60, 120]), process)
        time.sleep(rng.uniform(0, 0.02))
        seen = whole_lines(path)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL, "it ended before it was killed: more plays are needed"
        kills += 1
        after = whole_lines(path)
        assert seen[: len(known)] == known
        assert after[: len(seen)] == seen
        known = after
    last = start(path)
    last.join(600)
    assert last.exitcode == 0
    straight = start(folder / "straight.jsonl")
    straight.join(600)
    assert straight.exitcode == 0
    assert records(path)[: len(known)] == known
    expected = by_play(folder / "straight.jsonl")
    assert len(expected) == 2 * plays
    assert by_play(path) == expected


@pytest.mark.parametrize(
    "options", [("--journal", "study.png"), ("--journal", "a.pdf", "--plot", "a.pdf"), ("--journal", ".")]
)
def test_a_picture_is_never_drawn_over_the_journal(unswayed, folder, options):
    code, _, err = run(unswayed, *options)
    assert code == 2
    assert len(err.splitlines()) == 1
    assert [file.name for file in folder.iterdir()] == ["space.toml"]


def test_choices_of_every_type_end_with_a_result(unswayed, folder):
    (folder / "space.toml").write_text('x = {choices = [0, 0.5, true, "1"]}\n')
    code, out, _ = run(unswayed, plays=8, command=("awk", 'BEGIN {{ print -length("{x}") }}'))
    assert code == 0
    assert out.startswith("Recommended: x = ")


# -- what the journal keeps, and where the picture goes ---------------------------------------------------------------


SECRET = "tok-9f31"


@pytest.mark.parametrize("recorded", [False, True])
def test_command_lines_and_what_they_print_are_kept_on_request_only(unswayed, folder, recorded):
    script = (
        f'test "$2" = {SECRET} && echo "password {SECRET}" >&2; echo "{SECRET}"; case $1 in -*) exit 3;; esac; echo $1'
    )
    options = ["--record-output"] if recorded else []
    command = ("sh", "-c", script, "-", "{x}", SECRET)
    code, out, err = run(unswayed, *options, "--retries", 0, plays=12, command=command)
    assert code == 1
    assert SECRET in err  # whoever runs it may see it
    text = (folder / "space.jsonl").read_text()
    assert (SECRET in text) == recorded
    assert SECRET not in out or recorded
    asked = [record["point"]["x"] for record in records("space.jsonl") if record["kind"] == "ask"]
    assert len(asked) == 12
    assert all(repr(x) in text for x in asked)  # what was varied is always there
    with Optimizer.open("space.jsonl") as study:
        assert {play.reason.split(":")[0] for play in study.log if play.reason} == {
            "the command ended with exit code 3"
        }
    assert run(unswayed, "--retries", 0, plays=12, command=command)[0] == 1  # and it goes on, whichever it keeps
    other = run(unswayed, "--retries", 0, plays=12, command=(*command[:-1], "tok-other"))
    assert other[0] == 2
    assert SECRET not in other[2] or recorded


def test_the_result_is_printed_before_the_picture_is_drawn(unswayed, folder, monkeypatch):
    def plot(answer):
        print("DRAWING")
        raise RuntimeError("no\nfont")

    monkeypatch.setattr("unswayed.plots.study.plot_answer", plot)
    code, out, err = run(unswayed, plays=8)
    assert code == 0
    assert out.index("Recommended: ") < out.index("journal: space.jsonl") < out.index("DRAWING")
    assert "picture: " not in out
    assert err == "unswayed: no picture was drawn: no font\n"
    code, out, err = run(unswayed, "--json", plays=8)
    assert (code, json.loads(out.splitlines()[0])["plays"], err.count("\n")) == (0, 8, 1)


def test_a_picture_that_is_not_ours_is_left_alone(unswayed, folder):
    (folder / "space.png").write_bytes(b"a photo of the lab")
    code, out, err = run(unswayed, plays=8)
    assert (code, err.count("\n")) == (0, 1)
    assert out.startswith("Recommended: ")
    assert err == "unswayed: no picture was drawn: space.png is not one of ours; give another name with --plot\n"
    assert (folder / "space.png").read_bytes() == b"a photo of the lab"
    code, out, err = run(unswayed, "--plot", "ours.png", plays=8)
    assert (code, err) == (0, "")
    assert run(unswayed, "--plot", "ours.png", plays=8)[::2] == (0, "")  # ours may be drawn again


def test_a_picture_that_cannot_be_written_is_one_line_after_the_result(unswayed, folder):
    (folder / "there").mkdir()
    run(unswayed, "--journal", "there/s.jsonl", plays=8)
    (folder / "there/s.png").unlink()
    (folder / "there/s.png").mkdir()
    code, out, err = run(unswayed, "--journal", "there/s.jsonl", plays=8)
    assert (code, err.count("\n")) == (0, 1)
    assert out.startswith("Recommended: ")
    assert err.startswith("unswayed: no picture was drawn: ")


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_command_that_is_missing_stops_soon_and_its_plays_do_not_count(unswayed, folder, monkeypatch, jobs):
    monkeypatch.setattr("unswayed.programs.starting.FIRST_START_PATIENCE", 0.3)
    code, out, err = run(unswayed, "--jobs", jobs, plays=50, command=("./trian", "{x}"))
    assert (code, out) == (2, "")
    assert "cannot start './trian': No such file or directory" in err.splitlines()[-1]
    with Optimizer.open("space.jsonl") as study:
        assert 1 <= len(study.log) <= jobs + 2
        assert {str(play.status) for play in study.log} == {"open"}
    (folder / "trian").write_text("#!/bin/sh\necho 1\n")
    (folder / "trian").chmod(0o755)
    assert run(unswayed, "--jobs", jobs, plays=50, command=("./trian", "{x}"))[0] == 0
    with Optimizer.open("space.jsonl") as study:
        assert [play.value for play in study.log] == [1.0] * 50


def test_a_mistake_in_the_command_is_mended_in_the_same_journal(unswayed, folder, monkeypatch):
    monkeypatch.setattr("unswayed.programs.starting.FIRST_START_PATIENCE", 0.3)
    assert run(unswayed, plays=8, command=("./trian", "{x}"))[0] == 2
    wrong = ("awk", "BEGIN {{print $}}", "{x}")
    code, _, err = run(unswayed, plays=8, command=wrong)
    assert code == 2
    assert "they do not count" in err.splitlines()[-1]
    assert run(unswayed, plays=8)[0] == 0
    with Optimizer.open("space.jsonl") as study:
        assert {str(play.status) for play in study.log} == {"told"}
        assert study.settings.note.startswith("awk")
    assert run(unswayed, "--record-output", plays=9)[0] == 0
    assert "what is measured was awk" in run(unswayed, plays=9, command=("echo", "{x}"))[2]


def test_the_number_of_jobs_is_the_one_of_the_last_command(unswayed, folder):
    for jobs, plays in ((1, 4), (3, 8), (1, 12)):
        assert run(unswayed, "--jobs", jobs, plays=plays)[0] == 0
        with Optimizer.open("space.jsonl") as study:
            assert study.settings.parallel == jobs
