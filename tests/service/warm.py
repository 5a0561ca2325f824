"""What the forked servers need, imported and used once before they are forked: nothing is loaded at their first ask."""

import unswayed as uw
import unswayed.cli.serve
import unswayed.cli.work
import unswayed.service.app
import unswayed.service.pages.render

for space in (uw.Box({"x": uw.Real(0, 1)}), uw.Options(["a", "b"])):
    study = uw.Optimizer(space, plays=8, parallel=1, seed=1)
    for _ in range(3):
        for play in study.ask(2):
            study.tell(play, float(play.number))
    study.answer()
