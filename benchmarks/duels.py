"""How many votes until a leader is certain? `python benchmarks/duels.py [--seeds N | --flat N | --near N]`.

Options whose scores are normal with a spread are compared two at a time by honest judges, until the leader is first by
more than chance, also if k votes are forged and somebody looks after every vote: then a study is settled.
The duels are chosen by

    study       the study: the leader and the rival that may be better by most
    uniform     the pair that was compared least
    variance    the pair whose difference is least certain
    even        the pair whose outcome is least certain: the variance times p (1 - p), closest to even

All have the same options, the same scores and the same luck. Truly equal options have no leader: the best option is at
least GAP above the second. A false leader is not the best option; one has fallen if another option is first, by a fit
of scikit-learn, after the k cheapest votes say the opposite.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from unswayed.audits.votes.data import LEFT, RIGHT, VoteData
from unswayed.core.tampering.threat import Threat
from unswayed.core.votes import flipped, leads
from unswayed.core.votes.bradley_terry import RIDGE, fit, slope_and_bend
from unswayed.study.dueling import Standing

CASES = [(10, 0.5), (10, 1.0), (10, 2.0), (20, 0.5), (20, 1.0), (20, 2.0)]  # options, spread of the scores
FLAT = [(10, 0.0)]
LIES = (0, 5, 20)
GAP = 0.2  # the best wins 55% against the second
MOST = 40_000  # votes
LOOKS = 50  # between two looks are 1/50 of the votes so far
NEAR, NEAR_MOST = 0.05, 3_000  # the best option wins 51% against each of three others; votes, at most
DELTA = 0.05
FILE = Path(__file__).parent / "results" / "duels.json"

Worth = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # of each pair: votes, variances, probabilities


def data_of(wins: np.ndarray) -> VoteData:
    """A table of wins as a study has it."""
    a, b = np.nonzero(wins)
    names = tuple(map(str, range(len(wins))))
    number = wins[a, b].astype(np.int64)
    said, nobody = np.full(len(a), LEFT), np.zeros(len(a), dtype=np.int64)
    return VoteData(names, a, b, said, number, None, nobody, sides=LEFT == RIGHT)


RULES: dict[str, Worth | None] = {
    "study": None,
    "uniform": lambda votes, variance, p: -votes,
    "variance": lambda votes, variance, p: variance,
    "even": lambda votes, variance, p: variance * p * (1 - p),
}


def largest(worth: np.ndarray, upper: tuple[np.ndarray, ...], rng: np.random.Generator) -> tuple[int, int]:
    """The pair of the largest worth; of equal ones any."""
    values = worth[upper]
    best = rng.choice(np.flatnonzero(values >= values.max() - 1e-9))
    return int(upper[0][best]), int(upper[1][best])


class Fit:
    """The scores after some votes, and the variances of differences, kept up to date with every further vote."""

    def __init__(self, wins: np.ndarray) -> None:
        theta = fit(wins)
        self.p = expit(theta[:, None] - theta)
        self.inverse = np.linalg.inv(slope_and_bend(wins, theta, RIDGE)[1])

    def variance(self) -> np.ndarray:
        d = np.diagonal(self.inverse)
        return d[:, None] + d - 2 * self.inverse

    def vote(self, a: int, b: int) -> None:
        g, u = self.p[a, b] * self.p[b, a], self.inverse[:, a] - self.inverse[:, b]
        self.inverse -= np.outer(u, u) * (g / (1 + g * (u[a] - u[b])))


def scores(options: int, spread: float, seed: int) -> np.ndarray:
    """True scores, the best one at least GAP above the others."""
    theta = np.random.default_rng(seed).normal(0, spread, options)
    first, second = np.argsort(-theta)[:2]
    theta[first] = max(theta[first], theta[second] + GAP)
    return theta


def votes_needed(theta: np.ndarray, rule: str, seed: int, lies: tuple[int, ...] = LIES) -> list[tuple[int, int, bool]]:
    """For each number of lies: how many votes, the leader, and whether the worst k forged votes change it.

    The study asks for each number of lies in another way; the other rules ask as if there were none.
    """
    if rule != "study":
        return played(theta, rule, seed, lies)
    return [played(theta, rule, seed, (k,))[0] for k in lies]


def played(
    theta: np.ndarray, rule: str, seed: int, lies: tuple[int, ...], most: int = MOST
) -> list[tuple[int, int, bool]]:
    wins, found = np.zeros((len(theta), len(theta))), []
    luck, rng = np.random.default_rng(seed + 1_000), np.random.default_rng(seed + 2_000)
    worth, left, total, upper = RULES[rule], list(lies), 0, np.triu_indices(len(theta), 1)
    standing = Standing.of(data_of(wins), Threat(lies=left[0]), DELTA)
    while left and total < most:
        known, more = Fit(wins), np.zeros(len(theta), dtype=np.int64)
        for _ in range(max(1, total // LOOKS)):
            if worth is None:
                a, b = standing.leader, int(np.argmax(standing.beyond(more)))
                more[b] += 1
            else:
                a, b = largest(worth(wins + wins.T, known.variance(), known.p), upper, rng)
                known.vote(a, b)
            over, under = (a, b) if luck.random() < expit(theta[a] - theta[b]) else (b, a)
            wins[over, under] += 1
            total += 1
        data = data_of(wins)
        while left:
            standing = Standing.of(data, Threat(lies=left[0]), DELTA)
            if standing.beyond().max() > 0:
                break
            found.append((total, standing.leader, falls(data, standing.leader, left.pop(0))))
    return found + [(most, -1, False)] * len(left)


def falls(data: VoteData, leader: int, k: int) -> bool:
    """Whether the leader is not first any more after the k cheapest forged votes, of any rival."""
    wins = data.votes.wins
    others = np.flatnonzero(np.arange(len(wins)) != leader)
    easiest = sorted(leads(wins, leader, others), key=lambda one: one.votes)[:3]
    for one in easiest:
        forged, left = wins.copy(), k
        for move in flipped(data.votes, one).plan:
            number = min(move.number, left)
            forged[move.over, move.under] -= number
            forged[move.under, move.over] += number
            left -= number
        if np.argmax(by_another_solver(forged)) != leader:
            return True
    return False


def by_another_solver(wins: np.ndarray) -> np.ndarray:
    """The scores by scikit-learn."""
    x, y = np.nonzero(wins)
    design = np.zeros((len(x), len(wins)))
    design[np.arange(len(x)), x], design[np.arange(len(x)), y] = 1, -1
    both, outcome = np.vstack([design, -design]), np.repeat([1, 0], len(x))
    model = LogisticRegression(C=1 / (2 * RIDGE), fit_intercept=False, solver="newton-cholesky", tol=1e-10)
    return np.asarray(model.fit(both, outcome, sample_weight=np.tile(wins[x, y], 2)).coef_[0])


def shown(values: np.ndarray) -> str:
    return f"{values.mean():,.0f} ({np.percentile(values, 25):,.0f} to {np.percentile(values, 75):,.0f})"


def comparison(seeds: int, cases: list[tuple[int, float]], name: str) -> None:
    """How many votes each rule needs, and how often a leader is false or falls."""
    rows, wrong, fallen, runs = [], 0, 0, 0
    for options, spread in cases:
        cells = {(k, rule): [] for k in LIES for rule in RULES}
        for seed in range(seeds):
            theta = scores(options, spread, seed)
            for rule in RULES:
                for k, (total, leader, fell) in zip(LIES, votes_needed(theta, rule, seed), strict=True):
                    cells[k, rule].append(total)
                    runs += leader >= 0
                    wrong += leader not in (-1, int(np.argmax(theta)))
                    fallen += fell
        for k in LIES:
            votes = {rule: np.array(cells[k, rule]) for rule in RULES}
            ratio = votes["study"].mean() / votes["uniform"].mean()
            rows.append([str(options), f"{spread:g}", str(k), *(shown(votes[rule]) for rule in RULES), f"{ratio:.2f}"])
            print(*rows[-1], sep=" | ", flush=True)
        print("settled, false leaders, leaders that fall:", runs, wrong, fallen, flush=True)
    store(name, ["options", "spread", "k", *RULES, "study / uniform"], rows)
    store(f"false, {name}", ["settled", "false leaders", "fallen"], [[f"{runs:,}", str(wrong), str(fallen)]])


def near_ties(seeds: int) -> None:
    """How often a leader is false where the best option is hardly better than all others."""
    theta, settled, wrong = np.array([NEAR, 0.0, 0.0, 0.0]), 0, 0
    for seed in range(seeds):
        ((_, leader, _),) = played(theta, "study", seed, (0,), NEAR_MOST)
        settled += leader >= 0
        wrong += leader > 0
        print(seed, settled, wrong, flush=True)
    store("near", ["studies", "settled", "false leaders"], [[str(seeds), str(settled), str(wrong)]])


def store(name: str, columns: list[str], rows: list[list[str]]) -> None:
    """Put a table among the stored ones."""
    known = json.loads(FILE.read_text(encoding="utf-8"))["tables"] if FILE.exists() else {}
    known[name] = {"columns": columns, "rows": rows}
    command = "python benchmarks/duels.py, and with --flat 10 and --near 300"
    FILE.write_text(json.dumps({"command": command, "tables": known}, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20, help="of the comparison")
    parser.add_argument("--flat", type=int, metavar="SEEDS", help="only options that all are as good, but for the best")
    parser.add_argument("--near", type=int, metavar="SEEDS", help="only near ties")
    arguments = parser.parse_args()
    if arguments.near:
        near_ties(arguments.near)
    elif arguments.flat:
        comparison(arguments.flat, FLAT, "flat")
    else:
        comparison(arguments.seeds, CASES, "votes")


if __name__ == "__main__":
    main()
