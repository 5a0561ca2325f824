"""The pages in a real browser, served with the content security policy of the server."""

import json
import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest

import unswayed as uw
from unswayed.service.app import App
from unswayed.service.host import Host
from unswayed.service.interface.openapi import described
from unswayed.service.pages import render
from unswayed.service.pages.view import StudyView
from unswayed.storage.database import Database

from ..browser import browse, needs_chromium, serving
from .pages_data import HARM, OWNER, box, large, options, token_rows

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# Opens every page in a frame of each width. Without the policy, a script that was not escaped would run.
PROBE = """<!doctype html><body><script>
const wait = ms => new Promise(done => setTimeout(done, ms));
const look = async (path, width) => {
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 900; frame.src = path;
  await new Promise(done => { frame.onload = done; document.body.append(frame); });
  const page = frame.contentDocument;
  const fields = [...page.querySelectorAll("input:not([type=hidden]), select, textarea")];
  const seen = {
    path, width, title: page.title, wide: page.documentElement.scrollWidth, h1: page.querySelectorAll("h1").length,
    images: page.images.length, styled: getComputedStyle(page.body).maxWidth, slid: null,
    unnamed: fields.filter(field => field.labels.length === 0).length,
    outside: [...page.querySelectorAll("table")].filter(table => !table.closest(".scroll")).length,
  };
  const slider = page.querySelector(".what-if [name=threat]");
  if (slider) {
    const before = page.querySelector(".what-if p").textContent;
    slider.value = 0; slider.dispatchEvent(new Event("input", { bubbles: true }));
    await wait(1500);
    seen.slid = [before, frame.contentDocument.querySelector(".what-if p").textContent];
  }
  return seen;
};
(async () => {
  const seen = [];
  for (const path of PATHS) for (const width of [1280, 390]) seen.push(await look(path, width));
  const done = document.createElement("pre"); done.id = "done"; done.textContent = JSON.stringify(seen);
  document.body.replaceChildren(done);
})();
</script></body>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """All pages at their addresses; under /open/ without the policy. Every page load sees one more measurement."""
    study = options(HARM, threat=uw.Threat(total=0.5, lies=1, liars=1, low=-5, high=20))
    other = box(HARM, threat=0.1)
    views = [StudyView.of(f"moulds{HARM}", study, study.answer()), StudyView.of("rates", other, other.answer())]
    big = StudyView.of("big", large(50_000), None)
    database = Database(f"sqlite:///{tmp_path_factory.mktemp('site')}/studies.db")
    document = described(App(Host(database)).routes)
    database.close()
    loads, live = [], options()
    before = live.answer()

    def page(path, query):
        if path == "/study" and query.get("live"):
            loads.append(path)
            (play,) = live.ask()
            live.tell(play, 5.0)
            return render.study(StudyView.of("live", live, before), OWNER)
        makers = {
            "/studies": lambda: render.studies(views, OWNER),
            "/study": lambda: render.study(views[0], OWNER, query.get("threat"), query.get("kind")),
            "/box": lambda: render.study(views[1], OWNER, query.get("threat"), query.get("kind")),
            "/sources": lambda: render.sources(views[0], OWNER),
            "/log": lambda: render.log(views[0], OWNER),
            "/tokens": lambda: render.tokens(token_rows(HARM), OWNER, (f"new{HARM}", "TOKEN")),
            "/login": lambda: render.login(HARM, f"/{HARM}"),
            "/interface": lambda: render.interface(document, OWNER),
            "/error": lambda: render.error(404, HARM),
            "/alone": lambda: render.standalone(study, views[0].answer, HARM),
            "/big": lambda: render.study(big, OWNER),
        }
        return makers[path]() if path in makers else None

    def answer(address):
        parts = urlsplit(address)
        path, query = parts.path, dict(parse_qsl(parts.query))
        policy = {} if path.startswith("/open/") or path == "/alone" else {"Content-Security-Policy": POLICY}
        path = path.removeprefix("/open")
        if path.startswith("/static/"):
            name = path.removeprefix("/static/")
            return render.static(name), {"Content-Type": render.TYPES[name]}
        if path.startswith("/api/"):  # one record, then nothing for a long time
            return "retry: 600000\nid: 1\nevent: record\ndata: {}\n\n", {"Content-Type": "text/event-stream"}
        if path == "/probe":
            return PROBE.replace("PATHS", query["paths"]), {}
        if path == "/types":
            return TYPES, {}
        text = page(path, query)
        return None if text is None else (text, policy)

    with serving(answer) as address:
        yield address


@needs_chromium
def test_pages_without_the_policy(site, tmp_path):
    """Nothing that others wrote runs, even if the browser would allow it; nothing sticks out on a phone."""
    paths = ["studies", "study", "box", "sources", "log", "tokens", "login", "interface", "error", "alone", "big"]
    query = json.dumps([f"/open/{path}" for path in paths])
    dom, console = browse(tmp_path, f"{site}/open/probe?paths={query}")
    seen = json.loads(unescape(re.search(r'<pre id="done">(.*?)</pre>', dom, re.DOTALL)[1]))
    assert len(seen) == 2 * len(paths)
    for one in seen:
        assert "PWNED" not in one["title"], one
        assert one["title"].endswith("Unswayed"), one
        assert one["wide"] <= one["width"], one
        assert (one["h1"], one["images"], one["unnamed"], one["outside"]) == (1, 0, 0, 0), one
        assert one["styled"] != "none", one
        if one["path"].endswith(("study", "box")):
            before, after = one["slid"]
            assert before != after
            assert "of up to 0 in all would not have put ahead" in after
    assert not console


@needs_chromium
@pytest.mark.parametrize("path", ["log", "interface", "alone", "big"])
def test_pages_with_the_policy(site, tmp_path, path):
    """The browser has nothing to refuse, and shows what others wrote as text."""
    dom, console = browse(tmp_path, f"{site}/{path}", 3000)
    assert not console
    assert "PWNED" not in dom
    assert "<main" in dom


TYPES = """<!doctype html><body><iframe src="/open/study?live=1" width="900" height="900"></iframe><script>
const frame = document.querySelector("iframe");
frame.onload = () => { frame.contentDocument.querySelector("[name=doubt]").value = "witnessed"; };
setTimeout(() => {
  const page = frame.contentDocument, done = document.createElement("pre");
  done.id = "done"; done.textContent = page.querySelector("[name=doubt]").value;
  document.body.replaceChildren(done);
}, 8000);
</script></body>"""


@needs_chromium
def test_a_page_does_not_take_away_what_somebody_chose(site, tmp_path):
    """The study goes on, and the form keeps what was not sent so far."""
    dom, _ = browse(tmp_path, f"{site}/types", 12_000)
    assert '<pre id="done">witnessed</pre>' in dom


@needs_chromium
def test_a_page_follows_the_study(site, tmp_path):
    """A record arrives, and the page takes over the newer answer."""
    dom, console = browse(tmp_path, f"{site}/study?live=1", 12_000)
    assert not console
    behind = int(re.search(r"(\d+) measurements? ha\w+ arrived since", dom)[1])
    assert behind > 1
