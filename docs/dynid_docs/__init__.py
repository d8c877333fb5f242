"""Sphinx extension of this site: links into the repository, notebooks, formulas, C++ headers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def _root() -> Path:
    """Return the folder of package.xml: above this one, or where rosdoc2 found the package."""
    above = Path(__file__).resolve().parents[2]
    for folder in (above, *map(Path, sys.path)):
        if (folder / "package.xml").is_file() and (folder / "dynid").is_dir():
            return folder.resolve()
    return above


ROOT = _root()


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect everything to Sphinx."""
    from dynid_docs import cpp_headers, formulas, notebooks, python_names, repository  # noqa: PLC0415

    for module in (cpp_headers, formulas, notebooks, python_names, repository):
        module.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
