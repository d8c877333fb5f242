"""``ros2 launch dynid control.launch.py``: the model's torque, a collision, and its reset.

Under controller_manager the references come from joint_trajectory_controller, chained; without
ros2_control from simulated_robot. Names and sentences are the same.
"""

import time

import launch_testing
from cell import JOINTS, Cell, RosTest
from deadline import LONGEST
from launched import FOLDER, SHORT, CleanEnd, ros2_launch, under_test
from simulated_bag import write_puma, write_simulated_model

MODEL = write_simulated_model(FOLDER / "model.yaml", SHORT)  # of puma560
ROBOT = FOLDER / "puma560.yaml"
ABOVE = [0.0, -0.6, 0.6, 0.0, 0.3, 0.0]  # [rad]
ASIDE = [0.6, -0.3, 0.9, 0.3, 0.0, 0.3]  # [rad]
SLOWER = 15.0  # [s] for one in which something else has to happen
PUSH = 300.0  # [N]


@launch_testing.parametrize("ros2_control", ["true", "false"])
def generate_test_description(ros2_control):
    # thresholds that tolerate stalling machines, and a model of a short motion
    write_puma(ROBOT, collision={"torque_error_max": [30, 40, 20, 5, 5, 5]})
    process = ros2_launch("control", robot=ROBOT, ros2_control=ros2_control, model=MODEL)
    pushed = "/puma560" if ros2_control == "true" else "/simulated_robot"
    return under_test(process, pushed=pushed)


class PushedCell(Cell):
    """A cell whose robot can be pushed."""

    def set_off(self, home, goal):
        """Be on the way from home to a goal; again from home if the machine stalls meanwhile."""
        deadline = time.monotonic() + LONGEST
        while time.monotonic() < deadline:
            self.arrive(home)
            self.go(goal, SLOWER)
            self.until(lambda: self.moves() or self.stopped(), "a robot in motion")
            if not self.stopped():
                return
            self.recover()
        raise AssertionError("every motion began with a collision that was none")


class Collision(RosTest):
    def test_torque_is_added_and_a_push_stops_the_robot_until_it_is_reset(self, pushed):
        cell = PushedCell(pushed)
        cell.until(lambda: cell.states and cell.collisions, "a state and the news of no collision")
        cell.until(lambda: abs(cell.rows("reference", "effort")[1]) > 20, "torque against weight")
        cell.set_off(ABOVE, ASIDE)
        cell.push("link_5", PUSH, cell.stopped, "a collision")
        event = {pair.key: pair.value for pair in cell.collisions[-1].values}
        assert event["joint"] in JOINTS
        assert event["cause"] == "torque_error"
        assert abs(float(event["value"])) > float(event["threshold"])
        assert f"Collision at joint '{event['joint']}': " in cell.collisions[-1].message
        before = len(cell.states)
        later = lambda: len(cell.states) > before + 100  # noqa: E731
        cell.push("link_5", 0.0, later, "a second of states")
        assert not any(cell.rows("reference", "effort")), "torque offsets after a collision"
        assert not cell.is_at(ASIDE)
        held = cell.rows("feedback")

        cell.recover()
        heard = len(cell.joints)
        cell.until(lambda: len(cell.joints) > heard + 1, "joint states after the reset")
        assert cell.is_at(held), (held, cell.positions(cell.joints[-1]))
        cell.arrive(ABOVE)


class End(CleanEnd):
    """After the end."""
