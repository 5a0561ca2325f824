"""Play a match in an environment of its own: `python -m unswayed_gauntlet.worker`, one line of JSON in, one out.

    {"row": match}                -> {"row": row}
    {"fingerprints": [match...]}  -> {"code": digest, "missing": {name: reason}, "fingerprints": [text or null...]}
    any request that fails        -> {"error": reason}

A match is an object with the fields of `Match`. The process ends when its standard input is closed, so none is left
behind when the process that asked has ended.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from typing import Any

from unswayed.experiments.experiment import code_version
from unswayed.experiments.sweep import Trial
from unswayed.text import printable
from unswayed_gauntlet.match import HOME, Match
from unswayed_gauntlet.optimizers import entry_of, lacking
from unswayed_gauntlet.problems import needs

Reply = dict[str, Any]
# Environment of the processes that play: SMAC iterates over sets, and our limit of threads does not reach torch.
ENVIRONMENT = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}


def missing(matches: Sequence[Match]) -> dict[str, str]:
    """The optimisers and problems that cannot be played here, each with the reason."""
    wanted = {match.optimizer: entry_of(match.optimizer).packages for match in matches}
    wanted |= {match.problem: tuple(filter(None, [needs(match.problem)])) for match in matches}
    found = {name: lacking(name, packages) for name, packages in wanted.items()}
    return {name: reason for name, reason in found.items() if reason}


def package_version() -> str:
    """A digest of both packages: two environments that play one gauntlet must have the same ones."""
    return code_version(("",), libraries=False) + code_version(("",), libraries=False, root=HOME)


def fingerprints(matches: Sequence[Match]) -> Reply:
    """The fingerprints of the matches that can be played here, and what is missing for the others."""
    unavailable = missing(matches)
    keys = [None if {one.optimizer, one.problem} & unavailable.keys() else one.fingerprint() for one in matches]
    return {"code": package_version(), "missing": unavailable, "fingerprints": keys}


def reply(request: Reply) -> Reply:
    """The answer to a request."""
    try:
        if "row" in request:
            return {"row": Match(**request["row"]).row()}
        return fingerprints([Match(**one) for one in request["fingerprints"]])
    except Exception as error:  # any package may raise anything; the process that asked counts a failed match
        return {"error": printable(" ".join(f"{type(error).__name__}: {error}".split()))}


def quietly(match: Trial) -> Reply:
    """Play a match in a worker. What an optimiser prints goes to standard error; standard output is for results."""
    try:
        with redirect_stdout(sys.stderr):
            return match.row()
    except SystemExit as error:  # it would end the pool and the other matches
        raise RuntimeError(f"it ends the program: SystemExit({error})") from None


def fields_of(match: Match) -> Reply:
    """A match as a request has it."""
    return {name: value for name, value in asdict(match).items() if name in Match.__dataclass_fields__}


def main() -> None:
    """Answer one request."""
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)  # what packages print must not mix with the answer
        request = json.loads(sys.stdin.readline())
        threading.Thread(target=_leave, daemon=True).start()
        out.write(json.dumps(reply(request), allow_nan=False) + "\n")


def _leave() -> None:
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    main()
