"""What is to be optimised: the truth, which no policy can reach."""

from holdfast.problems.linear import linear, three_arms
from holdfast.problems.problem import Problem
from holdfast.problems.robot_pushing import robot3d
from holdfast.problems.synthetic import f1
from holdfast.problems.tabular import read_table, table

__all__ = ["Problem", "f1", "linear", "read_table", "robot3d", "table", "three_arms"]
