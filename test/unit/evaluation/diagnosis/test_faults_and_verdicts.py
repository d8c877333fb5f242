"""Data with one fault through the whole identification: the first finding, and the verdict.

Each row is a recording that once was called good, or was explained by a cause that it did not have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from support.representatives import representatives
from support.searched_arm import (
    ELBOW,
    JOINTS,
    LIFT,
    NOISE,
    PAN,
    RATE,
    crane,
    crane_parameters,
    crane_recording,
)
from support.synthetic import recorded

from dynid.evaluation.diagnosis.causes import FIT_CAUSES
from dynid.evaluation.diagnosis.finding import Finding
from dynid.identification.identify import identify
from dynid.identification.result import Identification
from dynid.profile import make_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot

Fault = Callable[[Recording], Recording]
SWAPPED = [0, 2, 1]
WITH_VELOCITY = {"cutoff_hz": None, "trim_rest": False, "velocity": "measured"}
PENDULUM_URDF = """
<robot name="pendulum"><link name="base"/>
  <link name="rod"><inertial><mass value="0.7"/><origin xyz="0.4 0 0"/>
    <inertia ixx="0.001" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="pivot" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-7" upper="7" velocity="20" effort="20"/></joint>
</robot>
"""


def first(identification: Identification) -> Finding:
    """Return the worst finding, the first above a note."""
    return next(one for one in identification.findings if one.severity != "note")


def said(robot: Robot, *recordings: Recording) -> tuple[str, tuple[str, ...], bool]:
    """Return cause and joints of the worst finding, and whether the identification succeeded."""
    identification = identify(robot, list(recordings))
    worst = first(identification)
    assert not worst.alternatives
    return worst.cause, worst.joints, identification.verdict.success


def turned(recording: Recording, joint: np.ndarray, *names: str) -> Recording:
    """Return a recording with the other sign of some signals of a joint."""
    values = {name: getattr(recording, name) * (1 - 2 * joint) for name in names}
    return replace(recording, position_step=None, **values)


def exchanged(recording: Recording, *names: str) -> Recording:
    """Return a recording with the signals of two joints exchanged."""
    values = {name: getattr(recording, name)[:, SWAPPED] for name in names}
    return replace(recording, position_step=None, **values)


def stretched(recording: Recording, factor: float) -> Recording:
    """Return a recording with wrong times."""
    rate = recording.sampling_rate / factor
    return replace(recording, time=recording.time * factor, sampling_rate=rate)


@pytest.mark.parametrize(
    ("fault", "cause", "joints"),
    [
        (lambda r: turned(r, LIFT, "velocity"), "velocity", ("lift",)),
        (lambda r: stretched(r, 1.2), "time", ()),
        (lambda r: stretched(r, 2.0), "time", ()),
        (lambda r: replace(r, velocity=np.degrees(r.velocity)), "velocity", JOINTS),
    ],
)
def test_velocities_that_contradict_positions_fail_by_name(
    fault: Fault, cause: str, joints: tuple[str, ...]
) -> None:
    robot = crane(identification=WITH_VELOCITY)
    assert said(robot, fault(crane_recording())) == (cause, joints, False)


def wrapped(recording: Recording) -> Recording:
    position = recording.position.copy()
    position[position[:, 1] > np.median(position[:, 1]), 1] -= 2 * np.pi
    return replace(recording, position=position, velocity=None, position_step=None)


def without_small_torque(recording: Recording) -> Recording:
    effort = recording.effort
    small = np.abs(effort) < 0.15 * np.abs(effort).max(axis=0)
    return replace(recording, effort=np.where(small & (ELBOW > 0), 0.0, effort))


@pytest.mark.parametrize(
    ("fault", "cause", "joints"),
    representatives(
        [
            (wrapped, "wrapped_position", ("lift",)),
            (
                lambda r: exchanged(r, "position", "velocity", "effort"),
                "swapped_channels",
                ("lift", "elbow"),
            ),
            (lambda r: exchanged(r, "effort"), "swapped_channels", ("lift", "elbow")),
            (
                lambda r: turned(r, LIFT, "position", "velocity", "effort"),
                "reversed_joint",
                ("lift",),
            ),
            (lambda r: replace(r, effort=r.effort * [1, 1, 1000]), "torque_factor", ("elbow",)),
            (lambda r: replace(r, effort=r.effort * [1, 2, 1]), "torque_factor", ("lift",)),
            (lambda r: replace(r, position=r.position + LIFT), "encoder_zero", ("lift",)),
        ],
        4,
    ),
)
def test_a_fault_that_spoils_the_model_fails_by_its_own_name(
    fault: Fault, cause: str, joints: tuple[str, ...]
) -> None:
    assert said(crane(), fault(crane_recording())) == (cause, joints, False)


@pytest.mark.thorough
def test_an_axis_of_the_urdf_that_points_the_other_way_is_a_reversed_joint() -> None:
    urdf = crane().urdf_xml.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 -1 0"/>')
    found = said(crane().with_urdf(urdf), crane_recording())
    assert found == ("reversed_joint", ("lift",), False)


def test_signs_of_all_torques_are_one_finding() -> None:
    recording = crane_recording()
    identification = identify(crane(), replace(recording, effort=-recording.effort))
    (finding,) = (one for one in identification.findings if one.severity != "note")
    assert (finding.cause, finding.joints, finding.alternatives) == ("flipped_sign", (), ())
    assert not identification.verdict.success


def with_lost_samples(recording: Recording) -> Recording:
    kept = np.ones(len(recording.time), dtype=bool)
    for start in (400, 900, 1500):
        kept[start : start + 20] = False
    count = int(kept.sum())
    return replace(
        recording,
        time=recording.time[:count],
        **{name: getattr(recording, name)[kept] for name in ("position", "velocity", "effort")},
    )


def with_backlash(recording: Recording) -> Recording:
    teeth = np.tanh(recording.effort / (0.1 * recording.effort.std(axis=0)))
    return replace(recording, position=recording.position + 0.05 * teeth * PAN)


def late(recording: Recording) -> Recording:
    return replace(recording, effort=np.roll(recording.effort, 4, axis=0))


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (with_lost_samples, "lost_samples"),
        (without_small_torque, "effort"),
        pytest.param(with_backlash, "backlash", marks=pytest.mark.thorough),
    ],
)
def test_a_fault_that_a_model_survives_is_named_alone(fault: Fault, cause: str) -> None:
    findings = identify(crane(), fault(crane_recording())).findings
    about_faults = [
        one.cause
        for one in findings
        if one.severity != "note" and one.cause not in (*FIT_CAUSES, "unexplained")
    ]
    assert about_faults == [cause]


@pytest.mark.thorough
def test_torque_that_is_late_is_not_absorbed_by_friction_that_is_chosen() -> None:
    worst = first(identify(crane(terms="auto"), late(crane_recording())))
    assert worst.cause == "time_shift"
    delays = [correction.delay for correction in worst.corrections]
    np.testing.assert_allclose(delays, 0.04, atol=2e-3)


def test_dry_friction_that_is_not_in_the_model_is_named_and_no_delay() -> None:
    robot = crane(terms=[{"kind": "viscous"}, {"kind": "offset"}])
    causes = {one.cause for one in identify(robot, crane_recording()).findings}
    assert "friction_terms" in causes
    assert not causes & {"time_shift", "unmodelled_coupling"}


def loaded() -> Recording:
    """Return another recording of the crane, with 2 kg at the end of its jib."""
    robot = crane()
    parameters = crane_parameters(robot)
    parameters[20:22] += [2.0, 2.0 * 0.3]
    parameters[[26, 29]] += 2.0 * 0.3**2
    mechanism = robot.mechanism()
    return recorded(mechanism, parameters, samples=2000, rate=RATE, noise=NOISE, seed=1)


def with_other_constants() -> Recording:
    return replace(crane_recording(1), effort=1.3 * crane_recording(1).effort)


def with_another_zero() -> Recording:
    return replace(crane_recording(1), position=crane_recording(1).position + 0.2 * LIFT)


@pytest.mark.parametrize(
    "other", representatives([loaded, with_other_constants, with_another_zero], 1)
)
def test_recordings_that_differ_fail_before_they_are_averaged(
    other: Callable[[], Recording],
) -> None:
    identification = identify(crane(), [crane_recording(), other()])
    assert first(identification).cause == "recordings_differ"
    assert not identification.verdict.success


def test_a_pendulum_that_is_touched_by_hand_has_a_contact() -> None:
    robot = make_robot(
        {
            "robot": "pendulum",
            "urdf": "pendulum.urdf",
            "joints": ["pivot"],
            "terms": [{"kind": "viscous"}, {"kind": "coulomb"}],
        },
        PENDULUM_URDF,
    )
    mechanism = robot.mechanism()
    parameters = mechanism.urdf_parameters.copy()
    parameters[-2:] = 0.1, 0.05
    free = recorded(mechanism, parameters, samples=2500, rate=RATE, noise=0.02)
    effort = free.effort.copy()
    effort[1610:1700] -= 8.0
    worst = first(identify(robot, replace(free, effort=effort)))
    assert worst.cause == "contact"
    start, stop = worst.evidence["start 1 [s]"], worst.evidence["stop 1 [s]"]
    assert 15.5 < start < 16.1
    assert 17.0 < stop < 17.5


@pytest.mark.parametrize("joint", [PAN, ELBOW])
def test_a_zero_that_no_torque_shows_is_no_fault(joint: np.ndarray) -> None:
    recording = crane_recording()
    identification = identify(
        crane(), replace(recording, position=recording.position + 0.8 * joint)
    )
    assert identification.verdict.success
