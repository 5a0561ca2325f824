"""The page of the gauntlet in a real browser."""

import json
import re
from html import unescape
from statistics import median

import pytest

from unswayed_gauntlet.report.page import page

from ...browser import browse, needs_chromium, serving
from .page_data import SETTINGS, Tree, boards, gauntlet, harmful_page

# Opens the page in a frame of each width, sorts its first table by each heading, and says what it saw.
PROBE = """<!doctype html><body><script>
const look = async (path, width) => {
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 900; frame.src = path;
  await new Promise(done => { frame.onload = done; document.body.append(frame); });
  const page = frame.contentDocument, table = page.querySelector("#attacked table");
  const lines = () => [...table.tBodies[0].rows].map(row => row.cells[0].textContent);
  const heads = [...table.tHead.rows[0].cells];
  const seen = {
    path, width, title: page.title, wide: page.documentElement.scrollWidth, before: lines(), sorted: {},
    outside: [...page.querySelectorAll("table")].filter(table => !table.closest(".scroll")).length,
    sticking: [...page.querySelectorAll("main *")].filter(one => !one.closest(".scroll, details:not([open])")
      && one.getBoundingClientRect().right > width + 0.5).length,
    styled: frame.contentWindow.getComputedStyle(page.body).maxWidth,
  };
  for (const head of heads) {
    const button = head.querySelector("button");
    if (!button) continue;
    button.focus();
    const focused = page.activeElement === button;
    const orders = [];
    for (let time = 0; time < 2; time++) {
      button.click();
      const marked = heads.filter(other => other.hasAttribute("aria-sort"));
      orders.push([marked.length === 1 && marked[0] === head && head.getAttribute("aria-sort"), lines()]);
    }
    seen.sorted[button.textContent] = [focused, orders];
  }
  return seen;
};
(async () => {
  const seen = [];
  for (const path of ["/page", "/harm"]) for (const width of [1280, 390]) seen.push(await look(path, width));
  const done = document.createElement("pre"); done.id = "done"; done.textContent = JSON.stringify(seen);
  document.body.replaceChildren(done);
})();
</script></body>"""


@pytest.fixture(scope="module")
def site():
    pages = {"/page": page(gauntlet(), settings=SETTINGS), "/harm": harmful_page(), "/probe": PROBE}

    with serving(lambda path: (pages[path], {}) if path in pages else None) as address:
        yield address


@needs_chromium
def test_the_page_in_a_real_browser(site, tmp_path):
    """Its tables are sorted by their headings, nothing sticks out on a phone, and what others wrote does not run."""
    dom, console = browse(tmp_path, f"{site}/probe")
    assert not [line for line in console if "favicon" not in line]
    seen = json.loads(unescape(re.search(r'<pre id="done">(.*?)</pre>', dom, re.DOTALL)[1]))
    assert [one["width"] for one in seen] == [1280, 390, 1280, 390]
    table = boards(Tree(page(gauntlet(), settings=SETTINGS)), "attacked")
    attacked = [r for r in gauntlet() if r["corruption"] != "none" and r["problem"] in ("branin-2", "hplc")]
    gaps = {name: median(r["gaps"][-1] for r in attacked if r["optimizer"] == name) for name in table}
    for one in seen:
        assert one["title"] == "The gauntlet · Unswayed"
        assert one["wide"] <= one["width"], one
        assert (one["outside"], one["sticking"]) == (0, 0), one
        assert one["styled"] != "none"
        for focused, orders in one["sorted"].values():
            assert focused
            assert {state for state, _ in orders} == {"ascending", "descending"}
            assert all(sorted(lines) == sorted(one["before"]) for _, lines in orders)
        if one["path"] == "/page":
            assert one["before"] == list(table)
            _, [(first, up), (second, down)] = one["sorted"]["median gap"]
            assert (first, second) == ("ascending", "descending")
            assert [gaps[name] for name in up] == sorted(gaps.values())
            assert down == up[::-1]
            assert one["sorted"]["optimiser"][1][0][1] == sorted(table)
            for _, lines in one["sorted"]["claims true"][1]:
                assert set(lines[2:]) == {"random", "tpe"}  # they claim nothing and come last both ways
