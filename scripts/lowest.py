"""Print the lowest versions that pyproject.toml allows, as pins for pip.

    python scripts/lowest.py [EXTRA or GROUP ...]

Every requirement needs a lower bound, `name>=version` or `name==version`; one without is an error.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

PYPROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, GROUPS = PYPROJECT["project"], PYPROJECT["dependency-groups"]
BOUND = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*(?:>=|==)\s*([0-9][0-9.]*)\b.*")
OURS = re.compile(rf"{PROJECT['name']}\[([^]]+)\]")


def requirements(names: Iterable[str]) -> Iterator[str]:
    """All requirements of the project and of these extras and groups, which may name others."""
    yield from PROJECT["dependencies"]
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        for text in GROUPS[name] if name in GROUPS else PROJECT["optional-dependencies"][name]:
            if isinstance(text, dict):
                waiting.append(text["include-group"])
            elif ours := OURS.fullmatch(text):
                waiting += [name.strip() for name in ours[1].split(",")]
            else:
                yield text


def pins(names: Iterable[str]) -> list[str]:
    """The lowest version of each requirement; where two bounds differ, the higher one."""
    lowest: dict[str, str] = {}
    for text in requirements(names):
        bound = BOUND.fullmatch(text)
        if bound is None:
            raise SystemExit(f"{text!r} in pyproject.toml has no lower bound")
        name, version = bound[1].lower(), bound[2]
        lowest[name] = max(version, lowest.get(name, version), key=lambda v: [int(part) for part in v.split(".")])
    return [f"{name}=={version}" for name, version in sorted(lowest.items())]


if __name__ == "__main__":
    print("\n".join(pins(sys.argv[1:])))
