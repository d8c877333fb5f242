"""The text of a new profile: what a URDF says, what was assumed, and what is left to fill in."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dynid.robot.chains import RobotJoints
from dynid.robot.description import NominalValues
from dynid.robot.urdf_joints import UrdfJoint
from dynid.robot.urdf_profile import urdf_limits
from dynid.text import joint_units

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")

_DOWN = (0.0, 0.0, -9.81)  # [m/s^2]

FILL_IN = "FILL IN"
"""Marks every place where the URDF says nothing and a data sheet is needed."""

_DRIVES = """\
drives:                    # docs/drives.md
  effort: torque           # FILL IN: what recordings contain. torque: [N m] behind the gear;
                           # current: motor current [A]; rated_current_permille: CiA402 0x6078;
                           # rated_torque_permille: 0x6077
  # For currents, FILL IN from the data sheets, in the order of `joints`:
  # torque_constant: {ones}    # [N m/A] of the motor, before the gear
  # gear_ratio: {ones}         # motor turns per joint turn; negative: opposite sense
  # For EtherCAT drives, and for limits of torque:
  # rated_current_ma: {ones}   # [mA]
  # peak_current_ma: {ones}    # [mA]

"""
_RECORDING = """\
recording:                 # docs/recordings.md
  topic: /joint_states     # of a rosbag2
  # names: {{'{first}': '{first}'}}   # where a recording has other names: {{recorded: URDF}}
  # columns:               # of CSV files
  #   time: {{column: t}}
  #   joints: [{joints}]
  #   position: {{columns: [{position}]}}
  #   effort: {{columns: [{effort}]}}

"""
LEFT_TO_DATA = """\
terms: auto                # chosen by held-out data; docs/method.md lists every kind

# identification:          # filters are chosen by the recordings; to set the one of positions:
#   cutoff_hz: 10          # [Hz] above the frequencies of the motion, below those of noise

# Without a group `excitation`, a motion within all limits is searched for when it is needed;
# `dynid excite` finds a better one.

"""
"""What the identification and the planning of motion choose, as comments of a new profile."""
_WORKSPACE = """\
workspace:                 # docs/workspace.md: what the robot could hit
  # planes: {{floor: {{point: [0, 0, 0], normal: [0, 0, 1]}}}}   # FILL IN, or none
{rows}"""


@dataclass(frozen=True)
class NewProfile:
    """What a new profile is made of.

    Attributes:
        urdf: path of the URDF, as seen from the profile.
        source: file that it was made from, for the comment at the top.
        found: the joints of the URDF.
        joints: the actuated ones, in drive order.
        mesh_folder: folder of the URDF's meshes, or None.
        nominal: gravity and joint terms of an MJCF, or None.
        srdf: of the robot, as seen from the profile, or None.
        doubtful: keys of ``limits`` whose numbers in the URDF are not believable.
    """

    robot: str
    urdf: str
    source: str
    found: RobotJoints
    joints: tuple[str, ...]
    mesh_folder: str | None = None
    nominal: NominalValues | None = None
    srdf: str | None = None
    doubtful: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the YAML with its comments."""
        return "".join(
            (
                self._head(),
                self._limits(),
                _DRIVES.format(ones=_list([1.0] * len(self.joints))),
                self._recording(),
                LEFT_TO_DATA,
                self._workspace(),
                self._simulation(),
            )
        )

    def _head(self) -> str:
        rows = [
            f"# Profile of {self.robot}, created by dynid new from {self.source}.",
            "#",
            f"# Entries marked {FILL_IN} are not in a URDF. docs/profile.md explains every key.",
            "# Keys that are left out have their defaults, limits those of the URDF. Units are SI",
            "# and radians. A list has one value for each joint, in the order of `joints`.",
            "",
            f"robot: {_word(self.robot)}",
            f"urdf: {_word(self.urdf)}",
            "joints:                    # in drive order",
            *(f"  - {_word(name)}" for name in self.joints),
        ]
        locked = self.found.locked(self.joints)
        if locked:
            rows.append("locked:                    # held at these positions [rad or m]")
            rows += [
                f"  {_word(name)}: {_number(value)}{self._reason(name)}"
                for name, value in locked.items()
            ]
        rows += self._closed_chain()
        gravity = _list(_DOWN if self.nominal is None else self.nominal.gravity)
        rows.append(f"gravity: {gravity}     # [m/s^2] in the frame of the root link")
        return "\n".join(rows) + "\n\n"

    def _closed_chain(self) -> list[str]:
        chain = self.found.closed_chain(self.joints)
        if not chain:
            return []
        return [
            "closed_chain:              # joints without a drive that follow others (<mimic>)",
            "  passive:                 # their positions where all others are at 0 [rad or m]",
            *(f"    {_word(name)}: {_number(at)}" for name, at in chain["passive"].items()),
            "  closures:",
            *(
                f"    - {{kind: gear, links: [{', '.join(map(_word, closure['links']))}], "
                f"ratio: {_number(closure['ratio'])}}}"
                for closure in chain["closures"]
            ),
        ]

    def _reason(self, name: str) -> str:
        joint = self.found.joints[name]
        if joint.leader is not None:
            return f"   # follows {joint.leader} (<mimic>)"
        if name in self.found.grippers:
            return "   # gripper"
        return "   # wheel" if name in self.found.wheels else ""

    def _limits(self) -> str:
        chosen = [self.found.joints[name] for name in self.joints]
        known = urdf_limits(chosen)
        rows = _positions(chosen)
        sure = set(known) - {*self.doubtful, "position"}
        nothing = not sure and rows[0].lstrip().startswith("#")
        rows = [f"limits: {{}}                 # {FILL_IN}" if nothing else "limits:", *rows]
        kinds = [joint.kind == "prismatic" for joint in chosen]
        turning = joint_units(kinds, range(len(kinds)), "rad", "m")
        pushing = joint_units(kinds, range(len(kinds)), "N m", "N")
        for key, unit, missing in (
            ("velocity", f"[{turning}/s]", "from the data sheet"),
            ("acceleration", f"[{turning}/s^2]", "that torque_max allows"),
            ("torque_max", f"[{pushing}] behind the gear", "from the data sheet"),
        ):
            if key in known:
                values = [float(f"{value:.6g}") for value in known[key]]
                doubtful = key in self.doubtful
                mark, note = ("# ", f" {FILL_IN}: doubtful") if doubtful else ("", "")
                rows.append(f"  {mark}{key}: {_list(values)}   # {unit}, of the URDF{note}")
            else:
                ones = _list([1.0] * len(chosen))
                rows.append(f"  # {key}: {ones}   # {unit} {FILL_IN}: {missing}")
        return "\n".join(rows) + "\n\n"

    def _recording(self) -> str:
        several = range(1, len(self.joints) + 1)
        return _RECORDING.format(
            first=self.joints[0],
            joints=", ".join(self.joints),
            position=", ".join(f"q{number}" for number in several),
            effort=", ".join(f"tau{number}" for number in several),
        )

    def _workspace(self) -> str:
        files = {"mesh_folder": self.mesh_folder, "srdf": self.srdf}
        rows = [f"  {key}: {_word(file)}" for key, file in files.items() if file is not None]
        if not rows:
            rows = ["  self_collision: null     # null: where the URDF has shapes"]
        return _WORKSPACE.format(rows="".join(f"{row}\n" for row in rows))

    def _simulation(self) -> str:
        parameters = {} if self.nominal is None else self.nominal.parameters(self.joints)
        if not parameters:
            return ""
        rows = [
            "",
            "simulation:                # the simulated robot",
            "  parameters:              # of the MJCF: rotor inertia, viscous and Coulomb friction",
            *(f"    {name}: {_number(value)}" for name, value in parameters.items()),
        ]
        return "\n".join(rows) + "\n"


def _positions(joints: Sequence[UrdfJoint]) -> list[str]:
    """Return the rows of position limits, with those that were assumed marked."""
    unknown = [
        joint
        for joint in joints
        if joint.doubt or (joint.position is None and joint.kind == "prismatic")
    ]
    mark = "# " if unknown else ""
    rows = [f"  {mark}position:                # [rad or m]"]
    for joint in joints:
        if joint.position is not None:
            rows.append(f"  {mark}  - {_list(joint.position)}   # {joint.name}")
        elif joint in unknown:
            interval, unit = (
                ("0.0, 1.0", "m") if joint.kind == "prismatic" else ("-1.0, 1.0", "rad")
            )
            note = f"{FILL_IN} [{unit}]: the URDF has {joint.doubt or 'none'}"
            rows.append(f"  {mark}  - [{interval}]   # {joint.name} {note}")
        else:
            rows.append(
                f"  {mark}  - [-3.14159, 3.14159]   # {joint.name}: assumed, the URDF has no limit"
            )
    return rows


def _list(values: Sequence[float]) -> str:
    return f"[{', '.join(_number(value) for value in values)}]"


def _number(value: float) -> str:
    """Return a number that YAML reads as one: ``1.0e-05`` instead of ``1e-05``."""
    text = f"{value + 0.0:.12g}"
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else f'{mantissa}.0'}e{exponent}" if mark else text


def _word(text: str) -> str:
    """Return a text as YAML: plain if it is a plain word, else quoted."""
    plain = _PLAIN.fullmatch(text) is not None
    reserved = text.lower() in {"yes", "no", "on", "off", "true", "false", "null", "y", "n"}
    return text if plain and not reserved else json.dumps(text)
