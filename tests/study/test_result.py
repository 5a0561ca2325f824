"""What a study that was run returns: an answer and its plays, in words, plain values and pictures."""

import json

import pytest

from unswayed import Box, Measurement, Optimizer, Options, Play, Real, Status, TwoScale, Why, maximize
from unswayed.search.answer import Answer


@pytest.fixture(scope="module")
def result():
    def measured(point):
        if point["x"] > 0.8:
            raise OSError("too hot")
        return -((point["x"] - 0.3) ** 2)

    return maximize(measured, Box({"x": Real(-1, 1)}), plays=24, threat=0.5, seed=3, retries=0, progress=False)


def test_its_parts(result):
    assert isinstance(result, Answer)
    assert result.answer is result
    assert len(result.plays) == 24
    assert [play.status for play in result.failures] == [Status.FAILED] * len(result.failures)
    assert result.failures
    assert repr(result).startswith("Answer(x = ")


def test_to_dict_is_json_and_says_what_failed(result):
    record = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert record["plays"] == 24
    assert record["failed"] == len(record["failures"]) == len(result.failures)
    assert record["failures"][0]["reason"] == "OSError: too hot"
    assert [failed["why"] for failed in record["failures"]] == [play.why for play in result.failures]
    assert record["breakdown"] == json.loads(json.dumps(result.answer.breakdown.to_dict()))


def test_the_text_ends_with_the_last_failure(result):
    last = result.failures[-1]
    assert str(result).splitlines()[-1].endswith(f"number {last.number}: OSError: too hot")


def test_the_history_is_a_table(result):
    table = result.history()
    assert table.column_names == ["number", "x", "value", "status", "reason", "why", "asked", "seconds"]
    assert table["status"].to_pylist() == [str(play.status) for play in result.plays]
    assert table["why"].to_pylist() == [str(play.why) for play in result.plays]
    assert {"start", "explore"} <= set(table["why"].to_pylist())


def test_a_play_is_one_type_from_the_question_to_the_answer():
    play = Play(0, {"x": 0.5})
    assert (play.status, play.value, play.reason, play.measured) == (Status.OPEN, None, None, False)
    assert Play(0, {"x": 0.5}, Status.TOLD, 1.0).measured
    assert not Play(0, {"x": 0.5}, Status.RETRACTED, 1.0, "typo").measured
    names = ("value", "reason", "source", "noise_std", "trials", "why", "asked", "answered", "proposed")
    nothing = dict.fromkeys(names)
    known = {"number": 0, "point": {"x": 0.5}, "status": "open", "before": [], "witnessed": False}
    assert play.to_dict() == known | nothing
    assert json.loads(json.dumps(play.to_dict()))["status"] == Status.OPEN
    why = Play(0, {"x": 0.5}, why=Why.VERIFY).to_dict()["why"]
    assert (why, type(why)) == ("verify", str)


def test_a_reason_is_read_from_its_word_and_other_words_are_none():
    assert [Why.read(str(why)) for why in Why] == list(Why)
    assert [Why.read(word) for word in (None, "", "START", "from a later version", 3, ["start"], {})] == [None] * 7


def test_notebooks_show_a_study_without_running_what_it_holds():
    evil = "<script>alert(1)</script>"
    study = Optimizer(Options([evil, "b"]), seed=0)
    assert "no plays so far" in study._repr_html_()
    study.add([(evil, Measurement(1.5, source="<img src=x>")), ("b", 2.0)])
    page = study._repr_html_()
    assert page.startswith("<div><p><strong>Optimizer over option</strong></p>")
    assert "2 told" in page
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    assert page.count("<tr>") == 3
    study.add([("b", 2.0)] * 30)
    assert study._repr_html_().count("<tr>") == 11


def test_a_fitted_kernel_can_be_given_back(tmp_path):
    path = tmp_path / "study.jsonl"
    space = Box({"x": Real(-1, 1), "y": Real(0, 1)})
    points = [{"x": a / 4, "y": b / 4} for a in range(-4, 5) for b in range(5)]
    with Optimizer(space, seed=1) as fitted:
        fitted.add([(point, -((point["x"] - 0.3) ** 2) - point["y"]) for point in points])
        kernel = fitted.answer().assumptions.kernel
    assert isinstance(kernel, TwoScale)
    with Optimizer(space, kernel=kernel, journal=path, seed=2) as study:
        study.tell(study.ask()[0], 1.0)
        assert study.answer().assumptions.kernel == kernel
    with Optimizer.open(path) as study:
        assert study.settings.kernel == kernel
