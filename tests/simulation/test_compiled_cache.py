"""Compiled code is cached by the date of its own file, so that file must change with what it takes from others."""

import hashlib
import inspect

from unswayed.core.design.rare_switching import TIE
from unswayed.simulation import compiled, compiled_influence
from unswayed.simulation.ledger import affordable
from unswayed.types import EPS


def test_compiled_files_record_what_they_inline():
    inlined = hashlib.sha256((inspect.getsource(affordable) + repr((TIE, EPS))).encode()).hexdigest()[:16]
    assert inlined == compiled.INLINED, f"write {inlined} into both compiled files"
    assert inlined == compiled_influence.INLINED
