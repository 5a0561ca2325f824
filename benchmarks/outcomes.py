"""Single outcomes: 12 variants, 20,000 visits, conversions told one by one.

    python benchmarks/outcomes.py [--seeds 20]

The rates are 2 to 5%, evenly spaced; visits are asked for in batches of 1,000. A row is one study: the rank of the
recommended variant (0 is the best), how many outcomes were set aside, and the time of all asks. The last line is the
time of ask(6000) over that of ask(100), after 200 outcomes.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from unswayed import Optimizer, Options

VARIANTS = [f"variant {i}" for i in range(12)]


def visits(seed: int) -> tuple[int, int, float]:
    """Rank of what is recommended, outcomes set aside, and seconds spent on asking."""
    rng = np.random.default_rng(seed)
    rates = dict(zip(VARIANTS, rng.permutation(np.linspace(0.02, 0.05, 12)), strict=True))
    study, seconds = Optimizer(Options(VARIANTS), seed=seed), 0.0
    for _ in range(20):
        begun = time.perf_counter()
        plays = study.ask(1000)
        seconds += time.perf_counter() - begun
        for play in plays:
            study.tell(play, float(rng.uniform() < rates[play.point]))
    answer = study.answer()
    return sorted(VARIANTS, key=lambda name: -rates[name]).index(answer.point), len(answer.set_aside), seconds


def asking(plays: int) -> float:
    """Seconds for one call of ask."""
    rng, study = np.random.default_rng(0), Optimizer(Options(VARIANTS), seed=0)
    for play in study.ask(200):
        study.tell(play, float(rng.uniform() < 0.03))
    study.ask(1)
    begun = time.perf_counter()
    study.ask(plays)
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    rows = [visits(seed) for seed in range(parser.parse_args().seeds)]
    for seed, (rank, aside, seconds) in enumerate(rows):
        print(f"seed {seed}: rank {rank}, {aside} set aside, {seconds:.1f} s")
    print(f"best or second best in {sum(rank < 2 for rank, _, _ in rows)} of {len(rows)}")
    asking(100)  # imports and compiled code
    print(f"ask(6000) / ask(100) = {asking(6000) / asking(100):.1f}")


if __name__ == "__main__":
    main()
