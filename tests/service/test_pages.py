"""The pages: what they show is true, what others wrote is text, and fifty thousand plays fit on them."""

import base64
import re
import time
from hashlib import sha256
from html import escape, unescape
from html.parser import HTMLParser
from urllib.parse import parse_qs, unquote, urlsplit

import numpy as np
import pytest

import unswayed as uw
from unswayed.core.tampering.influence import pairwise_influence
from unswayed.pages.render import ICON
from unswayed.search.play import Play, Status
from unswayed.search.report import what_if
from unswayed.service.forms.begin import CELLS
from unswayed.service.forms.fields import Fields
from unswayed.service.forms.threat import ENDS, KINDS
from unswayed.service.pages import render
from unswayed.service.pages.columns import SURPRISING, Columns
from unswayed.service.pages.plays import ROWS, Filter
from unswayed.service.pages.trust import Gauge
from unswayed.service.pages.view import StudyView
from unswayed.text import at_least, printable

from .pages_data import HARM, OWNER, READER, box, large, options, token_rows

NAME = f"../a b/ü?#{HARM}"


@pytest.fixture(scope="module")
def harmful():
    study = options(HARM, threat=uw.Threat(total=0.5, lies=1, liars=1, low=-5, high=20))
    return StudyView.of(NAME, study, study.answer(), sequence=60)


@pytest.fixture(scope="module")
def plain():
    study = options(threat=0.5)
    return StudyView.of("moulds", study, study.answer())


@pytest.fixture(scope="module")
def in_a_box():
    study = box(HARM, threat=0.1)
    return StudyView.of("rates", study, study.answer())


def pages(view, who):
    return {
        "studies": render.studies([view], who),
        "study": render.study(view, who, HARM, HARM),
        "sources": render.sources(view, who),
        "log": render.log(view, who),
        "compare": render.compare([view.name, HARM], [HARM, view.name], [view, view], who),
        "one": render.log(view, who, 1, Filter(number=49), typed(HARM, "move")),
        "open": render.log(view, who, 1, Filter(), typed(HARM, "add")),
        "change": render.study(view, who, fields=typed(HARM, "change")),
        "log-of": render.log(view, who, 1, Filter(f"lab 1{HARM}", HARM, HARM, True, 3)),
        "tokens": render.tokens(token_rows(HARM), who, (f"new{HARM}", "TOKEN")),
        "login": render.login(HARM, f"/x{HARM}"),
        "error": render.error(404, HARM),
        **({"begin": render.begin(typed(HARM), who)} if who.owner else {}),
    }


def typed(text, form="begin"):
    """A form with the same text in every field, and beside it as what is wrong."""
    cells = [f"{cell}-{row}" for cell in CELLS for row in range(3)]
    names = ("name", "note", "options", "table", "kind", "goal", "value", "source", "reason", "set-0", "plays", *cells)
    fields = Fields({**dict.fromkeys((*names, *KINDS, *ENDS), text), "rows": "3"}, form)
    fields.errors = dict.fromkeys(fields.typed, text)
    return fields


class Tags(HTMLParser):
    """Every tag with its attributes, and the text between them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        if not self.tags or self.tags[-1][0] != "textarea":  # which shows again what was typed, as it is
            self.text += data


def test_what_others_wrote_is_text(harmful, in_a_box):
    """No tag, no attribute and no address comes from a name, a label, a reason or a note."""
    for view in (harmful, in_a_box):
        for name, text in pages(view, OWNER).items():
            seen = Tags(text)
            for tag, attributes in seen.tags:
                if attributes.get("href") == ICON:
                    continue
                assert tag not in ("img", "iframe", "object", "style", "base"), name
                assert not [key for key in attributes if key.startswith("on") or key == "style"], (name, tag)
                if tag == "script":
                    assert attributes == {"src": "/static/live.js", "defer": None}
                for key in ("href", "action", "src"):
                    assert attributes.get(key, "/").startswith(("/", "#")), (name, attributes)
                    assert not attributes.get(key, "/").startswith("//")
            assert "{{7*7}}" in text or "7*7" not in text, name
            assert "\u202e" not in seen.text, name
    shown = Tags(render.log(harmful, OWNER)).text
    for words in ("it broke", "wrong cable", "a typo"):
        assert f"{words}{HARM}"[:60] in shown.replace("\\u202e", "\u202e")


def test_pages_need_nothing_inline(harmful):
    """The content security policy allows our own files only."""
    for text in [*pages(harmful, OWNER).values(), *pages(harmful, READER).values()]:
        assert not re.search(r"<[^>]*\sstyle=", text.replace(escape(HARM), ""))
        assert "<style" not in text
        assert text.startswith('<!doctype html>\n<html lang="en">')


def test_names_in_addresses_are_encoded(harmful):
    actions = [a["action"] for tag, a in Tags(render.sources(harmful, OWNER)).tags if tag == "form"]
    path = next(one for one in actions if one.endswith("/quarantine"))
    assert len(path.split("/")) == 4
    assert unquote(path.split("/")[2]) == NAME
    links = [a["href"] for tag, a in Tags(render.sources(harmful, OWNER)).tags if tag == "a" and "source=" in a["href"]]
    assert {parse_qs(urlsplit(link).query)["source"][0] for link in links} == set(harmful.columns.sources)
    sent = [a["value"] for tag, a in Tags(render.sources(harmful, OWNER)).tags if a.get("name") == "source"]
    assert set(sent) == set(harmful.columns.sources)


def test_forms_are_for_owners_and_carry_the_csrf_token(harmful):
    for name, text in pages(harmful, READER).items():
        posts = [a["action"] for tag, a in Tags(text).tags if tag == "form" and a["method"] == "post"]
        assert posts == (["/login"] if name == "login" else [] if name == "error" else ["/logout"]), name
    for name, text in pages(harmful, OWNER).items():
        forms = [a for tag, a in Tags(text).tags if tag == "form" and a["method"] == "post"]
        tokens = [a for tag, a in Tags(text).tags if a.get("name") == "csrf"]
        assert len(tokens) == len(forms) - (name == "login")
        assert all(token["value"] == "secret-csrf" for token in tokens)


def test_the_words_are_those_of_the_answer(plain):
    text = unescape(render.study(plain, OWNER))
    for line in str(plain.answer).splitlines():
        assert line in text
    assert plain.answer.sentence in unescape(render.standalone(options(threat=0.5), plain.answer, "moulds"))


def test_a_study_without_an_answer():
    empty = StudyView.of("new", uw.Optimizer(uw.Options(["a", "b"]), seed=0), None)
    assert empty.state == "Nothing has been measured so far."
    assert "Nothing has been measured so far." in render.study(empty, OWNER)
    for text in (render.sources(empty, OWNER), render.log(empty, READER), render.studies([empty], OWNER)):
        assert "new" in text
    waiting = StudyView.of("busy", options(), None)
    assert waiting.state == "The answer is being computed."
    assert 'data-pending="yes"' in render.study(waiting, OWNER)
    assert waiting.sources
    assert waiting.options
    equal = uw.Optimizer(uw.Options(["a", "b"]), seed=0)
    equal.add([("a", 1.0), ("b", 1.0)])
    assert StudyView.of("equal", equal, equal.answer()).gauges == []
    render.study(StudyView.of("equal", equal, equal.answer()), OWNER)


def test_the_log_shows_every_play_once_and_what_became_of_it(plain):
    study = large(3 * ROWS - 10)
    view = StudyView.of("large", study, None)
    numbers = []
    for page in (1, 2, 3):
        shown = view.log_page(page)
        numbers += [entry.play.number for entry in shown.entries]
        assert shown.pages == 3
    assert numbers == list(range(3 * ROWS - 10))[::-1]
    assert view.log_page(99).page == 3
    assert {e.play.source for e in view.log_page(only=Filter(source="lab 2")).entries} == {"lab 2"}
    assert view.log_page(only=Filter(source="nobody")).total == 0
    assert [e.play.number for e in view.log_page(only=Filter(number=17)).entries] == [17]
    rows = {int(n): row for n, row in re.findall(r'<tr id="play-(\d+)"(.*?)</tr>', render.log(plain, OWNER), re.DOTALL)}
    assert len(rows) == len(plain.log)
    assert re.search(r"<s>.*</s> *\s*2.05", rows[7], re.DOTALL)
    assert "a typo" in rows[7]
    assert "corrected" in rows[7]
    assert "wrong cable" in rows[5]
    assert "it broke" in rows[48]
    assert verbs(plain, 5) == ["move", "restore"][plain.log[5].why == "added" :]
    assert verbs(plain, 7) == ["correct", "retract"]
    assert verbs(plain, 48) == ["correct", "restore"]
    assert verbs(plain, 49) == ["tell", "fail", "move"]


def verbs(view, number):
    """What an owner can do with one measurement."""
    return re.findall(r'action="[^"]*/plays/\d+/(\w+)"', render.log(view, OWNER, 1, Filter(number=number)))


def test_surprising_plays_are_those_set_aside_or_far_from_the_others(plain):
    shown = plain.log_page(only=Filter(surprising=True))
    assert set(plain.answer.set_aside) <= {entry.play.number for entry in shown.entries}
    assert all(entry.aside or (entry.far or 0) > SURPRISING for entry in shown.entries)
    liar = {play.number for play in plain.log if play.source == "lab 3" and play.status is Status.TOLD}
    assert liar <= {entry.play.number for entry in shown.entries}


def test_agreement_with_the_others_is_what_literal_loops_say(plain):
    log, columns = plain.log, plain.columns
    aside = set(plain.answer.set_aside)
    kept = [play for play in log if play.status is Status.TOLD and play.number not in aside]
    assert [play.number for play in kept] == np.flatnonzero(columns.kept).tolist()
    for play in log:
        others = [one.value for one in kept if one.point == play.point and one.source != play.source]
        expected = play.value - np.mean(others) if others and play.value is not None else np.nan
        np.testing.assert_allclose(columns.off[play.number], expected, atol=1e-12)
        rest = [one.value for one in kept if one.point == play.point and one is not play]
        noise = plain.answer.assumptions.noise_std
        far = np.nan
        if rest and play.value is not None:
            far = abs(play.value - np.mean(rest)) / (noise * np.sqrt(1 + 1 / len(rest)))
        np.testing.assert_allclose(columns.deviations[play.number], far, rtol=1e-9)
    for row in plain.sources:
        mine = [columns.off[p.number] for p in log if p.source == row.source and p.status in ("told", "quarantined")]
        assert row.compared == np.isfinite(mine).sum()
        assert row.off == pytest.approx(np.nanmedian(mine))
        assert row.quarantined == (row.source == "lab 6")
        assert row.kept == sum(play.source == row.source for play in kept)
    assert sum(row.share for row in plain.sources) == pytest.approx(1)


def test_options_are_ranked_by_the_mean_of_what_is_kept(plain):
    for minimize in (False, True):
        view = StudyView.of("x", options(minimize=minimize), None)
        rows = view.options
        assert [row.mean for row in rows] == sorted((row.mean for row in rows), reverse=not minimize)
        for row in rows:
            told = [p.value for p in view.log if p.point == row.option and p.status is Status.TOLD]
            assert row.kept == len(told)
            assert row.mean == pytest.approx(np.mean(told))
            assert row.spread == pytest.approx(np.std(told, ddof=1))
            assert 0 <= row.left <= row.middle <= row.right <= 100
    assert next(row for row in plain.options if row.option == plain.leader).role.startswith("recommended")


@pytest.mark.parametrize("kind", ["total", "lies", "liars"])
def test_what_if_changes_its_mind_where_the_breakdown_says(plain, kind):
    answer, b = plain.answer, plain.answer.breakdown
    least = {"total": b.budget, "lies": b.lies, "liars": b.liars}[kind]
    below = np.nextafter(least, 0) if kind == "total" else least - 1
    assert "would not have put ahead" in what_if(answer, kind, below)
    assert "could have put ahead" in what_if(answer, kind, least)
    text = render.study(plain, OWNER, repr(float(least)), kind)
    assert escape(what_if(answer, kind, least)) in text
    assert text.count('class="what-if"') == 3


def test_a_tie_needs_no_tampering():
    tied = uw.Optimizer(uw.Options(["a", "b"]), threat=0.0, seed=0)
    tied.add([("a", 1.0), ("b", 1.0), ("a", 2.0), ("b", 2.0)])
    view = StudyView.of("tied", tied, tied.answer())
    assert {one.sentence for one in view.what_ifs(None, None)} == {what_if(view.answer, "total", 0.0)}
    assert "as good already" in render.study(view, OWNER)


@pytest.mark.parametrize("amount", ["", "nan", "inf", "-1", "1e300", HARM, "9" * 5000, None])
def test_amounts_that_make_no_sense_are_left_out(plain, amount):
    assert render.study(plain, OWNER, amount, "lies") == render.study(plain, OWNER)
    assert render.study(plain, OWNER, amount, HARM) == render.study(plain, OWNER)


def test_the_lead_is_never_below_the_line_that_is_drawn():
    """The lowest lead with a total C is min_b lead_b - C power_b, above the line from (0, lead) to (budget, 0)."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        A = rng.normal(size=(6, 3))
        posterior = uw.Posterior.fit(A @ A.T + np.eye(6), rng.normal(size=6), rng.integers(1, 9, 6), 0.5)
        found, joint = uw.breakdown(posterior), posterior.joint
        winner = int(np.argmax(joint.mean))
        rivals = np.arange(6) != winner
        leads = (joint.mean[winner] - joint.mean)[rivals]
        power = pairwise_influence(joint.effect()[0], winner)[0][rivals]
        for share in np.linspace(0, 1, 11):
            lowest = min(lead - share * found.budget * p for lead, p in zip(leads, power, strict=True))
            assert lowest >= leads.min() * (1 - share) - 1e-9


def test_gauges_compare_what_is_needed_with_what_is_feared(plain):
    (gauge,) = plain.gauges
    b = plain.answer.breakdown
    assert (gauge.needed, gauge.feared) == (b.budget, 0.5)
    assert gauge.withstands == (b.budget > 0.5)
    assert at_least(b.budget) in gauge.words
    assert Gauge("lies", 3, 2).withstands
    assert not Gauge("lies", 2, 2).withstands
    assert not Gauge("total", 2.0, 2.0).withstands
    assert Gauge("liars", None, 5).withstands
    assert Gauge("total", 1.0, None).withstands is None
    for gauge in (Gauge("total", 0.0, 0.0), Gauge("total", 1e-300, 1e100), Gauge("total", None, 3.0)):
        assert 0 <= gauge.fill <= 100
        assert 0 <= gauge.mark <= 100


@pytest.mark.parametrize("space", [uw.Options(["a", "b", "c"]), uw.Box({"x": uw.Real(0, 1)})], ids=["list", "box"])
def test_equal_values_say_nothing_about_amounts(space):
    """Although the range is known: the lead is a rounding error, and in a box no point is worse."""
    study = uw.Optimizer(space, threat=uw.Threat(lies=1, low=0, high=1), seed=0, parallel=None)
    for play in study.ask(12):
        study.tell(play, 0.5, source=f"lab {play.number % 3}")
    view = StudyView.of("equal", study, study.answer())
    assert view.gauges == view.what_ifs(None, None) == []
    assert "pivot" not in render.study(view, OWNER, None, None)
    assert not re.search(">(yes|no)<", render.sources(view, OWNER))


def test_points_that_cannot_be_told_apart_withstand_nothing():
    """Three values that the model takes for noise: no point is worse, so no tampering "is enough" by definition."""
    study = uw.Optimizer(uw.Box({"x": uw.Real(0, 1), "y": uw.Real(-1, 1)}), threat=uw.Threat(lies=1), seed=0)
    study.add([({"x": 0.35, "y": -0.73}, 1.0), ({"x": 0.6, "y": -0.23}, 3.0), ({"x": 0.23, "y": -0.48}, 5.0)])
    answer = study.answer()
    assert not answer.breakdown.possible
    assert StudyView.of("few", study, answer).gauges == []
    assert answer.to_dict()["threats"] == []
    assert "No other point that could be recommended is worse by more than the noise" in answer.explain()


def test_sources_that_nobody_names_may_all_be_one():
    study = uw.Optimizer(uw.Options(["a", "b"]), threat=uw.Threat(liars=1), seed=0)
    study.add([(x, y) for x, y in (("a", 0.1), ("a", 0.12), ("b", 0.9), ("b", 0.93)) for _ in range(3)])
    (gauge,) = StudyView.of("unnamed", study, study.answer()).gauges
    assert (gauge.needed, gauge.withstands) == (1, False)


def test_who_alone_could_overturn(plain):
    """As the number of lying sources says: one is enough if and only if some source alone can."""
    for threat in (None, uw.Threat(liars=1, low=0, high=100), uw.Threat(low=0, high=7)):
        answer = options(threat=threat).answer()
        liars = answer.breakdown.liars
        assert any(source.alone for source in answer.sources) == (liars is not None and liars <= 1)
    sure = uw.Optimizer(uw.Options(["a", "b"]), threat=uw.Threat(low=0, high=1), seed=0)
    sure.add(
        [(x, uw.Measurement(y, source=f"lab {n}")) for n in range(9) for x, y in (("a", 0.1), ("b", 0.9 + n / 100))]
    )
    assert sure.answer().breakdown.liars > 1
    assert not any(source.alone for source in sure.answer().sources)


def test_who_wins_without_a_source_is_shown(plain):
    text = unescape(render.sources(plain, READER))
    others = {one.without for one in plain.answer.sources} - {plain.answer.point, None}
    assert text.count(">the same</td>") + sum(text.count(f"<bdi>{one}</bdi>") for one in others) == sum(
        row.kept > 0 and not row.quarantined for row in plain.sources
    )


def test_standalone_needs_nothing_else(harmful):
    study = options(HARM)
    text = render.standalone(study, harmful.answer, NAME)
    seen = Tags(text)
    assert not {tag for tag, _ in seen.tags} & {"script", "img", "form", "button"}
    assert [a["href"] for tag, a in seen.tags if tag == "link"] == [ICON]
    assert "a" not in {tag for tag, _ in seen.tags}
    (style,) = re.findall("<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    (policy,) = [a["content"] for tag, a in seen.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert f"'sha256-{digest}'" in policy
    assert "url(" not in style
    assert len(re.findall(r'<tr id="play-', text)) == len(study.log)


def test_odd_values_are_shown():
    """Huge numbers, times that are none, half surrogate pairs, names with line breaks."""
    state = large(4)._state
    state.log[1] = Play(1, "option 3", Status.TOLD, 1e100, source="\ud800", asked=1e300, answered=-1e300)
    state.log[2] = Play(2, "option 3", Status.TOLD, -1e100, source="a\nb\u202e", asked=float("nan"), trials=10**30)
    view = StudyView.of("\ud800\u202ex", uw.Study(state), None)
    for text in (render.study(view, OWNER), render.log(view, OWNER), render.sources(view, OWNER)):
        text.encode()
        assert printable("\u202ex") in text
    assert "an unknown time" in render.log(view, OWNER)
    assert sum(a.get("name") == "source" for _, a in Tags(render.sources(view, OWNER)).tags) == 3
    render.standalone(uw.Study(state), None, "\ud800")


def test_login_leads_to_this_server_only():
    for bad in ("//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"):
        assert 'name="next" value="/"' in render.login(next=bad)
    assert 'name="next" value="/studies/a%20b"' in render.login(next="/studies/a%20b")


def test_fifty_thousand_plays_fit_on_a_page(plain):
    small, big = (StudyView.of("x", large(plays), None) for plays in (50, 50_000))
    for page in (render.study, render.sources, render.log):
        assert len(page(big, OWNER).encode()) < 1e6
        took = {}
        for view in (small, big):
            times = []
            for _ in range(5):
                start = time.process_time()
                page(view, OWNER)
                times.append(time.process_time() - start)
            took[view] = min(times)
        assert took[big] <= 20 * took[small]
    assert Columns.of(big.log, None).kept.sum() == big.measured
