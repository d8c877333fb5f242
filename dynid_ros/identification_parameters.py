"""Parameters of the identifier: what is read, and where results are written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dynid.errors import RecordingError
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.report.card import NamedInputs, reading_options
from dynid.report.write import MODEL
from dynid.robot.recordings import live_recording, load_recording
from dynid.robot.robot import Robot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dynid.recording.live import LiveMessages
    from dynid_ros.node import DynidNode

    Step = Callable[[str], None]


@dataclass(frozen=True)
class IdentificationRequest:
    """The parameters at a request; later changes apply to the next one."""

    profile: str
    urdf: Path | None
    overrides: list[str]
    recording: Path | None
    live: LiveMessages | None
    output: Path
    model: Path
    topic: str
    start: float | None
    stop: float | None

    def robot(self) -> Robot:
        """Return the robot.

        Raises:
            ConfigurationError: the profile or URDF does not exist or is invalid.
        """
        return load_robot(self.profile, urdf=self.urdf, overrides=self.overrides)

    def named(self, *, tuned: bool = False) -> NamedInputs:
        """Return what the next command names; ``tuned``: whether the model has thresholds."""
        return NamedInputs(
            self.profile,
            NamedInputs.recordings if self.recording is None else (str(self.recording),),
            reading_options(self.start, self.stop, None, self.urdf, self.overrides),
            self.output,
            str(self.model),
            tuned,
        )

    def read(self, robot: Robot, step: Step) -> Recording:
        """Return the recording, from its file or from live messages.

        Raises:
            RecordingError: there is none, or it cannot be read.
        """
        if self.recording is not None:
            step(f"reading {self.recording.name}")
            return load_recording(
                self.recording, robot, topic=self.topic, start=self.start, stop=self.stop
            )
        if self.live is None:
            raise RecordingError(
                "there is nothing to read: set parameter 'recording' to a recording's path, or "
                "collect joint states live between ~/start and ~/stop."
            )
        step("reading the collected joint states")
        return live_recording(self.live, robot, start=self.start, stop=self.stop)


def declare_identification(node: DynidNode) -> None:
    """Declare the parameters; changes apply to the next call."""
    node.declare_robot(fixed=False)
    node.parameter(
        "recording", "", "Recording to read; empty: joint states collected by ~/start, ~/stop."
    )
    node.parameter(
        "output",
        "out",
        "Folder for model.yaml, report.html and the signals; model.failed.yaml and so on where "
        "an identification failed.",
    )
    node.parameter("model", "", "model.yaml to validate; empty: the one in the folder 'output'.")
    node.parameter(
        "overrides", [""], "Keys of the profile to override, such as identification.cutoff_hz=20."
    )
    node.parameter("topic", "", "Topic of the joint states; empty: the profile's.")
    for name, side in (("start", "before"), ("stop", "behind")):
        node.parameter(
            name,
            -1.0,
            f"Ignore samples {side} [s since the recording's first sample]; -1: none.",
            between=(-1.0, 1e9),
        )
    node.parameter(
        "max_duration",
        600.0,
        "Longest time to collect live [s], which bounds memory.",
        between=(1.0, 86_400.0),
    )


def identification_request(
    node: DynidNode, live: LiveMessages | None, given: Mapping[str, str]
) -> IdentificationRequest:
    """Return the present parameters of a node.

    Args:
        node: the node.
        live: what it collected, if anything.
        given: texts in place of parameters, where they are not empty.
    """

    def text(name: str) -> str:
        return given.get(name) or node.current(name, str)

    def time(name: str) -> float | None:
        value = node.current(name, float)
        return None if value < 0 else value

    output = Path(text("output"))
    return IdentificationRequest(
        profile=text("profile"),
        urdf=Path(text("urdf")) if text("urdf") else None,
        overrides=[override for override in node.current("overrides", list) if override],
        recording=Path(text("recording")) if text("recording") else None,
        live=live,
        output=output,
        model=Path(text("model")) if text("model") else output / MODEL,
        topic=text("topic"),
        start=time("start"),
        stop=time("stop"),
    )
