"""What must work where a wheel was installed: ``python smoke.py``, with nothing but dynid.

Uses no other module of this folder, so that cibuildwheel runs it outside the repository.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COMPILERS = ("cc", "gcc", "c++", "g++", "clang", "cmake", "ninja")
MODEL = """
import dynid
import numpy as np
model = dynid.load_model("out/model.yaml")
print(model.inverse_dynamics(*np.full((3, 1, 6), 0.1)))
"""


def main() -> None:
    """Load a robot and a model, and identify a simulated recording, in an empty folder."""
    compilers = [name for name in COMPILERS if shutil.which(name)]
    print(f"compilers on PATH: {', '.join(compilers) or 'none'}")
    with tempfile.TemporaryDirectory() as folder:
        program, python = str(Path(sys.executable).with_name("dynid")), sys.executable
        _run(folder, python, "-c", "import dynid; print(dynid.__version__, dynid.__file__)")
        _run(folder, python, "-c", "import dynid; print(dynid.load_robot('puma560').name)")
        _run(folder, program, "--help")
        _run(folder, program, "fleet", "drift", "--help")  # of a plug-in, found by its entry point
        _run(folder, program, "robots")
        _run(folder, program, "demo", "--without-ros", "-o", "out")
        _run(folder, python, "-c", MODEL)
        written = sorted(path.name for path in (Path(folder) / "out").iterdir())
    print(f"written: {', '.join(written)}")
    if "model.yaml" not in written or "report.html" not in written:
        sys.exit("The demonstration wrote no model.yaml or no report.html.")


def _run(folder: str, program: str, *arguments: str) -> None:
    """Run a program in a folder without dynid's source, and fail with its exit code."""
    print(f"+ {Path(program).name} {' '.join(arguments)}", flush=True)
    code = subprocess.run([program, *arguments], cwd=folder, check=False).returncode
    if code:
        sys.exit(code)


if __name__ == "__main__":
    main()
