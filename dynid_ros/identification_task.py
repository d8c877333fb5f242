"""Node ``identification_task``: the whole identification once, then an exit code for launch.

Move to the start, play and record, settle, identify, publish, validate on another motion: the
sequence of softMC's identification program. The other nodes do the work. The exit code is 0 for a
model that passes its criterion, 1 for one that fails, 2 where the sequence was not completed, 4 for
a good model whose validation could not be evaluated.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from std_msgs.msg import String

from dynid.demonstration import named
from dynid.playback.robot_state import PASSING
from dynid.profile import load_model
from dynid.report.write import write_missing_validation, written_model
from dynid_ros.qos import LATCHED
from dynid_ros.remote import Countdown, LateMotionError, Remote
from dynid_ros.sequence import RefusedError, SequenceNode, run_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from rclpy.executors import Executor

    from dynid_ros.stop import Stop

    Step = Callable[[str], None]

STEPS = 8
"""Number of steps in the progress of the sequence, with a validation."""
_MOVES = ("moving", "playing", "settling")  # states of a player while the robot may move
_READY = 60.0  # [s] in which drivers and controllers start
_NOT_OBSERVED = "was not observed at rest"  # in a player's last state
_TRIES = 10  # after the first, while a robot settles
_PAUSE = 0.5  # [s] between two tries
_RECORDING = "recording"
_STOPPING = 10.0  # [s] in which a robot comes to rest, or a bag is closed
_CLOSING = 60.0  # [s] in which a bag is closed normally
_LAST_STATE = 1.0  # [s] for a last message to arrive


class IdentificationTask(SequenceNode):
    """The sequence; every step is a service of another node."""

    def __init__(self, stop: Stop, executor: Executor, **options: Any) -> None:
        """Get ready; nothing moves before :meth:`perform`."""
        super().__init__("identification_task", stop, executor, **options)
        self._output = Path(self.fixed("output", "out", "Folder for bags, model and reports."))
        self._given = self.fixed(
            "recording", "", "Bag to identify from instead of moving; empty: none."
        )
        self._validation_seed = self.fixed(
            "validation_seed",
            2,
            "Seed of the second excitation, on which the model is validated; -1: no validation.",
            between=(-1, 2**31),
        )
        self._publish = self.fixed("publish", True, "Whether model_publisher loads the model.")
        self._player = self.remote("excitation_player", "prepare", "start", "stop")
        self._recorder = self.remote("recorder", "start", "stop")
        self._bag: Path | None = None  # the current or last recording
        self._recorded: dict[str, Any] = {}  # what is missing of it
        self.create_subscription(String, "recorder/recorded", self._on_recorded, LATCHED)
        self._model_publisher = self.remote("model_publisher", "load")

    def sequence(self, step: Step) -> bool:
        """Identify from a motion or a bag, publish, and validate on a second motion."""
        moves = not self._given
        self._await_nodes(step, moves=moves)
        if moves:
            good = self._evaluate_motion("recording", "the excitation", self._identify, step)
        else:
            good = self._identify(Path(self._given), step)
        if self._publish and good:
            step("publishing the model")
            self._model_publisher.set(model=str(written_model(self._output, success=True)))
            self._model_publisher.request("load")
        if moves and self._validation_seed >= 0:
            good = self._validated(step, good=good)
        return good

    def _await_nodes(self, step: Step, *, moves: bool) -> None:
        step("waiting for the nodes")
        for remote in (self.identifier, *((self._player, self._recorder) if moves else ())):
            remote.appear()
        if moves:  # the player's refusal names what is still missing
            what = "the robot to report its position and accept trajectories"
            troubles = self.attempt(lambda: self._player.leave({"", "waiting"}, what, _READY))
            if troubles:
                self.get_logger().error(troubles[0])

    def _identify(self, recording: Path, step: Step) -> bool:
        """Identify from a recording; return whether the model passes its criterion."""
        step("identifying")
        self.identifier.set(recording=str(recording), output=str(self._output))
        return self.evaluated("identify", "identification")

    def _validated(self, step: Step, *, good: bool) -> bool:
        """Validate on a second motion; return whether the model has passed all criteria.

        A good model stays good if its validation cannot be evaluated: that is then missing.
        """
        model = str(written_model(self._output, success=good))

        def validate(recording: Path, step: Step) -> bool:
            step("validating")
            self.identifier.set(recording=str(recording), model=model)
            return self.evaluated("validate", "validation") and good

        self._player.set(seed=self._validation_seed)
        try:
            return self._evaluate_motion("validation_recording", "a second motion", validate, step)
        except (RefusedError, LateMotionError) as error:
            with self.logging_warnings():
                write_missing_validation(load_model(model), str(error), self._output)
            self.missing = f"{model} was not validated on a second motion: {error}"
            self.get_logger().warning(self.missing)
            return good

    def _evaluate_motion(
        self, folder: str, motion: str, evaluate: Callable[[Path, Step], bool], step: Step
    ) -> bool:
        """Record a motion and evaluate it; once more if this computer was too slow for either.

        Raises:
            RefusedError: the motion cannot be played, or the recording cannot be evaluated.
            LateMotionError: the motion came to rest early, twice.
        """

        def attempt() -> bool:
            try:
                return evaluate(self._record(folder, motion, step), step)
            except (RefusedError, LateMotionError):
                self._close()
                raise

        try:
            return attempt()
        except (RefusedError, LateMotionError) as error:
            if not (isinstance(error, LateMotionError) or self._missing()):
                raise
            self.get_logger().warning(f"{error} {motion.capitalize()} is played once more.")
        return attempt()

    def _missing(self) -> int:
        """Return the number of messages that are missing of the last recording."""
        what = "the recorder's count of messages"
        self.attempt(lambda: self.wait(lambda: self._recorded, what, _LAST_STATE))
        return sum(topic["missing"] for topic in self._recorded.get("topics", []))

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
        unseen = player.state in _MOVES or _NOT_OBSERVED in player.state
        return [f"the robot {_NOT_OBSERVED}."] if unseen else []

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

    def _on_recorded(self, message: String) -> None:
        recorded = json.loads(message.data)
        if recorded["output"] == str(self._bag):
            self._recorded = recorded

    def _record(self, folder: str, motion: str, step: Step) -> Path:
        """Move to a motion's start, play it and record it into a folder of the output."""
        recording = self._bag = named(self._output, folder)
        self._recorded = {}
        step(f"moving to the start of {motion}")
        self._recorder.set(output=str(recording))
        self._begin("prepare")
        self._player.reach("ready")
        step(f"playing and recording {motion}")
        self._recorder.request("start")
        self._recorder.reach(_RECORDING)
        self._begin("start")
        self._player.reach("finished", self._recorder)
        self.get_logger().info(self._recorder.request("stop", timeout=_CLOSING))
        return recording

    def _begin(self, service: str) -> None:
        """Call the player to move the robot, which may still settle, or be late."""
        answer = self._player.call(service)
        for _ in range(_TRIES):
            if not any(part in answer.message for part in PASSING):
                break
            self.wait(Countdown(_PAUSE).over, "the robot to settle", None)
            answer = self._player.call(service)
        if not answer.success:
            raise RefusedError(f"excitation_player: {answer.message}")


main = partial(run_sequence, IdentificationTask)
