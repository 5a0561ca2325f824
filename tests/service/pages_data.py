"""Studies for the tests of the pages: a liar, a retraction, a correction, a quarantine, and text that means harm."""

import numpy as np

import unswayed as uw
from unswayed.search.play import Play, Status, Why
from unswayed.service.pages.render import Who
from unswayed.study.settings import Settings
from unswayed.study.state import State
from unswayed.study.study import Study

# What runs would leave the word as one; the text of the page has it in two parts.
HARM = (
    """'"><script>document.title="PW"+"NED"</script><img src=x onerror='document.title="PW"+"NED"'>{{7*7}}\u202e&amp;"""
)
OWNER, READER = Who(f"ada {HARM}", "owner", "secret-csrf"), Who("eve", "reader", "other-csrf")


def options(harm="", threat=None, **settings):
    """Eight sources on six options, one of which reads far too high."""
    labels = [f"mould {letter}{harm}" for letter in "ABCDEF"]
    rng, truth = np.random.default_rng(3), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.5])
    study = uw.Optimizer(uw.Options(labels), threat=threat, seed=0, note=f"yield{harm}", parallel=None, **settings)
    names = [f"lab {number}{harm}" for number in range(8)]
    old = []
    for number in range(48):
        arm, source = number % 6, (number // 6 + number) % 8
        value = truth[arm] + rng.normal(0, 0.1) + (4.0 if source == 3 else 0.0)
        old.append((labels[arm], uw.Measurement(float(value), source=names[source])))
    study.add(old)
    first, _ = study.ask(2)
    study.fail(first, f"it broke{harm}")
    study.retract(5, f"wrong cable{harm}")
    study.correct(7, 1e99 if harm else 2.05, f"a typo{harm}")
    study.change(quarantined=[names[6]])
    return study


def box(harm="", **settings):
    """A few plays of a box whose parameters have odd names."""
    name = harm.replace("{", "(").replace("}", ")").replace("\u202e", "")
    space = uw.Box({f"rate{name}": uw.Real(1e-3, 1, log=True), f"kind{name}": uw.Categorical([f"a{harm}", f"b{harm}"])})
    study = uw.Optimizer(space, seed=0, **settings)
    rng = np.random.default_rng(0)
    rate, kind = space.names
    for exponent, choice in zip(rng.uniform(-3, 0, 24), rng.integers(0, 2, 24), strict=True):
        point = {rate: float(10.0**exponent), kind: f"{'ab'[choice]}{harm}"}
        study.add([(point, float(-(exponent**2) + rng.normal(0, 0.05)))])
    return study


def large(plays, arms=1000, sources=8):
    """Very many plays, written into a state without a search."""
    labels = [f"option {number}" for number in range(arms)]
    state, rng = State(uw.Options(labels), Settings(seed=0, parallel=None), None), np.random.default_rng(0)
    chosen, noise = rng.integers(0, arms, plays), rng.normal(0, 0.1, plays)
    for number in range(plays):
        status = Status.TOLD if number % 97 else Status.RETRACTED
        about = {"source": f"lab {number % sources}", "why": Why.EXPLORE, "asked": 1.79e9 + number}
        value = float(chosen[number] % 17 + noise[number])
        state.log.append(Play(number, labels[chosen[number]], status, value, answered=1.79e9 + number + 2, **about))
        state.answered[number] = None
    return Study(state)


def token_rows(harm=""):
    used = {"name": f"lab{harm}", "role": "source", "study": f"moulds{harm}", "made": 1.79e9, "seen": 1.79e9}
    return [used, {"name": "new", "role": "reader", "study": None, "made": 1.79e9, "seen": None}]
