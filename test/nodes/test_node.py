"""The base class of nodes."""

from __future__ import annotations

import importlib

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.parameter import Parameter
from std_msgs.msg import Empty
from std_srvs.srv import Trigger

from dynid.errors import ConfigurationError, DynidError
from dynid_ros import programs
from dynid_ros.node import WARN, DynidNode
from dynid_ros.qos import DIAGNOSTICS


class Kettle(DynidNode):
    def __init__(self, **options) -> None:
        super().__init__("kettle", **options)
        self.power = self.parameter("power", 1000.0, "Of the heater [W].", between=(100.0, 3000.0))
        self.create_service(Trigger, "~/boil", self.answering(self._boil))
        steam = self.create_publisher(Empty, "~/steam", 10)
        self.puffs = self.create_timer(0.01, lambda: steam.publish(Empty()), clock=self.steady)

    def _boil(self) -> str:
        if self.current("power", float) > 2000.0:
            raise DynidError("the fuse would blow; set power to 2000 W or less.")
        self.health(WARN, "hot")
        return "boiling"


def test_a_service_responds_with_a_sentence_in_success_and_failure(graph) -> None:
    kettle = graph.start(Kettle, power=3000.0)
    assert graph.refused("/kettle/boil") == "the fuse would blow; set power to 2000 W or less."
    kettle.set_parameters([Parameter("power", value=500.0)])
    assert graph.done("/kettle/boil") == "boiling"


def test_diagnostics_repeat_the_status_of_the_node(graph) -> None:
    graph.start(Kettle)
    received = graph.listen(DiagnosticArray, "/diagnostics", DIAGNOSTICS)
    graph.call("/kettle/boil")
    graph.until(lambda: [m.status[0].message for m in received].count("hot") >= 2)
    assert received[-1].status[0].level == WARN


@pytest.mark.parametrize("value", [3500.0, "much"])
def test_an_invalid_parameter_is_named_with_its_range(graph, value) -> None:
    expected = (
        r"parameter 'power' of kettle: expected a number with a decimal point from 100 to 3000"
    )
    with pytest.raises(ConfigurationError, match=expected):
        graph.start(Kettle, power=value)


def test_a_number_is_declared_with_its_range(graph) -> None:
    kettle = graph.start(Kettle)
    with pytest.raises(ValueError, match="'volume' is a number: between which values"):
        kettle.parameter("volume", 1.5, "Volume [l].")


def test_a_parameter_that_does_not_exist_gives_a_warning(graph, capfd) -> None:
    graph.start(Kettle, powr=500.0).warn_of_unknown_parameters()
    assert "there is no parameter 'powr'; did you mean 'power'." in capfd.readouterr().err


def test_a_timer_that_came_due_while_its_node_was_destroyed_does_nothing(graph) -> None:
    kettle = graph.start(Kettle)
    graph.stop(kettle)
    kettle.puffs.callback()  # as the executor calls what it had queued


@pytest.mark.parametrize("name", ["identifier", "recorder", "wait_for_drives"])
def test_help_of_a_program_says_what_it_does_and_starts_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.setattr("sys.argv", [name, "--help"])
    programs.start(name)
    purpose, usage = capsys.readouterr().out.split("\n\nUsage: ")
    assert purpose == (importlib.import_module(f"dynid_ros.{name}").__doc__ or "").strip()
    assert usage.startswith(f"ros2 run dynid {name} ")
