"""Every code block of the documentation runs, and prints what the documentation says."""

import csv
import os
import re
import shlex
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import openpyxl
import pytest

import unswayed
from unswayed.cli import main
from unswayed.spaces import read_space

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
DRAWN = ROOT / "docs" / "gallery.md"  # its code is run by tests/site/test_gallery.py
PROOFS = [ROOT / "docs/explanation" / name for name in ("theory.md", "theory-lies.md")]  # as long as they must be
ALL_WORDS, PAGE_WORDS, README_WORDS = 40_000, 3_000, 1_100  # more than that nobody reads
FOLDERS = (
    "adversaries|audits|benchmarks|cli|core|docs|examples|experiments|gauntlet|integrations|judgement|paper|plots|policies"
    "|liars|optimizers|problems|programs|report|scripts|search|service|simulation|spaces|storage|study|tests"
)
CODE = (ROOT / "src/unswayed", ROOT / "gauntlet/src/unswayed_gauntlet", ROOT)  # where paths in a page begin
PLACEHOLDER = "NAME.py"  # a file that the reader will write
FILE = re.compile(r"# ([\w-]+\.py)\n")  # the first line of code that is a file, for the commands of its page
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def name_of(page):
    return str(page.relative_to(ROOT).with_suffix(""))


def blocks(page):
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_blocks_print_what_they_say(page):
    names, printed = {}, None
    for kind, text in blocks(page):
        if kind == "python" and page != DRAWN and not FILE.match(text):
            out = StringIO()
            with redirect_stdout(out):
                exec(compile(text, str(page), "exec"), names)  # noqa: S102
            printed = out.getvalue()
        elif kind == "text":
            assert printed is not None, "an output without its code"
            assert printed == text
            printed = None


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_print_what_they_say(page, capsys, monkeypatch, tmp_path):
    """In an empty folder. A space is the file space.toml; a sheet is the last one that was written, filled in.

    Lines that are not shown are not compared. A line that ends in " ..." stands for one that goes on.
    """
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    sheets = []
    for kind, text in blocks(page):
        if kind == "python" and (named := FILE.match(text)):
            (tmp_path / named[1]).write_text(text, encoding="utf-8")
        elif kind == "toml":
            (tmp_path / "space.toml").write_text(text, encoding="utf-8")
        elif kind == "csv":
            fill_in(tmp_path / sheets[-1], text)
        elif kind == "console":
            for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
                assert_prints(command, expected, capsys)
                sheets += re.findall(r"ask .* --out (\S+\.(?:csv|xlsx))", command)


def fill_in(sheet, text):
    """What people write into a sheet: its columns are those that the page shows."""
    delimiter = ";" if ";" in text else ","
    rows = list(csv.reader(StringIO(text), delimiter=delimiter))
    if sheet.suffix == ".csv":
        assert sheet.read_text(encoding="utf-8-sig").splitlines()[0] == delimiter.join(rows[0])
        sheet.write_text(text, encoding="utf-8")
        return
    book = openpyxl.load_workbook(sheet)
    assert [cell.value for cell in book.active[1]] == rows[0]
    for row, line in enumerate(rows[1:], start=2):
        for column, cell in enumerate(line, start=1):
            number = re.fullmatch(r"[\d.]+", cell)
            book.active.cell(row, column).value = float(cell) if number else cell or None
    book.save(sheet)


def assert_prints(command, expected, capsys):
    program, *arguments = shlex.split(command)
    assert program == "unswayed"
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    out, err = capsys.readouterr()
    assert stop.value.code == 0, err
    lines = [line.rstrip().rstrip(" ─") for line in out.splitlines()]
    for line in expected.splitlines():
        if line.endswith(" ..."):
            assert any(one.startswith(line[: -len("...")]) for one in lines), line
        else:
            assert line.rstrip(" ─") in lines


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_space_files_can_be_read(page, tmp_path):
    for text in (text for kind, text in blocks(page) if kind == "toml"):
        (tmp_path / "space.toml").write_text(text)
        assert read_space(tmp_path / "space.toml").columns > 0


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_make_targets_exist(page):
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for text in (text for kind, text in blocks(page) if kind == "sh"):
        for line in text.splitlines():
            program, target = line.split("#")[0].split()
            assert program == "make"
            assert target in targets


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        assert link.startswith("https://") or (page.parent / link).exists(), link
    for path in re.findall(rf"`((?:{FOLDERS})/[\w/.-]*)`", text):
        known = path.removesuffix(PLACEHOLDER)
        assert any((folder / known).exists() for folder in CODE), path


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_to_sections_lead_to_a_heading(page):
    for name, section in re.findall(r"\]\(([\w./-]*)#([\w-]+)\)", page.read_text(encoding="utf-8")):
        target = page.parent / name if name else page
        headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
        assert section in {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in headings}, section


def test_every_folder_is_on_the_page_for_newcomers():
    text = (ROOT / "docs/house.md").read_text(encoding="utf-8")
    for path in (ROOT / "src/unswayed").iterdir():
        if path.name.startswith("__pycache__") or path.suffix not in ("", ".py"):
            continue
        assert f"`{path.name}{'/' * path.is_dir()}`" in text, path.name


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_table_is_torn(page):
    """The first row after an empty line is a head."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    assert re.findall(r"\n\n(\| .*)\n(?!\|-)", text) == []


def test_the_documentation_stays_short():
    """In words between spaces, as `wc -w` counts them: code and tables, written by hand or by scripts, count too."""
    words = {page: len(page.read_text(encoding="utf-8").split()) for page in PAGES}
    assert sum(words.values()) <= ALL_WORDS
    assert words[ROOT / "README.md"] <= README_WORDS
    assert [name_of(page) for page in PAGES if words[page] > PAGE_WORDS and page not in PROOFS] == []


def test_the_kinds_of_blocks_are_known():
    for page in PAGES:
        assert {kind for kind, _ in blocks(page)} <= {"python", "text", "console", "sh", "bash", "shell", "toml", "csv"}


def test_the_citation_has_the_version():
    assert f"version: {unswayed.__version__}\n" in (ROOT / "CITATION.cff").read_text()
