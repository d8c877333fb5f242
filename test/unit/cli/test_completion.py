"""Completion in bash, from the script that ``dynid --install-completion`` installs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from dynid.cli.commands import commands_below
from dynid.cli.options import complete_estimator, complete_robot
from dynid.estimation.estimators import estimator_names
from dynid.robot_files import shipped_profiles


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[str]]:
    """Complete a line in bash, where ``dynid`` is the program of this Python."""
    folder = tmp_path_factory.mktemp("program")
    program = folder / "dynid"
    program.write_text(f"#!{sys.executable}\nfrom dynid.cli import main\nmain()\n")
    program.chmod(0o755)
    path = os.pathsep.join([str(folder), os.environ["PATH"]])

    def bash(script: str) -> str:
        done = subprocess.run(
            ["bash", "-c", script],  # noqa: S607
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == ""
        return done.stdout

    installed = bash("_DYNID_COMPLETE=source_bash dynid")

    def run(*words: str) -> list[str]:
        quoted = " ".join(f"'{word}'" for word in ("dynid", *words))
        script = (
            f"{installed}\n"
            f"COMP_WORDS=({quoted})\n"
            f"COMP_CWORD={len(words)}\n"
            "_dynid_completion dynid\n"
            "printf '%s\\n' \"${COMPREPLY[@]}\"\n"
        )
        return [line.strip() for line in bash(script).splitlines() if line.strip()]

    return run


def test_commands_are_completed(complete) -> None:
    assert complete("") == list(commands_below(""))
    assert complete("d") == [name for name in commands_below("") if name.startswith("d")]
    assert complete("drives") == ["drives"]


def test_options_and_subcommands_are_completed(complete) -> None:
    assert complete("identify", "--boot") == ["--bootstrap"]
    assert complete("model", "co") == ["code", "compare"]
    assert complete("payload", "") == ["identify", "measure", "write"]
    assert complete("drives", "ga") == ["gains"]


def test_robots_are_completed(complete) -> None:
    assert complete("identify", "-p", "pum") == ["puma560", "puma560_static"]
    assert complete("demo", "pum") == ["puma560", "puma560_static"]
    assert complete("view", "pum") == ["puma560", "puma560_static"]


def test_enumerated_values_are_completed(complete) -> None:
    assert complete("excite", "--type", "") == ["fourier", "sine"]
    assert complete("model", "base", "--format", "l") == ["latex"]
    assert complete("identify", "--estimator", "cl") == ["clie", "cloe"]


def test_a_file_is_left_to_the_shell(complete) -> None:
    assert complete("identify", "-p", "./my") == []


def test_names_are_those_of_the_library() -> None:
    assert complete_estimator("") == list(estimator_names())
    assert complete_robot("") == shipped_profiles()
    assert complete_estimator("rls") == ["rls", "rls_joint"]


def test_help_names_the_options_of_completion() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dynid", "--help"], capture_output=True, text=True, check=True
    )
    assert "--install-completion" in done.stdout
    assert "--show-completion" in done.stdout
