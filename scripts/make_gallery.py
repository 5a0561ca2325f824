"""Draw docs/gallery/*.png: run the code of docs/gallery.md, where each picture stands above the lines that draw it.

python scripts/make_gallery.py [FOLDER]        # by default docs/gallery/
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from matplotlib.figure import Figure

from unswayed.plots.style import save

PAGE = Path(__file__).parent.parent / "docs" / "gallery.md"
PICTURE = re.compile(r"^!\[[^]]+\]\(gallery/([\w-]+\.png)\)\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pictures() -> Iterator[tuple[str, Figure]]:
    """Name and figure of every picture of the page, in order; later code may use earlier names."""
    names: dict[str, object] = {}
    for name, code in PICTURE.findall(PAGE.read_text(encoding="utf-8")):
        exec(compile(code, f"{PAGE.name}, {name}", "exec"), names)  # noqa: S102
        figure = names.pop("figure")
        assert isinstance(figure, Figure)
        yield name, figure


def main() -> None:
    """Draw them all."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE.parent / "gallery"
    folder.mkdir(exist_ok=True)
    for name, figure in pictures():
        save(figure, folder / name)
        print(folder / name)


if __name__ == "__main__":
    main()
