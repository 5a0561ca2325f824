import os
import resource
import subprocess
import sys

import pytest

from unswayed import UnswayedError
from unswayed.storage import lock, write_atomically


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "a"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a"]


def test_when_writing_fails_the_old_file_stays(tmp_path):
    """A full disk, as far as one process can have one: no file may grow beyond 10 kB."""
    path = tmp_path / "a"
    write_atomically(path, b"old")
    code = f"""
import resource, signal
from pathlib import Path
from unswayed.storage import write_atomically
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
write_atomically(Path({str(path)!r}), b"x" * 20_000)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "cannot write" in done.stderr.splitlines()[-1]
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 10_000


def test_a_missing_folder_is_a_clear_line(tmp_path):
    with pytest.raises(UnswayedError, match="No such file or directory"):
        write_atomically(tmp_path / "no" / "a", b"")


def test_killed_in_the_middle_leaves_old_or_new(tmp_path):
    """Killed at random moments while it rewrites one file, again and again."""
    path = tmp_path / "a"
    contents = {bytes([c]) * 300_000 for c in b"xyz"}
    code = f"""
from pathlib import Path
from unswayed.storage import write_atomically
while True:
    for c in b"xyz":
        write_atomically(Path({str(path)!r}), bytes([c]) * 300_000)
"""
    for delay in (0.0, 0.003, 0.011, 0.027):
        process = subprocess.Popen([sys.executable, "-c", code])
        while not path.exists() and process.poll() is None:
            pass
        try:
            process.wait(timeout=delay + 0.05)
        except subprocess.TimeoutExpired:
            process.kill()
        process.wait()
        assert path.read_bytes() in contents
        path.unlink()


def test_a_lock_keeps_others_out_until_it_ends(tmp_path):
    code = f"""
from pathlib import Path
from unswayed.storage import lock
with lock(Path({str(tmp_path / "l")!r})):
    print("got it")
"""
    with lock(tmp_path / "l"):
        refused = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "another unswayed is at work" in refused.stderr
    allowed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert allowed.stdout == "got it\n"


def test_only_regular_files_are_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnswayedError, match="not a regular file"):
        write_atomically(tmp_path / "pipe", b"")
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
