"""Draw the pages of docs/howto/platform.md: a real server, eight sources of which one lies, and a real browser.

python scripts/make_service_figures.py [FOLDER]        # by default docs/
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from unswayed import Box, Categorical, Real, Threat, connect

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
PAGES = {
    "study": ("/studies/alloy", 1500),
    "sources": ("/studies/alloy/sources", 740),
    "log": ("/studies/alloy/log", 1000),
}
SPACE = Box({"temperature": Real(60, 120, unit="°C"), "solvent": Categorical(["water", "ethanol", "acetone"])})
LIAR = "lab-5"


def truth(point):
    return 0.9 - ((point["temperature"] - 92) / 60) ** 2 - 0.2 * (point["solvent"] != "ethanol")


def serve(folder):
    """A server on any free port; its process, its address and the token of its owner."""
    words = ["serve", "--database", f"sqlite:///{folder}/lab.db", "--port", "0"]
    process = subprocess.Popen([sys.executable, "-m", "unswayed", *words], stdout=subprocess.PIPE, text=True)
    token = process.stdout.readline().split(": ")[1].strip()
    return process, process.stdout.readline().split()[-1], token


def play(address, token):
    """Eight labs measure in turn; the owner corrects one value, retracts one and quarantines the liar."""
    owner, rng = connect(address, token, "alloy"), np.random.default_rng(1)
    owner.begin(SPACE, threat=Threat(liars=1, low=0, high=1), plays=80, seed=1)
    names = [f"lab-{i}" for i in range(1, 9)]
    made = [owner.server.send("POST", "/api/v1/tokens", {"name": name, "role": "source"}) for name in names]
    labs = {one["name"]: connect(address, one["token"], "alloy") for one in made}
    for turn in range(64):
        name = names[turn % len(names)]
        for asked in labs[name].ask():
            value = rng.uniform(0, 1) if name == LIAR else truth(asked.point) + 0.01 * rng.normal()
            labs[name].tell(asked, min(max(float(value), 0.0), 1.0))
    owner.correct(5, 0.61, "a typo in the lab book")
    owner.retract(9, "the flask was not clean")
    owner.change(quarantined=[LIAR])
    owner.answer()


def look(address, token, folder, out):
    """Pictures of the pages, through a browser that has logged in."""
    for name, (path, tall) in PAGES.items():
        for width, height, kind in ((1280, tall, ""), (390, tall, "-phone")):
            if kind and name != "study":
                continue
            html = subprocess.run(
                ["curl", "-s", "-H", f"Authorization: Bearer {token}", address + path], capture_output=True, check=True
            ).stdout.decode()
            page = Path(folder) / f"{name}.html"
            page.write_text(html.replace('href="/static', f'href="{address}/static'))
            shot = Path(out) / f"service-{name}{kind}.png"
            words = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--screenshot={shot}"]
            words += [f"--window-size={width},{height}", "--virtual-time-budget=3000", page.as_uri()]
            subprocess.run([BROWSER, *words], check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            print(shot)


def main() -> None:
    """Serve, play, look."""
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "docs")
    if BROWSER is None:
        sys.exit("this needs a browser: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        process, address, token = serve(folder)
        try:
            play(address, token)
            look(address, token, folder, out)
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main()
