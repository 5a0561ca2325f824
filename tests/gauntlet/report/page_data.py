"""Invented rows of the gauntlet, and pages taken apart."""

from html.parser import HTMLParser

import numpy as np

from unswayed.experiments.sweep import Failure
from unswayed_gauntlet.match import Match
from unswayed_gauntlet.report.page import page

PROBLEMS, ATTACKS = ("branin-2", "camel-2", "hplc", "levy-10"), ("spikes", "hide", "worker")
SLOW = "botorch"  # plays half of the problems
SETTINGS = {"command": "unswayed gauntlet --plays 60 --seeds 3", "version": "0.2.0", "jobs": 2}
HARM = "</td></script></style><script>document.title='PWNED'</script><img src=x onerror=alert(1)>'\"&\u202e\n"
VOID = {"link", "meta"}


def row(optimizer, problem="branin-2", corruption="none", seed=0, gap=0.05, plays=60, seconds=0.6, **more):
    """One row; further columns by name, older rows do not have them."""
    names = {"optimizer": optimizer, "problem": problem, "corruption": corruption, "plays": plays, "seed": seed}
    ledger = {"spent": 0.0 if corruption == "none" else 2.4, "lies": 0 if corruption == "none" else 4}
    measured = {"checkpoints": [20, plays], "gaps": [2 * gap, gap], "seconds": [seconds / 3, seconds]}
    mark = f"{optimizer} {problem} {corruption} {plays} {seed}"
    return {**names, **measured, **ledger, "versions": "numpy 2.4.6", "fingerprint": mark, **more}


def gauntlet(optimizers=("unswayed", "tpe", "random", SLOW), seeds=3, problems=PROBLEMS, plays=(60,)):
    """A small gauntlet: some columns are missing in some rows, and SLOW plays every second problem."""
    rng, rows = np.random.default_rng(0), []
    for number, name in enumerate(optimizers):
        for problem in problems[:: 2 if name == SLOW else 1]:
            for corruption in ("none", *ATTACKS):
                for T in plays:
                    for seed in range(seeds):
                        gap = float(np.round(rng.beta(0.6, 6) * (1 + number * (corruption != "none")), 3)) / 2
                        more = {}
                        if name != "random":
                            more["gap_ours"] = float(np.round(gap * rng.choice([0.2, 1, 1.5]), 3))
                        if name in ("unswayed", SLOW):
                            low = 1 - gap + 0.05 * rng.standard_normal() - 0.04
                            more |= {"claim_low": low, "claim_high": low + 0.08}
                        seconds = 0.06 * (1 + number) * float(rng.uniform(1, 2))
                        liars = {"liars": int(corruption == "worker")} if number else {}
                        rows.append(row(name, problem, corruption, seed, gap, T, seconds, **more, **liars))
    return rows


def harmed():
    """Rows with harm in every text."""
    rows = [
        row(f"{name}{HARM}", f"p{n}{HARM}", f"{corruption}{HARM}", versions=HARM, fingerprint=HARM)
        for name in ("a", "b") for n in range(2) for corruption in ("x", "none")
    ]  # fmt: skip
    return [*rows, row("c"), row(f"a{HARM}")]


def harmful_page():
    settings = {"command": f"c{HARM}", "version": f"v{HARM}", f"name{HARM}": [HARM]}
    broken = Failure(Match(f"a{HARM}", f"p{HARM}", f"x{HARM}", 60, 0), f"reason{HARM}")
    return page(harmed(), settings=settings, failures=[broken, HARM])


class Tree(HTMLParser):
    """All tags with their attributes, the text of each kind of tag, and every table by its section."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.open = [], {}, []
        self.tables, self.section, self.ids = {}, "", []
        self.feed(text)
        assert not self.open, "a tag is not closed"

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append((tag, found))
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "section":
            self.section = found["id"]
        elif tag == "h2":
            self.section = ""
        elif tag == "table":
            self.tables.setdefault(self.section, []).append([])
        elif tag == "tr":
            self.tables[self.section][-1].append([])
        elif tag in ("td", "th"):
            self.tables[self.section][-1][-1].append("")
        if tag not in VOID and not (self.open and self.open[-1] == "svg" and tag in ("path", "rect")):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in ("path", "rect"):
            return
        assert self.open.pop() == tag

    def handle_data(self, data):
        tag, data = self.open[-1] if self.open else "", data.replace("\N{EN DASH}", "-")
        self.text[tag] = self.text.get(tag, "") + data
        if "td" in self.open or "th" in self.open:
            self.tables[self.section][-1][-1][-1] += f"{data} "


def boards(tree, section):
    """The first table of a section, by optimiser: the text of each cell."""
    return {line[0].strip(): [" ".join(cell.split()) for cell in line[1:]] for line in tree.tables[section][0][1:]}
