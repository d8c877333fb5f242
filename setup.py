"""Build ``dynid._core`` through CMake; everything else about the package is in setup.cfg.

Profiles and URDFs are installed as data files into ``<prefix>/share/dynid/{config,urdf}``, where
ament puts them too. In a source tree (editable install) they stay where they are, beside the
package. ``dynid.files.share_directories`` finds them in all three places.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
DEVELOPMENT = ("-DDYNID_WERROR=ON", "-DDYNID_BUILD_TESTS=ON", "-DDYNID_BUILD_BENCHMARKS=ON")


class CMakeBuild(build_ext):
    """Configure, build, and copy the one module to where setuptools wants it."""

    def build_extension(self, ext: Extension) -> None:
        """Build ``ext``, which is ``dynid._core``."""
        target = (ROOT / self.get_ext_fullpath(ext.name)).resolve()
        in_place = self.inplace or self.editable_mode
        # wheel: the wheels' libraries are beside dynid/ in site-packages, wherever that is
        module = "@loader_path" if sys.platform == "darwin" else "$ORIGIN"
        libraries = [f"{module}/../cmeel.prefix/lib"]
        if in_place:
            libraries.append(f"{sysconfig.get_path('platlib')}/cmeel.prefix/lib")
        # in the tree the build is kept, so that installing again compiles only what changed
        build = ROOT / "build/editable" if in_place else Path(self.build_temp).resolve() / "cmake"
        configure = [
            "cmake",
            "--fresh",  # an isolated build's paths are gone by the next one
            f"-S{ROOT}",
            f"-B{build}",
            "-GNinja",
            f"-DPython3_EXECUTABLE={sys.executable}",
            f"-DCMAKE_LIBRARY_OUTPUT_DIRECTORY={target.parent}",
            "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON",
            f"-DCMAKE_INSTALL_RPATH={';'.join(libraries)}",
            "-DCMAKE_DISABLE_FIND_PACKAGE_ament_cmake=ON",
            *(DEVELOPMENT if in_place else ()),
            *shlex.split(os.environ.get("CMAKE_ARGS", "")),
        ]
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(min(2, os.cpu_count() or 1)))
        _run(configure)
        _run(["cmake", "--build", str(build), "--target", "dynid_python", "--parallel", jobs])


def _environment() -> dict[str, str]:
    """Put the tools beside this Python first: a virtual environment may not be activated."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return {**os.environ, "PATH": path}


def _run(command: list[str]) -> None:
    environment = _environment()
    program = shutil.which(command[0], path=environment["PATH"])
    if program is None:
        message = f"Building dynid needs {command[0]}: pip install cmake ninja."
        raise SystemExit(message)
    subprocess.run([program, *command[1:]], env=environment, check=True)


def _data_files() -> list[tuple[str, list[str]]]:
    """Every file below config/ and urdf/, folder by folder, for <prefix>/share/dynid."""
    folders: dict[str, list[str]] = {}
    for top in ("config", "urdf"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.is_file():
                relative = path.relative_to(ROOT)
                folders.setdefault(f"share/dynid/{relative.parent}", []).append(str(relative))
    return sorted(folders.items())


setup(
    ext_modules=[Extension("dynid._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    data_files=_data_files(),
)
