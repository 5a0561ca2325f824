"""How long the whole paper takes: `unswayed reproduce` against one RGP-UCB run of a plain NumPy loop.

Both are timed within the same minute. Their ratio should be at most 60 with two processes on two cores.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from speed import plain_numpy_loop

from unswayed.experiments.registry import make_policy
from unswayed.problems import f1


def plain_run(horizon: int) -> float:
    problem = f1()
    policy = make_policy("rgp-ucb", problem, 100.0, horizon)
    noise = problem.noise_std * np.random.default_rng(0).standard_normal(horizon)
    begun = time.perf_counter()
    plain_numpy_loop(problem, lambda t: policy.beta(t, 0.0, 1.0) + policy.enlargement, noise)
    return time.perf_counter() - begun


def whole_paper(jobs: int, *options: str) -> float:
    """Seconds of the complete command in a new folder: start, runs, figures, page."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", "from unswayed.cli import main; main()", "reproduce"]
        begun = time.perf_counter()
        subprocess.run(
            [*command, "--out", str(Path(folder) / "out"), "--jobs", str(jobs), *options],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="time `reproduce --quick` instead")
    options = parser.parse_args()
    extra = ("--quick",) if options.quick else ()
    before = plain_run(50_000)
    seconds = whole_paper(options.jobs, *extra)
    after = plain_run(50_000)
    plain = min(before, after)
    print(json.dumps({"plain_s": plain, "reproduce_s": seconds, "ratio": seconds / plain, "jobs": options.jobs}))


if __name__ == "__main__":
    main()
