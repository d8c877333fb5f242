"""Causes for a robot with a prismatic joint, in metres and newtons."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.small_region import small_region
from dynid.evaluation.diagnosis.too_slow import too_slow
from dynid.profile import make_robot
from dynid.recording.model import Recording
from dynid.signals.preprocess import preprocess

RATE = 100.0
GANTRY = """
<robot name="gantry"><link name="base"/>
  <link name="arm"><inertial><mass value="2"/><origin xyz="0.2 0 0"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="hook"><inertial><mass value="3"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="5" effort="50"/></joint>
  <joint name="lift" type="prismatic"><parent link="arm"/><child link="hook"/>
    <axis xyz="0 0 1"/><limit lower="0" upper="1" velocity="1" effort="100"/></joint>
</robot>
"""


def moved(turn: float, lift: float, pace: float = 1.0, **limits: object) -> Case:
    """Return sines of these amplitudes [rad] and [m] without a model."""
    content = {
        "robot": "gantry",
        "urdf": "gantry.urdf",
        "joints": ["turn", "lift"],
        # none of the URDF
        "limits": {"position": None, "velocity": None, **limits},
        "identification": {"cutoff_hz": None, "trim_rest": False},
    }
    robot = make_robot(content, GANTRY)
    mechanism = robot.mechanism()
    time = np.arange(2000) / RATE
    omega = 2 * np.pi * pace * np.array([0.5, 0.7])
    phase = np.outer(time, omega)
    size = np.array([turn, lift])
    motion = size * np.sin(phase), size * omega * np.cos(phase), -size * omega**2 * np.sin(phase)
    torque = mechanism.torque(*motion, mechanism.urdf_parameters)
    recording = Recording(
        time=time,
        position=motion[0],
        velocity=None,
        effort=torque,
        joint_names=robot.joints,
        sampling_rate=RATE,
    )
    return Case(robot, mechanism, (recording,), (preprocess(recording, robot),))


def test_range_of_a_prismatic_joint_is_in_metres() -> None:
    (found,) = small_region(moved(1.0, 0.1, position=[[-3, 3], [-0.5, 0.5]]))
    assert found.joint == "lift"
    assert "positions cover a small region, 0.2 of 1 m" in found.sentence
    assert found.evidence == {"coverage of lift": pytest.approx(0.2, rel=0.01)}
    assert found.plot is not None
    (trace,) = found.plot.traces
    assert trace.label == "lift"
    assert np.ptp(trace.y) == pytest.approx(0.2, rel=0.01)
    assert trace.y.mean() == pytest.approx(0.0, abs=1e-9)


def test_both_kinds_of_joints_have_their_own_units() -> None:
    (found,) = small_region(moved(0.2, 0.1, position=[[-1, 1], [-0.5, 0.5]]))
    assert found.joint is None
    assert found.evidence == {
        "coverage of turn": pytest.approx(0.2, rel=0.01),
        "coverage of lift": pytest.approx(0.2, rel=0.01),
    }
    assert found.plot is not None
    assert [trace.label for trace in found.plot.traces] == ["turn", "lift"]


def test_without_limits_only_the_range_of_a_revolute_joint_is_known() -> None:
    assert list(small_region(moved(1.0, 0.01))) == []
    (found,) = small_region(moved(0.4, 0.01))
    assert found.evidence == {"coverage of turn": pytest.approx(0.8 / np.pi, rel=0.01)}


@pytest.mark.parametrize(("half", "small"), [(0.29, True), (0.31, False)])
def test_three_tenths_of_the_range_are_enough(half: float, small: bool) -> None:
    case = moved(half, 0.4, position=[[-1, 1], [-0.5, 0.5]])
    assert bool(list(small_region(case))) is small


def test_speed_of_a_prismatic_joint_at_rest_is_in_metres_per_second() -> None:
    (found,) = too_slow(moved(1.0, 0.0, velocity=[5.0, 1.0]))
    assert found.joint == "lift"
    assert found.severity == "problem"
    # half a percent of its limit
    assert "0.00 % of the samples are faster than 0.005 m/s" in found.sentence
    assert found.evidence == {"moving share of lift": 0.0}


def test_a_slow_lift_is_found_by_the_ratio_of_inertia_and_weight() -> None:
    case = moved(1.0, 0.05, pace=0.5, velocity=[5.0, 1.0])
    (found,) = too_slow(case)
    assert found.joint == "lift"
    # amplitude times omega squared, over the square root of two, over g
    omega = 2 * np.pi * 0.35
    share = 0.05 * omega**2 / np.sqrt(2) / 9.81
    assert found.evidence["inertia share of lift"] == pytest.approx(share, rel=0.02)
    assert found.evidence["speed share of lift"] == pytest.approx(0.05 * omega, rel=0.02)
    assert f"at a speed of up to {5 * omega:.0f} % of its limit" in found.sentence
    assert found.plot is not None
    assert found.plot.y_label == "lift [N]"


def test_a_slow_lift_without_a_limit_is_found_too() -> None:
    (found,) = too_slow(moved(1.0, 0.05, pace=0.5))
    assert set(found.evidence) == {"inertia share of lift"}
    assert "limit" not in found.sentence


def test_a_light_joint_near_its_limit_is_not_slow() -> None:
    assert list(too_slow(moved(1.0, 0.05, pace=0.5, velocity=[5.0, 0.2]))) == []
