"""Run tutorials, and quote what they print now: ``python -m support.update_outputs PAGE...``.

Outputs that match stay as they are. Those with ``...`` that do not match are reported. A
notebook gets the outputs that Jupyter would give it, pictures included. The path needs ``test``.
"""

from __future__ import annotations

import base64
import io
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

from support.pages import FENCE, Printed, Reader, difference, read_blocks


def update(page: Path) -> None:
    """Run a page in an empty folder, and rewrite it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "reader"
        folder.mkdir()
        os.chdir(folder)
        with Reader(folder) as reader:
            if page.suffix == ".ipynb":
                text = _notebook(json.loads(page.read_text("utf-8")), page, reader)
            else:
                text = _markdown(page, reader)
    page.write_text(text, "utf-8")


def _markdown(page: Path, reader: Reader) -> str:
    blocks = iter(read_blocks(page))
    printed = Printed("")

    def quoted(found: re.Match[str]) -> str:
        nonlocal printed
        language, content = found.groups()
        if language != "text":
            block = next(blocks)
            printed = Printed("") if block.needs_installation else reader.run(block)
            return found.group()
        wrong = difference(content, printed.text)
        if wrong is None or "..." in content:
            if wrong is not None:
                print(f"{page.name}: {wrong}")  # noqa: T201
            return found.group()
        lines = [line.rstrip() for line in printed.text.strip("\n").splitlines()]
        return "```text\n" + "\n".join(lines) + "\n```"

    return FENCE.sub(quoted, page.read_text("utf-8"))


def _notebook(content: dict[str, Any], page: Path, reader: Reader) -> str:
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    for number, (cell, block) in enumerate(zip(cells, read_blocks(page), strict=True), 1):
        cell["execution_count"] = number
        cell["outputs"] = _outputs(reader.run(block), number)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _outputs(printed: Printed, number: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    value, shown = printed.value, repr(printed.value)
    text = printed.text if value is None else printed.text.removesuffix(f"{shown}\n")
    if text:
        found.append({"name": "stdout", "output_type": "stream", "text": _lines(text)})
    if value is not None:
        data = {"text/plain": _lines(shown)}
        html = getattr(value, "_repr_html_", lambda: None)()
        if html is not None:
            data["text/html"] = _lines(html)
        result = {"data": data, "execution_count": number, "metadata": {}}
        found.append({**result, "output_type": "execute_result"})
    for figure in map(plt.figure, plt.get_fignums()):
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=72, bbox_inches="tight")
        data = {"image/png": base64.b64encode(file.getvalue()).decode()}
        found.append({"data": data, "metadata": {}, "output_type": "display_data"})
    plt.close("all")
    return found


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    mpl.use("Agg")
    for given in [Path(name).resolve() for name in sys.argv[1:]]:
        update(given)
