"""Simulated motion of files with elastic joints, and of dynid's own elastic arm.

An SDF is simulated as a MuJoCo model of its links and joints, because no reader of SDF is needed
by dynid: rotors are bodies there, as the file has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

import numpy as np
import pinocchio

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.excitation.motion import Motion
from dynid.profile import load_robot
from dynid.robot.model import Model, nominal_model
from dynid.xml_editing import XmlText
from dynid_plugins.elastic.elastic_file import elastic_file
from dynid_plugins.elastic.passive_joint import ElasticFile, passive_joints
from dynid_plugins.elastic.simulated_arm import ArmState, ElasticArm, simulate_arm
from dynid_plugins.simulators.export import export_along
from dynid_plugins.simulators.sdf_tree import SdfModel

CYCLE = 1e-3  # [s] for which a torque is held
FINE = 1e-4  # [s] time step at which what remains is the model's own error
WRIST_ROTOR = 0.05  # [kg m^2] of joints that are rigid in the file
VISCOUS = 2.0  # [1/s] friction of each motor for each of its rotor's inertia
WRIST_RATE = 2000.0  # [rad/s] of their gears in dynid's arm, which has elastic joints alone


@dataclass(frozen=True, eq=False)
class ElasticCase:
    """A robot with elastic joints.

    Attributes:
        model: rigid, with viscous friction of the motors.
        arm: dynid's own simulation; joints that are rigid in the file are very stiff.
        elastic: numbers of the joints that are elastic in the file.
        written: the file.
    """

    model: Model
    arm: ElasticArm
    elastic: list[int]
    written: ElasticFile


class RolloutDifference(NamedTuple):
    """Differences of a file's simulation to that of dynid's arm.

    Attributes:
        motor: rms of the position difference of the motors (e,) [rad or m].
        link: the same of the links.
        deflection: rms of the deflection (e,) in dynid's arm.
        travel: rms of the distance of the links from the start (e,).
    """

    motor: Array
    link: Array
    deflection: Array
    travel: Array


def elastic_case(name: str | Path, to: str, *overrides: str) -> ElasticCase:
    """Return a robot with a file of it, whose rigid joints have the rotor ``WRIST_ROTOR``.

    Args:
        name: of a profile.
        to: ``mjcf`` or ``sdf``.
        overrides: of the profile.
    """
    terms = "terms=[{kind: viscous}, {kind: rotor_inertia}]"
    robot = load_robot(name, overrides=[terms, *overrides])
    settled = passive_joints(robot, {})
    elastic = [robot.joints.index(joint.motor) for joint in settled]
    rotors = np.full(len(robot.joints), WRIST_ROTOR)
    rotors[elastic] = [joint.rotor for joint in settled]
    model = nominal_model(robot)
    values = np.array(model.mechanism.parameters)
    for place, term in enumerate(model.mechanism.terms, start=model.mechanism.first_term):
        rigid = term.joint not in elastic
        values[place] = rotors[term.joint] * (VISCOUS if term.kind == "viscous" else rigid)
    model = Model(**{**vars(model), "mechanism": model.mechanism.with_parameters(values)})
    text = export_along(model, to, _any_motion(robot.joints)).text
    written = elastic_file(text, Path(f"robot.{to}"), settled)
    links = model.mechanism.without_terms()
    masses = np.diag(links.mass_matrix(np.zeros(len(rotors))))
    stiffness = WRIST_RATE**2 / (1 / rotors + 1 / masses)
    damping = 0.01 * stiffness / WRIST_RATE
    stiffness[elastic] = [joint.stiffness for joint in settled]
    damping[elastic] = [joint.damping for joint in settled]
    none = np.zeros(len(rotors))
    friction = VISCOUS * rotors
    arm = ElasticArm(links, rotors, stiffness, damping, none, none, friction, none)
    return ElasticCase(model, arm, elastic, written)


def _any_motion(joints: tuple[str, ...]) -> Motion:
    random = np.random.default_rng(1)
    return Motion(*(random.uniform(-1, 1, (20, len(joints))) for _ in range(3)))


def torques(case: ElasticCase, start: Array, cycles: int, size: Array) -> Array:
    """Return torques (cycles, n): gravity at the start, and two sines of each motor."""
    time = CYCLE * np.arange(cycles)[:, None]
    phase = np.arange(len(start))
    swing = np.sin(2 * np.pi * 1.3 * time + phase) + np.sin(2 * np.pi * 6.1 * time + 2 * phase)
    swing -= np.sin(phase) + np.sin(2 * phase)
    return np.asarray(case.arm.links.gravity_torque(start) + size * swing)


def arm_motion(case: ElasticCase, start: Array, torque: Array) -> tuple[Array, Array]:
    """Return positions of motors and links (N, n) in dynid's arm."""
    rest = case.arm.at_rest(start[None])

    def control(number: int, _: ArmState) -> Array:
        return torque[number][None]

    run = simulate_arm(case.arm, rest, control, len(torque), CYCLE)
    return run.motor[:, 0], run.link[:, 0]


def file_motion(
    case: ElasticCase, start: Array, torque: Array, step: float | None
) -> tuple[Array, Array]:
    """Return positions of motors and links (N, n) in MuJoCo's simulation of the file.

    Args:
        case: with the file.
        start: positions of the links (n,), at rest.
        torque: of the motors (N, n).
        step: of RK4 [s]; None for the file's integrator and time step, at most ``CYCLE``.
    """
    import mujoco

    model = compiled(case)
    if step is not None:
        model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, step
    substeps = max(1, int(np.ceil(CYCLE / model.opt.timestep - 1e-9)))
    model.opt.timestep = CYCLE / substeps
    data, joints = mujoco.MjData(model), case.model.mechanism.joints
    motors = [model.joint(name).id for name in joints]
    gears = [model.joint(one.name).id for one in case.written.joints]
    places, dofs = model.jnt_qposadr[motors], model.jnt_dofadr[motors]
    bent = case.arm.links.gravity_torque(start)[case.elastic] / case.arm.stiffness[case.elastic]
    data.qpos[places] = start
    data.qpos[places[case.elastic]] += bent
    data.qpos[model.jnt_qposadr[gears]] = -bent
    motor, link = [], []
    for applied in torque:
        motor.append(data.qpos[places])
        link.append(data.qpos[places])
        link[-1][case.elastic] += data.qpos[model.jnt_qposadr[gears]]
        data.qfrc_applied[dofs] = applied
        for _ in range(substeps):
            mujoco.mj_step(model, data)
    return np.array(motor), np.array(link)


def difference(
    case: ElasticCase, start: Array, torque: Array, step: float | None = FINE
) -> RolloutDifference:
    """Return the differences of the file's simulation to that of dynid's arm."""
    wanted, found = arm_motion(case, start, torque), file_motion(case, start, torque, step)
    motor, link = (rms((a - b)[:, case.elastic]) for a, b in zip(found, wanted, strict=True))
    bent = (wanted[0] - wanted[1])[:, case.elastic]
    way = (wanted[1] - start)[:, case.elastic]
    return RolloutDifference(motor, link, rms(bent), rms(way))


def rms(values: Array) -> Array:
    """Return root mean squares over time (n,)."""
    return np.asarray(np.sqrt(np.mean(values**2, axis=0)))


def compiled(case: ElasticCase) -> Any:
    """Return MuJoCo's model of a file; gravity is the robot's, which the world of an SDF has."""
    import mujoco

    text = case.written.text
    model = mujoco.MjModel.from_xml_string(as_mjcf(text) if "<sdf " in text else text)
    model.opt.gravity[:] = case.arm.links.gravity
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.jnt_limited[:] = 0
    return model


def as_mjcf(text: str) -> str:
    """Return links and joints of an SDF as an MJCF, without armature."""
    xml = XmlText(text, "robot.sdf", ConfigurationError)
    sdf = SdfModel(xml, Path("robot.sdf"))
    tree = sdf.tree()
    root = ET.Element("mujoco")
    ET.SubElement(root, "compiler", angle="radian")
    bodies = {"": ET.SubElement(root, "worldbody")}
    for joint in tree._by_name.values():  # parents come first in files of dynid
        at = joint.in_parent @ np.linalg.inv(joint.in_child)
        element = ET.SubElement(bodies[joint.links[0]], "body", _pose(at))
        bodies[joint.links[1]] = element
        body = tree._bodies[joint.links[1]]
        xx, xy, yy, xz, yz, zz = body.moments
        values = {"pos": _words(body.centre), "mass": repr(body.mass)}
        ET.SubElement(element, "inertial", values, fullinertia=_words([xx, yy, zz, xy, xz, yz]))
        link, dynamics = sdf.link(joint.links[1]), sdf.joint(joint.name).find("axis", "dynamics")
        if link.find("gravity") is not None:
            element.set("gravcomp", "1")
        if joint.kind != "fixed":
            given = {one.tag: one.text for one in dynamics.children} if dynamics else {}
            ET.SubElement(
                element,
                "joint",
                name=joint.name,
                type=joint.kind,
                pos=_words(joint.in_child[:3, 3]),
                axis=_words(joint.in_child[:3, :3] @ joint.axis),
                damping=given.get("damping", "0"),
                stiffness=given.get("spring_stiffness", "0"),
            )
    return ET.tostring(root, encoding="unicode")


def _pose(frame: Array) -> dict[str, str]:
    x, y, z, w = pinocchio.Quaternion(frame[:3, :3]).coeffs()
    return {"pos": _words(frame[:3, 3]), "quat": _words([w, x, y, z])}


def _words(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)


def locked_frequency(case: ElasticCase, place: int) -> tuple[float, float]:
    """Return the simulated frequency of a link with all other joints locked, and √(K/M)/2π [Hz].

    Without gravity and damping, from the times at which the deflection changes its sign.
    """
    import mujoco

    model, joint = compiled(case), case.written.joints[place]
    links: Mechanism = case.arm.links
    mass = float(np.diag(links.mass_matrix(np.zeros(len(links.joints))))[case.elastic[place]])
    frequency = float(np.sqrt(joint.stiffness / mass)) / (2 * np.pi)
    model.opt.gravity[:] = 0
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 0.005 / frequency
    free = int(model.joint(joint.name).dofadr[0])
    model.dof_damping[:] = 0
    model.dof_armature[np.arange(model.nv) != free] += 1e9 * max(mass, 1.0)
    data = mujoco.MjData(model)
    data.qpos[model.joint(joint.name).qposadr[0]] = 1e-4
    bent = []
    for _ in range(2100):
        bent.append(float(data.qpos[model.joint(joint.name).qposadr[0]]))
        mujoco.mj_step(model, data)
    values = np.array(bent)
    before = np.flatnonzero(np.diff(np.sign(values)))
    times = before + values[before] / (values[before] - values[before + 1])
    period = 2 * float(np.diff(times).mean()) * model.opt.timestep
    return 1 / period, frequency


def static_deflection(case: ElasticCase, start: Array) -> tuple[Array, Array]:
    """Return the deflections at rest (e,) with held motors, and gravity torque / K there."""
    import mujoco

    model = compiled(case)
    data, joints = mujoco.MjData(model), case.model.mechanism.joints
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    motors = [model.joint(name).id for name in joints]
    gears = [model.joint(one.name).id for one in case.written.joints]
    held, free = model.jnt_dofadr[motors], model.jnt_dofadr[gears]
    model.dof_armature[held] += 1e12
    masses = np.diag(case.arm.links.mass_matrix(start))[case.elastic]
    stiffness = case.arm.stiffness[case.elastic]
    model.dof_damping[free] = 2 * np.sqrt(stiffness * masses)
    data.qpos[model.jnt_qposadr[motors]] = start
    model.opt.timestep = 0.05 / float(np.sqrt((stiffness / masses).max()))
    for _ in range(6000):
        mujoco.mj_step(model, data)
    bent = -data.qpos[model.jnt_qposadr[gears]]
    link = np.array(data.qpos[model.jnt_qposadr[motors]])
    link[case.elastic] -= bent
    return np.array(bent), case.arm.links.gravity_torque(link)[case.elastic] / stiffness
