"""Tables of matches: stored runs of the gauntlet and of the games with few plays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from evidence import runs, table
from scipy.stats import rankdata, t

LOST = 0.1  # of the range: a larger gap is a lost game
ALL = ("unswayed", "unswayed-wary", "botorch", "gp", "tpe", "smac", "random")
FAST = ("unswayed", "unswayed-wary", "tpe", "random")  # they have played more games
WORST = ("hide", "strongest")  # the two liars that mislead most
MANY_PEAKS = "bbob-f15-5"
NAMES = {"unswayed": "Unswayed", "tpe": "Optuna's TPE", "botorch": "BoTorch"}
Row = dict[str, Any]
Game = tuple[str, str, int]  # corruption, problem, seed


@cache
def gauntlet() -> dict[str, dict[Game, Row]]:
    """The runs of each optimiser in the standard gauntlet, by game."""
    found: dict[str, dict[Game, Row]] = {}
    for row in runs("gauntlet"):
        found.setdefault(row["optimizer"], {})[row["corruption"], row["problem"], row["seed"]] = row
    return found


def shared(names: Sequence[str], wanted: Callable[[Game], bool] = lambda game: True) -> list[Game]:
    """The games that all of these have played."""
    return sorted(game for game in set.intersection(*(set(gauntlet()[name]) for name in names)) if wanted(game))


def attacked(game: Game) -> bool:
    return game[0] != "none"


def honest(game: Game) -> bool:
    return game[0] == "none"


def lost(name: str, games: Sequence[Game]) -> float:
    return float(np.mean([gauntlet()[name][game]["gaps"][-1] > LOST for game in games]))


def shares(label: str, values: Sequence[float | None]) -> list[str]:
    """A line of shares, the least in bold."""
    least = min(value for value in values if value is not None)
    shown = ["" if value is None else f"{value:.0%}" for value in values]
    return [label, *(f"**{text}**" if value == least else text for text, value in zip(shown, values, strict=True))]


def lost_games(names: Sequence[str]) -> Iterator[str]:
    """The share of lost games for each corruption, and over all attacked ones."""
    kinds = sorted({game[0] for game in shared(names)}, key=lambda kind: (kind != "none", kind))
    rows = []
    for kind in kinds:
        games = [game for game in shared(names) if game[0] == kind]
        rows.append(shares(f"`{kind}`", [lost(name, games) for name in names]))
    under_attack = shared(names, attacked)
    rows.append(shares(f"all {len(under_attack)} attacked", [lost(name, under_attack) for name in names]))
    middle = []
    for name in names:
        gaps = [100 * gauntlet()[name][game]["gaps"][-1] for game in under_attack]
        low, median, high = np.quantile(gaps, [0.25, 0.5, 0.75])
        middle.append(f"{median:.1f}% ({low:.1f} to {high:.1f})")
    rows.append(["median gap, attacked (quartiles)", *middle])
    return table(["lost", *names], rows)


def short() -> Iterator[str]:
    """The table of the README."""
    names = tuple(NAMES)
    rows = []
    for text, among, wanted in (
        ("under attack", ("unswayed", "tpe"), attacked),
        ("under attack, BoTorch's half", ALL, attacked),
        ("all values true", ("unswayed", "tpe"), honest),
        ("all values true, BoTorch's half", ALL, honest),
    ):
        games = shared(FAST if "botorch" not in among else ALL, wanted)
        values = [lost(name, games) if name in among else None for name in names]
        rows.append(shares(f"{text}: {len(games)} games", values))
    return table(["games lost", *NAMES.values()], rows)


def gauntlet_words() -> Iterator[str]:
    """What else the stored runs say."""
    ours, games = gauntlet()["unswayed"], shared(FAST, attacked)
    under = {
        kind: [row for one in gauntlet().values() for game, row in one.items() if game[0] == kind] for kind in WORST
    }
    lies = {kind: np.mean([row["lies"] for row in rows]) for kind, rows in under.items()}
    peaks = [row for name in FAST for game, row in gauntlet()[name].items() if game[1] == MANY_PEAKS]
    yield (
        "- **Hardest**: `strongest`, which sees what the optimiser believes, and `hide`, which lowers every good "
        f"value. They need {lies['strongest']:.1f} and {lies['hide']:.1f} lies a run on average."
    )
    if all(row["gaps"][-1] > LOST for row in peaks):
        yield (
            f"- **`{MANY_PEAKS}`** (Rastrigin in five dimensions) is lost in every game by the four fast ones, honest "
            "games included."
        )
    yield (
        f"- **Claims** of 95% are too narrow: {claims('unswayed', list(ours))} of `unswayed` are true "
        f"({claims('unswayed', [game for game in ours if not attacked(game)])} in honest games), and "
        f"{claims('botorch', list(gauntlet()['botorch']))} of BoTorch."
    )
    by_rule = {
        name: np.mean([gauntlet()[name][game]["gap_ours"] > LOST for game in games]) for name in ("tpe", "random")
    }
    yield (
        "- **The recommendation alone**: if Unswayed recommends from the same measurements, TPE loses "
        f"{by_rule['tpe']:.0%} of {len(games)} attacked games instead of {lost('tpe', games):.0%}, and random search "
        f"{by_rule['random']:.0%} instead of {lost('random', games):.0%}."
    )


def claims(name: str, games: Sequence[Game]) -> str:
    """The share of true 95% claims."""
    made = [row for game in games if (row := gauntlet()[name][game])["claim_low"] is not None]
    kept = sum(row["claim_low"] <= 1 - row["gaps"][-1] <= row["claim_high"] for row in made)
    return f"{kept / len(made):.0%} of {len(made)}"


Cell = dict[tuple[str, int], float]  # the gap in each problem and seed


@cache
def few() -> dict[tuple[str, int, int], dict[str, Cell]]:
    """By corruption, plays and plays so far, the gaps of each optimiser; attacked runs are read at their end."""
    found: dict[tuple[str, int, int], dict[str, Cell]] = {}
    for row in runs("few_plays"):
        for at, gap in zip(row["checkpoints"], row["gaps"], strict=True):
            if row["corruption"] == "none" or at == row["plays"]:
                cell = found.setdefault((row["corruption"], row["plays"], at), {}).setdefault(row["optimizer"], {})
                cell[row["problem"], row["seed"]] = gap
    return found


def few_lost() -> Iterator[str]:
    """The share of lost runs, and how many runs these are; in brackets where an optimiser has played fewer."""
    names = [name for name in ALL if any(name in cell for cell in few().values())]
    rows = []
    wanted = [key for key in few() if (key[1] == 100 if key[0] == "none" else key[1] != 100) or key[2] == 200]
    for key in sorted(wanted, key=lambda key: (key[0] != "none", key[1], key[0], key[2])):
        kind, plays, at = key
        values = [
            np.mean(np.array([*few()[key][name].values()]) > LOST) if name in few()[key] else None for name in names
        ]
        sizes = [len(few()[key].get(name, ())) for name in names]
        line = shares(f"{kind}, {at} of {plays}" if at < plays else f"{kind}, {plays} plays", values)
        counts = [f" ({size})" if 0 < size < max(sizes) else "" for size in sizes]
        rows.append([line[0], max(sizes), *(text + count for text, count in zip(line[1:], counts, strict=True))])
    return table(["lost", "runs", *names], rows)


def few_ranks() -> Iterator[str]:
    """Mean ranks of honest runs, and the difference of gaps to BoTorch's with Student's interval over problems."""
    for at in (40, 60, 100):
        cell = few()["none", 100, at]
        pairs = sorted(set.intersection(*(set(cell[name]) for name in ALL)))
        ranks = rankdata([[cell[name][pair] for pair in pairs] for name in ALL], axis=0).mean(axis=1)
        rank = dict(zip(ALL, ranks, strict=True))
        low, middle, high = difference(cell["unswayed"], cell["botorch"])
        yield (
            f"- **{at} plays**: mean rank {rank['unswayed']:.2f} for Unswayed and {rank['botorch']:.2f} for "
            f"BoTorch; difference of their gaps {100 * middle:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"
        )


def difference(one: Cell, other: Cell) -> tuple[float, float, float]:
    """The mean of paired differences, in the middle, and its 95% interval over problems."""
    by_problem: dict[str, list[float]] = {}
    for problem, seed in sorted(set(one) & set(other)):
        by_problem.setdefault(problem, []).append(one[problem, seed] - other[problem, seed])
    P = len(by_problem)
    sums, counts = np.array([[sum(group), len(group)] for group in by_problem.values()]).T
    mean = sums.sum() / counts.sum()
    half = t.ppf(0.975, P - 1) * np.sqrt(P / (P - 1) * np.square(sums - mean * counts).sum()) / counts.sum()
    return mean - half, mean, mean + half


def few_words() -> Iterator[str]:
    """What the runs with few plays say."""
    cells = [few()["none", 100, at] for at in (40, 60, 100)]
    lost_pairs = [pair for cell in cells for pair, gap in cell["unswayed"].items() if gap > LOST]
    (problem,) = {problem for problem, _ in lost_pairs}
    yield (
        f"- **Nobody lies**: from 40 plays on, every lost run of `unswayed` is on `{problem}`, a curved valley in a "
        "thousandth of its space."
    )
    worry = [100 * (share(cell["unswayed-wary"]) - share(cell["unswayed"])) for cell in cells]
    yield (
        f"- **Caution** (`unswayed-wary`) costs {worry[0]:.0f} points of lost runs at 40 plays and {worry[-1]:.0f} at "
        "100."
    )
    raised = [share(few()["promote", plays, plays]["unswayed"]) for plays in (60, 100, 200)]
    yield (
        "- **Lies that raise values** (`spikes`, `promote`) ruin optimisers that recommend the largest value. "
        f"`promote` still misleads {min(raised):.0%} to {max(raised):.0%} of the runs of `unswayed`: its lies agree "
        "with each other."
    )
    tpe, own = (share(few()["hide", 100, 100][name]) for name in ("tpe", "unswayed"))
    yield (
        f"- **Lies that lower good values** (`hide`) are the hardest for Unswayed: with 100 plays TPE loses {tpe:.0%} "
        f"and Unswayed {own:.0%}."
    )
    spent = [cost(name) for name in ("unswayed", "tpe", "botorch")]
    yield (
        f"- **Time** of a play, honest, 100 plays, one core: {spent[0]:.0f} ms; TPE {spent[1]:.1f} ms, BoTorch "
        f"{spent[2]:.0f} ms."
    )


def share(cell: Cell) -> float:
    return float(np.mean(np.array([*cell.values()]) > LOST))


def cost(name: str) -> float:
    """Mean CPU milliseconds of a play in honest runs of 100 plays."""
    wanted = (name, "none", 100)
    rows = [row for row in runs("few_plays") if (row["optimizer"], row["corruption"], row["plays"]) == wanted]
    return float(np.mean([1000 * row["seconds"][-1] / row["checkpoints"][-1] for row in rows]))


BLOCKS = {
    "gauntlet-short": short,
    "gauntlet-all": lambda: lost_games(ALL),
    "gauntlet-fast": lambda: lost_games(FAST),
    "gauntlet-words": gauntlet_words,
    "few-plays-lost": few_lost,
    "few-plays-ranks": few_ranks,
    "few-plays-words": few_words,
}
