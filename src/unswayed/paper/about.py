"""How the runs of a reproduction were made; kept with them in sweep.json."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from unswayed.errors import InvalidInput
from unswayed.experiments.store import RunFolder
from unswayed.paper.grid import Scale


@dataclass(frozen=True)
class About:
    """What the page says about the runs."""

    unswayed: str  # the version
    runs: int
    scale: Scale
    executor: str
    jobs: int
    seconds: float = 0.0
    failures: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    @classmethod
    def of(cls, folder: RunFolder) -> About:
        """What a folder says about its runs.

        Raises:
            InvalidInput: It was not made by `unswayed reproduce`.
        """
        _, about = folder.about()
        try:
            scale, failures = Scale(**about["scale"]), tuple(map(str, about["failures"]))
            return cls(**{**about, "scale": scale, "failures": failures})
        except (KeyError, TypeError, InvalidInput):
            raise InvalidInput(f"{folder.path} holds no runs of `unswayed reproduce`: run it first") from None
