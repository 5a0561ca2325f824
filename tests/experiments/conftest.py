import pytest

from tests.experiments.small_sweep import Inline, run


@pytest.fixture(scope="package")
def undisturbed(tmp_path_factory):
    """The folder of a sweep that nothing has disturbed."""
    path = tmp_path_factory.mktemp("undisturbed") / "runs"
    assert run(path, Inline()) == []
    return path
