"""Robot descriptions in files: a URDF, or a xacro or an MJCF that becomes one; its mesh files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dynid.arrays import Vector
from dynid.dynamics.urdf_text import check_urdf
from dynid.errors import ConfigurationError, MechanismError
from dynid.input_file import check_regular, is_file, read_text
from dynid.limits import TEXT_BYTES, XACRO_MEMORY, XACRO_SECONDS
from dynid.packages import Packages
from dynid.plugins import HOOKS, load_plugin
from dynid.robot_files import DESCRIPTIONS
from dynid.text import printable
from dynid.xml_tree import xml_tree

_PROGRAM = "dynid.robot.xacro_program"


@dataclass(frozen=True)
class NominalValues:
    """What a description says of a robot and a URDF has no place for.

    Attributes:
        gravity: in the frame of the root link [m/s^2].
        terms: rotor inertia, viscous and Coulomb friction of joints that have any, by joint and by
            prefix of dynid's parameters.
    """

    gravity: Vector
    terms: Mapping[str, Mapping[str, float]]

    def parameters(self, joints: Sequence[str]) -> dict[str, float]:
        """Return the parameters of actuated joints by dynid's names, such as ``Ia1``."""
        prefixes = dict.fromkeys(prefix for values in self.terms.values() for prefix in values)
        return {
            f"{prefix}{number}": value
            for prefix in prefixes
            for number, joint in enumerate(joints, start=1)
            if (value := self.terms.get(joint, {}).get(prefix))
        }


def is_description(path: Path) -> bool:
    """Return whether a file name is that of a URDF, a xacro or an MJCF."""
    return path.suffix.lower() in DESCRIPTIONS


def read_description(
    path: Path, *, arguments: Mapping[str, str] | None = None, packages: Packages | None = None
) -> str:
    """Return the URDF in a file; a xacro is expanded, an MJCF converted.

    Args:
        path: the file.
        arguments: of a xacro.
        packages: where a xacro finds packages; None: in the environment and around the file.

    Raises:
        ConfigurationError: the file is missing or not text, the xacro cannot be expanded, the
            MJCF cannot be converted, or the URDF is invalid.
    """
    if path.suffix.lower() == ".xacro":
        text = expand_xacro(path, arguments or {}, packages or Packages(beside=path))
    else:
        text = read_text(path)
        if _is_mjcf(path, text):
            text = load_plugin(HOOKS, "mjcf_as_urdf", "an MJCF")(text, path)
    try:
        check_urdf(text, printable(path.name))
    except MechanismError as error:
        raise ConfigurationError(str(error)) from None
    return text


def described_nominal(path: Path) -> NominalValues | None:
    """Return what an MJCF says of gravity and joint terms; None for a URDF or xacro.

    Raises:
        ConfigurationError: the file is missing or not text, or MuJoCo cannot compile it.
    """
    if path.suffix.lower() in {".urdf", ".xacro"}:
        return None
    text = read_text(path)
    if not _is_mjcf(path, text):
        return None
    nominal: NominalValues = load_plugin(HOOKS, "mjcf_nominal", "an MJCF")(text, path)
    return nominal


def _is_mjcf(path: Path, text: str) -> bool:
    return path.suffix.lower() != ".urdf" and "<mujoco" in text


def expand_xacro(path: Path, arguments: Mapping[str, str], packages: Packages) -> str:
    """Return the URDF of a xacro file, expanded in a process of its own.

    xacro evaluates expressions of Python (``${…}``, ``$(eval …)``). Without limits, a few
    characters such as ``${9**9**9}`` take all memory or never end, so a child process with limits
    does it, in which an expression can neither write nor start or reach another process.

    Raises:
        ConfigurationError: the file or one it includes is missing or invalid, an argument or a
            package is missing, or the expansion exceeds a limit.
    """
    check_regular(path)
    request = {
        "path": str(path.absolute()),
        "arguments": dict(arguments),
        "folders": [str(folder.absolute()) for folder in packages.folders],
        "seconds": XACRO_SECONDS.most,
        "memory": XACRO_MEMORY.most,
        "most": TEXT_BYTES.most,
    }
    try:
        done = subprocess.run(
            [sys.executable, "-m", _PROGRAM],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=4 * XACRO_SECONDS.most + 30,  # of the clock: the child counts processor time
            check=False,
            # where Python searches modules first: in the file's folder, json.py would be executed
            cwd=Path(__file__).resolve().parents[2],
        )
    except subprocess.TimeoutExpired:
        raise _xacro_refused(path, "does not end") from None
    return _urdf_of_answer(path, done)


def _urdf_of_answer(path: Path, done: subprocess.CompletedProcess[bytes]) -> str:
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise _xacro_refused(path, "takes more than the processor time or memory allowed") from None
    if "error" in answer:
        message = f"{printable(path)}: cannot be expanded by xacro: {printable(answer['error'])}"
        raise ConfigurationError(message.rstrip(".") + ".")
    return str(answer["urdf"])


def _xacro_refused(path: Path, problem: str) -> ConfigurationError:
    return ConfigurationError(
        f"{printable(path)}: cannot be expanded by xacro, because it {problem}; if the file is "
        f"right, set {XACRO_SECONDS.setting} or {XACRO_MEMORY.setting} to a larger number."
    )


_MADE_FROM = re.compile(r"autogenerated by xacro from (\S[^|\n]*?)\s*(\||-->)")
_HEAD = 2000  # characters of a URDF in which xacro states its source


def mesh_folder(urdf_xml: str, beside: Path, packages: Packages) -> Path | None:
    """Return the folder for ``workspace.mesh_folder``, in which most meshes are found.

    Args:
        urdf_xml: the URDF's text.
        beside: file that the URDF came from; relative names start in its folder, or in that of the
            xacro that it states as its source.
        packages: where ``package://`` is searched, besides the packages around that xacro.

    Returns:
        The folder, or None where no mesh is found, or all are at absolute paths.
    """
    root = xml_tree(urdf_xml, "The URDF", ConfigurationError)
    names = {mesh.get("filename", "") for mesh in root.iter("mesh")}
    made_from = _made_from(urdf_xml, beside)
    around = Packages(beside=made_from)
    folders: Counter[Path] = Counter()
    by_package: dict[str, Path | None] = {}
    for name in sorted(names):
        scheme, separator, inner = name.partition("://")
        if scheme == "package" and separator:
            package = inner.partition("/")[0]
            if package not in by_package:
                by_package[package] = packages.find(package) or around.find(package)
            folder = by_package[package]
            if folder is not None:
                # the folder of the package, or the one around it if it is called like it
                folders[folder.parent if folder.name == package else folder] += 1
        elif not separator and not Path(name).is_absolute():
            sources = [path.parent for path in (beside, made_from) if path is not None]
            folders.update([folder for folder in sources if is_file(folder / name)][:1])
    return folders.most_common(1)[0][0].absolute() if folders else None


def _made_from(urdf_xml: str, beside: Path) -> Path | None:
    """Return the xacro that a URDF was made from, as its first comment states it."""
    stated = _MADE_FROM.search(urdf_xml[:_HEAD])
    return None if stated is None else beside.absolute().parent / stated[1]
