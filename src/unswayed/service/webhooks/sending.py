"""One message over HTTP, signed. Redirects are not followed, and what the receiver says is not read."""

from __future__ import annotations

import hmac
import re
import ssl
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import ip_address
from socket import SHUT_RDWR
from threading import Event, Timer
from urllib.parse import urlsplit

from unswayed.errors import InvalidInput
from unswayed.text import printable

TIMEOUT = 10.0  # seconds for the whole of it
LONGEST_URL = 2000
URL = re.compile(  # names and IPv4 addresses, a port below 66,000, no name and password before the host
    r"https?://[A-Za-z0-9][A-Za-z0-9.-]*(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-5][0-9]{3}))?([/?][!-~]*)?"
)


def checked_url(url: str) -> str:
    """An address that messages may be sent to.

    Args:
        url: What an owner gave.

    Raises:
        InvalidInput: It is none of http or https, is too long, or holds a password.
    """
    if len(url) > LONGEST_URL or not URL.fullmatch(url):
        raise InvalidInput(f"a webhook is http://HOST/PATH or https://HOST/PATH, not {printable(url, limit=100)!r}")
    return url


def signature(secret: str, body: bytes) -> str:
    """By which a receiver knows who sent a message.

    Args:
        secret: Which both know.
        body: What is sent.
    """
    return "sha256=" + hmac.new(secret.encode(), body, "sha256").hexdigest()


def send(url: str, secret: str, body: bytes, identity: str, timeout: float = TIMEOUT) -> str | None:
    """Send a message once; why it failed, in a few words, or None if the receiver took it.

    Args:
        url: Where.
        secret: By which it is signed.
        body: JSON.
        identity: By which the receiver knows a message that comes again.
        timeout: Seconds for the whole of it.
    """
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    kind = HTTPSConnection if secure else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=timeout)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "unswayed",
        "Unswayed-Message": identity,
        "Unswayed-Signature": signature(secret, body),
    }
    cut = Event()
    late = Timer(timeout, _cut, [connection, cut])  # a receiver that answers a byte at a time
    late.daemon = True
    late.start()
    try:
        connection.connect()
        if _forbidden(connection.sock.getpeername()[0]):
            return "this address may not be sent to"
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", target, body, headers)
        status = connection.getresponse().status
        if not cut.is_set():  # else what had come may look like a reply
            return None if 200 <= status < 300 else f"the receiver says {status}"
    except (OSError, HTTPException, ValueError) as error:
        if not cut.is_set() and not isinstance(error, TimeoutError):
            why = printable(str(error) or type(error).__name__, limit=100)
            return "its certificate is not valid" if isinstance(error, ssl.SSLError) else f"it cannot be reached: {why}"
    finally:
        late.cancel()
        connection.close()
    return f"no reply in {timeout:g} s"


def _cut(connection: HTTPConnection, cut: Event) -> None:
    cut.set()
    if connection.sock is not None:
        with suppress(OSError):
            connection.sock.shutdown(SHUT_RDWR)


def _forbidden(address: str) -> bool:
    """Whether nobody receives messages there: the data of cloud machines are at link-local addresses."""
    known = ip_address(address.partition("%")[0])
    mapped = getattr(known, "ipv4_mapped", None) or known
    return bool(mapped.is_link_local or mapped.is_multicast or mapped.is_unspecified)
