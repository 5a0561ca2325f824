"""A journal keeps every setting of a study. (tests/test_settings.py: where settings are shown.)"""

from dataclasses import MISSING, fields

import unswayed as uw
from unswayed.study.settings import Settings

STUDY = {one.name for one in fields(Settings)}


def test_a_record_keeps_every_setting():
    given = {"threat": 1.0, "kernel": uw.Matern(1.5, (0.2, 0.3)), "noise_std": 0.1, "output_scale": 2.0}
    given |= {"level": (1.0, 2.0), "norm_bound": 3.0, "delta": 0.1, "plays": 7, "method": "influence-pe"}
    given |= {"minimize": True, "parallel": 3, "seed": 5, "note": "what is measured", "quarantined": ("lab",)}
    assert set(given) == STUDY, "give the new setting here too"
    defaults = {one.name: one.default for one in fields(Settings) if one.default is not MISSING}
    assert not any(given[name] == default for name, default in defaults.items())
    settings = Settings(**given)
    record = settings.record()
    assert set(record) == STUDY
    assert Settings.from_record(record) == settings


def test_words_of_older_versions_are_read():
    assert Settings(method="vigilant-ucb").method == "guided"
    old = Settings(plays=3).record() | {"method": "vigilant-ucb"}
    assert Settings.from_record(old) == Settings(plays=3, method="guided")
    assert uw.Why.read("anew") is uw.Why.RESTART
    assert uw.Why.read(None) is uw.Why.read(["anew"]) is None
