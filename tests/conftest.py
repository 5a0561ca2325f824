"""One BLAS thread for each test process, and one profile for hypothesis: no deadlines on shared machines."""

import os
import signal

# A shell ignores Ctrl-C for what it starts in the background, and so would all programs that the tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

from unswayed.cli import main  # noqa: E402

settings.register_profile("unswayed", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unswayed")


@pytest.fixture
def rng():
    return np.random.default_rng(12345)


@pytest.fixture
def unswayed(capsys):
    """Run the command line in this process: exit code, standard output, standard error."""

    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return stop.value.code, out, err

    return run
