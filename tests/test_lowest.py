"""The pins of `make test-lowest` are those of pyproject.toml, all of them."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, GROUPS = PYPROJECT["project"], PYPROJECT["dependency-groups"]


def test_every_requirement_has_a_tested_lower_bound():
    words = re.search(r"scripts/lowest.py (.*) >", (ROOT / "Makefile").read_text(encoding="utf-8"))[1].split()
    command = [sys.executable, ROOT / "scripts" / "lowest.py", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    pinned = dict(line.split("==") for line in done.stdout.splitlines())
    wanted = [*PROJECT["dependencies"]]
    wanted += [one for extra in PROJECT["optional-dependencies"].values() for one in extra]
    wanted += [one for group in GROUPS.values() for one in group if isinstance(one, str)]
    for requirement in wanted:
        if not requirement.startswith(PROJECT["name"]):
            name, version = re.fullmatch(r"([\w-]+)(?:\[\w+\])?[>=]=([\d.]+)(?:;.*)?", requirement).groups()
            assert pinned[name] == version
