"""Both packages are built in layers: imports go to the left only, and never sideways where that is forbidden."""

import ast
import os
import subprocess
import sys
from zipfile import ZipFile

import pytest

import unswayed
from tests import source
from tests.source import GAUNTLET, ROOT, calls, nodes, relative, tree

LAYERS = [
    {"types", "errors", "text", "forwarding", "progress"},
    {"core", "storage", "pages"},
    {"judgement"},
    {"spaces", "policies", "adversaries", "problems"},
    {"simulation", "search", "audits", "programs"},
    {"experiments"},
    {"study"},
    {"plots"},
    {"witness"},
    {"paper", "integrations", "service"},
    {"testing"},
    {"cli"},
    {"__main__"},
    *(
        {f"unswayed_gauntlet.{name}" for name in names.split()}
        for names in (
            "problems", "liars", "game", "optimizers", "match", "worker standard", "other_python report", "command"
        )
    ),
]  # fmt: skip
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# A result draws itself. The import stands in its method, so that a study does not need matplotlib.
PLOTS = {
    ("search/answer.py", "unswayed.plots.study"),
    ("audits/result.py", "unswayed.plots.audit"),
    ("audits/labels/audit.py", "unswayed.plots.labels"),
    ("audits/votes/audit.py", "unswayed.plots.votes"),
    ("audits/scores/audit.py", "unswayed.plots.scores"),
}
TOPS = {ROOT / "__init__.py", GAUNTLET / "__init__.py"}
FILES = [path for path in source.FILES if path not in TOPS]


def part(module):
    """The layer of a module, such as core or unswayed_gauntlet.liars."""
    package, name = module.split(".")[:2]
    return name if package == "unswayed" else f"{package}.{name}"


def imports(path):
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names if node.module == "unswayed")
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def outside(path):
    """The packages that a file imports."""
    return {module.split(".")[0] for module in imports(path)}


def test_imports_go_to_the_left():
    """The first layer is small modules without an order, except that errors import nothing."""
    wrong = []
    for path in FILES:
        name = relative(path)
        home = name if name.startswith("unswayed_gauntlet/") else f"unswayed/{name}"
        own = part(home.removesuffix(".py").replace("/", "."))
        assert own in LEVEL, f"{own} is in no layer"
        for module in imports(path):
            if (
                not module.startswith(("unswayed.", "unswayed_gauntlet."))
                or module == "unswayed.__version__"
                or (name, module) in PLOTS
            ):
                continue
            other = part(module)
            if other != own and LEVEL[other] >= LEVEL[own] and (LEVEL[own] > 0 or own == "errors"):
                wrong.append(f"{name} imports {module}")
    assert not wrong


def where(wrong):
    """The files to which this applies."""
    return [relative(path) for path in FILES if wrong(path)]


def test_optional_packages_are_imported_where_they_are_needed():
    def at_the_top(path):
        return {
            name.split(".")[0]
            for node in tree(path).body
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
        }

    assert not where(lambda path: "Box2D" in at_the_top(path))


def test_other_peoples_tools_are_imported_in_integrations_only():
    """And by the adapters of the gauntlet, which play against them."""
    users = where(lambda path: outside(path) & {"optuna", "distributed"})
    assert not [name for name in users if not name.startswith(("integrations/", "unswayed_gauntlet/optimizers/"))]


def test_one_file_knows_the_language_of_the_templates():
    assert where(lambda path: "jinja2" in outside(path)) == ["pages/render.py"]


def test_there_is_no_global_random_state():
    seeded = ("np.random.default_rng", "np.random.SeedSequence")
    used = [(relative(path), name) for path in source.FILES for name, _ in calls(path) if name.startswith("np.random.")]
    assert not [(path, name) for path, name in used if not name.startswith(seeded)]


def test_a_function_fits_on_a_screen():
    """At most 50 lines; only compiled loops may be longer."""
    functions = [
        (relative(path), node.name, node.end_lineno - node.lineno + 1)
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef) and "compiled" not in path.name
    ]
    assert not [one for one in functions if one[2] > 50]


def test_a_search_is_a_value():
    """No assertion that something is not None, and no copy of a half-changed object."""
    search = [path for path in FILES if relative(path).startswith("search/")]
    assert not [path.name for path in search if any(isinstance(node, ast.Assert) for node in nodes(path))]
    assert not [path.name for path in search if "copy" in imports(path)]


def test_algorithms_fit_on_a_few_screens():
    wrong = where(lambda path: len(path.read_text().splitlines()) > 150)
    assert not [name for name in wrong if name.startswith(("policies/", "adversaries/"))]


def test_the_public_names_exist():
    for name in unswayed.__all__:
        assert hasattr(unswayed, name)


def test_every_import_of_the_stub_is_a_public_name():
    stub = ast.parse((ROOT / "__init__.pyi").read_text())
    seen = {alias.name: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == unswayed._homes()
    names = {}
    exec("from unswayed import *", names)  # noqa: S102
    assert seen.keys() <= names.keys()
    assert seen.keys() <= set(dir(unswayed))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        unswayed.nothing  # noqa: B018


def test_the_package_can_be_imported_from_a_zip(tmp_path):
    with ZipFile(tmp_path / "package.zip", "w") as archive:
        for path in ROOT.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, path.relative_to(ROOT.parent))
    code = "import unswayed; print(unswayed.__file__, unswayed.Box({'x': unswayed.Real(0, 1)}).columns)"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "package.zip")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert "package.zip" in done.stdout
