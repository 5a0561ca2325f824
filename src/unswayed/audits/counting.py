"""How many lies a winner withstands, and the cheapest way to overturn it, with the model held fixed.

The estimate is linear in the values, so both are exact (core/tampering/overturn.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np

from unswayed.audits.case import Case
from unswayed.core.tampering.certificate import Certificate, breakdown_budgets, reach_of_leads
from unswayed.core.tampering.influence import pairwise_deviation
from unswayed.core.tampering.overturn import Overturn, overturns
from unswayed.core.tampering.threat import Records, Threat
from unswayed.types import FloatArray, IntArray


@dataclass(frozen=True)
class Change:
    """A measurement that would have to be false.

    Attributes:
        row: Its row of the data, from 0.
        option: Its option.
        source: Its source, if sources are known.
        value: Its value.
        instead: The value it would have had.
    """

    row: int
    option: int
    source: str | None
    value: float
    instead: float


@dataclass(frozen=True)
class Plan:
    """The cheapest ways to overturn the winner: as few false measurements, or lying sources, as possible.

    Attributes:
        changes: The measurements that would have to be false; none if no number of them is enough.
        rival: The option that is then level with the winner or ahead; None if none can be.
        sources: The sources that would have to lie.
        sources_rival: The option that is then level or ahead.
    """

    changes: tuple[Change, ...]
    rival: int | None
    sources: tuple[str, ...]
    sources_rival: int | None


@dataclass(frozen=True)
class Limit:
    """How much of one kind of tampering the winner withstands, with the model held fixed.

    Attributes:
        kind: "lies" (false measurements), "liars" (lying sources) or "total" (the sum of all changes).
        overturned: The least that can overturn the winner; None if nothing within the range can.
        rival: The option that is then level with the winner or ahead; None if none can be.
        certified: Up to how much the winner is certified to be the best; None if nothing is certified.
    """

    kind: str
    overturned: float | None
    rival: int | None
    certified: float | None = None

    @property
    def stays(self) -> float | None:
        """Up to how much the winner stays the winner; None if whatever happens within the range."""
        if self.overturned is None or self.kind == "total":
            return self.overturned
        return max(self.overturned - 1, 0)


@dataclass(frozen=True, eq=False)
class Counted:
    """What the measurements of a posterior, in its units, could hide.

    Attributes:
        lies: The fewest false measurements that overturn the winner.
        liars: The fewest lying sources.
    """

    lies: Overturn
    liars: Overturn

    @classmethod
    def of(cls, case: Case, beta: float = 0.0) -> Self:
        """Count, for the estimate; or with a valid beta for what is certified.

        Args:
            case: What the audit is about.
            beta: The confidence parameter of a certificate.
        """
        posterior, winner, records = case.posterior, case.winner, case.records
        effect, S = posterior.effect()
        lead, error = posterior.mean[winner] - posterior.mean, None
        if beta > 0:
            errors = posterior.errors
            sd = pairwise_deviation(posterior.covariance, winner, errors.variances(winner))
            lead, error = lead - errors.means(winner) - beta * sd, errors.effects(winner)
        budgets, _ = breakdown_budgets(posterior, winner, beta=beta, records=records)
        lead[(budgets == 0) | np.isinf(budgets)] = 0.0  # a rounding error is no lead
        low, high = case.model.standard(case.span.low), case.model.standard(case.span.high)
        effects = partial(_effects, effect, S, records, winner)
        return cls(*overturns(lead, effects, records, low, high, winner, error))

    def plan(self, case: Case) -> Plan:
        """The cheapest ways, in the user's own sign."""
        changes, data, sign, (effect, _) = [], case.data, case.sign, case.posterior.effect()
        for row in self.lies.chosen.tolist():
            option = int(data.arms[row])  # every option was measured
            lowered = effect[case.winner, option] > effect[self.lies.rival, option]
            value, instead = float(sign * data.values[row]), sign * (case.span.low if lowered else case.span.high)
            changes.append(Change(row, option, data.source(row), value, instead))
        sources = tuple(data.names[s] for s in self.liars.chosen)
        return Plan(tuple(changes), self.lies.rival, sources, self.liars.rival)


def _effects(effect: FloatArray, S: IntArray, records: Records, winner: int, rivals: slice) -> FloatArray:
    """Effects of all records on the leads over some rivals."""
    return records.effects(effect[winner] - effect[rivals], S)


def find_limits(case: Case, counted: Counted, proved: Counted | None, total: Limit) -> tuple[Limit, ...]:
    """What the winner withstands of each kind of tampering."""
    found = []
    for kind in ("lies", "liars") if case.data.sources is not None else ("lies",):
        one: Overturn = getattr(counted, kind)
        certified: int | None = None
        if proved is not None:
            sure: Overturn = getattr(proved, kind)
            certified = len(sure.alone) if sure.number is None else sure.number - 1
        found.append(Limit(kind, one.number, one.rival, None if certified == -1 else certified))
    return (*found, total)


def certified_counts(case: Case, certificate: Certificate | None) -> Counted | None:
    """Up to how many lies the winner is certified to be the best; None without a certificate or a given range."""
    return Counted.of(case, certificate.beta) if certificate is not None and case.span.given else None


def lowest_lead(case: Case) -> float | None:
    """The lowest possible lead of the winner over its best rival under the threat, in units of the values."""
    threat, model, mean = case.span.around(Threat.of(case.given.threat), observed=True), case.model, case.posterior.mean
    if threat is None:
        return None
    standard = threat.mapped(1 / model.output_scale, model.standard)
    reach = reach_of_leads(case.posterior, case.winner, standard, case.records)
    return float(model.output_scale * np.delete(mean[case.winner] - mean - reach, case.winner).min())
