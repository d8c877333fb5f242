"""MJCF as MuJoCo's own compiler reads it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dynid.errors import ConfigurationError
from dynid.input_file import is_file, read_text
from dynid.plugins import naming_extra
from dynid.text import first_few, listed, printable
from dynid.xml_tree import xml_tree

_SHOWN = 3  # files in one sentence


def mujoco_library() -> Any:
    """Return the package ``mujoco``, an extra.

    Raises:
        ConfigurationError: it is not installed.
    """
    with naming_extra("an MJCF", "dynid[mujoco]"):
        import mujoco  # noqa: PLC0415  an extra
    return mujoco


@contextmanager
def collected_warnings(mujoco: Any) -> Iterator[list[str]]:
    """Yield a list of MuJoCo's warnings, which it would write to a file in the current folder."""
    before, messages = mujoco.get_mju_user_warning(), list[str]()
    mujoco.set_mju_user_warning(messages.append)
    try:
        yield messages
    finally:
        mujoco.set_mju_user_warning(before)


def compiled_mjcf(text: str, where: Path) -> Any:
    """Return the mjModel of an MJCF, with included files, defaults and inertias of shapes.

    Args:
        text: of the file.
        where: the file, in whose folder meshes and included files are.

    Raises:
        ConfigurationError: MuJoCo is not installed, or cannot compile the text, or a body's mass
            is that of a missing mesh.
    """
    mujoco = mujoco_library()
    spec = _parsed(text, where)
    spec.modelfiledir = str(where.parent.resolve())
    with collected_warnings(mujoco) as messages:
        try:
            model = spec.compile()
        except ValueError as error:
            absent = without_missing_files(spec, where, mujoco)
            if not absent:
                raise _not_compiled(where, error) from None
            try:
                model = spec.compile()
            except ValueError as remaining:
                raise _not_compiled(where, remaining) from None
            warnings.warn(absent, stacklevel=1)  # one place, so that it is said once
    _warn(where, messages)
    return model


def angles_in_degrees(text: str, where: Path) -> bool:
    """Return whether an MJCF, with all that it includes, has angles in degrees; see above."""
    return bool(_parsed(text, where).compiler.degree)


def _parsed(text: str, where: Path) -> Any:
    mujoco = mujoco_library()
    try:
        with collected_warnings(mujoco) as messages:
            spec = mujoco.MjSpec.from_string(text, include=_included(text, where, {}))
    except ValueError as error:
        raise _not_compiled(where, error) from None
    _warn(where, messages)
    return spec


def _warn(where: Path, messages: list[str]) -> None:
    for message in messages:
        warnings.warn(f"{where}: MuJoCo warns: {' '.join(message.split())}", stacklevel=3)


def _not_compiled(where: Path, error: ValueError) -> ConfigurationError:
    lines = " ".join(str(error).split())
    return ConfigurationError(f"{where}: MuJoCo cannot compile it ({lines}).")


def _included(text: str, where: Path, files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files that a text includes, also through others, by the names it has for them."""
    for element in xml_tree(text, str(where), ConfigurationError).iter("include"):
        name = element.get("file", "")
        if name and name not in files:
            part = read_text(where.parent / name)
            files[name] = part.encode()
            _included(part, where, files)
    return files


def without_missing_files(spec: Any, where: Path, mujoco: Any) -> str:
    """Replace what a specification needs of missing files, and return a sentence on it.

    A missing mesh becomes a placeholder of MuJoCo's own. Links have no mesh in either case, so that
    nothing changes but shapes, which are not checked for collisions.

    Returns:
        What was replaced; empty where no file is missing.

    Raises:
        ConfigurationError: the mass of a body follows from a missing mesh.
    """
    missing = [*_meshes(spec, where, mujoco), *_textures(spec, where, mujoco)]
    for field in spec.hfields:
        if field.file and not _exists(field.file, spec.meshdir, where):
            missing.append(str(field.file))
            field.file, field.nrow, field.ncol, field.userdata = "", 2, 2, [0.0] * 4
    if not missing:
        return ""
    shown = listed(first_few([*map(printable, missing)], _SHOWN))
    return (
        f"{printable(where)}: not found were {shown}; masses are those of each <inertial>, and "
        "checks of collisions are without these shapes."
    )


def _meshes(spec: Any, where: Path, mujoco: Any) -> Iterator[str]:
    for mesh in spec.meshes:
        file = str(mesh.file)
        if not file or _exists(file, spec.meshdir, where):
            continue
        name = mesh.name or Path(file).stem
        for geom in spec.geoms:
            if geom.meshname == name:
                _check_inertia(spec, geom, file, where, mujoco)
                geom.type = mujoco.mjtGeom.mjGEOM_MESH  # also a primitive that is fitted to it
        mesh.file = ""
        mesh.make_sphere(0)
        yield file


def _check_inertia(spec: Any, geom: Any, file: str, where: Path, mujoco: Any) -> None:
    """Raise where the mass of a body is that of its mesh."""
    body, rule = geom.parent, spec.compiler.inertiafromgeom
    low, high = spec.compiler.inertiagrouprange
    counts = low <= geom.group <= high and geom.mass != 0 and geom.density != 0
    explicit = body.explicitinertial and rule != mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    if rule == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE:
        explicit = True
    if counts and not explicit and body.name != "world":
        raise ConfigurationError(
            f"{printable(where)}: the mass of body '{printable(body.name)}' follows from its mesh "
            f"'{printable(file)}', which was not found; put the file there, or give the body an "
            "<inertial>."
        )


def _textures(spec: Any, where: Path, mujoco: Any) -> Iterator[str]:
    for texture in spec.textures:
        files = [str(file) for file in (texture.file, *texture.cubefiles) if file]
        missing = [file for file in files if not _exists(file, spec.texturedir, where)]
        if missing:
            texture.file, texture.builtin = "", int(mujoco.mjtBuiltin.mjBUILTIN_FLAT)
            texture.width = texture.height = 1
            for side in range(len(texture.cubefiles)):
                texture.cubefiles[side] = ""
        yield from missing


def _exists(file: str, folder: str, where: Path) -> bool:
    return any(is_file(where.parent / start / file) for start in (folder or "", ""))
