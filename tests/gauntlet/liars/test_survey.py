"""What liars know: rows of the space, and a best row that is the best."""

import numpy as np
import pytest

from tests.gauntlet.liars.forrester import CURVE, LIST
from unswayed_gauntlet.liars.survey import SAMPLE, distance, survey
from unswayed_gauntlet.problems import problem


@pytest.mark.parametrize("one", [CURVE, LIST, *map(problem, ("branin-2", "levy-10", "mixed-7"))], ids=lambda p: p.name)
def test_the_best_row_is_best(one):
    known = survey(one)
    assert known is survey(one)
    assert 0 <= one.best - one.truth(known.best[None])[0] <= 0.002 * one.range  # levy-10 has many peaks
    assert one.truth(known.best[None])[0] >= known.values.max()
    assert (known.values == one.truth(known.rows)).all()
    assert len(known.rows) == (41 if one is LIST else SAMPLE)


def test_a_radius_holds_its_share():
    known = survey(problem("branin-2"))
    radius = known.radius(known.best, 0.3)
    assert np.mean(distance(known.rows, known.best) <= radius) == pytest.approx(0.3, abs=1e-3)
    assert survey(CURVE).radius(np.ones(1), 0.2) == pytest.approx(0.2, abs=0.02)  # as in the paper: 1 is its best point
