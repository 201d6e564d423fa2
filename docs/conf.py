"""Sphinx's configuration of the site: `make site`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

project = "devlint"
extensions = ["myst_parser", "tests.site.extension"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "devlint"
html_static_path = ["static"]
html_favicon = "static/icon.svg"
html_css_files = ["pictures.css"]
pygments_dark_style = "github-dark"
html_copy_source = False
html_use_index = False
html_show_copyright = False
# A dash is a part of an option.
smartquotes = False
