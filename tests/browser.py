"""Pages in a real browser: Debian's chromium, without a window."""

import shutil
import subprocess

import pytest

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium")


def browse(folder, address, milliseconds=30_000, *options):
    """The page after its scripts have run, and what the console said, without hints for password managers."""
    done = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
            "--disable-background-networking", "--disable-component-update", "--disable-quic",
            "--enable-logging=stderr", f"--user-data-dir={folder / 'profile'}", "--window-size=1400,900",
            f"--virtual-time-budget={milliseconds}", *options, "--dump-dom", address,
        ],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line and "[DOM]" not in line]
