"""Which parameters trials have: those of all of them, and those that depend on the choice of another parameter.

An objective that suggests C only `if kind == "svm"` makes trials with and without C. A parameter p of some trials
depends on a gate q if every trial with p has q, and if the value of q says whether a trial has p:

    q is a choice           no choice of q occurs both with p and without it
    q is a whole number     p occurs on one side of a threshold only, as in `for i in range(layers)`

Choices come before whole numbers, and gates that more trials have before others. If two gates are equally good, or if
there is none, it is not known when a trial has p.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import is_

from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

from unswayed.errors import InvalidInput
from unswayed.integrations.optuna_space import Conditions, OptunaSpace, as_parameter, searchable, to_number
from unswayed.spaces import Categorical, Integer
from unswayed.spaces.conditions import MOST_VALUES
from unswayed.spaces.encoding import When
from unswayed.text import printable

Seen = dict[str, set[int]]  # the values of each possible gate, as numbers


class Common:
    """What the complete trials have; each trial is looked at once."""

    def __init__(self) -> None:
        self._done: list[FrozenTrial] = []  # the finished trials before the first open one
        self._found = Found()

    def of(self, before: Sequence[FrozenTrial]) -> Found:
        """What these trials have, in the order of their numbers."""
        known = len(self._done)
        if not (len(before) >= known and all(map(is_, self._done, before))):
            self._done, self._found, known = [], Found(), 0
        for trial in before[known:]:
            if not trial.state.is_finished():
                break
            self._done.append(trial)
            self._found.add(trial)
        return self._found.and_also(before[len(self._done) :])


class Found:
    """The parameters of complete trials, by the set of names that a trial has."""

    def __init__(self) -> None:
        self.distributions: dict[str, BaseDistribution] = {}
        self._changing: set[str] = set()  # names with several distributions
        self._seen: dict[frozenset[str], Seen] = {}

    def add(self, trial: FrozenTrial) -> None:
        """Take a trial in, if it is complete."""
        if trial.state != TrialState.COMPLETE:
            return
        seen = self._seen.setdefault(frozenset(trial.distributions), {})
        for name, one in trial.distributions.items():
            if self.distributions.setdefault(name, one) != one:
                self._changing.add(name)
            number = to_number(one, trial.params[name]) if _may_be_gate(name, one) else None
            if number is not None:
                seen.setdefault(name, set()).add(int(number))

    def and_also(self, trials: Iterable[FrozenTrial]) -> Found:
        """With some more trials; this one stays as it is."""
        found = Found()
        found.distributions, found._changing = dict(self.distributions), set(self._changing)
        found._seen = {names: {name: set(v) for name, v in seen.items()} for names, seen in self._seen.items()}
        for trial in trials:
            found.add(trial)
        return found

    @property
    def in_all(self) -> dict[str, BaseDistribution]:
        """The parameters of all trials, with the same distribution in each."""
        names = frozenset.intersection(*self._seen) if self._seen else frozenset()
        return {name: self.distributions[name] for name in sorted(names - self._changing)}

    @property
    def unclear(self) -> list[str]:
        """The parameters that only some trials have, without a gate that says which."""
        return sorted(self.distributions.keys() - self.in_all.keys() - self._gates.keys())

    def seen(self, gate: str) -> set[int]:
        """The values of a gate that occur in trials."""
        return set().union(*(seen.get(gate, set()) for seen in self._seen.values()))

    def space(self) -> tuple[dict[str, BaseDistribution], Conditions]:
        """What can be searched together, and on what it depends. A choice that never occurred has no parameters yet."""
        known = self.in_all | {name: self.distributions[name] for name in self._gates}
        kept, when = searchable(known), Conditions()
        for name, gate in self._gates.items():
            with_it, without = self._split(name, gate)
            when[name] = gate, frozenset(self._filled(gate, with_it, without))
        return within(kept, when)

    @property
    def _gates(self) -> dict[str, str]:
        """On which gate each parameter of some trials depends, where that is known."""
        found = {}
        for name in sorted(self.distributions.keys() - self.in_all.keys() - self._changing):
            gates = [gate for gate, one in self.distributions.items() if _may_be_gate(gate, one)]
            fit = [gate for gate in gates if gate not in (name, *self._changing) and self._decides(gate, name)]
            ranked = sorted(((self._rank(gate), gate) for gate in fit), reverse=True)
            if len(ranked) == 1 or (ranked and ranked[0][0] > ranked[1][0]):
                found[name] = ranked[0][1]
        return {name: gate for name, gate in found.items() if gate in found or gate in self.in_all}

    def _rank(self, gate: str) -> tuple[bool, int]:
        choice = isinstance(self.distributions[gate], CategoricalDistribution)
        return choice, sum(gate in names for names in self._seen)

    def _decides(self, gate: str, name: str) -> bool:
        if any(name in names and gate not in names for names in self._seen):
            return False
        with_it, without = self._split(name, gate)
        if not with_it or not without or with_it & without:
            return False
        choice = isinstance(self.distributions[gate], CategoricalDistribution)
        return choice or max(with_it) < min(without) or max(without) < min(with_it)

    def _split(self, name: str, gate: str) -> tuple[set[int], set[int]]:
        """The values of a gate in trials with a parameter, and in trials without it."""
        with_it = [seen.get(gate, set()) for names, seen in self._seen.items() if name in names]
        without = [seen.get(gate, set()) for names, seen in self._seen.items() if name not in names]
        return set().union(*with_it), set().union(*without)

    def _filled(self, gate: str, with_it: set[int], without: set[int]) -> set[int]:
        """The values with a parameter. A whole number that did not occur goes with the nearest one that did."""
        one = as_parameter(gate, self.distributions[gate])
        if not isinstance(one, Integer):
            return with_it
        occurred = sorted(with_it | without)
        return {k for k in range(one.low, one.high + 1) if min(occurred, key=lambda o: abs(o - k)) in with_it}


def within(
    distributions: Mapping[str, BaseDistribution], when: Conditions
) -> tuple[dict[str, BaseDistribution], Conditions]:
    """Without the parameters whose gate is not there."""
    kept = dict(distributions)
    while lost := [name for name in kept if name in when and when[name][0] not in kept]:
        for name in lost:
            del kept[name]
    return kept, Conditions({name: one for name, one in when.items() if name in kept})


def given_space(
    search_space: Mapping[str, BaseDistribution] | None, when: Mapping[str, When] | None
) -> OptunaSpace | None:
    """The space that the user gives, if there is one."""
    if search_space is None:
        if when is not None:
            raise InvalidInput("when is for a search space that is given: give search_space, or leave when out")
        return None
    return OptunaSpace(search_space, Conditions.of(when, search_space))


def found_space(trials: Sequence[FrozenTrial]) -> OptunaSpace:
    """The space of the complete trials; gates have only the values that occurred: too little is known of others."""
    found = Found().and_also(trials)
    if found.unclear:
        some = "', '".join(printable(name) for name in found.unclear[:3])
        raise InvalidInput(
            f"only some trials have '{some}', and no choice says which: give search_space, the parameters to compare, "
            "and when, the choices that they depend on"
        )
    distributions, when = found.space()
    return OptunaSpace(distributions, when, {gate: found.seen(gate) for gate, _ in when.values()})


def _may_be_gate(name: str, distribution: BaseDistribution) -> bool:
    if not isinstance(distribution, CategoricalDistribution | IntDistribution) or not searchable({name: distribution}):
        return False
    one = as_parameter(name, distribution)
    return isinstance(one, Categorical | Integer) and one.size <= MOST_VALUES
