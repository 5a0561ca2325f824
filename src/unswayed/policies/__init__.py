"""One algorithm, one file, readable next to its pseudo-code. The classes are also names of `unswayed`."""
