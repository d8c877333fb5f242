"""One version in all package formats."""

from configparser import ConfigParser
from pathlib import Path

import dynid
from dynid import _core

ROOT = Path(__file__).parents[2]


def test_every_package_format_names_the_same_version() -> None:
    metadata = ConfigParser()
    metadata.read(ROOT / "setup.cfg")
    assert metadata["metadata"]["version"] == _core.version
    assert dynid.__version__ == _core.version
    assert f"<version>{_core.version}</version>" in (ROOT / "package.xml").read_text()
