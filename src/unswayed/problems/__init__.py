"""What is to be optimised: the truth. Policies cannot import it."""

from unswayed.problems.boxes import BoxProblem, ackley5, branin, hartmann6
from unswayed.problems.linear import linear, three_arms
from unswayed.problems.problem import Problem
from unswayed.problems.robot_pushing import robot3d
from unswayed.problems.synthetic import f1
from unswayed.problems.tabular import read_table, table

__all__ = [
    "BoxProblem",
    "Problem",
    "ackley5",
    "branin",
    "f1",
    "hartmann6",
    "linear",
    "read_table",
    "robot3d",
    "table",
    "three_arms",
]
