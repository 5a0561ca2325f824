"""How GP-UCB does on draws 0 to 59 of f1: the counts of docs/paper.md, "Details of a run".

    python scripts/draws.py

T = 50,000, C = 50, one trial for each draw and attack, seed 0. A draw has the first property if its best arm lies
outside the target region and less than h_max above the best inside it. It has the second if GP-UCB settles on it
without an attack. "Settled" and "linear regret" are outcomes of a `Run`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from unswayed import simulate
from unswayed.experiments.pool import GuardedPool
from unswayed.experiments.registry import PAPER_ATTACKS, make_attack, make_policy
from unswayed.paper.grid import well_posed
from unswayed.problems import f1
from unswayed.progress import progress_bar

T, C, DRAWS, JOBS = 50_000, 50.0, 60, 2


class Draw(NamedTuple):
    """One draw of f1: whether it has the first property, and the outcome of GP-UCB under each attack."""

    first: bool
    outcomes: dict[str, str]

    @property
    def second(self) -> bool:
        return self.outcomes["none"] == "settled"


def play(number: int) -> Draw:
    """GP-UCB against each attack of the paper."""
    problem = f1(number)
    policy = make_policy("gp-ucb", problem, C, T)
    attacks = {name: make_attack(name, problem) for name in PAPER_ATTACKS}
    runs = {name: simulate(problem, policy, attack, budget=C, horizon=T, seed=0) for name, attack in attacks.items()}
    return Draw(well_posed(problem), {name: run.outcome for name, run in runs.items()})


def count(draws: Sequence[Draw], attack: str, outcome: str) -> str:
    """On how many of these draws GP-UCB ends so."""
    return f"{sum(draw.outcomes[attack] == outcome for draw in draws)} of {len(draws)}"


def lines(draws: Sequence[Draw]) -> Iterator[str]:
    """The counts, in the order of the page."""
    second, rest = [draw for draw in draws if draw.second], [draw for draw in draws if not draw.second]
    both, alone = [draw for draw in second if draw.first], [draw for draw in second if not draw.first]
    first = sum(draw.first for draw in draws)
    yield f"{len(draws)} draws: {first} have the first property, {len(second)} the second, {len(both)} both"
    yield f"Flip, settled: {count(second, 'flip', 'settled')} with the second, {count(rest, 'flip', 'settled')} without"
    for name, attack in (("Clipping", "clipping"), ("AggSub", "aggsub")):
        alike, other = count(both, attack, "linear regret"), count(alone, attack, "linear regret")
        yield f"{name}, linear regret: {alike} with both, {other} with the second alone"
    for name, attack in (("Top-3", "top-3"), ("Top-5", "top-5"), ("No attack", "none")):
        yield f"{name}, linear regret: {count(draws, attack, 'linear regret')}"


def main() -> None:
    with progress_bar("draws", DRAWS) as done, GuardedPool(JOBS) as pool:
        draws = []
        for draw in pool.map(play, range(DRAWS)):
            draws.append(draw)
            done(1)
    print("\n".join(lines(draws)))


if __name__ == "__main__":
    main()
