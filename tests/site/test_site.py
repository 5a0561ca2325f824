"""The site is whole: links and anchors, the API reference, the help of commands, the index of its search."""

import json
import re
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

import unswayed
from unswayed.cli.app import COMMANDS

from .conftest import ROOT

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "srcset", "video": "src", "audio": "src"}


class Page(HTMLParser):
    """The anchors of a page, where it leads, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = [], [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors += [given["id"]] if given.get("id") else []
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag == "link" and given.get("href") and given.get("rel") not in ("search", "index", "next", "prev"):
            self.loads.append(given["href"])
        elif given.get(LOADED.get(tag)):
            self.loads.append(given[LOADED[tag]])


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def test_every_page_of_the_docs_is_there(site):
    for path in (ROOT / "docs").rglob("*.md"):
        assert (site / path.relative_to(ROOT / "docs").with_suffix(".html")).exists(), path


def test_every_local_link_and_anchor_resolves(pages):
    checked = 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                assert parts.scheme == "https", link
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.exists(), f"{path.name}: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].anchors, f"{path.name}: {link}"
            checked += 1
    assert checked > 1000


def test_nothing_is_loaded_from_elsewhere(site, pages):
    loads = [(path, load) for path, page in pages.items() for load in page.loads]
    for path in site.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        assert "@import" not in text, path
        loads += [(path, load.strip("\"' ")) for load in re.findall(r"url\(([^)]*)\)", text)]
    assert len(loads) > 100
    for path, load in loads:
        parts = urlsplit(load)
        assert parts.scheme in ("", "data"), f"{path.name} loads {load}"
        assert not parts.netloc, f"{path.name} loads {load}"
        if not parts.scheme and parts.path:
            assert (path.parent / unquote(parts.path)).exists(), f"{path.name} loads {load}"


def test_every_public_name_is_in_the_reference_once(site, pages):
    shown = Counter(anchor for path, page in pages.items() if path.parent == site / "api" for anchor in page.anchors)
    assert {name: shown[f"unswayed.{name}"] for name in unswayed.__all__} == dict.fromkeys(unswayed.__all__, 1)
    assert shown["unswayed.Optimizer.ask"] == shown["unswayed.testing.check_policy"] == 1


def test_every_command_is_shown_with_its_help(site):
    text = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    for name in (*COMMANDS, "study tell"):
        assert f"Usage: unswayed {name} " in text
    assert "[/bold]" not in text


def test_the_search_knows_our_words(site):
    (index,) = re.findall(r"^Search\.setIndex\((.*)\)$", (site / "searchindex.js").read_text(encoding="utf-8"), re.S)
    words = json.loads(index)
    known = {*words["terms"], *words["titleterms"]}
    assert {"breakdown", "optuna", "quarantin", "vigil", "retract"} <= known
    assert {"howto/lab", "explanation/threats", "api/studies", "reference/commands"} <= set(words["docnames"])
