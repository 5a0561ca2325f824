"""The command line as its users and scripts see it."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from unswayed.experiments.registry import ATTACKS, POLICIES

CONTRACT = {
    "problem", "draw", "policy", "attack", "attack_start", "budget", "attack_budget", "horizon", "seed",
    "trials",
}  # fmt: skip
TRIAL = {
    "seed", "regret", "final_regret_rate", "corruption_spent", "active_arms", "best_arm_kept", "epochs",
    "lies_spent", "switches", "recommended_arm", "recommended_gap",
}  # fmt: skip


def simulate(unswayed, *arguments):
    code, out, err = unswayed("simulate", *arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def test_the_contract_for_a_phased_policy(unswayed):
    answer = simulate(
        unswayed, "--problem", "f1", "--policy", "rgp-pe", "--attack", "top-3", "--budget", 50,
        "--horizon", 5000, "--trials", 3, "--seed", 7, "--attack-start", "later",
    )  # fmt: skip
    assert set(answer) >= CONTRACT
    assert {k: answer[k] for k in ("problem", "draw", "attack_start", "budget", "attack_budget", "seed")} == {
        "problem": "f1", "draw": 10, "attack_start": "later", "budget": 50, "attack_budget": 50, "seed": 7,
    }  # fmt: skip
    assert [t["seed"] for t in answer["trials"]] == [7, 8, 9]
    for trial in answer["trials"]:
        assert set(trial) == TRIAL
        assert isinstance(trial["best_arm_kept"], bool)
        assert trial["epochs"] == 6
        assert 1 <= trial["active_arms"] <= 100


def test_the_contract_for_an_index_policy(unswayed):
    answer = simulate(unswayed, "--policy", "gp-ucb", "--attack", "flip", "--attack-budget", 3, "--horizon", 700)
    (trial,) = answer["trials"]
    assert (trial["active_arms"], trial["best_arm_kept"], trial["epochs"]) == (None, None, None)
    assert trial["corruption_spent"] == pytest.approx(3)
    assert (answer["budget"], answer["attack_budget"]) == (50, 3)


def test_curves(unswayed):
    answer = simulate(unswayed, "--policy", "gp-ucb", "--horizon", 700, "--curves")
    (trial,) = answer["trials"]
    assert len(trial["curve"]) == 501
    assert trial["curve"][0] == 0
    assert trial["curve"][-1] == pytest.approx(trial["regret"])


@pytest.mark.parametrize("problem", ["robot3d", "linear"])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("attack", ATTACKS)
def test_every_combination_runs(unswayed, problem, policy, attack):
    plays = 60 if attack == "strongest" or policy == "vigilant-ucb" else 300  # these have no compiled loop
    arguments = ("--problem", problem, "--policy", policy, "--attack", attack, "--horizon", plays, "--draw", 0)
    if POLICIES[policy].trims:
        if attack == "strongest":
            return  # it spends infinity at once, which is not a number of lies
        arguments = (*arguments, "--lies", 3)
    answer = simulate(unswayed, *arguments)
    assert answer["draw"] == 0
    if POLICIES[policy].trims:
        assert answer["trials"][0]["lies_spent"] <= 3
    else:
        assert answer["trials"][0]["corruption_spent"] <= 50 + 1e-9


def test_settings_are_written_beside_the_results(unswayed):
    answer = simulate(unswayed, "--kernel", "matern-2.5", "--lengthscale", 0.7, "--noise", 0.5, "--horizon", 100)
    assert answer["settings"]["kernel"] == "Matern(nu=2.5, lengthscale=0.7)"
    assert answer["settings"]["noise_std"] == 0.5
    theorem = simulate(unswayed, "--psi", "theorem", "--horizon", 100)["settings"]
    assert theorem["gamma_T_is"] in ("convex relaxation", "greedy/(1 - 1/e)")
    assert theorem["psi"] == pytest.approx(np.log(2) / (2 * theorem["gamma_T"]))
    gain = simulate(unswayed, "--width", "gain", "--horizon", 100)["settings"]
    assert (gain["gamma_T"], gain["psi"]) == (theorem["gamma_T"], 0.5)


def test_strange_names_are_shown_as_they_are(unswayed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("[bold]x.csv", "x$_{a$ y.csv", "größe 1.csv"):
        (tmp_path / name).write_text("0,1\n1,2\n2,0\n")
        code, out, _ = unswayed("simulate", "--problem", name, "--horizon", 50, "--plot", "p.png")
        assert code == 0
        assert name in out


def test_an_unknown_budget_is_guarded_against(unswayed):
    answer = simulate(unswayed, "--budget", "unknown", "--attack-budget", 3, "--attack", "flip", "--horizon", 2000)
    assert (answer["budget"], answer["attack_budget"]) == ("unknown", 3)
    gamma = 2000 / answer["settings"]["guard"] ** 2
    assert 50 < gamma < 500
    code, out, _ = unswayed(
        "simulate", "--policy", "influence-pe", "--budget", "unknown", "--attack-budget", 3, "--horizon", 500
    )
    assert code == 0
    assert "beyond it nothing is promised" in " ".join(out.split())


def test_draws_differ(unswayed):
    regrets = [simulate(unswayed, "--draw", draw, "--horizon", 500)["trials"][0]["regret"] for draw in (10, 10, 11)]
    assert regrets[0] == regrets[1] != regrets[2]


@pytest.mark.parametrize(
    ("option", "value"),
    [("--beta", 9), ("--b", 1), ("--lam", 0.1), ("--eta", 5), ("--psi", 0.1), ("--psi", "theorem"), ("--noise", 2)],
)
def test_every_setting_matters(unswayed, option, value):
    base = simulate(unswayed, "--horizon", 20_000)["trials"][0]["regret"]
    changed = simulate(unswayed, "--horizon", 20_000, option, value)
    assert changed["trials"][0]["regret"] != base


def test_alpha_reaches_linear_pe(unswayed):
    base = ("--problem", "linear", "--policy", "linear-pe", "--budget", 1, "--horizon", 20_000)
    regrets = [simulate(unswayed, *base, *more)["trials"][0]["regret"] for more in ((), ("--alpha", 0.2))]
    assert regrets[0] != regrets[1]


@pytest.mark.parametrize(
    "options",
    [
        ("--width", "theory", "--norm", 20),
        ("--width", "theory", "--delta", 1e-9),
        ("--kernel", "matern-2.5"),
        ("--lengthscale", 3),
    ],
)
def test_theory_widths_and_kernels(unswayed, options):
    for policy in ("gp-ucb", "rgp-ucb"):
        plain = simulate(unswayed, "--policy", policy, "--horizon", 2000, *options[:2])
        changed = simulate(unswayed, "--policy", policy, "--horizon", 2000, *options)
        default = simulate(unswayed, "--policy", policy, "--horizon", 2000)
        assert changed["trials"][0]["regret"] != default["trials"][0]["regret"]
        if len(options) == 4:
            assert changed["trials"][0]["regret"] != plain["trials"][0]["regret"]


def test_a_table_from_a_file(unswayed, tmp_path):
    path = tmp_path / "values.csv"
    x = np.linspace(0, 1, 30)
    path.write_text("x,value\n" + "\n".join(f"{a},{np.sin(6 * a)}" for a in x))
    answer = simulate(unswayed, "--problem", path, "--policy", "gp-ucb", "--horizon", 3000)
    assert answer["draw"] is None
    assert answer["trials"][0]["recommended_gap"] < 0.05


def test_the_readable_table(unswayed):
    code, out, _ = unswayed("simulate", "--policy", "gp-ucb", "--attack", "top-5", "--trials", 2, "--horizon", 3000)
    assert code == 0
    for word in ("gp-ucb on f1", "regret", "switches", "linear regret", "over 2 trials"):
        assert word in out


def test_a_plot(unswayed, tmp_path):
    for suffix in ("png", "pdf", "svg"):
        path = tmp_path / f"regret.{suffix}"
        code, _, err = unswayed("simulate", "--horizon", 500, "--plot", path)
        assert code == 0, err
        assert path.stat().st_size > 5000
    assert len(list(tmp_path.iterdir())) == 3  # nothing temporary is left


def test_the_demo(unswayed, tmp_path):
    code, out, _ = unswayed("demo", "--plot", tmp_path / "demo.png")
    assert code == 0
    assert "linear regret" in out
    assert out.count("settled") == 5
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")


BAD = [
    (("--budget", -1), "budget"),
    (("--budget", "nan"), "budget"),
    (("--budget", "inf"), "budget"),
    (("--budget", "much"), "the budget must be a number"),
    (("--budget", "unknown"), "--attack-budget"),
    (("--horizon", 10**19), "horizon"),
    (("--problem", "linear", "--lengthscale", 2), "no length-scale"),
    (("--attack-budget", -2), "budget"),
    (("--attack-budget", "nan"), "budget"),
    (("--horizon", 0), "horizon"),
    (("--horizon", -3), "horizon"),
    (("--horizon", "1e3"), "--horizon"),
    (("--trials", 0), "trials"),
    (("--seed", -1), "seed"),
    (("--draw", -1), "draw"),
    (("--eta", 1), "eta"),
    (("--eta", "nan"), "eta"),
    (("--lam", 0), "lam"),
    (("--lam", "-1"), "lam"),
    (("--psi", 1.5), "psi"),
    (("--psi", "-0.1"), "psi"),
    (("--psi", "nan"), "psi"),
    (("--psi", "golden"), "psi"),
    (("--b", "-1"), "b must"),
    (("--beta", "nan"), "beta"),
    (("--delta", 0), "delta"),
    (("--delta", 1), "delta"),
    (("--norm", 0), "norm"),
    (("--alpha", 0), "alpha"),
    (("--alpha", 1), "alpha"),
    (("--noise", "-1"), "noise"),
    (("--lengthscale", 0), "lengthscale"),
    (("--kernel", "cosine"), "unknown kernel 'cosine'"),
    (("--kernel", "matern-x"), "matern"),
    (("--policy", "best"), "unknown policy 'best': choose one of rgp-pe, gp-ucb, rgp-ucb, linear-pe, influence-ucb"),
    (("--attack", "nuke"), "unknown attack 'nuke'"),
    (("--attack-start", "never"), "unknown attack start"),
    (("--problem", "f2"), "unknown problem 'f2'"),
    (("--problem", "absent.csv"), "cannot read absent.csv"),
    (("--width", "wide"), "unknown width"),
    (("--width", "gain", "--lam", 0.5), "lam < 1"),
    (("--policy", "rcgp-ucb", "--plateau", 0), "plateau must be finite and positive"),
    (("--policy", "rcgp-ucb", "--width", "gain"), "rgp-pe"),
    (("--curves",), "--json"),
    (("--plot", "picture.docx"), ".png"),
    (("--plot", "no/such/folder/picture.png"), "cannot write"),
    (("--nonsense", 3), "nonsense"),
    (("--policy", "linear-pe", "--error", "matern"), "Matern"),
    (("--liars", 2), "--sources and --liars go together"),
    (("--sources", 2), "--sources and --liars go together"),
    (("--sources", 2, "--liars", 3), "at most 2"),
    (("--lies", 5, "--horizon", 3), "at most 3"),
    (("--lies", -1), "at least 0"),
    (("--lies", 5, "--low", 2, "--high", 1), "below the highest"),
    (("--lies", 5, "--low", 50), "below the highest"),
    (("--lies", 5, "--budget", 3), "in place of a budget"),
    (("--lies", 5, "--attack-budget", 3), "in place of a budget"),
    (("--lies", 5, "--sources", 4, "--liars", 1), "only trimmed-pe"),
    (("--sources", 4, "--liars", 1, "--attack-budget", 3), "liars have no --attack-budget"),
    (("--no-clip",), "--no-clip needs --lies"),
    (("--policy", "trimmed-pe"), "trimmed-pe needs --lies"),
    (("--policy", "trimmed-pe", "--budget", 3), "trimmed-pe has no budget"),
    (("--lies", 5, "--attack", "strongest", "--policy", "gp-ucb"), "finite numbers where lies"),
]


@pytest.mark.parametrize(
    ("arguments", "reason"), BAD, ids=lambda a: " ".join(map(str, a)) if isinstance(a, tuple) else ""
)
def test_bad_input_is_one_clear_line_and_code_2(unswayed, arguments, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = unswayed("simulate", *arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("unswayed: ")
    assert err.count("\n") == 1
    assert reason in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("x,v\n0,1\n1,nan\n", "'nan' is not a finite number"),
        ("x,v\n0,1\n0,2\n", "distinct"),
        ("x,v\n", "no rows"),
        ("x,v\n" + "\n".join(f"{i},{i % 7}" for i in range(120_000)), "120,000 points need"),
    ],
    ids=["nan", "duplicates", "empty", "huge"],
)
def test_bad_tables_are_one_clear_line_and_code_2(unswayed, content, reason, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(content)
    code, out, err = unswayed("simulate", "--problem", path, "--horizon", 10)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert reason in err


def test_counted_lies(unswayed):
    arguments = ("--attack", "spikes-promote", "--lies", 4, "--horizon", 3000, "--trials", 2)
    clipped = simulate(unswayed, *arguments, "--policy", "influence-ucb", "--low", -3, "--high", 4)
    low, high = clipped["settings"]["clipped_to"]
    r = 0.02 * np.sqrt(2 * np.log(2 * 3000 / 0.025))  # half of delta
    assert (low, high) == (pytest.approx(-3 - r), pytest.approx(4 + r))
    assert clipped["budget"] == pytest.approx(4 * (high - low))
    assert (clipped["lies"], clipped["attack_budget"], clipped["clip"]) == (4, None, True)
    assert [trial["lies_spent"] for trial in clipped["trials"]] == [4, 4]
    open_ended = simulate(unswayed, *arguments, "--policy", "influence-ucb", "--low", -3, "--high", 4, "--no-clip")
    assert open_ended["budget"] == clipped["budget"]
    assert "clipped_to" not in open_ended["settings"]
    assert open_ended["trials"][0]["recommended_gap"] > 0 == clipped["trials"][0]["recommended_gap"]
    trimmed = simulate(unswayed, *arguments, "--policy", "trimmed-pe")
    assert trimmed["budget"] is None
    assert trimmed["trials"][0]["recommended_gap"] == 0
    assert simulate(unswayed, "--horizon", 100)["trials"][0]["lies_spent"] is None


@pytest.mark.parametrize("policy", ["rcgp-ucb", "a2-rcgp-ucb"])
def test_rcgp_ucb_sees_the_lies_as_they_are(unswayed, policy):
    arguments = ("--policy", policy, "--attack", "spikes-promote", "--lies", 4, "--horizon", 400, "--lam", 0.0004)
    weighed = simulate(unswayed, *arguments)
    assert "clipped_to" not in weighed["settings"]
    assert weighed["trials"][0]["lies_spent"] == 4
    assert weighed["settings"]["plateau"] is None
    fooled = simulate(unswayed, *arguments, "--plateau", 1e7)
    assert fooled["settings"]["plateau"] == 1e7
    assert fooled["trials"][0]["recommended_gap"] > weighed["trials"][0]["recommended_gap"]
    _, out, _ = unswayed("simulate", *arguments)
    assert f"Rewards are not clipped; {policy} weighs them by itself." in out


def test_lying_sources(unswayed):
    arguments = ("--attack", "liar", "--sources", 8, "--horizon", 20_000)
    outvoted = simulate(unswayed, *arguments, "--liars", 2, "--policy", "trimmed-pe")
    assert (outvoted["sources"], outvoted["liars"]) == (8, 2)
    assert outvoted["trials"][0]["recommended_gap"] == 0
    fooled = simulate(unswayed, *arguments, "--liars", 2, "--policy", "gp-ucb", "--budget", 30)
    assert fooled["budget"] == 30
    assert fooled["trials"][0]["recommended_gap"] > 0
    _, out, _ = unswayed("simulate", *arguments, "--liars", 4, "--policy", "trimmed-pe")
    assert "4 of 8 sources lie" in out
    assert "all are kept" in out
    _, out, _ = unswayed("simulate", "--lies", 2, "--policy", "gp-ucb", "--horizon", 100)
    assert "Rewards are clipped to" in out


def test_help_teaches(unswayed):
    code, out, _ = unswayed("simulate", "--help")
    assert code == 0
    for word in ("--attack-start", "rgp-pe", "clipping", "theorem", "FILE"):
        assert word in out
    assert unswayed("--help")[0] == 0
    assert unswayed("--version")[1].startswith("unswayed 0.")


def test_a_terminal_without_unicode():
    done = subprocess.run(
        [sys.executable, "-c", "from unswayed.cli import main; main()", "simulate", "--horizon", "50", "--trials", "2"],
        capture_output=True, text=True, env={"PYTHONIOENCODING": "ascii", "PATH": ""}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "over 2 trials" in done.stdout


def test_as_a_real_process_it_can_be_interrupted():
    import signal
    import time

    program = "import sys; from unswayed.cli import main; print('ready', file=sys.stderr, flush=True); main()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "simulate", "--policy", "rgp-ucb", "--horizon", "200000000"],
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr.readline() == "ready\n"  # imports may take long on a busy machine
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out == ""
    assert err.strip().splitlines()[-1] == "unswayed: interrupted"


@pytest.mark.parametrize(("words", "found"), [("stu", "study"), ("study re", "retract"), ("audit --lo", "--low")])
def test_the_shell_completes_commands_and_options(words, found):
    asked = {
        "_UNSWAYED_COMPLETE": "complete_bash",
        "COMP_WORDS": f"unswayed {words}",
        "COMP_CWORD": str(len(words.split())),
    }
    code = "import sys; sys.argv = ['unswayed']; from unswayed.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True)
    assert found in done.stdout.split()
