"""Confidence widths, regret bounds and their growth, covers of a box."""
