"""What a second BLAS thread costs a study: `maximize` with 100 plays in a box of four dimensions.

    python benchmarks/threads.py [--repeats 5]

Compares the default environment with OMP_NUM_THREADS=1, in turn, on an idle machine and beside two busy loops. Limits:
1.2 times the CPU time and 1.3 times the wall time. The exit code is 1 if one is exceeded.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time

STUDY = """
import unswayed as uw
space = uw.Box({name: uw.Real(0, 1) for name in "abcd"})
uw.maximize(lambda p: -sum((x - 0.3) ** 2 for x in p.values()), space, plays=100, threat=1.0, seed=0)
"""
LIMITS = {"CPU": 1.2, "wall": 1.3}
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def measure(one_thread: bool) -> tuple[float, float]:
    """CPU and wall seconds of one study in a process of its own."""
    environment = {name: value for name, value in os.environ.items() if name not in THREADS}
    if one_thread:
        environment["OMP_NUM_THREADS"] = "1"
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-c", STUDY], env=environment, check=True)
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, end - start


def compare(repeats: int) -> dict[str, float]:
    """Medians of the default environment over those of one thread."""
    pairs = [(measure(False), measure(True)) for _ in range(repeats)]
    found = {}
    for place, name in enumerate(LIMITS):
        default, single = (statistics.median(pair[side][place] for pair in pairs) for side in (0, 1))
        found[name] = default / single
        print(f"  {name:5s} {default:6.2f} s by default, {single:6.2f} s with one thread: {found[name]:.2f} times")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    measure(True)  # imports and compiled code are cached from now on
    print(f"medians of {repeats}, nothing else running")
    ratios = [compare(repeats)]
    print("beside two busy loops")
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        ratios.append(compare(repeats))
    finally:
        for process in busy:
            process.kill()
            process.wait()
    return int(any(one[name] > limit for one in ratios for name, limit in LIMITS.items()))


if __name__ == "__main__":
    sys.exit(main())
