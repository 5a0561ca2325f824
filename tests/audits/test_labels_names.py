"""Names that are missing, or that look like others."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unswayed
from unswayed.errors import InvalidInput
from unswayed.plots.labels import plot_labels
from unswayed.storage.tables import read_table


@pytest.mark.parametrize("missing", [None, float("nan"), ""])
def test_a_missing_name_is_refused(missing):
    with pytest.raises(InvalidInput, match="row 2: an option or a source has no name"):
        unswayed.audit(["a", missing, "b"], [1.0, 2.0, 3.0])
    with pytest.raises(InvalidInput, match="row 2: an option or a source has no name"):
        unswayed.audit(["a", "a", "b"], [1.0, 2.0, 3.0], sources=["x", missing, "x"])


def test_a_space_at_the_end_is_seen():
    found = unswayed.audit(["a", "a", "b", "b "], [1.5, 1.0, 2.0, 3.0])
    assert ". 'b ', mean 3" in str(found)
    assert found.to_dict()["winner_label"] == "b "


def test_rates_are_refused_by_rows_from_1():
    with pytest.raises(InvalidInput, match="row 1: with trials"):
        unswayed.audit(["a", "b"], [12, 30], trials=[100, 100])


def test_a_label_with_an_underscore_is_in_the_legend():
    found = unswayed.audit(["a", "_b"], [0.5, 0.25], trials=[100, 100])
    (axes,) = plot_labels(found).axes
    assert [text.get_text().strip() for text in axes.get_legend().get_texts()] == ["_b"]


def test_nan_is_no_label(tmp_path):
    path = tmp_path / "nan.parquet"
    pq.write_table(pa.table({"v": [1.0, np.nan, 2.0]}), path)
    with pytest.raises(InvalidInput, match="row 2: the column 'v' is empty here"):
        read_table(path).labels(0)


def test_semicolons_with_decimal_commas(tmp_path):
    path = tmp_path / "semicolons.csv"
    path.write_text("v;y\na;1,5\nb;2,5\n")
    table = read_table(path)
    assert table.numbers(1).tolist() == [1.5, 2.5]
    assert table.sentence == "read as: semicolons, decimal comma"
