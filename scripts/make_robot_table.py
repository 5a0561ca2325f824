"""Write the default draw of Robot3D into the package, for machines without Box2D."""

from pathlib import Path

import unswayed.problems.robot_pushing as robot

rows = [
    ",".join(repr(float(number)) for number in (*x, robot.reward(*x))) for x in robot.random_pushes(robot.DEFAULT_DRAW)
]
path = Path(robot.__file__).with_name("robot3d.csv")
path.write_text("\n".join(["r_x,r_y,duration,reward", *rows, ""]), encoding="ascii")
print(f"wrote {path}")
