import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from unswayed import InvalidInput, SystemFault, UnswayedError
from unswayed.storage.files import TEMPORARY, lock, remove_temporaries, write_atomically


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
    assert "another Unswayed process is using" in refused.stderr
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


@pytest.mark.parametrize("name", ["x" * 400, "a\0b", "loop", "file/below"])
def test_a_wrong_name_is_a_clear_line(tmp_path, name):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InvalidInput, match="cannot write") as error:
        write_atomically(tmp_path / name, b"")
    assert "\n" not in str(error.value)


def test_a_folder_that_may_not_be_entered_or_written_is_the_systems_fault():
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        for folder, mode in ((Path(name) / "closed", 0o000), (Path(name) / "fixed", 0o555)):
            folder.mkdir()
            folder.chmod(mode)
            if root:  # root may write everywhere: be somebody else for a moment
                os.seteuid(65534)
            try:
                with pytest.raises(SystemFault, match="Permission denied"):
                    write_atomically(folder / "a", b"")
                with pytest.raises(SystemFault, match="Permission denied"), lock(folder / "l"):
                    pass
                remove_temporaries(folder)
            finally:
                if root:
                    os.seteuid(0)
                folder.chmod(0o755)


def test_an_old_file_keeps_its_mode_and_a_new_one_follows_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "new", b"")
        (tmp_path / "old").write_bytes(b"")
        (tmp_path / "old").chmod(0o604)
        write_atomically(tmp_path / "old", b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "old").stat().st_mode & 0o777 == 0o604


def test_leftovers_of_killed_processes_are_removed_and_nothing_else(tmp_path, monkeypatch):
    def killed(*_):
        raise SystemExit

    with monkeypatch.context() as patch:  # the temporary file is written, and the process ends without cleaning up
        patch.setattr(os, "replace", killed)
        patch.setattr(os, "unlink", lambda path: None)
        with pytest.raises(SystemExit):
            write_atomically(tmp_path / ("ä" * 100), b"x")
    (leftover,) = os.listdir(tmp_path)
    assert leftover.startswith(".")
    assert leftover.endswith(TEMPORARY)
    others = [f"a{TEMPORARY}", ".hidden", f".{TEMPORARY}.txt"]
    for name in others:
        (tmp_path / name).write_bytes(b"")
    (tmp_path / f".folder{TEMPORARY}").mkdir()
    (tmp_path / f".link{TEMPORARY}").symlink_to(tmp_path / ".hidden")
    remove_temporaries(tmp_path)
    assert sorted(os.listdir(tmp_path)) == sorted([*others, f".folder{TEMPORARY}", f".link{TEMPORARY}"])
    remove_temporaries(tmp_path / "none")
