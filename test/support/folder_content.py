"""Contents of a folder, byte for byte."""

from __future__ import annotations

from pathlib import Path


def visible(folder: Path) -> dict[str, bytes]:
    """All files, including those in sub-folders, except dynid's hidden files while it writes."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    names = {path: path.relative_to(folder) for path in files}
    return {
        str(name): path.read_bytes()
        for path, name in names.items()
        if not any(part.startswith(".") for part in name.parts)
    }


def hidden(folder: Path) -> list[str]:
    """Dynid's hidden files while it writes."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))
