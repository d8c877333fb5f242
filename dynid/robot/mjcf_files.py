"""Meshes, textures and height fields that an MJCF names and that are not there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynid.errors import ConfigurationError
from dynid.input_file import is_file
from dynid.text import listed, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHOWN = 3  # files in one sentence


def without_missing_files(spec: Any, where: Path, mujoco: Any) -> str:  # noqa: ANN401  untyped
    """Replace what a specification needs of missing files, and return a sentence on it.

    A missing mesh becomes a placeholder of MuJoCo's own. Links have no mesh in either case, so that
    nothing changes but shapes, which are not checked for collisions.

    Args:
        spec: an MjSpec that does not compile; changed.
        where: the MJCF.
        mujoco: the package.

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
    others = [f"{len(missing) - _SHOWN} more"] if len(missing) > _SHOWN else []
    shown = listed([*map(printable, missing[:_SHOWN]), *others])
    return (
        f"{printable(where)}: not found were {shown}; masses are those of each <inertial>, and "
        "checks of collisions are without these shapes."
    )


def _meshes(spec: Any, where: Path, mujoco: Any) -> Iterator[str]:  # noqa: ANN401  untyped
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


def _check_inertia(
    spec: Any,  # noqa: ANN401  untyped, as the next ones
    geom: Any,  # noqa: ANN401
    file: str,
    where: Path,
    mujoco: Any,  # noqa: ANN401
) -> None:
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


def _textures(spec: Any, where: Path, mujoco: Any) -> Iterator[str]:  # noqa: ANN401  untyped
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
