"""Sphinx configuration: `make docs` builds the site, and so does rosdoc2 (see ../rosdoc2.yaml)."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent  # rosdoc2 builds a copy of this folder
sys.path.insert(0, str(HERE))

from dynid_docs import ROOT  # noqa: E402  needs the path above

sys.path.insert(1, str(ROOT))

project = "dynid"
author = "The dynid maintainers"
copyright = author  # noqa: A001  Sphinx's name for it
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "myst_parser", "dynid_docs"]
# rosdoc2 copies the files of the root folder here
exclude_patterns = ["__*", "_*", "dynid_docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
source_suffix = {".md": "markdown", ".ipynb": "notebook"}  # not .rst, which rosdoc2 adds
nitpicky = True

# --- Markdown ---------------------------------------------------------------------------------
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_url_schemes = {"http": None, "https": None, "mailto": None, "repo": None}
# a sentence with another one nested deeper is meant; a block of numbers is no lexer's language
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

# --- Python -----------------------------------------------------------------------------------
if find_spec("dynid") is None or find_spec("dynid._core") is None:
    exclude_patterns += ["api/python.md"]
    print("dynid is not compiled here: the site is built without its Python reference.")  # noqa: T201
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
# of lists in files, which pydantic checks; a reader sees what they hold
autodoc_type_aliases = {
    "Counts": "tuple[int, ...]",
    "Doubles": "tuple[float, ...]",
    "Texts": "tuple[str, ...]",
}
autodoc_class_signature = "separated"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_attr_annotations = False
python_use_unqualified_type_names = True
nitpick_ignore_regex = [
    # other packages are not looked up, because that needs the network
    ("py:.*", r"(numpy|np|pandas|pathlib|pyarrow|pydantic|collections|datetime|types|typing)\..*"),
    ("py:.*", r"(.*\.)?(Array|ArrayLike|NDArray|DataFrame|Field|FileName|MotionFilter)"),
    # of signatures that are not evaluated: aliases, and settings that a page has in words
    ("py:.*", r"(Robot|Recording|Recordings|Model)Like|Progress|Share|Path|ColumnMap"),
    ("py:.*", r"IdentificationKeywords|.*\.Forgetting"),
    ("py:.*", r"(.*\.)?(PerJoint\w*|(Positive|NonNegative)Float|PayloadRow|TaskT|Vector)"),
    ("py:.*", r"dynid\._core\..*|\w+\[.*"),
    # internal classes in signatures of public ones
    ("py:.*", r"(.*\.)?(EffortName|ExportedModel|FreeMotion|JointTrials|Motion|TriedTerms)"),
    ("py:.*", r"(.*\.)?(Persistence|Terms)"),
    ("cpp:.*", r"(Eigen|std).*"),
    # of dynid/declared_settings.hpp, which is generated while dynid is built
    ("cpp:.*", r"FeedforwardMode|CollisionReaction"),
    # internal, of a parameter that only TorqueLaw gives
    ("cpp:.*", "DriveInertia"),
]

# --- HTML -------------------------------------------------------------------------------------
html_theme = "furo"
html_title = "dynid"
html_math_renderer = "svg"
if find_spec("ziamath") is None:  # as on the build farm of ROS
    extensions.append("sphinx.ext.mathjax")
    html_math_renderer = "mathjax"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"sidebar_hide_name": False}
linkcheck_timeout = 20
linkcheck_ignore = ["repo:.*"]  # checked by dynid_docs.check_links

rosdoc2_settings = {
    "allow_other_extensions": True,
    "enable_breathe": False,
    "enable_exhale": False,
    "override_theme": False,
}
