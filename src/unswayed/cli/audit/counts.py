"""Which columns of a file count successes and trials, for `unswayed audit`: seen by their names, never guessed.

The totals of options that had more traffic are larger, so to compare them as values says who had most visitors.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.storage.tables import Table
from unswayed.storage.tables.table import listed
from unswayed.text import counted
from unswayed.types import FloatArray

SUCCESSES = re.compile(
    "orders|conversions|buyers|purchases|signups|sales|clicks|successes"
    "|bestellungen|käufe|kaeufe|käufer|kaeufer|abschlüsse|klicks|konversionen|anmeldungen|verkäufe|erfolge"
    "|commandes|achats|acheteurs|ventes|clics|inscriptions|succès"
    "|pedidos|compras|compradores|conversiones|ventas|clics|registros|éxitos"
)
TRIALS = re.compile(
    "visitors|users|visits|sessions|views|impressions|customers|trials|pageviews|exposures|recipients"
    "|besucher|besuche|nutzer|sitzungen|aufrufe|kunden|versuche|empfänger"
    "|visiteurs|utilisateurs|visites|vues|clients|essais"
    "|visitantes|usuarios|visitas|sesiones|vistas|impresiones|clientes|ensayos"
)
MONEY = re.compile(r".*\b(revenue|turnover|income|profit|gmv|amount|umsatz|erlös|gewinn|chiffre|ingresos)\b.*")
RATE = re.compile(r".*(\b(rate|ratio|ctr|cvr|cr|taux|tasa)\b|rate$|quote$|%).*")


@dataclass(frozen=True, eq=False)
class Named:
    """The columns of a file that may be counts by their names.

    Attributes:
        table: The table.
        columns: The names of its columns.
        taken: Those that the user named for something else.
    """

    table: Table
    columns: list[str]
    taken: Collection[str]

    @cached_property
    def successes(self) -> list[str]:
        """The columns of numbers that are named like successes."""
        return self._like(SUCCESSES)

    @cached_property
    def trials(self) -> list[str]:
        """The columns of numbers that are named like trials."""
        return self._like(TRIALS)

    def _like(self, words: re.Pattern[str]) -> list[str]:
        named = [name for name in self.columns if name not in self.taken and words.fullmatch(_plain(name))]
        return [name for name in named if not self.table.is_text(self.columns.index(name))]

    def named(self, target: str) -> tuple[str, str] | None:
        """The columns of successes and of trials if the user named the successes; None if these are no counts.

        Args:
            target: The column that the user named.
        """
        usable = target in self.successes and len(self.trials) == 1
        return (target, self.trials[0]) if usable and self._wrong(target, self.trials[0]) is None else None

    def guessed(self, last: str) -> tuple[str, str] | None:
        """The columns of successes and of trials if the user named no objective; None if no name says so.

        Args:
            last: The last column, which is the objective otherwise.

        Raises:
            InvalidInput: Columns are named like counts but cannot be used as counts, or not in one way only.
        """
        successes, trials, kind = self.successes, self.trials, _plain(last)
        if trials and not successes and RATE.fullmatch(kind):
            raise self._refused(f"{last} is a rate, and its counts are needed: add a column of successes", last)
        if trials and not successes and MONEY.fullmatch(kind):
            raise self._refused(f"{last} is larger where {trials[0]} are more", last)
        if len(successes) + len(trials) < 2 or not successes:
            return None
        if len(successes) > 1 or len(trials) != 1:
            if trials or last in successes:
                raise self._refused(f"{listed([*trials, *successes])} may be successes and trials in several ways")
            return None
        money = [name for name in self.columns if name not in self.taken and MONEY.fullmatch(_plain(name))]
        if last not in (*successes, *trials) and not self.table.is_text(self.columns.index(last)):
            money.append(last)
        if money:
            both = f"{successes[0]} and {trials[0]} are named like counts"
            raise self._refused(f"{both}, {money[0]} like a value", money[0])
        if (row := self._wrong(successes[0], trials[0])) is not None:
            s, n = (_values(self.table, self.columns.index(name))[row] for name in (successes[0], trials[0]))
            what = f"{self.table.where(row)}: {s:.15g} {successes[0]} of {n:.15g} {trials[0]} are no counts"
            raise self._refused(f"{what}: mend this line, or name the columns")
        return successes[0], trials[0]

    def _wrong(self, successes: str, trials: str) -> int | None:
        """The first row whose numbers cannot be successes and trials; one with an empty cell is left out anyway."""
        s, n = (_values(self.table, self.columns.index(name)) for name in (successes, trials))
        good = (s == np.floor(s)) & (n == np.floor(n)) & (s >= 0) & (s <= n)
        wrong = np.flatnonzero(~good & ~np.isnan(s) & ~np.isnan(n))
        return int(wrong[0]) if len(wrong) else None

    def _refused(self, what: str, value: str | None = None) -> InvalidInput:
        """The error that says what to type, to compare rates or to compare values as they are."""
        used = {*self.successes, *self.trials, *self.taken, value}
        text = [name for name in self.columns if name not in used and self.table.is_text(self.columns.index(name))]
        option = f"--option {text[0]} " if len(text) == 1 else ""
        ways = []
        if self.successes:
            s = self.successes[-1]
            n = next(name for name in (*self.trials, *self.successes) if name != s)
            ways.append(f"{option}--successes {s} --trials {n} compares rates")
        ways.append(f"{option}--objective {value or self.successes[-1]} compares the values as they are")
        begin = ", " if what.startswith(("line ", "row ")) else ": "
        return InvalidInput(f"{self.table.path}{begin}{what}: {'; '.join(ways)}")


def without_trials(table: Table, successes: int, trials: int) -> Table:
    """The rows that have trials; those without any, and without a success, are left out and counted.

    Args:
        table: The table.
        successes: The column of the successes.
        trials: The column of the trials.
    """
    if table.has_bad(successes) or table.has_bad(trials):
        return table  # refused later, with the line
    none = (_values(table, successes) == 0) & (_values(table, trials) == 0)
    if not none.any():
        return table
    table.understood["zeros"] = f"{counted(int(none.sum()), 'row')} left out (0 in the column {table.named(trials)})"
    return table.rows(np.flatnonzero(~none))


def _plain(name: str) -> str:
    """The name of a column without case, blanks and underscores."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().replace("_", " ").split())


def _values(table: Table, column: int) -> FloatArray:
    """The numbers of a column, NaN where a cell is empty."""
    return np.array([np.nan if value is None else value for value in table.values(column)])
