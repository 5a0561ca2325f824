"""The pictures of the gallery are those that its code draws."""

import importlib.util
import re

import numpy as np
from matplotlib.image import imread

from .conftest import ROOT

FOLDER = ROOT / "docs" / "gallery"
LARGEST_CHANGE = 0.015  # share of the pixels; another seed of the first study changes 0.019


def load():
    spec = importlib.util.spec_from_file_location("make_gallery", ROOT / "scripts" / "make_gallery.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_picture_is_what_its_code_draws(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    gallery, drawn = load(), []
    for name, figure in gallery.pictures():
        gallery.save(figure, tmp_path / name)
        now, kept = imread(tmp_path / name), imread(FOLDER / name)
        assert now.shape == kept.shape, name
        changed = (np.abs(now - kept) > 0.2).any(axis=2).mean()
        assert changed < LARGEST_CHANGE, f"{name}: {changed:.1%} of it changed; run scripts/make_gallery.py and look"
        drawn.append(name)
    assert sorted(drawn) == sorted(path.name for path in FOLDER.iterdir())
    shown = re.findall(r"\(gallery/([\w-]+\.png)\)", gallery.PAGE.read_text(encoding="utf-8"))
    assert drawn == shown
