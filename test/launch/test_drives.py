"""Drives that appear on their bus seconds late, one that fails, and shutdown: nothing jumps.

Each joint is at a position where a command of zero would move it. With feedforward the model
compensates gravity, so there is torque that must be zero before the hardware stops.
"""

import re
import time

import launch_testing
from cell import SLOW, Cell, RosTest, trajectory
from diagnostic_msgs.msg import DiagnosticStatus
from launched import FOLDER, SHORT, CleanEnd, output_of, ros2_launch, under_test
from simulated_bag import write_puma, write_simulated_model
from std_msgs.msg import String
from std_srvs.srv import Trigger

MODEL = write_simulated_model(FOLDER / "model.yaml", SHORT)  # of puma560
ROBOT = FOLDER / "puma560.yaml"
HOME = [0.3, -0.6, 0.6, 0.3, 0.3, 0.3]  # [rad]
LATE = [8.0, 2.0, 0.0, 1.0, 3.0, 8.0]  # [s]
FAILS = "joint_2"


@launch_testing.parametrize("feedforward", ["true", "false"])
def generate_test_description(feedforward):
    write_puma(
        ROBOT,
        simulation={"home": HOME, "operational_after": LATE},
        collision={"torque_error_max": [300, 400, 200, 50, 50, 50]},  # tolerates stalling machines
    )
    if feedforward == "true":
        process = ros2_launch("control", robot=ROBOT, ros2_control="true", model=MODEL)
    else:
        process = ros2_launch("robot", robot=ROBOT, ros2_control="true")
    watcher = "feedforward_controller" if feedforward == "true" else "drive_monitor"
    return under_test(process, watcher=watcher)


class FailingCell(Cell):
    """A cell whose drives can fail."""

    def __init__(self):
        super().__init__()
        self.faults = self.node.create_publisher(String, "/puma560/fail_drive", 1)

    def fail(self, joint):
        self.until(self.faults.get_subscription_count, "drives that can fail")
        self.faults.publish(String(data=joint))


class UnwatchedCell(FailingCell):
    """A cell without dynid's controller, which would report the references of its robot."""

    def arrive(self, goal):
        due = 0.0

        def arrived():
            nonlocal due
            if time.monotonic() >= due:
                self.trajectories.publish(trajectory([(SLOW, goal)]))
                due = time.monotonic() + 3 * SLOW
            return self.is_at(goal)

        self.until(arrived, f"the robot at {goal}")


class Drives(RosTest):
    def test_nothing_jumps_and_a_fault_is_reported_and_reset(self, watcher):
        cell = UnwatchedCell() if watcher == "drive_monitor" else FailingCell()
        cell.until(lambda: cell.level() == DiagnosticStatus.WARN, "news of a drive that is late")
        assert "waiting for the drive of joint 'joint_" in cell.drives[-1].message
        cell.until(lambda: cell.level() == DiagnosticStatus.OK, "drives that are enabled")
        cell.until(cell.trajectories.get_subscription_count, "a trajectory controller")
        until = len(cell.joints) + 1000
        cell.until(lambda: len(cell.joints) > until, "joint states")
        # before it is on the bus a drive reports zero
        away = [
            abs(position - home)
            for state in cell.joints
            for position, home in zip(cell.positions(state), HOME, strict=True)
            if position != 0.0
        ]
        assert max(away) < 2e-3, max(away)
        goal = [position + 0.2 for position in HOME]
        cell.arrive(goal)

        cell.fail(FAILS)
        cell.until(lambda: cell.level() == DiagnosticStatus.ERROR, "news of the fault")
        assert f"The drive of joint '{FAILS}' is" in cell.drives[-1].message
        cell.until(lambda: "0xFF00" in cell.drives[-1].message, "its error code")
        name = f"/{watcher}/reset_fault"
        cell.until(
            lambda: cell.call(Trigger, name).success,
            "a reset, which is refused while a drive brakes",
        )
        cell.until(lambda: cell.level() == DiagnosticStatus.OK, "drives that are enabled")
        cell.arrive(HOME)


class End(CleanEnd):
    def test_the_last_cycle_has_no_torque_offset(self, proc_output, process):
        last = re.search(
            r"the last cycle before deactivation had the torque offsets(( [-+.e\d]+)+)",
            output_of(proc_output, process),
        )
        assert last, output_of(proc_output, process)
        assert [float(word) for word in last[1].split()] == [0.0] * 6
