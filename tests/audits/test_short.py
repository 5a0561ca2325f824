"""What an audit of points prints first: few lines, the verdict first, whatever the names and the data are."""

import numpy as np
import pytest

from unswayed import Threat, audit
from unswayed.judgement.verdict import MOST_COLUMNS, MOST_LINES, Verdict, short

THREATS = (None, Threat(lies=2, low=-99, high=199), Threat(liars=1), Threat(total=0.5, lies=1, liars=1))


@pytest.mark.parametrize("seed", range(40))
def test_it_is_short_and_begins_with_the_verdict(seed):
    rng = np.random.default_rng(seed)
    columns = int(rng.choice([1, 2, 12]))
    option = rng.integers(int(rng.integers(2, 9)), size=int(rng.integers(8, 60)))
    points = rng.uniform(-1e5, 1e5, size=(9, columns))
    y = rng.normal(0, rng.choice([0.1, 10.0]), 9)[option] + rng.standard_normal(len(option))
    y[0] += rng.choice([0.0, 40.0])
    long = "a very long name " * int(rng.choice([0, 10]))
    names = [f"{long}{i}" for i in range(columns)]
    sources = [f"{long}lab {i % 4}" for i in range(len(y))]
    found = audit(points[option], y, names=names, sources=sources, threat=THREATS[seed % 4])
    lines = str(found).splitlines()
    assert len(lines) <= MOST_LINES, lines
    assert max(map(len, lines)) <= MOST_COLUMNS
    assert lines[0].startswith(f"Verdict: {found.verdict}. ")
    assert found.verdict in list(Verdict)
    assert found.explain().startswith(str(found))
    assert all(found.to_dict()[name]["sentence"] for name in ("luck", "evidence", "robustness"))


def test_what_to_do_next_is_said_whatever_else_there_is_to_say():
    long = "many words " * 40
    assert short([f"{long}{number}" for number in range(5)], last="Next: use it.")[-1] == "Next: use it."
    assert len(short([long, long, long], last=long)) <= MOST_LINES


def test_what_looks_false_needs_no_line_about_chance():
    x, y = np.repeat(np.arange(5.0), 8)[:, None], np.random.default_rng(0).normal(0, 0.1, 40)
    y[:8] += 1.0
    y[20] = 9.0
    found = audit(x, y)
    assert (found.verdict, found.luck.sentence in " ".join(str(found).splitlines())) == ("no: tampered", False)
    assert found.luck.sentence


@pytest.mark.parametrize("seed", range(8))
def test_a_chance_that_was_drawn_is_never_certain(seed):
    """Two honest options, nearly the same: how sure it is depends on the data."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([rng.normal(0, 1, 12), rng.normal(0.1 * seed, 1, 12)])
    said = audit(np.repeat([[0.0], [1.0]], 12, axis=0), y, tie=0.0).luck
    if said.probability is not None and not said.better:
        percent = said.sentence.rsplit(" ", 1)[1]
        assert percent.endswith("%.")
        assert float(percent[:-2]) == pytest.approx(100 * said.probability, rel=0.06)


def test_suspects_are_named_in_what_to_do():
    x, y = np.repeat(np.arange(6.0), 8)[:, None], 0.05 * np.random.default_rng(0).standard_normal(48)
    y -= (x[:, 0] - 3) ** 2 / 9
    y[[0, 1, 9, 17, 41]] += [3, -3, 4, -4, 5]
    found = audit(x, y, lines=range(2, 50))
    assert (found.verdict, len(found.suspects)) == ("no: tampered", 5)
    words = "lines 43, 19, 11 and 2 more"
    assert found.evidence.sentence.startswith(
        f"The other measurements do not explain {words}; without them, x1 = 3 wins"
    )
    assert found.next_step == f"Next: look at where {words} came from, then measure there again."


def test_where_options_are_level_no_lie_is_needed():
    found = audit([[0.0], [0.0], [1.0], [1.0]], [1.0, 2.0, 1.0, 2.0])
    assert found.breakdown_lies == 0
    assert found.robustness.sentence.startswith("No false measurement is needed")
