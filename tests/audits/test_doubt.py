"""A table says nothing of witnesses: no audit takes a threat that doubts a trust level."""

import pytest

import unswayed as uw
from unswayed.audits.labels.audit import audit_labels
from unswayed.audits.votes.audit import audit_votes


@pytest.mark.parametrize("level", ["self-reported", "witnessed"])
def test_no_audit_takes_a_doubt(level):
    doubt = uw.Threat(doubt=level, low=0, high=5)
    with pytest.raises(uw.InvalidInput, match="witness"):
        uw.audit([[0.0], [1.0], [1.0]], [0.0, 1.0, 1.2], threat=doubt)
    with pytest.raises(uw.InvalidInput, match="witness"):
        audit_labels("aabb", [4.0, 5.0, 1.0, 2.0], threat=doubt)
    with pytest.raises(uw.InvalidInput, match="witness"):
        audit_votes(["a", "a"], ["b", "b"], ["a", "b"], threat=doubt)
