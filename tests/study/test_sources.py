"""Studies whose measurements say who made them, and how precisely."""

import json
import re

import numpy as np
import pytest

from unswayed import Box, InvalidInput, Measurement, Optimizer, Options, Real, Threat, maximize

BOX = Box({"x": Real(0, 1), "y": Real(0, 1)})


def bowl(point):
    return -((point["x"] - 0.3) ** 2) - (point["y"] - 0.6) ** 2


def worked(lie, *, plays=48, workers=6, seed=0, **settings):
    """A study of workers in turn; worker w2 tells what `lie` makes of its value."""
    rng = np.random.default_rng(seed)
    study = Optimizer(BOX, seed=seed, **settings)
    for t in range(plays):
        worker = f"w{t % workers}"
        play = study.ask(source=worker)[0]
        value = bowl(play.point) + 0.01 * rng.standard_normal()
        study.tell(play, lie(value, rng) if worker == "w2" else value)
    return study.answer()


def test_a_worker_that_returns_random_numbers_is_named_and_set_aside():
    answer = worked(lambda value, rng: rng.uniform(-1, 0))
    assert [source.name for source in answer.sources if source.set_aside] == ["w2"]
    assert set(answer.set_aside) >= set(range(2, 48, 6))
    assert "Source w2 is set aside: its 8 measurements contradict the others." in str(answer)
    assert bowl(answer.point) > -0.01


def test_a_worker_that_is_off_by_a_constant_is_corrected():
    answer = worked(lambda value, rng: value + 0.4)
    (off,) = [source for source in answer.sources if source.offset]
    assert off.name == "w2"
    assert off.offset == pytest.approx(0.4, abs=0.05)
    assert not off.set_aside
    assert re.search(r"Source w2 reads 0\.(39|4[01])\d above the others; this was taken off\.", str(answer))
    assert bowl(answer.point) > -0.01


def test_a_worker_that_drifts_is_named():
    rng, study = np.random.default_rng(0), Optimizer(BOX, seed=0)
    for t in range(80):
        play = study.ask(source=f"w{t % 4}")[0]
        study.tell(play, bowl(play.point) + 0.01 * rng.standard_normal() + 0.5 * t / 80 * (t % 4 == 1))
    (off,) = [source for source in study.answer().sources if source.offset or source.set_aside]
    assert off.name == "w1"
    assert off.drift == pytest.approx(0.5, abs=0.1)
    assert "Source w1 reads 0.2" in str(study.answer())
    assert "over the study; this was taken off." in " ".join(str(study.answer()).split())


def test_smaller_is_better_turns_offsets_round():
    rng, study = np.random.default_rng(2), Optimizer(BOX, seed=2, minimize=True)
    for t in range(48):
        play = study.ask()[0]
        study.tell(play, -bowl(play.point) + 0.01 * rng.standard_normal() + 0.4 * (t % 6 == 2), source=f"w{t % 6}")
    answer = study.answer()
    assert {source.name: round(source.offset, 1) for source in answer.sources if source.offset} == {"w2": 0.4}
    assert re.search(r"w2 reads 0\.(39|4[01])\d above the others", str(answer))


@pytest.mark.parametrize("runs", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_honest_workers_are_believed(runs):
    for seed in range(runs):
        answer = worked(lambda value, rng: value, seed=seed)
        assert not any(source.set_aside or source.offset for source in answer.sources)
        assert [source.measurements for source in answer.sources] == [8] * 6


def test_what_was_set_aside_is_compared_with_the_threat():
    answer = worked(lambda value, rng: rng.uniform(-1, 0), threat=Threat(liars=1))
    assert "set aside 8 of them (plays 2, 8, 14, 20, 26, 32, 38 and 44), " in answer.explain()
    assert "; you allowed 1 lying source." in answer.explain()
    allowed = worked(lambda value, rng: rng.uniform(-1, 0), threat=0)
    assert not any(source.set_aside for source in allowed.sources)  # nothing may be set aside


def test_without_a_threat_the_answer_is_a_function_of_it():
    answer = worked(lambda value, rng: value)
    assert answer.threat is None
    assert "You named no threat; this is what each kind would mean:" in answer.explain()
    assert [level["kind"] for level in answer.to_dict()["threats"]] == ["lies", "liars", "total"]
    named = worked(lambda value, rng: value, threat=Threat(0.1, 2, 1, low=-1, high=0.1))
    assert "You named no threat" not in named.explain()
    assert "With the model held fixed and values between -1 and 0.1, what could have put ahead " in named.explain()
    assert json.loads(json.dumps(named.to_dict()))["threat"]["lies"] == 2


def test_a_study_is_read_back_with_all_that_was_told(tmp_path):
    file = tmp_path / "study.jsonl"
    with Optimizer(BOX, seed=0, journal=file, threat=Threat(lies=2, low=-3, high=1)) as study:
        first, second, third = study.ask(3)
        study.tell(first, 0.25, source="lab", noise_std=0.125)
        study.tell(second, Measurement(0.5, source="web", trials=40))
        study.tell(third, 0.75)
        study.tell(third, 0.75)  # again is harmless
        with pytest.raises(InvalidInput, match="already told"):
            study.tell(third, 0.75, source="lab")
        asked = study.ask(source="lab")[0]
        log = study.log
    with Optimizer.open(file) as again:
        assert again.log == log
        assert again.settings.threat == Threat(lies=2, low=-3, high=1)
        assert again.log[asked.number].source == "lab"
        again.tell(asked, 0.5)
        assert again.log[asked.number].source == "lab"
        table = again.history().to_pydict()
    assert table["source"] == ["lab", "web", None, "lab"]
    assert table["noise_std"] == [0.125, None, None, None]
    assert table["trials"] == [None, 40, None, None]


def test_asks_do_not_depend_on_when_the_study_was_opened(tmp_path):
    def value(play):
        return bowl(play.point) + (0.3 if play.number % 4 == 1 else 0.0)

    live = Optimizer(BOX, seed=3)
    for number in range(24):
        with Optimizer(BOX, seed=3, journal=tmp_path / "study.jsonl") as opened:
            (play,) = opened.ask(source=f"w{number % 4}")
            opened.tell(play, value(play))
        (same,) = live.ask(source=f"w{number % 4}")
        assert same == play
        live.tell(same, value(same))


def test_an_objective_may_return_a_measurement():
    def objective(point):
        return Measurement(round(40 * {"a": 0.2, "b": 0.6}[point]) / 40, source="web", trials=40)

    answer = maximize(objective, Options(["a", "b"]), plays=20, seed=0).answer
    assert answer.point == "b"
    assert {play.trials for play in answer.plays} == {40}
    assert answer.sources[0].measurements == 20


def test_precise_measurements_weigh_more():
    """Two options, equal means: the one whose good value is precise wins."""
    study = Optimizer(Options(["a", "b"]), seed=0)
    for play in study.ask(16):
        good = play.number % 4 < 2
        precise = (play.point == "a") == good
        study.tell(play, 1.0 if good else 0.0, noise_std=0.05 if precise else 0.5)
    answer = study.answer()
    assert answer.point == "a"
    assert answer.estimate > 0.8
    assert "noise" not in answer.assumptions.estimated  # every measurement states its own


def test_values_outside_the_range_are_moved_to_its_ends():
    study = Optimizer(Options(["a", "b", "c"]), threat=Threat(lies=1, low=0, high=1), noise_std=0.1, seed=0)
    for play in study.ask(30):
        study.tell(play, 1e6 if play.number == 4 else {"a": 0.2, "b": 0.5, "c": 0.8}[play.point])
    assert study.log[4].value == 1e6  # the log keeps what was told
    assert study.answer().point == "c"
    assert study.answer().estimate < 1.01


def test_influence_pe_needs_a_threat_with_a_bound():
    for threat in (None, Threat(lies=3), Threat(liars=1, low=0, high=1)):
        with pytest.raises(InvalidInput, match="bounds how far"):
            Optimizer(Options(["a", "b"]), threat=threat, method="influence-pe")
    Optimizer(Options(["a", "b"]), threat=Threat(lies=3, low=0, high=1), method="influence-pe")


@pytest.mark.parametrize("noise", [0.01, 0.3])
def test_a_source_that_is_off_is_found_from_nothing_too(noise):
    """A changed threat makes a fit from nothing: beside the values of s1, those of the others look like noise."""
    rng = np.random.default_rng(0)
    study = Optimizer(Options(list("abcd")), seed=0, threat=0.5)
    values = [(i, 1 + noise * rng.standard_normal() + 3 * (i % 5 == 1)) for i in rng.permutation(30)]
    study.add([("abcd"[i % 4], Measurement(value, source=f"s{i % 5}")) for i, value in values])
    study.change(threat=0.4)
    offsets = {source.name: source.offset for source in study.answer().sources}
    assert offsets.pop("s1") == pytest.approx(3, abs=0.5)
    assert not any(offsets.values())


def noisy_study(journal):
    """A study of workers, one of whom is five times as noisy."""
    study = Optimizer(BOX, seed=0, journal=journal)
    rng = np.random.default_rng(3)
    for t in range(48):
        worker = f"w{t % 6}"
        play = study.ask(source=worker)[0]
        study.tell(play, bowl(play.point) + (0.1 if worker == "w2" else 0.02) * rng.standard_normal())
    return study


def test_a_worker_that_is_noisier_counts_less_and_is_not_blamed(tmp_path):
    study = noisy_study(tmp_path / "study.jsonl")
    answer = study.answer()
    assert not any(source.suspicious for source in answer.sources)
    (noisier,) = [source for source in answer.sources if source.noisier]
    assert noisier.name == "w2"
    assert 2.5 < noisier.noise_factor < 10
    words = " ".join(str(answer).split())
    assert re.search(
        r"Source w2 is about [\d.]+ times noisier than the others: its 8 measurements count [\d.]+ times less\.", words
    )
    study.close()
    again = Optimizer(BOX, seed=0, journal=tmp_path / "study.jsonl").answer()
    assert again.to_dict() == answer.to_dict()
