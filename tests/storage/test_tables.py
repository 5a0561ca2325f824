"""Whose fault it is when a table cannot be read."""

import os
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unswayed import InvalidInput, SystemFault
from unswayed.storage.tables import read_numbers


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_wrong_path_is_a_clear_line(tmp_path, kind):
    (tmp_path / f"folder.{kind}").mkdir()
    for name in (f"none.{kind}", f"folder.{kind}", f"{'x' * 400}.{kind}", f"no/file.{kind}"):
        with pytest.raises(InvalidInput, match="cannot read") as error:
            read_numbers(tmp_path / name)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_that_may_not_be_read_is_the_systems_fault(kind):
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = Path(folder) / f"table.{kind}"
        path.write_bytes(b"1,2\n")
        path.chmod(0)
        if root:  # root may read everything: be somebody else for a moment
            os.seteuid(65534)
        try:
            with pytest.raises(SystemFault, match="Permission denied"):
                read_numbers(path)
        finally:
            if root:
                os.seteuid(0)


def test_a_damaged_parquet_file_is_a_wrong_input(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [1.0, 2.0], "b": [3.0, 4.0]}), path)
    names, numbers, _ = read_numbers(path)
    assert (names, numbers.tolist()) == (["a", "b"], [[1.0, 3.0], [2.0, 4.0]])
    data = path.read_bytes()
    for damaged in (b"", b"x", data[:40], data[:-10], data[:-4] + b"PARX"):
        path.write_bytes(damaged)
        with pytest.raises(InvalidInput) as error:
            read_numbers(path)
        assert str(error.value).isprintable()
