"""``control.launch.py`` beside eight busy processes: no false collision, and a push is found."""

from itertools import accumulate

from cell import JOINTS, Cell, RosTest
from launched import (
    FOLDER,
    CleanEnd,
    busy_processes,
    output_of,
    ros2_launch,
    under_test,
)
from simulated_bag import write_simulated_model

MODEL = write_simulated_model(FOLDER / "model.yaml", None)  # SHORT leaves joint 2 unknown
GOALS = ([0.35, -0.9, 0.8, -0.2, 0.25, 0.3], [-0.25, -0.5, 0.45, 0.3, -0.3, -0.2])  # [rad]
HOME = [0.0, -0.6, 0.6, 0.0, 0.1, 0.0]  # [rad]
SLOW, FAST = 12.0, 3.0  # [s]
PACES = [1.4, 0.4, 1.2, 1.2, 0.6, 1.6]  # [s] between halts
PUSHED = "joint_3"
FIRM = 3.0  # of a push, to its threshold


def generate_test_description():
    process = ros2_launch("control", ros2_control="true", model=MODEL)
    return under_test(process, *busy_processes())


def stop_and_go():
    """Return halts between two goals and back, some twice at the same one, and then at home."""
    there, back = GOALS
    goals = [there, there, back, there, back, back]
    times = list(accumulate(PACES))
    return [*zip(times, goals, strict=True), (times[-1] + FAST, HOME)]


class BusyControl(RosTest):
    def test_only_a_push_stops_slow_fast_and_interrupted_motion(self, proc_output, process):
        cell = Cell("/puma560")
        cell.until(lambda: cell.joints and cell.states, "joint states and the controller's state")
        cell.until(lambda: abs(cell.rows("reference", "effort")[1]) > 20, "torque against weight")
        there, back = GOALS
        for halts in ([(SLOW, there)], [(FAST, back)], stop_and_go()):
            cell.follow(halts)
            goal = halts[-1][1]
            cell.until(lambda goal=goal: cell.is_at(goal) or cell.stopped(), f"the robot at {goal}")
            assert not cell.stopped(), cell.collisions[-1].message

        torque = FIRM * cell.rows("threshold", "effort")[JOINTS.index(PUSHED)]
        cell.go(there, SLOW)
        cell.push(PUSHED.replace("joint", "link"), 0.0, cell.stopped, "a collision", torque=torque)
        assert "Collision at joint" in cell.collisions[-1].message
        assert not cell.is_at(there)
        assert "process has died" not in output_of(proc_output, process)


class End(CleanEnd):
    """After the end."""
