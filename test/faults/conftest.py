"""A robot's files, and a folder with results that must not change."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.writing_commands import Workshop, make_workshop


@pytest.fixture(scope="session")
def workshop() -> Iterator[Workshop]:
    """In a folder that every user may read."""
    folder = Path(tempfile.mkdtemp(prefix="dynid-faults-"))
    folder.chmod(0o755)
    yield make_workshop(folder)
    shutil.rmtree(folder)


@pytest.fixture
def folder(workshop) -> Iterator[Path]:
    """Beside the robot's files, so that other users can reach it too."""
    made = Path(tempfile.mkdtemp(dir=workshop.folder))
    made.chmod(0o755)
    yield made
    for path, folders, _ in os.walk(made):
        for name in folders:
            (Path(path) / name).chmod(0o755)
    shutil.rmtree(made)


@pytest.fixture
def earlier(workshop, folder) -> Path:
    """An output folder with the results of an earlier identification."""
    out = folder / "out"
    shutil.copytree(workshop.model.parent, out)
    return out
