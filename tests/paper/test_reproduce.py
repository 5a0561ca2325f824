"""`unswayed reproduce` from end to end, at a small size, with a real pool and a real browser."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unswayed import load_runs
from unswayed.cli import main
from unswayed.experiments.instances import instance
from unswayed.experiments.sweep import Failure, sweep
from unswayed.paper import beyond, certified
from unswayed.paper.checks import Evidence
from unswayed.paper.claims import CLAIMS
from unswayed.paper.grid import OTHER_DRAWS, Scale, other_draw_trials, other_draws, well_posed
from unswayed.paper.report import MARKS
from unswayed.paper.reproduce import other_draws_in_words

from ..browser import browse, needs_chromium

SMALL = ("--trials", "1", "--horizon", "600")
COMMAND = [sys.executable, "-c", "from unswayed.cli import main; main()", "reproduce"]


def unswayed(*arguments, code=0):
    with pytest.raises(SystemExit) as stop:
        main(["reproduce", *map(str, arguments)])
    assert stop.value.code == code


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    out = tmp_path_factory.mktemp("paper") / "out"
    unswayed("--out", out, "--quick", "--jobs", 2)
    return out


def test_everything_is_there(finished):
    names = {path.name for path in finished.iterdir()}
    figures = {f"figure-{n}.{kind}" for n in range(1, 7) for kind in ("png", "pdf")}
    assert names >= figures | {"report.html", "claims.json", "runs.parquet", "sweep.json"}
    table = load_runs(finished)
    assert table.num_rows == 288
    assert set(table["horizon"].to_pylist()) == {5000}
    claims = json.loads((finished / "claims.json").read_text())
    assert [claim["name"] for claim in claims] == [claim.name for claim in CLAIMS]
    keys = "name section sentence rule verdict parts numbers note other_draws choice_of_draw"
    assert all(set(claim) == set(keys.split()) for claim in claims)
    assert all(claim["verdict"] in ("holds", "holds partly", "does not hold") for claim in claims)
    assert sum(path.stat().st_size for path in finished.rglob("*") if path.is_file()) < 20e6


@pytest.mark.slow
def test_any_number_of_jobs_gives_the_same_numbers(finished, tmp_path):
    for jobs in (1, 4):
        out = tmp_path / str(jobs)
        unswayed("--out", out, "--quick", "--jobs", jobs, "--only", "figure-3")
        ours = load_runs(out).to_pylist()
        theirs = {row["fingerprint"]: row for row in load_runs(finished).to_pylist()}
        assert ours
        assert all(row == theirs[row["fingerprint"]] for row in ours)


@pytest.mark.slow
def test_dask_gives_the_same_numbers(tmp_path):
    unswayed("--out", tmp_path / "p", *SMALL, "--only", "figure-3")
    unswayed("--out", tmp_path / "d", *SMALL, "--only", "figure-3", "--executor", "dask", "--jobs", 2)
    assert (tmp_path / "p" / "runs.parquet").read_bytes() == (tmp_path / "d" / "runs.parquet").read_bytes()
    assert (tmp_path / "p" / "claims.json").read_bytes() == (tmp_path / "d" / "claims.json").read_bytes()


def test_rendering_again_runs_nothing(finished, tmp_path, monkeypatch):
    out = tmp_path / "copy"
    shutil.copytree(finished, out)
    kept = {name: (out / name).read_bytes() for name in ("claims.json", "figure-3.png", "figure-5.pdf")}
    for path in [*out.glob("figure-*"), out / "report.html", out / "claims.json"]:
        path.unlink()
    monkeypatch.setattr("unswayed.experiments.experiment.simulate", None)
    monkeypatch.setattr("unswayed.experiments.experiment.code_version", lambda: "after an update")
    unswayed("--out", out, "--render-only")
    for name, content in kept.items():
        assert (out / name).read_bytes() == content, name
    assert (out / "report.html").exists()


def test_one_figure_only(tmp_path):
    unswayed("--out", tmp_path / "o", *SMALL, "--only", "figure-1", "--only", "figure-2")
    assert {p.name for p in (tmp_path / "o").glob("*.png")} == {"figure-1.png", "figure-2.png"}
    assert set(load_runs(tmp_path / "o")["problem"].to_pylist()) == {"robot3d"}


def test_interrupted_and_resumed(tmp_path):
    """Ctrl-C loses at most the runs under way; the next call finishes, with the numbers of an undisturbed one."""
    out = tmp_path / "o"
    arguments = ["--out", str(out), "--trials", "6", "--horizon", "9000", "--only", "figure-5"]
    process = subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not list((out / "cells").glob("*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err.strip().splitlines()[-1] == "unswayed: interrupted"
    before = {path.name for path in (out / "cells").glob("*.parquet")}
    assert 0 < len(before) < 168
    assert not (out / "runs.parquet").exists()
    assert load_runs(out).num_rows == len(before)
    unswayed(*arguments)
    assert load_runs(out).num_rows == 168
    assert {path.name for path in (out / "cells").glob("*.parquet")} > before


def test_failed_runs_are_reported_and_the_code_is_1(tmp_path, capsys, monkeypatch):
    def all_but_one(trials, folder, pool, **options):
        return [*sweep(trials[1:], folder, pool, **options), Failure(trials[0], "MemoryError")]

    monkeypatch.setattr("unswayed.paper.reproduce.sweep", all_but_one)
    unswayed("--out", tmp_path / "o", *SMALL, "--only", "figure-3", code=1)
    err = capsys.readouterr().err
    assert "failed: gp-ucb on f1 under none (immediate, C = 50), seed 0: MemoryError" in err
    assert "1 run(s) failed" in err
    assert "MemoryError" in (tmp_path / "o" / "report.html").read_text()
    assert not (tmp_path / "o" / "runs.parquet").exists()
    assert load_runs(tmp_path / "o").num_rows == 27


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--only", "figure-7"), "unknown figure 'figure-7'"),
        (("--trials", 0), "trials"),
        (("--horizon", 0), "horizon"),
        (("--jobs", -1), "jobs"),
        (("--executor", "cloud"), "unknown executor"),
        (("--time-limit", 0), "time-limit"),
        (("--render-only",), "is not a folder of runs"),
        (("--time-limit", "inf"), "time-limit"),
        (
            ("--executor", "dask", "--dask-address", "tcp://nowhere:1", *SMALL),
            "cannot reach a Dask scheduler at tcp://n",
        ),
    ],
)
def test_bad_input_is_one_clear_line(tmp_path, capsys, monkeypatch, arguments, reason):
    def refuse(*_, **__):
        raise OSError("Timed out")  # as it does after ten seconds

    monkeypatch.setattr("distributed.Client", refuse)
    unswayed("--out", tmp_path / "o", *arguments, code=2)
    err = capsys.readouterr().err
    assert reason in err
    assert err.count("\n") == 1
    assert not (tmp_path / "o" / "report.html").exists()


def test_a_foreign_folder_and_one_that_cannot_be_written(tmp_path, capsys):
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "notes.txt").write_text("mine")
    unswayed("--out", tmp_path / "f", "--quick", code=2)
    assert "is not a folder of runs" in capsys.readouterr().err
    unswayed("--out", "/proc/nowhere", "--quick", code=2)
    assert "cannot create /proc/nowhere" in capsys.readouterr().err
    assert [p.name for p in (tmp_path / "f").iterdir()] == ["notes.txt"]


def test_a_full_disk_is_one_clear_line(tmp_path):
    code = f"""
import resource, signal
from unswayed.cli import main
if __name__ == "__main__":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))
    main(["reproduce", "--out", {str(tmp_path / "o")!r}, "--only", "figure-3", "--trials", "1", "--horizon", "600"])
"""
    script = tmp_path / "script.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode in (2, 3), done.stderr
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "o").rglob(".*-*"))  # nothing half-written


def test_without_the_robot_extra_other_draws_are_refused(tmp_path):
    code = f"""
import sys
sys.modules["Box2D"] = None
from unswayed.cli import main
main(["reproduce", "--out", {str(tmp_path / "o")!r}, "--beyond", "--quick"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.strip() == "unswayed: the robot needs Box2D: pip install 'unswayed[robot]'"


def test_other_draws_are_well_posed_and_chosen_without_looking_at_runs():
    for problem in ("f1", "robot3d"):
        draws = other_draws(problem)
        assert len(draws) == OTHER_DRAWS >= 20
        first = instance(problem, None).draw
        assert all(draw > first and well_posed(instance(problem, draw)) for draw in draws)
        skipped = set(range(first + 1, draws[-1])) - set(draws)
        assert not any(well_posed(instance(problem, draw)) for draw in skipped)


def test_what_the_choice_of_the_draw_does_is_marked(finished):
    claims = json.loads((finished / "claims.json").read_text())
    page = (finished / "report.html").read_text()
    rows = dict(re.findall(r'<tr id="([\w-]+)">.*?<td class="[a-z-]+">([^<]*)</td></tr>', page, re.DOTALL))
    signs = {"implied": "†", "made likely": "‡", "made possible": "§", "": ""}
    for claim in claims:
        assert rows[claim["name"]] == f"{claim['verdict']} {signs[claim['choice_of_draw']]}".strip()
    assert {claim["choice_of_draw"] for claim in claims} == set(signs)
    implied = {claim["name"] for claim in claims if claim["choice_of_draw"] == "implied"}
    assert implied == {"attacks-as-defined", "gp-ucb-alone", "appendix-gp-ucb-alone"}


def test_the_page_has_every_claim_with_its_mark():
    """In the order of the ledger: section, claim, verdict and other draws."""
    page = (Path(__file__).parents[2] / "docs" / "paper.md").read_text(encoding="utf-8")
    table = page.split("| section | claim | verdict | other draws |\n|---|---|---|---:|\n")[1].split("\n\n")[0]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()]
    assert len(rows) == len(CLAIMS)
    for (section, _, verdict, _), claim in zip(rows, CLAIMS, strict=True):
        assert section == claim.section.split(",")[0].replace("Appendix", "App.").replace("Figure", "Fig.")
        assert re.match(r"(does not hold|holds partly|holds)(?: ([†‡§]))?(?=$|[ :(])", verdict)
        assert [sign for sign in "†‡§" if sign in verdict] == MARKS[claim.choice].split()


def test_other_draws_are_told_apart_by_the_choice_of_ours():
    """Of the parts about f1: 1 of 2 where GP-UCB settles without an attack, 0 of 1 where it does not."""
    others = [
        (Evidence({"f1, C = 50": True, "robot3d": True}), True),
        (Evidence({"f1, C = 50": False, "robot3d": True}), True),
        (Evidence({"f1, C = 50": False, "robot3d": False}), False),
    ]
    text = other_draws_in_words(others)
    assert "On 3 other draws" in text
    assert "holds on 1; 50% of all parts." in text
    assert "Of the parts about f1: 50% on the 2 draws" in text
    assert text.endswith("0% on the 1 others.")
    assert "f1" not in other_draws_in_words([(Evidence({"robot3d": True}), chosen) for chosen in (True, False)])
    assert other_draws_in_words([]) == ""


def test_beyond_has_all_its_parts():
    scale = Scale(1, 300, beyond=True)
    assert len(other_draw_trials(scale)) == (2 * 2 * 30 + 2 * (5 + 2) + 18) * 20 * 3
    wanted = beyond.experiments(300)
    assert {e.policy for e in wanted} == {"gp-ucb", "rgp-ucb", "rgp-pe", "linear-pe"}
    assert {e.policy for e in certified.experiments(300)} >= {"influence-ucb", "influence-pe"}
    assert {e.horizon for e in wanted} == {300, *beyond.HORIZONS}
    assert {e.budget for e in wanted} >= set(beyond.BUDGETS)


@needs_chromium
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_in_a_real_browser(finished, tmp_path, width):
    """It loads without a network, all pictures are there, and nothing sticks out, on a laptop and on a phone."""
    text = (finished / "report.html").read_text()
    assert not re.search(r"(src|href)=['\"]?(https?:)?//", text)
    probe = """<script>
      const images = [...document.images];
      document.body.innerHTML = JSON.stringify({
        title: document.title, width: document.documentElement.scrollWidth, shown: innerWidth,
        pictures: images.length, loaded: images.filter(i => i.complete && i.naturalWidth > 500).length,
        claims: document.querySelectorAll('.ledger > tbody > tr').length,
      });</script></body>"""
    page = tmp_path / "page.html"
    allowed = text.replace("; img-src", "; script-src &#39;unsafe-inline&#39;; img-src")  # for the probe
    page.write_text(allowed.replace("</body>", probe))
    dom, _ = browse(tmp_path, page.as_uri(), 5000, width=width)
    seen = json.loads(re.search(r'\{"title".*?\}', dom)[0])
    assert seen["title"] == "The paper, reproduced · Unswayed"
    assert (seen["pictures"], seen["loaded"], seen["claims"]) == (6, 6, len(CLAIMS))
    assert seen["width"] <= seen["shown"]
