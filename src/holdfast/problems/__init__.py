"""What is to be optimised: the truth, which no policy can reach."""

from holdfast.problems.boxes import BoxProblem, ackley5, branin, hartmann6
from holdfast.problems.linear import linear, three_arms
from holdfast.problems.problem import Problem
from holdfast.problems.robot_pushing import robot3d
from holdfast.problems.synthetic import f1
from holdfast.problems.tabular import read_table, table

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
