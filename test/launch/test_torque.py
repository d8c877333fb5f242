"""``control.launch.py command:=torque``: torque alone moves, holds and stops the robot.

A collision ends in the robot's own stop, because controller_manager deactivates the controller; an
activation starts it again.
"""

import time

import numpy as np
import rclpy
from cell import SLOW, Cell, RosTest
from controller_manager_msgs.srv import ListControllers, SwitchController
from deadline import LONGEST
from diagnostic_msgs.msg import DiagnosticStatus
from launched import FOLDER, SHORT, CleanEnd, ros2_launch, under_test
from simulated_bag import write_puma, write_simulated_model
from std_msgs.msg import Bool

MODEL = write_simulated_model(FOLDER / "model.yaml", SHORT)  # of puma560
ROBOT = FOLDER / "puma560.yaml"
ABOVE = [0.0, -0.6, 0.6, 0.0, 0.3, 0.0]  # [rad]
ASIDE = [0.6, -0.3, 0.9, 0.3, 0.0, 0.3]  # [rad]
PUSH = 300.0  # [N]
HAND = 30.0  # [N]
NEAR = 0.03  # [rad] a PD controller leaves friction to the model
RESTING = 1e-3  # [rad]
BEST_EFFORT = SwitchController.Request.BEST_EFFORT
CONTROLLERS = ["feedforward_controller", "joint_trajectory_controller"]


def generate_test_description():
    # thresholds that tolerate stalling machines, and a model of a short motion
    patient = {"torque_error_max": [60, 80, 40, 10, 10, 10]}
    write_puma(ROBOT, collision=patient, torque_control={"integral_time": 0.3})
    command = ros2_launch(
        "control", robot=ROBOT, ros2_control="true", model=MODEL, command="torque"
    )
    return under_test(command)


class TorqueCell(Cell):
    """A cell whose controllers are deactivated by a collision."""

    def start(self):
        """Wait until references are followed, which begins with one at rest."""
        self.until(lambda: self.active() == CONTROLLERS, "controllers")
        self.spin(0.5)  # until /dynid/drives can have arrived
        self.until(lambda: self.level() == DiagnosticStatus.OK, "drives that follow references")

    def arrive(self, goal):
        """Move to a goal, again where the machine stalls: the trajectory is then aborted."""
        deadline = time.monotonic() + LONGEST
        while not self.is_at(goal):
            assert time.monotonic() < deadline, f"the robot at {goal}"
            if self.stopped():
                self.recover()
            self.go(goal)
            end = time.monotonic() + 3 * SLOW
            while time.monotonic() < end and not self.is_at(goal) and not self.stopped():
                rclpy.spin_once(self.node, timeout_sec=0.05)

    def guided(self):
        """Return whether the controller says that nothing is supervised."""
        named = zip(self.states[-1].name, self.states[-1].effort, strict=True)
        return any(np.isinf(value) for name, value in named if name.endswith("/blind_time"))

    def lead(self, link, begin):
        """Lead a link away by hand, with the switch pressed, and let go.

        Where the machine stalls, the switch falls silent and must be pressed anew.
        """
        switch = self.node.create_publisher(Bool, "/feedforward_controller/guide", 10)
        self.until(switch.get_subscription_count, "a robot that can be guided")
        deadline = time.monotonic() + LONGEST
        pushes = 0.0
        while abs(self.positions(self.joints[-1]) - begin).max() < 2 * NEAR:
            assert time.monotonic() < deadline, "a robot that is led"
            end = time.monotonic() + SLOW
            while time.monotonic() < end:
                switch.publish(Bool(data=True))
                rclpy.spin_once(self.node, timeout_sec=0.02)
                if self.guided() and not pushes:
                    pushes = HAND
                    self.push(link, pushes, lambda: True, "a hand")
            self.push(link, 0.0, lambda: True, "a hand that lets go")
            pushes = 0.0
            self.rest()
        self.until(lambda: not self.guided(), "a robot that is released")
        held = self.rest()
        assert abs(self.positions_in(1.0) - held).max() < RESTING, "its loops hold it there"

    def positions_in(self, seconds):
        """Return the positions of a state that is stamped so much later than now."""
        due = self.node.get_clock().now().nanoseconds * 1e-9 + seconds

        def stamp():
            return self.joints[-1].header.stamp.sec + 1e-9 * self.joints[-1].header.stamp.nanosec

        self.until(lambda: stamp() >= due, "states")
        return self.positions(self.joints[-1])

    def rest(self):
        """Return the positions once the robot has come to rest."""
        deadline = time.monotonic() + LONGEST
        before, now = np.inf, self.positions_in(0.5)
        while abs(now - before).max() > RESTING:
            assert time.monotonic() < deadline, "a robot at rest"
            before, now = now, self.positions_in(0.5)
        return now

    def active(self):
        answer = self.call(ListControllers, "/controller_manager/list_controllers")
        states = {one.name: one.state for one in answer.controller}
        return [name for name in CONTROLLERS if states.get(name) == "active"]

    def recover(self):
        """Activate the controllers, again if the machine stalls meanwhile."""
        deadline = time.monotonic() + LONGEST
        while self.stopped() or self.active() != CONTROLLERS:
            assert time.monotonic() < deadline, "an activation"
            request = SwitchController.Request(
                deactivate_controllers=self.active(), strictness=BEST_EFFORT
            )
            self.call(SwitchController, "/controller_manager/switch_controller", request)
            request = SwitchController.Request(
                activate_controllers=CONTROLLERS, strictness=SwitchController.Request.STRICT
            )
            self.call(SwitchController, "/controller_manager/switch_controller", request)
            self.spin(0.5)  # until ~/collision can have arrived

    def is_at(self, goal):
        if not self.joints:
            return False
        return bool(abs(self.positions(self.joints[-1]) - goal).max() < NEAR)

    def commands(self):
        return list(self.states[-1].effort[:6])


class Torque(RosTest):
    def test_torque_moves_and_holds_the_robot_and_a_push_ends_in_its_own_stop(self):
        cell = TorqueCell()
        cell.until(lambda: cell.states and cell.collisions, "a state and the news of no collision")
        cell.start()
        cell.arrive(ABOVE)
        assert abs(cell.commands()[1]) > 20, "torque against weight"
        cell.arrive(ASIDE)
        cell.lead("link_5", ASIDE)
        assert cell.active() == CONTROLLERS, "a release is no fault"
        cell.arrive(ASIDE)
        cell.push("link_5", PUSH, cell.stopped, "a collision")
        cell.push("link_5", 0.0, lambda: cell.active() == [], "inactive controllers")
        held = cell.rest()
        assert abs(cell.positions_in(1.0) - held).max() < NEAR, "the robot's own stop holds it"

        cell.recover()
        cell.arrive(ABOVE)


class End(CleanEnd):
    """After the end."""
