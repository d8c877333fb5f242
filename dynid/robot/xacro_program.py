"""The child process that expands one xacro: a request in JSON on stdin, the answer on stdout."""

from __future__ import annotations

import codecs
import contextlib
import io
import json
import os
import posix
import resource
import sys
import xml.dom.expatbuilder  # noqa: F401  which xml.dom.minidom imports when it parses
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from dynid.errors import DynidError
from dynid.input_file import check_regular
from dynid.packages import PACKAGE_PATH, Packages
from dynid.robot.xacro_expressions import ExpansionError, confine

_ALLOWED = frozenset(
    {
        "builtins.id",  # of a node that is copied
        "compile",
        "exec",  # of a compiled expression
        "glob.glob",  # an include of several files
        "glob.glob/2",
        "os.listdir",
        "os.scandir",
    }
)
"""Events of the interpreter that an expansion has, besides opening files; all others are refused.

None of them changes anything outside of this process, or leads to code that was not checked.
"""

_WITHOUT_EVENT = (
    "chroot",
    "mkfifo",
    "mknod",
    "pidfd_open",
    "sched_setaffinity",
    "sched_setparam",
    "sched_setscheduler",
    "setpgid",
    "setpriority",
)
"""Functions of ``os`` that change files or other processes, and of which no event reports."""

_ENCODINGS = ("ascii", "cp1252", "latin-1", "utf-8-sig", "utf-16")
"""Encodings of XML and package.xml."""

_READING = os.O_RDONLY | os.O_CLOEXEC

_NO_FILES = ("/dev", "/proc", "/sys")
"""Folders whose files show devices, processes with their environment, and the kernel."""


def main() -> None:
    """Expand the requested file within its limits, and print the URDF or what is wrong."""
    request = json.load(sys.stdin)
    limits = {
        resource.RLIMIT_CPU: request["seconds"],
        resource.RLIMIT_AS: request["memory"],
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: 0,
    }
    for kind, most in limits.items():
        resource.setrlimit(kind, (most, most))
    sys.stdout.write(json.dumps(_answer(request)))


def _answer(request: dict[str, Any]) -> dict[str, str]:
    path, arguments = Path(request["path"]), request["arguments"]
    try:
        xacro = _confined_xacro(path, arguments, map(Path, request["folders"]))
    except ImportError:
        return {"error": "the package xacro is not installed (pip install xacro)"}
    except AttributeError:
        return {"error": "the package xacro is older than 2.0.8 (pip install --upgrade xacro)"}
    _confine_interpreter()
    output = io.StringIO()
    try:
        with contextlib.redirect_stderr(output), contextlib.redirect_stdout(output):
            document = xacro.process_file(str(path), mappings=arguments)
        urdf = document.toprettyxml(indent="  ")
    except Exception as problem:  # noqa: BLE001  expressions can raise anything
        return {"error": _words(problem, arguments)}
    if len(urdf) > request["most"]:
        return {"error": f"the result has more than {request['most']} characters"}
    return {"urdf": urdf}


def _confined_xacro(
    path: Path, arguments: Mapping[str, str], folders: Iterable[Path]
) -> ModuleType:
    """Return the package xacro, with all that it imports, for expressions that are confined."""
    import xacro  # noqa: PLC0415  an answer where it is missing
    from xacro import substitution_args  # noqa: PLC0415

    confine(xacro)
    substitutes: dict[str, Callable[..., str]] = {
        "find": _finder(Packages(folders, beside=path)),
        "env": partial(_environment, arguments),
        "optenv": partial(_optional_environment, arguments),
    }
    for name, function in substitutes.items():
        setattr(substitution_args, f"_eval_{name}", function)  # xacro has no other way to set it
        substitution_args._eval_dict[name] = function  # noqa: SLF001
    for encoding in _ENCODINGS:
        codecs.lookup(encoding)  # imports it
    os.chdir(path.parent)  # which is $(cwd), and where no module is imported from
    confined: ModuleType = xacro
    return confined


def _finder(packages: Packages) -> Callable[[str], str]:
    """Return ``$(find name)``: in the given folders, and in the packages around the file."""

    def find(name: str) -> str:
        folder = packages.find(name)
        if folder is None:
            raise ExpansionError(
                f"package '{name}' was not found; give the folder that contains it with "
                f"--package-path, or in the environment variable {PACKAGE_PATH} (searched: "
                f"{packages.searched()})"
            )
        return str(folder.absolute())

    return find


def _environment(arguments: Mapping[str, str], name: str) -> str:
    """Return ``$(env name)``: an argument, because the result must not contain secrets."""
    if name in arguments:
        return arguments[name]
    raise ExpansionError(
        f"it uses the environment variable {name}, and those are not read; give its value as "
        f"{name}:=VALUE behind the file in dynid new"
    )


def _optional_environment(arguments: Mapping[str, str], name: str, default: str = "") -> str:
    """Return ``$(optenv name default)``: an argument; refused rather than different from ROS."""
    return _environment(arguments, name) if name in {*arguments, *os.environ} else default


def _confine_interpreter() -> None:
    """Let this process neither write nor start or reach another one, whatever it executes."""
    for module in (os, posix):
        for name in _WITHOUT_EVENT:
            vars(module).pop(name, None)
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Raise where the expansion would do more than compute and read files."""
    if event == "open":
        _check_opening(arguments[0], arguments[2])
    elif event not in _ALLOWED:
        raise ExpansionError(f"it attempts '{event}', which is not allowed")


def _check_opening(path: object, flags: int) -> None:
    """Raise unless a regular file is opened for reading, or there is none."""
    if flags & ~_READING or not isinstance(path, (str, bytes, os.PathLike)):
        raise ExpansionError("it attempts to write a file, which is not allowed")
    resolved = Path(os.fsdecode(path)).resolve()
    if any(resolved.is_relative_to(folder) for folder in _NO_FILES):
        raise ExpansionError(f"it reads {resolved}, which is not a file of a robot")
    if resolved.exists():
        try:
            check_regular(resolved)
        except DynidError as problem:
            raise ExpansionError(str(problem).rstrip(".")) from None


def _words(problem: BaseException, arguments: Mapping[str, str]) -> str:
    """Return the problem in one sentence, and what to do about a missing argument."""
    cause: BaseException | None = problem
    while cause is not None:  # what xacro repeats with names of classes, or without words
        if isinstance(cause, RecursionError):
            return "its macros call themselves without end"
        if isinstance(cause, MemoryError):
            return "it needs more memory than allowed"
        if isinstance(cause, ExpansionError):
            return str(cause)
        if isinstance(cause, FileNotFoundError) and str(cause.filename) in str(problem):
            return f"there is no file {cause.filename}"
        cause = cause.__context__
    text = " ".join(str(problem).split()) or type(problem).__name__
    if "Undefined substitution argument" in text:
        given = ", ".join(arguments) or "none"
        return f"{text}; give it as NAME:=VALUE behind the file in dynid new (given: {given})"
    return text


if __name__ == "__main__":
    main()
