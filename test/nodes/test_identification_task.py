"""The whole loop, with every real node around a simulated robot that is fast and small."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from support.arm_files import write_arm
from support.representatives import representatives
from support.small_robot import JOINTS, write_small_robot

from dynid.errors import RecordingError, TaskError
from dynid.playback.commander import Commander, LateError
from dynid.profile import load_model
from dynid.recording.load import load_recording
from dynid_ros import identifier, remote
from dynid_ros.excitation_player import ExcitationPlayer
from dynid_ros.identification_task import IdentificationTask
from dynid_ros.identifier import Identifier
from dynid_ros.model_publisher import ModelPublisher
from dynid_ros.qos import LATCHED, STATES
from dynid_ros.recorder import Recorder
from dynid_ros.sequence import outcome
from dynid_ros.simulated_robot import SimulatedRobotNode
from dynid_ros.stop import FINISHED, VALIDATION_MISSING

SPEED = 10.0
MOVING = 0.5  # [rad/s]
NODES = {
    "robot": SimulatedRobotNode,
    "player": ExcitationPlayer,
    "recorder": Recorder,
    "identifier": Identifier,
    "publisher": ModelPublisher,
}


class Loop:
    """The nodes of a demonstration, and a task that goes through its sequence with them."""

    def __init__(self, graph, folder: Path) -> None:
        self.graph = graph
        self.output = folder / "out"
        self.profile = str(write_small_robot(folder))
        self.stop = SimpleNamespace(requested=False, name="SIGINT")
        self.nodes = {}
        self.steps: list[str] = []
        self.played = graph.listen(String, "/excitation_player/state", LATCHED)
        self.recorded = graph.listen(String, "/recorder/state", LATCHED)
        self.published = graph.listen(String, "/dynid/model", LATCHED)
        self.states = graph.listen(JointState, "/joint_states", STATES)

    def start(self, *, without: str = "", **changes: dict[str, object]) -> Loop:
        simulated = {"profile": self.profile, "use_sim_time": True}
        # in one process, missing messages and delays only mean that the machine is busy
        patient = {"max_age": 10.0, "horizon": 10.0}
        parameters = {
            "robot": {"profile": self.profile, "speed": SPEED},
            "player": {**simulated, **patient, "move_fraction": 1.0, "settle_time": 0.1},
            "recorder": {"use_sim_time": True},
            "identifier": simulated,
            "publisher": simulated,
        }
        for name, make in NODES.items():
            if name != without:
                given = parameters[name] | changes.get(name, {})
                self.nodes[name] = self.graph.start(make, **given)
        return self

    def perform(self, **parameters: object) -> bool:
        make = partial(IdentificationTask, self.stop, self.graph._executor)
        task = self.graph.start(make, **{"output": str(self.output), **parameters})
        try:
            return task.perform(self.steps.append)
        finally:
            self.cards, self.missing = task.cards, task.missing
            self.code = outcome(task, good=True)
            self.graph.stop(task)

    def failed(self, **parameters: object) -> str:
        """Return the message with which the sequence ends."""
        with pytest.raises(TaskError) as ended:
            self.perform(**parameters)
        return str(ended.value)

    def when_playing(self, act) -> None:
        """Do something once, in the middle of the excitation."""
        done = []

        def watch(message: JointState) -> None:
            playing = self.played and self.played[-1].data == "playing"
            if playing and not done and max(map(abs, message.velocity)) > MOVING:
                done.append(act())

        self.graph.peer.create_subscription(JointState, "/joint_states", watch, STATES)

    def assert_at_rest(self) -> None:
        """Check that the robot is at rest at the end of the sequence and half a second later."""
        before = len(self.states)
        self.graph.until(lambda: len(self.states) > before + 500)
        position = np.array([state.position for state in self.states[before - 1 :]])
        assert np.ptp(position, axis=0).max() < 2e-3

    def assert_bag_closed(self) -> None:
        (bag,) = self.output.glob("recording_*")
        assert (bag / "metadata.yaml").is_file()
        recording = load_recording(bag, JOINTS)
        assert not recording.repairs
        assert np.abs(recording.velocity).max() > MOVING
        self.graph.until(lambda: self.recorded[-1].data == "idle")


@pytest.fixture
def loop(graph, tmp_path) -> Loop:
    return Loop(graph, tmp_path)


def test_identifies_publishes_and_validates_and_leaves_every_file(loop, monkeypatch) -> None:
    # test_identifier.py writes whole ones, which takes half the time
    monkeypatch.setattr("dynid.report.write.write_report", lambda _, path, *__: path.touch())
    assert loop.start().perform()
    assert list(loop.cards) == ["identification", "validation"]
    assert loop.steps == [
        "waiting for the nodes",
        "moving to the start of the excitation",
        "playing and recording the excitation",
        "identifying",
        "publishing the model",
        "moving to the start of a second motion",
        "playing and recording a second motion",
        "validating",
    ]
    left = sorted(path.name.partition("recording_")[0] for path in loop.output.iterdir())
    assert left == [
        "",
        "duo_identified.urdf",
        "model.yaml",
        "report.html",
        "signals.mcap",
        "validation.html",
        "validation.mcap",
        "validation_",
    ]
    assert loop.published[-1].data == (loop.output / "model.yaml").read_text()
    model = load_model(loop.output / "model.yaml")
    found = dict(zip(model.parameter_names, model.parameters.tolist(), strict=True))
    # the true friction; torque is measured to 0.2 N m over thousands of samples
    for name, true in {"Fv1": 1.5, "Fv2": 0.8, "Fc1": 2.0, "Fc2": 1.0}.items():
        assert found[name] == pytest.approx(true, abs=0.1), name
    first, second = (
        load_recording(next(loop.output.glob(name)), JOINTS)
        for name in ("recording_*", "validation_recording_*")
    )
    assert not np.allclose(np.ptp(first.position, axis=0), np.ptp(second.position, axis=0), 0.05)
    loop.assert_at_rest()


@pytest.mark.thorough
def test_a_model_that_fails_its_criterion_is_written_but_not_published(loop, monkeypatch) -> None:
    monkeypatch.setattr("dynid.report.write.write_report", lambda *_: None)  # takes half the time
    overrides = ["identification.max_relative_torque_error=0.0001"]
    loop.start(identifier={"overrides": overrides})
    assert not loop.perform(validation_seed=-1)
    assert not loop.cards["identification"].verdict.success
    assert load_model(loop.output / "model.failed.yaml").failed
    assert not (loop.output / "model.yaml").exists()
    assert not loop.published


def test_a_bag_is_identified_without_any_motion(loop, tmp_path) -> None:
    arm = write_arm(tmp_path)
    loop.nodes["identifier"] = loop.graph.start(Identifier, profile=str(arm.profile))
    assert loop.perform(recording=str(arm.bag), publish=False)
    assert loop.steps == ["waiting for the nodes", "identifying"]
    assert load_model(loop.output / "model.yaml").provenance.status == "success"


def test_a_task_in_a_namespace_uses_the_nodes_of_its_own(graph, tmp_path) -> None:
    arm = write_arm(tmp_path)
    published = {}
    for side in ("left", "right"):
        for make in (Identifier, ModelPublisher):
            graph.start(partial(make, namespace=f"/{side}"), profile=str(arm.profile))
        published[side] = graph.listen(String, f"/{side}/dynid/model", LATCHED)
    stop = SimpleNamespace(requested=False, name="SIGINT")
    make = partial(IdentificationTask, stop, graph._executor, namespace="/right")
    task = graph.start(make, output=str(tmp_path / "out"), recording=str(arm.bag))
    assert task.perform(lambda _: None)
    graph.until(lambda: published["right"])
    assert load_model(tmp_path / "out" / "model.yaml").provenance.status == "success"
    assert not published["left"]


def test_a_missing_bag_ends_the_sequence_with_the_identifiers_message(
    loop, monkeypatch, tmp_path
) -> None:
    monkeypatch.setattr("dynid_ros.sequence._FOLLOWS", 0.2)
    loop.nodes["identifier"] = loop.graph.start(Identifier, profile=loop.profile)
    message = loop.failed(recording=str(tmp_path / "gone"))
    assert message.startswith("identifier: ")
    assert "gone" in message


@pytest.fixture
def refuse(monkeypatch):
    """Have the identifier refuse recordings, and the recorder report missing messages."""
    monkeypatch.setattr("dynid_ros.sequence._FOLLOWS", 0.2)
    monkeypatch.setattr("dynid.report.write.write_report", lambda *_: None)  # takes half the time

    def arrange(service: str, *, times: int, missing: int) -> list[str]:
        monkeypatch.setattr("dynid_ros.topic_reader.StampCheck.missing", missing)
        path = f"dynid_ros.identifier.{service}"
        refused, real = [], getattr(identifier, service)

        def evaluate(*given: object, **options: object) -> object:
            if len(refused) == times:
                return real(*given, **options)
            refused.append(service)
            raise RecordingError("samples are missing for 0.070 s.")

        monkeypatch.setattr(path, evaluate)
        return refused

    return arrange


@pytest.mark.thorough
def test_a_good_model_stays_good_if_its_validation_cannot_be_evaluated(loop, refuse) -> None:
    refused = refuse("validate", times=9, missing=0)
    assert loop.start().perform()
    assert len(refused) == 1  # nothing was missing: the same motion would be refused again
    assert loop.missing == (
        f"{loop.output / 'model.yaml'} was not validated on a second motion: identifier: samples "
        "are missing for 0.070 s."
    )
    assert loop.code == VALIDATION_MISSING
    assert not load_model(loop.output / "model.yaml").failed
    assert loop.published[-1].data == (loop.output / "model.yaml").read_text()
    assert not (loop.output / "validation.mcap").exists()
    page = (loop.output / "validation.html").read_text()
    assert "The validation is missing: identifier: samples are missing for 0.070 s." in page
    loop.assert_at_rest()


@pytest.mark.thorough
def test_a_recording_that_lacks_messages_is_repeated_once(loop, refuse) -> None:
    refused = refuse("identify", times=1, missing=70)
    assert loop.start().perform(validation_seed=-1)
    assert len(refused) == 1
    assert loop.steps.count("playing and recording the excitation") == 2
    assert len(list(loop.output.glob("recording_*/metadata.yaml"))) == 2
    assert loop.code == FINISHED


@pytest.mark.thorough
def test_a_recording_that_lacks_messages_twice_ends_the_sequence(loop, refuse) -> None:
    refused = refuse("identify", times=9, missing=70)
    message = loop.start().failed(validation_seed=-1)
    assert message == "identifier: samples are missing for 0.070 s."
    assert len(refused) == 2


@pytest.mark.thorough
def test_a_motion_that_was_late_is_repeated_once(loop, monkeypatch) -> None:
    renew, late = Commander._renew, []

    def be_late_once(commander: Commander, motion: object) -> None:
        if loop.played[-1].data == "playing" and not late:
            late.append(motion)
            commander.abandon()
            raise LateError("the motion was not renewed within its horizon.")
        renew(commander, motion)

    monkeypatch.setattr(Commander, "_renew", be_late_once)
    loop.start(player={"horizon": 1.0})
    assert loop.perform(validation_seed=-1)
    assert late
    (state,) = (message.data for message in loop.played if message.data.startswith("late"))
    assert state.startswith(
        "late: the motion was not renewed within its horizon. The player paused"
    )
    assert loop.steps.count("playing and recording the excitation") == 2
    assert len(list(loop.output.glob("recording_*/metadata.yaml"))) == 2


def test_a_drive_fault_ends_the_motion_and_closes_the_bag(loop) -> None:
    loop.start()
    loop.when_playing(loop.nodes["robot"]._inject_fault)
    message = loop.failed()
    assert message.startswith("excitation_player: simulated_robot: A drive fault was injected at ")
    loop.assert_at_rest()
    loop.assert_bag_closed()
    assert not (loop.output / "model.yaml").exists()


def test_an_interruption_in_the_middle_brings_the_robot_to_rest_and_closes_the_bag(loop) -> None:
    loop.start()

    def interrupt() -> None:
        loop.stop.requested = True

    loop.when_playing(interrupt)
    assert loop.failed() == ("interrupted by SIGINT while playing and recording the excitation.")
    loop.assert_at_rest()
    assert loop.nodes["robot"]._robot.fault is None
    assert loop.played[-1].data == "aborted: the motion was stopped on request."
    loop.assert_bag_closed()


@pytest.mark.thorough
def test_a_bag_is_complete_even_if_the_recorders_last_message_is_lost(loop, monkeypatch) -> None:
    """A suspended task misses the last message of a recorder that has ended meanwhile."""
    loop.start()

    def interrupt() -> None:
        monkeypatch.setattr(loop.nodes["recorder"], "_publish_status", lambda *_, **__: None)
        loop.stop.requested = True

    loop.when_playing(interrupt)
    assert loop.failed() == "interrupted by SIGINT while playing and recording the excitation."
    (bag,) = loop.output.glob("recording_*")
    assert not load_recording(bag, JOINTS).repairs


def test_a_stopped_simulated_clock_is_detected(loop, monkeypatch) -> None:
    monkeypatch.setattr("dynid_ros.identification_task._STOPPING", 1.0)  # it never rests
    loop.start()
    loop.when_playing(lambda: [timer.cancel() for timer in loop.nodes["robot"].timers])
    message = loop.failed(use_sim_time=True)
    assert re.match(r"the simulated time of /clock stopped at \d+\.\d\d s; ", message)
    assert "; the robot was not observed at rest" in message


@pytest.mark.parametrize("missing", representatives(["player", "identifier"], 1))
def test_a_node_that_is_missing_is_named_before_anything_moves(loop, monkeypatch, missing) -> None:
    monkeypatch.setattr(remote, "_APPEAR", 2.0)
    loop.start(without=missing)
    name = {"player": "excitation_player"}.get(missing, missing)
    assert loop.failed() == f"timed out after waiting 2 s for node /{name} to appear."
    assert not loop.output.exists()


def test_a_refusal_of_the_player_ends_the_sequence_with_its_message(loop, tmp_path) -> None:
    wild = tmp_path / "wild.yaml"
    wild.write_text("excitation: {type: sine, start: 0, target: 3, frequency: 1, duration: 1}")
    loop.start(player={"excitation": str(wild)})
    message = loop.failed()
    assert message.startswith("excitation_player: joint '")
    assert "beyond" in message
    assert [message.data for message in loop.played] == ["waiting", "idle"]
