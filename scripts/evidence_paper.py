"""The claims of the paper as a table, and the price of a guarantee, from `unswayed reproduce --beyond`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from evidence import RESULTS, numbers, table, whole

FILE = RESULTS / "paper.json"
KEPT = ("name", "section", "sentence", "verdict", "numbers", "note", "other_draws", "choice_of_draw")
MARKS = {"": "", "implied": " †", "made likely": " ‡", "made possible": " §"}
DRAWS = 20  # of f1 and the robot, beside ours
Claim = dict[str, Any]


def store(folder: Path) -> None:
    """Keep what the pages show of a finished `unswayed reproduce --beyond`."""
    from unswayed.experiments.store import RunFolder
    from unswayed.paper import certified
    from unswayed.paper.grid import Results, Scale

    found = RunFolder(folder)
    keys, _ = found.about()
    results = Results(found.read(keys), Scale(trials=10, horizon=50_000, beyond=True))
    claims = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    tables = {"price": certified.price_table(results), "guard": certified.guard_table(results)}
    text = {
        "command": "unswayed reproduce --beyond",
        "runs": len(keys),
        "claims": [{name: claim[name] for name in KEPT} for claim in claims],
        "tables": {name: {"columns": one.head, "rows": one.rows} for name, one in tables.items()},
    }
    FILE.write_text(json.dumps(text, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def claims() -> list[Claim]:
    found: list[Claim] = json.loads(FILE.read_text(encoding="utf-8"))["claims"]
    return found


def between(claim: Claim, text: str = "{:.0f}", *, only: str = "") -> str:
    """The smallest and the largest number of a claim."""
    values = [value for part, value in claim["numbers"].items() if only in part]
    low, high = text.format(min(values)), text.format(max(values))
    return low if low == high else f"{low} to {high}"


def half_or_more(claim: Claim) -> str:
    shares = [share for share in numbers(claim["note"]) if share]
    return f"{min(shares):.0f}% to {max(shares):.0f}% of its epochs play half of the active arms or more"


def degrades(claim: Claim) -> str:
    attacked = {part: 100 * value - 100 for part, value in claim["numbers"].items() if "GP-UCB" not in part}
    lost = [part for part, more in attacked.items() if more > 25]
    setting = lost[0].rpartition(", ")[0]
    names = " and ".join(part.rpartition(", ")[2].capitalize() for part in lost)
    usual = max(more for part, more in attacked.items() if part not in lost)
    return (
        f"at most {usual:.0f}% more regret under attack, but {attacked[lost[0]]:.0f}% on {setting}, under {names}; "
        f"without attack, {between(claim, only='GP-UCB')} times the regret of GP-UCB"
    )


def less_than_one(claim: Claim, only: str) -> list[bool]:
    return [value < 1 for part, value in claim["numbers"].items() if only in part]


REMARKS: dict[str, Callable[[Claim], str]] = {
    "small-subset": half_or_more,
    "degrades-minimally": degrades,
    "figure-1-trend": lambda c: (
        f"GP-UCB has {between(c, only='gp-ucb')} times the regret, RGP-PE {between(c, '{:.2f}', only='rgp-pe')} times"
    ),
    "two-regrets": lambda c: (
        "for the values of the plays; not if all arms count as corrupted, because C is charged for plays only "
        f"({between(c, '{:,.0f}', only='f1, C = 50, values of all')} apart on f1)"
    ),
    "narrower-width": lambda c: f"its median is {between(c, '{:.2f}')}",
    "psi-costs": lambda c: "from psi = 0.1 on the robot, from 0.25 on f1; psi = 0 is worse than 0.1 on both",
    "theory-gap": lambda c: f"they exceed the regret {between(c, '{:,.0f}')} times",
    "few-epochs": lambda c: f"at most {between(c)}",
    "too-wide": lambda c: f"{between(c)} times the regret without attack",
    "u-like-l": lambda c: f"u_h/l_h reaches {between(c)}",
    "length-scale": lambda c: f"{between(c, '{:.2f}')}; the paper, on its own points: 1.94",
    "more-exploration": lambda c: (
        f"for GP-UCB; for the robust policies in {sum(less_than_one(c, 'rgp'))} of {len(less_than_one(c, 'rgp'))} cases"
    ),
    "rgp-ucb-robust": lambda c: "under Top-3 on f1 it ends on the second-best arm in nine of ten trials",
    "later-similar": lambda c: "not for that same case, which hurts less when it comes later",
    "later-exceptions": lambda c: "none does",
    "slightly-suboptimal": lambda c: f"{between(c, '{:.2f}')} below the best, the second-best arm",
    "f1-100-indistinguishable": lambda c: "they lead to two different arms",
    "appendix-gp-ucb": lambda c: "on Robot3D, Top-5 runs out of budget and GP-UCB recovers",
    "appendix-one-arm": lambda c: f"up to {max(c['numbers'].values()):.0f} are left on f1 under Top-3 and Top-5",
    "appendix-robust": lambda c: "with C = 100 on f1, Top-3 and Top-5 lead RGP-PE to the second-best arm",
    "appendix-later-similar": lambda c: "on f1, Top-3 and Top-5 hurt RGP-PE less when they come later",
    "appendix-later-exceptions": lambda c: "none does",
}


def row(claim: Claim) -> list[str]:
    section = claim["section"].split(",")[0].replace("Appendix", "App.").replace("Figure", "Fig.")
    remark = REMARKS.get(claim["name"])
    verdict = f"{claim['verdict']}{MARKS[claim['choice_of_draw']]}" + (f": {remark(claim)}" if remark else "")
    draws, _, holds, *_ = numbers(claim["other_draws"])
    assert draws == DRAWS, "the page says of how many draws"
    return [section, claim["sentence"].rstrip("."), verdict, f"{holds:.0f}"]


def ledger() -> Iterator[str]:
    """Every claim with its verdict."""
    return table(["section", "claim", "verdict", "other draws"], map(row, claims()), left=3)


def counted() -> Iterator[str]:
    found = Counter(claim["verdict"] for claim in claims())
    yield (
        f"Of {found.total()} claims, {found['holds']} hold, {found['holds partly']} hold partly and "
        f"{found['does not hold']} do not hold:"
    )


def shares(claim: Claim) -> tuple[float, float]:
    """The shares of its parts about f1 that hold where GP-UCB settles without an attack, and where it does not."""
    parts = claim["other_draws"].split("Of the parts about f1: ")[1]
    settled, other = (float(share) for share in re.findall(r"(\d+)% on the", parts))
    return settled, other


def means(line: str) -> str:
    """A line of a table without the deviations of its means."""
    return re.sub(r" ± [\d,.]+", "", line)


def choice() -> Iterator[str]:
    """What the choice of the draw does to the claims that it makes likely."""
    more = []
    for claim in claims():
        if claim["choice_of_draw"] == "made likely":
            settled, other = shares(claim)
            more.append(settled - other)
    yield (
        f"- ‡ makes them likely: on other draws, {min(more):.0f} to {max(more):.0f} percentage points more of these "
        "parts hold where GP-UCB settles without an attack than where it does not;"
    )


BLOCKS = {
    "claims": ledger,
    "claims-counted": counted,
    "claims-choice": choice,
    "price-of-a-guarantee": lambda: whole("paper", "price", left=2, drop=("largest", "C"), only="50"),
    "guard": lambda: map(means, whole("paper", "guard", drop=("guard",))),
}
