"""A replayed bag gives the same model as the bag itself."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.arm_files import write_arm

from dynid.errors import TaskError
from dynid.identification.identify import identify
from dynid.profile import load_model, load_robot
from dynid.recording.load import load_recording
from dynid.report.write import write_outputs
from dynid.robot.acceptance import largest_difference
from dynid_ros import remote
from dynid_ros.identifier import Identifier
from dynid_ros.replay_task import ReplayTask


class Replay:
    def __init__(self, graph, arm, output) -> None:
        self.graph, self.arm, self.output = graph, arm, output
        self.stop = SimpleNamespace(requested=False, name="SIGINT")
        self.steps: list[str] = []
        self.cards = {}

    def listen(self, **changes) -> Identifier:
        return self.graph.start(Identifier, profile=str(self.arm.profile), **changes)

    def perform(self, report=None, **parameters) -> bool:
        given = {"recording": str(self.arm.bag), "output": str(self.output), "rate": 20.0}
        make = partial(ReplayTask, self.stop, self.graph._executor)
        task = self.graph.start(make, **(given | parameters))
        try:
            return task.perform(report or self.steps.append)
        finally:
            self.cards = task.cards
            self.graph.stop(task)

    def failed(self, *report, **parameters) -> str:
        with pytest.raises(TaskError) as ended:
            self.perform(*report, **parameters)
        return str(ended.value)


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    # short: models must be equal, not accurate
    quick = {"folds": 2, "physical": {"enabled": False}}
    settings = {"cutoff_hz": None, "trim_rest": False, **quick}
    return write_arm(tmp_path_factory.mktemp("arm"), identification=settings)


@pytest.fixture(scope="module")
def model(arm) -> Path:
    """The model identified from the bag, without the code under test."""
    robot = load_robot(str(arm.profile))
    recording = load_recording(arm.bag, robot.joints)
    folder = arm.profile.parent / "model"
    write_outputs(identify(robot, recording), folder)
    return folder / "model.yaml"


@pytest.fixture
def replay(graph, arm, tmp_path) -> Replay:
    return Replay(graph, arm, tmp_path / "out")


def test_a_replayed_bag_gives_exactly_the_model_of_the_bag(replay, model) -> None:
    identifier = replay.listen()
    assert replay.perform(model=str(model))
    replayed = load_model(replay.output / "model.yaml")
    read = load_model(replay.output / "from_bag" / "model.yaml")
    assert replayed.provenance.samples == read.provenance.samples
    assert largest_difference(replayed, read) == 0.0
    assert "parameters of topic and bag differ by 0 of the largest of each kind" in replay.steps
    assert largest_difference(replayed, load_model(model)) == 0.0
    assert len(identifier._collector.messages) == 2000
    assert list(replay.cards) == ["identification", "validation"]


@pytest.fixture
def without_reports(monkeypatch) -> None:
    """Skip the reports, which take half the time of an identification."""
    monkeypatch.setattr("dynid.report.write.write_report", lambda *_: None)


@pytest.mark.usefixtures("without_reports")
def test_a_model_that_fails_its_criterion_is_a_failure(replay) -> None:
    replay.listen(overrides=["identification.max_relative_torque_error=0.0001"])
    assert not replay.perform()


@pytest.mark.usefixtures("without_reports")
def test_models_that_differ_are_a_failure(replay, monkeypatch) -> None:
    replay.listen()
    monkeypatch.setattr("dynid_ros.replay_task.largest_difference", lambda one, other: 2e-9)
    assert not replay.perform()
    assert "parameters of topic and bag differ by 2e-09 of the largest of each kind" in replay.steps


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"recording": "/nowhere/bag"}, r".*bag.*(not|no).*\."),
        ({"recording": ""}, r"parameter 'recording' of replay_task is empty; .*\."),
        ({"recording": __file__}, r"test_replay_task\.py.*\."),
    ],
)
def test_an_unreadable_bag_is_one_sentence_and_nothing_is_collected(
    replay, parameters, sentence
) -> None:
    identifier = replay.listen()
    assert re.fullmatch(sentence, replay.failed(**parameters))
    assert identifier._collector is None


def test_without_an_identifier_the_sequence_ends_with_a_sentence(replay, monkeypatch) -> None:
    monkeypatch.setattr(remote, "_APPEAR", 0.5)
    assert replay.failed() == "timed out after waiting 0.5 s for node /identifier to appear."


def test_an_interrupted_replay_stops_the_collection(replay) -> None:
    identifier = replay.listen()

    def report(step: str) -> None:
        replay.stop.requested = step == "replaying"

    assert replay.failed(report) == "interrupted by SIGINT while replaying."
    assert not identifier._collector.active
