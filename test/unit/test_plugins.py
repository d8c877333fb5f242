"""Plug-ins register commands and names as entry points, and are imported only when used."""

from __future__ import annotations

import os
import subprocess
import sys
from configparser import ConfigParser
from importlib import import_module
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

import dynid
from dynid import plugins

ROOT = Path(__file__).parents[2]
HELLO = """
from dynid.cli.command_table import CommandEntry
HELLO = CommandEntry("Greetings", "hello.command", "hello", "Greet [everybody].")
"""
COMMAND = '''
import dynid
def hello() -> None:
    """Greet [everybody]."""
    print("hello from", dynid.greeting)
def lacking() -> None:
    """Fail."""
    import no_such_library.part
'''
ENTRIES = """
[dynid.commands]
hello = hello.commands:HELLO
identify = hello.commands:HELLO
damaged = hello.damaged:HELLO
lacking = hello.commands:LACKING [fast,full]

[dynid.names]
greeting = hello.names:GREETING
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with an installed distribution, whose package registers commands and a name."""
    files = {
        "hello/__init__.py": "",
        "hello/commands.py": HELLO
        + HELLO.replace("HELLO =", "LACKING =").replace('"hello", "Greet', '"lacking", "Greet'),
        "hello/command.py": COMMAND,
        "hello/names.py": "GREETING = 'a plug-in'",
        "hello/damaged.py": "raise RuntimeError('no licence')",
        "hello-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: hello\nVersion: 1.0\n",
        "hello-1.0.dist-info/entry_points.txt": ENTRIES,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def run(site: Path, *command: str) -> subprocess.CompletedProcess[str]:
    known = os.environ.get("PYTHONPATH", "")
    return subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{known}", "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )


def declared() -> dict[str, set[EntryPoint]]:
    """What setup.cfg declares: entry points by their group."""
    metadata = ConfigParser()
    metadata.read(ROOT / "setup.cfg", encoding="utf-8")
    found = {}
    for group, text in metadata["options.entry_points"].items():
        lines = (line.split("=", 1) for line in text.split("\n") if line)
        found[group] = {EntryPoint(name.strip(), value.strip(), group) for name, value in lines}
    return found


def test_what_is_installed_is_what_setup_cfg_declares() -> None:
    for group in (plugins.COMMANDS, plugins.NAMES):
        wanted = {(one.name, one.value) for one in declared().get(group, ())}
        found = {(one.name, one.value) for one in plugins.registered(group).values()}
        assert wanted <= found, "make install renews the entry points"


def test_everything_that_setup_cfg_declares_can_be_imported() -> None:
    for entries in declared().values():
        for one in entries:
            if not one.module.startswith("dynid_ros"):
                assert one.load() is not None


def test_every_extra_of_an_entry_point_is_in_setup_cfg() -> None:
    metadata = ConfigParser()
    metadata.read(ROOT / "setup.cfg", encoding="utf-8")
    named = {extra for entries in declared().values() for one in entries for extra in one.extras}
    assert named <= set(metadata["options.extras_require"])


def test_of_equal_names_the_first_installed_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    both = EntryPoints(EntryPoint("a", f"{module}:x", "dynid.tried") for module in ("one", "two"))
    monkeypatch.setattr(plugins, "entry_points", lambda group: both)
    found = plugins.registered("dynid.tried")
    assert {name: one.value for name, one in found.items()} == {"a": "one:x"}
    assert plugins.extra_of(found["a"]) == ""


def test_a_command_of_another_distribution_is_listed_and_runs(site: Path) -> None:
    shown = run(site, "-m", "dynid", "--help").stdout
    assert "Greetings" in shown
    assert "Greet [everybody]." in shown
    assert shown.index("Control") < shown.index("Greetings")
    done = run(site, "-m", "dynid", "hello")
    assert (done.returncode, done.stdout) == (0, "hello from a plug-in\n"), done.stderr


def test_a_plug_in_does_not_replace_a_command_of_the_core(site: Path) -> None:
    shown = run(site, "-m", "dynid", "identify", "--help").stdout
    assert "RECORDING" in shown


def test_a_plug_in_that_cannot_be_loaded_does_not_hide_the_other_commands(site: Path) -> None:
    shown = run(site, "-m", "dynid", "--help").stdout
    assert "Not available: no licence" in shown
    assert "identify" in shown
    assert run(site, "-m", "dynid", "hello").returncode == 0
    assert "no licence" in run(site, "-m", "dynid", "damaged").stderr


def test_a_missing_library_is_reported_with_the_extra_that_installs_it(site: Path) -> None:
    done = run(site, "-m", "dynid", "lacking")
    text = "dynid lacking needs no_such_library, which is missing: pip install 'hello[fast,full]'."
    assert (done.returncode, done.stderr) == (2, f"dynid: {text}\n")


WITHOUT = """
import sys
from dynid.cli import main
sys.modules[{library!r}] = None
sys.argv = ["dynid", *{words!r}]
main()
"""


@pytest.mark.parametrize(
    ("library", "words"),
    [("pyarrow", ["fleet", "watch", "data"]), ("pyarrow", ["fleet", "report", "data", "-o", "x"])],
)
def test_a_command_of_the_fleet_names_its_extra(
    tmp_path: Path, library: str, words: list[str]
) -> None:
    done = run(tmp_path, "-c", WITHOUT.format(library=library, words=words))
    assert done.returncode == 2, done.stderr
    assert done.stderr.endswith("which is missing: pip install 'dynid[fleet]'.\n")


def test_a_missing_module_of_dynid_itself_is_no_missing_library() -> None:
    with (
        pytest.raises(ModuleNotFoundError, match="no_such_room"),
        plugins.naming_extra("dynid x", ""),
    ):
        __import__("dynid.no_such_room")


def test_a_name_of_a_plug_in_is_imported_when_it_is_used(site: Path) -> None:
    script = (
        "import sys, dynid\n"
        "print('hello' in sys.modules, 'importlib.metadata' in sys.modules)\n"
        "print('greeting' in dir(dynid), dynid.greeting)"
    )
    assert run(site, "-c", script).stdout == "False False\nTrue a plug-in\n"


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="'dynid' has no attribute 'greet'"):
        _ = dynid.greet


def test_a_command_of_the_core_reads_no_entry_points(site: Path) -> None:
    script = (
        "import sys; from dynid.cli.commands import load_command\n"
        "load_command('robots'); from dynid.plugins import registered\n"
        "print(registered.cache_info().misses)"
    )
    assert run(site, "-c", script).stdout == "0\n"


def test_dynid_fleet_works_until_it_is_removed() -> None:
    sys.modules.pop("dynid.fleet", None)
    with pytest.warns(DeprecationWarning, match=r"now dynid_plugins.fleet.*removed in 0\.4"):
        former = import_module("dynid.fleet")
    assert former.detect_drift is dynid.detect_drift is dynid.fleet.detect_drift
