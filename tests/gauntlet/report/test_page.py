"""The page of the gauntlet: its numbers, its commands, what others wrote in it, and the page in a browser."""

import base64
import random
import re
import shlex
import time
from hashlib import sha256
from html import unescape
from itertools import product
from pathlib import Path
from statistics import median
from types import SimpleNamespace

import numpy as np
import pytest

from unswayed.errors import InvalidInput
from unswayed.experiments.sweep import Failure
from unswayed.pages.render import ICON
from unswayed.storage.tables import read_parquet
from unswayed_gauntlet.match import Match
from unswayed_gauntlet.report.board import command, percent
from unswayed_gauntlet.report.page import page
from unswayed_gauntlet.report.scores import GameId

from .page_data import HARM, PROBLEMS, SETTINGS, Tree, boards, gauntlet, harmful_page, row

ROOT = Path(__file__).parents[3]


def games(rows):
    return [GameId(r["problem"], r["corruption"], r["plays"], r["seed"]) for r in rows]


def check_board(shown, rows):
    """Lost runs and median gaps of a board, by loops over the games that all optimisers have played."""
    runs = {(r["optimizer"], game): r["gaps"][-1] for r, game in zip(rows, games(rows), strict=True)}
    names = {r["optimizer"] for r in rows}
    shared = [game for game in set(games(rows)) if all((name, game) in runs for name in names)]
    assert shown.keys() == names
    for name in names:
        gaps = [runs[name, game] for game in shared]
        lost = sum(gap > 0.1 for gap in gaps)
        assert shown[name][0].startswith(f"{lost}/{len(gaps)} {lost / len(gaps):.0%} ")
        assert shown[name][1].startswith(f"{percent(median(gaps))} ")


def test_the_scoreboard_and_panels_show_the_numbers_of_shared_games():
    rows = gauntlet()
    tree = Tree(page(rows, settings=SETTINGS))
    check_board(boards(tree, "attacked"), [r for r in rows if r["corruption"] != "none"])
    check_board(boards(tree, "honest"), [r for r in rows if r["corruption"] == "none"])
    check_board(boards(tree, "both"), rows)
    for corruption in ("spikes", "hide", "worker"):
        check_board(boards(tree, f"corruption-{corruption}"), [r for r in rows if r["corruption"] == corruption])
    text = " ".join(tree.text["p"].split())
    assert f"{len(rows)} runs: 4 optimisers, 4 problems and 3 corruptions." in text
    assert "Over the 18 games that all 4 optimisers played: branin-2 and hplc; hide, spikes and worker" in text
    assert "Over the 36 games that these 3 optimisers played: 4 problems; " in text
    assert "In one run at most: 4 lies, 1 lying source, changes that add up to 2.4 ranges." in text  # of the worker
    assert "In one run at most: 4 lies, changes that add up to 2.4 ranges." in text  # of the others
    assert "without botorch: 36 games" in tree.text["summary"]
    assert len(tree.ids) == len(set(tree.ids))


def test_claims_our_rule_and_overhead_are_shown():
    more = {"gap_ours": 0.02, "claim_low": 0.85, "claim_high": 0.95}
    rows = [row("a", seed=s, gap=gap, seconds=0.12, **more) for s, gap in enumerate([0.05, 0.1, 0.2, 0.3])]
    rows += [row("tpe", seed=s, gap=0.1, seconds=0.06) for s in range(4)]
    shown = boards(Tree(page(rows, settings=SETTINGS)), "honest")
    lost, gap, _, ours, claims, time, ratio, less = shown["a"]
    assert (lost, gap) == ("2/4 50% 15-85%", "15% 8.8-22%")
    assert ours == "0/4 0% 0-49% 2 saved, 0 spoilt"
    assert claims == "2/4 50% 15-85% width 10%"
    assert (time, ratio, less) == ("2 2-2", "2", "-")  # one problem is no sample of problems
    assert shown["tpe"][3:] == ["-", "-", "1 1-1", "1", "-"]


def test_problems_show_the_median_of_the_seeds_that_all_in_a_line_have():
    rows = [row("a", seed=s, gap=gap) for s, gap in enumerate([0.0, 0.004, 0.5])]
    rows += [row("b", seed=s, gap=gap) for s, gap in enumerate([0.3, 0.2])]
    rows += [row("b", corruption="hide", gap=0.02, plays=100)]
    [[head, honest, hidden]] = Tree(page(rows, settings=SETTINGS)).tables["problem-branin-2"]
    texts = [[" ".join(cell.split()) for cell in line] for line in (head, honest, hidden)]
    assert texts == [
        ["corruption", "a", "b"],
        ["none 60 plays, 2 seeds", "0.20% 0-0.40%", "25% 20-30%"],
        ["hide 100 plays, 1 seed", "-", "2.0%"],
    ]


def test_real_runs_of_older_tables():
    """Runs without the newer columns, many of games that not everybody has played."""
    path = ROOT / "benchmarks/results/few_plays.parquet"
    rows = read_parquet(path.read_bytes()).to_pylist()
    start = time.perf_counter()
    text = page(rows, settings=SETTINGS)
    assert time.perf_counter() - start < 20
    tree = Tree(text)
    honest = [r for r in rows if r["corruption"] == "none"]
    check_board(boards(tree, "honest"), honest)
    for name, cells in boards(tree, "honest").items():
        assert cells[3:5] == ["-", "-"], name
    assert set(tree.ids) >= {f"problem-{name}" for name in {r["problem"] for r in rows}}
    assert len(text) < 2e6


def test_many_runs_are_quick_and_small():
    names = [f"optimiser-{n}" for n in range(10)]
    rows = gauntlet(names, seeds=9, problems=[f"problem-{n}" for n in range(14)], plays=(60, 100))
    assert len(rows) == 10 * 14 * 4 * 2 * 9
    start = time.perf_counter()
    text = page(rows, settings=SETTINGS)
    assert time.perf_counter() - start < 30  # about 3 s alone
    assert len(text.encode()) < 2e6


def test_the_same_runs_give_the_same_bytes_in_any_order():
    rows = gauntlet()
    other = [dict(reversed(r.items())) for r in rows]
    random.Random(1).shuffle(other)
    failures = [f"run {n} failed" for n in range(5)]
    one = page(rows, settings=SETTINGS, failures=failures)
    assert one == page(iter(other), settings=SETTINGS, failures=failures[::-1])
    rows[0]["gaps"][-1] += 0.001
    changed = page(rows, settings=SETTINGS, failures=failures)
    digests = [re.search(r"results <code>(\w{16})</code>", text)[1] for text in (one, changed)]
    assert digests[0] != digests[1]


def test_text_of_others_is_only_text():
    tree = Tree(harmful_page())
    kinds = {tag for tag, _ in tree.tags}
    assert kinds == {
        "a", "b", "body", "code", "details", "div", "h1", "h2", "h3", "head", "html", "i", "li", "link",
        "main", "meta", "nav", "p", "path", "rect", "script", "section", "span", "style", "summary", "svg",
        "table", "tbody", "td", "text", "th", "thead", "title", "tr", "ul",
    }  # fmt: skip
    assert [tag for tag, _ in tree.tags].count("script") == 1
    assert [tag for tag, _ in tree.tags].count("style") == 1
    assert [found for tag, found in tree.tags if tag == "link"] == [{"rel": "icon", "href": ICON}]
    attributes = {(name, value) for tag, found in tree.tags for name, value in found.items() if tag != "link"}
    assert {name for name, _ in attributes} <= {
        "lang", "charset", "name", "content", "http-equiv", "class", "id", "href", "scope", "tabindex", "role",
        "aria-label", "aria-hidden", "aria-sort", "data-v", "viewbox", "x", "y", "width", "height", "d", "open",
    }  # fmt: skip
    assert all(value.startswith("#") for name, value in attributes if name == "href")
    targets = {value[1:] for name, value in attributes if name == "href"}
    assert targets <= set(tree.ids)
    for name, value in attributes:
        assert name == "content" or re.fullmatch(r"[\w #.:/\-+]*", value), (name, value)
    harm = HARM.replace("\u202e", "\\u202e").replace("\n", "\\n")
    for where, text in {"code": f"c{harm}", "h3": f"x{harm}", "th": f"a{harm}"[:40], "li": f"reason{harm}"}.items():
        assert text in tree.text[where]
    assert f"name{harm}: ['{HARM[:20]}" in tree.text["li"]
    assert "2 runs failed (a<" in tree.text["b"].replace("</td>", "<")


def test_the_policy_allows_this_script_and_this_style_only():
    text = page(gauntlet(), settings=SETTINGS)
    policy = next(found["content"] for tag, found in Tree(text).tags if found.get("http-equiv"))
    hashes = {
        kind: base64.b64encode(
            sha256(re.search(f"<{kind}>(.*?)</{kind}>", text, re.DOTALL)[1].encode()).digest()
        ).decode()
        for kind in ("script", "style")
    }
    assert policy == (
        f"default-src 'none'; img-src data:; style-src 'sha256-{hashes['style']}'; "
        f"script-src 'sha256-{hashes['script']}'; base-uri 'none'; form-action 'none'"
    )
    assert text.index("Content-Security-Policy") < text.index("<style>")
    assert not re.search(r"https?://|@import|url\(", text)


def played_by(line):
    """The games of a command, by its words."""
    words = shlex.split(line)
    assert words[:2] == ["unswayed", "gauntlet"]
    found = {name: value.split(",") for name, value in zip(words[2::2], words[3::2], strict=True)}
    assert list(found) == ["--optimizers", "--problems", "--corruptions", "--plays", "--seeds"]
    lengths, seeds = map(int, found["--plays"]), range(int(found["--seeds"][0]))
    return set(product(found["--problems"], found["--corruptions"], lengths, seeds)), found["--optimizers"]


def test_commands_play_exactly_the_games_of_a_table():
    rows = gauntlet(plays=(60, 100)) + [row("tpe", seed=seed, plays=200) for seed in range(5)]
    wanted = set(games(rows))
    lines = command(["tpe", "module:a factory"], wanted)
    assert len(lines) == 2
    found = [played_by(line) for line in lines]
    assert set.union(*(some for some, _ in found)) == wanted
    assert sum(len(some) for some, _ in found) == len(wanted)
    assert all(names == ["module:a factory", "tpe"] for _, names in found)


def test_commands_of_any_games_cover_them_once():
    rng = np.random.default_rng(3)
    for _ in range(20):
        every = [GameId(*game) for game in product("ab", "xyz", (20, 60), range(3))]
        wanted = {every[i] for i in rng.choice(len(every), rng.integers(1, 20), replace=False)}
        found = [some for some, _ in map(played_by, command(["a"], wanted))]
        assert set.union(*found) >= wanted
        assert sum(map(len, found)) == len(set.union(*found))


def test_every_panel_has_its_commands():
    rows = gauntlet()
    text = page(rows, settings=SETTINGS)
    sections = dict(re.findall(r'<section class="panel" id="([\w-]+)">(.*?)</section>', text, re.DOTALL))
    assert len(sections) == 3 + 3 + len(PROBLEMS)
    for name, body in sections.items():
        lines = [unescape(line) for line in re.findall('<code class="command">(.*?)</code>', body)]
        assert lines, name
        played = set.union(*(played_by(line)[0] for line in lines))
        if name.startswith("problem-"):
            assert {game[0] for game in played} == {name.removeprefix("problem-")}
        if name.startswith("corruption-"):
            assert played == {game for game in games(rows) if game.corruption == name.removeprefix("corruption-")}
    assert SETTINGS["command"] in unescape(text)


def test_failures_are_counted_and_explained():
    broken = [Failure(Match("smac", "hplc", "hide", 60, n), "TimeoutError: 3600 s") for n in range(3)]
    text = page(gauntlet(), settings=SETTINGS, failures=broken)
    assert "<b>3 runs failed (smac 3).</b>" in text
    assert "smac on hplc, hide, 60 plays, seed 2: TimeoutError: 3600 s</li>" in text
    assert "failed" not in page(gauntlet(), settings=SETTINGS)
    many = page(gauntlet(), settings=SETTINGS, failures=[f"{'x' * 1000} {n}" for n in range(1000)])
    assert "<li>and 800 more</li>" in many
    assert len(many) < 1e6


def test_pages_of_few_runs():
    empty = page([], settings=SETTINGS, failures=["all of them"])
    assert "No finished runs." in empty
    assert "all of them" in empty
    alone = page([row("mine:maker")], settings=SETTINGS)
    assert "Over the 1 game that it played: branin-2; none; 60 plays; 1 seed." in alone
    assert "No such runs." in alone  # attacked
    apart = page([row("a"), row("b", seed=1)], settings=SETTINGS)
    assert "No two optimisers have played the same game" in apart
    assert "<details open><summary>every run of each, not comparable: 2" in apart
    assert "do not compare the lines" in apart
    one_missing = page([row("a"), row("b"), row("c", seed=1)], settings=SETTINGS)
    assert "these 2 optimisers played: branin-2; none; 60 plays; 1 seed. Not here: c." in one_missing
    honest_only = page([*gauntlet(), row("wary")], settings=SETTINGS)
    assert honest_only.count("Not here, without such runs: wary.") == 2  # attacked, and both together
    with pytest.raises(InvalidInput, match="two runs"):
        page([row("a"), row("a")], settings=SETTINGS)


def test_what_a_corruption_is(monkeypatch):
    known = {"hide": SimpleNamespace(about="Plays near the best are lowered.", bound=None)}
    monkeypatch.setattr("unswayed_gauntlet.report.page.CORRUPTIONS", known)
    text = page(gauntlet(), settings=SETTINGS)
    assert "<h3>hide</h3><p>Plays near the best are lowered.</p>" in text
    assert '<h3>spikes</h3><p class="soft">In one run' in text  # not known here: no line
    places = [text.index(f'id="corruption-{name}"') for name in ("hide", "spikes", "worker")]
    assert places == sorted(places)


def test_how_to_cite_is_that_of_the_project():
    cited = (ROOT / "CITATION.cff").read_text()
    text = page(gauntlet(), settings=SETTINGS)
    for found in re.findall(
        r"(?:title|family-names|value|collection-title|- name|year): \"?(.+?)\"?$", cited, re.MULTILINE
    ):
        assert found in text, found


def test_shares_are_written_with_the_digits_that_matter():
    assert [percent(x) for x in (0.0, -1e-9, 0.00004, 0.00995, 0.0995, 0.1, 1.0)] == [
        "0%", "0.00%", "0.00%", "1.0%", "10%", "10%", "100%",
    ]  # fmt: skip
