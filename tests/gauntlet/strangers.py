"""Optimisers that a stranger might bring: good, partial and broken ones."""

import os

import numpy as np


class Uniform:
    """The points of `random`, without a word about sources."""

    def __init__(self, space, plays, seed):
        rng = np.random.default_rng([seed, 1])
        rows = rng.random((plays, space.columns))
        self.points, self.told = iter(space.decode(rows)), []

    def ask(self):
        return next(self.points)

    def tell(self, point, value):
        self.told.append((value, point))

    def recommend(self):
        return max(self.told, key=lambda one: one[0])[1]


class Sourced(Uniform):
    """Wants to know who measures and what is feared, and claims something."""

    def __init__(self, space, plays, seed, threat, **rest):
        super().__init__(space, plays, seed)
        self.threat, self.rest, self.sources = threat, rest, []

    def ask(self, source):
        self.sources.append(source)
        return super().ask()

    def tell(self, point, value, **about):
        assert about["source"] == self.sources[-1]
        super().tell(point, value)

    def claim(self):
        return -1e3, 1e3


class Failing(Uniform):
    def tell(self, point, value):
        raise ZeroDivisionError("a mistake\nof the stranger")


class Crashing(Uniform):
    def tell(self, point, value):
        os._exit(7)


class Leaving(Uniform):
    def tell(self, point, value):
        raise SystemExit(0)


class Reusing(Uniform):
    """Gives the same dict again and again, with other contents."""

    def __init__(self, space, plays, seed):
        super().__init__(space, plays, seed)
        self.point = {}

    def ask(self):
        self.point.update(super().ask())
        return self.point

    def tell(self, point, value):
        super().tell(dict(point), value)


class Claiming(Uniform):
    """Claims its ends in the wrong order."""

    def claim(self):
        return 1.0, -1.0


class Loud(Uniform):
    def ask(self):
        print("thinking")
        return super().ask()


class Outside(Uniform):
    def ask(self):
        return dict.fromkeys(super().ask(), 7.0)


class Peeking(Uniform):
    """Its recommendation takes one of the points that were still to come."""

    def __init__(self, space, plays, seed):
        super().__init__(space, 3 * plays, seed)

    def recommend(self):
        next(self.points)
        return super().recommend()


class Unseeded(Uniform):
    def __init__(self, space, plays):
        super().__init__(space, plays, int.from_bytes(os.urandom(4)))


class Lazy(Uniform):
    def __init__(self, space, seed):
        super().__init__(space, 4, seed)


class Fragile(Uniform):
    def tell(self, point, value):
        if abs(value) > 1e3:
            raise OverflowError("too large")
        super().tell(point, value)


def with_bounds(bounds):
    return bounds


def silent(space):
    return object()
