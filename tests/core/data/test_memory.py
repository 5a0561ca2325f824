"""Blocks cover every row once; a machine that does not tell its memory refuses nothing."""

import os

import pytest

from unswayed import InvalidInput
from unswayed.core.data.memory import BLOCK_ENTRIES, installed_memory, require_memory, row_blocks


@pytest.mark.parametrize(("rows", "width"), [(0, 3), (1, 10**9), (10, 0), (1000, BLOCK_ENTRIES // 7)])
def test_blocks_cover_every_row_once(rows, width):
    seen = [row for block in row_blocks(rows, width) for row in range(rows)[block]]
    assert seen == list(range(rows))


def test_more_than_the_machine_has_is_refused():
    with pytest.raises(InvalidInput, match=r"7 points need .* for a matrix, .* use fewer points"):
        require_memory(2 * installed_memory(), 7, "a matrix", "use fewer points")


def test_a_system_without_sysconf_refuses_nothing(monkeypatch):
    monkeypatch.delattr(os, "sysconf")
    assert installed_memory() is None
    require_memory(10**30, 7, "a matrix", "use fewer points")
