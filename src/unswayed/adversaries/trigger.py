"""When an attack starts: immediately, or "later" (Section 4.3), when the policy begins to rule arms out."""

from __future__ import annotations

from collections.abc import Callable

from unswayed.types import View

Start = Callable[[View, int], bool]


def immediately(view: View, n_arms: int) -> bool:
    """Attack from the first play on."""
    return True


def later(view: View, n_arms: int) -> bool:
    """Attack once an arm has been eliminated or, for policies that keep all arms, would be.

    Phased policies: from the first epoch with fewer than all arms active. Index policies: from the first round in
    which an upper bound lies strictly below the largest lower bound.
    """
    return len(view.active) < n_arms or bool((view.upper < view.lower.max()).any())
