"""Every command that writes files, with arguments that take little time."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid.identification.identify import identify
from dynid.profile import load_robot
from dynid.recording.convert import write_bag
from dynid.report.write import write_outputs
from dynid.robot.recordings import load_recording
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import carrying
from support.arm_files import write_arm
from support.arm_fleet import write_fleet
from support.payload_file import PAYLOAD
from support.small_robot import ROBOT, write_small_robot
from support.stored_recording import stored
from support.synthetic import ARM_URDF, recorded, true_parameters
from support.weighed_arm import ROBOT as WEIGHED_ROBOT
from support.weighed_arm import WEIGHED, currents, loaded

_AXIS_URDF = """<robot name="axis"><link name="base"/>
<link name="arm"><inertial><mass value="2"/><origin xyz="0.1 0 0"/>
<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" velocity="5" effort="50"/></joint></robot>
"""
_DUO_SDF = """<sdf version="1.9"><model name="duo"><link name="base"/>
<link name="upper"/><link name="lower"/>
<joint name="shoulder" type="revolute"><parent>base</parent><child>upper</child></joint>
<joint name="elbow" type="revolute"><parent>upper</parent><child>lower</child></joint>
</model></sdf>
"""


@dataclass(frozen=True)
class Workshop:
    """A folder with input files: of an arm, and of the two-joint robot 'duo' with drives."""

    folder: Path
    profile: Path
    bag: Path
    other_bag: Path
    model: Path

    def identify(self, out: Path, *more: object) -> list[object]:
        return ["identify", self.bag, "-p", self.profile, "-o", out, *more]

    def __truediv__(self, name: str) -> Path:
        return self.folder / name


def make_workshop(folder: Path) -> Workshop:
    """Write all input files of the commands into a folder."""
    arm = write_arm(folder)
    robot = load_robot(arm.profile)
    write_outputs(identify(robot, load_recording(arm.bag, robot)), folder / "model")
    _write_duo(folder)
    _write_weighed(folder / "weighed")
    (folder / "base.csv").write_text("name,value\nZZ1R,1.0\n")
    (folder / "payload.yaml").write_text(PAYLOAD)
    (folder / "duo.sdf").write_text(_DUO_SDF)
    (folder / "motion.yaml").write_text(yaml.safe_dump({"excitation": ROBOT["excitation"]}))
    _write_axis(folder)
    rows = [{"alpha": 0.0, "theta": 0.0, "d": 0.1, "a": 0.2}]
    head = {"robot": "a", "convention": "classic", "angles": "radians", "lengths": "m"}
    (folder / "table.yaml").write_text(yaml.safe_dump({**head, "rows": rows}))
    (folder / "fleet").mkdir()
    write_fleet(folder / "fleet", robots=1, days=1)
    return Workshop(folder, arm.profile, arm.bag, arm.other_bag, folder / "model" / "model.yaml")


def _write_duo(folder: Path) -> None:
    drives = {
        "effort": "torque",
        "rated_current_ma": 3400,
        "peak_current_ma": 9000,
        "torque_constant": 0.2,
        "gear_ratio": 100,
        "encoder_counts": 131072,
    }
    tracking = {
        "type": "oscillate",
        "joint": "elbow",
        "watch": "shoulder",
        "amplitude": 0.13,
        "frequency": 2,
        "periods": 3,
    }
    profile = write_small_robot(folder, drives=drives, tracking=tracking)
    robot = load_robot(profile)
    settings = find_excitation(robot)
    assert settings is not None
    motion = build_excitation(settings, robot.limits, robot.joints)
    for seed, name in enumerate(("duo_bag", "duo_free")):
        write_bag(simulate(robot, motion, seed=seed), folder / name)
    heavy = carrying(robot, 3.0, np.zeros(3), np.zeros(6))
    write_bag(simulate(heavy, motion), folder / "duo_loaded")
    identify(robot, load_recording(folder / "duo_bag", robot)).model.save(folder / "duo_model.yaml")


def _write_axis(folder: Path) -> None:
    """A single axis, whose friction is compared quickly."""
    (folder / "axis.urdf").write_text(_AXIS_URDF)
    mechanism = load_robot(folder / "axis.urdf").mechanism()
    motion = recorded(mechanism, true_parameters(mechanism), samples=600, noise=0.1)
    stored(motion, folder / "axis.npz")


def _write_weighed(folder: Path) -> None:
    folder.mkdir()
    (folder / "arm.urdf").write_text(ARM_URDF)
    content = WEIGHED_ROBOT.yaml_content(exclude_unset=True)
    (folder / "arm.yaml").write_text(yaml.safe_dump(content))
    stored(currents(), folder / "without.npz")
    stored(loaded(), folder / "with.npz")


Arguments = Callable[[Workshop, Path], list[object]]
"""From the input files and the folder of the results to a command's arguments."""

WRITING: dict[str, Arguments] = {
    "new": lambda shop, out: ["new", shop / "arm.urdf", "-o", out / "arm.yaml", "--force"],
    "new dh": lambda shop, out: [
        *("new", "dh", shop / "table.yaml", "-o", out / "a.urdf"),
        *("--profile-out", out / "a.yaml", "--force"),
    ],
    "view": lambda shop, out: ["view", shop / "duo.yaml", "-o", out / "duo.html"],
    "excite": lambda shop, out: [
        *("excite", "-p", shop / "duo.yaml", "-o", out / "motion.yaml", "--force"),
        *("--duration", 4, "--harmonics", 3, "--starts", 1),
    ],
    "check": lambda shop, out: [
        *("check", shop / "motion.yaml", "-p", shop / "duo.yaml", "-o", out / "closest.png"),
    ],
    "info convert": lambda shop, out: ["info", "convert", shop.bag, out / "converted"],
    "diagnose": lambda shop, out: ["diagnose", shop.bag, "-p", shop.profile, "-o", out],
    "identify": lambda shop, out: shop.identify(out),
    "identify that fails": lambda shop, out: shop.identify(
        out, "--set", "identification.max_relative_torque_error=0.0001"
    ),
    "payload identify": lambda shop, out: [
        *("payload", "identify", shop / "duo_loaded", "-o", out),
        *("--base-model", shop / "duo_model.yaml"),
    ],
    "validate": lambda shop, out: ["validate", shop.other_bag, "-m", shop.model, "-o", out],
    "fleet identify": lambda shop, out: ["fleet", "identify", _fleet(shop, out), "--again"],
    "payload write": lambda shop, out: [
        *("payload", "write", shop / "payload.yaml", "-m", shop.model, "--to", "ur"),
        *("-o", out / "load.txt", "--force"),
    ],
    "identify friction": lambda shop, out: [
        *("identify", "friction", shop / "axis.npz", "-p", shop / "axis.urdf", "-o", out),
    ],
    "payload measure": lambda shop, out: [
        *("payload", "measure", shop / "duo_loaded", "-o", out),
        *("--base-model", shop / "duo_model.yaml"),
    ],
    "drives gains": lambda shop, out: [
        *("drives", "gains", shop / "weighed/without.npz", "--loaded", shop / "weighed/with.npz"),
        *("--payload-mass", WEIGHED.mass, "-p", shop / "weighed/arm.yaml", "-o", out),
    ],
    "model retrieve": lambda shop, out: [
        *("model", "retrieve", shop / "base.csv", "-p", shop.profile, "-o", out),
    ],
    "model export": lambda shop, out: [
        *("model", "export", shop / "duo_model.yaml", "--to", "urdf"),
        *("-o", out / "duo.urdf", "--force"),
    ],
    "model elastic": lambda shop, out: [
        *("model", "elastic", shop / "duo.sdf", "-p", shop / "duo.yaml", "-o", out / "elastic.sdf"),
        *("--set", "elastic.stiffness=3000", "--set", "elastic.rotor_inertia=0.1", "--force"),
    ],
    "model code": lambda shop, out: ["model", "code", "-m", shop.model, "-o", out],
    "model base": lambda shop, out: ["model", "base", "-m", shop.model, "-o", out / "base.txt"],
    "model along": lambda shop, out: [
        *("model", "along", shop.bag, "-m", shop.model, "-o", out / "torque.csv"),
    ],
    "model softmc": lambda shop, out: [
        *("model", "softmc", "-p", shop / "axis.urdf", "--without", "offset"),
        *("-o", out / "IDNT.PRG"),
    ],
    "check limits": lambda shop, out: [
        *("check", "limits", "-m", shop / "duo_model.yaml"),
        *("-o", out / "joint_limits.yaml", "--force"),
    ],
    "drives": lambda shop, out: ["drives", "-p", shop / "duo.yaml", "-o", out, "--force"],
    "tracking": lambda shop, out: [
        *("tracking", "-p", shop / "duo.yaml", "-m", shop / "duo_model.yaml"),
        *("-o", out / "tracking.png"),
    ],
    "collisions tune": lambda shop, out: [
        *("collisions", "tune", shop / "duo_free", "-m", shop / "duo_model.yaml"),
        *("-o", out / "collision.yaml"),
    ],
    "collisions wrench": lambda shop, out: [
        *("collisions", "wrench", shop / "duo_bag", "-m", shop / "duo_model.yaml"),
        *("--free", shop / "duo_free", "-o", out, "--force"),
    ],
}


def _fleet(shop: Workshop, out: Path) -> Path:
    """Write a fleet.yaml beside the folder, which is its data set."""
    described = yaml.safe_load((shop / "fleet" / "fleet.yaml").read_text())
    path = out.parent / f"{out.name}-fleet.yaml"
    (types,) = described["types"].values()
    for key in ("profile", "recordings"):
        types[key] = str(shop / "fleet" / types[key])
    path.write_text(yaml.safe_dump({**described, "data_set": str(out)}))
    return path


ALWAYS_NEW = {"info convert", "collisions tune"}
"""Commands that refuse to replace a result, and have no option for it."""

APART = {
    "bench",
    "demo",
    "excite multisine",
    "fleet report",
    "identify elastic",
    "identify resonance",
    "model seal",
    "robots",
    "servo rig",
    "start",
    "tracking flatness",
}
"""Commands that take long, write to their input, or run others: their faults are tested where
they are."""


def put(content: dict[str, bytes], out: Path) -> None:
    """Write files into a folder, which need not exist."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    for name, data in content.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)
