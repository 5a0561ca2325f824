"""Placeholder, replaced on merge."""
from unswayed.plots.regret import BAD, GOOD, NEUTRAL, check_writable, save  # noqa: F401

KEPT = "#0072B2"
