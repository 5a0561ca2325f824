import errno
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import warnings
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unswayed import InvalidInput, JournalError, SystemFault, UnswayedError
from unswayed.storage import FileJournal, JournalWarning, MemoryJournal, journal_bytes, read_journal
from unswayed.testing import check_journal

HEADER = b'{"unswayed": "journal", "version": 1}\n'
NEWLINE = b"\n"
RECORDS = [{"n": i, "reward": i / 7, "who": "Zoë", "crc": "00000000"} for i in range(40)]


def sealed(body):
    """A line with the right checksum, written as the format says and not by the code under test."""
    return body + b', "crc": "%08x"}\n' % zlib.crc32(body)


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(request, monkeypatch):
    """Thousands of journals are opened here; that `append` waits for the disk has a test of its own."""
    if "real_disk" not in request.fixturenames:
        monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture
def real_disk():
    return True


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.jsonl"


@pytest.fixture
def whole(path):
    """The bytes of a journal of forty calls of one record each."""
    with FileJournal(path) as journal:
        for record in RECORDS:
            journal.append(record)
    return path.read_bytes()


def quietly(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", JournalWarning)
        return FileJournal(path)


def python(code, **kwargs):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, **kwargs)


def test_both_journals_conform(path):
    check_journal(lambda: FileJournal(path))
    check_journal(MemoryJournal, durable=False)


def test_the_check_finds_a_journal_that_forgets(path):
    class Forgetful(MemoryJournal):
        def append(self, *records):
            super().append(*records[:1])

    with pytest.raises(AssertionError, match="what was appended"):
        check_journal(Forgetful, durable=False)
    with pytest.raises(AssertionError, match="opened again"):
        check_journal(MemoryJournal)


def test_the_file_is_lines_of_json_with_numbers_and_checksums(path):
    with FileJournal(path) as journal:
        journal.append({"ask": 7}, {"ask": 8})
        journal.append({"tell": 0.5})
    assert path.read_bytes() == (
        HEADER
        + sealed(b'{"n": 1, "records": [{"ask": 7}, {"ask": 8}]')
        + sealed(b'{"n": 2, "records": [{"tell": 0.5}]')
    )
    assert [json.loads(line).get("n") for line in path.read_text().splitlines()] == [None, 1, 2]


def test_cut_anywhere_it_opens_to_a_true_prefix_and_goes_on(path, whole):
    ends = [len(HEADER), *(i + 1 for i in range(len(HEADER), len(whole)) if whole[i] == 10)]
    assert len(ends) == 41
    near = {end + step for end in ends for step in (-1, 0, 1)} | set(range(len(HEADER)))
    for cut in sorted({*near, *random.Random(2).sample(range(len(whole)), 1000)} - {len(whole) + 1}):
        path.write_bytes(whole[:cut])
        kept = sum(end <= cut for end in ends) - 1 if cut >= len(HEADER) else 0
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            with FileJournal(path) as journal:
                assert journal.read() == RECORDS[:kept]
                journal.append({"new": cut})
        assert [w.category for w in seen] == ([] if cut in ends or cut < len(HEADER) else [JournalWarning])
        if cut % 7 == 0:
            with FileJournal(path) as journal:
                assert journal.read() == [*RECORDS[:kept], {"new": cut}]


def test_a_call_is_kept_as_a_whole_or_not_at_all(path):
    with FileJournal(path) as journal:
        journal.append(*RECORDS)
    data = path.read_bytes()
    for cut in range(len(HEADER), len(data), 11):
        path.write_bytes(data[:cut])
        with quietly(path) as journal:
            assert journal.read() == []


def test_no_flipped_bit_gives_a_wrong_record(path, whole):
    """Damage before the last line is refused with its place and left alone; in the last line it is cut off."""
    last = whole.rindex(b"\n", 0, -1) + 1
    refused = 0
    rng = random.Random(1)
    for place in [*rng.sample(range(last - 1), 700), *rng.sample(range(last - 1, len(whole)), 40)]:
        bit = rng.randrange(8)
        data = bytearray(whole)
        data[place] ^= 1 << bit
        path.write_bytes(data)
        try:
            with quietly(path) as journal:
                assert journal.read() == RECORDS[: len(journal.read())]
                assert place >= last - 1
        except UnswayedError as error:
            refused, message = refused + 1, str(error)
            assert path.read_bytes() == data
            assert place < len(HEADER) or f"in line {whole[:place].count(NEWLINE) + 1}" in message
    assert refused >= 700


def test_zeros_that_a_power_cut_left_at_the_end_are_cut_off(path, whole):
    path.write_bytes(whole + bytes(4096))
    with pytest.warns(JournalWarning, match="its 4096 bytes are now in study.jsonl.torn"):
        FileJournal(path).close()
    assert path.read_bytes() == whole


def test_what_is_cut_off_is_kept_beside_the_journal_and_never_replaced(path, whole):
    before = os.umask(0o022)
    try:
        path.chmod(0o600)
        for number, tail in ((b"", b'{"n": 41, "rec'), (b"-2", b"\xff\x00"), (b"-3", bytes(99))):
            path.write_bytes(whole + tail)
            with pytest.warns(
                JournalWarning, match=f"its {len(tail)} bytes are now in study.jsonl.torn{number.decode()},"
            ):
                FileJournal(path).close()
            kept = path.with_name(f"study.jsonl.torn{number.decode()}")
            assert kept.read_bytes() == tail
            assert kept.stat().st_mode & 0o777 == 0o600  # as private as the journal
    finally:
        os.umask(before)
    assert path.read_bytes() == whole
    assert sorted(os.listdir(path.parent)) == [f"study.jsonl{end}" for end in ("", ".torn", ".torn-2", ".torn-3")]


def test_a_new_journal_follows_the_umask_and_an_old_one_keeps_its_mode(path):
    before = os.umask(0o027)
    try:
        FileJournal(path).close()
        assert path.stat().st_mode & 0o777 == 0o640
        path.chmod(0o604)
        with FileJournal(path) as journal:
            journal.append({})
        assert path.stat().st_mode & 0o777 == 0o604
    finally:
        os.umask(before)


LINE = {n: sealed(b'{"n": %d, "records": [{}]' % n) for n in (1, 2, 3)}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (LINE[1] + LINE[3], "line 3: it does not follow"),
        (LINE[1] + LINE[1], "line 3: it does not follow"),
        (LINE[2], "line 2: it does not follow"),
        (LINE[1] + b"\n" + LINE[2], "line 3: its checksum"),
        (LINE[1] + b"\0\0\0\n" + LINE[2], "line 3: its checksum"),
        (b"{}\n" + LINE[1], "line 2: its checksum"),
        (sealed(b'{"n": 1, "records": [[]]'), "line 2: it holds no records"),
        (sealed(b'{"n": 1, "records": 5'), "line 2: it holds no records"),
        (sealed(b'{"n": 1'), "line 2: it does not follow"),
        (sealed(b"[1"), "line 2: it is not plain JSON"),
        (sealed(b'{"n": 1, "records": [{"a": NaN}]'), "line 2: it is not plain JSON"),
        (sealed(b'{"n": 1, "records": [{"a": 1e999}]'), "line 2: it is not plain JSON"),
        (sealed(b'{"n": 1, "records": [{"a": ' + b"9" * 10_000 + b"}]"), "line 2: it is not plain JSON"),
        (sealed(b'{"n": 1, "records": ' + b"[" * 200_000 + b"]" * 200_000), "line 2: it is not plain JSON"),
        (sealed(b'{"n": 1, "records": [{"a": "\xff"}]'), "line 2: it is not plain JSON"),
    ],
)
def test_damage_is_refused_with_its_line_and_left_alone(path, data, reason):
    path.write_bytes(HEADER + data)
    with pytest.raises(UnswayedError, match=reason) as error:
        FileJournal(path)
    assert "study.jsonl" in str(error.value)
    assert "\n" not in str(error.value)
    assert path.read_bytes() == HEADER + data


@pytest.mark.parametrize(
    "data", [b"a,b,reward", b"a,b,reward\n1,2,3\n", b"\n", b"{}\n", b"\0", HEADER[:-1] + b"\r\n", b'{"unswayed": "x']
)
def test_a_file_of_the_user_is_refused_and_left_alone(path, data):
    path.write_bytes(data)
    for opened in (FileJournal, read_journal):
        with pytest.raises(UnswayedError, match="not an unswayed journal"):
            opened(path)
    assert path.read_bytes() == data


@pytest.mark.parametrize("version", [2, 10, 345, 123_456_789])
@pytest.mark.parametrize("opened", [FileJournal, read_journal])
def test_a_newer_version_is_refused(path, version, opened):
    path.write_bytes(HEADER.replace(b"1", b"%d" % version) + b"who knows")
    with pytest.raises(UnswayedError, match=f"newer unswayed .journal version {version}."):
        opened(path)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=80)
    | st.builds(lambda end: HEADER + LINE[1] + end, st.binary(max_size=80))
    | st.builds(lambda body: HEADER + sealed(body.replace(b"\n", b"")) + LINE[2], st.binary(max_size=40))
    | st.builds(lambda cut, a: HEADER[:cut] + a, st.integers(0, len(HEADER)), st.binary(max_size=3))
)
def test_any_bytes_open_to_what_was_written_or_are_refused(path, data):
    path.write_bytes(data)
    try:
        with quietly(path) as journal:
            assert journal.read() in ([], [{}])
            assert path.read_bytes() in (HEADER, HEADER + LINE[1])
    except UnswayedError as error:
        message = str(error)
        assert "\n" not in message
        assert path.read_bytes() == data


def test_what_is_no_regular_file_is_a_clear_line(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for path, reason in (
        ("/dev/null", "not a regular file"),
        (tmp_path / "pipe", "not a regular file"),
        (tmp_path, "Is a directory"),
        (tmp_path / "link", "broken symbolic link"),
        (tmp_path / "loop", "broken symbolic link"),
        (tmp_path / "no" / "study.jsonl", "No such file or directory"),
        ("a\0b", "null"),
    ):
        with pytest.raises(UnswayedError, match=reason) as error:
            FileJournal(path)
        assert "\n" not in str(error.value)
    assert not (tmp_path / "nowhere").exists()


def test_a_file_that_may_not_be_written_is_a_clear_line(path, whole):
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as folder:  # one that everybody may enter
        os.chmod(folder, 0o755)
        locked = Path(folder) / "study.jsonl"
        locked.write_bytes(path.read_bytes())
        locked.chmod(0o444)
        if root:  # root may write everything: be somebody else for a moment
            os.seteuid(65534)
        try:
            with pytest.raises(UnswayedError, match="Permission denied"):
                FileJournal(locked)
        finally:
            if root:
                os.seteuid(0)
        assert locked.read_bytes() == path.read_bytes()


def test_a_link_to_a_journal_is_followed(path, whole, tmp_path):
    (tmp_path / "link").symlink_to(path)
    with FileJournal(tmp_path / "link") as journal:
        journal.append({"new": 1})
    assert path.read_bytes().startswith(whole)
    assert len(path.read_bytes()) > len(whole)


def test_only_one_may_have_it_open(path):
    code = f"from unswayed.storage import FileJournal; print(FileJournal({str(path)!r}).read())"
    with FileJournal(path) as journal:
        journal.append({"a": 1})
        with pytest.raises(UnswayedError, match=r"another Unswayed process has .*study.jsonl open; wait for it to end"):
            FileJournal(path)
        assert "another Unswayed process has" in python(code).stderr.splitlines()[-1]
    assert python(code).stdout == "[{'a': 1}]\n"


def test_nothing_is_acknowledged_that_would_be_lost(path):
    """Removed, replaced or changed by another program while it is open."""
    for spoil in (path.unlink, lambda: (path.unlink(), path.write_bytes(HEADER)), lambda: path.write_bytes(HEADER * 2)):
        with FileJournal(path) as journal:
            spoil()
            with pytest.raises(UnswayedError, match=r"gone while in use|changed by another program"):
                journal.append({"a": 1})
        path.unlink(missing_ok=True)


def test_a_full_disk_keeps_nothing_of_the_call_and_later_goes_on(path, real_disk):
    code = f"""
import resource
from unswayed import InvalidInput, JournalError, SystemFault, UnswayedError
from unswayed.storage import FileJournal
journal = FileJournal({str(path)!r})
journal.append({{"a": 1}})
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, resource.RLIM_INFINITY))
for _ in range(2):
    try:
        journal.append({{"small": 1}}, {{"big": "x" * 10_000}})
    except UnswayedError as error:
        print(error)
journal.append({{"b": 2}})
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
journal.append({{"big": "x" * 10_000}})
"""
    done = python(code)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all("cannot write to" in line and "nothing of this call was kept" in line for line in lines)
    with FileJournal(path) as journal:
        assert journal.read() == [{"a": 1}, {"b": 2}, {"big": "x" * 10_000}]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 5000


def test_a_disk_full_at_creation_leaves_nothing_in_the_way(path):
    code = f"""
import resource
from unswayed.storage import FileJournal
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
FileJournal({str(path)!r})
"""
    assert "cannot write to" in python(code).stderr.splitlines()[-1]
    with FileJournal(path) as journal:
        journal.append({"a": 1})
        assert journal.read() == [{"a": 1}]


def test_append_returns_only_when_it_is_on_disk_and_an_error_there_is_no_success(path, real_disk, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_size))
    with FileJournal(path) as journal:
        journal.append({"a": 1})
        assert synced[-1] == path.stat().st_size
        before = path.read_bytes()

        def broken(handle):
            raise OSError(errno.EIO, "Input/output error")

        monkeypatch.setattr(os, "fsync", broken)
        with pytest.raises(UnswayedError, match="Input/output error"):
            journal.append({"b": 2})
        assert path.read_bytes() == before
        monkeypatch.setattr(os, "fsync", lambda handle: None)
        journal.append({"c": 3})
        assert journal.read() == [{"a": 1}, {"c": 3}]


@pytest.mark.parametrize("where", ["write", "fsync"])
def test_an_interrupt_leaves_no_half_line(path, monkeypatch, where):
    real, armed = getattr(os, where), [False]

    def interrupted(*args):
        if armed.pop():
            armed.append(False)
            real(*((args[0], args[1][:9]) if where == "write" else args))
            raise KeyboardInterrupt
        armed.append(False)
        return real(*args)

    monkeypatch.setattr(os, where, interrupted)
    with FileJournal(path) as journal:
        journal.append({"a": 1})
        armed[:] = [True]
        with pytest.raises(KeyboardInterrupt):
            journal.append({"b": 2})
        journal.append({"c": 3})
        assert journal.read() == [{"a": 1}, {"c": 3}]


def test_threads_may_append_at_once(path):
    with FileJournal(path) as journal:
        threads = [
            threading.Thread(target=lambda t=t: [journal.append({"thread": t, "i": i}) for i in range(50)])
            for t in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = journal.read()
    for t in range(4):
        assert [r["i"] for r in found if r["thread"] == t] == list(range(50))


KILLER = """
import os, random, signal, sys, time, warnings
from unswayed.storage import FileJournal
warnings.simplefilter("ignore")

def write(path, pipe):
    journal = FileJournal(path)
    i = len(journal.read())
    while True:
        journal.append({"i": i, "pad": "x" * (i * 997 % 5000)}, {"i": i + 1})
        i += 2
        os.write(pipe, b"%d " % i)

path, rng = sys.argv[1], random.Random(3)
for _ in range(20):
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        write(path, writer)
    os.close(writer)
    said = os.read(reader, 100)
    time.sleep(rng.uniform(0, 0.03))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(reader, 100):
        said += more
    with FileJournal(path) as journal:
        print(said.split()[-1].decode(), *(record["i"] for record in journal.read()))
"""


def test_killed_at_any_moment_nothing_acknowledged_is_lost(path, real_disk):
    """Twenty times killed with -9; every new writer opens what the last one left, and goes on."""
    done = subprocess.run([sys.executable, "-c", KILLER, path], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 20
    for line in lines:
        acknowledged, *found = map(int, line.split())
        assert found == list(range(len(found)))
        assert len(found) in (acknowledged, acknowledged + 2)
    assert acknowledged > 40


def test_long_lines_and_any_text_come_back(path):
    record = {"text": "x" * 3_000_000, "ключ": "\ud800 \x00 \u2028 🦀"}
    with FileJournal(path) as journal:
        journal.append(record)
    with FileJournal(path) as journal:
        assert journal.read() == [record]


def test_a_record_too_deep_to_be_read_again_is_refused():
    deep = {}
    for _ in range(200_000):
        deep = {"a": deep}
    with pytest.raises(UnswayedError, match="not too deep"):
        MemoryJournal().append(deep)
    while deep:  # taken apart level by level, since Python would need a deep stack for it
        deep = deep["a"]


def test_a_lock_that_is_let_go_at_once_is_waited_for(path):
    """A process that was killed while it started a program leaves the lock to that program until it runs."""
    first = FileJournal(path)
    threading.Timer(0.1, first.close).start()
    with FileJournal(path) as second:
        assert second.read() == []


@pytest.mark.parametrize("wrong", [b"x", None, 3, ["a"], object()])
def test_a_path_of_the_wrong_type_is_a_clear_line(wrong):
    with pytest.raises(InvalidInput, match="must be text or a Path, not") as error:
        FileJournal(wrong)
    assert "\n" not in str(error.value)


def test_errors_say_whose_fault_it_is(path, whole, tmp_path, monkeypatch):
    """Damaged, foreign, newer and in use: JournalError. A wrong path: InvalidInput. No room: SystemFault."""
    for data in (whole[:80] + b"?" + whole[81:], b"mine", HEADER.replace(b"1", b"2")):
        path.write_bytes(data)
        with pytest.raises(JournalError):
            FileJournal(path)
    path.write_bytes(whole)
    with FileJournal(path) as journal:
        with pytest.raises(JournalError):
            FileJournal(path)
        with pytest.raises(InvalidInput):
            journal.append({"a": float("nan")})
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left")))
            with pytest.raises(SystemFault, match="No space left; nothing of this call was kept"):
                journal.append({"a": 1})
        path.unlink()
        with pytest.raises(JournalError, match="gone while in use"):
            journal.read()
    for wrong in (tmp_path, tmp_path / "no" / "file", tmp_path / ("x" * 400)):
        with pytest.raises(InvalidInput, match="cannot open"):
            FileJournal(wrong)
    with pytest.raises(InvalidInput, match="is closed"):
        journal.read()


def test_a_journal_says_what_it_is(path):
    with FileJournal(path) as journal:
        assert repr(journal) == f"FileJournal({str(path)!r})"
    assert repr(journal) == f"FileJournal({str(path)!r}, closed)"
    memory = MemoryJournal()
    memory.append({"a": 1})
    assert repr(memory) == "MemoryJournal(1 records)"


def test_the_bytes_of_a_journal_are_those_of_a_file_with_its_records(path, whole):
    assert journal_bytes(RECORDS) == whole
    path.write_bytes(journal_bytes(RECORDS[:2]))
    assert read_journal(path) == RECORDS[:2]
