"""RCGP-UCB: GP-UCB without lies, to the last bit; its own algorithm with them; and the lies that it believes."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk
from tests.core.tampering.test_robust_conjugate import literal_rcgp

from unswayed import GPUCB, Feedback, Matern, RobustConjugateUCB, SquaredExponential, UnswayedError, simulate
from unswayed.adversaries import NoAttack, SpikesHide, SpikesPromote
from unswayed.experiments.experiment import Experiment
from unswayed.experiments.registry import make_policy
from unswayed.experiments.settings import PolicySettings
from unswayed.policies.gp_ucb import LogDetBeta, SqrtLogBeta
from unswayed.problems import f1, table

FORMS = ("rcgp-ucb", "a2-rcgp-ucb")
VALID = PolicySettings(width="theory", lam=0.02**2)  # with the paper's beta GP-UCB needs thousands of plays
X = np.linspace(0, 2, 15)[:, None]
F = np.sin(3 * X[:, 0]) + 0.3 * X[:, 0]


@pytest.fixture(scope="module")
def problem():
    return f1()


def same_bits(one, other):
    """All arrays and numbers of two posteriors or views."""
    for name, value in vars(one).items():
        assert np.array_equal(value, getattr(other, name)), name


@pytest.mark.parametrize("width", ["experiments", "theory"])
@pytest.mark.parametrize("form", FORMS)
def test_without_lies_every_posterior_is_that_of_gp_ucb_bit_for_bit(form, width, problem, rng):
    settings = PolicySettings(width=width, lam=0.01)
    ours, theirs = (make_policy(name, problem, 0.0, 500, settings) for name in (form, "gp-ucb"))
    state, twin = ours.init(), theirs.init()
    for _ in range(150):
        same_bits(ours.view(state), theirs.view(twin))
        same_bits(ours.posterior(state), theirs.posterior(twin))
        query, asked = ours.ask(state, rng), theirs.ask(twin, rng)
        assert query.arms.tolist() == asked.arms.tolist()
        answer = Feedback(query.arms, query.repeats, problem.f[query.arms] + 0.02 * rng.standard_normal(1))
        state, twin = ours.tell(state, answer), theirs.tell(twin, answer)
        assert ours.recommend(state) == theirs.recommend(twin)
    assert state.t == twin.t == 151


@pytest.mark.parametrize(("form", "seed"), list(product(FORMS, range(3))))
def test_without_lies_a_run_is_that_of_gp_ucb_bit_for_bit(form, seed, problem):
    run, plain, compiled = (
        simulate(problem, make_policy(name, problem, 0.0, 500), NoAttack(), budget=0, horizon=500, seed=seed, fast=fast)
        for name, fast in ((form, True), ("gp-ucb", False), ("gp-ucb", True))
    )
    for name in ("arms", "repeats", "rewards", "spent"):
        assert np.array_equal(getattr(run, name), getattr(plain, name))
    assert (run.regret, run.recommended_arm) == (plain.regret, plain.recommended_arm)
    assert np.array_equal(run.arms, compiled.arms)  # which adds rewards in another order
    assert len(run.arms) > 50


@pytest.mark.parametrize("form", FORMS)
def test_it_is_the_plateau_that_makes_them_equal(form, problem):
    """With a plateau too narrow for honest rewards the plays differ."""
    narrow = make_policy(form, problem, 0.0, 300, PolicySettings(plateau=0.3))
    run, plain = (
        simulate(problem, policy, NoAttack(), budget=0, horizon=300, seed=0)
        for policy in (narrow, make_policy("gp-ucb", problem, 0.0, 300))
    )
    assert not np.array_equal(np.repeat(run.arms, run.repeats), np.repeat(plain.arms, plain.repeats))


def test_scikit_learn_where_no_weight_differs(rng):
    policy = RobustConjugateUCB(X, SquaredExponential(0.4), plateau=9.0, recentred=9.0, lam=0.3)
    played, state = rng.integers(0, 15, 40), policy.init()
    y = F[played] + rng.standard_normal(40)
    for arm, reward in zip(played, y, strict=True):
        state = policy.tell(state, Feedback([arm], [1], [reward]))
    gp = GaussianProcessRegressor(sk.RBF(0.4), alpha=0.3, optimizer=None).fit(X[played], y)
    mean, deviation = gp.predict(X, return_std=True)
    assert np.allclose(policy.view(state).mean, mean, atol=1e-9)
    assert np.allclose(state.model.deviation, deviation, atol=1e-8)


def literal_rcgp_ucb(kernel, beta, lam, noise, attack, lies, T, *, L, c, g, recentred):
    """Both algorithms on all plays so far, without any of our posteriors; for A2 the anchor lags one play behind."""
    plays, rewards, prior = [], [], (np.zeros(len(X)), kernel(X, X))
    for t in range(1, T + 1):
        mu, covariance = prior
        if plays:
            arms, y = np.array(plays), np.array(rewards)
            centre, width = np.full(len(y), g), L
            if recentred:
                lagged = literal_rcgp(X, arms[:-1], y[:-1], centre[:-1], L, c, lam, kernel) if t > 2 else prior
                centre, width = lagged[0][arms], recentred
            mu, covariance = literal_rcgp(X, arms, y, centre, width, c, lam, kernel)
        upper = mu + beta * np.sqrt(np.log(t)) * np.sqrt(np.diag(covariance))
        plays.append(int(np.argmax(upper >= upper.max() - 1e-7)))
        lie = attack[plays[-1]] if lies > 0 else 0.0
        lies -= lie != 0
        rewards.append(F[plays[-1]] + noise[t - 1] + lie)
    return plays


@pytest.mark.parametrize("recentred", [None, 0.9, 3.0])
@pytest.mark.parametrize("attack", [SpikesHide(size=30.0), SpikesPromote(size=4.0), SpikesHide(shown=-1.0)])
def test_equals_the_literal_algorithm(recentred, attack):
    kernel, T, lies = Matern(2.5, 0.5), 60, 8
    told = {"plateau": 1.5, "recentred": recentred, "centre": 0.2, "softness": 0.6, "lam": 0.1}
    policy = RobustConjugateUCB(X, kernel, beta=SqrtLogBeta(1.5), **told)
    problem = table(X, F, kernel=kernel, noise_std=0.3)
    run = simulate(problem, policy, attack, lies=lies, horizon=T, seed=3)
    noise = 0.3 * np.random.default_rng(np.random.SeedSequence(3).spawn(4)[1]).standard_normal(T)
    wanted = attack.corrupt(F, policy.view(policy.init()), np.random.default_rng(0))
    settings = {"L": 1.5, "c": 0.6, "g": 0.2, "recentred": recentred}
    plays = literal_rcgp_ucb(kernel, 1.5, 0.1, noise, wanted, lies, T, **settings)
    assert np.repeat(run.arms, run.repeats).tolist() == plays
    assert run.lies_spent > 0
    assert len(set(plays)) > 3


@pytest.mark.parametrize("attack", ["spikes-hide", "spikes-promote"])
def test_spikes_lead_gp_ucb_astray_and_not_rcgp_ucb(attack):
    """The published claim, on f1: a few huge lies, and GP-UCB ends with a wrong arm; RCGP-UCB pays hardly more."""
    for draw in (10, 0):
        game = Experiment("f1", "gp-ucb", attack, None, lies=5, horizon=500, draw=draw, clip=False, settings=VALID)
        honest = replace(game, attack="none").run(0)
        assert game.run(0).recommended_gap > 0 == honest.recommended_gap
        for form in FORMS:
            run = replace(game, policy=form).run(0)
            assert run.lies_spent == 5
            assert run.recommended_gap == 0
            assert run.regret < 1.15 * honest.regret


def test_lies_on_the_plateau_are_believed_and_influence_ucb_resists_them():
    """Lies as low as f could be: RCGP-UCB makes the very plays of GP-UCB, and influence-UCB settles on the best arm."""
    for seed in range(2):
        game = Experiment(
            "f1", "gp-ucb", "spikes-hide-in-range", None, lies=5, low=-4, high=4, horizon=8000, clip=False
        )
        certified = replace(game, policy="influence-ucb", clip=True).run(seed)
        assert (certified.outcome, certified.lies_spent) == ("settled", 5)
        fooled = replace(game, settings=VALID).run(seed)
        assert (fooled.outcome, fooled.lies_spent) == ("linear regret", 1)  # one lie is enough
        for form in FORMS:
            run = replace(game, policy=form, horizon=700, settings=VALID).run(seed)
            assert np.array_equal(np.repeat(run.arms, run.repeats), np.repeat(fooled.arms, fooled.repeats)[:700])
            assert (run.recommended_arm, run.lies_spent) == (fooled.recommended_arm, 1)


@pytest.mark.parametrize("form", FORMS)
def test_a_budget_can_be_spent_on_the_plateau_too(form):
    """Top-5 shows -1: GP-UCB again."""
    game = Experiment("f1", form, "top-5", 20.0, horizon=500, settings=VALID)
    run, twin = game.run(1), replace(game, policy="gp-ucb").run(1)
    assert run.corruption_spent == pytest.approx(twin.corruption_spent)
    assert run.corruption_spent > 5
    assert np.array_equal(run.arms, twin.arms)
    assert run.recommended_gap > 0


def test_a_certificate_is_computed_from_all_plays_alike():
    policy = RobustConjugateUCB(X, SquaredExponential(0.4), plateau=1.0, lam=0.3)
    twin = GPUCB(X, SquaredExponential(0.4), lam=0.3)
    answers = [Feedback([arm], [1], [reward]) for arm, reward in ((3, 0.5), (3, 80.0), (9, -2.0), (9, 0.1))]
    state, plain = policy.init(), twin.init()
    for answer in answers:
        state, plain = policy.tell(state, answer), twin.tell(plain, answer)
    same_bits(policy.posterior(state), twin.posterior(plain))
    assert policy.view(state).mean[3] < 0.6 < twin.view(plain).mean[3]


@pytest.mark.parametrize("recentred", [None, 2.0])
def test_several_plays_at_once_and_rewards_of_any_size(recentred):
    policy = RobustConjugateUCB(X, SquaredExponential(0.4), plateau=2.0, recentred=recentred, lam=0.3)
    state = policy.tell(policy.init(), Feedback([2, 7], [5, 2], [0.5, -1.0]))
    assert state.t == 8
    one_by_one = policy.init()
    for arm, reward in [(2, 0.5)] * 5 + [(7, -1.0)] * 2:
        one_by_one = policy.tell(one_by_one, Feedback([arm], [1], [reward]))
    assert np.allclose(policy.view(state).mean, policy.view(one_by_one).mean, rtol=1e-12)
    before = policy.view(state)
    for lie in (1e9, -1e150, 1e300):
        after = policy.view(policy.tell(state, Feedback([2], [1], [lie])))
        assert np.allclose(after.mean, before.mean, atol=1e-6)
        assert np.isfinite(after.upper).all()


def test_bands_are_widened_for_the_lies_that_are_named():
    told = {"plateau": 2.0, "beta": LogDetBeta(2.0, 0.3), "lam": 0.3}
    widths = []
    for corruptions in (0, 1, 5):
        policy = RobustConjugateUCB(X, SquaredExponential(0.4), corruptions=corruptions, **told)
        view = policy.view(policy.tell(policy.init(), Feedback([4], [1], [0.5])))
        widths.append(view.upper - view.mean)
    n = 5 / 0.3
    beta = widths[0][0] / np.sqrt(np.diag(view.covariance))[0]
    C_w = np.hypot(2 * 2.0 + beta + 0.3, 1.0) / (2 * np.sqrt(0.3))
    assert np.allclose(widths[2] / widths[0], np.sqrt(1 + n * (1 + n)) * (1 + C_w * np.sqrt(5) / beta))
    assert (widths[0] < widths[1]).all()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"plateau": 0.0}, "the plateau must be"),
        ({"recentred": -1.0}, "the recentred plateau must be"),
        ({"softness": np.inf}, "the softness must be"),
        ({"centre": np.nan}, "the centre must be"),
        ({"lam": 1e-12}, "lam of at least"),
        ({"corruptions": -1}, "the number of corruptions"),
        ({"corruptions": 0.5}, "whole number"),
    ],
)
def test_bad_settings_are_refused(change, reason):
    with pytest.raises(UnswayedError, match=reason):
        RobustConjugateUCB(**{"domain": [[0.0], [1.0]], "kernel": SquaredExponential(), "plateau": 1.0, **change})
