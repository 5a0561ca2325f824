"""What all pages share: escaping, the policy of a page that stands alone, and where templates are looked for."""

import base64
import re
from hashlib import sha256
from html import unescape

import pytest
from jinja2 import UndefinedError

from unswayed.pages.render import SHARED, Picture, Table, Words, environment, rendered, standalone

HARM = "</td><script>alert(1)</script>'\"&\u202e\n"
PARTS = [
    Table(f"title{HARM}", f"text{HARM}", (f"head{HARM}", "b"), [(f"cell{HARM}", "2")]),
    Picture(f"figure{HARM}", f"caption{HARM}", b"PNG"),
    Words("", [f"words{HARM}"]),
]


def audit(**about):
    decision = [f"verdict{HARM}", f"next{HARM}"]
    names = {"source": f"file{HARM}", "decision": decision, "facts": [f"fact{HARM}"], "parts": PARTS}
    return standalone("unswayed.plots", "audit.html", **{**names, **about})


def test_text_of_others_is_only_text():
    page = audit()
    assert "<script" not in page
    for word in ("title", "text", "head", "cell", "figure", "caption", "words", "verdict", "next", "fact"):
        assert f"{word}</td><script>alert(1)</script>'\"&" in unescape(page), word
    assert "\\u202e\\n" in page  # on one line, its control characters can be seen
    assert f"data:image/png;base64,{base64.b64encode(b'PNG').decode()}" in page


def test_the_policy_allows_what_is_in_the_page_and_nothing_else():
    page = audit(style="b { color: red }", script="")
    (policy,) = re.findall(r'Content-Security-Policy" content="(.*?)"', page)
    (style,) = re.findall("<style>(.*?)</style>", page, re.DOTALL)
    assert style.endswith("b { color: red }")
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    assert unescape(policy) == (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert "script-src 'sha256-" in unescape(audit(script="let a = 1;"))


def test_an_unknown_name_is_an_error():
    with pytest.raises(UndefinedError, match="decision"):
        rendered("unswayed.plots", "audit.html", policy="", style="", source="", facts=[], parts=[])


def test_templates_of_the_package_come_before_the_shared_ones():
    assert "/static/live.js" in environment("unswayed.service.pages").loader.load_func("page.html")
    shared = environment(SHARED).loader.load_func("layout.html")
    assert environment("unswayed.plots").loader.load_func("layout.html") == shared
    with pytest.raises(FileNotFoundError):
        environment(SHARED).get_template("audit.html")


def test_half_a_surrogate_pair_can_be_written():
    assert "half?" in audit(decision=["half\ud800"]).encode().decode()
