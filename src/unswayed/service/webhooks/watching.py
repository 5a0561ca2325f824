"""Looks for verdicts that have changed and sends them, beside the requests of a server.

A verdict and its message are kept in one transaction, and a message until it was taken or tried for the last time: a
server that is killed goes on where it was. Nobody who tells or asks waits for a receiver.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from time import monotonic, sleep, time

from unswayed.errors import SystemFault
from unswayed.service.host import Host
from unswayed.service.running.log import LOGGER
from unswayed.service.webhooks.sending import TIMEOUT, send
from unswayed.service.webhooks.verdict import another, leader, message, trust
from unswayed.storage.webhooks import Message, Webhook, Webhooks

PAUSE = 1.0  # seconds between two looks
SHARE = 0.1  # of the time may be spent on the verdicts of one study: whoever asks waits for that
WAITS = (10.0, 60.0, 300.0, 1800.0, 7200.0, 21600.0)  # seconds between the tries of a message; then it is dropped
SENDERS = 8  # messages under way at once


class Watcher:
    """The webhooks of a server.

    Args:
        host: Its studies.
        waits: Seconds between the tries of a message.
    """

    def __init__(self, host: Host, waits: tuple[float, ...] = WAITS) -> None:
        self._host, self._waits = host, waits
        self._kept = Webhooks(host.database)
        self._looked: dict[tuple[int, str], tuple[int, float]] = {}  # the last record, and when to look again

    def start(self) -> None:
        """Watch in threads of their own, until the process ends."""
        Thread(target=self._again, args=(self.look,), daemon=True, name="verdicts").start()
        Thread(target=self._again, args=(self.deliver,), daemon=True, name="webhooks").start()

    def _again(self, work: Callable[[], None]) -> None:
        while True:
            try:
                work()
            except SystemFault as error:
                LOGGER.error("%s", error)
            except Exception:
                LOGGER.exception("a fault of the webhooks")
            sleep(PAUSE)

    # verdicts

    def look(self) -> None:
        """Look once at each study that has a webhook."""
        for webhook in self._kept.all():
            known, again = self._looked.get((webhook.study, webhook.secret), (0, 0.0))
            study = self._host.study(webhook.name)
            if (
                monotonic() < again
                or study.seq <= max(known, webhook.seq)
                or not any(one.measured for one in study.log)
            ):
                continue
            began = monotonic()
            try:
                seq = self._judge(webhook)
            except SystemFault:
                raise
            except Exception:
                LOGGER.exception("the verdict of %s cannot be computed", webhook.name)
                seq = study.seq
            took = monotonic() - began
            self._looked[webhook.study, webhook.secret] = seq, began + max(PAUSE, took / SHARE)

    def _judge(self, webhook: Webhook) -> int:
        """Keep the verdict and the leader if one of them is new; the last record that they are about."""
        seq, answer = self._host.study(webhook.name).answered()
        verdict, now = str(trust(answer)), time()
        moved = webhook.leader is not None and another(answer, webhook.leader)
        new = moved or verdict != webhook.verdict
        if new or webhook.leader is None:
            before = webhook.leader if moved else None
            body = message(webhook.name, answer, seq, webhook.verdict, now, before) if new else None
            self._kept.notice(webhook, seq, verdict, leader(answer), body, now)
        return seq

    # messages

    def deliver(self) -> None:
        """Send what is due, each once. The process may end meanwhile: then it is sent again after the next start."""
        due = self._kept.due(time())
        for first in range(0, len(due), SENDERS):
            lot = due[first : first + SENDERS]
            threads = [Thread(target=self._deliver, args=(one,), daemon=True, name="webhook") for one in lot]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def _deliver(self, one: Message) -> None:
        try:
            if not self._kept.claim(one, time() + 3 * TIMEOUT):
                return  # another server sends it
            error = send(one.url, one.secret, one.body.encode(), f"{one.study}-{one.seq}")
            again = None
            if error is not None:
                again = time() + self._waits[one.tries] if one.tries < len(self._waits) else None
                left = "it is tried again" if again is not None else "it is not tried any more"
                LOGGER.warning("a message of a webhook failed: %s; %s", error, left)
            self._kept.tried(one, time(), error, again)
        except SystemFault as fault:
            LOGGER.error("%s", fault)
