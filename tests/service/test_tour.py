"""The tour of docs/service.md and the how-to for platforms work as written: every command, on a real server."""

import re
import shlex
from pathlib import Path

import pytest

from unswayed.cli import main

DOCS = Path(__file__).parents[2] / "docs"
TOUR, PLATFORM = DOCS / "service.md", DOCS / "howto" / "platform.md"
MEASURE = """#!/bin/sh
awk "BEGIN {print 0.9 - (($1 - 92) / 60) ^ 2}"
"""


def commands(page):
    """The lines of a page, without the server itself."""
    text = re.sub(r"\s*\\\n\s*", " ", page.read_text(encoding="utf-8"))
    blocks = re.findall(r"^```bash\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if "unswayed serve" not in line]


@pytest.fixture
def said(request, tmp_path, monkeypatch, capsys, servers):
    """Runs a line of a page and returns what it prints."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "measure").write_text(MEASURE)
    (tmp_path / "measure").chmod(0o755)
    toml = re.search(r"^```toml\n(.*?)^```$", request.param.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]
    (tmp_path / "space.toml").write_text(toml)
    (database,) = set(re.findall(r"sqlite:///(\w+\.db)", request.param.read_text(encoding="utf-8")))
    server = servers(f"sqlite:///{tmp_path}/{database}")
    tokens = {"the token of the owner": server.token}

    def run(line):
        line = line.replace("http://127.0.0.1:8711", server.address)
        line = re.sub(r"\.\.\.(?:of )?([^.]+)\.\.\.", lambda match: tokens[match[1]], line)
        words = shlex.split(line.replace("--plays 60", "--plays 8"))
        if words[0] == "export":
            words = words[1:]
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            monkeypatch.setenv(name, value)
            if not words:
                return ""
        assert words[0] == "unswayed"
        with pytest.raises(SystemExit) as stop:
            main(words[1:])
        out, err = capsys.readouterr()
        assert stop.value.code == 0, (line, out, err)
        if words[1] == "token" and "--revoke" not in words:
            tokens[words[2]] = out.split()[-1]
        return out

    return run


@pytest.mark.parametrize("said", [PLATFORM], indirect=True)
def test_every_command_of_the_platform(said):
    lines = commands(PLATFORM)
    printed = {line: said(line) for line in lines}
    first, second = (line for line in lines if " work " in line)
    assert "measured 8 plays; none is left" in printed[first]
    assert "measured 0 plays; none is left" in printed[second]
    (status,) = (out for line, out in printed.items() if " status " in line)
    assert "Recommended: temperature = " in status


@pytest.mark.parametrize("said", [TOUR], indirect=True)
def test_every_command_of_the_tour(said):
    lines = commands(TOUR)
    work = next(line for line in lines if " work " in line)
    hand = next(place for place, line in enumerate(lines) if " fail " in line)
    later = [line for line in lines[hand + 1 :] if "--source lab-3" not in line]  # who has measured nothing here
    assert len(later) == 5
    for line in lines[: hand + 1]:
        if line != work:
            said(line)
    assert "measured 6 plays; none is left" in said(work)
    *_, answer, _ = [said(line) for line in later]
    assert "Recommended: temperature = " in answer
    exported = said("unswayed study status alloy.jsonl")
    assert exported.splitlines()[1:] == answer.splitlines()[1:]  # the first line names the study
