"""The pins of `make test-lowest` are those of pyproject.toml, all of them."""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_every_requirement_has_a_tested_lower_bound():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "lowest.py", "dev"], capture_output=True, text=True, check=True
    )
    pinned = dict(line.split("==") for line in done.stdout.splitlines())
    wanted = [*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra)]
    for requirement in wanted:
        if not requirement.startswith(PROJECT["name"]):
            name, version = requirement.replace("==", ">=").split(">=")
            assert pinned[name.split("[")[0]] == version
