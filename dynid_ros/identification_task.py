"""Node ``identification_task``: the whole identification once, then an exit code for launch.

Move to the start, play and record, settle, identify, publish, validate on another motion: the
sequence of softMC's identification program. The other nodes do the work. The exit code is 0 for a
model that passes its criterion, 1 for one that fails, 2 where the sequence was not completed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynid.demo import named
from dynid.errors import TaskError
from dynid.playback.robot_state import FROM_REST
from dynid.report.write import written_model
from dynid_ros.countdown import Countdown
from dynid_ros.remote import Remote
from dynid_ros.sequence import SequenceNode, run_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from rclpy.executors import Executor

    from dynid_ros.stop import Stop

STEPS = 8
"""Number of steps in the progress of the sequence, with a validation."""
_MOVES = ("moving", "playing", "settling")  # states of a player while the robot may move
_READY = 60.0  # [s] in which drivers and controllers start
_UNSEEN = "was not observed at rest"  # in a player's last state
_TRIES = 10  # after the first, while a robot settles
_PAUSE = 0.5  # [s] between two tries
_RECORDING = "recording"
_STOPPING = 10.0  # [s] in which a robot comes to rest, or a bag is closed
_CLOSING = 60.0  # [s] in which a bag is closed normally
_LAST_STATE = 1.0  # [s] for a last message to arrive


class IdentificationTask(SequenceNode):
    """The sequence; every step is a service of another node."""

    def __init__(self, stop: Stop, executor: Executor, **options: Any) -> None:  # noqa: ANN401
        """Get ready; nothing moves before :meth:`perform`."""
        super().__init__("identification_task", stop, executor, **options)
        self._output = Path(
            self.parameter("output", "out", "Folder for bags, model and reports.", fixed=True)
        )
        self._given = self.parameter(
            "recording", "", "Bag to identify from instead of moving; empty: none.", fixed=True
        )
        self._validation_seed = self.parameter(
            "validation_seed",
            2,
            "Seed of the second excitation, on which the model is validated; -1: no validation.",
            between=(-1, 2**31),
            fixed=True,
        )
        self._publish = self.parameter(
            "publish", True, "Whether model_publisher loads the model.", fixed=True
        )
        self._player = Remote(self, "/excitation_player", self.wait, ("prepare", "start", "stop"))
        self._recorder = Remote(self, "/recorder", self.wait, ("start", "stop"))
        self._bag: Path | None = None  # the current or last recording
        self._model_publisher = Remote(self, "/model_publisher", self.wait, ("load",))

    def sequence(self, step: Callable[[str], None]) -> bool:
        """Identify from a motion or a bag, publish, and validate on a second motion."""
        step("waiting for the nodes")
        moves = not self._given
        for remote in (self.identifier, *((self._player, self._recorder) if moves else ())):
            remote.appear()
        if moves:  # the player's refusal names what is still missing
            what = "the robot to report its position and accept trajectories"
            troubles = self.attempt(lambda: self._player.leave({"", "waiting"}, what, _READY))
            if troubles:
                self.get_logger().error(troubles[0])
        recording = self._record("recording", "the excitation", step) if moves else self._given
        step("identifying")
        self.identifier.set(recording=str(recording), output=str(self._output))
        good = self.evaluated("identify", "identification")
        if self._publish and good:
            step("publishing the model")
            self._model_publisher.set(model=str(written_model(self._output, success=True)))
            self._model_publisher.ask("load")
        if moves and self._validation_seed >= 0:
            self._player.set(seed=self._validation_seed)
            recording = self._record("validation_recording", "a second motion", step)
            step("validating")
            model = written_model(self._output, success=good)
            self.identifier.set(recording=str(recording), model=str(model))
            good = self.evaluated("validate", "validation") and good
        return good

    def give_up(self) -> list[str]:
        """Bring the robot to rest, then close the bag, in any state of the two.

        When this node ends, its launch may end all others, the robot's controller included. On
        Ctrl-C the player and the recorder do this by themselves, and end.
        """
        return [*self._rest(), *self._close()]

    def _rest(self) -> list[str]:
        player = self._player
        if player.present:
            self.attempt(lambda: player.call("stop", timeout=_STOPPING))
            what = "the robot to come to rest"
            self.attempt(lambda: player.leave(_MOVES, what, _STOPPING))
        self._await_last_state(player, _MOVES)
        unseen = player.state in _MOVES or _UNSEEN in player.state
        return [f"the robot {_UNSEEN}."] if unseen else []

    def _close(self) -> list[str]:
        recorder = self._recorder
        if recorder.present and recorder.state == _RECORDING:
            self.attempt(lambda: recorder.call("stop", timeout=_STOPPING))
        self._await_last_state(recorder, (_RECORDING,))
        # the last message may be lost where this node was suspended, but metadata.yaml is written
        # last
        complete = self._bag is not None and (self._bag / "metadata.yaml").is_file()
        incomplete = recorder.state == _RECORDING and not complete
        return ["the recorder has not completed the bag."] if incomplete else []

    def _await_last_state(self, remote: Remote, states: Collection[str]) -> None:
        """Wait briefly: the last message of a node may arrive after the report of its end."""
        if not remote.silent:
            self.attempt(lambda: self.wait(lambda: remote.state not in states, "", _LAST_STATE))

    def _record(self, folder: str, motion: str, step: Callable[[str], None]) -> Path:
        """Move to a motion's start, play it and record it into a folder of the output."""
        recording = self._bag = named(self._output, folder)
        step(f"moving to the start of {motion}")
        self._recorder.set(output=str(recording))
        self._begin("prepare")
        self._player.reach("ready")
        step(f"playing and recording {motion}")
        self._recorder.ask("start")
        self._recorder.reach(_RECORDING)
        self._begin("start")
        self._player.reach("finished", self._recorder)
        self.get_logger().info(self._recorder.ask("stop", timeout=_CLOSING))
        return recording

    def _begin(self, service: str) -> None:
        """Call the player to move the robot, which may still settle after it was switched on."""
        answer = self._player.call(service)
        for _ in range(_TRIES):
            if FROM_REST not in answer.message:
                break
            self.wait(Countdown(_PAUSE).over, "the robot to settle", None)
            answer = self._player.call(service)
        if not answer.success:
            raise TaskError(f"excitation_player: {answer.message}")


def main() -> None:
    """Run the sequence."""
    sys.exit(run_sequence(IdentificationTask))


if __name__ == "__main__":
    main()
