"""The robots that come with dynid: their URDFs are sound, and are those of the real ones."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pinocchio
import pytest
from scipy.linalg import subspace_angles

from dynid.dynamics.mechanism import Mechanism
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid.files import share_directories
from dynid.profile import load_robot
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.true_parameters import true_parameters

URDFS = share_directories()[0] / "urdf"
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

UR_JOINTS = (
    "shoulder_pan_joint",
    "shoulder_lift_joint",
    "elbow_joint",
    "wrist_1_joint",
    "wrist_2_joint",
    "wrist_3_joint",
)
NUMBERED = tuple(f"joint_{i}" for i in range(1, 7))
ROBOTS = {"puma560": NUMBERED, "tx40": NUMBERED, "ur10": UR_JOINTS, "ur10e": UR_JOINTS}

every_robot = pytest.mark.parametrize("robot", sorted(ROBOTS))


def urdf(robot: str) -> str:
    return (URDFS / f"{robot}.urdf").read_text(encoding="utf-8")


def random_motion(count: int) -> np.ndarray:
    random = np.random.default_rng(1)
    return random.uniform(-np.pi, np.pi, (3, count, 6))


def rigid_span(xml: str, joints: tuple[str, ...]) -> np.ndarray:
    """Return an orthonormal basis of all torques that rigid bodies on this tree can cause."""
    regressor = Mechanism(xml, joints).regressor(*random_motion(200))
    left, values, _ = np.linalg.svd(regressor.reshape(-1, regressor.shape[2]), full_matrices=False)
    return left[:, values > 1e-9 * values[0]]


class Kinematics:
    """Poses in base_link, by pinocchio alone."""

    def __init__(self, xml: str, joints: tuple[str, ...]) -> None:
        self.model = pinocchio.buildModelFromXML(xml)
        self.data = self.model.createData()
        self.ids = [self.model.getJointId(name) for name in joints]
        self.base = self.model.getFrameId("base_link")

    def poses(self, q: np.ndarray) -> list[pinocchio.SE3]:
        full = pinocchio.neutral(self.model)
        for value, joint in zip(q, self.ids, strict=True):
            full[self.model.idx_qs[joint]] = value
        pinocchio.framesForwardKinematics(self.model, self.data, full)
        base = self.data.oMf[self.base].inverse()
        return [base * self.data.oMi[joint] for joint in self.ids]

    def axes(self, q: np.ndarray) -> np.ndarray:
        """Direction of every joint's axis in base_link, (n, 3)."""
        turns = []
        for joint, pose in zip(self.ids, self.poses(q), strict=True):
            model = self.model.joints[joint]
            data = model.createData()
            model.calc(data, np.zeros(model.nq))
            turns.append(pose.rotation @ np.ravel(data.S)[3:6])
        return np.array(turns)


@every_robot
def test_all_joints_are_there_with_limits(robot: str) -> None:
    root = ET.fromstring(urdf(robot))  # noqa: S314 (our own file)
    joints = {joint.get("name"): joint for joint in root.iter("joint")}
    for name in ROBOTS[robot]:
        limit = joints[name].find("limit")
        assert limit is not None
        low, high, velocity, effort = (
            float(limit.get(key, "nan")) for key in ("lower", "upper", "velocity", "effort")
        )
        assert low < high
        assert velocity > 0
        assert effort > 0


@pytest.mark.parametrize(
    ("robot", "degrees"),
    [
        ("tx40", 1e-6),  # the same numbers
        ("ur10e", 0.1),  # lengths there are rounded to millimetres
        ("ur10", 1.0),  # lengths there are a UR10e's, up to 10 mm apart
    ],
)
def test_has_zeros_axes_and_span_of_the_real_recordings_robot(robot: str, degrees: float) -> None:
    path = DATA / robot / f"{robot}.urdf"
    if not path.exists():
        pytest.skip(f"the URDF {robot}/{path.name} of the real recordings is not here")
    theirs = path.read_text(encoding="utf-8")
    ours_k, theirs_k = (Kinematics(xml, ROBOTS[robot]) for xml in (urdf(robot), theirs))
    for q in random_motion(20)[0]:
        assert np.allclose(ours_k.axes(q), theirs_k.axes(q), atol=1e-8)
    angles = subspace_angles(
        rigid_span(urdf(robot), ROBOTS[robot]), rigid_span(theirs, ROBOTS[robot])
    )
    assert np.degrees(angles.max()) < degrees


def test_puma_reaches_as_far_as_its_links_are_long() -> None:
    kinematics = Kinematics(urdf("puma560"), NUMBERED)
    # arm stretched out to the front: a2 + d4 from the shoulder's axis, d2 + d3 to the side
    wrist = kinematics.poses(np.array([0, 0, -np.pi / 2, 0, 0, 0]))[4].translation
    shoulder = kinematics.poses(np.zeros(6))[0].translation
    straight = kinematics.poses(np.array([0, 0, np.pi / 2, 0, 0, 0]))[4].translation
    reach = max(np.linalg.norm((point - shoulder)[[0, 2]]) for point in (wrist, straight))
    assert reach == pytest.approx(np.hypot(0.4318 + 0.4331, 0.0203), abs=1e-9)
    assert wrist[1] == pytest.approx(0.2435 - 0.0934)


def test_pumas_gravity_torque_is_the_published_one() -> None:
    # Armstrong, Khatib, Burdick (1986): gravity constant g1 = -37.2 N m of the level upper arm
    mechanism = Mechanism(urdf("puma560"), NUMBERED)
    level = mechanism.gravity_torque(np.zeros(6))
    wrist_and_forearm = 9.81 * (4.8 + 0.82 + 0.34 + 0.09)
    upper = 9.81 * 17.4 * 0.068
    forearm_from_elbow = -9.81 * 0.0203 * (0.82 + 0.34 + 0.09)
    expected = -(upper + wrist_and_forearm * 0.4318 + forearm_from_elbow)
    assert level[1] == pytest.approx(expected, abs=1e-9)
    assert level[1] == pytest.approx(-37.2, abs=0.5)


def test_pumas_profile_can_be_excited_and_simulated() -> None:
    robot = load_robot("puma560")
    mechanism = robot.mechanism()
    settings = robot.find(SimulationSettings)
    assert settings is not None
    assert find_excitation(robot) is not None
    true = true_parameters(mechanism, settings)
    named = dict(zip(mechanism.parameter_names, true, strict=True))
    # behind the gear, from the motor's published values
    assert named["Fv1"] == pytest.approx(1.48e-3 * 62.6111**2, rel=1e-3)
    assert named["Fc2"] == pytest.approx((0.126 + 0.071) / 2 * 107.815, rel=1e-3)
    assert named["Ia6"] == pytest.approx(33e-6 * 76.686**2, rel=1e-3)
    excitation = build_excitation(find_excitation(robot), robot.limits, robot.joints)
    motion = excitation.evaluate(np.arange(0.0, excitation.duration, 0.01))
    torque = mechanism.torque(*motion, true)
    assert robot.limits.torque_max is not None
    assert np.all(np.abs(torque).max(axis=0) < robot.limits.torque_max)
