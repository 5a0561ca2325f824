"""The orders of the paper: its printed exponents, its remarks, and slopes measured on the literal quantities."""

from math import inf, log, sqrt

import numpy as np
import pytest

from unswayed import Matern, SquaredExponential, UnswayedError
from unswayed.core.design.information import information_gain, relaxed_gain
from unswayed.core.design.newton import newton_basis
from unswayed.core.theory import regret_bounds
from unswayed.core.theory.growth import TABLE_1, feature_orders, gain_order, regret_orders

PAIRS = [(d, nu) for d in (1, 2, 3, 7) for nu in (0.2, 0.5, 0.75, 1.0, 1.5, 2.5, 4.0, 9.0)]
PRINTED = {  # Table 1, and Appendix E: the exponents of T without corruption and with it
    "existing": (lambda d, nu: (2 * nu + 3 * d) / (4 * nu + 2 * d), lambda d, nu: (nu + d) / (2 * nu + d)),
    "ours": (lambda d, nu: (nu + d) / (2 * nu + d), lambda d, nu: 3 * d / (4 * nu + 2 * d)),
    "lower bound": (lambda d, nu: (nu + d) / (2 * nu + d), lambda d, nu: d / (d + nu)),
    "linear, balanced": (lambda d, nu: (d + 2 * nu) / (4 * nu), lambda d, nu: 3 * d / (4 * nu)),
    "linear, matern": (lambda d, nu: (2 * d + nu) / (2 * (d + nu)), lambda d, nu: 3 * d / (2 * (d + nu))),
}


def matern():
    return regret_orders("matern")


def test_the_exponents_are_those_that_the_paper_prints():
    for name, (clean, corrupted) in PRINTED.items():
        first, *_, last = matern()[name].terms
        for d, nu in PAIRS:
            assert first.power.at(d, nu) == pytest.approx(clean(d, nu), rel=1e-12), (name, d, nu)
            assert last.power.at(d, nu) == pytest.approx(corrupted(d, nu), rel=1e-12), (name, d, nu)
            assert last.budget.at(d, nu) == pytest.approx(nu / (d + nu) if name == "lower bound" else 1.0)


def printed_table_1(kernel, T, C, d, nu):
    """Both terms of the lower bound, of the existing bound and of ours."""
    if kernel == "linear":
        return (sqrt(T * d), C * d), (sqrt(T * d), C * d**1.5), (sqrt(T * d), C * d**1.5)
    if kernel == "se":
        lower = sqrt(T * log(T) ** (d / 2)), C * log(T) ** (d / 2)
        existing = sqrt(T) * log(T) ** d, C * sqrt(T) * log(T) ** (d / 2)
        return lower, existing, (sqrt(T * log(T) ** d), C * log(T) ** (3 * d / 2))
    lower = T ** ((nu + d) / (2 * nu + d)), C ** (nu / (d + nu)) * T ** (d / (d + nu))
    existing = T ** ((2 * nu + 3 * d) / (4 * nu + 2 * d)), C * T ** ((nu + d) / (2 * nu + d))
    return lower, existing, (T ** ((nu + d) / (2 * nu + d)), C * T ** (3 * d / (4 * nu + 2 * d)))


@pytest.mark.parametrize("kernel", ["linear", "se", "matern"])
def test_the_terms_of_table_1_are_those_that_the_paper_prints(kernel):
    for d, nu in PAIRS[::3]:
        for T, C in ((100, 3.0), (10**5, 30.0)):
            printed = printed_table_1(kernel, T, C, d, nu)
            for name, terms in zip(TABLE_1, printed, strict=True):
                found = [term.at(T, C, d, nu) for term in regret_orders(kernel)[name].terms]
                assert found == pytest.approx(terms, rel=1e-12), (name, d, nu)


def test_table_1_in_words():
    texts = [str(regret_orders(kernel)[bound]) for kernel in ("linear", "se") for bound in TABLE_1]
    assert texts == [
        "T^(1/2) d^(1/2) + C d",
        "T^(1/2) d^(1/2) + C d^(3/2)",
        "T^(1/2) d^(1/2) + C d^(3/2)",
        "T^(1/2) (ln T)^(d/4) + C (ln T)^(d/2)",
        "T^(1/2) (ln T)^d + C T^(1/2) (ln T)^(d/2)",
        "T^(1/2) (ln T)^(d/2) + C (ln T)^(3d/2)",
    ]


def test_table_1_orders_the_bounds_where_the_paper_says_so():
    """The lower bound is below ours; ours is below the existing one for SE, and for Matern with nu > d/2."""
    for kernel, nu in (("se", None), ("matern", 1.5), ("matern", 4.0)):
        lower, existing, ours = (
            [term.at(10**12, 1.0, 2, nu) for term in regret_orders(kernel)[name].terms] for name in TABLE_1
        )
        assert lower[0] <= ours[0] <= existing[0]
        assert ours[1] < existing[1]


def test_the_features_follow_from_the_error():
    """D = Delta^(-d/nu), and the second Delta makes Delta T sqrt(D) equal to D^1.5."""
    for d, nu in PAIRS:
        powers = {name: (delta.at(d, nu), D.power.at(d, nu)) for name, (delta, D) in feature_orders("matern").items()}
        for delta, features in powers.values():
            assert features == pytest.approx(delta * d / nu)
        delta, features = powers["matern"]
        assert 1 - delta + features / 2 == pytest.approx(1.5 * features)


def test_the_largest_budget_is_where_the_bound_becomes_linear():
    for name in (*PRINTED, "Corollary 2"):
        bound = matern()[name]
        for d, nu in PAIRS:
            c = bound.largest_budget(d, nu)
            if c == -inf:
                assert max(term.power.at(d, nu) for term in bound.terms[:-1]) >= 1
            else:
                assert bound.exponent(d, nu, c) == pytest.approx(1.0)
                assert bound.exponent(d, nu, c - 0.01) < 1 < bound.exponent(d, nu, c + 0.01)


@pytest.mark.parametrize(
    ("name", "ratio", "text"),
    [
        ("lower bound", 0, "C = o(T)"),
        ("existing", 1 / 2, "nu > d/2 and C = o(T^(nu/(2nu+d)))"),
        ("ours", 1 / 4, "nu > d/4 and C = o(T^((4nu-d)/(4nu+2d)))"),
        ("Corollary 2", 1 / 2, "nu > d/2 and C = o(T^((4nu-d)/(4nu+2d)))"),
        ("linear, balanced", 3 / 4, "nu > 3d/4 and C = o(T^((4nu-3d)/(4nu)))"),
        ("linear, matern", 1 / 2, "nu > d/2 and C = o(T^((2nu-d)/(2nu+2d)))"),
    ],
)
def test_the_conditions_of_table_1_and_appendix_e(name, ratio, text):
    bound = matern()[name]
    assert bound.condition == text
    for d in (1, 2, 5):
        for nu in np.linspace(0.01, 2 * d, 397):
            assert (bound.exponent(d, nu) < 1) == (nu > ratio * d * (1 + 1e-12)), (d, nu)


def test_the_conditions_of_the_se_kernel():
    bounds = regret_orders("se")
    assert bounds["ours"].condition == "C = o(T (ln T)^(-3d/2))"
    assert bounds["existing"].condition == "C = o(T^(1/2) (ln T)^(-d/2))"
    assert (bounds["ours"].largest_budget(3), bounds["existing"].largest_budget(3)) == (1.0, 0.5)
    assert bounds["linear, balanced"] == bounds["ours"]  # the reduction matches the main result
    assert bounds["ours"].exponent(3) == 0.5


def test_the_remarks_of_the_paper():
    bounds = matern()
    ours, existing, first, second = (
        bounds[name] for name in ("ours", "existing", "linear, balanced", "linear, matern")
    )

    def powers(bound, d, nu):
        return bound.terms[0].power.at(d, nu), bound.terms[-1].power.at(d, nu)

    for d, nu in PAIRS:
        if nu != d / 2:  # "the existing result has a better exponent when nu < d/2, ours is better when nu > d/2"
            assert (powers(ours, d, nu)[1] < powers(existing, d, nu)[1]) == (nu > d / 2)
            assert (powers(existing, d, nu)[0] > 1) == (
                nu < d / 2
            )  # "... is super-linear in T, making the bound trivial"
        for reduced in (first, second):  # "are always strictly worse under the Matern kernel"
            assert powers(reduced, d, nu)[0] > powers(ours, d, nu)[0]
            assert powers(reduced, d, nu)[1] > powers(ours, d, nu)[1]
        if nu > d:
            assert first.exponent(d, nu) < second.exponent(d, nu)
        elif d / 2 < nu < d:
            assert second.exponent(d, nu) < first.exponent(d, nu)
        elif nu <= d / 2:
            assert first.exponent(d, nu) >= 1
            assert second.exponent(d, nu) >= 1


def grid(side, d):
    axis = (np.arange(side) + 0.5) / side
    return np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)


def slope(x, y):
    return np.polyfit(np.log(x), np.log(y), 1)[0]


def errors_left(K, error):
    """max P_D of Algorithm 2 for D = 1, 2, ...: Algorithm 2 with e at or below it returns more than D features."""
    basis = newton_basis(K, error)[1]
    return np.sqrt((K.diagonal()[:, None] - np.cumsum(basis**2, axis=1)).clip(0).max(axis=0))


@pytest.mark.parametrize(
    ("d", "nu", "side", "error", "tolerance"),
    [
        (1, 0.5, 1500, 0.08, 0.05),
        (1, 1.5, 1500, 5e-4, 0.05),
        (1, 2.5, 1500, 3e-5, 0.05),
        (2, 0.5, 50, 0.22, 0.2),  # in two dimensions the border still counts at this size
        (2, 1.5, 50, 0.02, 0.2),
        (2, 2.5, 50, 0.002, 0.2),
    ],
)
def test_the_order_of_the_features_is_measured(d, nu, side, error, tolerance):
    X = grid(side, d)
    left = errors_left(Matern(nu, 1.0)(X, X), error)[10:]
    delta, D = feature_orders("matern")["balanced"]
    order = D.power.at(d, nu) / delta.at(d, nu)  # of D as a power of 1/Delta
    assert slope(1 / left, 11 + np.arange(len(left))) == pytest.approx(order, rel=tolerance)


@pytest.mark.parametrize(
    ("d", "nu", "side", "plays", "tolerance"),
    [
        (1, 0.5, 600, (1e2, 1e3, 1e4), 0.05),
        (1, 1.5, 400, (1e4, 1e5, 1e6, 1e7), 0.05),
        (1, 2.5, 300, (1e6, 1e8, 1e10), 0.05),
        (2, 0.5, 25, (1e2, 1e3), 0.12),
        (2, 1.5, 25, (1e3, 1e4, 1e5), 0.12),
        (2, 2.5, 20, (1e4, 1e5, 1e6), 0.12),
    ],
)
def test_the_order_of_the_gain_is_measured(d, nu, side, plays, tolerance):
    """Below by equal plays of all points, above by the convex relaxation: both have the slope of the paper."""
    X = grid(side, d)
    K, N = Matern(nu, 1.0)(X, X), side**d
    below = [information_gain(K, np.full(N, T / N), 1.0) for T in plays]
    above = [relaxed_gain(K, 1.0, int(T), tolerance=0.05) for T in plays]
    assert np.less(below, np.multiply(above, 1 + 1e-9)).all()
    exponent = gain_order("matern").power.at(d, nu)
    for gains in (below, above):
        assert slope(plays, gains) == pytest.approx(exponent, rel=tolerance)


@pytest.mark.parametrize(("d", "side"), [(1, 300), (2, 25)])
def test_the_gain_of_the_se_kernel_has_the_omitted_logarithm(d, side):
    """(ln T)^d leaves out one factor ln T: the power that is measured lies between d and d + 1."""
    X = grid(side, d)
    K, plays = SquaredExponential(0.2)(X, X), np.array([1e3, 1e5, 1e7, 1e9])
    gains = [information_gain(K, np.full(len(X), T / len(X)), 1.0) for T in plays]
    assert d < slope(np.log(plays), gains) < d + 1
    assert gain_order("se").logs == 1
    left = errors_left(K, 1e-6)
    D = np.arange(1, len(left) + 1)
    few = left < 0.1  # D is at most of the order (ln 1/Delta)^d
    assert slope(np.log(1 / left[few]), D[few]) < d + 0.05


@pytest.mark.parametrize("nu", [1.5, 2.5])
def test_the_bounds_grow_as_their_orders(nu):
    """regret_bound with literal gains, and Delta T sqrt(D) + sqrt(D T) + C D^1.5 with D of Algorithm 2."""
    X, plays = grid(600, 1), np.array([1e4, 1e5, 1e6, 1e7])
    K = Matern(nu, 1.0)(X, X)
    gains = [information_gain(K, np.full(600, T / 600), 1.0) for T in plays]
    theorem = matern()["ours"]
    for C, beta, term in ((0.0, 1.0, theorem.terms[0]), (1.0, 0.0, theorem.terms[1])):
        bounds = [
            regret_bounds.regret_bound(0.0, C, beta, 1.0, 2.0, log(2) / (2 * g), g, int(T))
            / regret_bounds.number_of_epochs(int(T))
            for g, T in zip(gains, plays, strict=True)
        ]
        assert slope(plays, bounds) == pytest.approx(term.power.at(1, nu), rel=0.1)
    left = errors_left(K, 1e-5)
    for error, (delta, _) in feature_orders("matern").items():
        Delta = plays ** -delta.at(1, nu)
        D = np.array([1 + np.sum(left >= e) for e in Delta])
        terms = np.array([np.sqrt(D * plays), Delta * plays * np.sqrt(D), D**1.5])
        orders = matern()[f"linear, {error}"].terms
        wanted = [orders[0], orders[-2], orders[-1]]  # where noise and misfit are equal there are only two
        for values, order in zip(terms, wanted, strict=True):
            assert slope(plays, values) == pytest.approx(order.power.at(1, nu), abs=0.08)


def test_what_has_no_order_is_refused():
    for function in (gain_order, feature_orders, regret_orders):
        with pytest.raises(UnswayedError, match="unknown kernel 'cosine'"):
            function("cosine")
    with pytest.raises(UnswayedError, match="nu"):
        matern()["ours"].exponent(2)
