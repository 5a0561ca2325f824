"""Tables and sentences of stored results that are tables already: guarantees, lies, published winners, the server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from evidence import Lines, numbers, stored, table, whole

SKIPPED = (
    "metric",
    "runs of each",
    "mean of the winner",
    "noise of a run",
    "lead",
    "lead, in noise of a mean",
    "forged runs",
    "could be first (the worst)",
)


def bare(text: str) -> str:
    """A mean regret without its smallest and largest value: "20,324 (17,965 to 22,236), 5/5" becomes "20,324, 5/5"."""
    return re.sub(r" \([\d,.]+ to [\d,.]+\)", "", text)


def regrets(name: str, part: str, *, drop: Sequence[str] = (), without: Sequence[str] = ()) -> Iterator[str]:
    """A stored table of regrets, means only, without some columns and rows."""
    for line in map(bare, whole(name, part, drop=drop)):
        if not line.startswith(tuple(f"| {row} |" for row in without)):
            yield line


def assumptions() -> Iterator[str]:
    """The wrong assumptions that did harm in any setting, beside the true ones."""
    columns, rows = stored("assumptions", "misses")
    harmless = [row for row in rows if row[0] != "all true" and not any(numbers(cell)[:1] > [0] for cell in row[1:])]
    yield from table(columns, ([cell.removesuffix(" of 200") for cell in row] for row in rows if row not in harmless))
    yield ""
    yield f"No run missed with {', '.join(row[0] for row in harmless)}."


def trimmed() -> Iterator[str]:
    """Trimmed-PE under attack; without one its regret is the same, or nearly."""
    columns, rows = stored("lies", "trimmed")
    return table(columns, ([bare(cell) for cell in row] for row in rows if row[columns.index("lies told")] != "0"))


def credible() -> Iterator[str]:
    """The families with a false bound, and how many the others are."""
    parts = (("estimated", ""), ("held-out", "yes"))
    rows = [[row[0], held_out, row[2]] for part, held_out in parts for row in stored("coverage", part)[1]]
    wrong = [row for row in rows if numbers(row[2])[0] > 0]
    others = [numbers(row[2])[1] for row in rows if row not in wrong and not row[2].endswith("/ 0")]
    yield from table(["family", "held out", "false / printed"], wrong)
    yield ""
    yield f"None of the {sum(others):.0f} bounds of {len(others)} other families is false."


def coverage_words() -> Lines:
    """How often certificates and credible bounds are false."""
    _, given = stored("coverage", "given")
    false = sum(int(row[2]) for row in given)
    yield (
        f"Certificates: {false} false sentences in {len(given)} families of 200 studies each, also where the best "
        f"option was dropped ({sum(int(row[3] or 0) for row in given)} times). Credible bounds, by family:"
    )


def false_words() -> Lines:
    """The worst family, and the sum."""
    rows = [row for part in ("estimated", "held-out") for row in stored("coverage", part)[1]]
    pairs = [numbers(row[2]) for row in rows]
    worst = max(false / printed for false, printed in pairs if printed)
    false, printed = (sum(column) for column in zip(*pairs, strict=True))
    yield f"The worst family has {worst:.0%} of false bounds; all together {false:.0f} of {printed:.0f} are false."


def refit_words() -> Lines:
    ((sets, median, low, high, least, nine, half, changes, changed),) = stored("refit", "refit")[1]
    yield (
        f"In {sets} data sets the budget with refit is {median} of the budget with the model held fixed (median; "
        f"quartiles {low} and {high}, smallest {least}). It is below 0.9 of it in {nine} sets and below half in "
        f"{half}. Of {changes} random changes of one measurement below 90% of the budget with refit, {changed} "
        "changed the winner of a new audit."
    )


def audit_words() -> Lines:
    """Audits that name a source, and A/B tests with bots."""
    rows = {kind: row for kind, *row in stored("audits", "sources")[1]}
    sets, blamed = rows["honest"][:2]
    noisy, off, random = rows["5 times"], rows["off"], rows["random"]
    yield (
        f"- **Audits that name a source**, {sets} of each kind, 3 to 8 sources: if all are honest, one is blamed in "
        f"{blamed}. One with five times the noise is blamed in {noisy[2]}, called noisier in {noisy[3]}. One that is "
        f"off by 30% of the range is found in {off[2]}; one that reports random numbers is set aside in {random[2]} "
        f"and called noisier in {random[3]}. Another source is blamed beside these in {noisy[1]}, {off[1]} and "
        f"{random[1]}."
    )
    ab = dict(stored("ab", "totals")[1])
    yield (
        f'- **A/B tests** of ten kinds: "yes" without a difference in {ab["without a difference: yes"]} of '
        f"{ab['without a difference']}, bots or not; honest A/A tests called tampered in {ab['A/A: tampered']} of "
        f'{ab["A/A"]}; with a lift of 5 to 25% "yes" for the right variant in {ab["lifts: right"]} of {ab["lifts"]}, '
        f"by two-proportion tests with Holm's correction in {ab['lifts: right by Holm']}."
    )
    yield (
        "- **Bots that make the winner** of such a test, 4 to 16 standard deviations of a day on two or four of 14 "
        f'days: "no: tampered" in {ab["won by bots: tampered"]} of {ab["won by bots"]}, "yes" in '
        f"{ab['won by bots: yes']}."
    )
    columns, rows = stored("ab", "values")
    at = columns.index("honest: no: tampered")
    tampered = "; ".join(f"{row[0]}, {row[at]} of {sum(map(int, row[at - 2 : at + 1]))}" for row in rows)
    yield f"- **Honest values** called tampered: {tampered}."


def liars() -> Iterator[str]:
    """A line for each liar and number of plays: the gap if sources are told, and if not."""
    _, rows = stored("liars", "liars")
    label, lines = "", []
    for told, untold in zip(rows[::2], rows[1::2], strict=True):
        label = told[0] or label
        lines.append([label, told[1], told[3], untold[3], *told[4:]])
    return table(["liar", "plays", "gap, sources told", "gap, not told", "liar named", "honest worker blamed"], lines)


def threats() -> Iterator[str]:
    """A line for what was told, with 60 and with 200 plays."""
    _, rows = stored("threats", "threats")
    few, many = ({row[1]: row[2:] for row in rows if row[0] == plays} for plays in ("60", "200"))
    titles = ["told", "gap, 60 plays", "above 10%", "gap, 200 plays", "above 10%"]
    return table(titles, ([told, *few[told], *many[told]] for told in few))


def telling() -> Iterator[str]:
    """What a tell costs, without the comparisons with bare inserts."""
    columns, rows = stored("service", "telling")
    return table(columns, (row for row in rows if " against " not in row[0]))


def winners() -> Iterator[str]:
    """The tables of trained networks, without the columns that only explain others."""
    return whole("fragile_winners", "tables", left=2, drop=SKIPPED)


def laboratories() -> Iterator[str]:
    return whole(
        "fragile_winners", "laboratories", left=2, drop=("metric", "verdict", "repeated", "runs of winner and rival")
    )


def hplc_words() -> Lines:
    """How far the two values of a point are apart."""
    columns, rows = stored("fragile_winners", "hplc")
    found = dict(rows)
    half, most, every = (
        found[f"{pairs} by at most"]
        for pairs in ("half of the pairs differ", "nine pairs in ten differ", "all pairs differ")
    )
    yield (
        f"Of {columns[0]}, half differ by at most {half}, nine in ten by at most {most}, and all by at most {every}. "
        f"{found['pairs of zeros']} are pairs of zeros, and {found['pairs with one value of 0']} have one zero."
    )


def duels() -> Iterator[str]:
    """Mean votes until a leader is certain against 20 forged votes, by who chooses the duels."""
    rows = [*stored("duels", "votes")[1], *stored("duels", "flat")[1]]
    kept = ([*row[:2], *row[3:5], *row[6:]] for row in rows if row[2] == "20")
    bare_rows = ([re.sub(r" \(.*\)", "", cell) for cell in row] for row in kept)
    return table(["options", "spread", "study", "uniform", "even", "ratio"], bare_rows)


def duels_words() -> Lines:
    """How many leaders are false, or fall."""
    settled = [stored("duels", f"false, {part}")[1][0] for part in ("votes", "flat")]
    many, wrong, fallen = (sum(int(numbers(row[place])[0]) for row in settled) for place in range(3))
    ((studies, near, false),) = stored("duels", "near")[1]
    yield (
        f"Of {many:,} certain leaders {wrong} were false and {fallen} fell to the k cheapest forged votes. Where the "
        f"best of four wins 51%, {studies} studies of 3,000 votes settled {near} times, {false} times falsely."
    )


def winners_words() -> Lines:
    """What the tables say, counted."""
    columns, rows = stored("fragile_winners", "tables")
    at = {column: place for place, column in enumerate(columns)}
    tied = [row for row in rows if row[at["forged runs"]] == "0"]
    rest = [row for row in rows if row not in tied]
    in_noise = [float(row[at["budget, in noise of a run"]]) for row in rest]
    between = [int(row[at["forged between"]]) for row in rest]
    one = sum(row[at["forged runs"]] == "1" for row in rest)
    labs_columns, labs = stored("fragile_winners", "laboratories")
    fragile = sum(row[labs_columns.index("forged runs")] == "1" for row in labs)
    yield f"- {len(tied)} of {len(rows)} tables have no winner: several configurations share the best mean."
    yield f"- {len(rest)} tables have a winner. One forged run overturns {one} of these."
    yield (
        f"- In {sum(number <= 1 for number in in_noise)} of them a change of one run by at most the noise of a run is "
        "enough."
    )
    yield f"- In all of them {max(in_noise):.2f} times that noise is enough."
    yield (
        f"- In {between.count(1)} of them the forged value can lie between recorded runs of the two best ones; in the "
        f"others {max(between)} such values are enough."
    )
    yield f"- One forged run overturns {fragile} of {len(labs)} winners of laboratories."


BLOCKS = {
    "theorems": partial(whole, "theorems", "bounds"),
    "price": partial(whole, "price", "price"),
    "strongest": partial(whole, "strongest", "strongest"),
    "assumptions": assumptions,
    "certificate-coverage": coverage_words,
    "credible-coverage": credible,
    "credible-words": false_words,
    "refit": refit_words,
    "audits": audit_words,
    "liars": liars,
    "threats": threats,
    "spikes": partial(regrets, "lies", "spikes", without=("GP-UCB, not clipped", "RGP-PE, not clipped")),
    "trimmed": trimmed,
    "sources": partial(
        regrets,
        "lies",
        "sources",
        drop=("2 of 8 lie", "2 of 20 lie"),
        without=("influence-UCB, C = 50", "influence-UCB, C = 5,000"),
    ),
    "forrester": partial(regrets, "forrester", "5 lies", drop=("near-far, huge",), without=("GP-UCB, clipped",)),
    "telling": telling,
    "serving": partial(whole, "service", "other"),
    "many-sources": partial(whole, "service", "sources"),
    "winners": winners,
    "laboratories": laboratories,
    "hplc": hplc_words,
    "winners-words": winners_words,
    "duels": duels,
    "duels-words": duels_words,
    "leaderboards": partial(whole, "fragile_leaderboards", "choices"),
    "scores": partial(whole, "fragile_leaderboards", "scores"),
}
