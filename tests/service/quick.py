"""Processes of `unswayed` that start at once: forked from one that has imported everything, killed like others."""

import multiprocessing
import os
import resource
import signal
import sys

from tests.service.conftest import Server

FORK = multiprocessing.get_context("forkserver")
FORK.set_forkserver_preload(["tests.service.quick", "tests.service.warm", "unswayed.cli.app", "uvicorn", "psycopg"])


def _run(words, out, largest_file):
    from unswayed.cli import main

    sys.stdout = open(os.dup(out.fileno()), "w")  # noqa: SIM115
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if largest_file is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
    main(words)


def start(words, largest_file=None):
    """`unswayed` with these words: the process, and what it prints."""
    ours, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_run, args=([str(word) for word in words], theirs, largest_file))
    process.start()
    theirs.close()
    out = os.fdopen(os.dup(ours.fileno()))
    ours.close()
    return process, out


class QuickServer(Server):
    """`unswayed serve`.

    Args:
        url: The database.
        *options: Of `unswayed serve`.
        token: The owner's, if there is one.
        largest_file: As if the disk were full from this number of bytes on.
    """

    def __init__(self, url, *options, token=None, largest_file=None):
        self.largest_file = largest_file
        super().__init__(url, *options, token=token)

    def start(self):
        words = ["serve", "--database", self.url, "--port", self.port, *self.options]
        self.process, self.out = start(words, self.largest_file)
        for line in self.out:
            if line.startswith("owner token: "):
                self.token = line.split(": ", 1)[1].strip()
            if line.startswith("listening on "):
                return
        self.process.join()
        raise AssertionError(f"the server ended with {self.process.exitcode}")

    def kill(self):
        self.process.kill()
        self.process.join()
        self.out.close()
