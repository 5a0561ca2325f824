"""The forms in a real browser, against the real application, on a screen and on a phone."""

import json
import re
import socket
import threading
from contextlib import contextmanager
from html import unescape

import pytest
import uvicorn

import unswayed as uw
from tests.browser import browse, needs_chromium
from tests.service.pages_data import HARM
from unswayed.search.play import Status
from unswayed.service.app import App
from unswayed.service.host import Host
from unswayed.storage.database import Database

# Walks through the pages in a frame, and notes what cannot be reached there.
PROBE = """<!doctype html><body><script>
const frame = document.createElement("iframe"), seen = { steps: {}, outside: [], unreachable: [] };
const page = () => frame.contentDocument;
const loaded = act => new Promise(done => { frame.onload = done; act(); });
const all = (selector, within) => [...(within || page()).querySelectorAll(selector)];
const one = selector => { const found = page().querySelector(selector); if (!found) throw selector; return found; };
const shown = element => element.getClientRects().length > 0;
// Everything that can be pressed or filled in lies on the screen, or is one press away.
const look = path => {
  const wide = page().documentElement.clientWidth;
  if (page().documentElement.scrollWidth > wide) seen.outside.push(
    [path, all("body *").filter(one => one.getBoundingClientRect().right > wide).map(one => one.outerHTML)]
  );
  for (const part of all("a, button, input:not([type=hidden]), select, textarea, summary")) {
    if (!shown(part) || part.matches(".skip")) continue;
    const at = part.getBoundingClientRect();
    if (at.left < -1 || at.right > wide + 1) seen.outside.push([path, part.outerHTML.slice(0, 200), at.right]);
  }
  for (const form of all("form")) {
    const closed = form.closest("details:not([open])"), press = form.querySelector("button");
    if (!shown(closed ? closed.querySelector("summary") : press)) seen.unreachable.push([path, form.action]);
  }
};
const go = async path => { await loaded(() => { frame.src = path; }); look(path); };
const send = async (form, fields, button) => {
  for (const [name, value] of Object.entries(fields)) {
    const field = one(`${form} [name="${name}"]`);
    if (field.type === "checkbox") field.checked = value; else field.value = value;
  }
  await loaded(() => one(`${form} ${button || "button"}`).click());
  look(page().location.pathname + " after " + form);
};
const step = (name, value) => { seen.steps[name] = value; };
const wrongs = () => all(".wrong").map(one => one.textContent);
const rows = () => all("#plays tbody tr th").map(one => one.textContent);

const walk = async (name, token) => {
  await go("/login");
  await send("main form", { token });
  await go("/begin");
  const about = { name, note: "yield", plays: "12", "name-0": "T", "low-0": "80", "high-0": "20", "step-0": "0.5" };
  await send("form.wide", { ...about, "name-1": "s", "type-1": "choices", "choices-1": "a, b" }, ".main");
  const [choices, steps] = [one("[name=choices-1]"), one("[name=step-1]")];
  step("refused", [wrongs(), choices.value, shown(choices), shown(steps)]);
  await send("form.wide", { "high-0": "90" }, "[name=more]");
  step("more", [one("[name=high-0]").value, all("fieldset.parameter").length]);
  await send("form.wide", { liars: "1", low: "0", high: "1" }, ".main");
  step("begun", [page().location.pathname, one(".facts").textContent.includes("1 lying source")]);
  const varied = one("#varied tbody").textContent.replace(/\\s+/g, " ").trim();
  step("empty", [shown(one("#varied")), varied, one(".setup p").textContent]);
  await go(`/studies/${name}/log`);
  one("details summary").click();
  look("ask");
  const ask = one("form[action$='/ask']");
  const bottom = ask.querySelector(".entries").getBoundingClientRect().bottom;
  step("below", ask.querySelector("button").getBoundingClientRect().top >= bottom);
  await send("form[action$='/ask']", { n: "3", source: "bench" });
  step("asked", [page().location.search, rows()]);
  await loaded(() => one(".act").click());
  look("one measurement");
  step("number", page().location.search);
  await send("form[action$='/tell']", { value: "1,500" });
  step("comma", [wrongs(), one("form[action$='/tell'] [name=value]").value]);
  await send("form[action$='/tell']", { value: "0,5" });
  await send("form[action$='/move']", { "set-0": "85.2" });
  step("between", wrongs());
  await send("form[action$='/move']", { nearest: true });
  step("moved", one("#plays").textContent.includes("T = 85"));
  await send("form[action$='/correct']", { value: "0.6", reason: "a <b>typo</b>" });
  await send("form[action$='/retract']", { reason: "dirty" });
  await send("form[action$='/restore']", {});
  await go(`/studies/${name}/log?number=0`);
  await send("form[action$='/fail']", { reason: "broken" });
  await go(`/studies/${name}/log?number=1`);
  await send("form[action$='/tell']", { value: "0.7", source: "other" });
  await go(`/studies/${name}/log`);
  await send("form.filter", { state: "counts" });
  const counting = rows();
  await send("form.filter", { state: "", text: "BROKE" });
  const broken = rows();
  await send("form.filter", { text: "", source: "other" });
  step("filtered", [counting, broken, rows(), page().location.search]);
  await go(`/studies/${name}/sources`);
  await send("#sources form", {});
  const set_aside = one("#sources").textContent.includes("quarantined");
  await send("#sources form", {});
  step("quarantined", [set_aside, one("#sources").textContent.includes("quarantined")]);
  await go(`/studies/${name}`);
  await send("form[action$='/change']", { lies: "x", total: "" });
  step("kept", [wrongs(), one("[name=lies]").value, one("[name=liars]").value]);
  await send("form[action$='/change']", { lies: "2", liars: "" });
  step("changed", one(".facts").textContent.includes("2 false measurements"));
  const form = one("form[action$='/export']");
  const files = {};
  for (const format of ["csv", "xlsx", "jsonl"]) {
    form.elements.format.value = format;
    const answer = await fetch(`${form.action}?${new URLSearchParams(new FormData(form))}`);
    files[format] = [answer.status, answer.headers.get("content-disposition"), (await answer.text()).slice(0, 30)];
  }
  step("files", files);
  await loaded(() => one("a[href^='/compare']").click());
  step("offered", [one("#one").value, one("#other").value]);
  await send("form.filter", { one: name, other: name });
  step("itself", [one(".note").textContent, all(".beside").length]);
  await send("form.filter", { one: name, other: "hostile" });
  const [left, right] = all(".beside .plot").map(one => one.getBoundingClientRect());
  step("level", WIDTH < 1000 ? left.bottom < right.top : left.top === right.top && left.right < right.left);
  const ticks = all(".chart").map(one => all("text", one).map(tick => tick.textContent).join());
  step("compared", [all(".beside section").map(one => one.querySelector("h2").textContent.trim()), ticks]);
  for (const path of ["/", "/tokens", "/interface", "/studies/hostile", "/studies/hostile/log",
                      "/studies/hostile/log?number=0", "/studies/hostile/sources"]) await go(path);
  seen.title = page().title;
};
(async () => {
  frame.width = WIDTH; frame.height = 900;
  document.body.append(frame);
  try { await walk("alloy-WIDTH", "TOKEN"); } catch (error) { seen.error = String(error) + " " + (error.stack || ""); }
  const done = document.createElement("pre"); done.id = "done"; done.textContent = JSON.stringify(seen);
  document.body.replaceChildren(done);
})();
</script></body>"""


class Framed:
    """The application, with a page of the test beside it that may show the others in a frame."""

    def __init__(self, app, probe):
        self.app, self.probe = app, probe.encode()

    async def __call__(self, scope, receive, send):
        async def framed(message):
            if message["type"] == "http.response.start":
                headers = [(name, one.replace(b"; frame-ancestors 'none'", b"")) for name, one in message["headers"]]
                message = {**message, "headers": headers}
            await send(message)

        if scope["type"] == "http" and scope["path"] == "/probe":
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
            await send({"type": "http.response.body", "body": self.probe})
        else:
            await self.app(scope, receive, framed)


@contextmanager
def served(app):
    """The address of an application, served by a real server."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join(20)


@pytest.fixture
def hostile(tmp_path):
    """The studies of a database; in one of them, everything that others may write means harm."""
    database = Database(f"sqlite:///{tmp_path}/studies.db")
    host = Host(database)
    _, study = host.begin("hostile", {"x": {"low": 0, "high": 1}, "k": {"choices": [HARM, "b" * 100]}}, {"note": HARM})
    told = [({"x": n / 10, "k": HARM}, uw.Measurement(n % 3, source=f"{HARM}{n % 2}")) for n in range(8)]
    study.edit("boss", lambda known: known.add(told))
    study.edit("boss", lambda known: known.retract(0, HARM * 3))
    yield host
    database.close()


@needs_chromium
@pytest.mark.parametrize("width", [1280, 390])
def test_every_form_on_a_screen_and_on_a_phone(hostile, tmp_path, width):
    token = hostile.tokens.make("boss", "owner")
    probe = PROBE.replace("WIDTH", str(width)).replace("TOKEN", token)
    with served(Framed(App(hostile), probe)) as address:
        dom, console = browse(tmp_path, f"{address}/probe", 120_000)
    seen = json.loads(unescape(re.search(r'<pre id="done">(.*?)</pre>', dom, re.DOTALL)[1]))
    steps = seen["steps"]
    assert "error" not in seen, (seen["error"], steps)
    assert steps["refused"] == [["low = 80 must not exceed high = 20"], "a, b", True, False]
    assert steps["more"] == ["90", 4]
    assert steps["begun"] == [f"/studies/alloy-{width}", True]
    shown, varied, about = steps["empty"]
    assert (shown, varied) == (True, "T80 to 90 in steps of 0.5 sa and b")
    assert about.startswith("Larger values are better. Seed: ")
    assert steps["below"]
    assert steps["offered"] == [f"alloy-{width}", "hostile"]
    assert steps["itself"] == ["Choose two different studies.", 0]
    assert steps["level"]
    assert steps["asked"] == ["?state=open", ["2", "1", "0"]]
    assert steps["number"] == "?number=2"
    assert steps["comma"] == [["'1,500' is not a number (write a point, not a comma)"], "1,500"]
    assert "85.2" in steps["between"][0]
    assert "tick below that it counts there" in steps["between"][0]
    assert "--nearest" not in steps["between"][0]
    assert steps["moved"]
    assert steps["filtered"] == [["2", "1"], ["0"], ["1"], "?source=other&state=&text="]
    assert steps["quarantined"] == [True, False]
    assert steps["kept"] == [["'x' is not a number"], "x", "1"]
    assert steps["changed"]
    assert [status for status, _, _ in steps["files"].values()] == [200, 200, 200]
    assert steps["files"]["csv"][2].startswith("number,T,s,value")
    names, ticks = steps["compared"]
    assert names == [f"alloy-{width}", "hostile"]
    assert len(ticks) == 2
    assert len(set(ticks)) == 1
    assert ticks[0]
    assert seen["outside"] == []
    assert seen["unreachable"] == []
    assert "PWNED" not in seen["title"]
    assert [line for line in console if "422" not in line] == []  # what was refused on purpose
    log = hostile.study(f"alloy-{width}").log
    assert [one.status for one in log] == [Status.FAILED, Status.TOLD, Status.TOLD]
    assert (log[2].value, log[2].before, log[2].point["T"]) == (0.6, (0.5,), 85.0)
