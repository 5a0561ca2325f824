import enum
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unswayed import Command, CommandFailed, CommandStopped, InvalidInput, SystemFault, UnswayedError

PYTHON = [sys.executable, "-I", "-S", "-c"]


def python(code, *rest, timeout=None):
    """A command that runs `code`, whatever braces it has."""
    return Command([*PYTHON, code.replace("{", "{{").replace("}", "}}"), *rest], timeout=timeout)


def failure(command, point=None):
    with pytest.raises(CommandFailed) as error:
        command(point or {})
    message = str(error.value)
    assert message.isprintable()
    assert len(message) < 500
    return message


def alive(pid):
    """Whether a process still runs: one that has ended and was not reaped by its new parent does not."""
    if sys.platform == "linux":
        try:
            return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")


def soon(condition, seconds=40):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def test_the_last_line_is_the_measurement():
    assert python("print('epoch 1'); print(' 2.5e-1 '); print()")({}) == 0.25
    assert python("import sys; sys.stdout.write('1\\r\\n-3')")({}) == -3.0
    assert python("import sys; print(sys.argv[1:])\nprint(.1 + .2)", "{x}")({"x": 1}) == 0.1 + 0.2


def test_the_program_sees_every_digit_of_a_float_and_no_shell():
    code = "import sys; a, b, c, d = sys.argv[1:]; assert (b, c, d) == ('$HOME; *', 'true', '-3'), b; print(a)"
    command = python(code, "{x}", "{text}", "{flag}", "{n}")
    for x in (0.1 + 0.2, 5e-324, -1.7976931348623157e308):
        assert command({"x": x, "text": "$HOME; *", "flag": True, "n": -3}) == x


def test_arguments():
    class Colour(str, enum.Enum):  # noqa: UP042  # the kind whose text is not its value
        RED = "red"

    command = Command(["p", "--x={x}", "{y}{y}", "{{x}}", "{{{x}}}", "{a.b:c!r}"])
    assert command.placeholders() == ("x", "y", "a.b:c!r")
    assert command.arguments({"x": 1e-7, "y": False, "a.b:c!r": "{x} {"}) == [
        *("p", "--x=1e-07", "falsefalse", "{x}", "{1e-07}", "{x} {")
    ]
    one = Command(["p", "{x}"])
    for value, text in (
        (np.float64(0.1), "0.1"),
        (np.float32(0.5), "0.5"),
        (np.int64(-7), "-7"),
        (np.True_, "true"),
        (np.str_("a b"), "a b"),
        (Colour.RED, "red"),
        (Fraction(1, 4), "0.25"),
        (10**30, "1" + "0" * 30),
    ):
        assert one.arguments({"x": value}) == ["p", text]
    for value in (None, [1], b"x", 1j):
        with pytest.raises(UnswayedError, match=r"\{x\} must be a number, true, false or text"):
            one.arguments({"x": value})
    with pytest.raises(UnswayedError, match=r"\{x\}, which the point does not have"):
        one.arguments({"y": 1})


@given(st.text(st.sampled_from("{}a"), max_size=8))
def test_braces_are_read_as_python_reads_them(word):
    try:
        expected = word.format(a="A", aa="AA", **{"a" * n: "A" * n for n in range(3, 9)})
    except (ValueError, IndexError, KeyError):
        with pytest.raises(UnswayedError, match=r"write \{\{ and \}\} for braces"):
            Command(["p", word])
    else:
        assert Command(["p", word]).arguments({"a" * n: "A" * n for n in range(1, 9)}) == ["p", expected]


def test_every_placeholder_is_a_parameter_and_every_parameter_is_used():
    command = Command(["p", "{x}", "{y}"])
    command.check(["y", "x"])
    with pytest.raises(UnswayedError, match=r"does not use \{z\}, \{w\}"):
        command.check(["x", "z", "y", "w"])
    with pytest.raises(UnswayedError, match=r"asks for \{y\}, but the parameters are \{x\}"):
        command.check(["x"])
    with pytest.raises(UnswayedError, match=r"asks for \{x.__class__\}"):
        Command(["p", "{x.__class__}"]).check(["x"])


@pytest.mark.parametrize("template", [[], [""], "prog {x}", ["p", 1], b"prog", 3, None])
def test_a_command_is_a_list_of_words(template):
    with pytest.raises(InvalidInput, match="a command"):
        Command(template)


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf")])
def test_a_time_limit_is_positive(timeout):
    with pytest.raises(UnswayedError, match="time limit"):
        Command(["p"], timeout=timeout)


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        (b"", "printed nothing"),
        (b" \n\t\n", "printed nothing"),
        (b"nan", "finite"),
        (b"-NaN\n", "finite"),
        (b"inf", "finite"),
        (b"-Infinity", "finite"),
        (b"1e400", "finite"),
        (b"1 2", "one number, not '1 2'"),
        (b"1,5", "one number, not '1,5'"),
        (b"loss: 3", "not 'loss: 3'"),
        (b"1_000", "not '1_000'"),
        (b"0x10", "not '0x10'"),
        ("\u0661".encode(), "not '\u0661'"),
        (b"\xff\xfe1", r"not '\\xff\\xfe1'"),
        (b"3\n\x1b[31mred\x07\x00", r"not '\\x1b\[31mred\\x07\\x00'"),
        (b"12\n" + "é".encode() * 3000, r"not 'é{100,}\.\.\.'"),
        (b"1" * 100_000 + b"x", r"not '1{100,}\.\.\.'"),
        (b"3\n" + b"x" * 200_000, "too long"),
        (b"word" + b" " * 200_000 + b"5", "too long"),
    ],
)
def test_what_is_no_measurement(tmp_path, printed, reason):
    (tmp_path / "out").write_bytes(printed)
    with pytest.raises(CommandFailed, match=reason):
        Command(["cat", str(tmp_path / "out")])({})
    assert failure(Command(["cat", str(tmp_path / "out")]))


def test_an_exit_code_is_told_with_the_last_line_of_the_errors():
    message = failure(python("import sys; print(1); sys.stderr.write('first\\nno \\x1b[0m model\\n\\n'); sys.exit(3)"))
    assert message == r"the command ended with exit code 3: no \x1b[0m model"
    assert failure(Command(["false"])) == "the command ended with exit code 1"


def test_a_signal_is_told():
    message = failure(python("import os; print(1, flush=True); os.kill(os.getpid(), 9)"))
    assert "killed by signal 9 (SIGKILL)" in message


def test_what_cannot_be_started(tmp_path):
    (tmp_path / "plain").write_text("1")
    (tmp_path / "binary").write_bytes(b"\x7fELF")
    (tmp_path / "binary").chmod(0o755)
    assert "cannot start 'no-such-program': No such file" in failure(Command(["no-such-program"]))
    assert "Permission denied" in failure(Command([str(tmp_path / "plain")]))
    assert "Permission denied" in failure(Command([str(tmp_path)]))
    assert "cannot start" in failure(Command([str(tmp_path / "binary")]))
    assert "null byte" in failure(Command(["echo", "{x}"]), {"x": "\0"})
    assert "cannot start" in failure(Command(["echo", "{x}"]), {"x": "\ud800"})
    assert "too long" in failure(Command(["echo", "{x}"]), {"x": "x" * 10_000_000})


def test_there_is_no_input():
    assert python("import sys; print(len(sys.stdin.read()))")({}) == 0


FAMILY = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if child:
    open(sys.argv[1], "w").write(f"{os.getpid()} {child}\\n")
time.sleep(60)
"""


def family(path):
    """The process and its child, which say who they are in a file."""
    assert soon(lambda: path.exists() and path.read_text().endswith("\n"))
    return [int(pid) for pid in path.read_text().split()]


def test_at_the_time_limit_the_whole_group_is_killed(tmp_path):
    start = time.monotonic()
    message = failure(python(FAMILY, str(tmp_path / "pids"), timeout=3.0))
    assert message == "the command ran over its time limit of 3 s and was killed"
    assert time.monotonic() - start < 50  # the program would run for 60 s
    assert soon(lambda: not any(alive(pid) for pid in family(tmp_path / "pids")))


def test_a_program_that_closes_its_output_still_has_a_time_limit():
    code = "import os, time; os.close(1); os.close(2); time.sleep(60)"
    assert "time limit" in failure(python(code, timeout=0.3))


def test_a_grandchild_that_keeps_the_pipe_does_not_hold_us_up_and_is_ended(tmp_path):
    start = time.monotonic()
    path = tmp_path / "pids"
    code = FAMILY.replace("if child:", "if child:\n    print(7)").replace("time.sleep(60)", "child or time.sleep(60)")
    assert python(code, str(path))({}) == 7
    assert time.monotonic() - start < 50  # the program would run for 60 s
    assert soon(lambda: not any(alive(pid) for pid in family(path)))


def test_a_pipeline_may_finish_writing_after_its_leader():
    assert Command(["sh", "-c", "(sleep 0.2; echo 4) & echo 3"])({}) == 4


def test_floods_of_output_take_bounded_memory():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    code = "import os\nfor _ in range(300): os.write(1, b'1 ' * 500_000); os.write(2, b'x\\n' * 500_000)\nprint('\\n8')"
    assert python(code)({}) == 8
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 30_000 * (1024 if sys.platform == "darwin" else 1)  # of 600 MB
    assert "time limit" in failure(Command(["yes"], timeout=0.3))


def test_several_threads_at_once():
    command = python("import sys, time; time.sleep(0.05); print(int(sys.argv[1]) ** 2)", "{n}")
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda n: command({"n": n}), range(32))) == [n**2 for n in range(32)]


def test_no_descriptor_and_no_process_is_left():
    def open_files():
        return len(os.listdir("/dev/fd"))

    command = python("print(1)", timeout=20)
    command({})
    before = open_files()
    for _ in range(5):
        command({})
        failure(Command(["no-such-program"]))
        failure(Command(["sleep", "60"], timeout=0.01))
    assert open_files() == before
    for process in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            state, parent = process.read_text().rsplit(")", 1)[1].split()[:2]
            assert (state, int(parent)) != ("Z", os.getpid())


def test_stop_ends_all_from_another_thread_and_lets_none_start(tmp_path):
    command = python(FAMILY, "{path}")
    paths = [tmp_path / str(i) for i in range(3)]
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(command, {"path": str(path)}) for path in paths]  # the third waits for its turn
        pids = family(paths[0]) + family(paths[1])
        start = time.monotonic()
        command.stop()
        for call in calls:
            with pytest.raises(CommandStopped):
                call.result(timeout=50)
        assert time.monotonic() - start < 50  # the programs would run for 60 s
    assert soon(lambda: not any(alive(pid) for pid in pids))
    assert not paths[2].exists()
    assert not issubclass(CommandStopped, CommandFailed)  # a stopped play is not a failed one


def test_an_interrupt_kills_the_group(tmp_path):
    path = tmp_path / "pids"

    def interrupt():
        family(path)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        python(FAMILY, str(path))({})
    thread.join()
    assert soon(lambda: not any(alive(pid) for pid in family(path)))


def test_a_killed_caller_leaves_nothing_running(tmp_path):
    path = tmp_path / "pids"
    code = f"""
from unswayed import Command
Command({[*PYTHON, FAMILY.replace("{", "{{").replace("}", "}}"), str(path)]!r})({{}})
"""
    with subprocess.Popen([sys.executable, "-c", code]) as caller:
        pids = family(path)
        assert all(alive(pid) for pid in pids)
        caller.kill()
    assert soon(lambda: not any(alive(pid) for pid in pids))


def test_a_caller_that_is_killed_while_a_program_starts_leaves_nothing_running(tmp_path):
    """The first program of a caller: its helper must know of it before it runs."""
    path = tmp_path / "pid"
    program = "echo $$ > $1; kill -9 $PPID; exec sleep 60"
    code = f"from unswayed import Command; Command(['sh', '-c', {program!r}, 'sh', {str(path)!r}])({{}})"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL
    pid = int(path.read_text())
    assert soon(lambda: not alive(pid))


# A child that leaves the process group by a session of its own, twice: it becomes a daemon.
DAEMON = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if not os.fork():
    os.setsid()
    if os.fork():
        os._exit(0)
    os.setsid()
    for handle in (0, 1, 2):
        os.close(handle)
    open(sys.argv[1], "w").write(f"{os.getpid()}\\n")
    time.sleep(60)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
print(7)
sys.stdout.flush()
time.sleep(float(sys.argv[2]))
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="the environment of processes is shown on Linux only")


@linux
def test_a_daemon_ends_with_its_play(tmp_path):
    path = tmp_path / "pids"
    assert python(DAEMON, str(path), "0")({}) == 7
    (pid,) = family(path)
    assert soon(lambda: not alive(pid))


@linux
def test_a_daemon_ends_at_the_time_limit(tmp_path):
    path = tmp_path / "pids"
    assert "time limit" in failure(python(DAEMON, str(path), "60", timeout=4.0))
    (pid,) = family(path)
    assert soon(lambda: not alive(pid))


@linux
def test_a_daemon_ends_when_all_is_stopped(tmp_path):
    path = tmp_path / "pids"
    command = python(DAEMON, str(path), "60")
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(command, {})
        (pid,) = family(path)
        command.stop()
        with pytest.raises(CommandStopped):
            call.result(timeout=50)
    assert soon(lambda: not alive(pid))


@linux
def test_a_daemon_of_a_killed_caller_ends_too_and_those_of_others_do_not(tmp_path):
    path, other = tmp_path / "pids", tmp_path / "other"
    words = [*PYTHON, DAEMON.replace("{", "{{").replace("}", "}}")]
    codes = [f"from unswayed import Command\nCommand({[*words, str(one), '60']!r})({{}})" for one in (path, other)]
    callers = [subprocess.Popen([sys.executable, "-c", code]) for code in codes]
    try:
        (pid,), (spared,) = family(path), family(other)
        callers[0].kill()
        assert soon(lambda: not alive(pid))
        assert alive(spared)
    finally:
        for caller in callers:
            caller.kill()
            caller.wait()
    assert soon(lambda: not alive(spared))


def test_where_the_system_cannot_wait_without_reaping(monkeypatch):
    """As on macOS before Python 3.13."""
    monkeypatch.delattr(os, "waitid", raising=False)
    assert python("print(5)")({}) == 5
    assert "exit code 2" in failure(python("import sys; sys.exit(2)"))
    assert Command(["sh", "-c", "sleep 60 & echo 3"])({}) == 3


def test_a_system_without_process_groups_is_told_in_one_line(monkeypatch):
    """As on Windows."""
    monkeypatch.delattr(os, "killpg")
    with pytest.raises(SystemFault, match="needs POSIX process groups") as error:
        Command(["p"])
    assert "\n" not in str(error.value)


def test_programs_can_be_imported_where_posix_is_missing():
    code = """
import os, signal, sys
sys.modules["fcntl"] = sys.modules["resource"] = None
del os.killpg, os.waitid, signal.SIGKILL
import unswayed.programs.command, unswayed.programs.children
"""
    subprocess.run([sys.executable, "-c", code], check=True)


SOME = {"C": {"kind": ("svm",)}, "gamma": {"kind": ("svm",)}, "depth": {"kind": ("rf",)}}


def test_a_word_with_a_parameter_that_the_point_does_not_have_is_left_out():
    command = Command(["train", "{kind}", "--C={C}", "{depth}", "--both={C},{gamma}"], when=SOME)
    assert command.arguments({"kind": "rf", "depth": 3}) == ["train", "rf", "3"]
    svm = {"kind": "svm", "C": 0.5, "gamma": 2}
    assert command.arguments(svm) == ["train", "svm", "--C=0.5", "--both=0.5,2"]
    with pytest.raises(InvalidInput, match="kind"):
        command.arguments({"depth": 3})  # every point has a kind


@pytest.mark.parametrize(
    ("template", "line"),
    [
        (["train", "--C", "{C}"], "'--C' would stay: write '--C={C}' as one word"),
        (["train", "-C", "{C}"], "'-C' would stay"),
        (["train", "{kind}:{C}"], "put {kind}, {C} into words of their own"),
        (["train", "{depth}:{C}"], "into words of their own"),
        (["{C}", "x"], "so it cannot be the program"),
    ],
)
def test_it_is_refused_if_it_is_not_clear_what_to_leave_out(template, line):
    with pytest.raises(InvalidInput, match=re.escape(line)):
        Command(template, when=SOME)
    Command(template)  # without conditions all of these are clear
