"""MJCF as MuJoCo's own compiler reads it."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynid.errors import ConfigurationError
from dynid.input_file import read_text
from dynid.robot.mjcf_files import without_missing_files
from dynid.xml_tree import xml_tree

if TYPE_CHECKING:
    from collections.abc import Iterator


def mujoco_library() -> Any:  # noqa: ANN401  untyped
    """Return the package ``mujoco``, an extra.

    Raises:
        ConfigurationError: it is not installed.
    """
    try:
        import mujoco  # noqa: PLC0415  an extra
    except ImportError:
        raise ConfigurationError(
            "MuJoCo is needed to read an MJCF: pip install 'dynid[mujoco]'."
        ) from None
    return mujoco


@contextmanager
def collected_warnings(mujoco: Any) -> Iterator[list[str]]:  # noqa: ANN401  untyped
    """Yield a list of MuJoCo's warnings, which it would write to a file in the current folder."""
    before, messages = mujoco.get_mju_user_warning(), list[str]()
    mujoco.set_mju_user_warning(messages.append)
    try:
        yield messages
    finally:
        mujoco.set_mju_user_warning(before)


def compiled_mjcf(text: str, where: Path) -> Any:  # noqa: ANN401  untyped
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
            model = _compiled_after_all(spec, where)
            warnings.warn(absent, stacklevel=1)  # one place, so that it is said once
    _warn(where, messages)
    return model


def _compiled_after_all(spec: Any, where: Path) -> Any:  # noqa: ANN401  untyped
    try:
        return spec.compile()
    except ValueError as error:
        raise _not_compiled(where, error) from None


def angles_in_degrees(text: str, where: Path) -> bool:
    """Return whether an MJCF, with all that it includes, has angles in degrees; see above."""
    return bool(_parsed(text, where).compiler.degree)


def _parsed(text: str, where: Path) -> Any:  # noqa: ANN401  untyped
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
