"""Pages in Debian's chromium, and a server for them."""

import shutil
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium")


def browse(folder, address, milliseconds=30_000, *options, width=1400):
    """The page after its scripts have run, and what the console said, without hints for password managers."""
    done = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
            "--disable-background-networking", "--disable-component-update", "--disable-quic",
            "--enable-logging=stderr", f"--user-data-dir={folder / 'profile'}", f"--window-size={width},900",
            f"--virtual-time-budget={milliseconds}", *options, "--dump-dom", address,
        ],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line and "[DOM]" not in line]


@contextmanager
def serving(answer):
    """The address of a server. `answer` takes a path and gives text and headers, or None if there is no such page."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            found = answer(self.path)
            if found is None:
                return self.send_error(404)
            text, headers = found
            body = text.encode()
            self.send_response(200)
            usual = {"Content-Type": "text/html; charset=utf-8", "Content-Length": len(body)}
            for name, value in {**usual, **headers}.items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
