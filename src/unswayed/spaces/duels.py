"""A space of duels: two of several options are compared, and somebody says which is better.

Duels(["tea", "coffee", "milk"])    a point is {"left": "tea", "right": "milk"}; the value of a vote is 1 if the left
                                    one is preferred, 0 if the right one is, and 1/2 if neither is
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unswayed.errors import InvalidInput
from unswayed.spaces.box import Box
from unswayed.spaces.encoding import Value, shown
from unswayed.spaces.options import Options
from unswayed.spaces.parameters import Categorical

LEFT, RIGHT = "left", "right"
WORDS = {LEFT: 1.0, RIGHT: 0.0, "tie": 0.5}


class Duels(Box):
    """All pairs of some options.

    Args:
        options: Their names.

    Attributes:
        labels: The names.

    Raises:
        InvalidInput: There is only one, two are equal, or one has no name that is fit for votes.

    Example:
        >>> Duels(["tea", "coffee"]).value({"left": "tea", "right": "coffee"}, "coffee")
        0.0
    """

    labels: tuple[str, ...]

    def __init__(self, options: Sequence[Any]) -> None:
        choices = Categorical(list(options))
        super().__init__({LEFT: choices, RIGHT: choices})
        if odd := [one for one in choices.choices if not isinstance(one, str) or not one.strip()]:
            raise InvalidInput(f"options that are compared need names: {shown(odd[0])} is none")
        if word := [one for one in choices.choices if str(one).strip().lower() in WORDS]:
            raise InvalidInput(f"an option that is compared cannot be called {shown(word[0])}: give it another name")
        if len(choices.choices) < 2:
            raise InvalidInput("there is nothing to compare with one option")
        object.__setattr__(self, "labels", tuple(map(str, choices.choices)))

    @classmethod
    def of(cls, space: object) -> Duels:
        """The duels of a list of options.

        Args:
            space: `Options` with names, or duels already.
        """
        if isinstance(space, Duels):
            return space
        if not isinstance(space, Options) or space.names != ("option",):
            raise InvalidInput("duels are between options that have names, such as Options(['tea', 'coffee'])")
        return cls(space.record().get("labels", []))

    def __repr__(self) -> str:
        return f"Duels({len(self.labels)}, the first: {shown(self.labels[0])})"

    def check(self, point: object) -> dict[str, Value]:
        """The pair; an error if it is not two different options."""
        if isinstance(point, Sequence) and not isinstance(point, str) and len(point) == 2:
            point = {LEFT: point[0], RIGHT: point[1]}
        pair = super().check(point)
        if pair[LEFT] == pair[RIGHT]:
            raise InvalidInput(f"{shown(pair[LEFT])} cannot be compared with itself")
        return pair

    def value(self, point: Mapping[str, Any], said: object) -> float:
        """What somebody said of a pair, as a number.

        Args:
            point: The pair.
            said: The name of the one that is preferred, or left, right, tie; or 1, 0, 0.5.

        Raises:
            InvalidInput: It is none of these.
        """
        text = said.strip() if isinstance(said, str) else said
        if text in (point[LEFT], point[RIGHT]):
            return WORDS[LEFT if text == point[LEFT] else RIGHT]
        if isinstance(text, str) and text not in self.labels and text.lower() in WORDS:
            return WORDS[text.lower()]
        try:
            number = None if text in self.labels or isinstance(text, bool) else float(text)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            number = None
        if number not in (0.0, 0.5, 1.0):
            pair = f"{shown(point[LEFT])}, {shown(point[RIGHT])}"
            raise InvalidInput(f"the winner {shown(said)} is neither of {pair}, nor left, right, tie, 1, 0 or 0.5")
        return number

    def winner(self, point: Mapping[str, Any], value: float) -> str:
        """Who is preferred, by the value of a vote: a name, or tie.

        Args:
            point: The pair.
            value: Of the vote.
        """
        return "tie" if value == WORDS["tie"] else str(point[LEFT if value == WORDS[LEFT] else RIGHT])

    def record(self) -> dict[str, Any]:
        """The space as plain values for JSON; `space_from_record` reads them."""
        return {"space": "duels", "options": list(self.labels)}

    def describe(self, point: object) -> str:
        """The pair in one line of text: "tea or coffee"."""
        pair = self.check(point)
        return f"{self.parameters[LEFT].describe(pair[LEFT])} or {self.parameters[RIGHT].describe(pair[RIGHT])}"
