"""Runs as pictures."""

from holdfast.plots.regret import regret_curves, regret_figure, save

__all__ = ["regret_curves", "regret_figure", "save"]
