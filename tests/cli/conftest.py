"""The command line, run in this process."""

import pytest

from unswayed.cli import main


@pytest.fixture
def unswayed(capsys):
    """Run the command line in this process: exit code, standard output, standard error."""

    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return stop.value.code, out, err

    return run
