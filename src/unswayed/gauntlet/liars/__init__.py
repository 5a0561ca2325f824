"""Who lies in the gauntlet and how: one file for each kind, their names in `gauntlet/corruption.py`."""
