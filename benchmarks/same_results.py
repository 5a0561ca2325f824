"""Whether two versions of the code give the same results: 60 studies, 60 audits, 10 pages and 222 simulations.

    python benchmarks/same_results.py record OLD.json     with the old version on the path
    python benchmarks/same_results.py record NEW.json     with the new one
    python benchmarks/same_results.py compare OLD.json NEW.json

Only public names are used, so that versions of different shape can be compared. A study records every row that it
asks for and its answer, with the distance of the recommended point from the best one, which is known: where answers
differ, `compare` says which version is closer to the truth. Numbers are written with all their digits. Exit code 1 if
anything differs.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import unswayed as uw
from unswayed.types import FloatArray

POLICIES = ("rgp-pe", "gp-ucb", "rgp-ucb", "linear-pe", "influence-ucb", "influence-pe", "vigilant-ucb", "trimmed-pe")
ATTACKS = ("none", "clipping", "aggsub", "top-3", "top-5", "flip", "strongest", "spikes-hide", "spikes-promote")
FEW, MANY = 20, 34  # plays of a study


def bowl(point: dict[str, Any], best: float) -> float:
    """One smooth peak at `best` in each number; categories are worth a tenth each."""
    numbers = [float(value) for value in point.values() if isinstance(value, int | float)]
    words = [value for value in point.values() if isinstance(value, str)]
    return float(np.exp(-sum(3 * (x - best) ** 2 for x in numbers)) + 0.1 * words.count("b"))


def hills(point: dict[str, Any], best: float) -> float:
    """Several peaks, the highest one near `best`."""
    x = np.array([float(value) for value in point.values() if isinstance(value, int | float)])
    return bowl(point, best) + 0.2 * float(np.cos(9 * (x - best)).sum())


def options(count: int) -> tuple[uw.Options, FloatArray]:
    """A table of options with numbers."""
    rows = np.random.default_rng(count).uniform(0, 1, (count, 2)).round(3)
    return uw.Options([{"x": float(a), "y": float(b)} for a, b in rows]), rows


def spaces() -> dict[str, uw.Box | uw.Options]:
    """The spaces of the studies."""
    return {
        "line": uw.Box({"x": uw.Real(0, 1)}),
        "plane": uw.Box({"x": uw.Real(0, 1), "y": uw.Real(0, 1)}),
        "cube": uw.Box({name: uw.Real(0, 1) for name in "xyz"}),
        "mixed": uw.Box({"x": uw.Real(0, 1), "k": uw.Categorical(["a", "b", "c"])}),
        "steps": uw.Box({"x": uw.Real(0, 1, step=0.1), "n": uw.Integer(0, 1)}),
        "table": options(30)[0],
    }


def threats() -> dict[str, Any]:
    """What the studies are told about tampering."""
    return {
        "untold": None,
        "none": 0,
        "total": 0.5,
        "lies": uw.Threat(lies=2, low=-1, high=2),
        "liars": uw.Threat(liars=1, low=-1, high=2),
    }


def study(space: Any, threat: Any, seed: int, *, plays: int, minimize: bool) -> dict[str, Any]:
    """One study: two of its measurements are false, where tampering is possible; some fail, with some seeds."""
    rng, truth = np.random.default_rng(seed), (bowl, hills)[seed % 2]
    best, sign = 0.3 + 0.1 * (seed % 4), -1.0 if minimize else 1.0
    told = {"sources": True} if getattr(threat, "liars", 0) else {}
    search = uw.Optimizer(space, threat=threat, seed=seed, plays=plays, minimize=minimize)
    asked = []
    for number in range(plays):
        [play] = search.ask(source=f"s{number % 4}") if told else search.ask()
        asked.append(play.point)
        if seed % 5 == 4 and number == 7:
            search.fail(play, "no value")
            continue
        value = truth(play.point, best) + 0.02 * rng.standard_normal()
        lying = (told and number % 4 == 1) or (not told and threat != 0 and number in (5, 11))
        search.tell(play, sign * (1.3 - 0.3 * value if lying else value))
    answer = search.answer()
    grid = [truth(one, best) for one in corners(space)]
    return {
        "places": asked,
        "answer": plain(answer.to_dict()),
        "short": max(grid) - truth(answer.point, best),
        "words": str(answer),
    }


def corners(space: Any) -> list[dict[str, Any]]:
    """Points that cover a space."""
    if isinstance(space, uw.Options):
        return [{"x": float(a), "y": float(b)} for a, b in options(30)[1]]
    rows = np.random.default_rng(0).uniform(0, 1, (4000, space.columns))
    return [dict(one) for one in space.decode(rows)]


def studies() -> Iterator[tuple[str, Callable[[], Any]]]:
    """60 studies: each space with each threat, twice."""
    for i, (place, space) in enumerate(spaces().items()):
        for j, (word, threat) in enumerate(threats().items()):
            for k in range(2):
                seed, plays = 100 * i + 10 * j + k, MANY if k else FEW

                def play(space: Any = space, threat: Any = threat, seed: int = seed, plays: int = plays) -> Any:
                    minimize = seed % 3 == 2
                    if minimize and isinstance(threat, uw.Threat):
                        threat = uw.Threat(threat.total, threat.lies, threat.liars, -threat.high, -threat.low)
                    return study(space, threat, seed, plays=plays, minimize=minimize)

                yield f"study {place} {word} {k}", play


def audits() -> Iterator[tuple[str, Callable[[], Any]]]:
    """60 audits: 36 of numbers, 18 of labels and 6 of Optuna studies."""
    for seed in range(36):
        yield f"audit numbers {seed}", lambda seed=seed: numbers_audit(seed)
    for seed in range(18):
        yield f"audit labels {seed}", lambda seed=seed: labels_audit(seed)
    for seed in range(6):
        yield f"audit optuna {seed}", lambda seed=seed: optuna_audit(seed)


def shown(audit: Any) -> dict[str, Any]:
    """An audit as plain values."""
    return {"audit": plain(audit.to_dict()), "words": str(audit)}


def numbers_audit(seed: int) -> Any:
    """Measurements on a grid with repeats; in half of the audits one of them is false."""
    rng, d = np.random.default_rng(1000 + seed), 1 + seed % 3
    x = rng.integers(0, 5, (25 + seed, d)) / 4
    y = np.exp(-3 * np.square(x - 0.5).sum(axis=1)) + 0.05 * rng.standard_normal(len(x))
    if seed % 2:
        y[3] += 2.0
    about: dict[str, Any] = {"minimize": seed % 5 == 4}
    if seed % 3 == 1:
        about["sources"] = [f"s{i % 3}" for i in range(len(x))]
    if seed % 4 == 2:
        about["noise_std"] = 0.05
    if seed % 6 == 5:
        kernel = uw.SquaredExponential(0.5)
        about |= {"kernel": kernel, "noise_std": 0.05, "output_scale": 1.0, "level": 0.0, "norm_bound": 3.0}
    if seed % 4 == 3:
        about |= {"threat": uw.Threat(lies=1), "low": -3.0, "high": 4.0}
    return shown(uw.audit(x, y, **about))


def labels_audit(seed: int) -> Any:
    """Options by label: counts, or values."""
    rng, labels = np.random.default_rng(2000 + seed), ["old", "new", "newer"][: 2 + seed % 2]
    days = 12
    names = [label for _ in range(days) for label in labels]
    lift = 0.02 * (seed % 3)
    if seed % 2:
        trials = rng.integers(300, 500, len(names))
        wins = rng.binomial(trials, [0.1 + lift * labels.index(name) for name in names])
        if seed % 4 == 3:
            wins[1] += 100
        sources = [f"day {i // len(labels)}" for i in range(len(names))]
        return shown(uw.audit(names, wins / trials, trials=trials, sources=sources))
    values = rng.normal([1 + 5 * lift * labels.index(name) for name in names], 0.2)
    if seed % 4 == 2:
        values[1] += 5
    return shown(uw.audit(names, values))


def optuna_audit(seed: int) -> Any:
    """A random search of Optuna's with one false value."""
    import optuna

    from unswayed.integrations.optuna import audit_study

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    rng, search = np.random.default_rng(seed), optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))

    def loss(trial: Any) -> float:
        x, kind = trial.suggest_float("x", 0.001, 1, log=True), trial.suggest_categorical("kind", ["a", "b"])
        value = (np.log10(x) + 1.5) ** 2 + (kind == "b") + 0.05 * rng.standard_normal()
        return float(value - 3 * (trial.number == 9 and seed % 2 == 1))

    search.optimize(loss, n_trials=25)
    return shown(audit_study(search))


def pages() -> Iterator[tuple[str, Callable[[], Any]]]:
    """10 pages of audits, by the command; styles and pictures left out."""
    for seed in range(10):
        yield f"page {seed}", lambda seed=seed: page(seed)


def page(seed: int) -> Any:
    """The page of an audit as text."""
    from unswayed.cli import main

    rng = np.random.default_rng(3000 + seed)
    with tempfile.TemporaryDirectory() as folder:
        table, out = Path(folder, "table.csv"), Path(folder, "audit.html")
        if seed % 2:
            counts = rng.binomial(400, [0.1, 0.12], (10, 2))
            rows = [
                f"{day},{name},{count},400"
                for day, two in enumerate(counts)
                for name, count in zip("AB", two, strict=True)
            ]
            table.write_text("day,option,buyers,visitors\n" + "\n".join(rows) + "\n")
            about = ["--option", "option", "--successes", "buyers", "--trials", "visitors", "--source", "day"]
        else:
            x = rng.integers(0, 5, (30, 2))
            y = -np.square(x - 2).sum(axis=1) + rng.normal(0, 0.2, 30)
            rows = [f"{a},{b},{value:.3f}" for (a, b), value in zip(x, y, strict=True)]
            table.write_text("a,b,score\n" + "\n".join(rows) + "\n")
            about = []
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            main(["audit", str(table), *about, "--html", str(out)])
        text = out.read_text()
    text = re.sub(r"<(style|script|svg).*?</\1>|<img.*?>|<head>.*?</head>", " ", text, flags=re.DOTALL)
    text = text.replace(str(table), table.name)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text)).strip()


def simulations() -> Iterator[tuple[str, Callable[[], Any]]]:
    """222 simulations: each policy under each attack, three times; those with lies need a number of them."""
    from unswayed.cli import main

    def run(policy: str, attack: str, seed: int) -> Any:
        about = ["--policy", policy, "--attack", attack, "--horizon", "600", "--seed", str(seed), "--curves", "--json"]
        counted = attack.startswith("spikes") or policy == "trimmed-pe"
        threat = ["--lies", "3"] if counted else ["--budget", "20"]
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), contextlib.suppress(SystemExit):
            main(["simulate", *about, *threat])
        return hashlib.sha256(out.getvalue().encode()).hexdigest() if "regret" in out.getvalue() else out.getvalue()

    count = 0
    for policy in POLICIES:
        for attack in ATTACKS:
            for seed in range(4):
                if count < 222 and (seed < 3 or policy in POLICIES[:2]):
                    count += 1
                    yield f"simulation {policy} {attack} {seed}", lambda p=policy, a=attack, s=seed: run(p, a, s)


def plain(value: Any) -> Any:
    """As values that JSON can hold, with all digits."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items() if key not in ("asked", "answered", "seconds")}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    return value if isinstance(value, int | float | str | bool | None) else str(value)


def record(path: Path) -> None:
    """Write all results."""
    found = {}
    for part in (simulations, studies, audits, pages):
        for name, make in part():
            found[name] = plain(make())
        print(f"{part.__name__}: {len(found)} results so far", flush=True)
    path.write_text(json.dumps(found))


def differences(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """Where two values differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            if key in old and key in new:
                yield from differences(old[key], new[key], f"{place}.{key}")
            else:
                yield f"{place}.{key} only in the {'old' if key in old else 'new'} version"
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{place}[{i}]")
    elif json.dumps(old) != json.dumps(new):
        yield f"{place}: {json.dumps(old)[:300]} -> {json.dumps(new)[:300]}"


def compare(old: Path, new: Path, *, most: int) -> int:
    """Print what differs; the number of results that do."""
    one, other = json.loads(old.read_text()), json.loads(new.read_text())
    changed, better, worse = 0, 0, 0
    for name in one:
        found = list(differences(one[name], other.get(name)))
        if found:
            changed += 1
            print(f"{name}: {len(found)} differences", *found[:most], sep="\n    ")
            if isinstance(one[name], dict) and "short" in one[name]:
                gain = one[name]["short"] - other[name]["short"]
                better, worse = better + (gain > 1e-9), worse + (gain < -1e-9)
                print(f"    short of the best: {one[name]['short']:.4f} -> {other[name]['short']:.4f}")
    print(f"{len(one) - changed} of {len(one)} results are equal; studies closer to the best {better}, farther {worse}")
    return changed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("record").add_argument("file", type=Path)
    both = verbs.add_parser("compare")
    both.add_argument("old", type=Path)
    both.add_argument("new", type=Path)
    both.add_argument("--most", type=int, default=6, help="differences shown of each result")
    chosen = parser.parse_args()
    if chosen.verb == "record":
        record(chosen.file)
    else:
        sys.exit(bool(compare(chosen.old, chosen.new, most=chosen.most)))


if __name__ == "__main__":
    main()
