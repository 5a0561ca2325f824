"""Robot3D: push an object across a plane to a goal (Wang and Jegelka 2017; Section 4.2.2 of the paper).

A disc lies at the origin. A robot hand starts at (r_x, r_y), faces the origin and drives towards it for a while;
friction stops both. The reward is 5 - |object - goal|. Box2D computes the physics, which is deterministic.
"""

from __future__ import annotations

from importlib import resources
from math import atan, copysign, hypot, pi

import numpy as np

from unswayed.core.gp.kernels import SquaredExponential
from unswayed.errors import InvalidInput, UnswayedError
from unswayed.problems.problem import Problem
from unswayed.types import FloatArray, whole

GOAL = (3.0, 2.0)
DEFAULT_DRAW = 0
STEP = 0.01  # seconds of one step of the simulation
ITERATIONS = 10  # of the solver, in each step
GAIN = 30.0  # force of the drive, for each unit of mass and of missing speed
SPEED = 5.0  # of the hand while it drives


def push(r_x: float, r_y: float, duration: float) -> tuple[float, float]:
    """Where the object comes to rest when the hand starts at (r_x, r_y) and drives for `duration`.

    Args:
        r_x: First coordinate of the start of the hand.
        r_y: Second coordinate.
        duration: How long the hand drives.

    Raises:
        InvalidInput: The start is the origin, a number is not finite, or Box2D is not installed.
    """
    distance = hypot(r_x, r_y)
    if not (np.isfinite([r_x, r_y, duration]).all() and distance > 0 and duration >= 0):
        raise InvalidInput("a push needs a finite start other than the origin, and a duration of at least 0")
    try:
        import Box2D as b2  # noqa: N813
    except ImportError:
        raise InvalidInput("the robot needs Box2D: pip install 'unswayed[robot]'") from None

    world = b2.b2World(gravity=(0, 0), doSleep=True)
    base = world.CreateStaticBody(position=(0, 0))
    disc = b2.b2FixtureDef(shape=b2.b2CircleShape(radius=1), density=0.05, friction=0.01, restitution=0)
    body = world.CreateDynamicBody(position=(0, 0), fixtures=disc)
    ground = {"bodyA": base, "localAnchorA": (0, 0), "localAnchorB": (0, 0), "maxTorque": 2}
    world.CreateFrictionJoint(bodyB=body, maxForce=5, **ground)
    box = b2.b2FixtureDef(shape=b2.b2PolygonShape(box=(0.3, 1)), density=0.1, friction=0.1, restitution=0)
    angle = atan(r_y / r_x) if r_x != 0 else copysign(pi / 2, r_y)
    hand = world.CreateDynamicBody(position=(r_x, r_y), angle=angle, fixtures=box)
    world.CreateFrictionJoint(bodyB=hand, maxForce=2, **ground)

    wanted = b2.b2Vec2(-SPEED * r_x / distance, -SPEED * r_y / distance)
    driven = int(10 * duration)
    for step in range(driven + 100):
        if step < driven:
            hand.ApplyTorque(-hand.mass * hand.angularVelocity * GAIN, wake=True)
            hand.ApplyForce(hand.mass * GAIN * (wanted - hand.linearVelocity), hand.worldCenter, wake=True)
        world.Step(STEP, ITERATIONS, ITERATIONS)
    return float(body.position[0]), float(body.position[1])


def reward(r_x: float, r_y: float, duration: float) -> float:
    """5 minus the distance from the pushed object to the goal. The arguments are those of `push`."""
    x, y = push(r_x, r_y, duration)
    return 5 - hypot(x - GOAL[0], y - GOAL[1])


def robot3d(draw: int = DEFAULT_DRAW) -> Problem:
    """100 random pushes.

    Args:
        draw: Seed of the pushes. Without Box2D only the default draw is available, from a table in the package.
    """
    domain = random_pushes(whole(draw, "the draw", least=0))
    try:
        f = np.array([reward(*push) for push in domain])
    except UnswayedError:
        if draw != DEFAULT_DRAW:
            raise
        stored = resources.files("unswayed.problems").joinpath("robot3d.csv").read_text(encoding="ascii")
        f = np.array([float(row.split(",")[-1]) for row in stored.splitlines()[1:]])
    kernel = SquaredExponential(lengthscale=2.0)
    target = domain[:, 0] >= 0
    strengths = {"h_max": 3.0, "beta_phased": 6.0, "beta_scale": 2.0}
    return Problem("robot3d", domain, f, noise_std=0.02, kernel=kernel, target=target, **strengths, draw=draw)


def random_pushes(draw: int) -> FloatArray:
    """100 uniform points (r_x, r_y, duration) of [-5, 5]^2 x [1, 30]."""
    rng = np.random.default_rng(draw)
    return np.column_stack([rng.uniform(-5, 5, (100, 2)), rng.uniform(1, 30, 100)])
