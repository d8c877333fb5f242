"""The minimal inverse dynamic model as a Functional Mock-up Unit (FMI 3.0)."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

from jinja2 import Environment, PackageLoader

from dynid import _core
from dynid.errors import WriteError
from dynid_plugins.laboratory.symbolic.c_code import c_header, c_source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dynid.dynamics.base_parameters import BaseTable
    from dynid_plugins.laboratory.symbolic.minimal_model import Formulas

_INPUTS = {"q": "positions [rad, m]", "dq": "velocities", "ddq": "accelerations"}
_OUTPUTS = {
    "tau": "torques of the motion, gravity and friction included [N m, N]",
    "gravity": "of which gravity, without springs [N m, N]",
    "friction": "of which friction and other joint terms [N m, N]",
}
_FLAGS = ("-std=c99", "-O2", "-shared", "-fPIC", "-fvisibility=hidden")
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
_SYSTEMS = {"linux": ("linux", ".so"), "darwin": ("darwin", ".dylib")}
_TIME_OF_FILES = (1980, 1, 1, 0, 0, 0)  # so that one model gives one file
_TEMPLATES = Environment(
    loader=PackageLoader("dynid_plugins.laboratory", "symbolic"),
    autoescape=False,  # noqa: S701  it is C
    trim_blocks=True,
    keep_trailing_newline=True,
)


class Fmu(NamedTuple):
    """The files of an FMU, by their path within it.

    Attributes:
        files: contents.
        platform: for which it has a binary, such as ``x86_64-linux``; "" without a compiler.
    """

    files: Mapping[str, bytes]
    platform: str

    def write(self, path: Path) -> None:
        """Write the archive."""
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in self.files.items():
                archive.writestr(zipfile.ZipInfo(name, _TIME_OF_FILES), content)


def fmu(formulas: Formulas, name: str, table: BaseTable, provenance: Sequence[str] = ()) -> Fmu:
    """Return the FMU of a model, for model exchange and co-simulation.

    Inputs ``q``, ``dq``, ``ddq`` and outputs ``tau``, ``gravity``, ``friction`` are arrays of the
    joints. It has no states: outputs follow from inputs at once.

    Raises:
        WriteError: the C compiler ``cc`` fails.
    """
    sources = {
        f"{name}.h": c_header(formulas, name, table, provenance),
        f"{name}.c": c_source(formulas, name, table),
    }
    token = hashlib.sha256("".join(sources.values()).encode()).hexdigest()[:32]
    # the functions of FMI 3.0 around the C code, without states and events
    interface = _TEMPLATES.get_template("fmi3.c.j2")
    sources[f"{name}_fmi3.c"] = interface.render(name=name, token=token)
    binary = _compiled(sources, name)
    files = {
        "modelDescription.xml": _model_description(formulas, name, token),
        "sources/buildDescription.xml": _build_description(name),
        **{f"sources/{file}": text.encode() for file, text in sources.items()},
        **binary,
    }
    return Fmu(files, next(iter(binary), "//").split("/")[1])


def _compiled(sources: Mapping[str, str], name: str) -> dict[str, bytes]:
    """Return the library by its path in the FMU; nothing without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform not in _SYSTEMS:
        return {}
    system, suffix = _SYSTEMS[sys.platform]
    machine = platform.machine().lower()
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given)
        for file, text in sources.items():
            (folder / file).write_text(text, encoding="utf-8")
        library = folder / f"{name}{suffix}"
        code = [str(folder / file) for file in sources if file.endswith(".c")]
        command = [compiler, *_FLAGS, *code, "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            line = next(iter(done.stderr.splitlines()), "no message")
            raise WriteError(f"The C compiler {compiler} cannot build the FMU: {line}")
        path = f"binaries/{_MACHINES.get(machine, machine)}-{system}/{library.name}"
        return {path: library.read_bytes()}


def _model_description(formulas: Formulas, name: str, token: str) -> bytes:
    joints = formulas.mechanism.joints
    root = ET.Element(
        "fmiModelDescription",
        fmiVersion="3.0",
        modelName=name,
        instantiationToken=token,
        description=f"Inverse dynamics; joints {', '.join(joints)}",
        generationTool=f"dynid {_core.version}",
    )
    ET.SubElement(root, "ModelExchange", modelIdentifier=name)
    ET.SubElement(
        root, "CoSimulation", modelIdentifier=name, canHandleVariableCommunicationStepSize="true"
    )
    variables = ET.SubElement(root, "ModelVariables")
    ET.SubElement(
        variables,
        "Float64",
        name="time",
        valueReference="0",
        causality="independent",
        variability="continuous",
    )
    structure = ET.SubElement(root, "ModelStructure")
    for number, (variable, text) in enumerate({**_INPUTS, **_OUTPUTS}.items(), start=1):
        given = {"causality": "input", "start": " ".join("0" for _ in joints)}
        role = given if variable in _INPUTS else {"causality": "output"}
        one = ET.SubElement(
            variables,
            "Float64",
            {"name": variable, "valueReference": str(number), **role},
            variability="continuous",
            description=text,
        )
        ET.SubElement(one, "Dimension", start=str(len(joints)))
        if variable in _OUTPUTS:
            ET.SubElement(structure, "Output", valueReference=str(number))
    for number in range(len(_INPUTS) + 1, len(_INPUTS) + len(_OUTPUTS) + 1):
        ET.SubElement(structure, "InitialUnknown", valueReference=str(number))
    return _written(root)


def _build_description(name: str) -> bytes:
    root = ET.Element("fmiBuildDescription", fmiVersion="3.0")
    build = ET.SubElement(root, "BuildConfiguration", modelIdentifier=name)
    files = ET.SubElement(build, "SourceFileSet", language="C99")
    for file in (f"{name}.c", f"{name}_fmi3.c"):
        ET.SubElement(files, "SourceFile", name=file)
    return _written(root)


def _written(root: ET.Element) -> bytes:
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="UTF-8", xml_declaration=True))
