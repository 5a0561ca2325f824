"""The how-to for platforms works as written: every command, on a real server."""

import re
import shlex
from pathlib import Path
from textwrap import dedent

import pytest

import unswayed
from unswayed.cli import main

DOCS = Path(__file__).parents[2] / "docs"
TOUR = (DOCS / "howto" / "platform.md").read_text(encoding="utf-8")
PYTHON = re.search(r"^    study = unswayed.connect\(.*?(?=^\S)", TOUR, re.MULTILINE | re.DOTALL)[0]


def block(kind, text):
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(text):
    """The lines of a page in their order, without the server itself; the Python code of the tour is one of them."""
    parts = block("bash", text.replace(PYTHON, "```bash\nPYTHON\n```\n"))
    return [line for part in parts for line in part.splitlines() if "unswayed serve" not in line]


@pytest.fixture
def said(tmp_path, monkeypatch, capsys, servers):
    """Runs a line of the page and returns what it prints."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "measure").write_text(block("shell", TOUR)[0])
    (tmp_path / "measure").chmod(0o755)
    (tmp_path / "space.toml").write_text(block("toml", TOUR)[0])
    (database,) = set(re.findall(r"--database sqlite:///(\w+\.db)", TOUR))
    server = servers(f"sqlite:///{tmp_path}/{database}")
    tokens = {"the token of the owner": server.token}

    def filled(text):
        text = text.replace("http://127.0.0.1:8711", server.address)
        return re.sub(r"\.\.\.(?:of )?([^.]+)\.\.\.", lambda match: tokens[match[1]], text)

    def run(line):
        if line == "PYTHON":
            exec(dedent(filled(PYTHON)), {"unswayed": unswayed, "measure": lambda **point: 0.5})  # noqa: S102
            return ""
        line = filled(line)
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


def test_every_command_of_the_tour(said):
    outputs = {line: said(line) for line in commands(TOUR)}
    assert "measured 4 plays; none is left" in next(out for line, out in outputs.items() if " work " in line)
    assert "retracted 2 measurements" in next(out for line, out in outputs.items() if "--source lab-3" in line)
    (answer,) = (out for line, out in outputs.items() if " status " in line)
    assert "Recommended: temperature = " in answer
    exported = said("unswayed study status alloy.jsonl")
    assert exported.splitlines()[1:] == answer.splitlines()[1:]  # the first line names the study
