"""Trust levels against a literal loop."""

import numpy as np
import pytest

from unswayed.core.tampering.trust import TrustLevel, trust_ranks


@pytest.mark.parametrize("seed", range(30))
def test_a_witnessed_measurement_is_repeated_where_another_witness_measured_too(seed):
    rng = np.random.default_rng(seed)
    plays = int(rng.integers(1, 12))
    witnessed, arms, sources = rng.random(plays) < 0.6, rng.integers(3, size=plays), rng.integers(3, size=plays)
    found = trust_ranks(witnessed, arms, sources)
    for i in range(plays):
        others = witnessed & (arms == arms[i]) & (sources != sources[i])
        level = TrustLevel.SELF_REPORTED
        if witnessed[i]:
            level = TrustLevel.REPEATED if others.any() else TrustLevel.WITNESSED
        assert found[i] == level.rank
