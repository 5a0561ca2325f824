"""The page of the standard gauntlet on the site is that of the stored runs."""

import importlib
from pathlib import Path

import pytest

from unswayed_gauntlet.standard import STANDARD

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("make_gauntlet_page")


def test_the_page_on_the_site_shows_the_stored_runs(script):
    assert script.PAGE.read_text() == script.text(), "run scripts/make_gauntlet_page.py"


def test_every_stored_run_is_of_the_standard_and_within_its_limits(script):
    wanted = {(m.optimizer, m.problem, m.corruption, m.plays, m.seed) for m in STANDARD.matches()}
    rows = script.rows(script.STORED)
    assert len(rows) > 900
    for row in rows:
        assert tuple(row[name] for name in script.IDENTITY) in wanted
        if row["corruption"] in ("spikes", "promote", "hide", "strongest"):
            assert row["spent"] <= 0.04 * row["plays"] + 1e-9
        if row["corruption"] == "clairvoyant-far":
            assert row["lies"] <= 3
        assert row["liars"] <= 1


def test_a_run_that_is_stored_again_replaces_the_older_one(script, tmp_path):
    assert script.rows(script.STORED, script.STORED) == script.rows(script.STORED)
    assert script.rows(tmp_path / "none.parquet") == []
