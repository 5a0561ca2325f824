"""The image and the unit of deploy/: what can be tested without Docker, and without systemd as the first process."""

import configparser
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
UNIT = ROOT / "deploy" / "unswayed.service"
INSTALLED = "/opt/unswayed"  # where both have the package


def steps():
    """The instructions of the Dockerfile in their order, each with its words, by stage."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE, flags=re.MULTILINE).replace("\\\n", " ")
    stages = []
    for line in text.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "FROM":
            stages.append([])
        if word:
            stages[-1].append((word, " ".join(rest.split())))
    return stages


def last(stage, name):
    return [rest for word, rest in stage if word == name][-1]


def words_of_image():
    """What a container runs."""
    stage = steps()[-1]
    return json.loads(last(stage, "ENTRYPOINT")) + json.loads(last(stage, "CMD"))


def served(words, folder, **environment):
    """Start a server with the words of the image or the unit, on a free port of this machine, with a new database."""
    changes = {"0.0.0.0": "127.0.0.1"}
    words = [changes.get(word, re.sub("sqlite:///.*", f"sqlite:///{folder}/unswayed.db", word)) for word in words[1:]]
    command = [sys.executable, "-m", "unswayed", *words, "--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=folder, env={**os.environ, **environment}
    )
    for line in process.stdout:
        if line.startswith("listening on "):
            return process, line.split()[-1]
    raise AssertionError(f"ended with {process.wait()}")


def ends_well(process):
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
    process.stdout.close()


def test_the_image_is_built_from_files_that_are_there_and_sent():
    ignored = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    sent = {line[1:] for line in ignored if line.startswith("!")}
    assert ignored[0] == "*"
    for word, rest in (step for stage in steps() for step in stage):
        if word in ("COPY", "ADD") and not rest.startswith("--from=build "):
            for name in rest.split()[:-1]:
                assert (ROOT / name).exists()
                assert name in sent
    assert {"pyproject.toml", "src", "README.md", "LICENSE"} == sent  # what building the package reads
    assert not any(fnmatch(name, "*.db*") or name in (".git", ".") for name in sent)


def test_the_image_has_no_root_and_one_process():
    build, final = steps()
    assert re.fullmatch("[1-9][0-9]*", last(final, "USER"))  # a number: Kubernetes checks that it is not 0
    order = [word for word, _ in final]
    assert not {"RUN", "COPY", "ADD"} & set(order[order.index("USER") :])
    assert [rest for word, rest in final if word == "COPY"] == [f"--from=build {INSTALLED} {INSTALLED}"]
    assert last(build, "FROM").removesuffix(" AS build") == last(final, "FROM")  # a venv belongs to its Python
    assert words_of_image()[0] == "unswayed"


def test_the_image_serves_and_is_healthy(tmp_path):
    process, address = served(words_of_image(), tmp_path)
    check = json.loads(last(steps()[-1], "HEALTHCHECK").partition("CMD ")[2])
    assert check[:2] == ["python", "-c"]
    assert "http://127.0.0.1:8711/" in check[2]

    def healthy():
        command = [sys.executable, "-c", check[2].replace("http://127.0.0.1:8711", address)]
        return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0

    assert healthy()
    ends_well(process)
    assert not healthy()


@pytest.mark.slow
def test_the_steps_of_the_image_make_a_package_that_runs(tmp_path):
    """Its first stage, in a folder instead of a container; it loads the packages."""
    source, installed = tmp_path / "source", tmp_path / "opt"
    source.mkdir()
    for word, rest in steps()[0]:
        if word == "COPY":
            for name in rest.split()[:-1]:
                copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
                copy(ROOT / name, source / name)
        if word == "RUN":
            command = rest.replace(INSTALLED, str(installed))
            command = re.sub(r"(?<![\w/-])python ", f"{shlex.quote(sys.executable)} ", command)
            subprocess.run(["/bin/sh", "-ec", command], cwd=source, check=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [installed / "bin" / "unswayed", "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, env=environment).stdout
    assert said.startswith("unswayed ")
    command = [installed / "bin" / "unswayed", "serve", "--help"]
    assert subprocess.run(command, capture_output=True, check=False, cwd=tmp_path, env=environment).returncode == 0


# -- the unit ---------------------------------------------------------------------------------------------------------


def unit():
    parser = configparser.RawConfigParser(strict=False, delimiters="=")
    parser.optionxform = str
    parser.read_string(UNIT.read_text(encoding="utf-8"))
    return parser["Service"]


def test_the_unit_is_valid_and_hardened(tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    copy = tmp_path / "unswayed.service"
    copy.write_text(UNIT.read_text(encoding="utf-8").replace(f"{INSTALLED}/bin/unswayed", sys.executable))
    done = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", copy]  # of 100: 20 is 2.0, "OK"
    assert subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0


def test_the_unit_serves(tmp_path):
    settings = re.search("^Environment=(DATABASE=.*)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)[1]
    known = dict(one.split("=", 1) for one in settings.split())
    words = [re.sub(r"\$\{(\w+)\}", lambda match: known[match[1]], word) for word in unit()["ExecStart"].split()]
    assert words[0] == f"{INSTALLED}/bin/unswayed"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.settimeout(60)
        systemd.bind(str(tmp_path / "notify"))
        process, address = served(words, tmp_path, NUMBA_CACHE_DIR=str(tmp_path), NOTIFY_SOCKET=f"{tmp_path}/notify")
        assert unit()["Type"] == "notify"
        assert systemd.recv(100) == b"READY=1"
    assert address.startswith("http://127.0.0.1:")
    ends_well(process)
    assert int(unit()["TimeoutStopSec"]) > 10
