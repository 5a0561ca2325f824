"""Write docs/votes.csv, the data of docs/howto/leaderboard.md: simulated votes on eight models, six voters promote one.

Sixty honest voters prefer the better model of each pair, more or less often. Six others vote on `opal` only, and always
for it. The columns: what was shown first and second, which was preferred, and who voted.
"""

from pathlib import Path

import numpy as np

NAMES = ("amber", "opal", "jade", "onyx", "pearl", "quartz", "ruby", "topaz")
STRENGTHS = np.array([1.0, 0.8, 0.5, 0.3, 0.1, 0.0, -0.3, -0.6])
VOTES, VOTERS, LIARS, EACH, TIES = 3_000, 60, 6, 35, 0.1

rng = np.random.default_rng(3)
a = rng.integers(len(NAMES), size=VOTES + LIARS * EACH)
b = (a + rng.integers(1, len(NAMES), size=len(a))) % len(NAMES)
judge = np.append(rng.integers(VOTERS, size=VOTES), VOTERS + np.arange(LIARS * EACH) // EACH)
lies = judge >= VOTERS
opal = NAMES.index("opal")
shown = lies & (a != opal) & (b != opal)
a[shown] = opal
wins = rng.random(len(a)) < 1 / (1 + np.exp(STRENGTHS[b] - STRENGTHS[a]))
wins = np.where(lies, a == opal, wins)
tie = (rng.random(len(a)) < TIES) & ~lies
order = rng.permutation(len(a))
rows = ["model_a,model_b,winner,judge"]
for i in order:
    said = "tie" if tie[i] else "model_a" if wins[i] else "model_b"
    rows.append(f"{NAMES[a[i]]},{NAMES[b[i]]},{said},{judge[i]:02d}")
path = Path(__file__).parent.parent / "docs" / "votes.csv"
path.write_text("\n".join([*rows, ""]), encoding="ascii")
print(f"wrote {path}: {len(rows) - 1} votes")
