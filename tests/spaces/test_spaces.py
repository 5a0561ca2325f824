"""What both kinds of space share: descriptions, refusals, records and files."""

import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unswayed import UnswayedError
from unswayed.spaces import Box, Categorical, Integer, Options, Real, read_space, space_from_record

MIXED = Box(
    {
        "x": Real(-5, 10, unit="mm"),
        "rate": Real(1e-5, 1e-1, log=True),
        "layers": Integer(1, 8),
        "width": Integer(1, 1000, log=True),
        "kind": Categorical(["rbf", "poly", 3, False]),
    }
)
POINT = {"x": 1.5, "rate": 1e-3, "layers": 3, "width": 64, "kind": "rbf"}
SPACES = [
    MIXED,
    Options(["a", "b", 3, 2.5, True]),
    Options([{"T": 80, "acid": "HCl", "hot": True}, {"T": 90.5, "acid": "HCl", "hot": False}]),
    Options([(0.1, 1e300), (0.0, 0.0), (1.0, 1.0)], names=["a", "b"]),
]


def test_points_are_described_with_units():
    assert MIXED.describe(POINT) == "x = 1.5 mm, rate = 0.001, layers = 3, width = 64, kind = rbf"
    assert Options(["a", "b"]).describe("b") == "b"
    assert Options([{"T": 80, "acid": "HCl"}, {"T": 90, "acid": "HCl"}]).describe({"T": 90.0, "acid": "HCl"}) == (
        "T = 90, acid = HCl"
    )
    assert Options([[1, 2.5]]).describe([1, 2.5]) == "x1 = 1, x2 = 2.5"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Real(2, 1),
        lambda: Real(math.nan, 1),
        lambda: Real(0, math.inf),
        lambda: Real(0, 1, log=True),
        lambda: Real(-1e308, 1e308),
        lambda: Real("0", 1),
        lambda: Real(False, True),
        lambda: Real(0, 1, log=1),
        lambda: Real(0, 1, unit=3),
        lambda: Real(0, 1, unit="m\n"),
        lambda: Integer(0.5, 3),
        lambda: Integer(0, 2**54),
        lambda: Integer(-(2**50), 2**50),
        lambda: Integer(0, 3, log=True),
        lambda: Categorical([]),
        lambda: Categorical("abc"),
        lambda: Categorical([1, True]),
        lambda: Categorical([1, 1.0]),
        lambda: Categorical([math.nan]),
        lambda: Categorical([None]),
        lambda: Categorical(["\ud800"]),
        lambda: Categorical([10**400]),
        lambda: Categorical(list(range(2001))),
        lambda: Box({}),
        lambda: Box([Real(0, 1)]),
        lambda: Box({"x": (0, 1)}),
        lambda: Box({"": Real(0, 1)}),
        lambda: Box({"a{b}": Real(0, 1)}),
        lambda: Box({"a\nb": Real(0, 1)}),
        lambda: Box({1: Real(0, 1)}),
        lambda: Options([]),
        lambda: Options("abc"),
        lambda: Options({"a", "b"}),
        lambda: Options(["a", "a"]),
        lambda: Options(["a", {"x": 1}]),
        lambda: Options([{"x": 1}, {"y": 1}]),
        lambda: Options([{"x": 1}, {"x": "1"}]),
        lambda: Options([{"x": 1}, {"x": True}]),
        lambda: Options([{"x": 1}, {"x": 1.0}]),
        lambda: Options([{"x": math.inf}]),
        lambda: Options([{}]),
        lambda: Options([[1, 2], [1, 2]]),
        lambda: Options([[1, 2], [1]]),
        lambda: Options([[0.0], [-0.0]]),
        lambda: Options([[0.0], [1e-200], [1.0]]),
        lambda: Options([["1"], ["2"]]),
        lambda: Options(np.zeros((2, 0))),
        lambda: Options(np.zeros((2, 2, 2))),
        lambda: Options(np.array([1.0, 2.0])),
        lambda: Options(np.array([[1.0], [np.nan]])),
        lambda: Options([[1.0, 2.0]], names=["a"]),
        lambda: Options([[1.0, 2.0]], names=["a", "a"]),
        lambda: Options(["a"], names=["a"]),
    ],
)
def test_what_is_no_space_is_refused_in_one_line(wrong):
    with pytest.raises(UnswayedError) as caught:
        wrong()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("space", SPACES)
def test_records_survive_json(space):
    record = json.loads(json.dumps(space.record(), allow_nan=False))
    again = space_from_record(record)
    assert again == space
    assert again.fingerprint == space.fingerprint
    assert again.names == space.names
    assert np.array_equal(again.arms(20, 0), space.arms(20, 0))
    assert again.decode(again.arms(20, 0)) == space.decode(space.arms(20, 0))


def test_different_spaces_have_different_fingerprints():
    x, y = Real(0, 1), Integer(0, 1)
    spaces = [
        Box({"x": x, "y": y}),
        Box({"y": y, "x": x}),
        Box({"x": x, "y": x}),
        Box({"x": x, "y": Categorical([0, 1])}),
    ]
    spaces += [
        Options([[0, 1]]),
        Options([[1, 0]]),
        Options([[0], [1]]),
        Options([[0, 1]], names=["a", "b"]),
        Options([1]),
    ]
    spaces += [Options([True]), Options([{"x1": 0, "x2": 1}]), Options([{"x2": 1, "x1": 0}])]
    assert len({space.fingerprint for space in spaces}) == len(spaces)
    assert Box({"x": x}) != Options(["x"])


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
)


def error_or_space(read, source):
    """The space, or None after an error of one line; any other exception is a bug."""
    try:
        return read(source)
    except UnswayedError as error:
        message = str(error)
    assert "\n" not in message
    return None


@given(st.sampled_from(["space", "parameters", "names", "labels", "dicts", "table"]), json_values, st.integers(0, 3))
@settings(max_examples=200)
def test_a_damaged_record_gives_an_error_or_a_space(key, value, which):
    space = error_or_space(space_from_record, SPACES[which].record() | {key: value})
    assert space is None or space.columns >= 1


TOML = """
[x]
low = -5
high = 10
unit = "mm"
[rate]
low = 1e-5
high = 1e-1
log = true
[layers]
type = "integer"
low = 1
high = 8
["my kind"]
choices = ["rbf", "poly", 3]
"""


def test_a_space_is_read_from_toml(tmp_path):
    path = tmp_path / "space.toml"
    path.write_text("\ufeff" + TOML, encoding="utf-8")
    assert read_space(path) == Box(
        {
            "x": Real(-5, 10, unit="mm"),
            "rate": Real(1e-5, 1e-1, log=True),
            "layers": Integer(1, 8),
            "my kind": Categorical(["rbf", "poly", 3]),
        }
    )
    path.write_text('options = ["a", "b"]')
    assert read_space(path) == Options(["a", "b"])
    path.write_text('options = [{T = 80, acid = "HCl"}, {T = 90, acid = "HCl"}]')
    assert read_space(path).names == ("T", "acid")
    (tmp_path / "table.csv").write_text("T,t\n80,1\n90,2\n")
    path.write_text('options = "table.csv"')
    assert read_space(path) == Options([[80, 1], [90, 2]], names=["T", "t"])
    path.write_text("[options]\nlow = 0\nhigh = 1\n")
    assert read_space(path) == Box({"options": Real(0, 1)})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least one name"),
        ("[x]\nlow = 0", "'x': high is missing"),
        ("[x]\nlow = 0\nhihg = 1", "'x': unknown key 'hihg': a real parameter has low, high, log, unit"),
        ("[x]\nlow = '0'\nhigh = 1", "'x': low must be a finite number, not '0'"),
        ("[x]\nlow = nan\nhigh = 1", "'x': low must be a finite number, not nan"),
        ("[x]\nlow = 2\nhigh = 1", "'x': low = 2 must not exceed high = 1"),
        ("[x]\nlow = 0\nhigh = 1\nlog = true", "'x': a logarithmic scale needs a positive low, not 0"),
        ("[x]\nlow = 1\nhigh = 1.5\ntype = 'integer'", "'x': high must be a whole number"),
        ("[x]\nlow = 1\nhigh = 2\ntype = 'int'", "'x': type must be one of real, integer, categorical, not 'int'"),
        ("[x]\nlow = 1\nhigh = 2\ntype = ['real']", "'x': type must be one of"),
        ("[x]\nchoices = 'abc'", "'x': choices must be a list"),
        ("[x]\nchoices = [2020-01-01]", "'x': a choice must be a text, a number or a boolean"),
        ("x = 3", "'x': a parameter needs a table"),
        ("['a{b}']\nlow = 0\nhigh = 1", "without braces"),
        ("options = ['a']\n[x]\nlow = 0\nhigh = 1", "`options` must be the only key; remove 'x'"),
        ("options = ['a', 'a']", "options: choices must differ"),
        ("options = 3", "options: must be a list or the name of a file"),
        ("options = 'missing.csv'", "options: cannot read"),
        (r'options = "a\u0000b"', "options: must be a list or the name of a file"),
        ("[x", "is not valid TOML"),
        ("x = " + "[" * 20000, "is not valid TOML"),
        ("[x]\nlow = " + "9" * 5000, "space.toml"),
        ("#" * 10_000_001, "is larger than"),
    ],
)
def test_errors_in_files_name_the_file_and_the_key(tmp_path, text, message):
    path = tmp_path / "space.toml"
    path.write_text(text)
    with pytest.raises(UnswayedError, match=message) as caught:
        read_space(path)
    assert "space.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read_are_refused(tmp_path):
    (tmp_path / "binary.toml").write_bytes(b"[x]\n# \xff")
    for path, message in [
        (tmp_path / "binary.toml", "not UTF-8 text: byte 6"),
        (tmp_path / "missing.toml", "cannot read"),
        (tmp_path, "cannot read"),
    ]:
        with pytest.raises(UnswayedError, match=message):
            read_space(path)


lines = st.sampled_from(
    [*TOML.splitlines(), "options = ['a', 1]", "low = inf", "high = [1]", "type = 3", "[a.b]", "{}="]
)
texts = st.one_of(st.text(max_size=60), st.lists(lines, max_size=8).map("\n".join), st.binary(max_size=40))


@given(texts)
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_file_gives_an_error_or_a_space(tmp_path, text):
    path = tmp_path / "space.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    space = error_or_space(read_space, path)
    assert space is None or space.decode(space.arms(3, 0))
