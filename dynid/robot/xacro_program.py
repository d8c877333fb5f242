"""The child process that expands one xacro: a request in JSON on stdin, the answer on stdout."""

from __future__ import annotations

import contextlib
import io
import json
import resource
import sys
from pathlib import Path
from typing import Any

from dynid.packages import PACKAGE_PATH, Packages

_HARMFUL = (
    "ctypes.",
    "os.chmod",
    "os.chown",
    "os.exec",
    "os.fork",
    "os.kill",
    "os.link",
    "os.mkdir",
    "os.posix_spawn",
    "os.putenv",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.spawn",
    "os.symlink",
    "os.system",
    "os.truncate",
    "pty.",
    "shutil.",
    "socket.",
    "subprocess.",
    "urllib.",
)
"""Events of the interpreter that no robot description needs; a prefix of their names."""


class _ForbiddenError(Exception):
    pass


def main() -> None:
    """Expand the requested file within its limits, and print the URDF or what is wrong."""
    request = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_CPU, (request["seconds"],) * 2)
    resource.setrlimit(resource.RLIMIT_AS, (request["memory"],) * 2)
    sys.stdout.write(json.dumps(_answer(request)))


def _answer(request: dict[str, Any]) -> dict[str, str]:
    try:
        import xacro  # noqa: PLC0415  an answer where it is missing
    except ImportError:
        return {"error": "the package xacro is not installed (pip install xacro)"}
    _search_packages(Path(request["path"]), [Path(one) for one in request["folders"]])
    said = io.StringIO()
    sys.addaudithook(_refuse)
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            document = xacro.process_file(request["path"], mappings=request["arguments"])
        urdf = document.toprettyxml(indent="  ")
    except RecursionError:
        return {"error": "its macros call themselves without end"}
    except MemoryError:
        return {"error": "it needs more memory than allowed"}
    except Exception as problem:  # noqa: BLE001  expressions can raise anything
        return {"error": _words(problem, request["arguments"])}
    if len(urdf) > request["most"]:
        return {"error": f"the result has more than {request['most']} characters"}
    return {"urdf": urdf}


def _search_packages(path: Path, folders: list[Path]) -> None:
    """Make ``$(find name)`` search the given folders, and the packages around the file."""
    from xacro import substitution_args  # noqa: PLC0415

    packages = Packages(folders, beside=path)

    def find(name: str) -> str:
        found = packages.find(name)
        if found is None:
            message = (
                f"package '{name}' was not found; give the folder that contains it with "
                f"--package-path, or in the environment variable {PACKAGE_PATH} (searched: "
                f"{packages.searched()})"
            )
            raise substitution_args.SubstitutionException(message)
        return str(found.absolute())

    substitution_args._eval_find = find  # noqa: SLF001  xacro has no other way to set it
    substitution_args._eval_dict["find"] = find  # noqa: SLF001


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Raise where an expression would do more than compute and read."""
    writes = event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")
    if writes or event.startswith(_HARMFUL):
        raise _ForbiddenError(f"an expression of the file attempts '{event}', which is not allowed")


def _words(problem: Exception, arguments: dict[str, str]) -> str:
    """Return the problem in one sentence, and what to do about a missing argument."""
    text = " ".join(str(problem).split()) or type(problem).__name__
    if "Undefined substitution argument" in text:
        given = ", ".join(arguments) or "none"
        return f"{text}; give it as NAME:=VALUE behind the file in dynid new (given: {given})"
    return text


if __name__ == "__main__":
    main()
