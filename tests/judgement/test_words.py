"""Who wins without some measurements, in words."""

from unswayed.judgement.words import loses, still_wins

NAMES = "abc".__getitem__


def test_who_wins_without_the_suspects():
    assert still_wins(1, 2, NAMES) == ["Without it c wins."]
    assert still_wins(3, 0, NAMES) == ["Without them a wins."]
    assert still_wins(3, None, NAMES) == []


def test_who_wins_instead():
    assert loses("w1", 1, NAMES) == "No: without w1, b wins."
    assert loses("w1", None, NAMES) == "No: without w1, too little is left to compare."
