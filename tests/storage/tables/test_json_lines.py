"""Tables from JSON lines, with everything that can be wrong in one."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unswayed import InvalidInput
from unswayed.storage.tables import json_lines, read_table


def table(tmp_path, text):
    path = tmp_path / "t.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(path)


def test_nested_objects_have_dots_and_missing_keys_are_empty(tmp_path):
    found = table(
        tmp_path, '{"a": {"b": 1, "c": {"d": "x"}}, "e": true}\n{"a": {"b": 2.50}, "f": [1, "y"], "e": null}\n'
    )
    assert found.names == ["a.b", "a.c.d", "e", "f"]
    assert [column.to_pylist() for column in found.columns] == [
        ["1", "2.50"],
        ["x", None],
        ["true", None],
        [None, "[1, y]"],
    ]
    assert found.numbers(0).tolist() == [1.0, 2.5]
    with pytest.raises(InvalidInput, match=r"line 2: the column 'a\.c\.d' is empty here"):
        found.labels(1)
    with pytest.raises(InvalidInput, match="line 1: the column 'f' is empty here"):
        found.numbers(3)


def test_marks_line_ends_and_blank_lines(tmp_path):
    found = table(tmp_path, b'\xef\xbb\xbf\r\n{"x": 1}\r\n\r\n  \r\n{"x": 2}')
    assert found.numbers(0).tolist() == [1.0, 2.0]
    assert found.lines.tolist() == [2, 5]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no rows"),
        ("{}\n{}\n", "holds no rows"),
        ("[1]\n", "line 1: each line must be a JSON object"),
        ('{"x": 1}\n7\n', "line 2: each line must be a JSON object"),
        ('{"x": 1}\n{"x": 1\n', "line 2: not JSON"),
        ('{"x": 1} {"x": 2}\n', "line 1: not JSON: Extra data at character 10"),
        ('{"x": 1, "x": 2}\n', "line 1: the key 'x' is there more than once"),
        ('{"a": {"b": 1, "b": 2}}\n', "line 1: the key 'b' is there more than once"),
        ('{"a.b": 1, "a": {"b": 2}}\n', "line 1: the key 'a.b' is there more than once"),
        ('{"x": ' * 100_000 + "1" + "}" * 100_000, "line 1: objects are nested too deeply"),
        ('{"x": ' + "[" * 100_000 + "]" * 100_000 + "}", "line 1: objects are nested too deeply"),
        ('{"x": "\\ud800"}\n', "line 1: there is text that is not Unicode"),
        (b'{"x": "\xff\x00"}\n', "neither text nor a spreadsheet"),
    ],
)
def test_what_is_no_table_is_named_in_one_line(tmp_path, text, words):
    with pytest.raises(InvalidInput, match=words) as error:
        table(tmp_path, text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "1" + "0" * 400, "true", '"x"'])
def test_a_number_that_is_none_is_refused_where_it_is_needed(tmp_path, number):
    found = table(tmp_path, f'{{"x": 1, "y": 2}}\n{{"x": {number}, "y": 3}}\n')
    assert found.numbers(1).tolist() == [2.0, 3.0]
    with pytest.raises(InvalidInput, match=r"line 2: .* is not a finite number in the column 'x'"):
        found.numbers(0)


def test_a_huge_whole_number_is_read_as_it_is(tmp_path):
    digits = "9" * 5000  # Python refuses to make an int of so many
    codes, labels = table(tmp_path, f'{{"seed": {digits}}}\n').labels(0)
    assert (codes.tolist(), labels) == ([0], [digits])


def test_too_many_keys_are_no_table(tmp_path, monkeypatch):
    monkeypatch.setattr(json_lines, "MOST_COLUMNS", 3)
    assert len(table(tmp_path, '{"a": 1, "b": 2, "c": 3}\n').names) == 3
    with pytest.raises(InvalidInput, match="line 2: more than 3 different keys"):
        table(tmp_path, '{"a": 1, "b": 2, "c": 3}\n{"d": 1}\n')


def outcome(path):
    """The table, or what is said about the file."""
    try:
        found = read_table(path)
        for column in range(len(found.columns)):
            found.is_text(column)
    except InvalidInput as error:
        return None, str(error)
    return found, ""


cells = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
objects = st.recursive(
    cells, lambda inner: st.dictionaries(st.text("ab.", max_size=3), inner, max_size=3), max_leaves=8
)


@given(st.lists(st.dictionaries(st.text("abc", min_size=1, max_size=2), objects, max_size=3), min_size=1, max_size=4))
@settings(max_examples=200, deadline=None)
def test_whatever_json_writes_is_read_or_refused_in_one_line(rows):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        found, said = outcome(path)
        assert "\n" not in said
        for i, row in enumerate(rows if found is not None else []):
            for name, one in row.items():
                if isinstance(one, str):
                    assert found.columns[found.names.index(name)].to_pylist()[i] == one


@given(
    st.lists(
        st.sampled_from(['{"a":', "1", "}", "{", '"b":', ",", "\n", "NaN", "[", "]", '"x"', " ", "\\"]), max_size=25
    )
)
@settings(max_examples=300, deadline=None)
def test_any_text_gives_a_table_or_one_clear_line(pieces):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.jsonl"
        path.write_text("".join(pieces))
        assert "\n" not in outcome(path)[1]
