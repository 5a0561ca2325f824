"""What can be optimised over: boxes of parameters, finite sets of options, and duels between options."""

from unswayed.spaces.box import Box
from unswayed.spaces.duels import Duels
from unswayed.spaces.intervals import Integer
from unswayed.spaces.reals import Real
from unswayed.spaces.options import Options
from unswayed.spaces.parameters import Categorical
from unswayed.spaces.space import Point, Space, read_space, space_from_record, space_from_tables

__all__ = [
    "Box",
    "Categorical",
    "Duels",
    "Integer",
    "Options",
    "Point",
    "Real",
    "Space",
    "read_space",
    "space_from_record",
    "space_from_tables",
]
