"""Nothing that a file, a program or a user says is ever run as code."""

import ast

import pytest

from tests.source import FILES, calls, nodes, relative

# Modules that read code or objects from data, or give text to a shell.
MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal", "joblib", "yaml", "code", "codeop", "pty"}
BUILTINS = {"eval", "exec", "compile", "__import__", "execfile", "input"}
METHODS = {"os.system", "os.popen", "runpy.run_path", "runpy.run_module", "builtins.eval", "builtins.exec"}
SHELLS = {"sh", "bash", "/bin/sh", "/bin/bash", "cmd", "cmd.exe", "powershell"}
BY_NAME = {"import_module", "spec_from_file_location"}
# Files that import a module whose name is not written out there, and why nobody else can choose that name.
EXCEPTIONS = {
    "__init__.py": "the public names: the stub of the package says where each lives",
    "cli/app.py": "the commands: their names are written in the same file",
    "unswayed_gauntlet/optimizers/__init__.py": "the adapters: their names are written in the same file",
    "experiments/own.py": "MODULE:NAME that a user gives in order to run code of their own",
}
# Numba keeps compiled loops in a folder of its own (cache=True), and reads them back with pickle. That folder is beside
# the package or in the user's own cache, never beside data.


def faults(path):
    """What is forbidden in a file, as text."""
    for node in nodes(path):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        yield from (f"imports {name}" for name in names if name.split(".")[0] in MODULES)
        if isinstance(node, ast.Name) and node.id in BUILTINS:  # also where it is not called at once
            yield f"uses {node.id}"
    for name, node in calls(path):
        if name in METHODS or name.endswith((".read_pickle", ".to_pickle", ".literal_eval")):
            yield f"calls {name}"
        for keyword in node.keywords:
            if keyword.arg == "shell":
                yield "shell="
            if keyword.arg == "allow_pickle" and ast.unparse(keyword.value) != "False":
                yield "allow_pickle="
        if name.startswith("subprocess."):
            words = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}
            if SHELLS & words:
                yield "a shell"


def test_nothing_is_run_as_code():
    assert not [f"{relative(path)} {fault}" for path in FILES for fault in faults(path)]


def imported_by_name(path):
    """Imports of a module whose name is not a literal."""
    for name, node in calls(path):
        if name.split(".")[-1] in BY_NAME and not (node.args and isinstance(node.args[0], ast.Constant)):
            yield ast.unparse(node)


def test_the_names_of_modules_are_written_out():
    assert {relative(path) for path in FILES if list(imported_by_name(path))} == EXCEPTIONS.keys()


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "from pickle import loads",
        "import yaml\nyaml.load(x)",
        "import marshal",
        "eval(x)",
        "f = exec",
        "__import__(name)",
        "subprocess.run(x, shell=True)",
        "subprocess.run(x, shell=flag)",
        "subprocess.run(['sh', '-c', x])",
        "os.system(x)",
        "np.load(path, allow_pickle=True)",
        "pd.read_pickle(path)",
    ],
)
def test_each_fault_is_seen(tmp_path, text):
    (tmp_path / "t.py").write_text(text)
    assert list(faults(tmp_path / "t.py"))
