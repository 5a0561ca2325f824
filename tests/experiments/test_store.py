"""Folders of runs: nothing damaged is read, nothing foreign is touched, and errors are one line."""

import json
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest

from tests.experiments.small_sweep import TRIALS, Inline, run, same
from unswayed import UnswayedError, load_runs
from unswayed.errors import SystemFault
from unswayed.experiments.store import RunFolder

ABOUT = {"unswayed": "0", "runs": 1, "scale": {}, "executor": "processes", "jobs": 1, "seconds": 0.0, "failures": []}


def test_e2_a_damaged_cell_is_run_again(tmp_path, undisturbed):
    path = tmp_path / "runs"
    run(path, Inline())
    victims = sorted((path / "cells").iterdir())[:4]
    content = bytearray(victims[3].read_bytes())
    content[4 : len(content) // 4] = bytes(b ^ 0xFF for b in content[4 : len(content) // 4])  # the data, not the footer
    victims[3].write_bytes(content)
    victims[0].write_bytes(b"")
    victims[1].write_bytes(victims[1].read_bytes()[:100])
    victims[2].write_bytes(b"not a table")
    assert load_runs(path).num_rows == len(TRIALS) - 4
    run(path, Inline())
    assert same(path, undisturbed)


def test_no_flipped_bit_is_read_as_a_finished_run(tmp_path, undisturbed):
    """1,000 single bit flips: a file counts as not finished, or says what it said before."""
    rng = np.random.default_rng(0)
    cells = sorted((undisturbed / "cells").iterdir())
    original = {cell.stem: RunFolder(undisturbed).read([cell.stem]).to_pylist() for cell in cells}
    folder = RunFolder(tmp_path)
    folder.cells.mkdir()
    refused = 0
    for number in range(1000):
        cell = cells[number % len(cells)]
        content = bytearray(cell.read_bytes())
        place = rng.integers(8 * len(content))
        content[place // 8] ^= 1 << (place % 8)
        (folder.cells / cell.name).write_bytes(content)
        found = folder.read([cell.stem]).to_pylist()
        assert found in ([], original[cell.stem]), (cell.name, place)
        refused += found == []
    assert refused > 650  # the bits matter, and some do not


def test_no_file_is_read_under_the_name_of_another(tmp_path, undisturbed):
    rng = np.random.default_rng(1)
    cells = sorted((undisturbed / "cells").iterdir())
    folder = RunFolder(tmp_path)
    folder.cells.mkdir()
    for _ in range(200):
        one, other = rng.choice(len(cells), 2, replace=False)
        (folder.cells / cells[one].name).write_bytes(cells[other].read_bytes())
        assert not folder.has(cells[one].stem)


def test_what_killed_sweeps_have_left_is_removed(tmp_path):
    path = tmp_path / "runs"
    run(path, Inline(), TRIALS[:1])
    left = [path / ".sweep.json-abc-unswayed.tmp", path / "cells" / ".a.parquet-x1-unswayed.tmp"]
    for leftover in left:
        leftover.write_bytes(b"half a file")
    (path / ".mine").write_text("not ours")
    with RunFolder(path).opened():
        assert not any(leftover.exists() for leftover in left)
    assert (path / ".mine").exists()
    assert load_runs(path).num_rows == 1


def test_a_foreign_folder_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(UnswayedError, match="not a folder of runs"), RunFolder(tmp_path).opened():
        pass
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(UnswayedError, match="not a folder of runs"), RunFolder(tmp_path / "thesis.tex").opened():
        pass
    with pytest.raises(UnswayedError, match="not a folder of runs"):
        load_runs(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "unswayed runs 99", "cells": [], "about": {}}', "null"])
def test_a_strange_description_is_refused(tmp_path, text):
    (tmp_path / "sweep.json").write_text(text)
    with pytest.raises(UnswayedError, match=r"not a folder of runs|another version"):
        load_runs(tmp_path)


def test_two_processes_on_one_folder(tmp_path):
    with (
        RunFolder(tmp_path / "runs").opened(),
        pytest.raises(UnswayedError, match="another Unswayed process"),
        RunFolder(tmp_path / "runs").opened(),
    ):
        pass


@pytest.mark.parametrize("shape", ["a file", "a dangling link", "a loop", "a cell that is a folder"])
def test_cells_of_a_strange_shape_are_one_clear_line(tmp_path, shape):
    path = tmp_path / "runs"
    run(path, Inline(), TRIALS[:1])
    cells = path / "cells"
    if shape == "a cell that is a folder":
        (cell,) = cells.iterdir()
        cell.unlink()
        cell.mkdir()
    else:
        cells.rename(tmp_path / "away")
        if shape == "a file":
            cells.write_text("")
        else:
            cells.symlink_to(cells if shape == "a loop" else tmp_path / "nowhere")
    with pytest.raises(UnswayedError) as error:
        run(path, Inline(), TRIALS[:1])
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("locked", [".", "cells", "sweep.json"])
def test_what_may_not_be_read_is_one_clear_line(locked):
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as parent:  # one that everybody may enter
        os.chmod(parent, 0o755)
        path = Path(parent) / "runs"
        run(path, Inline(), TRIALS[:1])
        for each in [path, *path.rglob("*")]:
            os.chown(each, 65534, 65534) if root else None
        (path / locked).chmod(0o000)
        if root:  # root may read everything: be somebody else for a moment
            os.seteuid(65534)
        try:
            with pytest.raises(SystemFault, match="Permission denied"):
                load_runs(path)
            with pytest.raises(SystemFault, match="Permission denied"):
                RunFolder(path).about() if locked == "sweep.json" else run(path, Inline(), TRIALS[:1])
        finally:
            if root:
                os.seteuid(0)
            (path / locked).chmod(0o755)


@pytest.mark.parametrize("about", [{}, {"scale": 3}, {**ABOUT, "scale": {"trials": "ten"}}, {**ABOUT, "more": 1}])
def test_render_only_needs_to_know_how_the_runs_were_made(tmp_path, capsys, about):
    from unswayed.cli import main

    with RunFolder(tmp_path / "o").opened() as folder:
        folder.describe([], about)
    with pytest.raises(SystemExit) as stop:
        main(["reproduce", "--out", str(tmp_path / "o"), "--render-only"])
    err = capsys.readouterr().err
    assert stop.value.code == 2
    assert err.count("\n") == 1
    assert "holds no runs of `unswayed reproduce`" in err
    assert json.loads((tmp_path / "o" / "sweep.json").read_text())["about"] == about
