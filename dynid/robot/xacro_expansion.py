"""A xacro as the URDF that it describes, expanded in a process of its own.

xacro evaluates expressions of Python (``${…}``, ``$(eval …)``). Without limits, a few characters
such as ``${9**9**9}`` take all memory or never end, so a child process with limits does it, in
which an expression can neither write nor start or reach another process.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dynid.errors import ConfigurationError
from dynid.input_file import check_regular
from dynid.limits import TEXT_BYTES, XACRO_MEMORY, XACRO_SECONDS
from dynid.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynid.packages import Packages

_PROGRAM = "dynid.robot.xacro_program"


def expand_xacro(path: Path, arguments: Mapping[str, str], packages: Packages) -> str:
    """Return the URDF of a xacro file.

    Args:
        path: the file; files that it includes are read, too.
        arguments: values of its ``<xacro:arg>`` by name.
        packages: where ``$(find …)`` searches.

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
        raise _refused(path, "does not end") from None
    return _answer(path, done)


def _answer(path: Path, done: subprocess.CompletedProcess[bytes]) -> str:
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise _refused(path, "takes more than the processor time or memory allowed") from None
    if "error" in answer:
        message = f"{printable(path)}: cannot be expanded by xacro: {printable(answer['error'])}"
        raise ConfigurationError(message.rstrip(".") + ".")
    return str(answer["urdf"])


def _refused(path: Path, problem: str) -> ConfigurationError:
    return ConfigurationError(
        f"{printable(path)}: cannot be expanded by xacro, because it {problem}; if the file is "
        f"right, set {XACRO_SECONDS.setting} or {XACRO_MEMORY.setting} to a larger number."
    )
