"""Pure mathematics: no randomness, no input or output, no state."""
