"""The pages that are made when the site is built: some files of the folder above, and the help of every command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main
from typer.core import TyperGroup

from unswayed.cli.app import app as commands

ROOT = Path(__file__).parent.parent
FILES = {name: ROOT / f"{name.upper()}.md" for name in ("readme", "changelog", "contributing")}
WIDTH = 88  # characters of a line of help


def make_page(app: Any, name: str, source: list[str]) -> None:
    """Replace or complete the text of a page that is made; for Sphinx's event `source-read`."""
    if name in FILES:
        app.env.note_dependency(FILES[name])
        source[0] = seen_from_docs(FILES[name].read_text(encoding="utf-8"))
        if name == "readme":  # whose title is that of the front page
            source[0] = source[0].replace("# Unswayed\n", "# README\n", 1)
    elif name == "reference/commands":
        source[0] += "\n".join(sections("unswayed", typer.main.get_command(commands)))


def seen_from_docs(text: str) -> str:
    """The links of a file in the folder above, as links of a page in this folder; a folder is no page."""
    text = re.sub(r"\[([^]\n]*)\]\((?!\w+:)[^)]*/\)", r"\1", text)
    for name, path in FILES.items():
        text = text.replace(f"]({path.name}", f"](docs/{name}.md")
    return re.sub(r"\]\((?!\w+:|#)(docs/)?", lambda link: "](" if link[1] else "](../", text)


def plain(text: str) -> str:
    """The help of a command without what makes it bold in a terminal."""
    return re.sub(r"\[/?bold\]", "", text)


def sections(name: str, command: Any) -> Iterator[str]:
    """A command with its help as a section, followed by those of its own commands."""
    command.rich_markup_mode, command.help = None, plain(command.help)
    context = command.make_context(name, [], resilient_parsing=True, terminal_width=WIDTH, max_content_width=WIDTH)
    own = {}
    if isinstance(command, TyperGroup):
        own = {f"{name} {word}": command.resolve_command(context, [word])[1] for word in command.list_commands(context)}
    text = command.get_help(context).split("\nCommands:\n")[0]
    yield f"\n## {name}\n\n```text\n{text}\n```\n"
    if own:
        yield "| command | what it does |\n|---|---|"
    for word, one in own.items():
        first = plain(one.help).split("\n\n")[0]
        yield f"| [`{word}`](#{word.replace(' ', '-')}) | {' '.join(first.split())} |"
    for word, one in own.items():
        yield from sections(word, one)
