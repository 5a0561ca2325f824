"""Table 1: how fast gamma_T, D and the regret bounds grow with T, and for which C, nu and d a bound is sublinear.

    gamma_T   maximal information gain          D       features of the reduction to linear bandits (Appendix E)
    nu, d     smoothness, dimension             Delta   error of the reduction
    C         corruption budget                 order   C^a T^b (ln T)^(c d) d^e

Each bound is declared as the paper derives it, in powers of T, gamma_T, D and C: sqrt(T gamma_T) + C gamma_T^1.5 for
Corollary 1. The exponents of Table 1 and of Appendix E follow by arithmetic, and the conditions follow from them. As in
the paper, constants and logarithmic factors whose power does not depend on d are omitted.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, inf, lcm, log

from unswayed.errors import InvalidInput

HALF = Fraction(1, 2)
TABLE_1 = ("lower bound", "existing", "ours")  # the names of its bounds, as `regret_orders` has them


@dataclass(frozen=True)
class Exponent:
    """(a nu + b d) / (p nu + q d), with p and q not negative.

    Attributes:
        a: Factor of nu in the numerator.
        b: Factor of d in the numerator.
        p: Factor of nu in the denominator.
        q: Factor of d in the denominator.
    """

    a: int | Fraction
    b: int | Fraction
    p: int | Fraction
    q: int | Fraction

    def __add__(self, other: Exponent | Fraction | int) -> Exponent:
        """The sum with a number, or with an exponent of the same denominator."""
        if not isinstance(other, Exponent):
            other = Exponent(other * self.p, other * self.q, self.p, self.q)
        assert (self.p, self.q) == (other.p, other.q)
        return Exponent(self.a + other.a, self.b + other.b, self.p, self.q)

    def __mul__(self, factor: Fraction | int) -> Exponent:
        """The product with a number."""
        return Exponent(self.a * factor, self.b * factor, self.p, self.q)

    def __truediv__(self, other: Exponent) -> Exponent:
        """The quotient with an exponent of the same denominator."""
        assert (self.p, self.q) == (other.p, other.q)
        return Exponent(self.a, self.b, other.a, other.b)

    @property
    def constant(self) -> Fraction | None:
        """Its value if that does not depend on nu and d, else None."""
        if self.a * self.q != self.b * self.p:
            return None
        return Fraction(self.b) / self.q if self.q else Fraction(self.a) / self.p

    @property
    def least_ratio(self) -> Fraction | float:
        """The exponent is below 1 if nu/d is above this: 0 for always, infinity for never."""
        more, less = self.p - self.a, self.b - self.q  # below 1 if more nu > less d
        if more > 0:
            return max(Fraction(less) / more, Fraction(0))
        return Fraction(0) if more == 0 and less < 0 else inf

    def at(self, d: int, nu: float | None) -> float:
        """Its value."""
        if self.constant is not None:
            return float(self.constant)
        if nu is None:
            raise InvalidInput("an exponent of the Matern kernel needs its nu")
        return float((self.a * nu + self.b * d) / (self.p * nu + self.q * d))

    def __str__(self) -> str:
        if self.constant is not None:
            return str(self.constant)
        whole = lcm(*(Fraction(part).denominator for part in (self.a, self.b, self.p, self.q)))
        parts = [int(part * whole) for part in (self.a, self.b, self.p, self.q)]
        a, b, p, q = (Fraction(part // gcd(*parts)) for part in parts)
        below = _sum(p, q)
        return f"{_sum(a, b)}/{f'({below})' if below[0].isdigit() else below}"


ZERO, ONE = Exponent(0, 0, 0, 1), Exponent(0, 1, 0, 1)


@dataclass(frozen=True)
class Order:
    """C^budget T^power (ln T)^(logs d) d^dimensions: a term of a bound, or the growth of gamma_T or D (budget 0)."""

    power: Exponent
    logs: Fraction = Fraction(0)
    budget: Exponent = ZERO
    dimensions: Fraction = Fraction(0)

    def term(self, power: Fraction | int, *, T: Exponent | Fraction | int = 0, C: Exponent = ZERO) -> Order:
        """This, to a power, times a power of T, times a power of C."""
        return Order(self.power * power + T, self.logs * power, C, self.dimensions * power)

    def at(self, T: float, C: float, d: int, nu: float | None = None) -> float:
        """Its value, without constants."""
        powers = C ** self.budget.at(d, nu) * T ** self.power.at(d, nu) * d ** float(self.dimensions)
        return float(powers * log(T) ** (float(self.logs) * d))

    @property
    def room(self) -> Order:
        """The term is sublinear if C = o(room)."""
        left = self.power * -1 + 1
        left = left if self.budget == ONE else left / self.budget
        return Order(left, -self.logs, dimensions=-self.dimensions)

    def __str__(self) -> str:
        logs = _times(self.logs, "d")
        factors = [_factor("C", str(self.budget)), _factor("T", str(self.power)), _factor("(ln T)", logs)]
        factors.append(_factor("d", str(self.dimensions)))
        return " ".join(factor for factor in factors if factor) or "1"


@dataclass(frozen=True)
class Bound:
    """A sum of terms, those without C first."""

    terms: tuple[Order, ...]

    def exponent(self, d: int, nu: float | None = None, c: float = 0.0) -> float:
        """The growth exponent of the whole bound if C grows as T^c."""
        return max(term.power.at(d, nu) + c * term.budget.at(d, nu) for term in self.terms)

    def largest_budget(self, d: int, nu: float | None = None) -> float:
        """The bound is sublinear for C = T^c if 0 <= c is below this; minus infinity if it is not even for C = 0."""
        clean, corrupted = (
            [term for term in self.terms if (term.budget == ZERO) == without] for without in (True, False)
        )
        if any(term.power.at(d, nu) >= 1 for term in clean):
            return -inf
        return min(term.room.power.at(d, nu) for term in corrupted)

    @property
    def condition(self) -> str:
        """When the bound is sublinear in T, for C of at least a constant."""
        ratio = max(term.power.least_ratio for term in self.terms)
        smooth = [] if ratio == 0 else [f"nu > {_times(Fraction(ratio), 'd')}"]
        return " and ".join(smooth + [f"C = o({term.room})" for term in self.terms if term.budget != ZERO])

    def __str__(self) -> str:
        return " + ".join(map(str, self.terms))


def gain_order(kernel: str) -> Order:
    """gamma_T: d for "linear", (ln T)^d for "se", T^(d/(2nu+d)) for "matern"."""
    if kernel == "linear":
        return Order(ZERO, dimensions=Fraction(1))
    if kernel == "se":
        return Order(ZERO, Fraction(1))
    if kernel == "matern":
        return Order(Exponent(0, 1, 2, 1))
    raise InvalidInput(f"unknown kernel {kernel!r}: choose linear, se or matern")


def feature_orders(kernel: str) -> dict[str, tuple[Exponent, Order]]:
    """For each choice of Delta = T^-delta in Appendix E, named as in `--error`: delta, and the order of D.

    The linear kernel needs no reduction. D = (ln 1/Delta)^d for "se" and Delta^(-d/nu) for "matern".
    Delta = 1/sqrt(T) is balanced with the noise. The other choice, T^(-nu/(d+nu)), is balanced with the corruption; for
    "se" it never helps.
    """
    if kernel == "linear":
        return {}
    if kernel == "se":
        return {"balanced": (ONE * HALF, gain_order("se"))}
    gain_order(kernel)  # refuses an unknown kernel
    return {
        "balanced": (Exponent(1, 0, 2, 0), Order(Exponent(0, 1, 2, 0))),
        "matern": (Exponent(1, 0, 1, 1), Order(Exponent(0, 1, 1, 1))),
    }


def regret_orders(kernel: str) -> dict[str, Bound]:
    """The bounds of Table 1, of Corollary 2 and of Appendix E for "linear", "se" or "matern"."""
    gamma = gain_order(kernel)
    existing = gamma.term(1, T=HALF), gamma.term(HALF, T=HALF, C=ONE)
    if kernel == "linear":
        lower = gamma.term(HALF, T=HALF), gamma.term(1, C=ONE)
        existing = gamma.term(HALF, T=HALF), gamma.term(3 * HALF, C=ONE)
    elif kernel == "se":
        lower = Order(ONE * HALF, Fraction(1, 4)), Order(ZERO, HALF, ONE)
    else:
        lower = gamma.term(HALF, T=HALF), Order(Exponent(0, 1, 1, 1), budget=Exponent(1, 0, 1, 1))
    bounds: dict[str, tuple[Order, ...]] = {
        "lower bound": lower,
        "existing": existing,
        "ours": (gamma.term(HALF, T=HALF), gamma.term(3 * HALF, C=ONE)),
        "Corollary 2": (gamma.term(1, T=HALF), gamma.term(3 * HALF, C=ONE)),
    }
    for error, (delta, D) in feature_orders(kernel).items():
        noise, misfit = D.term(HALF, T=HALF), D.term(HALF, T=delta * -1 + 1)  # sqrt(D T) and Delta T sqrt(D)
        bounds[f"linear, {error}"] = (*dict.fromkeys((noise, misfit)), D.term(3 * HALF, C=ONE))
    return {name: Bound(terms) for name, terms in bounds.items()}


def _times(number: Fraction, name: str) -> str:
    """For example d, -3d/2 or 2nu."""
    sign = {1: "", -1: "-"}.get(number.numerator, str(number.numerator))
    return "0" if number == 0 else f"{sign}{name}" + f"/{number.denominator}" * (number.denominator > 1)


def _sum(nu: Fraction, d: Fraction) -> str:
    """For example (2nu+d), (4nu-d) or 3d."""
    parts = [_times(number, name) for number, name in ((nu, "nu"), (d, "d")) if number]
    return parts[0] if len(parts) == 1 else f"({'+'.join(parts)})".replace("+-", "-")


def _factor(base: str, power: str) -> str:
    """For example T^(1/2); nothing for the power 0."""
    plain = power.removesuffix("d").isdigit() or power == "d"
    return {"0": "", "1": base}.get(power, f"{base}^{power}" if plain else f"{base}^({power})")
