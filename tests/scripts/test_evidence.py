"""The numbers of the evidence pages are what scripts/write_evidence.py makes of the stored results."""

import importlib
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EVIDENCE = sorted((ROOT / "docs" / "evidence").glob("*.md"))
ENGINES = "| engine | executor |"  # a table of names


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("write_evidence")


def test_the_pages_show_the_stored_results(script):
    pages = list(script.pages())
    assert {ROOT / "README.md", ROOT / "docs" / "paper.md", *EVIDENCE} <= set(pages)
    for path in pages:
        text = path.read_text(encoding="utf-8")
        assert script.filled(text, script.BLOCKS) == text, f"{path.name}: run scripts/write_evidence.py"


def test_every_block_is_shown_somewhere(script):
    shown = {name for path in script.pages() for _, name, _ in script.BLOCK.findall(path.read_text(encoding="utf-8"))}
    assert shown == set(script.BLOCKS)


@pytest.mark.parametrize("page", EVIDENCE, ids=lambda path: path.stem)
def test_no_table_is_written_by_hand(script, page):
    rest = script.BLOCK.sub("", page.read_text(encoding="utf-8"))
    assert [line for line in re.findall(r"^\| .*\n(?=\|-)", rest, re.MULTILINE) if line.strip() != ENGINES] == []


def test_what_is_stored_says_how_it_was_made():
    for path in (ROOT / "benchmarks" / "results").glob("*.json"):
        assert json.loads(path.read_text(encoding="utf-8"))["command"], path.name


def test_a_changed_number_is_noticed(script):
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert script.filled(page.replace("**22%**", "**2%**"), script.BLOCKS) == page


def test_blocks_are_replaced_and_the_rest_stays(script):
    old = "# Title\n\n<!-- table: one -->\nold\n<!-- end -->\n\ntext\n\n<!-- text: two -->\n\n<!-- end -->\n"
    new = script.filled(old, {"one": lambda: ["new"], "two": lambda: ["a", "b"]})
    assert new == (
        "# Title\n\n<!-- table: one -->\n\nnew\n\n<!-- end -->\n\ntext\n\n<!-- text: two -->\n\na\nb\n\n<!-- end -->\n"
    )
    with pytest.raises(KeyError):
        script.filled(old, {"one": lambda: ["new"]})
