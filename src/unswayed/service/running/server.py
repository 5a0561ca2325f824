"""The server as a process: it tidies up, and ends within a bounded time; nothing that was acknowledged is lost."""

from __future__ import annotations

import os
import signal
import socket
from threading import Thread
from time import sleep, time
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import uvicorn

from unswayed.errors import SystemFault
from unswayed.service.running.log import LOGGER
from unswayed.storage.database import Database

if TYPE_CHECKING:
    from unswayed.service.app import App

DAY = 86_400.0  # seconds
REPLIES_KEPT = 7 * DAY  # so long may a request be sent again; a client of ours gives up after a minute
FINISHING = 8  # seconds for requests under way; a container is killed 10 s after it was told to end
INTERRUPTED = 130


class Server(uvicorn.Server):
    """Ends after SIGTERM with exit code 0: nothing new is accepted, requests under way are finished, streams end.

    Args:
        app: What it serves.
    """

    def __init__(self, app: App) -> None:
        self._app, self._code = app, 0
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                lifespan="off",
                server_header=False,
                timeout_graceful_shutdown=FINISHING,
                ws="none",
            )
        )

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take the signal to end."""
        self._code = INTERRUPTED if sig == signal.SIGINT else 0
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish what is under way; what takes longer than `FINISHING` seconds is cut, as if the server were killed."""
        LOGGER.info("ending: requests under way are finished, others refused")
        self._app.ending = True
        await super().shutdown(sockets)
        if self.server_state.tasks:  # a search in a thread cannot be cancelled, and Python would wait for its end
            count = len(self.server_state.tasks)
            LOGGER.warning("%d unfinished after %d s and not acknowledged: clients send them again", count, FINISHING)
            os._exit(self._code)


def end(signal: int, frame: FrameType | None) -> NoReturn:
    """End with exit code 0, also before the first request; uvicorn calls this after it has finished."""
    raise SystemExit(0)


def say_ready() -> None:
    """Tell systemd, if it waits for that, that requests are answered from now on."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if address:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
            told.connect(address.replace("@", "\0", 1) if address.startswith("@") else address)
            told.send(b"READY=1")


def keep_tidy(database: Database) -> None:
    """Forget replies that nobody asks for any more, now and once a day, in a thread of its own."""

    def tidy() -> None:
        while True:
            try:
                if forgotten := database.forget_replies(time() - REPLIES_KEPT):
                    LOGGER.info("%d replies to requests of more than a week ago are forgotten", forgotten)
            except SystemFault as error:
                LOGGER.error("%s", error)
            sleep(DAY)

    Thread(target=tidy, daemon=True, name="tidy").start()
