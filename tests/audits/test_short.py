"""What an audit of points prints first: few lines, the verdict first, whatever the names and the data are."""

import numpy as np
import pytest

from unswayed import Threat, audit
from unswayed.judgement.verdict import MOST_COLUMNS, MOST_LINES, Verdict

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
