"""Generate and compile the Python package ``dynid_interfaces`` with the rosidl of PyPI's wheels.

The wheels have the generators, their templates, headers and libraries, but no CMake package that
finds them on this machine, so the libraries that ``rosidl_generate_interfaces`` would make are made
here. With a ROS 2 installation colcon builds the package instead (CMakeLists.txt).
"""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
PACKAGE = "dynid_interfaces"
MESSAGES = sorted(path.relative_to(HERE) for path in HERE.glob("msg/*.msg"))
ACTIONS = sorted(path.relative_to(HERE) for path in HERE.glob("action/*.action"))
USED = ("action_msgs", "builtin_interfaces", "service_msgs", "unique_identifier_msgs")
"""Packages whose messages these contain."""
TYPE_SUPPORTS = ("rosidl_typesupport_fastrtps_c", "rosidl_typesupport_introspection_c")
"""The middleware of the wheels reads messages by the first, and their fields by the second."""


class BuildInterfaces(build_ext):
    """Build four libraries beside the generated Python modules, which find each other there."""

    def build_extension(self, ext: Extension) -> None:
        """Generate the package's sources, and compile them to where setuptools wants ``ext``."""
        extension = Path(self.get_ext_fullpath(ext.name)).resolve()
        package, sources = extension.parent, Path(self.build_temp).resolve() / "sources"
        prefix = _wheels()
        _generate(prefix, sources)
        for file in (sources / "py" / PACKAGE).rglob("*.py"):
            self.copy_file(file, self._folder(package, file, sources / "py" / PACKAGE))
        (package / "__init__.py").touch()
        functions = self._library(package, sources, prefix, "c", "rosidl_generator_c")
        supports = [
            self._library(package, sources, prefix, kind, kind, functions) for kind in TYPE_SUPPORTS
        ]
        self._link(
            extension, sources, prefix, ("rosidl_typesupport_c", "py"), [functions, *supports]
        )

    def _folder(self, package: Path, file: Path, root: Path) -> str:
        folder = package / file.relative_to(root).parent
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder)

    def _library(
        self, package: Path, sources: Path, prefix: Path, folder: str, kind: str, *linked: Path
    ) -> Path:
        """Build the library that rosidl's dispatch opens by this name, and return its path."""
        path = package / f"lib{PACKAGE}__{kind}.so"
        self._link(path, sources, prefix, (folder,), list(linked))
        return path

    def _link(
        self, path: Path, sources: Path, prefix: Path, folders: tuple[str, ...], linked: list[Path]
    ) -> None:
        """Compile the sources of some generators and link them with libraries beside them."""
        includes = [*_includes(prefix), *(str(one) for one in sources.iterdir())]
        code = [
            str(file)
            for folder in folders
            for file in sorted((sources / folder).rglob("*"))
            if file.suffix in {".c", ".cpp"}
        ]
        objects = self.compiler.compile(code, output_dir=self.build_temp, include_dirs=includes)
        self.compiler.link_shared_object(
            objects,
            str(path),
            extra_postargs=[
                f"-Wl,-soname,{path.name}",
                "-Wl,-rpath,$ORIGIN",
                # rosidl's dispatch finds the type supports because they are loaded already
                "-Wl,--no-as-needed",
                *(str(one) for one in (*linked, *_libraries(prefix))),
            ],
            target_lang="c++",
        )


def _wheels() -> Path:
    """Return the prefix that the wheels of ROS 2 were installed into."""
    try:
        import rosidl_generator_c
    except ImportError:
        message = "Building dynid_interfaces needs the wheels of ROS 2: pip install 'dynid[ros]'."
        raise SystemExit(message) from None
    return Path(rosidl_generator_c.__file__).resolve().parents[4]


def _includes(prefix: Path) -> Iterator[str]:
    """Yield the folders of headers, one for each package of ROS 2."""
    import numpy as np

    yield np.get_include()
    yield sysconfig.get_path("include")
    yield str(prefix / "include")
    for folder in sorted((prefix / "include").iterdir()):
        yield str(folder)


def _libraries(prefix: Path) -> Iterator[Path]:
    """Yield the libraries of ROS 2 that the generated code calls."""
    for package in USED:
        for kind in ("c", "py"):
            yield from sorted((prefix / "lib").glob(f"lib{package}__rosidl_*_{kind}.so"))
    for name in ("rosidl_runtime_c", "rosidl_typesupport_c", *TYPE_SUPPORTS, "fastcdr", "rcutils"):
        if (path := prefix / "lib" / f"lib{name}.so").exists():
            yield path


def _generate(prefix: Path, sources: Path) -> None:
    """Write the sources of each generator into a folder of its own, as colcon does."""
    os.environ["AMENT_PREFIX_PATH"] = str(prefix)
    from rosidl_adapter.action import convert_action_to_idl
    from rosidl_adapter.msg import convert_msg_to_idl
    from rosidl_generator_c.cli import GenerateC
    from rosidl_generator_py.cli import GeneratePython
    from rosidl_typesupport_c.cli import GenerateCTypesupport
    from rosidl_typesupport_fastrtps_c.cli import GenerateFastRTPSCTypesupport
    from rosidl_typesupport_introspection_c.cli import GenerateIntrospectionCTypesupport

    idl = sources / "idl"
    for message in MESSAGES:
        convert_msg_to_idl(HERE, PACKAGE, message, idl / "msg")
    for action in ACTIONS:
        convert_action_to_idl(HERE, PACKAGE, action, idl / "action")
    files = [f"{idl}:{path.with_suffix('.idl')}" for path in (*MESSAGES, *ACTIONS)]
    used = [str(prefix / "share" / package) for package in USED]
    fastrtps, introspection = TYPE_SUPPORTS
    for folder, generator in (
        ("c", GenerateC("c")),
        (fastrtps, GenerateFastRTPSCTypesupport("fastrtps_c")),
        (introspection, GenerateIntrospectionCTypesupport("introspection_c")),
        ("rosidl_typesupport_c", _with(GenerateCTypesupport, "c", TYPE_SUPPORTS)),
        ("py", _with(GeneratePython, "py", ("rosidl_typesupport_c",))),
    ):
        generator.generate(PACKAGE, files, used, sources / folder / PACKAGE)


def _with(generator: type, name: str, type_supports: tuple[str, ...]) -> object:
    return generator(name, typesupport_implementations=list(type_supports))


setup(
    packages=[],
    ext_modules=[Extension(f"{PACKAGE}.{PACKAGE}_s__rosidl_typesupport_c", sources=[])],
    cmdclass={"build_ext": BuildInterfaces},
)
