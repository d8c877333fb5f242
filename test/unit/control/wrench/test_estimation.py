"""External wrenches and the link in contact, against exact torques and a simulated robot."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pinocchio
import pytest
from support.small_robot import write_small_robot

import dynid
from dynid.arrays import Array
from dynid.control.wrench.contacts import likely_links
from dynid.control.wrench.estimation import WrenchEstimator, estimate, wrench_of_recording
from dynid.control.wrench.external_torque import ObservedTorque
from dynid.control.wrench.uncertainty import ExternalTorqueUncertainty
from dynid.dynamics.pose import Pose
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.recording.model import Recording, Source
from dynid.report.wrench import csv_text
from dynid.robot.model import nominal_model
from dynid.simulation.robot import SimulatedRobot

if TYPE_CHECKING:
    from dynid.robot.robot import Robot

WRENCH = np.array([5.0, -3.0, 8.0, 0.4, -0.2, 0.1])  # [N, N m] in the link's axes
DEVIATION = 0.1  # [N m]


def uncertainty(robot: Robot) -> ExternalTorqueUncertainty:
    n = len(robot.joints)
    return ExternalTorqueUncertainty(
        robot.joints, np.full(n, DEVIATION), np.zeros(n), np.eye(n), 30.0, 30.0, "free motion"
    )


def exact_torque(robot: Robot, link: str, q: Array, wrench: Array) -> Array:
    """Jᵀ w by pinocchio's own Jacobian of the link's frame."""
    model = pinocchio.buildModelFromXML(robot.urdf_xml)
    data = model.createData()
    full = pinocchio.neutral(model)
    ids = [model.getJointId(joint) for joint in robot.joints]
    for number, value in zip(ids, q, strict=True):
        full[model.joints[number].idx_q] = value
    jacobian = pinocchio.computeFrameJacobian(
        model, data, full, model.getFrameId(link), pinocchio.ReferenceFrame.LOCAL
    )
    columns = [model.joints[number].idx_v for number in ids]
    return np.asarray(jacobian[:, columns].T @ wrench)


def at(robot: Robot, q: Array, torque: Array) -> ObservedTorque:
    rows = np.zeros((2, len(q)))
    return ObservedTorque(np.array([0.0, 0.01]), rows + q, rows, rows + torque, rows, 30.0, 100.0)


@pytest.mark.parametrize("name", ["ur10e", "panda", "puma560"])
def test_a_wrench_without_noise_is_found_exactly(name: str) -> None:
    robot = load_robot(name)
    model = nominal_model(robot)
    tool = robot.kinematics().tool
    q = np.linspace(-1.3, 1.1, len(robot.joints))
    torque = exact_torque(robot, tool, q, WRENCH)
    found = estimate(model, at(robot, q, torque), uncertainty(robot))
    assert found.frame == tool
    assert found.wrench[0] == pytest.approx(WRENCH, abs=1e-6)
    # its covariance is that of least squares, from the same Jacobian
    jacobian = np.array([exact_torque(robot, tool, q, unit) for unit in np.eye(6)])
    expected = np.linalg.inv(jacobian @ jacobian.T) * DEVIATION**2
    assert found.wrench_covariance[0] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_a_force_at_a_known_point_needs_only_three_joints() -> None:
    robot = load_robot("spatial_3r")
    tool = robot.kinematics().tool
    q = np.array([0.3, 0.8, 0.9])
    torque = exact_torque(robot, tool, q, np.array([5.0, -3.0, 8.0, 0, 0, 0]))
    found = estimate(nominal_model(robot), at(robot, q, torque), uncertainty(robot))
    assert found.frame_force[0] == pytest.approx([5.0, -3.0, 8.0], abs=1e-6)
    unknown = np.isnan(found.wrench[0])
    assert unknown.sum() >= 3, "three torques do not determine six components"
    variance = np.diag(found.wrench_covariance[0])
    assert np.isinf(variance[unknown]).all()
    assert np.isfinite(variance[~unknown]).all()


@pytest.mark.parametrize("name", ["delta_3", "palletiser"])
def test_a_force_on_the_tool_of_a_closed_chain_is_found(name: str) -> None:
    robot = load_robot(name)
    kinematics = robot.kinematics()
    joints = len(robot.joints)
    low, high = np.array([robot.limits.range_of("position", j) for j in range(joints)]).T
    q = (low + high) / 2 + 0.1 * (high - low)
    steps = 1e-5 * np.eye(joints)
    path = np.stack([kinematics.tool_path(q + steps), kinematics.tool_path(q - steps)])
    force = np.array([3.0, -2.0, 5.0])  # in the root frame
    torque = (path[0] - path[1]) / 2e-5 @ force  # by virtual work
    body, pose = kinematics.links()[kinematics.tool]
    placed = Pose.from_numbers(kinematics.poses([q])[0, body]).then(pose)
    found = estimate(nominal_model(robot), at(robot, q, torque), uncertainty(robot))
    # finite differences of this step have errors of 1e-9
    assert found.frame_force[0] == pytest.approx(placed.matrix()[:3, :3].T @ force, abs=1e-5)
    assert len(found.links) == len(robot.moving_joints)
    assert found.probability[0].sum() == pytest.approx(1.0)


def test_at_a_singularity_the_direction_is_unobservable_and_not_zero() -> None:
    robot = load_robot("spatial_3r")
    tool = robot.kinematics().tool
    stretched = np.array([0.3, 0.4, 0.0])
    torque = exact_torque(robot, tool, stretched, np.array([5.0, -3.0, 8.0, 0, 0, 0]))
    found = estimate(nominal_model(robot), at(robot, stretched, torque), uncertainty(robot))
    assert np.isnan(found.frame_force[0]).any(), "no joint feels a force along the arm"
    assert np.isinf(np.diag(found.frame_force_covariance[0])).any()


def test_a_frame_that_does_not_move_is_refused_with_its_name() -> None:
    robot = load_robot("spatial_3r")
    model = nominal_model(robot)
    root = robot.kinematics().root
    with pytest.raises(dynid.ConfigurationError, match="fixed to the base"):
        WrenchEstimator(model, uncertainty(robot), frame=root, confidence=0.95)
    with pytest.raises(dynid.ConfigurationError, match="confidence"):
        WrenchEstimator(model, uncertainty(robot), frame="link_3", confidence=1.5)
    other = replace(uncertainty(robot), joints=("a", "b", "c"))
    with pytest.raises(dynid.ConfigurationError, match="uncertainty is of joints"):
        estimate(model, at(robot, np.zeros(3), np.zeros(3)), other)


def test_the_fewest_links_that_reach_the_confidence_are_named() -> None:
    names = ("a", "b", "c")
    assert likely_links(np.array([0.01, 0.98, 0.01]), names, 0.95) == (("b",), (0.98,))
    links, shares = likely_links(np.array([0.5, 0.1, 0.4]), names, 0.95)
    assert links == ("a", "c", "b")
    assert sum(shares) == pytest.approx(1.0)


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dynid.Model, Recording, Recording]:
    """A model, free motion, and the same motion with a push of 20 N on the last link."""
    robot = load_robot(write_small_robot(tmp_path_factory.mktemp("duo")))
    motion = make_plan(robot).excitation
    model = dynid.identify(robot, dynid.simulate(robot, motion)).model
    simulated = SimulatedRobot(robot, seed=3)
    time = np.arange(6000) / 1000
    targets = simulated.commanded(motion.evaluate(time).position)
    simulated.reset(targets[0])
    parts = [simulated.run(targets[:3000])]
    tool = robot.kinematics().tool
    simulated.push(tool, (0.0, 20.0, 0.0), point=(0.25, 0.0, 0.0), duration=0.8)
    parts.append(simulated.run(targets[3000:]))
    recording = Recording(
        time=time,
        position=np.concatenate([part.position for part in parts]),
        velocity=np.concatenate([part.velocity for part in parts]),
        effort=np.concatenate([part.effort for part in parts]),
        joint_names=robot.joints,
        sampling_rate=1000.0,
    )
    return model, dynid.simulate(robot, motion, seed=5), recording


def test_a_push_is_one_contact_at_its_time_on_its_link(
    pushed: tuple[dynid.Model, Recording, Recording],
) -> None:
    model, free, recording = pushed
    found = dynid.estimate_wrench(model, recording, free=free)
    assert len(found.contacts) == 1, found
    contact = found.contacts[0]
    # the observer's time constant is 33 ms
    assert contact.start == pytest.approx(3.0, abs=0.1)
    assert contact.stop == pytest.approx(3.8, abs=0.3)
    assert contact.links[0] == found.links[-1]
    assert "contact on" in str(contact)
    assert "1 contacts" not in repr(found)
    without = dynid.estimate_wrench(model, free, free=[free])
    assert without.contacts == ()
    assert not without.contact.any()
    assert (without.link == -1).all()


def test_the_csv_has_an_empty_cell_where_nothing_is_known(
    pushed: tuple[dynid.Model, Recording, Recording],
) -> None:
    model, free, recording = pushed
    found = dynid.estimate_wrench(model, recording, free=free)
    lines = csv_text(found).splitlines()
    header = lines[0].split(",")
    assert header[:4] == ["time", "contact", "link", "distance"]
    rows = [dict(zip(header, line.split(","), strict=True)) for line in lines[1:]]
    assert len(rows) == pytest.approx(200 * (found.time[-1] - found.time[0]), rel=0.02)
    assert {row["contact"] for row in rows} == {"0", "1"}
    touched = next(row for row in rows if row["contact"] == "1")
    assert touched["link"] in {*found.links, "?"}
    assert all(row["moment_x"] == "" for row in rows), "a planar arm does not feel it"


def test_arguments_of_the_public_function_are_checked(
    pushed: tuple[dynid.Model, Recording, Recording],
) -> None:
    model, free, recording = pushed
    with pytest.raises(dynid.DynidError, match="model"):
        dynid.estimate_wrench(model.robot, recording)  # type: ignore[arg-type]
    with pytest.raises(dynid.DynidError, match="confidence"):
        dynid.estimate_wrench(model, recording, confidence=2.0)
    with pytest.raises(dynid.DynidError, match="no such link"):
        dynid.estimate_wrench(model, recording, frame="hand")
    short = Recording(
        time=recording.time[:300],
        position=recording.position[:300],
        velocity=None,
        effort=recording.effort[:300],
        joint_names=recording.joint_names,
        sampling_rate=1000.0,
    )
    with pytest.raises(dynid.PreprocessingError, match="record longer"):
        dynid.estimate_wrench(model, short, free=free)
    velocity = np.array(recording.velocity)
    velocity[2000] = np.inf
    # of arrays without a source it is refused before
    sources = (Source("cell", "", "live"),)
    broken = replace(recording, velocity=velocity, sources=sources)
    with pytest.raises(dynid.PreprocessingError, match="at 2 s the external torque is not finite"):
        dynid.estimate_wrench(model, broken, free=free)
    unknown = replace(uncertainty(model.robot), observer_gain=2000.0)
    with pytest.raises(dynid.DynidError, match="observer_gain"):
        wrench_of_recording(model, recording, unknown)
