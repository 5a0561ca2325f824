"""The source of both packages, parsed once for all rules of style."""

import ast
from functools import cache
from pathlib import Path

import unswayed
import unswayed_gauntlet

ROOT = Path(unswayed.__file__).parent
GAUNTLET = Path(unswayed_gauntlet.__file__).parent
FILES = sorted([*ROOT.rglob("*.py"), *GAUNTLET.rglob("*.py")])


def relative(path):
    return path.relative_to(ROOT if ROOT in path.parents else GAUNTLET.parent).as_posix()


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path):
    """Every node of a file."""
    return tuple(ast.walk(tree(path)))


def dotted(node):
    """The name of what is called, `a.b.c`; what has no name is "?"."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def calls(path):
    """The name and the node of each call."""
    return ((dotted(node.func), node) for node in nodes(path) if isinstance(node, ast.Call))
