"""Sources of an audit: what each could do, who wins without it, and whom the others do not explain."""

import numpy as np
import pytest

from unswayed import Matern, Threat, audit
from unswayed.audits.case import AuditCase
from unswayed.audits.measurements import collect
from unswayed.audits.sources import REFITTED, find_sources
from unswayed.judgement.assumptions import Given
from unswayed.judgement.span import Span

NAMES = np.array([f"w{s}" for s in range(6)])


def rated(seed=0, *, liar=None, lie=2.0, option=1, noise=0.2):
    """Four options, six sources, five measurements of each by each; a liar reads one option, or all, too high."""
    rng = np.random.default_rng(seed)
    options, sources = (part.ravel() for part in np.meshgrid(np.arange(4), np.arange(6), indexing="ij"))
    options, sources = np.repeat(options, 5), np.repeat(sources, 5)
    y = np.array([0.0, 1.0, 1.5, 3.0])[options] + noise * rng.standard_normal(120)
    if liar is not None:
        y[(sources == liar) & ((options == option) if option is not None else True)] += lie
    return options[:, None].astype(float), y, NAMES[sources]


def test_the_offset_is_that_of_a_literal_model():
    """Generalised least squares of what a source reads, given all others."""
    x, y, sources = rated()
    kernel, own = Matern(2.5, 1.0), np.where(sources == "w1", 0.4, 0.2)
    found = audit(x, y, sources=sources, noise_stds=own, kernel=kernel, output_scale=2.0, level=1.0)
    assert not any(one.suspicious for one in found.sources)
    A = 4 * kernel(x, x) + np.diag(own**2)
    for one in found.sources:
        mine = sources == one.name
        to_others = A[np.ix_(mine, ~mine)] @ np.linalg.inv(A[np.ix_(~mine, ~mine)])
        r = y[mine] - 1 - to_others @ (y[~mine] - 1)
        P = np.linalg.inv(A[np.ix_(mine, mine)] - to_others @ A[np.ix_(~mine, mine)])
        assert one.offset == pytest.approx((P @ r).sum() / P.sum(), rel=1e-7, abs=1e-9)
        assert one.deviation == pytest.approx(P.sum() ** -0.5, rel=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_a_source_that_is_off_is_found_and_its_offset_too(seed):
    x, y, sources = rated(seed, liar=2, lie=1.0, option=None)
    found = audit(x, y, sources=sources)
    assert [one.name for one in found.sources if one.suspicious] == ["w2"]
    offsets = {one.name: one for one in found.sources}
    assert offsets["w2"].offset == pytest.approx(1.0, abs=5 * offsets["w2"].deviation)
    assert all(abs(one.offset) < 5 * one.deviation for name, one in offsets.items() if name != "w2")
    assert "w2 (SUSPICIOUS), 20 measurements, +" in found.explain()
    assert found.decisive_sources == ()


def test_a_source_that_makes_another_option_win_is_named_in_the_verdict():
    x, y, sources = rated(liar=4, lie=10.0, option=1)
    x, y, sources = (part[(x[:, 0] != 1) | np.isin(sources, ["w3", "w4"])] for part in (x, y, sources))
    found = audit(x, y, sources=sources, noise_std=0.6, kernel=Matern(2.5, 0.3))
    assert found.winner == 1
    (liar,) = (one for one in found.sources if one.name == "w4")
    assert liar.without == 3
    assert liar.suspicious
    assert found.verdict == "no: tampered"
    assert found.evidence.sentence == "The other sources do not explain source w4; without it, x1 = 3 wins."


def test_who_wins_without_a_source_is_the_winner_of_an_audit_without_it():
    x, y, sources = rated(3, liar=1, lie=9.0, option=0)
    found = audit(x, y, sources=sources)
    for one in found.sources:
        left = sources != one.name
        other = audit(x[left], y[left])
        expected = np.flatnonzero((found.points == other.points[other.winner]).all(axis=1))[0]
        assert one.without == expected
    record = {one["source"]: one for one in found.to_dict()["sources"]}
    assert record["w0"]["winner_without"] == found.describe(found.sources[0].without)


def test_of_two_sources_that_contradict_each_other_both_are_suspicious():
    x, y, sources = rated(liar=1, lie=1.5, option=None)
    two = np.isin(sources, ["w0", "w1"])
    found = audit(x[two], y[two], sources=sources[two])
    assert [one.suspicious for one in found.sources] == [True, True]


def test_many_sources_cost_little():
    rng = np.random.default_rng(0)
    option = rng.integers(0, 30, 2000)
    y = np.sin(option / 5) + 0.3 * rng.standard_normal(2000)
    found = audit(option[:, None], y, sources=np.arange(2000) % 400)
    assert len(found.sources) == 400 > REFITTED
    assert all(one.without is not None for one in found.sources)
    assert found.explain().count(" have overturned it alone") == 10
    assert "and 390 more" in found.explain()


def test_words_of_a_threat_of_sources():
    x, y, sources = rated()
    given = {"sources": sources, "low": -1.0, "high": 4.0}
    free = audit(x, y, **given)
    assert free.breakdown_sources > 1
    few, many = (audit(x, y, threat=Threat(liars=n), **given) for n in (1, free.breakdown_sources))
    assert few.verdict == "yes"
    assert "The winner withstands 1 lying source;" in str(few)
    supposed = "if at most 1 source lies. This supposes that every honest value lies between -1 and 4."
    assert few.to_dict()["sentence"].endswith(supposed)
    enough = f"{many.threat} could have changed the winner: that is within the threat."
    assert (many.verdict, many.robustness.sentence) == ("no: within the threat", enough)
    both = audit(x, y, threat=Threat(lies=free.breakdown_lies - 1, liars=free.breakdown_sources - 1), **given)
    assert both.robustness.sentence.startswith(
        "Together they could have changed the winner: that is within the threat ("
    )


def test_honest_sources_are_rarely_suspected():
    suspected = 0
    for seed in range(40):
        x, y, sources = rated(seed)
        data, span = collect(x, y, minimize=False, sources=sources), Span.of(y, Threat())
        case = AuditCase.of(data, Given(), span, minimize=False)
        suspected += any(one.suspicious for one in find_sources(case, np.zeros(6, dtype=bool)))
    assert suspected <= 3


def test_a_source_that_is_noisier_counts_less_and_is_not_called_false():
    x, y, sources = rated(2)
    y = y + 0.9 * np.random.default_rng(7).standard_normal(120) * (sources == "w3")
    found, told = audit(x, y, sources=sources), audit(x, y, sources=sources, noise_std=0.2)
    for one in (found, told):
        assert not any(source.suspicious for source in one.sources)
        (noisier,) = (source for source in one.sources if source.noisier)
        assert noisier.name == "w3"
        assert 3 < noisier.noise_factor < 7
    words = " ".join(str(found).split())
    assert "Source w3 is about " in words
    assert "times noisier than the others: its 20 measurements count " in words
    assert "count" not in told.evidence.sentence  # a noise that was stated is used as it is
    without = audit(x[sources != "w3"], y[sources != "w3"])
    assert found.deviation[found.winner] < 1.25 * without.deviation[without.winner]
