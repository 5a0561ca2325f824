"""Write the default draw of Robot3D to the package, for machines without Box2D."""

from pathlib import Path

import holdfast.problems.robot_pushing as robot

rows = ["r_x,r_y,duration,reward"]
for x in robot.random_pushes(robot.DEFAULT_DRAW):
    rows.append(",".join(repr(float(v)) for v in (*x, robot.reward(*x))))
path = Path(robot.__file__).with_name("robot3d.csv")
path.write_text("\n".join(rows) + "\n", encoding="ascii")
print(f"wrote {path}")
