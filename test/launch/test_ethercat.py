"""``hardware:=ethercat`` on a simulated bus: slave files, ethercat_driver, drives that are a plant.

Needs ethercat_driver, and a fake master library as docs/drives.md describes.
"""

import re
import subprocess
import sys
import time
from os import environ

import launch_testing
import numpy as np
import yaml
from cell import JOINTS, Cell, RosTest
from controller_manager_msgs.srv import SwitchController
from deadline import LONGEST
from diagnostic_msgs.msg import DiagnosticStatus
from launched import FOLDER, SHORT, CleanEnd, output_of, ros2_launch, under_test
from simulated_bag import write_puma, write_simulated_model
from simulated_bus import SimulatedBus
from std_srvs.srv import Trigger

from dynid.files import share_directories
from dynid.profile import load_robot

MODEL = write_simulated_model(FOLDER / "model.yaml", SHORT)  # of puma560
ROBOT, SLAVES = FOLDER / "puma560.yaml", FOLDER / "slaves"
RATE = 250  # [Hz]
HOME = [0.3, -0.6, 0.6, 0.3, 0.3, 0.3]  # [rad]
AWAY = [0.5, -0.4, 0.8, 0.5, 0.5, 0.5]  # [rad]
LATE = [6.0, 2.0, 0.0, 1.0, 3.0, 6.0]  # [s]
GEAR = [62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686]
SHEET = {
    "drive": "drive.yaml",
    "effort": "torque",
    "gear_ratio": GEAR,
    "rated_current_ma": 3400,
    "torque_constant": 0.2,
    "rated_torque": 0.75,
    "encoder_counts": 4096,
}
BRIEF, LONG = 5, RATE  # lost frames: within what drives bridge, and beyond their watchdog
CONNECTION_LOST = 0x7500
PUSH = 150  # [N]
ENABLED = 0x0237
FAST = 1.0  # [rad/s] above every motion here, and the return to a reference


@launch_testing.parametrize("ends", ["deactivated", "interrupted"])
def generate_test_description(ends):
    write_cell()
    command = [sys.executable, "-m", "dynid", "drives", "-p", str(ROBOT)]
    command += ["--rate", str(RATE), "-o", str(SLAVES), "--force"]
    subprocess.run(command, check=True)
    bus = SimulatedBus(ROBOT, RATE, FOLDER / ends)
    environ.update(bus.environment)
    process = ros2_launch(
        "control", robot=ROBOT, model=MODEL, hardware="ethercat", slaves=SLAVES, rate=RATE
    )
    return under_test(process, bus=bus, ends=ends)


def write_cell():
    """Write a PUMA with EtherCAT drives, and thresholds that tolerate stalling machines."""
    write_puma(
        ROBOT,
        simulation={"home": HOME, "operational_after": LATE},
        collision={"torque_error_max": [30, 40, 20, 5, 5, 5]},
        limits={"torque_threshold": load_robot("puma560").limits.torque_max},
        drives=SHEET,
    )
    shipped = share_directories()[0] / "config" / "drives" / "cia402.yaml"
    drive = yaml.safe_load(shipped.read_text())
    drive |= {"vendor_id": 0x2E1, "product_id": 1}
    (FOLDER / "drive.yaml").write_text(yaml.safe_dump(drive))


class BusCell(Cell):
    """A cell whose drives are on a bus."""

    def __init__(self, bus):
        super().__init__()
        self.bus = bus

    def reset_drives(self):
        """Reset the drives in fault, which is refused while others brake."""
        name = "/feedforward_controller/reset_fault"
        self.until(lambda: self.call(Trigger, name).success, "a reset")
        self.until(lambda: self.level() == DiagnosticStatus.OK, "drives that are enabled")


class EtherCAT(RosTest):
    def test_the_robot_runs_and_every_fault_of_the_bus_is_handled(self, bus, ends):
        cell = BusCell(bus)
        End.states = cell.states
        self.start(cell)
        if ends == "interrupted":
            cell.go(AWAY)
            cell.until(cell.moves, "a motion")
            return
        self.fail_a_drive(cell)
        self.push(cell)
        self.lose_a_few_frames(cell)
        self.lose_a_slave(cell)
        self.lose_the_line(cell)
        cell.arrive(HOME)
        self.deactivate(cell)

    def start(self, cell):
        """No joint jumps while the drives appear one after the other."""
        cell.until(lambda: cell.level() == DiagnosticStatus.WARN, "news of a drive that is late")
        assert "waiting for the drive of joint 'joint_" in cell.drives[-1].message
        cell.until(lambda: cell.level() == DiagnosticStatus.OK, "drives that are enabled")
        cell.until(cell.trajectories.get_subscription_count, "a trajectory controller")
        cell.until(lambda: abs(cell.states[-1].effort[1]) > 20, "torque against weight")
        until = len(cell.joints) + RATE
        cell.until(lambda: len(cell.joints) > until, "joint states")
        seen = np.array([cell.positions(state) for state in cell.joints])
        away = np.abs(seen - HOME)[seen != 0.0]  # before it is on the bus a drive reports zero
        assert away.max() < 5e-3, away.max()

    def fail_a_drive(self, cell):
        cell.bus.order("fail", "joint_2")
        cell.until(lambda: cell.level() == DiagnosticStatus.ERROR, "news of the fault")
        assert "The drive of joint 'joint_2' is" in cell.drives[-1].message
        cell.until(lambda: "0xFF00" in cell.drives[-1].message, "its error code")
        cell.reset_drives()

    def push(self, cell):
        """A collision is detected by the measured current."""
        cell.arrive(AWAY)
        cell.bus.order("push", "link_5", PUSH)
        cell.until(cell.stopped, "a collision")
        assert "Collision at joint 'joint_" in cell.collisions[-1].message
        cell.recover()

    def lose_a_few_frames(self, cell):
        """Drives bridge them, and nothing stops; if it does, the machine may have stalled."""
        deadline = time.monotonic() + LONGEST
        while time.monotonic() < deadline:
            cell.arrive(AWAY)
            cell.go(HOME)
            cell.until(lambda: cell.moves() or cell.stopped(), "a motion")
            cell.bus.order("lose", BRIEF)
            cell.until(lambda: cell.is_at(HOME) or cell.stopped(), "the robot at home")
            if not cell.stopped():
                assert cell.level() == DiagnosticStatus.OK
                return
            cell.recover()
        raise AssertionError("every motion in which frames were lost ended in a collision")

    def lose_a_slave(self, cell):
        """The working counter is below what is expected; the slave's watchdog stops its drive."""
        cell.bus.order("absent", "joint_3", LONG)
        cell.until(lambda: cell.level() == DiagnosticStatus.ERROR, "news of the lost slave")
        cell.until(lambda: f"0x{CONNECTION_LOST:04X}" in cell.drives[-1].message, "its error code")
        assert "joint_3" in cell.drives[-1].message
        cell.reset_drives()
        cell.arrive(AWAY)

    def lose_the_line(self, cell):
        """Every drive stops, and says so when the line is back."""
        cell.bus.order("lose", LONG)
        cell.until(lambda: cell.level() == DiagnosticStatus.ERROR, "news of the lost line")
        cell.until(lambda: f"0x{CONNECTION_LOST:04X}" in cell.drives[-1].message, "its error code")
        cell.reset_drives()

    def deactivate(self, cell):
        """The torque offset ends with the controller."""
        request = SwitchController.Request()
        request.deactivate_controllers = ["joint_trajectory_controller", "feedforward_controller"]
        request.strictness = SwitchController.Request.STRICT
        assert cell.call(SwitchController, "/controller_manager/switch_controller", request).ok
        until = len(cell.joints) + RATE
        cell.until(lambda: len(cell.joints) > until, "joint states")
        assert cell.is_at(HOME)


class End(CleanEnd):
    states = ()

    def test_the_driver_noticed_a_lost_slave_and_a_lost_line(self, proc_output, process, ends):
        expected = 3 * len(JOINTS)  # each slave reads and writes
        counters = re.findall(r"Domain: WC (\d+)\.", output_of(proc_output, process))
        assert str(expected) in counters
        if ends == "deactivated":
            assert {"0", str(expected - 3)} <= set(counters[counters.index(str(expected)) :])

    def test_the_bus_carried_what_the_controller_commanded(self, bus, ends):
        frames, startup = bus.finish()
        permille = 1000 / (SHEET["rated_torque"] * np.array(GEAR))
        carried = {tuple(row) for row in frames["60b2"].tolist()}
        commanded = [np.array(state.effort[: len(JOINTS)]) for state in self.states]
        commanded = [torque for torque in commanded if np.isfinite(torque).all() and torque.any()]
        raw = [tuple(np.trunc(permille * torque)) for torque in commanded]
        missing = [values for values in raw if values not in carried]
        print(f"{len(raw)} states, {len(missing)} not on the bus")  # noqa: T201
        assert len(raw) > 100
        assert not missing
        for written in startup.values():
            assert (written["60c2:1"], written["60c2:2"]) == ("04", "fd")  # 4 ms

        assert frames["60b2"][-1].tolist() == [0] * len(JOINTS), "torque in the last frame"
        counts = SHEET["encoder_counts"] * np.array(GEAR) / (2 * np.pi)
        follows = (frames["6041"] == ENABLED) & (frames["answered"] == 1)
        steps = np.abs(np.diff(frames["607a"] / counts, axis=0))
        steps[~(follows[1:] & follows[:-1])] = 0.0
        assert steps.max() < FAST / RATE, "a jump"
        assert not steps[-5:].any(), "motion in the last frames"
        assert follows[-1].all()
        if ends == "deactivated":
            assert np.abs(frames["607a"][-1] / counts - HOME).max() < 0.01
