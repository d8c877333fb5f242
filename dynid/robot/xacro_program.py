"""The child process that expands one xacro: a request in JSON on stdin, the answer on stdout.

Expressions are evaluated with what robot descriptions need and nothing else. Python's ``eval``
without built-in functions is no barrier: attributes lead from any value to all classes of the
interpreter. So an expression is refused unless every part of it is on a list, and each attribute is
looked up in a table of harmless methods when it is evaluated.
"""

from __future__ import annotations

import ast
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
from functools import cache, partial
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from dynid.errors import DynidError
from dynid.input_file import check_regular
from dynid.packages import PACKAGE_PATH, Packages

_NOT_OFFERED = ("type", "vars")
"""Functions of xacro with which expressions reach the attributes of classes."""

_SYNTAX = (
    *(ast.Expression, ast.expr_context, ast.Constant, ast.Name, ast.Attribute, ast.Subscript),
    *(ast.Slice, ast.Call, ast.keyword, ast.Starred, ast.Lambda, ast.arguments, ast.arg),
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.boolop, ast.operator),
    *(ast.unaryop, ast.cmpop, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp),
    *(ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.JoinedStr, ast.FormattedValue),
)

_METHODS = {
    str: "capitalize casefold center count endswith find index isalnum isalpha isdecimal isdigit "
    "islower isnumeric isspace istitle isupper join ljust lower lstrip partition removeprefix "
    "removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith "
    "strip swapcase title upper zfill",
    dict: "copy get items keys pop setdefault update values",
    list: "append copy count extend index insert pop remove reverse sort",
    tuple: "count index",
    set: "add copy difference discard intersection issubset remove union update",
    frozenset: "copy difference intersection issubset union",
    float: "is_integer",
    int: "bit_length",
    complex: "conjugate imag real",
}
"""Methods of values by their type, that compute and neither read nor lead to anything else."""

_ATTRIBUTE = "attribute of"
"""Name of the function that replaces the operator ``.``; no expression can contain it."""


class ExpansionError(Exception):
    """Why a file is not expanded: one sentence without its end."""


def confine(xacro: ModuleType) -> None:
    """Let the package xacro evaluate ``${…}`` and ``$(eval …)`` by this module.

    Raises:
        AttributeError: the package is older than 2.0.8.
    """
    symbols = xacro._global_symbols  # noqa: SLF001  xacro has no other way to set it
    python = symbols["python"]
    for name in _NOT_OFFERED:
        dict.pop(python, name, None)
    xacro.safe_eval = _evaluate  # type: ignore[attr-defined]
    # hides the built-in function in that module, whose expressions have all functions of Python
    xacro.substitution_args.eval = lambda expression, _, names: _evaluate(
        expression, dict(python), names
    )


def _evaluate(expression: str, names: dict[str, Any], inner: Any = None) -> object:
    """Return the value of an expression, as xacro's own ``safe_eval``."""
    names.update({"__builtins__": {}, _ATTRIBUTE: _attribute})
    return eval(_code(expression.strip()), names, inner)  # noqa: S307  all its parts are listed


@cache
def _code(expression: str) -> CodeType:
    """Return the code of an expression, all of whose parts are listed."""
    tree = ast.parse(expression, mode="eval")
    for node in ast.walk(tree):
        if not isinstance(node, _SYNTAX):
            raise ExpansionError(
                f"an expression contains {type(node).__name__}, which is not allowed"
            )
        name = getattr(node, "id", getattr(node, "arg", ""))
        if isinstance(name, str) and name.startswith("__"):
            raise ExpansionError(f"an expression uses the name '{name}', which is not allowed")
    tree = ast.fix_missing_locations(_Attributes().visit(tree))
    return compile(tree, "<expression>", "eval")


class _Attributes(ast.NodeTransformer):
    """Replaces each ``value.name`` by a call of the function that looks the name up."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.Call:
        """Return the call."""
        arguments = [self.visit(node.value), ast.Constant(node.attr)]
        return ast.copy_location(ast.Call(ast.Name(_ATTRIBUTE, ast.Load()), arguments, []), node)


def _attribute(value: Any, name: str) -> object:
    """Return the entry of a YAML file or namespace, or a harmless method of a value."""
    if isinstance(value, dict) and name in value:
        return value[name]
    for kind, names in _METHODS.items():
        if isinstance(value, kind) and name in names.split():
            return getattr(value, name)
    if isinstance(value, dict):
        raise NameError(f"name '{name}' is not defined")
    raise ExpansionError(
        f"an expression uses '.{name}' of a value of type {type(value).__name__}, which is not "
        "allowed"
    )


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
