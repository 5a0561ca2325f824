"""`unswayed audit` on votes: which column is what, and one clear line for a bad file."""

import json

import pytest


@pytest.fixture
def cli(unswayed):
    return lambda *arguments: unswayed("audit", *arguments)


COLUMNS = ("--left", "a", "--right", "b", "--winner", "said")


@pytest.fixture
def votes(tmp_path):
    def write(rows, head="a,b,said,judge"):
        path = tmp_path / "votes.csv"
        path.write_text("\n".join([head, *rows]) + "\n")
        return path

    return write


def rows(tea=20, coffee=10):
    return [f"tea,coffee,tea,j{i % 7}" for i in range(tea)] + [f"coffee,tea,a,j{i % 5}" for i in range(coffee)]


def test_votes_of_a_file(cli, votes):
    code, output, _ = cli(votes(rows()), *COLUMNS)
    assert code == 0
    assert output.startswith("Verdict: too early. tea is ahead (from 30 votes)")
    assert "5 forged votes would let coffee catch up" in output


def test_voters_and_numbers_are_columns_too(cli, votes):
    code, output, _ = cli(votes(rows(200, 20)), *COLUMNS, "--voter", "judge", "--json", "--lies", "3")
    found = json.loads(output)
    assert code == 0
    assert found["verdict"] == "yes"
    assert found["voters"] == 7
    heavy = votes(["tea,coffee,1,90", "tea,coffee,0,10"], head="a,b,said,times")
    code, output, _ = cli(heavy, *COLUMNS, "--number", "times", "--json")
    assert json.loads(output)["votes"] == 100


def test_a_table_of_wins(cli, votes):
    path = votes(["tea,,20", "coffee,10,"], head="option,tea,coffee")
    code, output, _ = cli(path, "--wins")
    assert code == 0
    assert "tea is ahead (from 30 votes)" in output


def test_the_page_has_the_ranking_and_is_one_file(cli, votes, tmp_path):
    page = tmp_path / "page.html"
    code, _, _ = cli(votes(rows()), *COLUMNS, "--voter", "judge", "--html", page)
    text = page.read_text()
    assert code == 0
    assert "Can this winner be trusted?" in text
    assert 'src="data:image/png' in text
    assert "http" not in text.split("<body")[1].replace("http://www.w3.org", "")


def test_empty_cells_are_left_out_and_counted(cli, votes):
    code, _, error = cli(votes([*rows(), ",coffee,tea,j1"]), *COLUMNS)
    assert code == 0
    assert "1 row" in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--left", "a", "--right", "b"), "add --winner"),
        ((*COLUMNS[:-1], "nobody"), "has no column 'nobody'"),
        ((*COLUMNS, "--voter", "a"), "one thing only"),
        ((*COLUMNS, "--option", "a"), "--option is not about votes"),
        ((*COLUMNS, "--low", "0"), "--low is not about votes"),
        ((*COLUMNS, "--wins"), "not both"),
        ((*COLUMNS, "--liars", "1"), "name who voted"),
        (("--voter", "judge"), "add --left, --right, --winner"),
        (("--wins",), "a column for each of them"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(cli, votes, arguments, message):
    code, _, error = cli(votes(rows()), *arguments)
    assert code == 2
    assert message in error
    assert len(error.strip().splitlines()) == 1


def test_a_vote_that_cannot_be_read_is_named_by_its_line(cli, votes):
    code, _, error = cli(votes([*rows(), "tea,coffee,milk,j1"]), *COLUMNS)
    assert code == 2
    assert "line 32" in error
    assert "milk" in error
