"""The site in a real browser: opened from a file, searched without a network, and on a phone."""

import json
import re
import threading
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ..browser import browse, needs_chromium

BROWSER = "not an origin"
PAGES = [
    "index",
    "gallery",
    "howto/engineer",
    "explanation/coming-from",
    "reference/commands",
    "api/studies",
    "readme",
    "paper",
]
# Opens every page in a frame that is as wide as a phone.
PROBE = """<!doctype html><body><script>
(async () => {
  const seen = [];
  for (const path of PATHS) {
    const frame = document.createElement("iframe");
    frame.width = 390; frame.height = 800; frame.src = path;
    await new Promise(done => { frame.onload = done; document.body.append(frame); });
    const page = frame.contentDocument;
    seen.push([path, page.documentElement.scrollWidth, page.querySelectorAll("h1").length]);
    frame.remove();
  }
  const done = document.createElement("pre"); done.id = "done"; done.textContent = JSON.stringify(seen);
  document.body.replaceChildren(done);
})();
</script></body>"""


@pytest.fixture
def offline(tmp_path):
    """Opens a page without a network; returns the page, its console and what it requested from elsewhere."""
    log = tmp_path / "net.json"

    def look(address):
        dom, console = browse(
            tmp_path, address, 5_000, "--host-resolver-rules=MAP * ~NOTFOUND", f"--log-net-log={log}"
        )  # fmt: skip
        requests = [event.get("params", {}) for event in json.loads(log.read_text())["events"]]
        # The browser itself looks for updates and the time; requests of a page have an origin.
        asked = {one["url"] for one in requests if one.get("initiator", BROWSER) != BROWSER and "url" in one}
        return dom, console, sorted(asked)

    return look


@needs_chromium
def test_the_front_page_opens_from_a_file_and_asks_nobody(site, offline):
    dom, console, asked = offline((site / "index.html").as_uri())
    assert "Find the best option when some of the measurements lie." in dom
    assert (console, asked) == ([], [])


@needs_chromium
def test_a_page_that_does_ask_somebody_is_noticed(offline, tmp_path):
    page = tmp_path / "page.html"
    page.write_text('<img src="http://127.0.0.1:9/picture.png">')
    assert offline(page.as_uri())[2] == ["http://127.0.0.1:9/picture.png"]


@needs_chromium
def test_the_search_works_without_a_network(site, offline):
    dom, console, asked = offline((site / "search.html").as_uri() + "?q=breakdown")
    found = re.findall(r'<a href="([^"]+)"', re.search(r'<ul [^>]*class="search".*?</ul>', dom, re.DOTALL)[0])
    assert any(link.startswith("explanation/guarantees.html") for link in found)
    assert any("unswayed.Breakdown" in link for link in found)
    assert (console, asked) == ([], [])
    dom, *_ = offline((site / "search.html").as_uri() + "?q=zebra")
    assert "did not match any documents" in dom


@needs_chromium
def test_no_page_is_wider_than_a_phone(site, tmp_path):
    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self):
            if self.path != "/probe":
                return super().do_GET()
            body = PROBE.replace("PATHS", json.dumps([f"/{page}.html" for page in PAGES])).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        dom, console = browse(tmp_path, f"http://127.0.0.1:{server.server_address[1]}/probe")
        server.shutdown()
    seen = json.loads(unescape(re.search(r'<pre id="done">(.*?)</pre>', dom, re.DOTALL)[1]))
    assert len(seen) == len(PAGES)
    assert [one for one in seen if one[1] > 390 or one[2] != 1] == []
    assert not console
