"""How a study chooses its plays: pure functions of what was measured."""
