"""Experiments as values: what is run, by name; many runs at a time; where they are kept."""
