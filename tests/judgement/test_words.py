"""Who wins without some measurements, in words."""

from unswayed.judgement.words import still_wins, who_wins

NAMES = "abc".__getitem__


def test_who_wins_without_the_suspects():
    assert still_wins(1, 2, NAMES) == ["Without it c wins."]
    assert still_wins(3, 0, NAMES) == ["Without them a wins."]
    assert still_wins(3, None, NAMES) == []


def test_who_wins_instead():
    assert who_wins(1, NAMES) == "b wins"
    assert who_wins(None, NAMES) == "too little is left to compare"
