"""Where the mesh files of a URDF are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from dynid.errors import ConfigurationError
from dynid.input_file import is_file
from dynid.xml_tree import xml_tree

if TYPE_CHECKING:
    from dynid.packages import Packages


def mesh_folder(urdf_xml: str, beside: Path, packages: Packages) -> Path | None:
    """Return the folder for ``workspace.mesh_folder``, in which most meshes are found.

    Args:
        urdf_xml: the URDF's text.
        beside: file that the URDF came from; relative names start in its folder.
        packages: where ``package://`` is searched.

    Returns:
        The folder, or None where no mesh is found, or all are at absolute paths.
    """
    root = xml_tree(urdf_xml, "The URDF", ConfigurationError)
    names = {mesh.get("filename", "") for mesh in root.iter("mesh")}
    folders: Counter[Path] = Counter()
    by_package: dict[str, Path | None] = {}
    for name in sorted(names):
        scheme, separator, inner = name.partition("://")
        if scheme == "package" and separator:
            package = inner.partition("/")[0]
            if package not in by_package:
                by_package[package] = packages.find(package)
            folder = by_package[package]
            if folder is not None:
                # the folder of the package, or the one around it if it is called like it
                folders[folder.parent if folder.name == package else folder] += 1
        elif not separator and not Path(name).is_absolute() and is_file(beside.parent / name):
            folders[beside.parent] += 1
    return folders.most_common(1)[0][0].absolute() if folders else None
