"""The chain, the keys and the digests of commands."""

import copy
import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unswayed import InvalidInput
from unswayed.programs.command import Command
from unswayed.witness.chain import START, Chain, hashed, is_signed, signed
from unswayed.witness.keys import PublicKey, SigningKey
from unswayed.witness.running import Witness, command_digest


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    return SigningKey.open(tmp_path_factory.mktemp("keys") / "server.key")


def records(key, number=8):
    """Records of which every second one is signed."""
    made, head = [], START
    for i in range(number):
        record = {"kind": "tell", "play": i, "value": i / 3}
        record = signed({**record, "witness": {"point": i}}, head, key) if i % 2 else record
        made.append(record)
        head = hashed(head, record)
    return made


def changes(made):
    """Everything that somebody could do to one record, or to two."""
    for i in range(len(made)):
        yield made[:i] + made[i + 1 :]
        yield [*made[:i], made[i], *made[i:]]
        yield made[:i] + made[i : i + 2][::-1] + made[i + 2 :]
        for name in made[i]:
            other = copy.deepcopy(made)
            other[i][name] = "other"
            yield other
            del other[i][name]
            yield other


def test_a_chain_holds_and_any_change_before_its_last_signature_breaks_it(key):
    made = records(key)
    assert Chain().then(made, key.public).whole
    tried = [other for other in changes(made) if other not in (made, made[:-1])]
    assert len(tried) > 80
    for other in tried:
        assert not Chain().then(other, key.public).whole or _cut(other, made)


def _cut(other, made):
    """Whether the signed records that are left are the first ones, with all that was before them."""
    last = max((i for i, record in enumerate(other) if "signature" in record), default=-1)
    return other[: last + 1] == made[: last + 1] and not any("witness" in one for one in other[last + 1 :])


@given(st.integers(0, 8))
def test_a_chain_is_the_same_in_parts(key, cut):
    made = records(key)
    assert Chain().then(made[:cut], key.public).then(made[cut:], key.public) == Chain().then(made, key.public)


def test_a_chain_that_was_broken_stays_so(key):
    made = records(key)
    broken = Chain().then([{"kind": "tell", "witness": {}}], key.public)
    assert not broken.whole
    head = broken.head
    assert not broken.then([signed(made[1], head, key)], key.public).whole


def test_only_the_key_that_signed_checks(key, tmp_path):
    other = SigningKey.open(tmp_path / "other.key")
    record = records(key)[1]
    assert is_signed(record, key.public)
    assert not is_signed(record, other.public)
    assert not is_signed({**record, "signature": "no base64"}, key.public)
    assert not is_signed({name: one for name, one in record.items() if name != "signature"}, key.public)


def test_a_key_stays_and_belongs_to_its_owner(tmp_path):
    path = tmp_path / "server.key"
    made = SigningKey.open(path)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    again = SigningKey.open(path)
    assert again.public.text == made.public.text
    assert made.public.checks(b"text", again.sign(b"text"))
    (tmp_path / "public").write_text(made.public.text + "\n")
    assert PublicKey(str(tmp_path / "public")).text == made.public.text
    path.write_text("no key")
    with pytest.raises(InvalidInput, match="no Ed25519 key"):
        SigningKey.open(path)
    for wrong in ("", "short", "a" * 44, made.public.text[:-1]):
        with pytest.raises(InvalidInput, match="public key"):
            PublicKey(wrong)


def test_a_digest_is_of_words_and_of_the_contents_of_files(tmp_path):
    one, two = tmp_path / "one.sh", tmp_path / "two.sh"
    one.write_text("echo 1")
    two.write_text("echo 1")
    assert command_digest(["sh", str(one), "{x}"]) == command_digest(["sh", str(two), "{x}"])
    assert command_digest(["sh", str(one), "{x}"]) != command_digest(["sh", str(one), "{y}"])
    before = command_digest(["sh", str(one)])
    one.write_text("echo 2")
    assert command_digest(["sh", str(one)]) != before


def test_a_witness_reports_nothing_of_a_command_that_changes_itself(tmp_path):
    from unswayed.errors import CannotStart

    script = tmp_path / "measure.sh"
    script.write_text('echo "# 9" >> "$0"\necho $1\n')
    witness = Witness(Command(["sh", str(script), "{x}"]))
    with pytest.raises(CannotStart, match="changed"):
        witness({"x": 1}, {"x": 1})
    with pytest.raises(CannotStart, match="changed"):
        witness({"x": 1}, {"x": 1})
