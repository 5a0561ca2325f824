"""The settings of the site. `make docs` builds it from the pages of this folder, the docstrings and the README."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from pygments.lexers.special import TextLexer

sys.path.insert(0, str(Path(__file__).parent))

from made_pages import make_page

from unswayed import __version__

project, author, release = "Unswayed", "The Unswayed developers", __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 3
highlight_language = "text"
nitpick_ignore_regex = [("py:.*", ".*")]  # the types in signatures: many are of other packages, or internal

default_role = "code"  # docstrings write `name`
autodoc_default_options = {"members": True, "inherited-members": "BaseException,BaseSampler,str"}
autodoc_member_order = "bysource"
autodoc_type_aliases = {
    name: name for name in ("AnyArray", "ArrayLike", "BoolArray", "FloatArray", "IntArray", "Point")
}
autodoc_typehints_format = "short"
maximum_signature_line_length = 90
napoleon_attr_annotations = False
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = "Unswayed"
html_static_path, html_css_files = ["_static"], ["site.css"]
html_copy_source = html_show_copyright = False
html_show_search_summary = False  # excerpts are fetched, which browsers refuse to pages that were opened from a file


def tidy_signature(_app, what, _name, _thing, _options, signature, returns):
    """Show a class that nobody calls, written `.. autoclass:: Name()`, without parameters; and aliases by name."""
    if what == "class" and signature == "()":
        return "", ""
    return signature and (re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", signature), returns)


def setup(app):
    """Connect what is made when the site is built."""
    app.add_lexer("csv", TextLexer)
    app.connect("source-read", make_page)
    app.connect("autodoc-process-signature", tidy_signature)
