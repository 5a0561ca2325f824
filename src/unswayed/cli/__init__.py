"""The command line: parsing, progress and exit codes; what it does lives elsewhere."""

from unswayed.cli.main import main

__all__ = ["main"]
