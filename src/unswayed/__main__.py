"""`python -m unswayed` is the command line."""

from unswayed.cli import main

if __name__ == "__main__":
    main()
