"""What can be optimised over: boxes of parameters and finite sets of options."""

from unswayed.spaces.space import Box, Categorical, Integer, Options, Point, Real, Space, read_space, space_from_record

__all__ = ["Box", "Categorical", "Integer", "Options", "Point", "Real", "Space", "read_space", "space_from_record"]
