"""The site, built once for all tests by the command of `make docs`."""

import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def build(folder):
    """Run the command of `make docs`, with other folders for what it makes."""
    (words,) = re.findall(r"^\t\$\(BIN\)/sphinx-build (.*) -d \S+ docs site$", (ROOT / "Makefile").read_text(), re.M)
    made = ["-d", folder / "doctrees", "docs", folder / "made"]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *words.split(), *made], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    (folder / "made").rename(folder / "site")


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # each worker has a folder of its own in one that all share
        folder = folder.parent
    with open(folder / "site.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "site").exists():
            build(folder)
    return folder / "site"
