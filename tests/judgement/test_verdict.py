"""One verdict from three answers, and how much of what there is to say fits on a screen."""

from itertools import product

import pytest

from unswayed.judgement.verdict import MOST_COLUMNS, MOST_LINES, Evidence, Luck, Robustness, Verdict, short, verdict_of


@pytest.mark.parametrize(("better", "tampered", "enough", "single"), list(product([True, False], repeat=4)))
def test_the_verdict_is_the_worst_answer_and_tampering_comes_first(better, tampered, enough, single):
    found = verdict_of(
        Luck(better, None, None, ""), Evidence(tampered, int(tampered), ""), Robustness(enough, "", single)
    )
    if tampered:
        expected = Verdict.TAMPERED
    elif single or not better:
        expected = Verdict.EARLY  # more measurements are needed, whatever threat was stated
    else:
        expected = Verdict.WITHIN if enough else Verdict.YES
    assert found is expected


def test_a_winner_that_rests_on_no_single_measurement_needs_no_more_of_them():
    assert verdict_of(Luck(True, True, 0.01, ""), Evidence(False, 0, ""), Robustness(False, "")) is Verdict.YES


def test_paragraphs_are_said_in_their_order_and_empty_ones_take_no_line():
    assert short(["First.", "", "Second."], last="Next: go.") == ["First.", "Second.", "Next: go."]
    assert short(["Only."]) == ["Only."]


def test_a_paragraph_that_does_not_fit_is_left_out_and_a_shorter_one_after_it_is_said():
    four = "word " * 75  # four lines
    said = short(["A.", four, four, "B."], last="Next: go.")
    assert [said[0], *said[5:]] == ["A.", "B.", "Next: go."]
    assert all(line.startswith("word") for line in said[1:5])


def test_as_many_lines_as_fit_are_said():
    lines = [f"Line {i}." for i in range(20)]
    assert short(lines) == lines[:MOST_LINES]
    assert short(lines, last="Next.") == [*lines[: MOST_LINES - 1], "Next."]


def test_a_paragraph_takes_half_of_the_lines_at_most_and_says_that_it_was_cut():
    said = short(["word " * 500])
    assert len(said) == MOST_LINES // 2
    assert said[-1].endswith(" ...")
    assert max(map(len, said)) <= MOST_COLUMNS
    assert len(said[0]) > MOST_COLUMNS - len("word ")


def test_names_are_not_broken_at_their_hyphens():
    name = "a-long-name-of-an-option"
    said = short([f"{'x ' * 40}{name} {name}"])
    assert all(part in ("x", name) for line in said for part in line.split())


def test_a_paragraph_that_is_too_long_ends_at_a_semicolon():
    long = "word " * 75 + "end"
    assert short(["A.", "B.", "C.", "D.", f"This much; {long}; {long}."], last="Next: go.")[4:] == [
        "This much.",
        "Next: go.",
    ]


def test_what_was_not_found_makes_room():
    idle = Evidence(False, 0, "No voter looks wrong.").idle
    four = ("word " * 75).strip()
    assert idle in short(["A.", idle, four], last="Next: go.", spare=idle)
    full = ["A.", "B.", "C.", idle, four]
    assert idle in short(full, last="Next: go.")
    assert short(full, last="Next: go.", spare=idle)[3:] == [*short([four]), "Next: go."]
    assert Evidence(True, 0, "a source").idle == Evidence(False, 2, "two votes").idle == ""
