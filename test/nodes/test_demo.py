"""`dynid demo` as a user runs it: with nodes, and beside it without them."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from support.deadlines import LONGEST
from support.small_robot import JOINTS, write_small_robot

from dynid.profile import load_model
from dynid.recording.load import load_recording
from dynid_ros import demo

if TYPE_CHECKING:
    from collections.abc import Iterator

DYNID = [sys.executable, "-c", "from dynid.cli import main; main()", "demo"]


class Ran(NamedTuple):
    code: int
    out: str
    err: str
    folder: Path

    @property
    def verdicts(self) -> dict:
        return json.loads(self.out)

    @property
    def files(self) -> list[str]:
        """Names of the files, without the time in a bag's name."""
        return sorted(path.name.partition("recording_")[0] for path in self.folder.iterdir())


@contextlib.contextmanager
def begun(profile: Path, folder: Path, *options: str) -> Iterator[subprocess.Popen]:
    """A demo in its own process, which is ended at the end."""
    command = [*DYNID, "--robot", str(profile), "-o", str(folder), *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=profile.parent, start_new_session=True, **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def end(process: subprocess.Popen, folder: Path) -> Ran:
    out, err = process.communicate(timeout=LONGEST)
    return Ran(process.returncode, out, err, folder)


def check_verdicts(ran: Ran) -> None:
    assert ran.code == 0, ran.err
    # where processes wait for a processor, messages between nodes may be lost; the demo says so
    assert all("are missing" in line for line in ran.err.splitlines()), ran.err
    assert list(ran.verdicts) == ["identification", "validation"]
    for verdict in ran.verdicts.values():
        assert verdict["success"]
        assert list(verdict["joints"]) == list(JOINTS)


def check_bags(ran: Ran) -> None:
    """Check that each bag has the robot's own stamps, all of them where no line says otherwise."""
    bags = sorted(ran.folder.glob("*recording_*"))
    assert len(bags) == 2
    for bag in bags:
        recording = load_recording(bag, JOINTS)
        assert ran.err or not recording.repairs
        steps = np.diff(recording.time) / 1e-3
        assert np.allclose(steps, steps.round() if ran.err else 1.0, rtol=0, atol=1e-6)


def check_models(one: Ran, other: Ran) -> None:
    """Check that both models predict the same torque of a motion, up to noise."""
    models = [load_model(ran.folder / "model.yaml") for ran in (one, other)]
    (bag,) = one.folder.glob("validation_recording_*")
    position = load_recording(bag, JOINTS).position[::20]
    velocity = np.gradient(position, 0.02, axis=0)
    acceleration = np.gradient(velocity, 0.02, axis=0)
    torque = [
        model.mechanism.torque(position, velocity, acceleration, model.parameters)
        for model in models
    ]
    apart = np.sqrt(np.mean((torque[0] - torque[1]) ** 2, axis=0))
    # each differs from the measured torque by an RMSE that is the noise left after filtering
    for j, joint in enumerate(JOINTS):
        noise = max(ran.verdicts["identification"]["joints"][joint]["rmse"] for ran in (one, other))
        assert apart[j] < noise, (joint, apart, noise)


@pytest.mark.thorough
def test_results_with_nodes_and_without_ros_agree(tmp_path) -> None:
    profile = write_small_robot(tmp_path)
    folders = tmp_path / "nodes", tmp_path / "without"
    with (
        begun(profile, folders[0], "--json") as on_ros,
        begun(profile, folders[1], "--without-ros", "--json") as alone,
    ):
        nodes, without = end(on_ros, folders[0]), end(alone, folders[1])
    for ran in (nodes, without):
        check_verdicts(ran)
        check_bags(ran)
    check_models(nodes, without)
    assert nodes.files == without.files


def refused(monkeypatch, capsys, *arguments: object) -> str:
    """Return the error message before any node is made."""
    monkeypatch.setattr(sys, "argv", ["demo", *map(str, arguments)])
    monkeypatch.setattr(demo.rclpy, "init", lambda **_: pytest.fail("nodes were about to be made"))
    with pytest.raises(SystemExit) as stop:
        demo.main()
    assert stop.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err


def test_an_output_that_is_a_file_is_one_sentence(tmp_path, monkeypatch, capsys) -> None:
    (tmp_path / "out").write_text("mine")
    arguments = ("--robot", write_small_robot(tmp_path), "-o", tmp_path / "out")
    assert refused(monkeypatch, capsys, *arguments) == (
        f"dynid: {tmp_path / 'out'}: Not a directory.\n"
    )
    assert (tmp_path / "out").read_text() == "mine"
