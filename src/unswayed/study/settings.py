"""The settings of a study, declared once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from unswayed.core.data.measurement import Measurement
from unswayed.core.gp.kernels import Kernel, Linear, Matern, SquaredExponential, TwoScale
from unswayed.core.tampering.threat import Threat
from unswayed.errors import InvalidInput
from unswayed.forwarding import setting
from unswayed.judgement.assumptions import Given, GivenArgs
from unswayed.search.task import METHODS, Task
from unswayed.spaces import Duels, Space
from unswayed.storage import Record
from unswayed.types import fix, whole

OLD_METHODS = {"vigilant-ucb": "guided"}  # in journals and commands of older versions
KERNELS = {kind.__name__: kind for kind in (Linear, SquaredExponential, Matern, TwoScale)}


@dataclass(frozen=True, kw_only=True)
class Settings(Given):
    """Everything that a study is told when it begins. A kernel acts on rows of `space.encode`."""

    plays: int | None = setting("How many measurements there will be in all, if that is known.", None)
    method: str = setting(
        "guided, for few plays; influence-pe, which eliminates with a guarantee; or auto: influence-pe if the "
        "space is finite and the plays suffice for it.",
        "auto",
    )
    minimize: bool = setting("Whether smaller values are better.", False)
    parallel: int | None = setting(
        "How many plays will be open at a time: play k is chosen from the answers up to k - parallel, however fast the "
        "workers are. None for any number: each play is chosen from all answers so far.",
        1,
    )
    seed: int | None = setting("The same seed and answers give the same plays; random if None.", None)
    note: str | None = setting("What is measured, for the journal; another note is another study.", None)
    quarantined: tuple[str, ...] = setting("Sources whose measurements do not count for now.", ())

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.minimize, bool):
            raise InvalidInput(f"minimize must be True or False, not {self.minimize!r}")
        fix(
            self,
            plays=None if self.plays is None else whole(self.plays, "plays", least=1),
            parallel=None if self.parallel is None else whole(self.parallel, "parallel", least=1),
            seed=None if self.seed is None else whole(self.seed, "the seed", least=0),
            method=OLD_METHODS.get(str(self.method), self.method),
            note=None if self.note is None else str(self.note),
            quarantined=source_names(self.quarantined),
        )
        if self.method not in METHODS:
            raise InvalidInput(f"unknown method {self.method!r}: choose one of {', '.join(METHODS)}")

    def check(self, space: Space) -> None:
        """Refuse a kernel that no journal can keep, or that cannot be computed on the rows of the space."""
        self.record()
        if isinstance(space, Duels):
            self._check_duels()
            return
        Task(space, self, 0, self.plays, self.method)

    def _check_duels(self) -> None:
        """Refuse what makes no sense where options are compared."""
        default = type(self)()
        measured = ("kernel", "noise_std", "output_scale", "level", "norm_bound", "method", "minimize")
        if given := [name for name in measured if getattr(self, name) != getattr(default, name)]:
            raise InvalidInput(f"duels have no {given[0].replace('_', ' ')}: leave it out")
        threat = Threat.of(self.threat) or Threat()
        if threat.total or threat.doubt or threat.low is not None or threat.high is not None:
            raise InvalidInput(
                "of votes, a number may be false: Threat(lies=...) forged votes, or Threat(liars=...) lying judges"
            )

    def record(self) -> Record:
        """As JSON; `from_record` reads it."""
        level = list(self.level) if isinstance(self.level, tuple) else self.level
        threat = Threat.of(self.threat)
        total_only = threat is not None and threat == Threat(threat.total)
        recorded = threat.total if threat is not None and total_only else threat and threat.to_dict()
        listed = {"level": level, "quarantined": list(self.quarantined)}
        return {**asdict(self), "kernel": _kernel_record(self.kernel), "threat": recorded, **listed}

    @classmethod
    def from_record(cls, record: Record) -> Self:
        """The settings that `record` wrote down."""
        unknown = set(record) - {one.name for one in fields(cls)}
        if unknown:
            raise InvalidInput(f"unknown setting {min(unknown)!r}; was it written by another version?")
        threat = record.get("threat")
        read = {"kernel": _kernel_from_record(record["kernel"])}
        return cls(**{**record, **read, "threat": Threat(**threat) if isinstance(threat, dict) else threat})


class StudyArgs(GivenArgs, total=False):
    """The fields of `Settings` as keywords, for static tools."""

    plays: int | None
    method: str
    minimize: bool
    parallel: int | None
    seed: int | None
    note: str | None
    quarantined: tuple[str, ...]


def source_names(sources: object) -> tuple[str, ...]:
    """Names of sources, each once; an error if one is not a name."""
    if isinstance(sources, str) or not isinstance(sources, Iterable):
        raise InvalidInput(f"quarantined must be a list of the names of sources, not {sources!r}")
    return tuple(dict.fromkeys(str(Measurement(0.0, source).source) for source in sources))


def _kernel_record(kernel: Kernel | None) -> Record | None:
    if kernel is None:
        return None
    name = type(kernel).__name__
    if KERNELS.get(name) is not type(kernel):
        raise InvalidInput(f"a study can be given a {', '.join(KERNELS)} kernel, not {kernel!r}")
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in vars(kernel).items()}
    return {"name": name, **plain}


def _kernel_from_record(record: Record | None) -> Kernel | None:
    if record is None:
        return None
    fields = dict(record)
    kind: Any = KERNELS[fields.pop("name")]
    kernel: Kernel = kind(**fields)
    return kernel
