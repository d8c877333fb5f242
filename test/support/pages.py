"""The blocks of a page (Markdown, or a Jupyter notebook), run as a reader runs them."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

RELATIVE_TOLERANCE = 0.2
"""Of quoted numbers: on another machine the search for a motion may end at another one."""

FENCE = re.compile(r"^```(bash|python|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

_NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)")
_ANY_TEXT = "..."
_END = "end of the block"


@dataclass(frozen=True)
class Block:
    """Code, and the output that the page quotes, if it does."""

    language: str
    code: str
    quoted: str | None = None

    @property
    def needs_installation(self) -> bool:
        """Whether it takes the command ``ros2``, which no wheel brings."""
        return self.language == "bash" and re.search(r"^ros2 ", self.code, re.MULTILINE) is not None


@dataclass(frozen=True)
class Printed:
    """What a block prints, and the value of its last expression."""

    text: str
    value: object = None


def read_blocks(page: Path) -> list[Block]:
    """Return the blocks of ``bash`` and ``python``; one of ``text`` is the output of the last."""
    text = page.read_text("utf-8")
    if page.suffix == ".ipynb":
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        return [Block("python", "".join(cell["source"]), _quoted(cell)) for cell in cells]
    found: list[Block] = []
    for language, content in FENCE.findall(text):
        if language != "text":
            found.append(Block(language, content))
        elif found:
            found[-1] = Block(found[-1].language, found[-1].code, content)
    return found


def _quoted(cell: dict[str, Any]) -> str | None:
    """The text among a cell's outputs: not its pictures."""
    texts = [
        "".join(output["text"] if "text" in output else output["data"]["text/plain"])
        for output in cell["outputs"]
        if output["output_type"] in {"stream", "execute_result"}
    ]
    return "\n".join(texts) or None


class Reader:
    """Copies blocks into one shell and one interpreter, in a folder which is the current one."""

    def __init__(self, folder: Path) -> None:
        self._output = folder.with_suffix(".output")
        self._script = folder.with_suffix(".bash")
        self._names: dict[str, Any] = {"__name__": "__main__"}
        self._shell = subprocess.Popen(
            ["/bin/bash", "-e"],
            cwd=folder,
            env={
                **os.environ,
                "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
                "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
                "COLUMNS": "80",
                # on a slow machine it would be printed
                "DYNID_PROGRESS_FILE": str(folder.with_suffix(".progress")),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        """End the shell, and whatever it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._shell.pid, signal.SIGKILL)
        self._shell.communicate()

    def run(self, block: Block) -> Printed:
        """Run one block.

        Raises:
            AssertionError: a command of the shell fails.
        """
        if block.language == "bash":
            return Printed(self._in_shell(block.code))
        return self._in_interpreter(block.code)

    def _in_shell(self, code: str) -> str:
        assert self._shell.stdin is not None
        assert self._shell.stdout is not None
        self._script.write_text(code)
        # what a block leaves running in the background writes to the file, not to the pipe
        script = f"source '{self._script}' </dev/null >'{self._output}' 2>&1; echo '{_END}'\n"
        self._shell.stdin.write(script)
        self._shell.stdin.flush()
        ended = self._shell.stdout.readline().rstrip("\n") == _END
        output = self._output.read_text()
        assert ended, f"a command failed:\n{code}\n{output}"
        return output

    def _in_interpreter(self, code: str) -> Printed:
        statements = ast.parse(code).body
        last = statements.pop() if isinstance(statements[-1], ast.Expr) else None
        value, printed = None, io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(ast.Module(statements, []), "block", "exec"), self._names)  # noqa: S102
            if isinstance(last, ast.Expr):
                expression = compile(ast.Expression(last.value), "block", "eval")
                value = eval(expression, self._names)  # noqa: S307
        shown = "" if value is None else f"{value!r}\n"
        return Printed(printed.getvalue() + shown, value)


def difference(quoted: str, printed: str, *, tolerance: float = RELATIVE_TOLERANCE) -> str | None:
    """Return how an output differs from what a page quotes, or None.

    White space does not count, numbers may differ by the relative ``tolerance`` or one in their
    last digit, and ``...`` stands for any text.
    """
    words, numbers = " ".join(quoted.split()), _NUMBER.pattern
    parts = re.split(f"({numbers}|{re.escape(_ANY_TEXT)})", words)
    expected = parts[1::2]
    pattern = "".join(
        re.escape(part) if index % 2 == 0 else ".*?" if part == _ANY_TEXT else f"({numbers})"
        for index, part in enumerate(parts)
    )
    found = re.fullmatch(pattern, " ".join(printed.split()), re.DOTALL)
    if found is None:
        return f"--- quoted\n{quoted}\n--- printed\n{printed}"
    pairs = zip([part for part in expected if part != _ANY_TEXT], found.groups(), strict=True)
    far = [
        f"{one} is quoted, {other} printed"
        for one, other in pairs
        if not _near(one, other, tolerance)
    ]
    return "\n".join([*far, printed]) if far else None


def _near(quoted: str, printed: str, tolerance: float) -> bool:
    one, other = (float(text.replace("−", "-")) for text in (quoted, printed))
    mantissa, _, exponent = quoted.partition("e")
    last_digit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return abs(one - other) <= max(tolerance * abs(one), 1.001 * last_digit)
