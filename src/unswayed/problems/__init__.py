"""What is to be optimised: the truth. Policies cannot import it."""

from unswayed.problems.boxes import BoxProblem as BoxProblem
from unswayed.problems.boxes import ackley5 as ackley5
from unswayed.problems.boxes import branin as branin
from unswayed.problems.boxes import hartmann6 as hartmann6
from unswayed.problems.linear import linear as linear
from unswayed.problems.linear import three_arms as three_arms
from unswayed.problems.problem import Problem as Problem
from unswayed.problems.robot_pushing import robot3d as robot3d
from unswayed.problems.synthetic import f1 as f1
from unswayed.problems.tabular import read_table as read_table
from unswayed.problems.tabular import table as table
