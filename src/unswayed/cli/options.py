"""Options that several commands share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from unswayed.errors import InvalidInput

if TYPE_CHECKING:
    from unswayed.core.gp.kernels import Kernel
    from unswayed.core.tampering.threat import Threat
    from unswayed.judgement.assumptions import Level
    from unswayed.spaces import Space
    from unswayed.types import FloatArray

Minimize = Annotated[bool, typer.Option("--minimize", help="Smaller values are better.")]
Noise = Annotated[float | None, typer.Option(help="Standard deviation of one measurement.", show_default="estimated")]
Scale = Annotated[float | None, typer.Option(help="Standard deviation of the true values.", show_default="estimated")]
LevelText = Annotated[
    str | None,
    typer.Option(
        "--level", help="Value around which the true ones lie: M, or LOW,HIGH.", show_default="estimated", metavar="M"
    ),
]
Norm = Annotated[
    float | None, typer.Option(help="Bound B on the RKHS norm of truth minus level.", show_default="nothing certified")
]
KernelName = Annotated[
    str | None,
    typer.Option(help="se, linear or matern-NU; with a --lengthscale alone: matern-2.5.", show_default="estimated"),
]
Lengthscale = Annotated[
    str | None, typer.Option(help="Of the kernel: one number, or one for each column, with commas.")
]
Delta = Annotated[float, typer.Option(help="Probability that the sentence about the distance from the best fails.")]
Budget = Annotated[
    float | None,
    typer.Option(help="Total tampering to be safe against, in units of the values.", show_default="not known"),
]
Lies = Annotated[int, typer.Option(help="How many measurements may be false.", min=0)]
Liars = Annotated[int, typer.Option(help="How many sources may lie, as often as they like.", min=0)]
Low = Annotated[float | None, typer.Option(help="No honest measurement is smaller.", show_default="not known")]
High = Annotated[float | None, typer.Option(help="No honest measurement is larger.", show_default="not known")]
Doubt = Annotated[
    str | None, typer.Option(help="What may be false: self-reported; or witnessed, all that no other one repeated.")
]
DecimalMark = Annotated[
    str | None,
    typer.Option("--decimal", help="What 1,234 is in the file, if it cannot tell: comma or point.", metavar="MARK"),
]
Seed = Annotated[int | None, typer.Option(help="The same seed gives the same plays.", show_default="random")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Tie = Annotated[
    float | None, typer.Option(help="Values that differ by no more count as equal.", show_default="a standard error")
]
Details = Annotated[bool, typer.Option("--details", help="Print all that is known, not the decision alone.")]


@dataclass(frozen=True, kw_only=True)
class Known:
    """What a study is told when it begins about its measurements and about those who may falsify them."""

    budget: Budget = None
    lies: Lies = 0
    liars: Liars = 0
    low: Low = None
    high: High = None
    kernel: KernelName = None
    lengthscale: Lengthscale = None
    noise: Noise = None
    scale: Scale = None
    level: LevelText = None
    norm: Norm = None
    delta: Delta = 0.05
    minimize: Minimize = False

    def settings(self, varied: Space, doubt: str | None = None) -> dict[str, Any]:
        """As settings of a study; a kernel is one on the unit cube. `doubt` is for studies with witnesses."""
        import numpy as np

        if self.budget is None and not (self.lies or self.liars or doubt) and not self.low is self.high is None:
            raise InvalidInput("--low and --high say what lies may be: add --budget, --lies or --liars, how many")
        return {
            "threat": threat_of(self.budget, self.lies, self.liars, self.low, self.high, doubt),
            "kernel": kernel_of(self.kernel, self.lengthscale, np.ones((1, varied.columns))),
            "noise_std": self.noise,
            "output_scale": self.scale,
            "level": level_of(self.level),
            "norm_bound": self.norm,
            "delta": self.delta,
            "minimize": self.minimize,
        }


def with_known(function: Callable[..., Any]) -> Callable[..., Any]:
    """A command whose parameter `known` is given by an option for each field of `Known`."""
    hints = get_type_hints(Known, include_extras=True)
    ours = [
        inspect.Parameter(one.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=one.default)
        for one in fields(Known)
    ]
    shown: list[inspect.Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        shown += ours if parameter.name == "known" else [parameter]

    @wraps(function)
    def command(*arguments: Any, **options: Any) -> Any:
        known = {name: options.pop(name) for name in hints if name in options}
        return function(*arguments, **options, known=Known(**known))

    all_hints = get_type_hints(function, include_extras=True) | hints
    command.__annotations__ = {name: hint for name, hint in all_hints.items() if name != "known"}
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [one.replace(annotation=command.__annotations__[one.name]) for one in shown]
    )
    return command


def threat_of(
    budget: float | None, lies: int, liars: int, low: float | None, high: float | None, doubt: str | None = None
) -> Threat | None:
    """What tampering to be safe against; None if nothing was said about it."""
    from unswayed.core.tampering.threat import Threat

    if budget is None and not (lies or liars or doubt) and low is high is None:
        return None
    return Threat(budget or 0.0, lies, liars, low, high, doubt)


def level_of(text: str | None) -> Level | None:
    """A level as it was written: a number, or two that it lies between."""
    if text is None:
        return None
    numbers = _numbers(text, "--level")
    if len(numbers) > 2:
        raise InvalidInput(f"--level must be a number, or LOW,HIGH, not {text!r}")
    return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


def kernel_of(name: str | None, lengthscale: str | None, X: FloatArray) -> Kernel | None:
    """A kernel as it was named, for the points X; None if it is to be estimated."""
    from unswayed.core.gp.kernels import named_kernel

    if lengthscale is None:
        if name not in (None, "linear"):
            raise InvalidInput("a kernel needs its --lengthscale; leave out both to have them fitted")
        return named_kernel(name, None, X) if name else None
    lengths = _numbers(lengthscale, "--lengthscale")
    return named_kernel(name or "matern-2.5", lengths[0] if len(lengths) == 1 else lengths, X)


def _numbers(text: str, option: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInput(f"{option} must be numbers with commas, not {text!r}") from None
