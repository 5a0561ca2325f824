"""How the command line starts, fails and ends, whatever the command."""

import errno
import inspect
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unswayed import InvalidInput, JournalError, SystemFault
from unswayed.cli import app as app_module
from unswayed.cli import output

UNSWAYED = [sys.executable, "-m", "unswayed"]
HEAVY = {"numpy", "scipy", "numba", "pyarrow", "matplotlib", "optuna", "distributed", "resource"}


def one_line(text):
    assert text.startswith("unswayed: ")
    assert text.count("\n") == 1
    assert "Traceback" not in text
    return text


@pytest.fixture
def failing(monkeypatch, unswayed):
    """Run a command that raises an error."""

    def run(error):
        def command(**_):
            raise error

        monkeypatch.setattr(app_module, "app", command)
        return unswayed("demo")

    return run


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (InvalidInput("wrong"), 2, "wrong"),
        (JournalError("damaged"), 2, "damaged"),
        (SystemFault("no room"), 3, "no room"),
        (OSError(errno.ENOSPC, "No space left on device"), 3, "No space left on device"),
        (PermissionError(errno.EACCES, "Permission denied", "a\nb\x1b[2J"), 3, r"a b\x1b[2J: Permission denied"),
        (MemoryError(), 3, "out of memory"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (InvalidInput("column \x1b[31m\u202ered"), 2, r"column \x1b[31m\u202ered"),
    ],
)
def test_errors_are_one_line_and_an_exit_code(failing, error, code, text):
    found, out, err = failing(error)
    assert (found, out) == (code, "")
    assert text in one_line(err)


def test_a_mistake_of_ours_is_a_traceback(failing):
    with pytest.raises(ZeroDivisionError):
        failing(ZeroDivisionError())


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["simulate", "--horizon", "50", "--json"], ["simulate"]]
)
def test_a_full_standard_output_is_one_line(arguments):
    with open("/dev/full", "w") as full:
        command = [*UNSWAYED, *arguments, *(["--horizon", "50"] if arguments == ["simulate"] else [])]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 3
    assert "No space left on device" in one_line(done.stderr)


@pytest.mark.parametrize(
    "arguments", [["--help"], ["simulate", "--horizon", "50", "--json"], ["simulate", "--horizon", "50"]]
)
def test_a_reader_that_has_gone_ends_it_quietly(arguments):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*UNSWAYED, *arguments], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (3, "")


def test_when_nobody_can_read_the_error_the_exit_code_is_still_right():
    with open("/dev/full", "w") as full:
        assert subprocess.run([*UNSWAYED, "nothing"], stderr=full, check=False).returncode == 2
        assert subprocess.run([*UNSWAYED, "--help"], stdout=full, stderr=full, check=False).returncode == 3


@pytest.mark.parametrize("module", ["typer", "typer.main", "unswayed.cli.output"])
def test_an_interrupt_while_importing_is_one_line(tmp_path, module):
    (tmp_path / "sitecustomize.py").write_text(f"""
import sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
""")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run([*UNSWAYED, "--help"], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 130
    assert one_line(done.stderr) == "unswayed: interrupted\n"


def test_ctrl_c_at_any_moment_of_the_start():
    """What Python says before our first line runs is Python's; our files are in no traceback."""
    rng = random.Random(4)
    codes = []
    for _ in range(20):
        process = subprocess.Popen([*UNSWAYED, "simulate"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(rng.uniform(0, 0.3))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        codes.append(process.returncode)
        assert process.returncode in (130, -signal.SIGINT, 1, 0), err
        if process.returncode == 130:
            assert err.lstrip() == "unswayed: interrupted\n"  # Typer goes to a new line first
        assert f"unswayed{os.sep}cli" not in err
    assert codes.count(130) >= 5  # a busy machine may need long to come to our first line
    assert codes.count(0) <= 2  # a library that is being imported may swallow an interrupt; then the command goes on


def test_ctrl_c_in_a_command_is_one_line():
    code = """
from unswayed.cli import app, main

@app.app.command("wait")
def wait() -> None:
    raise KeyboardInterrupt

main(["wait"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.lstrip()) == (130, "", "unswayed: interrupted\n")


def test_an_interrupt_that_hits_a_destructor_is_not_lost(monkeypatch, unswayed):
    class Unlucky:
        def __del__(self):
            raise KeyboardInterrupt

    def command(**_):
        Unlucky()
        time.sleep(0.1)

    monkeypatch.setattr(app_module, "app", command)
    assert unswayed("demo") == (130, "", "unswayed: interrupted\n")


def test_the_lines_of_the_help_are_those_of_the_commands():
    folder = Path(app_module.__file__).parent
    files = {path.stem: path for path in folder.glob("*.py")}
    files |= {path.parent.name: path for path in folder.glob("*/__init__.py")}
    modules = {name for name, path in files.items() if "\ndef command(" in path.read_text()}
    assert modules == set(app_module.COMMANDS) - set(app_module.ELSEWHERE)
    for name, line in app_module.COMMANDS.items():
        assert inspect.getdoc(app_module.module_of(name).command).splitlines()[0] == line


def test_a_command_of_a_package_that_is_missing_says_what_to_install(unswayed, monkeypatch):
    monkeypatch.setattr(app_module, "entry_points", lambda **_: ())
    assert unswayed("gauntlet", "--quick") == (
        2,
        "",
        "unswayed: `unswayed gauntlet` is a package of its own: pip install ./gauntlet in a copy of the repository\n",
    )


def test_the_list_of_commands_is_shown(unswayed):
    code, out, _ = unswayed("--help")
    assert code == 0
    for name, line in app_module.COMMANDS.items():
        assert f" {name} " in out
        assert line.split()[0] in out
    assert "--horizon" in unswayed("simulate", "--help")[1]


def test_help_imports_no_command():
    code = "import sys\nimport unswayed.cli.app\nprint(*sorted(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not HEAVY & set(found)
    assert not {f"unswayed.cli.{name}" for name in app_module.COMMANDS} & set(found)


def test_importing_the_package_imports_nothing_at_all():
    code = "import sys; before = set(sys.modules); import unswayed; print(*set(sys.modules) - before)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert set(found.stdout.split()) <= {"unswayed", "__future__"}


numbers = st.floats() | st.integers() | st.booleans() | st.none() | st.text()
records = st.recursive(numbers, lambda x: st.lists(x) | st.tuples(x) | st.dictionaries(st.text(), x), max_leaves=20)


def same(value, read):
    if isinstance(value, float) and not math.isfinite(value):
        return read is None
    if isinstance(value, dict):
        return list(value) == list(read) and all(same(value[name], read[name]) for name in value)
    if isinstance(value, list | tuple):
        return len(value) == len(read) and all(map(same, value, read))
    return value == read and type(value) is type(read)


@given(st.dictionaries(st.text(), records))
def test_json_is_json_whatever_the_numbers(record):
    lines = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(output.typer, "echo", lines.append)
        output.print_json(record)

    def refuse(text):
        raise AssertionError(text)

    (line,) = lines
    assert line.isprintable()
    assert same(record, json.loads(line, parse_constant=refuse))
