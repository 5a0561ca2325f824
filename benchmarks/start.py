"""How quickly the package and its command line start: CPU time beside that of `import optuna`, measured in one run.

    python benchmarks/start.py

Medians of 10, taken in turns, so that a busy machine slows all of them alike. Exit code 1 if a limit is exceeded.
"""

from __future__ import annotations

import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

REPEATS = 10
REFERENCE = "import optuna"
PROGRAMS = {
    REFERENCE: ["-c", "import optuna"],
    "import unswayed": ["-c", "import unswayed"],
    "unswayed --help": ["-m", "unswayed", "--help"],
}
LIMITS = {"import unswayed": 0.3, "unswayed --help": 1.0}


def cpu_time(arguments: list[str]) -> float:
    """User and system time of one run of Python, in seconds."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    times: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for arguments in PROGRAMS.values():
        cpu_time(arguments)  # the first run compiles to bytecode and fills the cache of the disk
    for _ in range(REPEATS):
        for name, arguments in PROGRAMS.items():
            times[name].append(cpu_time(arguments))
    middle = {name: median(taken) for name, taken in times.items()}
    print(f"{'':18} {'CPU, ms':>8} {'ratio':>6} {'limit':>6}")
    slow = False
    for name, seconds in middle.items():
        ratio, limit = seconds / middle[REFERENCE], LIMITS.get(name)
        slow |= limit is not None and ratio > limit
        print(f"{name:18} {1000 * seconds:8.0f} {ratio:6.2f} {'' if limit is None else f'{limit:6.2f}'}")
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
