"""What `maximize`, `minimize` and `Optimizer.run` return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unswayed.search.answer import Answer
from unswayed.search.play import Play, Status
from unswayed.spaces import Point
from unswayed.study.history import history

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Result:
    """The answer of a study that was run, and its plays. Print it, plot it, or take its parts.

    Attributes:
        answer: The recommended point, and how far to trust it.

    Example:
        >>> import unswayed as uw
        >>> result = uw.maximize({"a": 1.0, "b": 2.0}.get, uw.Options(["a", "b"]), plays=20, threat=0.1, seed=0)
        >>> result.point, len(result.plays), result.failures
        ('b', 20, ())
    """

    answer: Answer

    @property
    def point(self) -> Point:
        """The recommended point."""
        return self.answer.point

    @property
    def plays(self) -> tuple[Play, ...]:
        """Every play, in order."""
        return self.answer.plays

    @property
    def failures(self) -> tuple[Play, ...]:
        """The plays that could not be measured, with their reasons."""
        return tuple(play for play in self.plays if play.status is Status.FAILED)

    def __str__(self) -> str:
        if not self.failures:
            return str(self.answer)
        last, count = self.failures[-1], len(self.failures)
        failed = "1 play failed" if count == 1 else f"{count:,} plays failed; the last"
        return f"{self.answer}\n{failed}, number {last.number}: {last.reason}"

    def history(self) -> pa.Table:
        """Every play as a row of a table: number, parameters, value, status, reason, why, and what else was told."""
        return history(self.plays, self.answer.space.names)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for scripts."""
        shown = ("number", "point", "why", "reason")
        failures = [{name: play.to_dict()[name] for name in shown} for play in self.failures]
        return {**self.answer.to_dict(), "plays": len(self.plays), "failed": len(failures), "failures": failures}

    def plot(self) -> Figure:
        """Every measurement, those set aside, and the recommendation, as a figure."""
        return self.answer.plot()
