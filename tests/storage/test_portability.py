"""The journal on a system without fcntl and resource, as Windows is."""

import subprocess
import sys

WINDOWS = """
import errno, os, sys, types
sys.modules["fcntl"] = sys.modules["resource"] = None  # importing them fails
for name in ("pwrite", "pread", "O_NONBLOCK", "O_CLOEXEC", "killpg"):
    delattr(os, name)
real_open = os.open

def no_folders(path, flags, *rest, **options):
    if os.path.isdir(path):
        raise PermissionError(errno.EACCES, "Permission denied")
    return real_open(path, flags, *rest, **options)

os.open = no_folders
taken = {}

def locking(handle, mode, length):
    assert mode == 2 and length == 1
    place = os.lseek(handle, 0, os.SEEK_CUR)
    assert os.fstat(handle).st_size < place < 2**31
    for other, where in list(taken.items()):
        try:
            if other != handle and os.path.samestat(os.fstat(other), os.fstat(handle)) and where == place:
                raise PermissionError(errno.EACCES, "Permission denied")
        except OSError as error:
            if error.errno != errno.EBADF:
                raise
            del taken[other]  # closed, and so released
    taken[handle] = place

sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_NBLCK=2)
"""


def run(code, *arguments):
    return subprocess.run(
        [sys.executable, "-c", WINDOWS + code, *arguments], capture_output=True, text=True, check=False
    )


def test_a_journal_without_fcntl(tmp_path):
    code = """
from pathlib import Path
from unswayed.errors import InvalidInput, JournalError
from unswayed.storage import FileJournal, lock, write_atomically
path = Path(sys.argv[1])
with FileJournal(path) as journal:
    journal.append({"a": 1}, {"b": 2})
    journal.append({"c": 3})
    try:
        FileJournal(path)
    except JournalError as error:
        print(error)
    journal.append({"d": 4})
    print(journal.read())
path.write_bytes(path.read_bytes()[:-5])
import warnings
warnings.simplefilter("ignore")
with FileJournal(path) as journal:
    print(journal.read())
with lock(path.with_name("l")):
    try:
        with lock(path.with_name("l")):
            pass
    except InvalidInput as error:
        print(error)
write_atomically(path.with_name("w"), b"whole")
"""
    done = run(code, str(tmp_path / "study.jsonl"))
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        f"another Unswayed process has {tmp_path / 'study.jsonl'} open; wait for it to end",
        "[{'a': 1}, {'b': 2}, {'c': 3}, {'d': 4}]",
        "[{'a': 1}, {'b': 2}, {'c': 3}]",
        f"another Unswayed process is using {tmp_path}; wait for it to end",
    ]
    assert (tmp_path / "w").read_bytes() == b"whole"


def test_importing_storage_needs_no_arrow():
    code = "import sys, unswayed.storage, unswayed.storage.tables; sys.exit('pyarrow' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
