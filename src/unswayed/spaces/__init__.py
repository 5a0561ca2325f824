"""What can be optimised over: boxes of parameters and finite sets of options."""

from unswayed.spaces.box import Box
from unswayed.spaces.intervals import Integer
from unswayed.spaces.reals import Real
from unswayed.spaces.options import Options
from unswayed.spaces.parameters import Categorical
from unswayed.spaces.space import Point, Space, read_space, space_from_record, space_from_tables

__all__ = [
    "Box",
    "Categorical",
    "Integer",
    "Options",
    "Point",
    "Real",
    "Space",
    "read_space",
    "space_from_record",
    "space_from_tables",
]
