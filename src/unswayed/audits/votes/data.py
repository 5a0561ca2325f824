"""Votes between two options that have names, checked and counted."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from unswayed.core.votes import Votes
from unswayed.core.votes.voters import Ballots
from unswayed.errors import InvalidInput
from unswayed.text import printable, short_names
from unswayed.types import BoolArray, IntArray

LEFT, RIGHT, TIE = 0, 1, 2
LEFT_WORDS = frozenset({"left", "l", "a", "1", "1.0", "true", "model_a", "first"})
RIGHT_WORDS = frozenset({"right", "r", "b", "0", "0.0", "false", "model_b", "second"})
TIE_WORDS = frozenset({"tie", "tied", "draw", "both", "both bad", "neither", "none", "equal", "0.5", "tie (bothbad)"})
MOST_VOTES = 2**53  # that double precision counts exactly


@dataclass(frozen=True, eq=False)
class VoteData:
    """One row for each vote, or for votes that are the same.

    Attributes:
        labels: The options, in order of first appearance.
        left: The number of the option that was shown first.
        right: Of the other one.
        said: LEFT, RIGHT or TIE.
        number: How many votes the row stands for.
        voters: The names of who voted, in order of first appearance; None if they are not known.
        voter: The number of each row's voter; 0 if they are not known.
        sides: Whether left and right are how the options were shown.
    """

    labels: tuple[str, ...]
    left: IntArray
    right: IntArray
    said: IntArray
    number: IntArray
    voters: tuple[str, ...] | None
    voter: IntArray
    sides: bool

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The options in a sentence."""
        return short_names(self.labels)

    @cached_property
    def ballots(self) -> Ballots:
        """The votes, each with who was preferred; those that are the same together."""
        swap = self.said == RIGHT
        over, under = np.where(swap, self.right, self.left), np.where(swap, self.left, self.right)
        size = len(self.labels)
        tie = (self.said == TIE).astype(np.int64)
        key = ((self.voter * 2 + tie) * size + over) * size + under
        _, first, where = np.unique(key, return_index=True, return_inverse=True)
        number = np.zeros(len(first), dtype=np.int64)
        np.add.at(number, where.reshape(-1), self.number)
        return Ballots(over[first], under[first], tie[first], self.voter[first], number)

    @cached_property
    def votes(self) -> Votes:
        """The votes, counted for each pair."""
        return self.ballots.counted(len(self.labels))

    def only(self, rows: BoolArray) -> VoteData:
        """Some of the rows, with the same options and voters."""
        return VoteData(
            self.labels,
            self.left[rows],
            self.right[rows],
            self.said[rows],
            self.number[rows],
            self.voters,
            self.voter[rows],
            self.sides,
        )

    @property
    def total(self) -> int:
        """How many votes there are."""
        return int(self.number.sum())


def collect(
    left: Iterable[Hashable],
    right: Iterable[Hashable],
    winner: Iterable[Hashable],
    *,
    voters: Iterable[Hashable] | None = None,
    number: ArrayLike | None = None,
    lines: Sequence[int] | None = None,
    sides: tuple[str, str] = ("left", "right"),
) -> VoteData:
    """Check votes and count them.

    Args:
        left: The option that was shown first, of each vote.
        right: The other one.
        winner: Which was preferred: the name of an option, "left", "right", 1, 0, or "tie".
        voters: Who voted.
        number: How many votes each row stands for; by default 1.
        lines: The line of a file that each vote comes from, to name it in errors.
        sides: What the sides are called; these words are winners too.

    Raises:
        InvalidInput: The votes do not fit each other; the message names the row.
    """
    first, second, said = ([str(cell) for cell in column] for column in (left, right, winner))
    if not len(first) == len(second) == len(said):
        raise InvalidInput(f"{len(first)} left options, {len(second)} right ones and {len(said)} winners: one for each")
    if not first:
        raise InvalidInput("there are no votes")
    names, codes = _numbered([*first, *second])
    a, b = codes[: len(first)], codes[len(first) :]

    def where(row: int) -> str:
        return f"row {row + 1:,}" if lines is None else f"line {lines[row]:,}"

    outcomes = _outcomes(said, first, second, sides)
    _refuse(first, second, said, a == b, outcomes < 0, where)
    many = _numbers(number, len(first), where)
    who, voter = (None, np.zeros(len(first), dtype=np.int64))
    if voters is not None:
        who, voter = _numbered([str(name) for name in voters])
        if len(voter) != len(first):
            raise InvalidInput(f"{len(voter)} voters for {len(first)} votes")
    # where one side always wins, the columns are winner and loser, not places
    return VoteData(names, a, b, outcomes, many, who, voter, sides={LEFT, RIGHT} <= set(outcomes.tolist()))


def _refuse(
    left: list[str], right: list[str], said: list[str], same: BoolArray, unknown: BoolArray, where: Callable[[int], str]
) -> None:
    """Refuse options that were compared with themselves, and winners that are neither option."""
    if same.any():
        row = int(np.argmax(same))
        raise InvalidInput(f"{where(row)} compares {printable(left[row], limit=40)} with itself: leave it out")
    if unknown.any():
        row = int(np.argmax(unknown))
        pair = f"{printable(left[row], limit=30)}, {printable(right[row], limit=30)}"
        what = f"the winner {printable(said[row], limit=30)!r} is neither of {pair}"
        raise InvalidInput(f"{where(row)}: {what}, nor left, right, 1, 0 or tie")


def _numbers(number: ArrayLike | None, rows: int, where: Callable[[int], str]) -> IntArray:
    if number is None:
        return np.ones(rows, dtype=np.int64)
    many = np.atleast_1d(np.asarray(number, dtype=np.float64))
    if len(many) != rows:
        raise InvalidInput(f"{len(many)} numbers of votes for {rows} rows")
    bad = np.flatnonzero(~(many >= 0) | (many != np.floor(many)) | (many > MOST_VOTES))
    if bad.size:
        row = int(bad[0])
        raise InvalidInput(f"{where(row)}: {many[row]:g} is no number of votes: give whole numbers")
    if many.sum() > MOST_VOTES or many.sum() == 0:
        raise InvalidInput("the numbers of votes add up to too much" if many.sum() else "there are no votes")
    return many.astype(np.int64)


def from_table(labels: Sequence[Hashable], wins: ArrayLike) -> VoteData:
    """Votes from a table of wins.

    Args:
        labels: The options.
        wins: How often the option of the row won against that of the column; half a vote is half of a tie.

    Raises:
        InvalidInput: It is no table of wins.
    """
    names, table = [str(label) for label in labels], np.asarray(wins, dtype=np.float64)
    if table.shape != (len(names), len(names)):
        raise InvalidInput(f"a table of wins of {len(names)} options has {len(names)} rows and columns")
    if len(set(names)) < len(names):
        raise InvalidInput("an option is there twice")
    if len(names) < 2:
        raise InvalidInput("there is nothing to compare with one option")
    if not np.isfinite(table).all() or (table < 0).any() or ((2 * table) % 1 != 0).any():
        raise InvalidInput("wins are whole numbers, or end in .5 where a tie is half a win for each")
    if np.diagonal(table).any():
        raise InvalidInput("an option cannot win against itself")
    halves = table % 1 != 0
    if (halves != halves.T).any():
        raise InvalidInput("half a win for one option is half a win for the other: a cell ends in .5 alone")
    won = np.floor(table).astype(np.int64)
    a, b = np.nonzero(won)
    c, d = np.nonzero(np.triu(halves))
    if not len(a) + len(c):
        raise InvalidInput("there are no votes")
    said = np.repeat([LEFT, TIE], [len(a), len(c)])
    number = np.concatenate([won[a, b], np.ones(len(c), dtype=np.int64)])
    left, right = np.concatenate([a, c]), np.concatenate([b, d])
    return VoteData(tuple(names), left, right, said, number, None, np.zeros(len(left), dtype=np.int64), sides=False)


def _numbered(names: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    place: dict[str, int] = {}
    codes = np.array([place.setdefault(name, len(place)) for name in names], dtype=np.int64)
    return tuple(place), codes


def _outcomes(said: list[str], left: list[str], right: list[str], sides: tuple[str, str]) -> IntArray:
    known: dict[tuple[str, str, str], int] = {}
    for vote in zip(said, left, right, strict=True):
        if vote not in known:
            known[vote] = _outcome(*vote, sides)
    return np.array([known[vote] for vote in zip(said, left, right, strict=True)], dtype=np.int64)


def _outcome(word: str, left: str, right: str, sides: tuple[str, str]) -> int:
    """What a winner means; -1 if that is not known. The name of an option comes first."""
    if word in (left, right):
        return LEFT if word == left else RIGHT
    plain = word.strip().lower()
    for outcome, words, side in ((LEFT, LEFT_WORDS, sides[0]), (RIGHT, RIGHT_WORDS, sides[1])):
        if plain in words or plain == side.lower():
            return outcome
    return TIE if plain in TIE_WORDS else -1
