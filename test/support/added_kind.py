"""Adds a kind of joint term, and prints its uses as JSON; to be run in a separate process.

The table of kinds is global in a process, so that a test must not change it for other tests.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from dynid import _core
from dynid.api.identification import diagnose
from dynid.control.build import control_model
from dynid.control.ros2_hardware import _plant
from dynid.dynamics.base_parameters import base_table
from dynid.dynamics.joint_terms import TermSettings
from dynid.excitation.design.design import design_model
from dynid.identification.friction.candidates import MotionScales, candidates
from dynid.identification.identify import identify
from dynid.profile import load_model, load_robot, write_profile
from dynid.recording.model import Recording
from dynid.report.report import report_html
from dynid.robot.model import Model
from dynid.robot.parameter_file import ros_parameters
from dynid.robot.robot import Robot
from dynid.robot.urdf_export import identified_urdf
from dynid.simulation.robot import SimulatedRobot
from dynid_plugins.laboratory.given_parameters import symoro_name
from dynid_plugins.laboratory.symbolic.c_code import c_header, c_source
from dynid_plugins.laboratory.symbolic.minimal_model import minimal_model
from support.synthetic import ARM_URDF, arm_robot, recorded

_CAPSULE_NAME, _OTHER_NAME = b"dynid.TermKind", b"dynid.Mechanism"
SCALE, SMOOTHING, SIZE = 0.4, 0.02, 3.0
SLOW, FAST = 0.2, 2.0
"""Speeds of the simulated wrist [rad/s]: stick-slip at one, sliding at the other."""
TERMS = (
    TermSettings(kind="viscous"),
    TermSettings(kind="grease", scale=SCALE, smoothing=SMOOTHING),
)
STATE = np.array([0.3, -0.4, 0.5]), np.array([0.2, -0.7, 1.3]), np.array([1.0, 2.0, -3.0])


def register(library: Path, name: bytes = _CAPSULE_NAME) -> None:
    """Add the row that a shared library returns."""
    row = ctypes.CDLL(str(library)).row
    row.restype = ctypes.c_void_p
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    _core.register_term_kind(make(row(), name, None))


def refusal(library: Path, name: bytes) -> str:
    """Why the row cannot be added once more in a capsule of that name."""
    try:
        register(library, name)
    except ValueError as error:
        return str(error)
    return ""


def true_model(robot: Robot) -> np.ndarray:
    """The URDF's bodies, viscous friction of 1, and grease."""
    mechanism = robot.mechanism()
    parameters = mechanism.urdf_parameters.copy()
    parameters[mechanism.first_term :] = [1.0] * 3 + [SIZE] * 3
    return parameters


def in_profile(folder: Path) -> Robot:
    """Write a profile with the kind, and read it again."""
    (folder / "arm.urdf").write_text(ARM_URDF)
    limits = {"position": [[-3, 3]], "velocity": 5.0, "acceleration": 20.0, "torque_max": 100.0}
    write_profile(
        arm_robot(limits=limits).with_terms(TERMS), folder / "arm.yaml", note="Made by a test."
    )
    return load_robot(str(folder / "arm.yaml"))


def generated_code(model: Model, folder: Path) -> list[float]:
    """Compile the model's C code, and compute the torque of STATE by it."""
    formulas = minimal_model(model.mechanism)
    table = base_table(model.mechanism, formulas.base, "arm", "a test.")
    (folder / "arm.h").write_text(c_header(formulas, "arm", table))
    (folder / "arm.c").write_text(c_source(formulas, "arm", table))
    command = ["cc", "-std=c99", "-O1", "-shared", "-fPIC", "arm.c", "-o", "arm.so", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    torque = np.zeros(3)
    arrays = [ctypes.c_void_p(array.ctypes.data) for array in (*STATE, torque)]
    ctypes.CDLL(str(folder / "arm.so")).arm_inverse_dynamics(*arrays)
    return torque.tolist()


def stored(folder: Path) -> dict[str, object]:
    """A model.yaml's parameters below ``model``, as ROS 2 gives them to a controller."""
    found = ros_parameters((folder / "model.yaml").read_text(), "model.yaml")
    return {name.removeprefix("model."): value for name, value in found.items()}


def simulated_efforts() -> tuple[float, float]:
    """Torque [N m] of the simulated wrist without gravity: most at SLOW, the last at FAST."""
    true = {f"Fg{joint}": SIZE for joint in (1, 2, 3)}
    content = {"gravity": (0.0, 0.0, 0.0), "limits": {"acceleration": 20.0}}
    robot = arm_robot(**content, simulation={"parameters": true}).with_terms(TERMS)
    efforts = []
    for speed in (SLOW, FAST):
        simulated = SimulatedRobot(robot)
        path = np.outer(np.arange(2000) * speed / 1000.0, [0.0, 0.0, 1.0])
        efforts.append([float(simulated.step(aim).effort[2]) for aim in path])
    return max(efforts[0]), efforts[1][-1]


def plant_lists(robot: Robot) -> dict[str, str]:
    """Parameters of the terms for ros2_control's simulated drives."""
    written = _plant(robot, np.zeros(3), 1000.0)
    return {name: text for name, text in written.items() if name.startswith("term_")}


def suggested(robot: Robot, recording: Recording) -> list[str]:
    """The evidence of a diagnosis about a model that lacks friction of the kind."""
    plain = (TermSettings(kind="viscous"), TermSettings(kind="coulomb"))
    lacking = identify(robot.with_terms(plain), recording)
    return [name for one in diagnose(lacking, recording).findings for name in one.evidence]


def main(library: Path, folder: Path) -> dict[str, object]:
    """Add the kind, and collect the result of every use."""
    register(library)
    robot = in_profile(folder)
    truth = true_model(robot)
    mechanism = robot.mechanism().with_parameters(truth)
    recording = recorded(mechanism, truth, noise=0.02)
    identification = identify(robot, recording)
    model = identification.model
    model.save(folder / "model.yaml")
    read = load_model(folder / "model.yaml")
    controller = _core.StoredModel(stored(folder), list(robot.joints), False)
    smoothed = control_model(robot, read.mechanism)
    sliding = [one for one in candidates(MotionScales(3.0, 2.0, True)) if "grease" in one.name]
    exact = replace(model, mechanism=mechanism)
    return {
        "refusals": [refusal(library, _CAPSULE_NAME), refusal(library, _OTHER_NAME)],
        "profile": [term.entry() for term in robot.terms],
        "names": mechanism.parameter_names[-3:],
        "units": mechanism.parameter_units[-3:],
        "column": mechanism.regressor(*STATE)[range(3), range(-3, 0)].tolist(),
        "identified": model.parameters[-3:].tolist(),
        "report": report_html(identification),
        "model.yaml": (folder / "model.yaml").read_text(),
        "read": read.parameters.tolist() == model.parameters.tolist(),
        "torque": model.inverse_dynamics(*STATE).tolist(),
        "controller": controller.inverse_dynamics(*STATE).tolist(),
        "control cycle": smoothed.torque(*(one[None] for one in STATE))[0].tolist(),
        "code": generated_code(model, folder),
        "plant": plant_lists(robot),
        "design": [term.kind for term in design_model(exact).terms],
        "candidates": [one.name for one in sliding],
        "candidate shapes": [list(one.shape_names) for one in sliding],
        "urdf": identified_urdf(robot.urdf_xml, mechanism),
        "base": list(minimal_model(mechanism).base.names),
        "SYMORO": [symoro_name(name) for name in mechanism.parameter_names],
        "diagnosis": suggested(robot, recording),
        "simulated efforts": simulated_efforts(),
    }


if __name__ == "__main__":
    found = main(Path(sys.argv[1]), Path(sys.argv[2]))
    (Path(sys.argv[2]) / "found.json").write_text(json.dumps(found))
