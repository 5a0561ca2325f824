"""`unswayed audit` on scores of items, and `unswayed compare`: which column is what, what is refused."""

import json

import pytest

COLUMNS = ("--item", "q", "--option", "model", "--score", "right")


@pytest.fixture
def write(tmp_path):
    def make(rows, head="q,model,right,judge,topic", name="scores.csv"):
        path = tmp_path / name
        path.write_text("\n".join([head, *rows]) + "\n")
        return path

    return make


@pytest.fixture
def cli(unswayed):
    return lambda *arguments: unswayed("audit", *arguments)


def rows(right=("yes", "no")):
    good = {"a": 70, "b": 40}
    return [
        f"q{i},{m},{right[0] if i < n else right[1]},j{i % 3},t{i % 4}" for m, n in good.items() for i in range(100)
    ]


def test_scores_of_a_file(cli, write):
    code, output, _ = cli(write(rows()), *COLUMNS)
    assert code == 0
    assert output.startswith("Verdict: yes. a is ahead on 100 items, with 70.0%: ahead of b by 30.0 points")
    assert "15 re-graded items, or 30 removed, would let b catch up" in output


@pytest.mark.parametrize("words", [("1", "0"), ("true", "false"), ("pass", "fail"), ("C", "I")])
def test_right_and_wrong_are_words_or_numbers(cli, write, words):
    code, output, _ = cli(write(rows(words)), *COLUMNS, "--source", "judge", "--group", "topic", "--json")
    found = json.loads(output)
    assert code == 0
    assert (found["regraded_items"], found["removed_items"]) == (15, 30)
    assert found["rivals"][0]["removed_groups"]["least"] is None


def test_the_page_has_the_ranking_and_is_one_file(cli, write, tmp_path):
    page = tmp_path / "page.html"
    code, _, _ = cli(write(rows()), *COLUMNS, "--html", page)
    text = page.read_text()
    assert code == 0
    assert "Can this winner be trusted?" in text
    assert "Items to check first" in text
    assert 'src="data:image/png' in text
    assert "http" not in text.split("<body")[1].replace("http://www.w3.org", "")


def test_empty_scores_are_left_out_and_said(cli, write):
    code, _, error = cli(write([*rows(), "q200,a,,j1,t1"]), *COLUMNS)
    assert code == 0
    assert "1 row with an empty cell (write 0 where an empty score is a failure)" in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--item", "q", "--option", "model"), "add --score"),
        (("--score", "right"), "add --item, --option"),
        ((*COLUMNS[:-1], "nothing"), "has no column 'nothing'"),
        ((*COLUMNS, "--source", "q"), "one thing only"),
        ((*COLUMNS, "--kernel", "se"), "--kernel is not about scores on items"),
        ((*COLUMNS, "--trials", "q"), "--trials is not about scores on items"),
        ((*COLUMNS, "--left", "q"), "--option is not about votes"),
        ((*COLUMNS, "--liars", "1"), "name who scored"),
        ((*COLUMNS, "--budget", "1"), "--budget is not about scores on items"),
        (("--item", "q", "--option", "model", "--score", "topic"), "is not a finite number"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(cli, write, arguments, message):
    code, _, error = cli(write(rows()), *arguments)
    assert code == 2
    assert message in error
    assert len(error.strip().splitlines()) == 1


def test_a_score_that_was_there_before_is_named_by_its_line(cli, write):
    code, _, error = cli(write([*rows(), "q1,a,no,j1,t1"]), *COLUMNS)
    assert code == 2
    assert "line 202" in error
    assert "one of 1 in line 3" in error


def test_two_logs(unswayed, write):
    a = write([f"{i},{int(i < 40)}" for i in range(100)], "question_id,correct", "old.csv")
    b = write(
        [f'{{"id": {i}, "score": {int(i < 60)}}}' for i in range(10, 110)][:-1], '{"id": 109, "score": 0}', "new.jsonl"
    )
    code, output, error = unswayed("compare", a, b)
    assert code == 0
    assert output.startswith("Verdict: yes. new is better than old")
    assert "'question_id' is the item, 'correct' the score" in error
    assert "compared on the 90 of 110 items" in error
    code, output, _ = unswayed("compare", a, b, "--lies", "25", "--json")
    found = json.loads(output)
    assert (found["verdict"], found["better"]) == ("no: within the threat", None)


@pytest.mark.parametrize(
    ("head", "arguments", "message"),
    [
        ("x,correct", (), "which column is the item? Name it with --item: x, correct"),
        ("id,y", (), "which column is the score?"),
        ("id,correct", ("--item", "correct"), "cannot be both"),
        ("id,correct", ("--score", "z"), "has no column 'z'"),
    ],
)
def test_columns_that_are_not_known_are_asked_for(unswayed, write, head, arguments, message):
    a = write(["1,0", "2,1"], head, "a.csv")
    code, _, error = unswayed("compare", a, write(["1,1", "2,1"], head, "b.csv"), *arguments)
    assert code == 2
    assert message in error
    assert len(error.strip().splitlines()) == 1


def test_a_file_is_not_compared_with_itself(unswayed, write):
    a = write(["1,0", "2,1"], "id,correct", "a.csv")
    code, _, error = unswayed("compare", a, a)
    assert (code, "given twice" in error) == (2, True)
